//! Specification-based testing for Rust: the library face of tera.

pub use tera_heap as heap;
pub use tera_heap::Heap;
