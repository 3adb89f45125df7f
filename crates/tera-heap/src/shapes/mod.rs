//! The types of the standard library, one file per kind.

mod cell;
mod keyed;
mod newtype;
mod object;
mod pointer;
mod raw;
mod scalar;
mod sequence;
mod shared;
mod text;
mod tuple;
mod wrapper;
