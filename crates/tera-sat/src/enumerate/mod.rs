//! The enumerating solver: every model of a CNF, projected on some of its variables, as one search.
//!
//! CDCL whose decisions are the *primary* variables only. After a model the search steps back to the
//! last decision whose other value was not tried, and flips it; no blocking clause is ever added, so
//! memory does not grow with the number of models. A flipped decision is a *closed* level: it has no
//! reason, conflict analysis treats it as a decision, hence learned clauses follow from the formula
//! alone; backjumps never go below the highest closed level, since models on the other side of it were
//! given already. The literal of a learned clause that asserts below the closed level is *held*: it
//! carries its true (lower) level, and is enqueued again after every step back, until that level goes.
//! Without this the search livelocks; `held.rs` says why it ends.
//!
//! Primary variables come in two kinds. *Visible* ones make the model; *auxiliary* ones are decided
//! after them, and only one extension of each visible assignment is looked for. All other variables
//! must be functions of the primaries that unit propagation computes, at least in one direction
//! (Plaisted and Greenbaum 1986): a model is found as soon as all primaries are assigned and
//! propagation is clean.
//!
//! With the static order the models come in the lexicographic order of the decisions, whatever was
//! learned: parts of the search can be run apart and joined.

mod analyze;
mod clauses;
mod counter;
mod equivalence;
mod held;
mod keep;
mod load;
mod order;
#[cfg(test)]
mod progress;
mod propagate;
mod reduce;
mod search;
mod simplify;
mod state;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use std::ops::ControlFlow;

pub use counter::{Counter, GaveUp};
pub use search::Enumerator;
pub use state::State;

use crate::{Lit, Var};

/// Where the search asks its theory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before deciding the variable at this place of the order.
    Decision(usize),
    /// All visible variables are assigned.
    Total,
}

/// What a theory says of an assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    Consistent,
    /// The clause handed over has literals that are all false.
    Refuted,
    /// Not wanted, for no reason that a clause could say: step back as after a model.
    Skip,
}

/// A judge of partial assignments beside the clauses, and the receiver of models.
pub trait Theory {
    /// Called when propagation is clean, unless the level is settled ([`State::settle`]) and the
    /// theory is not [watching](Theory::is_watching).
    fn check(&mut self, state: &mut State, point: Point, clause: &mut Vec<Lit>) -> Judgement;

    /// Whether to be asked below settled levels too.
    fn is_watching(&self) -> bool {
        false
    }

    /// What the theory did so far, in units of about a hundred instructions.
    fn work(&self) -> u64 {
        0
    }

    /// A model. Breaking ends the search.
    fn found(&mut self, state: &mut State) -> ControlFlow<()>;
}

/// No further judge: every model goes to the closure.
pub struct Unjudged<F>(pub F);

impl<F: FnMut(&State) -> ControlFlow<()>> Theory for Unjudged<F> {
    fn check(&mut self, _: &mut State, _: Point, _: &mut Vec<Lit>) -> Judgement {
        Judgement::Consistent
    }

    fn found(&mut self, state: &mut State) -> ControlFlow<()> {
        (self.0)(state)
    }
}

/// Which variable is decided next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Heuristic {
    /// The first open one of the given order.
    #[default]
    Static,
    /// The one most active in recent conflicts (Moskewicz et al. 2001).
    Vsids,
    /// Static until the conflicts outnumber four times the models by a margin, then VSIDS.
    Adaptive,
}

/// Whether conflicts leave clauses behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Learning {
    /// For as long as learned clauses are seen to work.
    #[default]
    Adaptive,
    Always,
    /// Plain backtracking.
    Never,
}

/// What is to be enumerated, and how.
#[derive(Clone, Debug, Default)]
pub struct EnumeratorOptions {
    /// Primary variables in the order of decision, each with the value tried first. The first
    /// `n_visible` make the model; they are the first variables of the CNF.
    pub order: Vec<Lit>,
    pub n_visible: usize,
    pub heuristic: Heuristic,
    pub learning: Learning,
    /// How many learned clauses are kept; 0 for the default.
    pub max_learned: usize,
    /// Literals that hold in every model wanted: further clauses.
    pub assumptions: Vec<Lit>,
    pub deadline: Option<Instant>,
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl EnumeratorOptions {
    /// The first `n_visible` variables, then `n_auxiliary` more, false first.
    pub fn projected(n_visible: usize, n_auxiliary: usize) -> EnumeratorOptions {
        let order = (0..(n_visible + n_auxiliary) as u32).map(|var| Var(var).lit(false)).collect();
        EnumeratorOptions { order, n_visible, ..EnumeratorOptions::default() }
    }
}

/// Why [`Enumerator::run`] came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// There are no more models.
    Exhausted,
    /// The theory broke the stream.
    Stopped,
    Timeout,
    Interrupted,
    /// The work allowed by [`Enumerator::set_budget`] is done; `run` goes on from here.
    Budget,
}

/// Counts of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EnumeratorStatistics {
    pub models: u64,
    pub decisions: u64,
    pub conflicts: u64,
    pub propagations: u64,
    /// Clauses looked at by propagation.
    pub visits: u64,
    pub learned: u64,
    pub checks: u64,
    pub refutations: u64,
    pub reductions: u64,
}

#[cfg(test)]
mod tests;
