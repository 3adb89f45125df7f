//! Counting without visiting: where all that extends an assignment is canonical, its extensions are just
//! models, and a model counter may know their number from what it counted before.
//!
//! Steps of the counter are paid for by the instances seen so far, so that a counter that does not pay
//! (nothing falls apart, nothing comes back) costs a small share of the search, and in the end none. After a failure it
//! is asked again further down, where less is open; what it learned there helps it above.

use tera_sat::Limits;
use tera_sat::enumerate::{Counter, State};

/// Steps that are free, that an instance visited pays for, and that one counted pays for.
const FREE: u64 = 20_000;
const STEPS_PER_VISIT: u64 = 1;
const STEPS_PER_COUNT: u64 = 30;
/// Steps that must be paid for before the counter is asked.
const LEAST: u64 = 2_000;
/// So many failures, and it is given up.
const MAX_FAILURES: u32 = 6;
/// Below so many open cells it is not worth trying.
const FEW: usize = 6;

#[derive(Clone)]
pub(super) struct Counting {
    counter: Counter,
    limits: Limits,
    counted: u64,
    needed: u64,
    failures: u32,
}

impl Counting {
    pub(super) fn new(counter: Counter, limits: Limits) -> Counting {
        Counting { counter, limits, counted: 0, needed: LEAST, failures: 0 }
    }

    /// Whether there is hope.
    pub(super) fn is_on(&self) -> bool {
        self.failures < MAX_FAILURES
    }

    /// The number of models that extend `state`, after `visited` instances; none if it is not known
    /// cheaply.
    #[inline]
    pub(super) fn count(&mut self, state: &State, visited: u64) -> Option<u64> {
        let paid = FREE
            .saturating_add(visited.saturating_mul(STEPS_PER_VISIT))
            .saturating_add(self.counted.saturating_mul(STEPS_PER_COUNT));
        let budget = paid.saturating_sub(self.counter.work());
        if budget < self.needed || !self.is_on() || state.n_open_visible() < FEW {
            return None;
        }
        self.ask(state, budget)
    }

    fn ask(&mut self, state: &State, budget: u64) -> Option<u64> {
        let count = self.counter.count(state.trail(), budget, &self.limits).ok();
        let count = count.and_then(|count| u64::try_from(count).ok());
        match count.and_then(|count| Some((count, self.counted.checked_add(count)?))) {
            Some((count, sum)) => {
                self.counted = sum;
                self.needed = (self.needed / 2).max(LEAST);
                Some(count)
            }
            None => {
                self.needed = budget.saturating_mul(2);
                self.failures += 1;
                None
            }
        }
    }
}
