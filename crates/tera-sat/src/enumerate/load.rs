//! From a CNF to the solver's clauses: root units propagated, satisfied clauses and false literals
//! gone, gates simplified, so that constants cost nothing in the search.

use crate::{Cnf, Lit};

use super::clauses::{ClauseRef, Clauses};
use super::propagate::Watch;
use super::search::Enumerator;
use super::simplify::Formula;
use super::state::Reason;

impl Enumerator {
    /// Takes in the clauses of `cnf`, and the assumptions as units, at level 0. Returns false when they
    /// are contradictory.
    pub(super) fn load(&mut self, cnf: &Cnf, assumptions: &[Lit]) -> bool {
        let mut clauses: Vec<Vec<Lit>> = Vec::with_capacity(cnf.n_clauses() + assumptions.len());
        clauses.extend(assumptions.iter().map(|&lit| vec![lit]));
        for clause in cnf.clauses() {
            let mut clause = clause.to_vec();
            clause.sort_unstable();
            clause.dedup();
            if clause.is_empty() {
                return false;
            }
            if clause.windows(2).all(|w| w[0] != !w[1]) {
                clauses.push(clause);
            }
        }
        if !self.build(&mut clauses) || !self.probe() {
            return false;
        }
        clauses = self.live_clauses(&clauses);
        let mut frozen = vec![false; cnf.n_vars()];
        for lit in &self.order.lits {
            frozen[lit.var().index()] = true;
        }
        let mut formula = Formula::new(cnf.n_vars(), clauses);
        formula.eliminate(&frozen);
        let mut clauses = formula.clauses;
        self.build(&mut clauses)
    }

    /// Replaces all clauses by these, and propagates the units among them until nothing changes.
    fn build(&mut self, clauses: &mut Vec<Vec<Lit>>) -> bool {
        loop {
            let known = self.state.trail.len();
            *clauses = self.live_clauses(clauses);
            self.clauses = Clauses::default();
            self.watches.iter_mut().for_each(Vec::clear);
            self.binaries.iter_mut().for_each(Vec::clear);
            for clause in clauses.iter() {
                match clause[..] {
                    [] => return false,
                    [lit] => match self.state.value(lit) {
                        None => self.state.enqueue(lit, Reason::NONE),
                        Some(false) => return false,
                        Some(true) => {}
                    },
                    [a, b] => self.add_binary(a, b),
                    _ => {
                        let clause = self.clauses.push(clause, None);
                        self.watch(clause);
                    }
                }
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

    pub(super) fn add_binary(&mut self, a: Lit, b: Lit) {
        self.binaries[(!a).index()].push(b);
        self.binaries[(!b).index()].push(a);
    }

    pub(super) fn watch(&mut self, clause: ClauseRef) {
        let (a, b) = (self.clauses.lit(clause, 0), self.clauses.lit(clause, 1));
        self.watches[(!a).index()].push(Watch { clause, blocker: b });
        self.watches[(!b).index()].push(Watch { clause, blocker: a });
    }
}
