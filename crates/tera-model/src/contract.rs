//! Contracts: a precondition over one state, a postcondition over two.
//!
//! The formulas see the names of the root module and the parameters. *TestEra style* (no `var`
//! field in the file): in a postcondition a name followed by a back-tick is the pre-state, an
//! unmarked one the post-state. *Alloy 6 style* (the file declares `var`): unmarked names are the
//! pre-state, primed expressions and what stands under `after` the post-state.
//!
//! Both states share one universe. An argument that is an object has one value, the same in both
//! states: the object that was passed, whose fields may have changed. A number or collection that
//! is passed by `&mut` has two: the marked name is the value before in TestEra style; in Alloy 6 style `v'` and `v`.

use tera_rel::{NodeId, Problem, RelId, Schema};
use tera_syntax::Span;

use crate::{Failure, LowerOptions, Lowered, Origin, Spec};

/// An argument or the result, as the formulas see it.
#[derive(Clone, Debug)]
pub struct ContractParam {
    pub name: String,
    /// What Alloy would write behind the colon: `List`, `lone Node`, `set Node`, `Int -> lone Int`.
    pub bound: String,
    /// The result: unknown to the precondition, and the same with and without a mark.
    pub is_result: bool,
    /// An argument that has two values, before and after the call.
    pub changes: bool,
}

/// The formulas of a contract; an empty text is true.
#[derive(Clone, Default, Debug)]
pub struct ContractText {
    pub requires: String,
    pub ensures: String,
    /// Holds before and after the call. In the postcondition its unmarked names are the post-state
    /// in both styles.
    pub invariant: String,
}

/// How much larger the universe of the postcondition is than that of the precondition: the subject
/// may make new objects and numbers out of the scope.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Widen {
    /// Further atoms of top-level signatures.
    pub objects: Vec<(String, usize)>,
    /// The least and greatest Int atom there must be at least.
    pub ints: Option<(i64, i64)>,
    pub strings: Vec<String>,
}

/// The postcondition, over relations of both states.
pub struct Post {
    /// Its relations are those of the pre-state and then those of the post-state; its conjuncts are
    /// those of `ensures` and `invariant`, split as far as predicates and `and` go, so that each
    /// can be judged by itself. Atoms have the names they have in the precondition's universe.
    pub problem: Problem,
    /// For each conjunct, where it was written and what it is (`sorted[list]`).
    pub origins: Vec<Origin>,
    /// As in [`Lowered::spans`].
    pub spans: Vec<Option<Span>>,
    /// The names of the relations that hold the pre-state, arguments included.
    pub before: Schema,
    /// Of those that hold the post-state, arguments and result included. A relation that does not
    /// change (not `var`, in Alloy 6 style) is the same as in `before`.
    pub after: Schema,
}

impl Post {
    pub fn span(&self, node: NodeId) -> Option<Span> {
        self.spans.get(node.0 as usize).copied().flatten()
    }

    /// Whether the value of a relation of `after` is that of `before` by definition.
    pub fn is_shared(&self, rel: RelId) -> bool {
        self.before.sigs.iter().map(|s| s.rel).any(|r| r == rel)
            || self.before.fields.iter().any(|f| f.rel == rel)
            || self.before.params.iter().any(|p| p.rel == rel)
    }
}

impl Spec {
    /// The inputs: facts, invariant and precondition, with the parameters as relations (in
    /// `schema.params`), *rooted*: no heap object outside what the parameters reach.
    pub fn lower_precondition(
        &self,
        params: &[ContractParam],
        text: &ContractText,
        options: &LowerOptions,
    ) -> Result<Lowered, Failure> {
        let _ = (params, text, options);
        Err(Failure { sources: Default::default(), diagnostics: Vec::new() })
    }

    /// The oracle. `options` are those of the precondition.
    pub fn lower_postcondition(
        &self,
        params: &[ContractParam],
        text: &ContractText,
        options: &LowerOptions,
        widen: &Widen,
    ) -> Result<Post, Failure> {
        let _ = (params, text, options, widen);
        Err(Failure { sources: Default::default(), diagnostics: Vec::new() })
    }
}
