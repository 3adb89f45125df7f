//! Choices, object pools, delayed values, access-guided search.
//!
//! Two ways to say which structures exist, one way to visit each of them once:
//! - a *program with choices* ([`Choices`]) says how to build a value; [`Explore`] runs it once for every
//!   sequence of choices;
//! - a *predicate* says which values are valid; the search follows the fields that it reads.
//!
//! Everything here is deterministic: the same program gives the same runs in the same order, on any
//! machine and any number of threads.

mod choices;
mod explore;
mod generator;
mod parallel;
mod random;

pub use choices::{Choices, Int};
pub use explore::{Explore, Failure, Outcome, Report, Runs, Summary, Verdict, replay};
pub use generator::{Generator, element_of, int, just, one_of, sized};
