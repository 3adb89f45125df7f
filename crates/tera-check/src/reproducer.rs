//! A counterexample as a test of its own: Rust that builds the input and calls the subject.

use tera_rel::Instance;

use crate::contract::Contract;
use crate::prepare::Prepared;

/// The statements; empty when the input has no plain Rust expression.
pub fn code(contract: &Contract, prepared: &Prepared, input: &Instance) -> String {
    let _ = (contract, prepared, input);
    String::new()
}
