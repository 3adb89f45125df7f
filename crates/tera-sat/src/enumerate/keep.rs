//! How many learned clauses are worth their keep: decided by counts of work, so that a search repeats.
//!
//! Trees need every clause they learn (400 times fewer conflicts); digraphs and arrays lose two thirds of
//! their time looking at clauses that save them little, since the theory refutes as cheaply. The work for
//! each model is measured over a stretch of the search, then with a quarter of the clauses, and the
//! cheaper limit stays. A limit that lost is tried again ever later.

use super::{EnumeratorStatistics, Learning};

const DEFAULT: usize = 4_000;
const LEAST: usize = 60;
/// Models and conflicts of one stretch.
const STRETCH: u64 = 4_096;
/// Models without which a stretch tells nothing.
const FEWEST: u64 = 100;
/// What things cost, in clauses looked at.
const CONFLICT: u64 = 60;
const DECISION: u64 = 10;
const THEORY: u64 = 12;

#[derive(Clone)]
pub(super) struct Keep {
    max: usize,
    /// More than `max` while few clauses can go.
    limit: usize,
    window_end: u64,
    /// Cost, clauses looked at, and models when the stretch began.
    before: (u64, u64, u64),
    /// The limit that is challenged, and its cost for a thousand models.
    champion: Option<(usize, u64)>,
    /// Stretches to wait for before the next trial, and after a lost one.
    wait: u32,
    patience: u32,
}

impl Keep {
    /// `max` is 0 for the default.
    pub(super) fn new(learning: Learning, max: usize) -> Keep {
        let adapts = learning == Learning::Adaptive && max == 0;
        let max = if max == 0 { DEFAULT } else { max };
        Keep {
            max,
            limit: max,
            window_end: if adapts { STRETCH } else { u64::MAX },
            before: (0, 0, 0),
            champion: None,
            wait: 0,
            patience: 4,
        }
    }

    #[inline]
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    pub(super) fn window_end(&self) -> u64 {
        self.window_end
    }

    /// So many are left after the least useful went: if that is most of them, do not ask again at once.
    pub(super) fn reduced_to(&mut self, n_learned: usize) {
        self.limit = self.max.max(n_learned + self.max / 4);
    }

    /// Judges the stretch that ends. `share` of the clauses, in percent, are learned.
    pub(super) fn adapt(&mut self, stats: &EnumeratorStatistics, share: u64, theory: u64) {
        let now = (
            stats.visits + CONFLICT * stats.conflicts + DECISION * stats.decisions + THEORY * theory,
            stats.visits,
            stats.models,
        );
        let (cost, visits, models) = (now.0 - self.before.0, now.1 - self.before.1, now.2 - self.before.2);
        self.window_end = stats.models + stats.conflicts + STRETCH;
        if models < FEWEST {
            // Too few to tell: the stretch becomes longer.
            return;
        }
        self.before = now;
        let per_model = cost * 1_000 / models;
        match self.champion.take() {
            Some((max, champions)) if per_model > champions => {
                // The challenger lost.
                self.set_max(max);
                self.wait = self.patience;
                self.patience *= 2;
            }
            _ if self.wait > 0 => self.wait -= 1,
            _ if self.max > LEAST && visits * share > 30 * cost => {
                self.champion = Some((self.max, per_model));
                self.set_max((self.max / 4).max(LEAST));
            }
            _ => {}
        }
    }

    fn set_max(&mut self, max: usize) {
        self.max = max;
        self.limit = max;
    }
}
