//! From a CNF to the solver's clauses: root units propagated, satisfied clauses and false literals
//! gone, so that constants cost nothing in the search.

use crate::{Cnf, Lit};

use super::clauses::{ClauseRef, Clauses};
use super::propagate::Watch;
use super::search::Enumerator;
use super::state::{FALSE, OPEN, Reason, TRUE};

impl Enumerator {
    /// Adds the clauses of `cnf` at level 0. Returns false when they are contradictory.
    pub(super) fn load(&mut self, cnf: &Cnf) -> bool {
        let mut clauses: Vec<Lit> = Vec::new();
        let mut ends: Vec<usize> = Vec::new();
        for clause in cnf.clauses() {
            let start = clauses.len();
            clauses.extend_from_slice(clause);
            clauses[start..].sort_unstable();
            let mut kept = start;
            let mut tautology = false;
            for i in start..clauses.len() {
                let lit = clauses[i];
                tautology |= kept > start && clauses[kept - 1] == !lit;
                if kept == start || clauses[kept - 1] != lit {
                    clauses[kept] = lit;
                    kept += 1;
                }
            }
            clauses.truncate(if tautology { start } else { kept });
            if !tautology {
                ends.push(clauses.len());
            }
        }
        // Two rounds at least: the second sees the units that propagation found in the first.
        loop {
            let known = self.state.trail.len();
            self.reset_clauses();
            let mut start = 0;
            for &end in &ends {
                let mut clause = std::mem::take(&mut self.learned);
                clause.clear();
                clause.extend(clauses[start..end].iter().filter(|l| self.state.values[l.index()] != FALSE));
                start = end;
                let satisfied = clause.iter().any(|l| self.state.values[l.index()] == TRUE);
                if !satisfied {
                    match *clause {
                        [] => return false,
                        [lit] => self.state.enqueue(lit, Reason::NONE),
                        [a, b] => self.add_binary(a, b),
                        _ => {
                            let clause = self.clauses.push(&clause, None);
                            self.watch(clause);
                        }
                    }
                }
                self.learned = clause;
            }
            self.state.head = 0;
            if self.propagate().is_some() {
                return false;
            }
            for lit in &self.state.trail {
                self.state.vars[lit.var().index()].reason = Reason::NONE;
            }
            if self.state.trail.len() == known {
                return true;
            }
        }
    }

    fn reset_clauses(&mut self) {
        self.clauses = Clauses::default();
        self.watches.iter_mut().for_each(Vec::clear);
        self.binaries.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn add_binary(&mut self, a: Lit, b: Lit) {
        debug_assert!(self.state.values[a.index()] == OPEN || !self.state.levels.is_empty());
        self.binaries[(!a).index()].push(b);
        self.binaries[(!b).index()].push(a);
    }

    pub(super) fn watch(&mut self, clause: ClauseRef) {
        let (a, b) = (self.clauses.lit(clause, 0), self.clauses.lit(clause, 1));
        self.watches[(!a).index()].push(Watch { clause, blocker: b });
        self.watches[(!b).index()].push(Watch { clause, blocker: a });
    }
}
