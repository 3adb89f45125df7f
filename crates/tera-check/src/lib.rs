//! Contracts, oracle, guarded execution, counterexamples, reproducers.
