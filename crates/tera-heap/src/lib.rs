//! The mapping between instances and Rust values, both ways.
//!
//! ```text
//! types  --Describer-->  TypeGraph  --Binding::new(graph, problem, schema)-->  Binding
//! Instance --Concretizer--> values (and Made: which object is which atom)
//! values --Abstractor--> Instance (and Outcome: dead pointers, missing atoms)
//! ```
//!
//! Names are resolved once, in the [`Binding`]; per input only bits and values move. An object is
//! an atom; pointers and cells are nothing; a field is a relation (`shapes` has one file per kind
//! of Rust type). `#[derive(Heap)]` implements [`Concretize`] and [`Abstraction`] for structs and
//! enums; foreign types can be given them by hand.
//!
#![doc = include_str!("../MAPPING.md")]

// The derive names this crate by a path from outside.
extern crate self as tera_heap;

mod abstraction;
mod arena;
mod bind;
mod bits;
mod concretize;
mod declare;
mod deep;
mod describe;
mod facts;
mod known;
mod natural;
mod plan;
mod shapes;
mod source;
mod states;

pub use abstraction::{
    Abstraction, Abstractor, Among, Before, DeadPointer, Liveness, Needs, Outcome, Place, Seen, Status,
};
pub use arena::{ArenaField, arena_shape, index_shape, replace_ints};
pub use bind::BindError;
pub use concretize::{Concretize, Concretizer, Fault, Heap, Made, OneTuple, Placed, Stop};
pub use declare::{declaration, specification};
pub use describe::{
    Describer, FieldDesc, Mapped, Null, Numbering, RootDesc, Seq, Shape, Style, TypeDesc, TypeGraph, TypeIx,
    VariantDesc, Wrap,
};
pub use facts::{FactKind, OwnershipFact, ownership_facts};
pub use known::Known;
pub use natural::{Extent, natural};
pub use plan::{Binding, FieldName, Leaf, Plan, TypePlan, VariantPlan};
pub use source::{Source, source};
pub use states::{Meaning, States};
pub use tera_derive::Heap;
