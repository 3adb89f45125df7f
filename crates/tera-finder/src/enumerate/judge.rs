//! The theory of an enumeration: keeps the canonicity check in step with the search, decides when to
//! check, and hands the models on.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use tera_sat::Lit;
use tera_sat::enumerate::{Point, State, Theory};

use super::canonicity::{Canonicity, Verdict};
use super::mask::Mask;

/// Atoms tried in a check that need not decide.
const PARTIAL_BUDGET: u64 = 1_000;

/// Receives what the search finds.
pub(super) trait Receiver {
    /// `orbit_lengths` multiply to the order of the automorphism group.
    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()>;
}

impl<F: FnMut(&[u64], &[u32]) -> ControlFlow<()>> Receiver for F {
    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()> {
        self(bits, orbit_lengths)
    }
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
    canonicity: Option<&'a mut Canonicity<M>>,
    receiver: R,
    n_visible: usize,
    n_cells: usize,
    /// By place of the order: how many borders are at or before it.
    borders: &'a [u32],
    /// Trail lengths at which partial checks were made, and the border passed.
    checked: Vec<(usize, u32)>,
    follower: Follower,
    bits: Vec<u64>,
    bits_until: usize,
    wants_bits: bool,
    decisions: u64,
    models: u64,
    refutations: u64,
    pub(super) checks: u64,
}

impl<'a, M: Mask, R: Receiver> Judge<'a, M, R> {
    pub(super) fn new(
        canonicity: Option<&'a mut Canonicity<M>>,
        borders: &'a [u32],
        (n_visible, n_cells): (usize, usize),
        wants_bits: bool,
        receiver: R,
    ) -> Judge<'a, M, R> {
        Judge {
            canonicity,
            receiver,
            n_visible,
            n_cells,
            borders,
            checked: Vec::new(),
            follower: Follower::default(),
            bits: vec![0; n_cells.div_ceil(64)],
            bits_until: 0,
            wants_bits,
            decisions: 0,
            models: 0,
            refutations: 0,
            checks: 0,
        }
    }

    fn note_cuts(&mut self, state: &mut State) {
        let low_water = state.take_low_water();
        self.follower.low_water = self.follower.low_water.min(low_water);
        self.bits_until = self.bits_until.min(low_water);
        while self.checked.last().is_some_and(|&(length, _)| length > low_water) {
            self.checked.pop();
        }
    }

    /// Whether a partial check is due before the decision at `place`.
    fn is_due(&mut self, state: &State, place: usize) -> bool {
        self.decisions += 1;
        let border = self.borders[place];
        if border > self.checked.last().map_or(0, |&(_, border)| border) {
            self.checked.push((state.trail().len(), border));
            return true;
        }
        let is_hard = state.conflicts() > 2 * self.models + self.refutations + 50;
        is_hard && self.decisions.is_multiple_of(4)
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
    fn check(&mut self, state: &mut State, point: Point, clause: &mut Vec<Lit>) -> bool {
        self.note_cuts(state);
        if self.canonicity.is_none() {
            state.settle();
            return false;
        }
        let budget = match point {
            Point::Total => u64::MAX,
            Point::Decision(place) if self.is_due(state, place) => PARTIAL_BUDGET,
            Point::Decision(_) => return false,
        };
        let Some(canonicity) = &mut self.canonicity else { return false };
        self.follower.catch_up(state, self.n_visible, canonicity);
        self.checks += 1;
        match canonicity.check(budget, clause) {
            Verdict::Refuted => {
                self.refutations += 1;
                true
            }
            Verdict::Settled => {
                state.settle();
                false
            }
            Verdict::Open => false,
        }
    }

    fn found(&mut self, state: &mut State) -> ControlFlow<()> {
        self.models += 1;
        if self.wants_bits {
            self.note_cuts(state);
            for &lit in &state.trail()[self.bits_until..] {
                let var = lit.var().index();
                if var < self.n_cells {
                    let word = &mut self.bits[var / 64];
                    *word = *word & !(1 << (var % 64)) | (lit.is_pos() as u64) << (var % 64);
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
