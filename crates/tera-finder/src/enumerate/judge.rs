//! The theory of an enumeration: keeps the canonicity check in step with the search, decides when to
//! check and which cubes to enter, and hands the models on.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use tera_sat::Lit;
use tera_sat::enumerate::{Judgement, Point, State, Theory};

use super::canonicity::{Canonicity, Verdict};
use super::counting::Counting;
use super::cubes::Cubes;
use super::mask::Mask;
use super::pace::Pace;

/// Atoms tried in a check that need not decide.
const PARTIAL_BUDGET: u64 = 1_000;

/// The same for a check before each decision, which goes on from the ties of the last one.
const TIED_BUDGET: u64 = 200;

/// Takes the bits and the orbit lengths of each instance.
pub(super) type Sink<'s> = dyn FnMut(&[u64], &[u32]) -> ControlFlow<()> + 's;

/// What an enumeration reports to.
pub(super) trait Receiver {
    /// Whether to enter a cube, counted from 0. They come in order.
    fn enter(&mut self, _cube: usize) -> bool {
        true
    }

    /// `orbit_lengths` multiply to the order of the automorphism group.
    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()>;
}

impl<F: FnMut(&[u64], &[u32]) -> ControlFlow<()>> Receiver for F {
    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()> {
        self(bits, orbit_lengths)
    }
}

/// How much of the search is wanted.
pub(super) enum Part<'a> {
    Whole,
    /// The list of cubes, and nothing inside them, up to a number.
    List(&'a mut Cubes, usize),
    /// The cubes that the receiver wants to enter.
    Of(&'a Cubes),
}

/// What does not change while one problem is enumerated.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    /// The visible places.
    pub(super) order: &'a [Lit],
    /// By place: how many borders are at or before it.
    pub(super) borders: &'a [u32],
    pub(super) n_visible: usize,
    pub(super) n_cells: usize,
    pub(super) wants_bits: bool,
}

/// Which visible variables are on the trail, and at what place there.
#[derive(Default)]
struct Follower {
    seen: Vec<(u32, Lit)>,
    /// How much of the trail was looked at.
    until: usize,
    /// The trail was cut to this length since.
    low_water: usize,
}

pub(super) struct Judge<'a, M, R> {
    setting: Setting<'a>,
    canonicity: Option<&'a mut Canonicity<M>>,
    pub(super) receiver: R,
    part: Part<'a>,
    /// The trail's length when the present cube was entered.
    inside: Option<usize>,
    /// The cube last entered.
    entered: Option<usize>,
    key: Vec<u64>,
    /// Trail lengths at which partial checks were made, and the border passed.
    checked: Vec<(usize, u32)>,
    follower: Follower,
    bits: Vec<u64>,
    bits_until: usize,
    decisions: u64,
    pace: Pace,
    models: u64,
    refutations: u64,
    pub(super) checks: u64,
    /// Counts what is below settled points, where nobody wants to see it.
    counting: Option<&'a mut Counting>,
    /// Instances counted and not visited.
    pub(super) counted: u64,
}

impl<'a, M: Mask, R: Receiver> Judge<'a, M, R> {
    pub(super) fn new(
        setting: Setting<'a>,
        canonicity: Option<&'a mut Canonicity<M>>,
        counting: Option<&'a mut Counting>,
        part: Part<'a>,
        receiver: R,
    ) -> Judge<'a, M, R> {
        Judge {
            setting,
            canonicity,
            receiver,
            part,
            inside: None,
            entered: None,
            key: Vec::new(),
            checked: Vec::new(),
            follower: Follower::default(),
            bits: vec![0; setting.n_cells.div_ceil(64)],
            bits_until: 0,
            decisions: 0,
            pace: Pace::default(),
            models: 0,
            refutations: 0,
            checks: 0,
            counting,
            counted: 0,
        }
    }

    fn note_cuts(&mut self, state: &mut State) {
        let low_water = state.take_low_water();
        self.follower.low_water = self.follower.low_water.min(low_water);
        self.bits_until = self.bits_until.min(low_water);
        while self.checked.last().is_some_and(|&(length, _)| length > low_water) {
            self.checked.pop();
        }
        if let Some(canonicity) = &mut self.canonicity {
            canonicity.forget(low_water);
        }
        if self.inside.is_some_and(|length| length > low_water) {
            self.inside = None;
        }
    }

    /// The budget of the partial check before the decision at `place`; none if none is due.
    fn is_due(&mut self, state: &State, place: usize) -> u64 {
        self.decisions += 1;
        let border = self.setting.borders[place];
        let is_new = border > self.checked.last().map_or(0, |&(_, border)| border);
        if is_new {
            self.checked.push((state.trail().len(), border));
        }
        if self.pace.keeps_ties() {
            return if is_new { PARTIAL_BUDGET } else { TIED_BUDGET };
        }
        if is_new && self.pace.is_worth(border, state.conflicts()) {
            return PARTIAL_BUDGET;
        }
        let is_hard = state.conflicts() > 2 * self.models + self.refutations + 50;
        if is_hard && self.decisions.is_multiple_of(4) { PARTIAL_BUDGET } else { 0 }
    }

    fn check_canonicity(&mut self, state: &mut State, point: Point, clause: &mut Vec<Lit>) -> bool {
        if self.canonicity.is_none() {
            state.settle();
            return true;
        }
        let budget = match point {
            Point::Total => u64::MAX,
            Point::Decision(place) => self.is_due(state, place),
        };
        if budget == 0 {
            return true;
        }
        let Some(canonicity) = &mut self.canonicity else { return true };
        self.follower.catch_up(state, self.setting.n_visible, canonicity);
        self.checks += 1;
        let before = (canonicity.nodes, canonicity.ties_seen);
        let keeps_ties = self.pace.keeps_ties();
        let verdict = match point {
            Point::Total => canonicity.check_total(keeps_ties, clause),
            Point::Decision(_) => canonicity.check(keeps_ties.then_some(state.trail().len()), budget, clause),
        };
        let border = match point {
            Point::Total => None,
            Point::Decision(place) => Some(self.setting.borders[place]),
        };
        let work = (canonicity.nodes - before.0, canonicity.ties_seen - before.1);
        self.pace.spent(work, border, verdict == Verdict::Refuted);
        match verdict {
            Verdict::Refuted => {
                self.refutations += 1;
                return false;
            }
            Verdict::Settled => state.settle(),
            Verdict::Open => {}
        }
        true
    }

    /// Counts what is below a point that was just settled, if that is worth its while.
    fn counts_below(&mut self, state: &State) -> bool {
        if !matches!(self.part, Part::Whole) && self.inside.is_none() {
            return false;
        }
        let Some(counting) = &mut self.counting else { return false };
        let Some(count) = counting.count(state, self.models) else { return false };
        self.counted += count;
        true
    }

    /// Whether to go on where a cube begins.
    fn enters(&mut self, state: &State) -> bool {
        let order = self.setting.order;
        match &mut self.part {
            Part::Whole => true,
            Part::List(cubes, limit) => {
                if cubes.len() < *limit {
                    cubes.push(order, state, &mut self.key);
                }
                false
            }
            Part::Of(cubes) => {
                let Some(cube) = cubes.find(order, state, &mut self.key) else { return false };
                // A backjump may leave the cube it is in and come back at once.
                if self.entered != Some(cube) && !self.receiver.enter(cube) {
                    return false;
                }
                self.entered = Some(cube);
                true
            }
        }
    }
}

impl Follower {
    fn catch_up<M: Mask>(&mut self, state: &State, n_visible: usize, canonicity: &mut Canonicity<M>) {
        let trail = state.trail();
        while let Some(&(at, lit)) = self.seen.last()
            && at as usize >= self.low_water
        {
            canonicity.unassign(lit);
            self.seen.pop();
        }
        self.until = self.until.min(self.low_water);
        for (at, &lit) in trail.iter().enumerate().skip(self.until) {
            if (lit.var().0 as usize) < n_visible {
                canonicity.assign(lit);
                self.seen.push((at as u32, lit));
            }
        }
        self.until = trail.len();
        self.low_water = trail.len();
    }
}

impl<M: Mask, R: Receiver> Theory for Judge<'_, M, R> {
    fn check(&mut self, state: &mut State, point: Point, clause: &mut Vec<Lit>) -> Judgement {
        self.note_cuts(state);
        if !state.is_settled() && !self.check_canonicity(state, point, clause) {
            return Judgement::Refuted;
        }
        if state.is_settled() && point != Point::Total && self.counts_below(state) {
            return Judgement::Skip;
        }
        let cut = match &self.part {
            Part::Whole => return Judgement::Consistent,
            Part::List(cubes, _) => cubes.at,
            Part::Of(cubes) => cubes.at,
        };
        let is_at_cut = match point {
            Point::Total => true,
            Point::Decision(place) => place >= cut,
        };
        if !is_at_cut || self.inside.is_some() {
            return Judgement::Consistent;
        }
        if !self.enters(state) {
            return Judgement::Skip;
        }
        self.inside = Some(state.trail().len());
        Judgement::Consistent
    }

    fn is_watching(&self) -> bool {
        self.counting.as_ref().is_some_and(|counting| counting.is_on()) || !matches!(self.part, Part::Whole)
    }

    fn work(&self) -> u64 {
        self.canonicity.as_ref().map_or(0, |canonicity| canonicity.nodes) + 2 * self.checks
    }

    fn found(&mut self, state: &mut State) -> ControlFlow<()> {
        self.models += 1;
        if self.setting.wants_bits {
            self.note_cuts(state);
            for &lit in &state.trail()[self.bits_until..] {
                let var = lit.var().index();
                if var < self.setting.n_cells {
                    let word = &mut self.bits[var / 64];
                    *word = (*word & !(1 << (var % 64))) | ((lit.is_pos() as u64) << (var % 64));
                }
            }
            self.bits_until = state.trail().len();
        }
        let lengths = self.canonicity.as_ref().map_or(&[][..], |c| &c.orbit_lengths);
        self.receiver.found(&self.bits, lengths)
    }
}

/// The order of a group from the lengths of its orbits along a stabilizer chain.
pub(super) fn group_order(orbit_lengths: &[u32]) -> BigUint {
    orbit_lengths.iter().fold(BigUint::from(1u32), |product, &length| product * length)
}
