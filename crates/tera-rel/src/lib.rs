//! Relational logic: universe, tuple sets, bounds, instances, hash-consed formulas, the ground
//! evaluator, the brute-force finder, canonical form and automorphisms of an instance.
//!
//! Knows no syntax and no SAT: it is the judge of what the finder finds.

mod brute_force;
mod canonical;
mod context;
mod evaluate;
mod formula;
mod problem;
mod schema;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tuple_set;
mod universe;
mod witness;

pub use brute_force::brute_force;
pub use canonical::{Canonical, canonical_form};
pub use context::Context;
pub use evaluate::{EvalError, Evaluator, Explanation, Value};
pub use formula::{
    Arena, ConstId, Decl, DeclMult, ExprOp, IntCmp, IntOp, IntSemantics, Node, NodeId, Overflow, Quant,
    RelId, SizeTest, Sort, VarId,
};
pub use problem::{Instance, Problem, Relation, Role};
pub use schema::{FieldInfo, FieldMult, ParamInfo, Schema, SigId, SigInfo, SigKind};
pub use tuple_set::TupleSet;
pub use universe::{Atom, AtomId, AtomKind, Universe};
pub use witness::{Witness, show_witnesses, witnesses};
