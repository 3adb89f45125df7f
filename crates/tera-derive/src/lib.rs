//! Derives for the mapping between instances and Rust values.
