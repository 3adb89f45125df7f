//! Contracts, oracle, guarded execution, counterexamples, reproducers.

pub mod guard;
pub mod memory;
