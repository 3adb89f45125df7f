//! Choices, object pools, delayed values, access-guided search.
//!
//! Two ways to say which structures exist, one way to visit each of them once:
//! - a *program with choices* ([`Choices`]) says how to build a value; [`Explore`] runs it once for every
//!   sequence of choices;
//! - a *predicate* says which values are valid; [`Finitization`] bounds the candidates, and the search
//!   follows the fields that the predicate reads.
//!
//! # A predicate that generates
//!
//! ```
//! use tera_explore::{Candidate, Finitization};
//!
//! #[derive(Candidate, Debug)]
//! struct Tree { root: Option<Box<Node>> }
//!
//! #[derive(Candidate, Debug)]
//! struct Node { left: Option<Box<Node>>, right: Option<Box<Node>>, key: u8 }
//!
//! // Written once: on candidates of the search, and on real trees.
//! fn is_search_tree(tree: TreeRef) -> bool {
//!     fn within(node: Option<NodeRef>, lo: u8, hi: u8) -> bool {
//!         node.is_none_or(|node| {
//!             let key = node.key();
//!             lo <= key && key < hi && within(node.left(), lo, key) && within(node.right(), key + 1, hi)
//!         })
//!     }
//!     within(tree.root(), 0, u8::MAX)
//! }
//!
//! // At most 3 nodes, keys 0..=3 by default, here 0..3: the 15 trees of the paper.
//! let space = Finitization::<Tree>::of(3).values("Node.key", 0..3_u8);
//! let trees: Vec<Tree> = space.inputs(is_search_tree).unwrap().collect();
//! assert_eq!(trees.len(), 15);
//! assert!(trees.iter().all(|tree| is_search_tree(tree.into())));
//! ```
//!
//! In a test, `#[testera::check(requires = is_search_tree, scope = 6)]` does all of that. When the search
//! tries too much, [`Search::explanation`] says which field decided most refusals; requiring its value
//! ([`FieldRef::require`], [`dedicated`]) instead of testing it prunes the candidates. When it must be
//! faster still, write the structure as a program with choices.
//!
//! # A program with choices
//!
//! See [`Choices`] for immediate, [`Choices::later`] for delayed choices, [`Choices::pool`] for objects
//! without names, [`Generator`] for values that compose. `examples/hash_set.rs` takes a structure from its
//! declaration to tested methods, both ways.
//!
//! # A subject inside the search
//!
//! The negated contract is a predicate like any other: what it accepts are the counterexamples. A method that
//! is written against the view runs inside the search, and fields that it never reads are never enumerated.
//! It changes fields by [`FieldRef::set`] and makes objects by [`allocate`]; both are undone after the run,
//! or by [`undo`], to judge the state before. [`FieldRef::peek`] looks at what has been read already, so that
//! the precondition need not read more than the subject does.
//!
//! ```
//! use tera_explore::{Candidate, Finitization, allocate};
//!
//! #[derive(Candidate)]
//! struct Stack { top: Option<Box<Entry>> }
//! #[derive(Candidate)]
//! struct Entry { value: u8, below: Option<Box<Entry>> }
//!
//! // Forgets what was there: the fault shows whatever the entries hold, so their values stay open.
//! fn push(stack: StackRef, value: u8) {
//!     let entry = allocate::<Entry>(stack);
//!     entry.value_field().set(value);
//!     stack.top_field().set(Some(entry));
//! }
//!
//! let height = |stack: StackRef| std::iter::successors(stack.top(), |entry| entry.below()).count();
//! let loses = |stack: StackRef| {
//!     let before = height(stack);
//!     push(stack, 7);
//!     height(stack) != before + 1
//! };
//! let found = Finitization::<Stack>::of(2).count(loses).unwrap();
//! // Stacks of one and of two entries with values 0..=2, from three runs.
//! assert_eq!((found.structures, found.candidates), (3 + 9, 3));
//! ```
//!
//! # Structures told as calls
//!
//! [`Sequences`] finds a shortest sequence of calls that builds a given structure, so that a counterexample
//! can be told as calls of methods.
//!
//! Everything here is deterministic: the same program gives the same runs in the same order, on any
//! machine and any number of threads.

mod build;
mod candidate;
mod cell;
mod choices;
mod compare;
pub mod dedicated;
mod delayed;
mod describe;
pub mod door;
mod explore;
mod field;
mod field_ref;
mod finitization;
mod generator;
mod handle;
mod parallel;
mod pointer;
mod pool;
mod random;
mod search;
mod sequence;
mod sequences;
mod shape;
mod text;
mod visited;
mod watch;

pub use build::Builder;
pub use candidate::Candidate;
pub use choices::{Choices, Int};
pub use compare::{Difference, compare};
pub use delayed::Later;
pub use explore::{Explore, Failure, Outcome, Report, Runs, Summary, Verdict, replay};
pub use field::{Field, Structure};
pub use field_ref::FieldRef;
pub use finitization::{Datum, Finitization, FinitizationError, IntoValues};
pub use generator::{Generator, element_of, int, just, one_of, sized};
pub use handle::{Handle, Object, Place, Within, allocate, undo};
pub use pool::{Pool, Sym, SymOrNull};
pub use search::{Inputs, Search, SearchSummary};
pub use sequence::SeqRef;
pub use sequences::Sequences;
pub use shape::{Declare, Default as DefaultValues, Part, Shape};
pub use tera_derive::Candidate;
pub use text::TextRef;
pub use visited::Visited;
pub use watch::Watch;

// The derive names this crate by its own name, also inside of it.
extern crate self as tera_explore;
