//! Choices, object pools, delayed values, access-guided search.
//!
//! Two ways to say which structures exist, one way to visit each of them once:
//! - a *program with choices* ([`Choices`]) says how to build a value; [`Explore`] runs it once for every
//!   sequence of choices;
//! - a *predicate* says which values are valid; [`Finitization`] bounds the candidates, and the search
//!   follows the fields that the predicate reads.
//!
//! Everything here is deterministic: the same program gives the same runs in the same order, on any
//! machine and any number of threads.

mod build;
mod candidate;
mod choices;
pub mod dedicated;
mod delayed;
mod describe;
pub mod door;
mod explore;
mod field;
mod finitization;
mod generator;
mod parallel;
mod pointer;
mod pool;
mod random;
mod search;
mod sequence;
mod sequences;
mod shape;
mod visited;

pub use build::Builder;
pub use candidate::Candidate;
pub use choices::{Choices, Int};
pub use delayed::Later;
pub use explore::{Explore, Failure, Outcome, Report, Runs, Summary, Verdict, replay};
pub use field::{Field, FieldRef, Handle, Object, Place, Structure, undo};
pub use finitization::{Datum, Finitization, FinitizationError, IntoValues};
pub use generator::{Generator, element_of, int, just, one_of, sized};
pub use pool::{Pool, Sym, SymOrNull};
pub use search::{Inputs, Search, SearchSummary};
pub use sequence::SeqRef;
pub use sequences::Sequences;
pub use shape::{Declare, Default as DefaultValues, Part, Shape};
pub use tera_derive::Candidate;
pub use visited::Visited;

// The derive names this crate by its own name, also inside of it.
extern crate self as tera_explore;
