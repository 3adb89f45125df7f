//! The batsat back end: a descendant of MiniSat in pure Rust.

use std::cell::Cell;

use ::batsat::{Callbacks, SolverInterface, SolverOpts, lbool};

use crate::cnf::Lit;
use crate::solver::{Limits, SatResult, Solver};

/// batsat asks at every decision whether to stop; the clock is read at every 256th of them.
#[derive(Default)]
struct Stop {
    limits: Limits,
    asked: Cell<u32>,
    stopped: Cell<bool>,
}

impl Callbacks for Stop {
    fn stop(&self) -> bool {
        if self.limits.are_none() {
            return false;
        }
        self.asked.set(self.asked.get().wrapping_add(1));
        if self.asked.get().is_multiple_of(256) && self.limits.is_reached() {
            self.stopped.set(true);
        }
        self.stopped.get()
    }
}

/// See [`Solver`].
pub struct Batsat {
    solver: ::batsat::Solver<Stop>,
    clause: Vec<batsat::Lit>,
    consistent: bool,
}

impl Default for Batsat {
    fn default() -> Batsat {
        let solver = batsat::Solver::new(SolverOpts::default(), Stop::default());
        Batsat { solver, clause: Vec::new(), consistent: true }
    }
}

impl Batsat {
    fn lit(&mut self, lit: Lit) -> batsat::Lit {
        let var = self.solver.var_of_int(lit.var().0);
        batsat::Lit::new(var, lit.is_pos())
    }
}

impl Solver for Batsat {
    fn reserve_vars(&mut self, n_vars: usize) {
        if n_vars > 0 {
            self.solver.var_of_int(n_vars as u32 - 1);
        }
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let mut lits = std::mem::take(&mut self.clause);
        lits.clear();
        lits.extend(clause.iter().map(|&l| self.lit(l)));
        self.consistent &= self.solver.add_clause_reuse(&mut lits);
        self.clause = lits;
    }

    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> SatResult {
        if !self.consistent {
            return SatResult::Unsat(Vec::new());
        }
        if limits.is_reached() {
            return SatResult::Interrupted;
        }
        let assumed: Vec<batsat::Lit> = assumptions.iter().map(|&l| self.lit(l)).collect();
        *self.solver.cb_mut() =
            Stop { limits: limits.clone(), asked: Cell::new(0), stopped: Cell::new(false) };
        let result = self.solver.solve_limited(&assumed);
        if result == lbool::TRUE {
            SatResult::Sat(self.solver.get_model().iter().map(|&v| v == lbool::TRUE).collect())
        } else if result == lbool::FALSE {
            // batsat reports the negations of the failed assumptions.
            let core: Vec<u32> = self.solver.unsat_core().iter().map(|l| l.var().idx()).collect();
            SatResult::Unsat(assumptions.iter().copied().filter(|l| core.contains(&l.var().0)).collect())
        } else {
            SatResult::Interrupted
        }
    }
}
