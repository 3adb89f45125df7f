//! Literals, clauses, DIMACS, the solver trait and its back ends, and the enumerating solver.

mod cnf;
pub mod enumerate;

pub use cnf::{Cnf, Lit, Var};
