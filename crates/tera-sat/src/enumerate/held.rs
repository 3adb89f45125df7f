//! Held literals, and why the search ends.
//!
//! A lesson may assert its literal at a level `a` below the highest closed one, to which the search must
//! not jump back. The literal is put on the trail where the search stands, with its true level `a`, and is
//! *held*: after every step back it is put on the trail again, until level `a` itself goes.
//!
//! Progress. For each level, from 0 upwards, take the pair of whether it is closed and how many literals
//! have it as their true level, on the trail or held. Compare these lists lexicographically, a level that
//! is there being more than none. They are bounded, and every step makes the list greater:
//! - A decision adds a level, propagation adds a literal.
//! - After a model, or when both values of a decision are refuted, an open level becomes closed; the
//!   levels below it stay as they are.
//! - Any other conflict, at level `l`, adds a literal at some `a < l` that was not there: its negation was
//!   true at level `l`. All literals of levels up to `a` stay, on the trail or held.
//!
//! The last point needs that no held literal is false because of one of a higher level. Hence they are put
//! back in the order of their levels: in any other order an older one may stand in the way of a newer one
//! of a lower level, and the conflict between them teaches the newer one again, for ever. (That takes a
//! conflict that does not depend on the highest closed level, so a part of the search that the theory
//! skipped: where there was a model, no lesson refutes what leads to it.)

use crate::Lit;

use super::clauses::ClauseRef;
use super::propagate::Conflict;
use super::state::{OPEN, Reason, State, TRUE};

/// A literal that a learned clause asserts below its place on the trail.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) lit: Lit,
    pub(super) by: HeldBy,
    /// The highest level of the clause's other literals.
    pub(super) level: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldBy {
    Unit,
    Binary(Lit),
    Clause(ClauseRef),
}

impl HeldBy {
    pub(super) fn reason(self) -> Reason {
        match self {
            HeldBy::Unit => Reason::NONE,
            HeldBy::Binary(other) => Reason::binary(other),
            HeldBy::Clause(clause) => Reason::clause(clause),
        }
    }
}

/// All held literals, ascending by level.
#[derive(Clone, Default)]
pub(super) struct HeldLits {
    held: Vec<Held>,
    /// While the trail is at least this long, all of them are on it.
    until: usize,
    /// Whether some may be missing from the trail.
    is_open: bool,
}

impl HeldLits {
    pub(super) fn hold(&mut self, held: Held) {
        // Behind its equals: those may be the reason for it.
        let at = self.held.partition_point(|other| other.level <= held.level);
        self.held.insert(at, held);
        self.is_open = true;
    }

    /// The trail was cut: forgets what is held above `level`.
    #[inline]
    pub(super) fn cut(&mut self, state: &State, level: u32) {
        self.is_open |= state.trail.len() < self.until;
        while self.held.last().is_some_and(|held| held.level > level) {
            self.held.pop();
        }
    }

    /// Puts those that are missing on the trail. A clause that is false thereby is given back.
    pub(super) fn enqueue(&mut self, state: &mut State) -> Option<Conflict> {
        if !std::mem::take(&mut self.is_open) {
            return None;
        }
        for held in &self.held {
            match state.values[held.lit.index()] {
                TRUE => debug_assert!(state.level(held.lit.var()) <= held.level),
                OPEN => state.enqueue_at(held.lit, held.by.reason(), held.level),
                _ => {
                    debug_assert!(state.level(held.lit.var()) <= held.level);
                    // Whatever comes next cuts the trail: then look at all of them again.
                    self.is_open = true;
                    return Some(match held.by {
                        HeldBy::Unit => Conflict::Unit(held.lit),
                        HeldBy::Binary(other) => Conflict::Binary(held.lit, other),
                        HeldBy::Clause(clause) => Conflict::Clause(clause),
                    });
                }
            }
        }
        self.until = state.trail.len();
        None
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Held> {
        self.held.iter()
    }

    /// Tells where each clause is now.
    pub(super) fn relocate(&mut self, new: impl Fn(ClauseRef) -> ClauseRef) {
        for held in &mut self.held {
            if let HeldBy::Clause(clause) = &mut held.by {
                *clause = new(*clause);
            }
        }
    }
}
