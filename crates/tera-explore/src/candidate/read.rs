//! Reading slots: what is set is loaded; what is not takes an alternative, or has fewer of them left.

use std::panic::resume_unwind;

use super::{Candidate, Kind, UNSET};
use crate::choices::Cut;
use crate::shape::Values;

impl Candidate {
    /// Reads a slot, which is an access.
    #[inline(always)]
    pub fn get(&self, slot: usize) -> i64 {
        let value = self.values[slot].get();
        if value == UNSET { self.choose_any(slot) } else { value }
    }

    /// Chooses an unset slot; where there is nothing to choose, there is no such candidate.
    #[cold]
    #[inline(never)]
    fn choose_any(&self, slot: usize) -> i64 {
        let value = self.choose(slot);
        if value == UNSET {
            resume_unwind(Box::new(Cut::NoAlternative));
        }
        value
    }

    /// The value of a slot if it is set; not an access.
    #[inline]
    pub(crate) fn peek(&self, slot: usize) -> Option<i64> {
        let value = self.values[slot].get();
        (value != UNSET).then_some(value)
    }

    /// Reads a slot of which only values that pass the test matter: others are never tried.
    #[inline]
    pub fn get_where(&self, slot: usize, mut test: impl FnMut(i64) -> bool) -> Option<i64> {
        loop {
            if let Some(value) = self.peek(slot) {
                return test(value).then_some(value);
            }
            let (depth, kind) = (self.depth(), self.kinds[slot]);
            let n = self.n_alternatives(kind);
            let value = if n > 64 {
                let passing = self.passing_wide(kind, n, &mut test);
                if self.depth() != depth {
                    continue;
                }
                self.push_wide(slot, kind, passing)
            } else {
                let passing = self.passing(slot, kind, n, &mut test);
                if self.depth() != depth {
                    // The test has read other fields, which come first then.
                    continue;
                }
                self.push(slot, kind, passing)
            };
            return (value != UNSET).then_some(value);
        }
    }

    /// [`Candidate::get_where`] for those who need not know the value: it may be chosen later.
    #[inline]
    pub fn restrict(&self, slot: usize, mut test: impl FnMut(i64) -> bool) -> bool {
        let kind = self.kinds[slot];
        loop {
            if let Some(value) = self.peek(slot) {
                return test(value);
            }
            let (depth, n) = (self.depth(), self.n_alternatives(kind));
            if n > 64 || !matches!(kind, Kind::Data { .. }) {
                return self.get_where(slot, test).is_some();
            }
            let passing = self.passing(slot, kind, n, &mut test);
            if self.depth() != depth {
                continue;
            }
            if passing & passing.wrapping_sub(1) == 0 {
                // None, or nothing to choose.
                return self.push(slot, kind, passing) != UNSET;
            }
            if self.masks[slot].replace(passing) == u64::MAX {
                self.restricted.borrow_mut().push(slot as u32);
            }
            return true;
        }
    }

    /// The alternatives of an unset slot, of which there are at most 64, that pass the test.
    #[inline]
    fn passing(&self, slot: usize, kind: Kind, n: usize, test: &mut impl FnMut(i64) -> bool) -> u64 {
        let mut passing = 0;
        match kind {
            Kind::Data { domain } if let Values::Range { lo, .. } = self.domains[domain as usize] => {
                for ordinal in 0..n {
                    passing |= u64::from(test(lo.wrapping_add(ordinal as i64))) << ordinal;
                }
            }
            _ => {
                let mut left = self.admitted(kind, n);
                while left != 0 {
                    let ordinal = left.trailing_zeros();
                    passing |= u64::from(test(self.decode(kind, ordinal as usize))) << ordinal;
                    left &= left - 1;
                }
            }
        }
        passing & self.masks[slot].get()
    }

    /// Are there at least `room` larger values in the domain of the slot? Trivially so once it is set.
    pub(crate) fn has_room_above(&self, slot: usize, value: i64, room: usize) -> bool {
        match self.kinds[slot] {
            Kind::Data { domain } if self.peek(slot).is_none() => match &self.domains[domain as usize] {
                Values::Range { lo, n } => lo + *n as i64 - 1 - value >= room as i64,
                Values::List(values) => values.iter().filter(|other| **other > value).count() >= room,
            },
            _ => true,
        }
    }

    pub(super) fn n_alternatives(&self, kind: Kind) -> usize {
        match kind {
            Kind::Data { domain } | Kind::Length { domain, .. } | Kind::Variant { domain, .. } => {
                self.domains[domain as usize].len()
            }
            Kind::Link { pool, .. } => {
                let pool = &self.pools[pool as usize];
                1 + (pool.used.get() + 1).min(pool.words.len())
            }
            Kind::Constant => 0,
        }
    }

    #[inline]
    pub(super) fn decode(&self, kind: Kind, ordinal: usize) -> i64 {
        match kind {
            Kind::Data { domain } | Kind::Length { domain, .. } | Kind::Variant { domain, .. } => {
                self.domains[domain as usize].at(ordinal)
            }
            Kind::Link { pool, .. } => match ordinal {
                0 => 0,
                _ => self.pools[pool as usize].words[ordinal - 1],
            },
            Kind::Constant => 0,
        }
    }

    /// The alternatives, more than one word has bits, that pass the test.
    #[cold]
    pub(super) fn passing_wide(&self, kind: Kind, n: usize, test: &mut dyn FnMut(i64) -> bool) -> Vec<u64> {
        let mut words = vec![0_u64; n.div_ceil(64)];
        for ordinal in 0..n {
            if self.admits(kind, ordinal) && test(self.decode(kind, ordinal)) {
                words[ordinal / 64] |= 1 << (ordinal % 64);
            }
        }
        words
    }
}
