//! Integers as circuits: two's complement, least significant bit first, exactly as wide as the
//! value needs.
//!
//! Every operation is exact: its result is the mathematical one, in the width that the ranges of
//! the operands call for, with equal leading bits trimmed. Arithmetic of a fixed width is the exact
//! result cut to that width ([`Circuit::wrap`]), which also tells whether something was lost. More
//! than 64 bits is an error.

use crate::circuit::{Bit, Circuit};

/// An integer. Invariant: at least one bit, and the top two bits differ unless there is just one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    bits: Vec<Bit>,
}

/// The integer would need more than 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooWide;

pub const MAX_WIDTH: usize = 64;

impl Number {
    pub fn constant(value: i64) -> Number {
        Number::trimmed((0..64).map(|i| Bit::constant(value >> i & 1 == 1)).collect())
    }

    /// 1 if `bit`, else 0.
    pub fn of_bit(bit: Bit) -> Number {
        Number::trimmed(vec![bit, Bit::FALSE])
    }

    /// Two's complement bits, the last one the sign.
    pub fn bits(&self) -> &[Bit] {
        &self.bits
    }

    pub fn width(&self) -> usize {
        self.bits.len()
    }

    pub fn sign(&self) -> Bit {
        self.bits[self.bits.len() - 1]
    }

    /// Bit `i`, the sign repeated above the width.
    pub fn bit(&self, i: usize) -> Bit {
        self.bits[i.min(self.bits.len() - 1)]
    }

    pub fn as_constant(&self) -> Option<i64> {
        let mut value = -((self.sign() == Bit::TRUE) as i64);
        for (i, &bit) in self.bits.iter().enumerate() {
            if !bit.is_constant() {
                return None;
            }
            if i < 64 {
                value = value & !(1 << i) | ((bit == Bit::TRUE) as i64) << i;
            }
        }
        Some(value)
    }

    fn trimmed(mut bits: Vec<Bit>) -> Number {
        while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
            bits.pop();
        }
        Number { bits }
    }

    fn checked(bits: Vec<Bit>) -> Result<Number, TooWide> {
        let number = Number::trimmed(bits);
        if number.width() > MAX_WIDTH { Err(TooWide) } else { Ok(number) }
    }
}

/// Bits needed for every value in `lo..=hi`.
fn width_of_range(lo: i128, hi: i128) -> usize {
    let bits = |v: i128| 128 - (if v < 0 { !v } else { v }).leading_zeros() as usize + 1;
    bits(lo).max(bits(hi))
}

impl Circuit {
    /// The sum of `weight` for every term whose bit holds, plus `constant`: columns of equal weight
    /// are compressed three to two (Wallace 1964) modulo a power of two that holds the range.
    pub fn weighted_sum(&mut self, terms: &[(i64, Bit)], constant: i64) -> Result<Number, TooWide> {
        let (mut lo, mut hi) = (constant as i128, constant as i128);
        for &(weight, bit) in terms {
            match bit {
                Bit::FALSE => {}
                Bit::TRUE => {
                    lo += weight as i128;
                    hi += weight as i128;
                }
                _ if weight < 0 => lo += weight as i128,
                _ => hi += weight as i128,
            }
        }
        let width = width_of_range(lo, hi);
        if width > MAX_WIDTH {
            return Err(TooWide);
        }
        let mut columns: Vec<Vec<Bit>> = vec![Vec::new(); width];
        let mut offset = constant as i128;
        for &(weight, bit) in terms {
            if bit.is_constant() {
                offset += if bit == Bit::TRUE { weight as i128 } else { 0 };
                continue;
            }
            // weight * bit = |weight| * ¬bit - |weight| for a negative weight.
            let (magnitude, bit) = if weight < 0 {
                offset += weight as i128;
                (weight.unsigned_abs(), !bit)
            } else {
                (weight as u64, bit)
            };
            for (i, column) in columns.iter_mut().enumerate() {
                if magnitude >> i & 1 == 1 {
                    column.push(bit);
                }
            }
        }
        let mut carry_column: Vec<Bit> = Vec::new();
        let mut bits = Vec::with_capacity(width);
        for (i, column) in columns.into_iter().enumerate() {
            let mut queue = std::mem::take(&mut carry_column);
            queue.extend(column);
            if offset >> i & 1 == 1 {
                queue.push(Bit::TRUE);
            }
            let mut at = 0;
            while queue.len() - at > 1 {
                let (a, b) = (queue[at], queue[at + 1]);
                let c = if queue.len() - at > 2 { queue[at + 2] } else { Bit::FALSE };
                at = (at + 3).min(queue.len());
                let (sum, carry) = self.full_adder(a, b, c);
                queue.push(sum);
                if carry != Bit::FALSE {
                    carry_column.push(carry);
                }
            }
            bits.push(queue.get(at).copied().unwrap_or(Bit::FALSE));
        }
        Ok(Number::trimmed(bits))
    }

    /// The value of the one term whose bit holds, or 0; anything if several hold.
    pub fn one_of(&mut self, terms: &[(i64, Bit)]) -> Number {
        let (lo, hi) = terms.iter().fold((0, 0), |(lo, hi), &(value, _)| (value.min(lo), value.max(hi)));
        let width = width_of_range(lo as i128, hi as i128);
        let bits = (0..width)
            .map(|i| {
                let set: Vec<Bit> = terms
                    .iter()
                    .filter(|(value, _)| value >> i.min(63) & 1 == 1)
                    .map(|&(_, bit)| bit)
                    .collect();
                self.or_many(&set)
            })
            .collect();
        Number::trimmed(bits)
    }

    fn full_adder(&mut self, a: Bit, b: Bit, c: Bit) -> (Bit, Bit) {
        let ab = self.xor(a, b);
        (self.xor(ab, c), self.majority(a, b, c))
    }

    fn terms(number: &Number, factor: i64, terms: &mut Vec<(i64, Bit)>) -> Result<(), TooWide> {
        let top = number.width() - 1;
        for (i, &bit) in number.bits.iter().enumerate() {
            if bit == Bit::FALSE {
                continue;
            }
            let weight = (factor as i128) << i;
            let weight = if i == top { -weight } else { weight };
            terms.push((i64::try_from(weight).map_err(|_| TooWide)?, bit));
        }
        Ok(())
    }

    /// How many of the bits hold.
    pub fn count(&mut self, bits: impl IntoIterator<Item = Bit>) -> Result<Number, TooWide> {
        let terms: Vec<(i64, Bit)> = bits.into_iter().map(|b| (1, b)).collect();
        self.weighted_sum(&terms, 0)
    }

    pub fn sum<'a>(&mut self, numbers: impl IntoIterator<Item = &'a Number>) -> Result<Number, TooWide> {
        let mut terms = Vec::new();
        for number in numbers {
            Self::terms(number, 1, &mut terms)?;
        }
        self.weighted_sum(&terms, 0)
    }

    pub fn add(&mut self, a: &Number, b: &Number) -> Result<Number, TooWide> {
        self.sum([a, b])
    }

    pub fn subtract(&mut self, a: &Number, b: &Number) -> Result<Number, TooWide> {
        let mut terms = Vec::new();
        Self::terms(a, 1, &mut terms)?;
        Self::terms(b, -1, &mut terms)?;
        self.weighted_sum(&terms, 0)
    }

    pub fn multiply(&mut self, a: &Number, b: &Number) -> Result<Number, TooWide> {
        let mut terms = Vec::new();
        for (i, &x) in a.bits.iter().enumerate() {
            for (j, &y) in b.bits.iter().enumerate() {
                let bit = self.and(x, y);
                if bit == Bit::FALSE {
                    continue;
                }
                let weight = 1i128 << (i + j);
                let negative = (i + 1 == a.width()) != (j + 1 == b.width());
                let weight = if negative { -weight } else { weight };
                terms.push((i64::try_from(weight).map_err(|_| TooWide)?, bit));
            }
        }
        self.weighted_sum(&terms, 0)
    }

    pub fn negate(&mut self, a: &Number) -> Result<Number, TooWide> {
        self.subtract(&Number::constant(0), a)
    }

    /// Quotient rounded towards zero and remainder with the sign of the dividend. By zero the
    /// quotient is anything and the remainder the dividend.
    pub fn divide(&mut self, a: &Number, b: &Number) -> Result<(Number, Number), TooWide> {
        let minus_a = self.negate(a)?;
        let minus_b = self.negate(b)?;
        let magnitude = self.choose_number(a.sign(), &minus_a, a);
        let divisor = self.choose_number(b.sign(), &minus_b, b);
        let mut quotient = Vec::new();
        let mut rest = Number::constant(0);
        for i in (0..magnitude.width()).rev() {
            let mut shifted = vec![magnitude.bit(i)];
            shifted.extend_from_slice(&rest.bits);
            let shifted = Number::trimmed(shifted);
            let fits = !self.less(&shifted, &divisor);
            let reduced = self.subtract(&shifted, &divisor)?;
            rest = self.choose_number(fits, &reduced, &shifted);
            quotient.push(fits);
        }
        quotient.reverse();
        quotient.push(Bit::FALSE);
        let quotient = Number::checked(quotient)?;
        let minus_quotient = self.negate(&quotient)?;
        let differ = self.xor(a.sign(), b.sign());
        let signed_quotient = self.choose_number(differ, &minus_quotient, &quotient);
        let minus_rest = self.negate(&rest)?;
        let signed_rest = self.choose_number(a.sign(), &minus_rest, &rest);
        Ok((signed_quotient, signed_rest))
    }

    /// `a * 2^b` for `b` at least 0.
    pub fn shift_left(&mut self, a: &Number, b: &Number) -> Result<Number, TooWide> {
        let mut bits = a.bits.clone();
        for i in 0..b.width() - 1 {
            let step = b.bit(i);
            if step == Bit::FALSE || bits == [Bit::FALSE] {
                continue;
            }
            let by = 1usize << i.min(7);
            if by > MAX_WIDTH {
                return Err(TooWide);
            }
            let sign = bits[bits.len() - 1];
            bits = (0..bits.len() + by)
                .map(|j| {
                    let shifted = if j < by { Bit::FALSE } else { bits[j - by] };
                    let plain = bits.get(j).copied().unwrap_or(sign);
                    self.ite(step, shifted, plain)
                })
                .collect();
            bits = Number::checked(bits)?.bits;
        }
        Number::checked(bits)
    }

    /// `a / 2^b` rounded down, for `b` at least 0.
    pub fn shift_right(&mut self, a: &Number, b: &Number) -> Number {
        let mut bits = a.bits.clone();
        for i in 0..b.width() - 1 {
            let step = b.bit(i);
            let by = 1usize << i.min(7);
            let sign = bits[bits.len() - 1];
            bits = (0..bits.len())
                .map(|j| {
                    let shifted = bits.get(j + by).copied().unwrap_or(sign);
                    self.ite(step, shifted, bits[j])
                })
                .collect();
        }
        Number::trimmed(bits)
    }

    /// The two's complement of `width` bits of `a`, shifted right by `b` (at least 0) with zeros
    /// coming in.
    pub fn shift_right_zero(&mut self, a: &Number, b: &Number, width: usize) -> Number {
        let mut bits: Vec<Bit> = (0..width).map(|i| a.bit(i)).collect();
        for i in 0..b.width() - 1 {
            let step = b.bit(i);
            let by = 1usize << i.min(7);
            bits = (0..width)
                .map(|j| {
                    let shifted = bits.get(j + by).copied().unwrap_or(Bit::FALSE);
                    self.ite(step, shifted, bits[j])
                })
                .collect();
        }
        Number::trimmed(bits)
    }

    /// The number that the lowest `n` bits of `a` make, at least 0.
    pub fn low_bits(&mut self, a: &Number, n: usize) -> Number {
        let mut bits: Vec<Bit> = (0..n).map(|i| a.bit(i)).collect();
        bits.push(Bit::FALSE);
        Number::trimmed(bits)
    }

    pub fn choose_number(&mut self, cond: Bit, a: &Number, b: &Number) -> Number {
        let width = a.width().max(b.width());
        Number::trimmed((0..width).map(|i| self.ite(cond, a.bit(i), b.bit(i))).collect())
    }

    pub fn equal_numbers(&mut self, a: &Number, b: &Number) -> Bit {
        let width = a.width().max(b.width());
        let bits: Vec<Bit> = (0..width).map(|i| self.iff(a.bit(i), b.bit(i))).collect();
        self.and_many(&bits)
    }

    /// `a < b`
    pub fn less(&mut self, a: &Number, b: &Number) -> Bit {
        let width = a.width().max(b.width());
        let mut less = Bit::FALSE;
        for i in 0..width - 1 {
            less = self.majority(!a.bit(i), b.bit(i), less);
        }
        // The sign weighs the other way.
        self.majority(a.bit(width - 1), !b.bit(width - 1), less)
    }

    /// `a` cut to `width` bits, and whether that changed it.
    pub fn wrap(&mut self, a: &Number, width: usize) -> (Number, Bit) {
        if a.width() <= width {
            return (a.clone(), Bit::FALSE);
        }
        let sign = a.bit(width - 1);
        let lost: Vec<Bit> = (width..a.width()).map(|i| self.xor(a.bit(i), sign)).collect();
        let overflow = self.or_many(&lost);
        (Number::trimmed(a.bits[..width].to_vec()), overflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::value_of;

    fn number_of_inputs(circuit: &mut Circuit, width: usize) -> Number {
        Number::trimmed((0..width).map(|_| circuit.input()).collect())
    }

    fn value(number: &Number, values: &[bool]) -> i64 {
        let top = number.width() - 1;
        number.bits().iter().enumerate().fold(0, |sum, (i, &bit)| {
            sum + if !value_of(bit, values) { 0 } else { if i == top { -(1i64 << i) } else { 1 << i } }
        })
    }

    fn signed(pattern: usize, width: usize) -> i64 {
        let value = pattern as i64;
        if value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value }
    }

    /// Compares `op` as a circuit over two 4-bit inputs with `expected`, for all 256 pairs.
    fn check(
        op: impl Fn(&mut Circuit, &Number, &Number) -> Number,
        expected: impl Fn(i64, i64) -> Option<i64>,
    ) {
        let mut circuit = Circuit::new();
        let a = number_of_inputs(&mut circuit, 4);
        let b = number_of_inputs(&mut circuit, 4);
        let result = op(&mut circuit, &a, &b);
        for pattern in 0..256 {
            let inputs: Vec<bool> = (0..8).map(|i| pattern >> i & 1 == 1).collect();
            let (x, y) = (signed(pattern & 15, 4), signed(pattern >> 4, 4));
            if let Some(wanted) = expected(x, y) {
                let values = circuit.evaluate(&inputs);
                assert_eq!(value(&result, &values), wanted, "{x} op {y}");
            }
        }
    }

    #[test]
    fn arithmetic_is_exact() {
        check(|c, a, b| c.add(a, b).unwrap(), |x, y| Some(x + y));
        check(|c, a, b| c.subtract(a, b).unwrap(), |x, y| Some(x - y));
        check(|c, a, b| c.multiply(a, b).unwrap(), |x, y| Some(x * y));
        check(|c, a, _| c.negate(a).unwrap(), |x, _| Some(-x));
        check(|c, a, b| c.sum([a, b, a, a]).unwrap(), |x, y| Some(3 * x + y));
    }

    #[test]
    fn division_rounds_towards_zero_and_the_remainder_has_the_sign_of_the_dividend() {
        check(|c, a, b| c.divide(a, b).unwrap().0, |x, y| (y != 0).then(|| x / y));
        check(|c, a, b| c.divide(a, b).unwrap().1, |x, y| (y != 0).then(|| x % y));
        check(|c, a, b| c.divide(a, b).unwrap().1, |x, y| (y == 0).then_some(x));
    }

    #[test]
    fn shifts_take_amounts_from_zero() {
        check(|c, a, b| c.shift_left(a, b).unwrap(), |x, y| (y >= 0).then(|| x << y));
        check(|c, a, b| c.shift_right(a, b), |x, y| (y >= 0).then(|| x >> y));
        check(
            |c, a, b| c.shift_right_zero(a, b, 4),
            |x, y| (y >= 0).then(|| signed((x as usize & 15) >> y, 4)),
        );
    }

    #[test]
    fn comparisons_and_choices() {
        check(|c, a, b| Number::of_bit(c.less(a, b)), |x, y| Some((x < y) as i64));
        check(|c, a, b| Number::of_bit(c.equal_numbers(a, b)), |x, y| Some((x == y) as i64));
        check(
            |c, a, b| {
                let less = c.less(a, b);
                c.choose_number(less, b, a)
            },
            |x, y| Some(x.max(y)),
        );
    }

    #[test]
    fn wrapping_tells_what_was_lost() {
        check(
            |c, a, b| {
                let exact = c.multiply(a, b).unwrap();
                c.wrap(&exact, 4).0
            },
            |x, y| Some(signed((x * y) as usize & 15, 4)),
        );
        check(
            |c, a, b| {
                let exact = c.multiply(a, b).unwrap();
                Number::of_bit(c.wrap(&exact, 4).1)
            },
            |x, y| Some(!(-8..8).contains(&(x * y)) as i64),
        );
    }

    #[test]
    fn numbers_that_need_more_than_64_bits_are_refused() {
        let mut circuit = Circuit::new();
        let big = Number::constant(i64::MAX);
        assert_eq!(circuit.add(&big, &Number::constant(1)), Err(TooWide));
        assert_eq!(circuit.multiply(&big, &big), Err(TooWide));
        assert_eq!(circuit.shift_left(&Number::constant(1), &Number::constant(64)), Err(TooWide));
        let min = Number::constant(i64::MIN);
        assert_eq!(min.as_constant(), Some(i64::MIN));
        assert_eq!(circuit.add(&min, &big).unwrap().as_constant(), Some(-1));
        assert_eq!(circuit.negate(&min), Err(TooWide));
    }
}
