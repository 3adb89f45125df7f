//! The typed tree: expressions with resolved names and bounding types, in one arena.
//!
//! Every constructor computes the type from the operands (bottom-up); an overloaded name is a
//! [`Kind::Choice`] until [`crate::relevance`] picks one of its meanings from the type that the
//! surroundings find relevant (top-down). Errors are values that travel upwards with the node, so
//! that a meaning that is not chosen does not complain.

use std::num::NonZeroU32;

use tera_syntax::ast::Mult;
use tera_syntax::{Diagnostic, Span, Symbol};

use crate::types::{SigIx, TypeId};

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index!(
    /// An expression in [`crate::world::World::nodes`].
    TId,
    /// A local name: quantified variable, parameter, `let`, `this`.
    VarIx,
    FieldIx,
    FuncIx,
    MacroIx,
    AssertIx
);

/// A set of errors, see [`ErrNode`]. Never 0, so that its absence costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ErrId(NonZeroU32);

impl ErrId {
    pub fn new(index: usize) -> ErrId {
        ErrId(NonZeroU32::MIN.saturating_add(index as u32))
    }

    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum UnOp {
    // Multiplicities of a bound.
    SomeOf,
    LoneOf,
    OneOf,
    SetOf,
    ExactlyOf,
    // Formulas.
    Not,
    No,
    Some,
    Lone,
    One,
    // Relations.
    Transpose,
    ReflexiveClosure,
    Closure,
    // Numbers.
    Card,
    /// The sum of a set of integers; nothing on a number.
    ToNumber,
    /// The atom of a number; nothing on a set.
    ToSet,
    /// Carries an error, or stands for parentheses that matter.
    Noop,
    // States.
    Prime,
    PreState,
    Always,
    Eventually,
    After,
    Before,
    Historically,
    Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BinOp {
    Arrow(Mult2, Mult2),
    /// `seq e`: a function from an initial segment of the indices
    SeqArrow,
    Join,
    Domain,
    Range,
    Intersect,
    Override,
    Union,
    Difference,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Sha,
    Shr,
    Eq,
    NotEq,
    In,
    NotIn,
    /// `<`, `<=`, `>`, `>=`; the flag negates
    Compare(Order, bool),
    Implies,
    Iff,
    Temporal,
}

/// A multiplicity beside an arrow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Mult2 {
    Set,
    Some,
    Lone,
    One,
}

impl Mult2 {
    pub fn of(mult: Mult) -> Mult2 {
        match mult {
            Mult::Some => Mult2::Some,
            Mult::Lone => Mult2::Lone,
            Mult::One => Mult2::One,
            Mult::Set | Mult::No => Mult2::Set,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Order {
    Lt,
    Lte,
    Gt,
    Gte,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ListOp {
    And,
    Or,
    Disjoint,
    TotalOrder,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum QuantOp {
    All,
    No,
    Some,
    Lone,
    One,
    Sum,
    Comprehension,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Constant {
    True,
    Iden,
    /// The empty relation of no particular origin (meta fields).
    Empty,
    Min,
    Max,
    Next,
    Number(i64),
    Str(Symbol),
}

/// `disj a, b: bound` of a quantifier or a parameter list.
#[derive(Clone, Debug)]
pub(crate) struct TDecl {
    pub vars: Vec<VarIx>,
    pub disj: bool,
    pub bound: TId,
}

/// One meaning of an overloaded name, with words for a message.
#[derive(Clone, Debug)]
pub(crate) struct Meaning {
    pub expr: TId,
    pub what: Box<str>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Sig(SigIx),
    Field(FieldIx),
    Var(VarIx),
    Constant(Constant),
    Unary(UnOp, TId),
    Binary(BinOp, TId, TId),
    List(ListOp, Box<[TId]>),
    IfElse(TId, TId, TId),
    Quant {
        op: QuantOp,
        decls: Box<[TDecl]>,
        body: TId,
    },
    Let {
        var: VarIx,
        value: TId,
        body: TId,
    },
    Call {
        func: FuncIx,
        args: Box<[TId]>,
        extra: u32,
    },
    /// A call that lacks arguments, has wrong ones or too many.
    BadCall {
        func: FuncIx,
        args: Box<[TId]>,
        extra: u32,
    },
    /// A join of two sets. With a macro on the right it may become a call.
    BadJoin(TId, TId),
    Choice(Box<[Meaning]>),
    /// A macro that lacks arguments.
    Macro(MacroIx, Box<[TId]>),
    Bad,
}

/// How far an expression carries a multiplicity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Carries {
    Nothing,
    /// `one e`, `set e`, … at the top
    Keyword,
    /// An arrow with multiplicities
    Arrow,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub kind: Kind,
    pub span: Span,
    pub ty: TypeId,
    /// The penalty by which otherwise equal meanings of a name are told apart.
    pub weight: u32,
    pub carries: Carries,
    /// Holds an unresolved choice.
    pub ambiguous: bool,
    pub err: Option<ErrId>,
}

/// Errors form a tree so that joining is cheap.
#[derive(Clone, Debug)]
pub(crate) enum ErrNode {
    One(Box<Diagnostic>),
    /// What is wrong with this call, join or macro; put into words only when it matters.
    Of(TId),
    Both(ErrId, ErrId),
    /// Follows from an error that was reported elsewhere.
    Silent,
}

#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub name: Symbol,
    pub ty: TypeId,
    pub span: Span,
    pub used: bool,
}

impl Kind {
    /// Visits the ids of the direct parts.
    pub fn for_each_child(&mut self, mut visit: impl FnMut(&mut TId)) {
        match self {
            Kind::Sig(_) | Kind::Field(_) | Kind::Var(_) | Kind::Constant(_) | Kind::Bad => {}
            Kind::Unary(_, sub) => visit(sub),
            Kind::Binary(_, a, b) | Kind::BadJoin(a, b) => [a, b].into_iter().for_each(visit),
            Kind::IfElse(a, b, c) => [a, b, c].into_iter().for_each(visit),
            Kind::Let { value, body, .. } => [value, body].into_iter().for_each(visit),
            Kind::List(_, items)
            | Kind::Call { args: items, .. }
            | Kind::BadCall { args: items, .. }
            | Kind::Macro(_, items) => items.iter_mut().for_each(visit),
            Kind::Quant { decls, body, .. } => {
                decls.iter_mut().for_each(|d| visit(&mut d.bound));
                visit(body);
            }
            Kind::Choice(meanings) => meanings.iter_mut().for_each(|m| visit(&mut m.expr)),
        }
    }
}
