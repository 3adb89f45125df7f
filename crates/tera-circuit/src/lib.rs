//! And-inverter graph, sparse boolean matrices, exact integers, clause encoding.
//!
//! Knows no relations, only indices and bits. Deterministic: the same calls build the same graph
//! and the same clauses.

mod assume;
mod circuit;
mod count;
mod encode;
mod matrix;
mod number;

pub use assume::assume_roots;
pub use circuit::{Bit, Circuit, value_of};
pub use count::Unary;
pub use encode::{Encoder, encode};
pub use matrix::Matrix;
pub use number::{MAX_WIDTH, Number, TooWide};
