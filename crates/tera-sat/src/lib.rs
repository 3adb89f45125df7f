//! Literals, clauses, DIMACS, the solver trait and its back ends, and the enumerating solver.

#[cfg(feature = "batsat")]
mod batsat;
mod cnf;
pub mod enumerate;
mod solver;
#[cfg(feature = "varisat")]
mod varisat;

#[cfg(feature = "batsat")]
pub use batsat::Batsat;
pub use cnf::{Cnf, Lit, Var};
pub use solver::{Limits, SatResult, Solver};
#[cfg(feature = "varisat")]
pub use varisat::Varisat;
