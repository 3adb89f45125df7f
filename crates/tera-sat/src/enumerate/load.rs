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
        clauses.extend(cnf.clauses().filter_map(normal_form));
        if clauses.iter().any(Vec::is_empty) {
            return false;
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

    /// Adds clauses, over further variables too that follow from the primaries, before the search begins.
    pub fn add(&mut self, cnf: &Cnf) {
        debug_assert!(self.state.levels.is_empty());
        self.grow(cnf.n_vars());
        for clause in cnf.clauses().filter_map(normal_form) {
            if clause.is_empty() {
                self.exhausted = true;
            } else if let Some(clause) = self.live_clauses(&[clause]).pop() {
                self.exhausted |= !self.insert(&clause);
            }
        }
        self.exhausted = self.exhausted || self.propagate().is_some();
        self.forget_root_reasons();
        self.order.skip_known(&self.state);
    }

    fn grow(&mut self, n_vars: usize) {
        self.state.grow(n_vars);
        self.order.grow(n_vars);
        self.watches.resize_with(2 * n_vars, Vec::new);
        self.binaries.resize_with(2 * n_vars, Vec::new);
        self.seen.resize(n_vars, false);
        self.lbd_marks.resize(n_vars + 1, 0);
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
                if !self.insert(clause) {
                    return false;
                }
            }
            self.state.head = 0;
            if self.propagate().is_some() {
                return false;
            }
            self.forget_root_reasons();
            if self.state.trail.len() == known {
                return true;
            }
        }
    }

    /// Takes in a clause of which the root knows nothing. False when it is contradictory.
    fn insert(&mut self, clause: &[Lit]) -> bool {
        match *clause {
            [] => return false,
            [lit] => match self.state.value(lit) {
                None => self.state.enqueue(lit, Reason::NONE),
                Some(value) => return value,
            },
            [a, b] => self.add_binary(a, b),
            _ => {
                let clause = self.clauses.push(clause, None);
                self.watch(clause);
            }
        }
        true
    }

    fn forget_root_reasons(&mut self) {
        for lit in &self.state.trail {
            self.state.vars[lit.var().index()].reason = Reason::NONE;
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

/// Each literal once; none when the clause always holds.
fn normal_form(clause: &[Lit]) -> Option<Vec<Lit>> {
    let mut clause = clause.to_vec();
    clause.sort_unstable();
    clause.dedup();
    clause.windows(2).all(|w| w[0] != !w[1]).then_some(clause)
}
