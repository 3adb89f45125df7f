//! The types of the standard library, one file per kind.

mod cell;
mod pointer;
mod raw;
mod scalar;
mod shared;
