//! Cardinalities in unary: the totalizer of Bailleux and Boufkhad (2003), for comparing how many
//! bits hold without an adder. Unit propagation sees through it in both directions.
//!
//! Each output exists in two forms of the same function. The *upper* form is a conjunction over the
//! ways to fall short and the *lower* form a disjunction over the ways to get there; one-sided
//! clauses of the upper form are strong where the output is used positively, those of the lower form
//! where it is used negatively.

use crate::circuit::{Bit, Circuit};

/// "At least `k`" for `k = 1, 2, …`, as far as it is of interest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unary {
    at_least: Vec<Forms>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Forms {
    /// For positive occurrences
    upper: Bit,
    /// For negative occurrences
    lower: Bit,
}

impl Unary {
    /// The constant `n`.
    pub fn constant(n: usize) -> Unary {
        Unary { at_least: vec![Forms { upper: Bit::TRUE, lower: Bit::TRUE }; n] }
    }

    fn get(&self, k: usize) -> Forms {
        match k.checked_sub(1) {
            None => Forms { upper: Bit::TRUE, lower: Bit::TRUE },
            Some(i) => {
                self.at_least.get(i).copied().unwrap_or(Forms { upper: Bit::FALSE, lower: Bit::FALSE })
            }
        }
    }

    /// The largest number that is told apart.
    pub fn max(&self) -> usize {
        self.at_least.len()
    }
}

impl Circuit {
    /// How many of `bits` hold, where any number above `cap` counts as `cap`.
    pub fn count_unary(&mut self, bits: &[Bit], cap: usize) -> Unary {
        match bits {
            [] => Unary::constant(0),
            &[bit] if cap > 0 => Unary { at_least: vec![Forms { upper: bit, lower: bit }] },
            [_] => Unary::constant(0),
            _ => {
                let (left, right) = bits.split_at(bits.len() / 2);
                let left = self.count_unary(left, cap);
                let right = self.count_unary(right, cap);
                self.merge(&left, &right, cap)
            }
        }
    }

    fn merge(&mut self, a: &Unary, b: &Unary, cap: usize) -> Unary {
        let mut at_least = Vec::new();
        let mut parts = Vec::new();
        for k in 1..=(a.max() + b.max()).min(cap) {
            parts.clear();
            // At least k: whatever i is, at least i + 1 on the left or k - i on the right.
            for i in k.saturating_sub(b.max() + 1)..=(k - 1).min(a.max()) {
                let part = self.or(a.get(i + 1).upper, b.get(k - i).upper);
                parts.push(part);
            }
            let upper = self.and_many(&parts);
            parts.clear();
            for i in k.saturating_sub(b.max())..=k.min(a.max()) {
                let part = self.and(a.get(i).lower, b.get(k - i).lower);
                parts.push(part);
            }
            let lower = self.or_many(&parts);
            at_least.push(Forms { upper, lower });
        }
        Unary { at_least }
    }

    /// `a <= b`
    pub fn at_most_unary(&mut self, a: &Unary, b: &Unary) -> Bit {
        let parts: Vec<Bit> = (1..=a.max()).map(|k| self.implies(a.get(k).lower, b.get(k).upper)).collect();
        self.and_many(&parts)
    }

    /// `a < b`
    pub fn less_unary(&mut self, a: &Unary, b: &Unary) -> Bit {
        // At least k on the left makes at least k + 1 on the right, from k = 0 on.
        let parts: Vec<Bit> =
            (0..=a.max()).map(|k| self.implies(a.get(k).lower, b.get(k + 1).upper)).collect();
        self.and_many(&parts)
    }

    pub fn equal_unary(&mut self, a: &Unary, b: &Unary) -> Bit {
        let forth = self.at_most_unary(a, b);
        let back = self.at_most_unary(b, a);
        self.and(forth, back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::value_of;

    #[test]
    fn comparisons_of_counts() {
        for (n, m) in [(0, 3), (1, 1), (3, 4), (5, 2)] {
            let mut c = Circuit::new();
            let left: Vec<Bit> = (0..n).map(|_| c.input()).collect();
            let right: Vec<Bit> = (0..m).map(|_| c.input()).collect();
            let a = c.count_unary(&left, m + 1);
            let b = c.count_unary(&right, n + 1);
            let tests =
                [c.at_most_unary(&a, &b), c.less_unary(&a, &b), c.less_unary(&b, &a), c.equal_unary(&a, &b)];
            let two = Unary::constant(2);
            let capped = c.count_unary(&left, 3);
            let more =
                [c.equal_unary(&capped, &two), c.less_unary(&two, &capped), c.at_most_unary(&two, &capped)];
            for pattern in 0..1u32 << (n + m) {
                let inputs: Vec<bool> = (0..n + m).map(|i| pattern >> i & 1 == 1).collect();
                let values = c.evaluate(&inputs);
                let x = inputs[..n].iter().filter(|&&b| b).count();
                let y = inputs[n..].iter().filter(|&&b| b).count();
                assert_eq!(tests.map(|t| value_of(t, &values)), [x <= y, x < y, y < x, x == y], "{x} {y}");
                assert_eq!(more.map(|t| value_of(t, &values)), [x == 2, 2 < x, 2 <= x], "{x}");
            }
        }
    }
}
