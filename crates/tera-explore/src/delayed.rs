//! Delayed choices: a value that is chosen when it is first used (Gligoric et al. 2009, section 4.1).
//!
//! A suspended value is a set of alternatives. Copying the handle shares it; a use chooses one of what is
//! left of the set, once per run; a constraint before that makes the set smaller, so that it prunes the
//! runs instead of dropping them one by one.
//!
//! Invariant: a suspended set is never empty.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use crate::choices::{Choices, Int, bounds};

/// A value to be chosen later; see [`Choices::later`].
///
/// ```
/// use tera_explore::Explore;
///
/// // Nondecreasing lists of four bits: five runs where an eager choice would need sixteen.
/// let mut explore = Explore::new(|c| {
///     let bits = [0; 4].map(|_| c.later(0..=1));
///     for pair in 0..3 {
///         let least = bits[pair].get(c);
///         bits[pair + 1].at_least(c, least)?;
///     }
///     Some(bits.map(|bit| bit.get(c)))
/// });
/// let mut runs = explore.runs();
/// assert_eq!(runs.by_ref().count(), 5);
/// assert_eq!(runs.summary().runs, 5);
/// ```
#[derive(Debug)]
pub struct Later<T> {
    at: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Later<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Later<T> {}

/// What is left of the alternatives: `lo..=hi` without holes.
#[derive(Clone, Debug)]
pub(crate) struct Suspended {
    lo: i128,
    hi: i128,
    /// Of the first 64 alternatives from `base`, those that are left, when there are no others.
    base: i128,
    mask: u64,
    /// Values excluded from a range too wide for the mask: a place among the holes, from 1.
    holes: u32,
}

/// The suspended values of a run.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    suspended: Vec<Suspended>,
    holes: Vec<Vec<i128>>,
    /// How many of `holes` this run uses.
    n_holes: usize,
}

impl Arena {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.suspended.clear();
        self.n_holes = 0;
    }
}

impl Suspended {
    fn is_narrow(&self) -> bool {
        self.mask != 0
    }

    fn keep_range(&mut self, lo: i128, hi: i128) {
        self.lo = self.lo.max(lo);
        self.hi = self.hi.min(hi);
        if self.is_narrow() {
            for bit in 0..64 {
                if self.base + bit < self.lo || self.base + bit > self.hi {
                    self.mask &= !(1 << bit);
                }
            }
        }
    }
}

impl Choices {
    /// An integer of the range, to be chosen when it is first used. An empty range drops the run.
    pub fn later<T: Int>(&mut self, range: impl RangeBounds<T>) -> Later<T> {
        let (lo, n) = bounds(&range);
        if n == 0 {
            self.choose(0);
        }
        let lo = lo.to_i128();
        let mask = match n {
            0..=63 => (1 << n) - 1,
            64 => u64::MAX,
            _ => 0,
        };
        self.suspend(Suspended { lo, hi: lo + i128::from(n) - 1, base: lo, mask, holes: 0 })
    }

    /// A boolean to be chosen when it is first used.
    pub fn later_bool(&mut self) -> Later<bool> {
        self.suspend(Suspended { lo: 0, hi: 1, base: 0, mask: 3, holes: 0 })
    }

    fn suspend<T>(&mut self, suspended: Suspended) -> Later<T> {
        self.later.suspended.push(suspended);
        Later { at: (self.later.suspended.len() - 1) as u32, of: PhantomData }
    }

    /// Chooses what is still open, and gives the value.
    fn force(&mut self, at: usize) -> i128 {
        let Suspended { lo, hi, base, mask, holes } = self.later.suspended[at];
        if lo == hi {
            return lo;
        }
        let value = if mask != 0 {
            let mut left = mask;
            for _ in 0..self.choose(u64::from(mask.count_ones())) {
                left &= left - 1;
            }
            base + i128::from(left.trailing_zeros())
        } else {
            let n_holes = if holes == 0 { 0 } else { self.later.holes[holes as usize - 1].len() };
            let n = (hi - lo + 1 - n_holes as i128).clamp(0, i128::from(u64::MAX)) as u64;
            let mut value = lo + i128::from(self.choose(n));
            if holes != 0 {
                for hole in &self.later.holes[holes as usize - 1] {
                    value += i128::from(*hole <= value);
                }
            }
            value
        };
        let chosen = &mut self.later.suspended[at];
        (chosen.lo, chosen.hi, chosen.mask) = (value, value, 0);
        value
    }

    /// Keeps `lo..=hi` of what is left.
    fn narrow(&mut self, at: usize, lo: i128, hi: i128) -> Option<()> {
        let suspended = &mut self.later.suspended[at];
        if lo <= suspended.lo && suspended.hi <= hi {
            return Some(());
        }
        let was_narrow = suspended.is_narrow();
        suspended.keep_range(lo, hi);
        if suspended.lo > suspended.hi || was_narrow && suspended.mask == 0 {
            return None;
        }
        if was_narrow {
            self.tighten(at);
            return Some(());
        }
        // The holes that are still inside; an end that is a hole moves inwards.
        if suspended.holes != 0 {
            let holes = &mut self.later.holes[suspended.holes as usize - 1];
            while holes.contains(&suspended.lo) {
                suspended.lo += 1;
            }
            while holes.contains(&suspended.hi) {
                suspended.hi -= 1;
            }
            holes.retain(|hole| suspended.lo < *hole && *hole < suspended.hi);
        }
        (suspended.lo <= suspended.hi).then_some(())
    }

    /// Moves the ends to the first and last alternative of the mask.
    fn tighten(&mut self, at: usize) {
        let suspended = &mut self.later.suspended[at];
        suspended.lo = suspended.base + i128::from(suspended.mask.trailing_zeros());
        suspended.hi = suspended.base + 63 - i128::from(suspended.mask.leading_zeros());
    }

    fn exclude(&mut self, at: usize, value: i128) -> Option<()> {
        let suspended = &mut self.later.suspended[at];
        if value < suspended.lo || value > suspended.hi {
            return Some(());
        }
        if suspended.lo == suspended.hi {
            return None;
        }
        if suspended.is_narrow() {
            suspended.mask &= !(1 << (value - suspended.base));
            self.tighten(at);
            return Some(());
        }
        if suspended.holes == 0 {
            if self.later.n_holes == self.later.holes.len() {
                self.later.holes.push(Vec::new());
            }
            self.later.holes[self.later.n_holes].clear();
            self.later.n_holes += 1;
            suspended.holes = self.later.n_holes as u32;
        }
        let (lo, hi) = (suspended.lo, suspended.hi);
        let holes = &mut self.later.holes[suspended.holes as usize - 1];
        if let Err(place) = holes.binary_search(&value) {
            holes.insert(place, value);
        }
        // An end that is a hole now moves inwards.
        self.narrow(at, lo + i128::from(value == lo), hi - i128::from(value == hi))
    }
}

impl<T: Int> Later<T> {
    /// The value, chosen now if it was not before.
    pub fn get(self, c: &mut Choices) -> T {
        T::from_i128(c.force(self.at as usize))
    }

    /// Drops the run unless the value is below the bound.
    pub fn less_than(self, c: &mut Choices, bound: T) -> Option<()> {
        c.narrow(self.at as usize, i128::MIN, bound.to_i128() - 1)
    }

    /// Drops the run unless the value is at most the bound.
    pub fn at_most(self, c: &mut Choices, bound: T) -> Option<()> {
        c.narrow(self.at as usize, i128::MIN, bound.to_i128())
    }

    /// Drops the run unless the value is above the bound.
    pub fn greater_than(self, c: &mut Choices, bound: T) -> Option<()> {
        c.narrow(self.at as usize, bound.to_i128() + 1, i128::MAX)
    }

    /// Drops the run unless the value is at least the bound.
    pub fn at_least(self, c: &mut Choices, bound: T) -> Option<()> {
        c.narrow(self.at as usize, bound.to_i128(), i128::MAX)
    }

    /// Drops the run unless the value is this one.
    pub fn equal(self, c: &mut Choices, value: T) -> Option<()> {
        self.at_least(c, value)?;
        self.at_most(c, value)
    }

    /// Drops the run if the value is this one.
    pub fn not_equal(self, c: &mut Choices, value: T) -> Option<()> {
        c.exclude(self.at as usize, value.to_i128())
    }

    /// Drops the run unless the value is one of these.
    pub fn is_in(self, c: &mut Choices, values: &[T]) -> Option<()> {
        let at = self.at as usize;
        let lo = values.iter().map(|value| value.to_i128()).min()?;
        let hi = values.iter().map(|value| value.to_i128()).max()?;
        c.narrow(at, lo, hi)?;
        let mut value = c.later.suspended[at].lo;
        while value <= c.later.suspended[at].hi {
            if !values.iter().any(|kept| kept.to_i128() == value) {
                c.exclude(at, value)?;
            }
            value += 1;
        }
        Some(())
    }

    /// Has the value been chosen, or is there but one left?
    pub fn is_decided(self, c: &Choices) -> bool {
        let suspended = &c.later.suspended[self.at as usize];
        suspended.lo == suspended.hi
    }
}

impl Later<bool> {
    /// The value, chosen now if it was not before.
    pub fn get(self, c: &mut Choices) -> bool {
        c.force(self.at as usize) == 1
    }

    /// Drops the run unless the value is this one.
    pub fn equal(self, c: &mut Choices, value: bool) -> Option<()> {
        c.narrow(self.at as usize, i128::from(value), i128::from(value))
    }

    /// Has the value been chosen, or is there but one left?
    pub fn is_decided(self, c: &Choices) -> bool {
        let suspended = &c.later.suspended[self.at as usize];
        suspended.lo == suspended.hi
    }
}
