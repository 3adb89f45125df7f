//! Specification-based testing for Rust: the library face of tera.
