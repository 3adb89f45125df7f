//! Relational formulas as `u32` ids into one hash-consed arena, children before parents: memo
//! tables are vectors, a bottom-up pass is a loop.
//!
//! The language is Kodkod's (Torlak 2009) with exact integers. Everything that depends on
//! names, types or scopes has been resolved before (`tera-model`): there are no `let`s, no calls,
//! `univ` is a union of relations, `no`/`lone`/`one` quantifiers are rewritten.

use rustc_hash::FxHashMap;

use crate::tuple_set::TupleSet;

/// Index of a node in its [`Arena`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// Index of a relation in [`crate::Problem::relations`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RelId(pub u32);

/// A variable bound by exactly one [`Decl`] in the whole arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// Index of a constant tuple set in its [`Arena`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstId(pub u32);

/// What a node denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    Formula,
    /// A relation of this arity (at least 1).
    Expr(u32),
    Int,
}

/// What values a variable takes: one tuple of its domain, or a set of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeclMult {
    /// A single tuple. First-order when the domain is unary.
    One,
    /// Any subset of the domain (higher-order).
    Set,
}

/// `var: mult domain`. The domain may mention the variables of earlier declarations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Decl {
    pub var: VarId,
    pub mult: DeclMult,
    pub domain: NodeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExprOp {
    Union,
    Intersect,
    Difference,
    Product,
    Join,
    Override,
    /// `s <: r`
    DomainRestrict,
    /// `r :> s`
    RangeRestrict,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    /// Rounds towards zero.
    Div,
    /// Has the sign of the dividend.
    Rem,
    Shl,
    /// `>>`: keeps the sign
    Sha,
    /// `>>>`: on the two's complement of [`IntSemantics::bit_width`] bits
    Shr,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntCmp {
    Eq,
    Lt,
    Lte,
    Gt,
    Gte,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SizeTest {
    No,
    Lone,
    One,
    Some,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quant {
    All,
    Some,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    // Formulas.
    True,
    False,
    Not(NodeId),
    And(Box<[NodeId]>),
    Or(Box<[NodeId]>),
    /// Kept apart from `Or`: `forbid` overflow treats them differently.
    Implies(NodeId, NodeId),
    Iff(NodeId, NodeId),
    /// `cond`, `then`, `else`, all formulas
    IfFormula(NodeId, NodeId, NodeId),
    Subset(NodeId, NodeId),
    /// Equality of two relations
    Equal(NodeId, NodeId),
    Size(SizeTest, NodeId),
    Compare(IntCmp, NodeId, NodeId),
    Quant(Quant, Box<[Decl]>, NodeId),
    /// `pred/totalOrder[elements, first, next]`: unary, unary, binary
    TotalOrder(NodeId, NodeId, NodeId),

    // Relations.
    Relation(RelId),
    Var(VarId),
    Const(ConstId),
    /// The empty relation of this arity
    Empty(u32),
    Binary(ExprOp, NodeId, NodeId),
    Transpose(NodeId),
    /// `^r`; `*r` is lowered to `^r` united with `iden`.
    Closure(NodeId),
    /// `cond`, `then`, `else`; the branches are relations of one arity
    IfExpr(NodeId, NodeId, NodeId),
    /// All declarations are [`DeclMult::One`] with unary domains; arity = their number.
    Comprehension(Box<[Decl]>, NodeId),
    /// The atom of a number, or the empty set if it has none.
    IntAtom(NodeId),

    // Integers.
    Int(i64),
    Card(NodeId),
    /// The sum of the integers in a unary set (other atoms count 0).
    SumSet(NodeId),
    /// `sum decls | body`
    Sum(Box<[Decl]>, NodeId),
    IntBinary(IntOp, NodeId, NodeId),
    /// `cond`, `then`, `else`; the branches are integers
    IfInt(NodeId, NodeId, NodeId),
}

impl Node {
    /// Calls `f` for every child, domains of declarations before bodies.
    pub fn for_each_child(&self, mut f: impl FnMut(NodeId)) {
        match self {
            Node::True
            | Node::False
            | Node::Relation(_)
            | Node::Var(_)
            | Node::Const(_)
            | Node::Empty(_)
            | Node::Int(_) => {}
            Node::Not(a)
            | Node::Size(_, a)
            | Node::Transpose(a)
            | Node::Closure(a)
            | Node::IntAtom(a)
            | Node::Card(a)
            | Node::SumSet(a) => f(*a),
            Node::And(parts) | Node::Or(parts) => parts.iter().for_each(|&p| f(p)),
            Node::Implies(a, b)
            | Node::Iff(a, b)
            | Node::Subset(a, b)
            | Node::Equal(a, b)
            | Node::Compare(_, a, b)
            | Node::Binary(_, a, b)
            | Node::IntBinary(_, a, b) => {
                f(*a);
                f(*b);
            }
            Node::IfFormula(a, b, c)
            | Node::TotalOrder(a, b, c)
            | Node::IfExpr(a, b, c)
            | Node::IfInt(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            Node::Quant(_, decls, body) | Node::Comprehension(decls, body) | Node::Sum(decls, body) => {
                decls.iter().for_each(|d| f(d.domain));
                f(*body);
            }
        }
    }

    /// The variables that this node binds.
    pub fn decls(&self) -> &[Decl] {
        match self {
            Node::Quant(_, decls, _) | Node::Comprehension(decls, _) | Node::Sum(decls, _) => decls,
            _ => &[],
        }
    }
}

/// How integers behave (DESIGN 2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Overflow {
    /// Mathematical integers; a number without an atom is simply not in `Int`. An atomic
    /// formula around a division by zero or a shift by a negative number is false.
    #[default]
    Exact,
    /// Two's complement of `bit_width` bits.
    Wrap,
    /// The Analyzer's "prevent overflows".
    Forbid,
}

/// The integers of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntSemantics {
    pub overflow: Overflow,
    /// Bits of the Int scope, at least those that hold every integer atom.
    pub bit_width: u32,
}

impl Default for IntSemantics {
    fn default() -> IntSemantics {
        IntSemantics { overflow: Overflow::Exact, bit_width: 4 }
    }
}

/// The hash-consed store of nodes. Invariant: a node's children have smaller ids, and no two ids
/// hold equal nodes.
#[derive(Clone, Default, Debug)]
pub struct Arena {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    ids: FxHashMap<Node, NodeId>,
    consts: Vec<TupleSet>,
    const_ids: FxHashMap<TupleSet, ConstId>,
    n_vars: u32,
    rel_arity: Vec<u32>,
    var_arity: Vec<u32>,
}

impl Arena {
    pub fn new() -> Arena {
        Arena::default()
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn sort(&self, id: NodeId) -> Sort {
        self.sorts[id.0 as usize]
    }

    /// The arity of a relational node; 0 for formulas and integers.
    pub fn arity(&self, id: NodeId) -> usize {
        match self.sort(id) {
            Sort::Expr(arity) => arity as usize,
            _ => 0,
        }
    }

    pub fn fresh_var(&mut self, arity: usize) -> VarId {
        self.var_arity.push(arity as u32);
        self.n_vars += 1;
        VarId(self.n_vars - 1)
    }

    pub fn n_vars(&self) -> usize {
        self.n_vars as usize
    }

    pub fn var_arity(&self, var: VarId) -> usize {
        self.var_arity[var.0 as usize] as usize
    }

    /// Relations are declared in order, before they are used in a node.
    pub fn declare_relation(&mut self, arity: usize) -> RelId {
        self.rel_arity.push(arity as u32);
        RelId(self.rel_arity.len() as u32 - 1)
    }

    pub fn constant(&mut self, set: TupleSet) -> NodeId {
        let next = ConstId(self.consts.len() as u32);
        let id = *self.const_ids.entry(set.clone()).or_insert(next);
        if id == next {
            self.consts.push(set);
        }
        self.add(Node::Const(id))
    }

    pub fn const_set(&self, id: ConstId) -> &TupleSet {
        &self.consts[id.0 as usize]
    }

    /// Adds a node, or finds the equal one. Panics in debug builds on ill-sorted children.
    pub fn add(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let sort = self.sort_of(&node);
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.sorts.push(sort);
        self.ids.insert(node, id);
        id
    }

    fn sort_of(&self, node: &Node) -> Sort {
        let arity = |id: NodeId| {
            debug_assert!(matches!(self.sort(id), Sort::Expr(_)), "a relation is wanted");
            self.arity(id) as u32
        };
        match node {
            Node::True
            | Node::False
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Implies(..)
            | Node::Iff(..)
            | Node::IfFormula(..)
            | Node::Size(..)
            | Node::Compare(..)
            | Node::Quant(..)
            | Node::TotalOrder(..) => Sort::Formula,
            Node::Subset(a, b) | Node::Equal(a, b) => {
                debug_assert_eq!(arity(*a), arity(*b));
                Sort::Formula
            }
            Node::Relation(rel) => Sort::Expr(self.rel_arity[rel.0 as usize]),
            Node::Var(var) => Sort::Expr(self.var_arity[var.0 as usize]),
            Node::Const(id) => Sort::Expr(self.consts[id.0 as usize].arity() as u32),
            Node::Empty(arity) => Sort::Expr(*arity),
            Node::Binary(op, a, b) => {
                let (a, b) = (arity(*a), arity(*b));
                Sort::Expr(match op {
                    ExprOp::Union | ExprOp::Intersect | ExprOp::Difference | ExprOp::Override => {
                        debug_assert_eq!(a, b);
                        a
                    }
                    ExprOp::Product => a + b,
                    ExprOp::Join => {
                        debug_assert!(a + b > 2, "a join of two sets");
                        a + b - 2
                    }
                    ExprOp::DomainRestrict => b,
                    ExprOp::RangeRestrict => a,
                })
            }
            Node::Transpose(_) | Node::Closure(_) => Sort::Expr(2),
            Node::IfExpr(_, a, b) => {
                debug_assert_eq!(arity(*a), arity(*b));
                Sort::Expr(arity(*a))
            }
            Node::Comprehension(decls, _) => Sort::Expr(decls.len() as u32),
            Node::IntAtom(_) => Sort::Expr(1),
            Node::Int(_)
            | Node::Card(_)
            | Node::SumSet(_)
            | Node::Sum(..)
            | Node::IntBinary(..)
            | Node::IfInt(..) => Sort::Int,
        }
    }
}
