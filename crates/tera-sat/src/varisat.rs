//! The varisat back end.
//!
//! varisat has no way to be interrupted, but it stops when its proof cannot be written. So under
//! limits it writes a proof into a sink that keeps nothing and fails once a limit is reached; the
//! solver is spoilt by that and is built again from the clauses when asked again.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use varisat::ExtendFormula;
use varisat::solver::ProofFormat;

use crate::cnf::{Cnf, Lit, Var};
use crate::solver::{Limits, SatResult, Solver};

struct Sink(Rc<RefCell<Limits>>);

impl io::Write for Sink {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.0.borrow().is_reached() {
            return Err(io::Error::other("a limit was reached"));
        }
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Loaded {
    solver: varisat::Solver<'static>,
    n_clauses: usize,
    /// Where the limits of the present question are put; `None` if no proof is written.
    limits: Option<Rc<RefCell<Limits>>>,
}

/// See [`Solver`].
#[derive(Default)]
pub struct Varisat {
    clauses: Cnf,
    loaded: Option<Loaded>,
}

fn to_varisat(lit: Lit) -> varisat::Lit {
    varisat::Lit::from_index(lit.var().index(), lit.is_pos())
}

fn from_varisat(lit: varisat::Lit) -> Lit {
    Var(lit.index() as u32).lit(lit.is_positive())
}

impl Solver for Varisat {
    fn reserve_vars(&mut self, n_vars: usize) {
        self.clauses.reserve_vars(n_vars);
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        let n_vars = clause.iter().map(|l| l.var().index() + 1).max().unwrap_or(0);
        self.clauses.reserve_vars(n_vars);
        self.clauses.add(clause);
    }

    fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> SatResult {
        if limits.is_reached() {
            return SatResult::Interrupted;
        }
        let usable = |l: &Loaded| l.limits.is_some() || limits.are_none();
        let mut loaded = match self.loaded.take().filter(usable) {
            Some(loaded) => loaded,
            None => {
                let mut solver = varisat::Solver::new();
                let mut shared = None;
                if !limits.are_none() {
                    let cell = Rc::new(RefCell::new(Limits::default()));
                    solver.write_proof(Sink(cell.clone()), ProofFormat::Varisat);
                    shared = Some(cell);
                }
                Loaded { solver, n_clauses: 0, limits: shared }
            }
        };
        if let Some(cell) = &loaded.limits {
            *cell.borrow_mut() = limits.clone();
        }
        let mut lits = Vec::new();
        for i in loaded.n_clauses..self.clauses.n_clauses() {
            lits.clear();
            lits.extend(self.clauses.clause(i).iter().map(|&l| to_varisat(l)));
            loaded.solver.add_clause(&lits);
        }
        loaded.n_clauses = self.clauses.n_clauses();
        let assumed: Vec<varisat::Lit> = assumptions.iter().map(|&l| to_varisat(l)).collect();
        loaded.solver.assume(&assumed);
        let result = match loaded.solver.solve() {
            Ok(true) => {
                let mut values = vec![false; self.clauses.n_vars()];
                for lit in loaded.solver.model().expect("a model after sat") {
                    if let Some(value) = values.get_mut(lit.index()) {
                        *value = lit.is_positive();
                    }
                }
                SatResult::Sat(values)
            }
            Ok(false) => {
                let core = loaded.solver.failed_core().expect("a core after unsat");
                let core: Vec<Lit> = core.iter().map(|&l| from_varisat(l)).collect();
                SatResult::Unsat(assumptions.iter().copied().filter(|l| core.contains(l)).collect())
            }
            // The sink failed: the solver is of no more use.
            Err(_) => return SatResult::Interrupted,
        };
        self.loaded = Some(loaded);
        result
    }
}
