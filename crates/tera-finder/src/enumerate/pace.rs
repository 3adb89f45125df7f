//! How the canonicity check goes along with the search: before each decision, going on from the ties of
//! the last check, or at borders and ends only, each time afresh.
//!
//! Ties are worth three times as much where most images are refused early (graphs, arrays), and cost five
//! times as much where instances have many automorphisms, which a fresh check finds first and skips by
//! (trees, functions). So both ways are tried in turn, and the cheaper one is taken for a while. Both
//! give the same instances in the same order.

/// Checks at total assignments in a trial of one way, and in what follows on it.
const TRIAL: u32 = 64;
const STRETCH: u32 = 3_200;
/// What a check costs beside the images it tries, in such images.
const CHECK: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Tied,
    Fresh,
    Chosen,
}

#[derive(Clone, Debug)]
pub(super) struct Pace {
    phase: Phase,
    keeps_ties: bool,
    /// Checks at total assignments left in this phase.
    left: u32,
    cost: u64,
    /// With ties: what the phase may cost before it is broken off.
    bound: u64,
    cost_tied: u64,
}

impl Default for Pace {
    fn default() -> Pace {
        let bound = u64::MAX;
        Pace { phase: Phase::Tied, keeps_ties: true, left: TRIAL, cost: 0, bound, cost_tied: 0 }
    }
}

impl Pace {
    #[inline]
    pub(super) fn keeps_ties(&self) -> bool {
        self.keeps_ties
    }

    /// A check tried so many images.
    #[inline]
    pub(super) fn spent(&mut self, nodes: u64, is_total: bool) {
        self.cost += nodes + CHECK;
        self.left -= is_total as u32;
        if self.left == 0 || self.cost > self.bound {
            self.turn();
        }
    }

    #[cold]
    fn turn(&mut self) {
        let cost = std::mem::take(&mut self.cost);
        let is_broken_off = cost > self.bound;
        self.bound = u64::MAX;
        (self.phase, self.keeps_ties, self.left) = match self.phase {
            Phase::Tied => {
                self.cost_tied = cost;
                (Phase::Fresh, false, TRIAL)
            }
            Phase::Fresh if self.cost_tied <= cost => {
                // No more than fresh checks would cost; ties may grow beyond all bounds.
                self.bound = cost * (STRETCH / TRIAL) as u64;
                (Phase::Chosen, true, STRETCH)
            }
            Phase::Chosen if !is_broken_off => (Phase::Tied, true, TRIAL),
            Phase::Fresh | Phase::Chosen => (Phase::Chosen, false, STRETCH),
        };
    }
}
