//! The solver trait: clauses in, answers under assumptions out, in bounded pieces of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::cnf::{Cnf, Lit};

/// The answer to one question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SatResult {
    /// With a value for every variable.
    Sat(Vec<bool>),
    /// With a subset of the assumptions that cannot hold together; empty when the clauses alone
    /// cannot.
    Unsat(Vec<Lit>),
    /// A limit was reached.
    Interrupted,
}

/// When to give up.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    pub deadline: Option<Instant>,
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Limits {
    pub fn are_none(&self) -> bool {
        self.deadline.is_none() && self.interrupt.is_none()
    }

    pub fn is_reached(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// An incremental CDCL solver. Variables need no declaration.
pub trait Solver {
    fn add_clause(&mut self, clause: &[Lit]);

    /// Adds all clauses of `cnf`.
    fn add(&mut self, cnf: &Cnf) {
        self.reserve_vars(cnf.n_vars());
        for clause in cnf.clauses() {
            self.add_clause(clause);
        }
    }

    /// Makes variables below `n_vars` part of every model.
    fn reserve_vars(&mut self, n_vars: usize);

    /// Answers under `assumptions`. Limits are looked at between bounded pieces of work; the solver
    /// can be asked again after any answer.
    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> SatResult;
}
