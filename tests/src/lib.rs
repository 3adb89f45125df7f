//! The tests of the whole live in `tests/` beside this file; see README.md here.
