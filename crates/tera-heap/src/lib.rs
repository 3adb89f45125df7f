//! The mapping between instances and Rust values, both ways.
