//! How the canonicity check goes along with the search: before each decision, going on from the ties of
//! the last check, or at borders and ends only, each time afresh.
//!
//! Ties are worth three times as much where most images are refused early (graphs, arrays), and cost five
//! times as much where instances have many automorphisms, which a fresh check finds first and skips by
//! (trees, functions). So both ways are tried in turn, and ties are kept for a while if they were cheaper
//! by a quarter, slice by slice, until a slice costs more than fresh checks did. Both ways give the same
//! instances in the same order.
//!
//! Afresh, a check at a border is as dear as one at an end. High up in the search it refutes one time in
//! five, and what it refutes is a large part of the search; near the ends one time in thirty, and what it
//! refutes would be refuted at the next end for the same price. So checks at a border are made for as
//! long as their refutations pay for them.

/// Checks at total assignments in a trial of one way, in a slice of what follows, and the slices of it.
const TRIAL: u32 = 64;
const SLICE: u32 = 256;
const SLICES: u32 = 16;
/// What a check costs beside the images it tries, in such images, and how many ties looked at cost as
/// much as one.
const CHECK: u64 = 2;
const TIES: u64 = 4;
/// What a conflict costs.
const CONFLICT: u64 = 50;
/// What a refutation at a border saves: so many instances, each with its check and its conflicts.
const SAVED: u64 = 10;
/// Checks at a border before it is judged, and among how many one is made where they do not pay.
const FIRST: u64 = 16;
const SAMPLE: u64 = 16;

/// The checks made afresh at a border.
#[derive(Clone, Copy, Default, Debug)]
struct Border {
    arrivals: u64,
    checks: u64,
    cost: u64,
    refutations: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Tied,
    Fresh,
    /// So many slices are left.
    Chosen(u32),
}

#[derive(Clone, Debug)]
pub(super) struct Pace {
    phase: Phase,
    keeps_ties: bool,
    /// Checks at total assignments left in this phase.
    left: u32,
    cost: u64,
    /// With ties: what a slice may cost, or it is the last one.
    bound: u64,
    cost_tied: u64,
    cost_fresh: u64,
    borders: Vec<Border>,
    /// Checks made afresh at total assignments, and their cost.
    ends: (u64, u64),
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            phase: Phase::Tied,
            keeps_ties: true,
            left: TRIAL,
            cost: 0,
            bound: u64::MAX,
            cost_tied: 0,
            cost_fresh: 0,
            borders: Vec::new(),
            ends: (0, 0),
        }
    }
}

impl Pace {
    #[inline]
    pub(super) fn keeps_ties(&self) -> bool {
        self.keeps_ties
    }

    /// Whether to check afresh at a border, after so many conflicts.
    pub(super) fn is_worth(&mut self, border: u32, conflicts: u64) -> bool {
        let border = border as usize;
        if border >= self.borders.len() {
            self.borders.resize(border + 1, Border::default());
        }
        let Border { arrivals, checks, cost, refutations } = &mut self.borders[border];
        *arrivals += 1;
        let (n_ends, cost_of_ends) = self.ends;
        let saved = SAVED * (cost_of_ends + CONFLICT * conflicts) / n_ends.max(1);
        *checks < FIRST || *refutations * saved >= *cost || arrivals.is_multiple_of(SAMPLE)
    }

    /// A check tried so many images and looked at so many ties, at a border if it was not at a total
    /// assignment.
    #[inline]
    pub(super) fn spent(&mut self, (nodes, ties): (u64, u64), border: Option<u32>, is_refuted: bool) {
        let cost = nodes + ties / TIES + CHECK;
        self.cost += cost;
        if !self.keeps_ties {
            match border.map(|border| self.borders.get_mut(border as usize)) {
                None => self.ends = (self.ends.0 + 1, self.ends.1 + cost),
                Some(None) => {}
                Some(Some(border)) => {
                    border.checks += 1;
                    border.cost += cost;
                    border.refutations += is_refuted as u64;
                }
            }
        }
        self.left -= border.is_none() as u32;
        if self.left == 0 || self.cost > self.bound {
            self.turn();
        }
    }

    #[cold]
    fn turn(&mut self) {
        let cost = std::mem::take(&mut self.cost);
        let is_broken_off = cost > self.bound;
        self.bound = u64::MAX;
        let with_ties = |slices: u32| (Phase::Chosen(slices), true, SLICE);
        (self.phase, self.keeps_ties, self.left) = match self.phase {
            Phase::Tied => {
                self.cost_tied = cost;
                (Phase::Fresh, false, TRIAL)
            }
            Phase::Fresh => {
                self.cost_fresh = cost;
                if self.cost_tied <= cost / 4 * 3 {
                    with_ties(SLICES)
                } else {
                    (Phase::Chosen(1), false, SLICE * SLICES)
                }
            }
            Phase::Chosen(_) if is_broken_off => (Phase::Chosen(1), false, SLICE * SLICES),
            Phase::Chosen(1) => (Phase::Tied, true, TRIAL),
            Phase::Chosen(slices) => with_ties(slices - 1),
        };
        if let (Phase::Chosen(_), true) = (self.phase, self.keeps_ties) {
            // No more than fresh checks would cost; ties may grow beyond all bounds.
            self.bound = self.cost_fresh * (SLICE / TRIAL) as u64;
        }
    }
}
