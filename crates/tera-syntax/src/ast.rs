//! The syntax tree: a pure value. Expressions lie in one arena per file ([`File::exprs`]),
//! children before parents, so that deep trees neither recurse on drop nor need lifetimes.
//!
//! The tree stays close to the text: names are unresolved (`a/b/c` is one symbol), `no`, `some`,
//! `lone`, `one`, `set` in front of an expression are [`UnaryOp`]s whose meaning (test or
//! multiplicity) the resolver decides from the place, and `a.b[c]` is kept as written.

use crate::span::Span;
use crate::symbol::Symbol;

/// Index of an expression in [`File::exprs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

/// A possibly qualified name such as `next`, `this/A` or `util/ordering/first`, with blanks
/// around the slashes removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    pub symbol: Symbol,
    pub span: Span,
}

/// One source file.
#[derive(Clone, Default, Debug)]
pub struct File {
    pub header: Option<Header>,
    pub opens: Vec<Open>,
    /// In the order of the text.
    pub paragraphs: Vec<Paragraph>,
    pub exprs: Vec<Expr>,
}

impl File {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
}

/// `module path[exactly A, B]`
#[derive(Clone, Debug)]
pub struct Header {
    pub name: Name,
    pub params: Vec<ModuleParam>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ModuleParam {
    pub exactly: bool,
    pub name: Name,
}

/// `private open path[A, B] as alias`
#[derive(Clone, Debug)]
pub struct Open {
    pub private: bool,
    pub path: Name,
    pub args: Vec<Name>,
    pub alias: Option<Name>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Paragraph {
    Sig(SigDecl),
    Enum(EnumDecl),
    Fact(Fact),
    Assert(Assert),
    /// `pred` and `fun`; a function has a result.
    Callable(Callable),
    Macro(Macro),
    Command(Command),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mult {
    No,
    Lone,
    One,
    Some,
    Set,
}

#[derive(Clone, Debug)]
pub struct SigDecl {
    pub private: Option<Span>,
    pub var: Option<Span>,
    pub is_abstract: Option<Span>,
    /// `lone`, `one` or `some`
    pub mult: Option<(Mult, Span)>,
    pub names: Vec<Name>,
    pub parent: SigParent,
    pub fields: Vec<Decl>,
    /// The block behind the fields, `{ … }`; an implicit `all this: S`.
    pub appended: Option<ExprId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum SigParent {
    None,
    Extends(Name),
    /// `in A + B`
    In(Vec<Name>),
    /// `= A + B`
    Equals(Vec<Name>),
}

/// `disj a, b: disj set e`, also `private`, `var`, and `a = e` (then `defined`).
/// Used for fields, parameters and quantified variables.
#[derive(Clone, Debug)]
pub struct Decl {
    pub private: Option<Span>,
    pub var: Option<Span>,
    /// `disj` in front of the names
    pub disj: Option<Span>,
    pub names: Vec<Name>,
    /// `disj` in front of the bound
    pub disj_bound: Option<Span>,
    /// `f = e` in place of `f: e`
    pub defined: bool,
    pub bound: ExprId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct EnumDecl {
    pub private: Option<Span>,
    pub name: Name,
    pub values: Vec<Name>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Fact {
    /// An identifier, or the text between the quotes.
    pub name: Option<Name>,
    pub body: ExprId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Assert {
    pub name: Option<Name>,
    pub body: ExprId,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Callable {
    pub private: Option<Span>,
    /// `pred A.p[...]`: the first parameter is `this: A`.
    pub receiver: Option<Name>,
    pub name: Name,
    pub params: Vec<Decl>,
    /// The result of a function; `None` for a predicate.
    pub result: Option<ExprId>,
    pub body: ExprId,
    pub span: Span,
}

/// `let name[a, b] = e` or `let name[a, b] { … }` at the top of a file.
#[derive(Clone, Debug)]
pub struct Macro {
    pub private: Option<Span>,
    pub name: Name,
    pub params: Vec<Name>,
    pub body: ExprId,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandKind {
    Run,
    Check,
}

/// `label: run p for 3 but exactly 2 A expect 1`. `c1 => c2` chains are separate commands with
/// `follows` set on the later one.
#[derive(Clone, Debug)]
pub struct Command {
    pub kind: CommandKind,
    pub label: Option<Name>,
    pub target: CommandTarget,
    pub scope: Scope,
    pub expect: Option<Expect>,
    pub follows: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum CommandTarget {
    /// A predicate, function or assertion.
    Name(Name),
    /// `run { … }`, also `run name { … }`, where the name is the label.
    Block(ExprId),
}

/// What follows `for`. All absent when there is no `for`.
#[derive(Clone, Default, Debug)]
pub struct Scope {
    /// `for 3`
    pub overall: Option<i64>,
    pub entries: Vec<ScopeEntry>,
    pub span: Option<Span>,
}

/// `exactly 3 A`, `2..4 A`, `1..5 steps`, `-2..2 Int` (tera's own).
#[derive(Clone, Debug)]
pub struct ScopeEntry {
    pub exactly: bool,
    pub low: Option<i64>,
    pub high: ScopeBound,
    /// `: increment`
    pub increment: Option<i64>,
    pub target: ScopeTarget,
    pub span: Span,
}

impl ScopeEntry {
    /// A scope that grows, `low..high:increment`, after so many increments; the last size repeats.
    /// Other scopes have one size.
    pub fn size_after(&self, n_increments: u64) -> i64 {
        match (self.low, self.high) {
            (Some(low), ScopeBound::Number(high)) => {
                let increment = self.increment.unwrap_or(1).max(1);
                let n = (n_increments as i64).min((high - low) / increment);
                low + n * increment
            }
            (Some(low), ScopeBound::Open) => low,
            (None, ScopeBound::Number(size)) => size,
            (None, ScopeBound::Open) => 0,
        }
    }

    /// How many sizes it has.
    pub fn n_sizes(&self) -> u64 {
        match (&self.target, self.low, self.high) {
            (ScopeTarget::Sig(_), Some(low), ScopeBound::Number(high)) if low <= high => {
                ((high - low) / self.increment.unwrap_or(1).max(1)) as u64 + 1
            }
            _ => 1,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScopeBound {
    Number(i64),
    /// `3.. A`, no upper end
    Open,
}

#[derive(Clone, Debug)]
pub enum ScopeTarget {
    Sig(Name),
    Int,
    Seq,
    String,
    Univ,
    Steps,
}

/// `expect 1`, or tera's `expect 5 upto iso`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expect {
    pub value: i64,
    pub upto_iso: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Any name: also `this`, `univ`, `iden`, `none`, `Int`, `seq/Int`, `String`, `steps`, `disj`,
    /// `fun/min`, `fun/max`, `fun/next`, `pred/totalOrder`, `A$`, `sig$`.
    Name(Name),
    /// `@name`: no implicit `this.`
    AtName(Name),
    /// A decimal, `0x` or `0b` literal, with a minus in front if that is a part of the literal
    /// (`= -5`, but not `a -5`); too large ones are diagnosed by the parser.
    Number(i64),
    /// A string literal, the text between the quotes with escapes undone.
    Str(Symbol),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `a m -> n b`
    Arrow {
        left: ExprId,
        left_mult: Mult,
        right_mult: Mult,
        right: ExprId,
    },
    /// `c => a else b` (`=>` without `else` is [`BinaryOp::Implies`])
    IfElse {
        cond: ExprId,
        then: ExprId,
        els: ExprId,
    },
    /// `e[a, b]`
    Box {
        target: ExprId,
        args: Vec<ExprId>,
    },
    /// `q decls | body`
    Quant {
        quant: Quant,
        decls: Vec<Decl>,
        body: ExprId,
    },
    /// `{ decls | body }`; the body is absent in `{ x: A }`.
    Comprehension {
        decls: Vec<Decl>,
        body: Option<ExprId>,
    },
    /// `let a = e, b = f | body`
    Let {
        bindings: Vec<(Name, ExprId)>,
        body: ExprId,
    },
    /// `{ f g h }`, a conjunction; empty is true.
    Block(Vec<ExprId>),
    /// An expression that could not be parsed; already diagnosed.
    Error,
}

impl ExprKind {
    /// Visits the expressions directly below this one, those of declarations included, in the
    /// order of the text.
    pub fn for_each_child(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            ExprKind::Name(_)
            | ExprKind::AtName(_)
            | ExprKind::Number(_)
            | ExprKind::Str(_)
            | ExprKind::Error => {}
            ExprKind::Unary(_, inner) => visit(*inner),
            ExprKind::Binary(_, left, right) | ExprKind::Arrow { left, right, .. } => {
                visit(*left);
                visit(*right);
            }
            ExprKind::IfElse { cond, then, els } => [*cond, *then, *els].into_iter().for_each(visit),
            ExprKind::Box { target, args } => {
                visit(*target);
                args.iter().copied().for_each(visit);
            }
            ExprKind::Quant { decls, body, .. } => {
                decls.iter().for_each(|decl| visit(decl.bound));
                visit(*body);
            }
            ExprKind::Comprehension { decls, body } => {
                decls.iter().for_each(|decl| visit(decl.bound));
                body.iter().copied().for_each(visit);
            }
            ExprKind::Let { bindings, body } => {
                bindings.iter().for_each(|&(_, value)| visit(value));
                visit(*body);
            }
            ExprKind::Block(items) => items.iter().copied().for_each(visit),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quant {
    All,
    No,
    Some,
    Lone,
    One,
    Sum,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Not,
    // A test of size in a formula, a multiplicity in a bound.
    No,
    Some,
    Lone,
    One,
    Set,
    /// Not in the text; [`Decl::defined`] says so. For consumers that want it as an operator.
    Exactly,
    /// `seq e`
    Seq,
    /// `#e`
    Card,
    /// `int e`, `int[e]` and `e.int`
    CastInt,
    /// `sum e`, `sum[e]` and `e.sum`; the same as [`UnaryOp::CastInt`]
    Sum,
    Transpose,
    Closure,
    ReflexiveClosure,
    /// `e'`
    Prime,
    /// tera's back-tick after a name: its value in the pre-state
    Before0,
    Always,
    Eventually,
    After,
    Before,
    Historically,
    Once,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Or,
    And,
    Implies,
    Iff,
    /// `a ; b` of Alloy 6: `a and after b`
    Sequence,
    Until,
    Releases,
    Since,
    Triggered,
    In,
    NotIn,
    Eq,
    NotEq,
    Lt,
    NotLt,
    Lte,
    NotLte,
    Gt,
    NotGt,
    Gte,
    NotGte,
    /// `<<`
    Shl,
    /// `>>`, arithmetic
    Sha,
    /// `>>>`, logical
    Shr,
    /// `+`
    Union,
    /// `-`
    Difference,
    /// `fun/add` and the like between two expressions
    FunAdd,
    FunSub,
    FunMul,
    FunDiv,
    FunRem,
    Override,
    Intersect,
    /// `<:`
    DomainRestrict,
    /// `:>`
    RangeRestrict,
    Join,
}
