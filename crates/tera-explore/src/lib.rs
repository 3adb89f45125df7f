//! Choices, object pools, delayed values, access-guided search.
