//! Literals, clauses, DIMACS, the solver trait and its back ends, and the enumerating solver.

#[cfg(feature = "batsat")]
mod batsat;
mod cnf;
mod dimacs;
pub mod enumerate;
mod solver;
#[cfg(all(test, feature = "batsat", feature = "varisat"))]
mod solver_tests;
#[cfg(feature = "varisat")]
mod varisat;

#[cfg(feature = "batsat")]
pub use batsat::Batsat;
pub use cnf::{Cnf, Lit, Var};
pub use dimacs::{DimacsError, read_dimacs, write_dimacs};
pub use solver::{Limits, SatResult, Solver};
#[cfg(feature = "varisat")]
pub use varisat::Varisat;
