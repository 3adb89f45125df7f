//! Integers of the evaluator: one checked operation for each operator and overflow mode.

use crate::formula::{IntOp, IntSemantics, Overflow};

/// A number, and whether it is undefined (an overflow, a division by zero).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Int {
    pub value: i64,
    pub undefined: bool,
}

/// The exact result does not fit 64 bits.
pub(super) struct TooWide;

/// An exact value brought into the range of the mode.
pub(super) fn fit(exact: i128, undefined: bool, ints: IntSemantics) -> Result<Int, TooWide> {
    if ints.overflow == Overflow::Exact {
        let value = i64::try_from(exact).map_err(|_| TooWide)?;
        return Ok(Int { value, undefined });
    }
    let unused = 128 - ints.bit_width.clamp(1, 64);
    let value = (exact << unused >> unused) as i64;
    let lost = ints.overflow == Overflow::Forbid && value as i128 != exact;
    Ok(Int { value, undefined: undefined || lost })
}

pub(super) fn binary(op: IntOp, a: Int, b: Int, ints: IntSemantics) -> Result<Int, TooWide> {
    let undefined = a.undefined || b.undefined;
    let (x, y) = (a.value as i128, b.value as i128);
    match op {
        IntOp::Add => fit(x + y, undefined, ints),
        IntOp::Sub => fit(x - y, undefined, ints),
        IntOp::Mul => fit(x * y, undefined, ints),
        IntOp::Div | IntOp::Rem if y == 0 => {
            // The value matters only where overflow wraps around: what the Analyzer's divider yields.
            let value = if op == IntOp::Rem { x } else { -x.signum() };
            fit(value, undefined || ints.overflow != Overflow::Wrap, ints)
        }
        IntOp::Div => fit(x / y, undefined, ints),
        IntOp::Rem => fit(x % y, undefined, ints),
        IntOp::Shl | IntOp::Sha | IntOp::Shr => shift(op, x, y, undefined, ints),
    }
}

fn shift(op: IntOp, x: i128, y: i128, undefined: bool, ints: IntSemantics) -> Result<Int, TooWide> {
    let width = ints.bit_width.clamp(1, 64);
    if ints.overflow == Overflow::Exact {
        if y < 0 {
            return fit(0, true, ints);
        }
        let value = match op {
            IntOp::Shl if x == 0 => 0,
            IntOp::Shl if y >= 64 => return Err(TooWide),
            IntOp::Shl => x << y,
            IntOp::Sha => x >> y.min(127),
            _ => shift_pattern(x, y, width),
        };
        return fit(value, undefined, ints);
    }
    // The Analyzer's shifters look only at the bits of the amount below the width of the width.
    let stages = u32::BITS - (width - 1).leading_zeros();
    let amount = y & ((1 << stages) - 1);
    let lost = op == IntOp::Shl && ints.overflow == Overflow::Forbid && shift_loses(x, y, width, stages);
    let value = match op {
        IntOp::Shl => x << amount,
        IntOp::Sha => x >> amount,
        _ => shift_pattern(x, amount, width),
    };
    // Whether bits were lost is decided stage by stage above, not by the final value.
    let wrapped = IntSemantics { overflow: Overflow::Wrap, ..ints };
    fit(value, undefined || lost, wrapped)
}

/// The `width`-bit pattern of `x` shifted right with zeros coming in, read as two's complement.
fn shift_pattern(x: i128, by: i128, width: u32) -> i128 {
    let pattern = x & ((1i128 << width) - 1);
    let shifted = if by >= width as i128 { 0 } else { pattern >> by };
    shifted << (128 - width) >> (128 - width)
}

/// Whether a left shift of `width`-bit `x` pushes out a bit that differs from its right neighbour
/// at some stage of the shifter; stages beyond the amount's low bits are looked at, too, though
/// they do not shift.
fn shift_loses(x: i128, y: i128, width: u32, stages: u32) -> bool {
    let mut value = x;
    for i in 0..width {
        if y >> i & 1 == 0 {
            continue;
        }
        let bit = |at: i64| at >= 0 && value >> at & 1 == 1;
        let pushed = (1i64 << i.min(40)).min(width as i64 + 1);
        if (0..pushed).any(|k| bit(width as i64 - k - 1) != bit(width as i64 - k - 2)) {
            return true;
        }
        if i < stages {
            value = value << (1 << i) << (128 - width) >> (128 - width);
        }
    }
    false
}
