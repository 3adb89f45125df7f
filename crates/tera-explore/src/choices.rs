//! The handle through which a program chooses.
//!
//! A run is the sequence of its choices, the *trail*. To visit all runs the driver keeps the trail of the
//! last one, moves its last open choice to the next alternative and runs the program again: choices on the
//! trail are replayed by position, a choice beyond its end is new and takes its first alternative. Nothing
//! is allocated per run, and a replayed choice costs about a nanosecond.
//!
//! Invariant: a program is deterministic apart from its choices. A replay that asks for another number of
//! alternatives than the run before is reported, never explored.

use std::ops::{Bound, RangeBounds};
use std::panic::{Location, resume_unwind};

use crate::random::Random;

/// One choice on the trail: alternative `value` of `n`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Point {
    pub(crate) value: u64,
    pub(crate) n: u64,
}

/// Why a run was ended from inside a choice; travels as the payload of an unwinding that prints nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cut {
    /// A choice among no alternatives: there is no such run.
    NoAlternative,
    /// More choices than the depth limit; the choice that did not fit has so many alternatives.
    Depth(u64),
}

/// What `assert` noted.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    pub(crate) message: String,
}

/// The handle through which a program makes its choices.
///
/// ```
/// use tera_explore::Explore;
///
/// // All pairs of 0..=3 whose sum is 3.
/// let pairs: Vec<_> = Explore::new(|c| {
///     let a = c.int(0..=3);
///     let b = c.int(0..=3);
///     c.assume(a + b == 3)?;
///     Some((a, b))
/// })
/// .runs()
/// .collect();
/// assert_eq!(pairs, [(0, 3), (1, 2), (2, 1), (3, 0)]);
/// ```
pub struct Choices {
    cursor: usize,
    pub(crate) trail: Vec<Point>,
    pub(crate) depth_limit: usize,
    pub(crate) random: Option<Random>,
    pub(crate) violation: Option<Violation>,
    /// Alternatives for the first choices when they are not on the trail yet.
    pub(crate) script: Vec<u64>,
    /// Where the choices of the present run are noted.
    pub(crate) watch: Option<crate::watch::Watch>,
    pub(crate) later: crate::delayed::Arena,
    pub(crate) pools: crate::pool::Pools,
    /// Scratch memory for the alternatives of one choice of an object.
    pub(crate) alternatives: Vec<u32>,
}

impl Choices {
    pub(crate) fn new() -> Self {
        Choices {
            cursor: 0,
            trail: Vec::new(),
            depth_limit: usize::MAX,
            random: None,
            violation: None,
            script: Vec::new(),
            watch: None,
            later: Default::default(),
            pools: Default::default(),
            alternatives: Vec::new(),
        }
    }

    /// Makes the handle ready for a run along the present trail.
    #[inline]
    pub(crate) fn rewind(&mut self) {
        self.cursor = 0;
        self.violation = None;
        self.later.clear();
        self.pools.clear();
        if let Some(watch) = &self.watch {
            watch.begin(&self.trail);
        }
    }

    /// How many choices this run has made so far.
    pub fn depth(&self) -> usize {
        self.cursor
    }

    /// Moves the last open choice at or above `floor` to its next alternative; false if there is none.
    #[inline]
    pub(crate) fn advance(&mut self, floor: usize) -> bool {
        while self.trail.len() > floor {
            let last = self.trail.len() - 1;
            let point = &mut self.trail[last];
            point.value += 1;
            if point.value < point.n {
                return true;
            }
            self.trail.truncate(last);
        }
        false
    }

    /// One of `n` alternatives, as a number below `n`. All other choices are made of this one.
    ///
    /// Among no alternatives there is nothing to choose: the run is dropped on the spot.
    #[inline]
    pub fn choose(&mut self, n: u64) -> u64 {
        if n == 1 {
            return 0;
        }
        match self.trail.get(self.cursor) {
            Some(point) if point.n == n => {
                self.cursor += 1;
                point.value
            }
            _ => self.choose_anew(n),
        }
    }

    #[inline(never)]
    fn choose_anew(&mut self, n: u64) -> u64 {
        if let Some(point) = self.trail.get(self.cursor) {
            panic!(
                "the program is not deterministic: its choice {} had {} alternatives in the last run and now has {n}; \
                 apart from its choices a program may depend on nothing that changes between runs",
                self.cursor, point.n
            );
        }
        if n == 0 {
            resume_unwind(Box::new(Cut::NoAlternative));
        }
        if self.cursor >= self.depth_limit {
            resume_unwind(Box::new(Cut::Depth(n)));
        }
        let value = match (self.script.get(self.cursor), &mut self.random) {
            (Some(&scripted), _) => scripted.min(n - 1),
            (None, Some(random)) => random.below(n),
            (None, None) => 0,
        };
        if let Some(watch) = &self.watch {
            watch.note(self.trail.len(), Point { value, n });
        }
        self.trail.push(Point { value, n });
        self.cursor += 1;
        value
    }

    /// An integer of a range, smallest first. An empty range drops the run; where that is the rule rather
    /// than the exception, [`Choices::try_int`] and `?` are faster.
    #[inline]
    pub fn int<T: Int>(&mut self, range: impl RangeBounds<T>) -> T {
        let (lo, n) = bounds(&range);
        lo.plus(self.choose(n))
    }

    /// An integer of a range, or nothing if the range is empty.
    #[inline]
    pub fn try_int<T: Int>(&mut self, range: impl RangeBounds<T>) -> Option<T> {
        let (lo, n) = bounds(&range);
        if n == 0 {
            return None;
        }
        Some(lo.plus(self.choose(n)))
    }

    /// `false`, then `true`.
    #[inline]
    pub fn bool(&mut self) -> bool {
        self.choose(2) == 1
    }

    /// An element, in order.
    #[inline]
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.choose(from.len() as u64) as usize].clone()
    }

    /// An element by reference, in order.
    #[inline]
    pub fn pick_ref<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.choose(from.len() as u64) as usize]
    }

    /// A subset, its elements in their order; one choice per element.
    pub fn subset<T: Clone>(&mut self, from: &[T]) -> Vec<T> {
        from.iter().filter(|_| self.bool()).cloned().collect()
    }

    /// A permutation of `0..n`, in lexicographic order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        self.permute(&mut order);
        order
    }

    /// Permutes a slice; the results come in lexicographic order of the positions.
    pub fn permute<T>(&mut self, items: &mut [T]) {
        for at in 0..items.len() {
            let chosen = at + self.choose((items.len() - at) as u64) as usize;
            items[at..=chosen].rotate_right(1);
        }
    }

    /// Drops the run unless the condition holds: `c.assume(x < y)?`.
    #[inline]
    pub fn assume(&mut self, condition: bool) -> Option<()> {
        condition.then_some(())
    }

    /// Fails the run unless the condition holds: `c.assert(sorted(&list))?`. The ordinary `assert!` fails
    /// it as well; this one costs nothing when it holds and does not unwind when it does not.
    #[inline]
    #[track_caller]
    pub fn assert(&mut self, condition: bool) -> Option<()> {
        if condition {
            return Some(());
        }
        let location = Location::caller();
        self.violation = Some(Violation { message: format!("assertion at {location} does not hold") });
        None
    }

    /// The choices of the run so far, each as the number of its alternative; [`crate::replay`] runs them
    /// again.
    pub fn path(&self) -> Vec<u64> {
        self.trail.iter().map(|point| point.value).collect()
    }

    /// The run has ended: it must have used every choice that it was to replay.
    #[inline]
    pub(crate) fn finish(&self) {
        assert!(
            self.cursor >= self.trail.len(),
            "the program is not deterministic: it made {} choices where the last run made at least {}",
            self.cursor,
            self.trail.len()
        );
    }
}

/// The integer types that can be chosen.
pub trait Int: Copy + PartialOrd {
    /// The smallest value of the type.
    const MIN: Self;
    /// The largest value of the type.
    const MAX: Self;
    fn to_i128(self) -> i128;
    /// The value, which is in range.
    fn from_i128(value: i128) -> Self;
    /// How many values `lo..=hi` has, where `lo <= hi`; at most `u64::MAX`.
    fn count(lo: Self, hi: Self) -> u64;
    /// The value so many above this one, which is in range.
    fn plus(self, n: u64) -> Self;
    /// The value above this one, if there is one.
    fn successor(self) -> Option<Self>;
    /// The value below this one, if there is one.
    fn predecessor(self) -> Option<Self>;
}

macro_rules! int {
    ($($t:ident $unsigned:ident)*) => {$(
        impl Int for $t {
            const MIN: Self = $t::MIN;
            const MAX: Self = $t::MAX;
            #[inline]
            fn to_i128(self) -> i128 { self as i128 }
            #[inline]
            fn from_i128(value: i128) -> Self { value as $t }
            #[inline(always)]
            fn count(lo: Self, hi: Self) -> u64 {
                (hi.wrapping_sub(lo) as $unsigned as u64).saturating_add(1)
            }
            #[inline(always)]
            fn plus(self, n: u64) -> Self { self.wrapping_add(n as $t) }
            #[inline]
            fn successor(self) -> Option<Self> { self.checked_add(1) }
            #[inline]
            fn predecessor(self) -> Option<Self> { self.checked_sub(1) }
        }
    )*};
}
int!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize u8 u8 u16 u16 u32 u32 u64 u64 usize usize);

/// The smallest value of a range and how many there are (at most `u64::MAX`).
#[inline(always)]
pub(crate) fn bounds<T: Int>(range: &impl RangeBounds<T>) -> (T, u64) {
    let lo = match range.start_bound() {
        Bound::Included(lo) => Some(*lo),
        Bound::Excluded(lo) => lo.successor(),
        Bound::Unbounded => Some(T::MIN),
    };
    let hi = match range.end_bound() {
        Bound::Included(hi) => Some(*hi),
        Bound::Excluded(hi) => hi.predecessor(),
        Bound::Unbounded => Some(T::MAX),
    };
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo <= hi => (lo, T::count(lo, hi)),
        _ => (T::MIN, 0),
    }
}
