//! The measure of `held.rs`, watched in every unit test: no step of the search may leave it as it was.

use std::collections::BTreeSet;

use super::search::Enumerator;

/// By level: whether it is closed, and how many literals have it.
pub(super) type Measure = Vec<(bool, usize)>;

impl Enumerator {
    fn measure(&self) -> Measure {
        let state = &self.state;
        let on_trail = state.trail.iter().map(|&lit| (state.level(lit.var()), lit));
        let held = self.held.iter().map(|held| (held.level, held.lit));
        let lits: BTreeSet<(u32, crate::Lit)> = on_trail.chain(held).collect();
        let n_lits = |level| lits.iter().filter(|&&(its, _)| its == level).count();
        (0..=state.current_level())
            .map(|level| (level > 0 && state.highest_closed(level) == level, n_lits(level)))
            .collect()
    }

    pub(super) fn assert_progress(&mut self) {
        let now = self.measure();
        assert!(self.progress < now, "no progress: {:?}, then {now:?}", self.progress);
        self.progress = now;
    }
}
