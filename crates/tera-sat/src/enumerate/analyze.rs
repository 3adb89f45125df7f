//! Conflict analysis: the first unique implication point (Marques-Silva and Sakallah 1996), at the
//! *highest true level* of the conflict, which may lie below the current level.

use crate::Lit;

use super::propagate::Conflict;
use super::search::Enumerator;
use super::state::ReasonKind;

/// What a conflict teaches; its clause is in `Enumerator::learned`, the asserted literal first, one
/// of the highest level among the others second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lesson {
    /// All levels above this one are exhausted.
    pub(super) level: u32,
    /// The level at which the clause asserts its first literal.
    pub(super) assert_level: u32,
    /// The asserted literal contradicts the decision of `level` itself.
    pub(super) refutes_decision: bool,
}

impl Enumerator {
    /// `None` when the conflict needs no decision at all.
    pub(super) fn analyze(&mut self, conflict: Conflict) -> Option<Lesson> {
        let mut level = 0;
        self.for_lits_of(conflict, |this, lit| level = level.max(this.state.level(lit.var())));
        if level == 0 {
            return None;
        }
        self.learned.clear();
        self.learned.push(Lit(0));
        let mut open = 0;
        self.for_lits_of(conflict, |this, lit| this.meet(lit, level, &mut open));
        let mut at = self.state.trail.len();
        let uip = loop {
            at -= 1;
            let lit = self.state.trail[at];
            let var = lit.var();
            if !self.seen[var.index()] || self.state.level(var) != level {
                continue;
            }
            open -= 1;
            if open == 0 {
                break lit;
            }
            self.seen[var.index()] = false;
            match self.state.vars[var.index()].reason.kind() {
                ReasonKind::None => unreachable!("a decision is the last literal of its level"),
                ReasonKind::Binary(other) => self.meet(other, level, &mut open),
                ReasonKind::Clause(clause) => {
                    if self.clauses.is_learned(clause) {
                        self.clauses.bump(clause);
                    }
                    for i in 0..self.clauses.len(clause) {
                        let other = self.clauses.lit(clause, i);
                        if other != lit {
                            self.meet(other, level, &mut open);
                        }
                    }
                }
            }
        };
        self.learned[0] = !uip;
        self.minimize();
        let mut assert_level = 0;
        for i in 1..self.learned.len() {
            let other = self.state.level(self.learned[i].var());
            if other > assert_level {
                assert_level = other;
                self.learned.swap(1, i);
            }
        }
        Some(Lesson { level, assert_level, refutes_decision: self.state.decision(level) == uip })
    }

    fn for_lits_of(&mut self, conflict: Conflict, mut f: impl FnMut(&mut Enumerator, Lit)) {
        match conflict {
            Conflict::Unit(a) => f(self, a),
            Conflict::Binary(a, b) => {
                f(self, a);
                f(self, b);
            }
            Conflict::Clause(clause) => {
                if self.clauses.is_learned(clause) {
                    self.clauses.bump(clause);
                }
                for i in 0..self.clauses.len(clause) {
                    let lit = self.clauses.lit(clause, i);
                    f(self, lit);
                }
            }
            Conflict::Theory => {
                for i in 0..self.refutation.len() {
                    let lit = self.refutation[i];
                    f(self, lit);
                }
            }
        }
    }

    fn meet(&mut self, lit: Lit, level: u32, open: &mut u32) {
        let var = lit.var();
        let its = self.state.level(var);
        if self.seen[var.index()] || its == 0 {
            return;
        }
        self.seen[var.index()] = true;
        self.order.bump(var);
        if its == level {
            *open += 1;
        } else {
            self.learned.push(lit);
            self.to_clear.push(var);
        }
    }

    /// Drops literals implied by the others in one step, and clears the marks.
    fn minimize(&mut self) {
        let uip = self.learned[0].var();
        let mut kept = 1;
        for i in 1..self.learned.len() {
            let lit = self.learned[i];
            let redundant = match self.state.vars[lit.var().index()].reason.kind() {
                ReasonKind::None => false,
                ReasonKind::Binary(other) => self.is_covered(other),
                ReasonKind::Clause(clause) => (0..self.clauses.len(clause)).all(|k| {
                    let other = self.clauses.lit(clause, k);
                    other == !lit || self.is_covered(other)
                }),
            };
            if !redundant {
                self.learned[kept] = lit;
                kept += 1;
            }
        }
        self.learned.truncate(kept);
        self.seen[uip.index()] = false;
        for var in self.to_clear.drain(..) {
            self.seen[var.index()] = false;
        }
    }

    fn is_covered(&self, lit: Lit) -> bool {
        self.seen[lit.var().index()] || self.state.level(lit.var()) == 0
    }
}
