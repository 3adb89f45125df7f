//! The instructions on values of at most eight rows of at most eight atoms, each one word.
//!
//! A matrix holds its rows from the first byte on and its atoms from the first bit on; what is
//! outside is zero. A mask has full rows for true, and that of a closed formula is all ones. A
//! column of integers is a byte each, [`BIAS`] more than the value, in seven bits.

use super::code::{Bitwise, Counted, Pair};
use super::matrix::{
    FIRST, at_least, closure, complement, counts, empty, filled, gathered, image, lone, one, product,
    repeated, row, transpose,
};
use crate::formula::IntCmp;

/// Values are in `-BIAS..BIAS`.
pub const BIAS: i64 = 64;

/// What becomes of the truths that a test finds by row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Truths {
    /// That of the first row is a closed formula's.
    Closed,
    /// They become the bits of one row; which of them count.
    Bits(u64),
    /// They become full rows.
    Masks(u64),
    /// Each row on the left is tested with all on the right, whose truths become its bits.
    Left(u64),
    /// Each row on the right with all on the left.
    Right(u64),
}

/// Operands are places in [`super::code::Machine::small`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Rows in memory from their atom `lo` on.
    Pack {
        at: u32,
        rows: u32,
        lo: u32,
        mask: u64,
    },
    Zip(Bitwise, u32, u32, u64),
    /// From a row on, what is to be kept.
    Rows(u32, u32, u64),
    /// One row, in the first column of the rows that are to have it.
    Repeat(u32, u32, u64),
    /// By row the row it was; 8 is none.
    Permute(u32, [u8; 8]),
    /// The bits that are kept, so many columns further.
    Shift(u32, u64, i32),
    /// Full rows where a bit is: by row its place; 64 is none.
    Spread(u32, [u8; 8]),
    Transpose(u32, u64),
    Image(u32, u32),
    Product(u32, u32),
    Closure(u32),
    Override(u32, u32),
    Only(u32),
    /// Rows of one atom; empty ones become those of the constant, others empty.
    AtMost(u32, u64),
    Test(Counted, Truths, u32),
    TestPair(Pair, Truths, u32, u32),
    /// The same of all rows together.
    TestAll(Counted, u32),
    TestPairAll(Pair, u32, u32),

    Card(u32),
    CardAll(u32),
    /// By the bits of a row their sum, in a table.
    SumSet(u32, u32),
    Compare(IntCmp, Truths, u32, u32),
}

/// An instruction and the place of its result.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub kind: Kind,
    pub to: u32,
}

/// The value of an instruction; rows of `memory`, and `sums` of [`Kind::SumSet`].
#[inline(always)]
pub fn value(kind: Kind, small: &[u64], memory: &[u64], sums: &[u8]) -> u64 {
    let get = |place: u32| small[place as usize];
    match kind {
        Kind::Pack { at, rows, lo, mask } => {
            let rows = &memory[at as usize..][..rows as usize];
            rows.iter().rev().fold(0, |all, row| all << 8 | (row >> (lo & 63) & mask))
        }
        Kind::Zip(op, a, b, keep) => {
            let (a, b) = (get(a), get(b));
            keep & match op {
                Bitwise::And => a & b,
                Bitwise::AndNot => a & !b,
                Bitwise::Or => a | b,
                Bitwise::Xor => a ^ b,
            }
        }
        Kind::Rows(a, first, keep) => get(a) >> (8 * first) & keep,
        Kind::Repeat(a, i, rows) => row(get(a), i) * rows,
        Kind::Permute(a, from) => by_row(|i| match from[i] {
            8 => 0,
            from => row(get(a), from.into()),
        }),
        Kind::Shift(a, keep, by) => match u32::try_from(by) {
            Ok(by) => (get(a) & keep) << by,
            Err(_) => (get(a) & keep) >> by.unsigned_abs(),
        },
        Kind::Spread(a, from) => by_row(|i| match from[i] {
            64 => 0,
            from => (get(a) >> (from & 63) & 1) * 0xff,
        }),
        Kind::Transpose(a, keep) => transpose(get(a)) & keep,
        Kind::Image(a, b) => image(get(a), get(b)),
        Kind::Product(a, b) => product(get(a), get(b)),
        Kind::Closure(a) => closure(get(a)),
        Kind::Override(a, b) => get(b) | get(a) & filled(empty(get(b))),
        Kind::Only(a) => get(a) & filled(lone(get(a))),
        Kind::AtMost(a, all) => get(a) & filled(lone(get(a))) | all & filled(empty(get(a))),
        Kind::Test(counted, truths, a) => {
            let marks = match counted {
                Counted::No => empty(get(a)),
                Counted::Lone => lone(get(a)),
                Counted::One => one(get(a)),
            };
            arranged(marks, truths)
        }
        Kind::TestPair(pair, truths, a, b) => {
            let (a, b) = (get(a), get(b));
            match pair {
                Pair::Subset => tested(truths, a, b, |a, b| empty(a & !b)),
                Pair::Equal => tested(truths, a, b, |a, b| empty(a ^ b)),
                Pair::Disjoint => tested(truths, a, b, |a, b| empty(a & b)),
                Pair::Meet => tested(truths, a, b, |a, b| complement(empty(a & b))),
            }
        }
        Kind::TestAll(counted, a) => {
            let n = get(a).count_ones();
            all_alike(match counted {
                Counted::No => n == 0,
                Counted::Lone => n <= 1,
                Counted::One => n == 1,
            })
        }
        Kind::TestPairAll(pair, a, b) => {
            let (a, b) = (get(a), get(b));
            all_alike(match pair {
                Pair::Subset => a & !b == 0,
                Pair::Equal => a == b,
                Pair::Disjoint => a & b == 0,
                Pair::Meet => a & b != 0,
            })
        }
        Kind::Card(a) => counts(get(a)) + FIRST * BIAS as u64,
        Kind::CardAll(a) => u64::from(get(a).count_ones()) + BIAS as u64,
        Kind::SumSet(a, table) => {
            let sums = &sums[table as usize..][..256];
            by_row(|i| u64::from(sums[row(get(a), i as u32) as usize]))
        }
        Kind::Compare(cmp, truths, a, b) => {
            let (a, b) = (get(a), get(b));
            match cmp {
                IntCmp::Eq => tested(truths, a, b, |a, b| empty(a ^ b)),
                IntCmp::Lt => tested(truths, a, b, |a, b| complement(at_least(a, b))),
                IntCmp::Lte => tested(truths, a, b, |a, b| at_least(b, a)),
                IntCmp::Gt => tested(truths, a, b, |a, b| complement(at_least(b, a))),
                IntCmp::Gte => tested(truths, a, b, at_least),
            }
        }
    }
}

#[inline(always)]
fn by_row(f: impl Fn(usize) -> u64) -> u64 {
    (0..8).fold(0, |all, i| all | f(i) << (8 * i))
}

#[inline(always)]
fn all_alike(truth: bool) -> u64 {
    u64::from(truth).wrapping_neg()
}

#[inline(always)]
fn arranged(marks: u64, truths: Truths) -> u64 {
    match truths {
        Truths::Closed => (marks >> 7 & 1).wrapping_neg(),
        Truths::Masks(keep) => filled(marks) & keep,
        Truths::Bits(keep) | Truths::Left(keep) | Truths::Right(keep) => gathered(marks) & keep,
    }
}

#[inline(always)]
fn tested(truths: Truths, a: u64, b: u64, marks: impl Fn(u64, u64) -> u64) -> u64 {
    match truths {
        Truths::Left(keep) => by_row(|i| gathered(marks(repeated(row(a, i as u32)), b))) & keep,
        Truths::Right(keep) => by_row(|i| gathered(marks(a, repeated(row(b, i as u32))))) & keep,
        _ => arranged(marks(a, b), truths),
    }
}
