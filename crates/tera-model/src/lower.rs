//! Typed expressions become nodes of a problem.
//!
//! Calls are inlined (each call with the same arguments once), `let`s are shared, `univ` is a union
//! of relations. A number stays a number through calls, `let` and `=`; only where a set is needed
//! it becomes its atom. The shape of formulas is kept as written: with overflows forbidden,
//! `a implies b` is not `not a or b`.
//!
//! Names are read in a *state*: [`Lowering::state`] picks the relations that signatures and fields
//! stand for. There is one state, but two for a contract.

use rustc_hash::FxHashMap;
use tera_rel::{
    AtomId, ExprOp, IntCmp, IntOp, Node, NodeId, Overflow, Problem, RelId, SizeTest, TupleSet, VarId,
};
use tera_syntax::{Diagnostic, Span, Symbol};

use crate::tree::*;
use crate::types::*;
use crate::world::*;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Value {
    Formula(NodeId),
    Set(NodeId),
    Number(NodeId),
}

/// What signatures and fields stand for in one state.
#[derive(Clone, Default, Debug)]
pub(crate) struct StateRels {
    pub sig: Vec<Option<RelId>>,
    pub field: Vec<Option<RelId>>,
}

/// What prime, `after` and the back-tick mean here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum States {
    /// There is one state.
    Static,
    /// Unmarked names are state 0, a prime and `after` lead to state 1.
    Primed,
    /// Unmarked names are state 1, a back-tick leads to state 0.
    BackTick,
}

pub(crate) struct Lowering<'a> {
    pub world: &'a World,
    pub problem: Problem,
    pub rels: Vec<StateRels>,
    pub states: States,
    pub state: usize,
    pub env: FxHashMap<VarIx, Value>,
    /// Arguments whose value depends on the state.
    pub state_vars: FxHashMap<VarIx, [Value; 2]>,
    pub calls: Vec<FuncIx>,
    pub spans: Vec<Option<Span>>,
    /// Conjuncts are called by what they say, not by where they stand.
    pub plain_texts: bool,
    /// By variable: its name in the source.
    pub var_names: Vec<String>,
    pub ints: (i64, i64),
    pub overflow: Overflow,
    pub strings: FxHashMap<Symbol, AtomId>,
    /// By variable: whether it stands for one atom, and whether that is an integer.
    pub single_vars: Vec<bool>,
    pub int_vars: Vec<bool>,
    memo: FxHashMap<(FuncIx, Vec<Value>, usize), Value>,
    univ: Vec<Option<NodeId>>,
}

pub(crate) type Lowered<T> = Result<T, Box<Diagnostic>>;

pub(crate) fn fail<T>(diagnostic: Diagnostic) -> Lowered<T> {
    Err(Box::new(diagnostic))
}

impl<'a> Lowering<'a> {
    pub fn new(world: &'a World, problem: Problem, rels: StateRels, ints: (i64, i64)) -> Lowering<'a> {
        let overflow = problem.ints.overflow;
        Lowering {
            world,
            problem,
            rels: vec![rels],
            states: States::Static,
            state: 0,
            env: FxHashMap::default(),
            state_vars: FxHashMap::default(),
            calls: Vec::new(),
            spans: Vec::new(),
            plain_texts: false,
            var_names: Vec::new(),
            ints,
            overflow,
            strings: FxHashMap::default(),
            single_vars: Vec::new(),
            int_vars: Vec::new(),
            memo: FxHashMap::default(),
            univ: vec![None, None],
        }
    }

    // Nodes.

    pub fn add(&mut self, node: Node) -> NodeId {
        self.problem.arena.add(node)
    }

    /// Remembers the text that a node stands for; the first one wins.
    pub fn mark(&mut self, node: NodeId, span: Span) {
        if span == Span::default() {
            return;
        }
        let at = node.0 as usize;
        if self.spans.len() <= at {
            self.spans.resize(at + 1, None);
        }
        self.spans[at].get_or_insert(span);
    }

    pub fn truth(&mut self, value: bool) -> NodeId {
        self.add(if value { Node::True } else { Node::False })
    }

    pub fn not(&mut self, node: NodeId) -> NodeId {
        self.add(Node::Not(node))
    }

    pub fn and(&mut self, parts: Vec<NodeId>) -> NodeId {
        match parts.as_slice() {
            [] => self.truth(true),
            [only] => *only,
            _ => self.add(Node::And(parts.into())),
        }
    }

    pub fn or(&mut self, parts: Vec<NodeId>) -> NodeId {
        match parts.as_slice() {
            [] => self.truth(false),
            [only] => *only,
            _ => self.add(Node::Or(parts.into())),
        }
    }

    pub fn size(&mut self, test: SizeTest, node: NodeId) -> NodeId {
        self.add(Node::Size(test, node))
    }

    pub fn op(&mut self, op: ExprOp, a: NodeId, b: NodeId) -> NodeId {
        if self.problem.ints.overflow == Overflow::Forbid {
            // What an overflow leaves empty before anything is solved is not looked at again by the
            // Analyzer, its overflow neither.
            match op {
                ExprOp::Union | ExprOp::Override if self.is_lost(b) => return a,
                ExprOp::Union | ExprOp::Override if self.is_lost(a) => return b,
                _ => {}
            }
        }
        self.add(Node::Binary(op, a, b))
    }

    /// Whether a closed number that overflows makes the relation empty.
    fn is_lost(&self, relation: NodeId) -> bool {
        match self.problem.arena.node(relation) {
            Node::IntAtom(number) => self.closed_number(*number) == Some(None),
            Node::Binary(ExprOp::Product | ExprOp::Join | ExprOp::Intersect, a, b) => {
                self.is_lost(*a) || self.is_lost(*b)
            }
            _ => false,
        }
    }

    /// The value of a number made of literals, `Some(None)` if it overflows on the way.
    fn closed_number(&self, number: NodeId) -> Option<Option<i64>> {
        let value = match self.problem.arena.node(number) {
            Node::Int(value) => *value,
            Node::IntBinary(op @ (IntOp::Add | IntOp::Sub | IntOp::Mul), a, b) => {
                let (Some(a), Some(b)) = (self.closed_number(*a)?, self.closed_number(*b)?) else {
                    return Some(None);
                };
                match op {
                    IntOp::Add => a.saturating_add(b),
                    IntOp::Sub => a.saturating_sub(b),
                    _ => a.saturating_mul(b),
                }
            }
            _ => return None,
        };
        Some(self.problem.universe.int_atom(value).map(|_| value))
    }

    pub fn relation(&mut self, rel: RelId) -> NodeId {
        self.add(Node::Relation(rel))
    }

    pub fn fresh_var(&mut self, arity: usize, name: &str) -> VarId {
        let var = self.problem.arena.fresh_var(arity);
        self.var_names.resize(var.0 as usize + 1, String::new());
        self.var_names[var.0 as usize] = name.to_string();
        var
    }

    pub fn n_atoms(&self) -> usize {
        self.problem.universe.len()
    }

    // Values.

    pub fn set_of(&mut self, value: Value) -> NodeId {
        match value {
            Value::Set(node) => node,
            Value::Number(number) => match *self.problem.arena.node(number) {
                // The sum of one variable over integers is that variable.
                Node::SumSet(set) if self.is_int_variable(set) => set,
                _ => self.add(Node::IntAtom(number)),
            },
            Value::Formula(node) => node,
        }
    }

    pub fn number_of(&mut self, value: Value) -> NodeId {
        match value {
            Value::Number(node) => node,
            Value::Set(set) => match *self.problem.arena.node(set) {
                Node::IntAtom(number) => number,
                _ => self.add(Node::SumSet(set)),
            },
            Value::Formula(node) => node,
        }
    }

    /// A variable that stands for one integer atom?
    fn is_int_variable(&self, set: NodeId) -> bool {
        let Node::Var(var) = self.problem.arena.node(set) else { return false };
        self.int_vars.get(var.0 as usize).copied().unwrap_or(false)
    }

    pub fn formula(&mut self, id: TId) -> Lowered<NodeId> {
        match self.value(id)? {
            Value::Formula(node) => Ok(node),
            _ => fail(Diagnostic::error(self.world.span(id), "a formula is expected here")),
        }
    }

    pub fn set(&mut self, id: TId) -> Lowered<NodeId> {
        match self.value(id)? {
            Value::Formula(_) => {
                fail(Diagnostic::error(self.world.span(id), "a set or relation is expected here"))
            }
            value => Ok(self.set_of(value)),
        }
    }

    pub fn number(&mut self, id: TId) -> Lowered<NodeId> {
        match self.value(id)? {
            Value::Formula(_) => fail(Diagnostic::error(self.world.span(id), "an integer is expected here")),
            value => Ok(self.number_of(value)),
        }
    }

    pub fn value(&mut self, id: TId) -> Lowered<Value> {
        let value = self.value_of(id)?;
        let (Value::Formula(node) | Value::Set(node) | Value::Number(node)) = value;
        self.mark(node, self.world.span(id));
        Ok(value)
    }

    fn value_of(&mut self, id: TId) -> Lowered<Value> {
        let world = self.world;
        let node = world.node(id);
        Ok(match &node.kind {
            Kind::Sig(sig) => Value::Set(self.sig(*sig)),
            Kind::Field(field) => Value::Set(self.field(*field)?),
            Kind::Var(var) => match (self.env.get(var), self.state_vars.get(var)) {
                (Some(&value), _) => value,
                (None, Some(values)) => values[self.state],
                (None, None) => {
                    let name = world.text(world.locals[var.index()].name);
                    return fail(Diagnostic::error(node.span, format!("`{name}` has no value here")));
                }
            },
            Kind::Constant(constant) => self.constant(*constant, node.span)?,
            Kind::Unary(op, sub) => self.unary(*op, *sub, node.span)?,
            Kind::Binary(op, left, right) => self.binary(*op, *left, *right, node.span)?,
            Kind::List(op, args) => Value::Formula(self.list(*op, args)?),
            Kind::IfElse(cond, then, els) => {
                let cond = self.formula(*cond)?;
                let (then, els) = (self.value(*then)?, self.value(*els)?);
                match (then, els) {
                    (Value::Formula(then), Value::Formula(els)) => {
                        Value::Formula(self.add(Node::IfFormula(cond, then, els)))
                    }
                    (Value::Number(then), Value::Number(els)) => {
                        Value::Number(self.add(Node::IfInt(cond, then, els)))
                    }
                    _ => {
                        let (then, els) = (self.set_of(then), self.set_of(els));
                        Value::Set(self.add(Node::IfExpr(cond, then, els)))
                    }
                }
            }
            Kind::Quant { op, decls, body } => self.quant(*op, decls, *body)?,
            Kind::Let { var, value, body } => {
                let value = self.value(*value)?;
                let old = self.env.insert(*var, value);
                let result = self.value(*body);
                self.restore(*var, old);
                result?
            }
            Kind::Call { func, args, .. } => self.call(*func, args, node.span)?,
            Kind::BadCall { .. } | Kind::BadJoin(..) | Kind::Choice(_) | Kind::Macro(..) | Kind::Bad => {
                return fail(Diagnostic::error(node.span, "this expression has no meaning"));
            }
        })
    }

    pub fn restore(&mut self, var: VarIx, old: Option<Value>) {
        match old {
            Some(old) => self.env.insert(var, old),
            None => self.env.remove(&var),
        };
    }

    // Leaves.

    pub fn sig(&mut self, sig: SigIx) -> NodeId {
        if sig == NONE {
            return self.add(Node::Empty(1));
        }
        if sig == UNIV {
            return self.univ();
        }
        match self.rels[self.state].sig[sig.0 as usize] {
            Some(rel) => self.relation(rel),
            // A builtin signature without atoms.
            None => self.add(Node::Empty(1)),
        }
    }

    fn field(&mut self, field: FieldIx) -> Lowered<NodeId> {
        match self.rels[self.state].field[field.index()] {
            Some(rel) => Ok(self.relation(rel)),
            None => {
                let f = &self.world.fields[field.index()];
                let name = self.world.text(f.name);
                fail(Diagnostic::error(f.span, format!("the field `{name}` has no value here")))
            }
        }
    }

    /// Everything that exists: the union of the top-level signatures, integers and strings.
    pub fn univ(&mut self) -> NodeId {
        if let Some(node) = self.univ[self.state] {
            return node;
        }
        let mut result: Option<NodeId> = None;
        let tops = self.world.sigs_in_order().into_iter().filter(|&s| self.world.sig(s).is_top());
        let all: Vec<SigIx> = tops.chain([INT, STRING]).collect();
        for sig in all {
            if let Some(rel) = self.rels[self.state].sig[sig.0 as usize] {
                let node = self.relation(rel);
                result = Some(match result {
                    None => node,
                    Some(result) => self.op(ExprOp::Union, result, node),
                });
            }
        }
        let node = result.unwrap_or_else(|| self.problem.arena.add(Node::Empty(1)));
        self.univ[self.state] = Some(node);
        node
    }

    fn iden(&mut self) -> NodeId {
        let n = self.n_atoms();
        let mut pairs = TupleSet::empty(2, n);
        for i in 0..n {
            pairs.insert_index(i * n + i);
        }
        let pairs = self.problem.arena.constant(pairs);
        let rels = &self.rels[self.state];
        let all_exist = self
            .world
            .sigs_in_order()
            .into_iter()
            .filter(|&s| self.world.sig(s).is_top())
            .all(|s| rels.sig[s.0 as usize].is_none_or(|rel| self.problem.relation(rel).is_constant()));
        if all_exist {
            return pairs;
        }
        let univ = self.univ();
        self.op(ExprOp::DomainRestrict, univ, pairs)
    }

    fn constant(&mut self, constant: Constant, span: Span) -> Lowered<Value> {
        let (low, high) = self.ints;
        Ok(match constant {
            Constant::True => Value::Formula(self.truth(true)),
            Constant::Iden => Value::Set(self.iden()),
            Constant::Empty => Value::Set(self.add(Node::Empty(1))),
            Constant::Min | Constant::Max if low > high => Value::Number(self.add(Node::Int(0))),
            Constant::Min => Value::Number(self.add(Node::Int(low))),
            Constant::Max => Value::Number(self.add(Node::Int(high))),
            Constant::Number(n) => Value::Number(self.add(Node::Int(n))),
            Constant::Next => {
                let n = self.n_atoms();
                let mut pairs = TupleSet::empty(2, n);
                for two in self.problem.universe.ints().windows(2) {
                    pairs.insert(&[two[0].1, two[1].1]);
                }
                Value::Set(self.problem.arena.constant(pairs))
            }
            Constant::Str(text) => match self.strings.get(&text) {
                Some(&atom) => {
                    let set = TupleSet::unary(self.n_atoms(), [atom]);
                    Value::Set(self.problem.arena.constant(set))
                }
                None => {
                    let text = self.world.text(text);
                    let message = format!("the string \"{text}\" is no atom of this instance");
                    return fail(Diagnostic::error(span, message));
                }
            },
        })
    }

    // Operators.

    fn unary(&mut self, op: UnOp, sub: TId, span: Span) -> Lowered<Value> {
        Ok(match op {
            UnOp::SomeOf
            | UnOp::LoneOf
            | UnOp::OneOf
            | UnOp::SetOf
            | UnOp::ExactlyOf
            | UnOp::Noop
            | UnOp::ToSet => self.value(sub)?,
            UnOp::Not => {
                let sub = self.formula(sub)?;
                Value::Formula(self.not(sub))
            }
            UnOp::No | UnOp::Some | UnOp::Lone | UnOp::One => {
                let test = match op {
                    UnOp::No => SizeTest::No,
                    UnOp::Some => SizeTest::Some,
                    UnOp::Lone => SizeTest::Lone,
                    _ => SizeTest::One,
                };
                let sub = self.set(sub)?;
                Value::Formula(self.size(test, sub))
            }
            UnOp::Transpose => {
                let sub = self.set(sub)?;
                Value::Set(self.add(Node::Transpose(sub)))
            }
            UnOp::Closure => {
                let sub = self.set(sub)?;
                Value::Set(self.add(Node::Closure(sub)))
            }
            UnOp::ReflexiveClosure => {
                let sub = self.set(sub)?;
                let closure = self.add(Node::Closure(sub));
                let iden = self.iden();
                Value::Set(self.op(ExprOp::Union, closure, iden))
            }
            UnOp::Card => {
                let sub = self.set(sub)?;
                Value::Number(self.add(Node::Card(sub)))
            }
            UnOp::ToNumber => {
                let value = self.value(sub)?;
                Value::Number(self.number_of(value))
            }
            UnOp::Prime | UnOp::After if self.states == States::Primed && self.state == 0 => {
                self.in_state(1, |me| me.value(sub))?
            }
            UnOp::PreState if self.states == States::BackTick && self.state == 1 => {
                self.in_state(0, |me| me.value(sub))?
            }
            UnOp::PreState => {
                return fail(Diagnostic::error(
                    span,
                    "a back-tick is the pre-state of a call: it has a meaning in postconditions only",
                ));
            }
            _ => return fail(temporal(self.world, op, sub, span)),
        })
    }

    pub fn in_state<T>(&mut self, state: usize, f: impl FnOnce(&mut Self) -> T) -> T {
        let old = std::mem::replace(&mut self.state, state);
        let result = f(self);
        self.state = old;
        result
    }

    fn binary(&mut self, op: BinOp, left: TId, right: TId, span: Span) -> Lowered<Value> {
        let set_op = match op {
            BinOp::Intersect => Some(ExprOp::Intersect),
            BinOp::Override => Some(ExprOp::Override),
            BinOp::Union => Some(ExprOp::Union),
            BinOp::Domain => Some(ExprOp::DomainRestrict),
            BinOp::Range => Some(ExprOp::RangeRestrict),
            BinOp::Arrow(..) | BinOp::SeqArrow => Some(ExprOp::Product),
            BinOp::Difference => {
                // `0 - 8` is the least integer of 4 bits, though 8 is not an integer of them.
                if let (Kind::Constant(Constant::Number(0)), Kind::Constant(Constant::Number(n))) =
                    (&self.world.node(left).kind, &self.world.node(right).kind)
                    && *n == self.ints.1 + 1
                {
                    return Ok(Value::Number(self.add(Node::Int(-n))));
                }
                Some(ExprOp::Difference)
            }
            _ => None,
        };
        if let Some(op) = set_op {
            let (a, b) = (self.set(left)?, self.set(right)?);
            return Ok(Value::Set(self.op(op, a, b)));
        }
        let int_op = match op {
            BinOp::Add => Some(IntOp::Add),
            BinOp::Sub => Some(IntOp::Sub),
            BinOp::Mul => Some(IntOp::Mul),
            BinOp::Div => Some(IntOp::Div),
            BinOp::Rem => Some(IntOp::Rem),
            BinOp::Shl => Some(IntOp::Shl),
            BinOp::Sha => Some(IntOp::Sha),
            BinOp::Shr => Some(IntOp::Shr),
            _ => None,
        };
        if let Some(op) = int_op {
            let (a, b) = (self.number(left)?, self.number(right)?);
            return Ok(Value::Number(self.add(Node::IntBinary(op, a, b))));
        }
        Ok(match op {
            BinOp::Join => Value::Set(self.join(left, right)?),
            BinOp::Eq | BinOp::NotEq => {
                let (a, b) = (self.value(left)?, self.value(right)?);
                let equal = self.equal(a, b);
                if op == BinOp::NotEq {
                    self.mark(equal, span);
                }
                Value::Formula(if op == BinOp::Eq { equal } else { self.not(equal) })
            }
            BinOp::In => {
                let a = self.set(left)?;
                Value::Formula(self.member(a, right)?)
            }
            BinOp::NotIn => {
                let a = self.set(left)?;
                let inside = self.member(a, right)?;
                Value::Formula(self.not(inside))
            }
            BinOp::Compare(order, negated) => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                let cmp = match order {
                    Order::Lt => IntCmp::Lt,
                    Order::Lte => IntCmp::Lte,
                    Order::Gt => IntCmp::Gt,
                    Order::Gte => IntCmp::Gte,
                };
                let node = self.add(Node::Compare(cmp, a, b));
                Value::Formula(if negated { self.not(node) } else { node })
            }
            BinOp::Implies => {
                let (a, b) = (self.formula(left)?, self.formula(right)?);
                Value::Formula(self.add(Node::Implies(a, b)))
            }
            BinOp::Iff => {
                let (a, b) = (self.formula(left)?, self.formula(right)?);
                Value::Formula(self.add(Node::Iff(a, b)))
            }
            _ => return fail(unsupported(span)),
        })
    }

    /// Equality: of numbers when both are, otherwise of sets.
    pub fn equal(&mut self, a: Value, b: Value) -> NodeId {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => self.add(Node::Compare(IntCmp::Eq, a, b)),
            (Value::Number(number), Value::Set(set)) | (Value::Set(set), Value::Number(number)) => {
                if self.is_int_variable(set) {
                    let sum = self.add(Node::SumSet(set));
                    return self.add(Node::Compare(IntCmp::Eq, sum, number));
                }
                let atom = self.set_of(Value::Number(number));
                let equal = self.add(Node::Equal(set, atom));
                if self.overflow != Overflow::Exact {
                    return equal;
                }
                // A number without an atom equals no set, not even the empty one.
                match *self.problem.arena.node(number) {
                    Node::Int(n) if self.problem.universe.int_atom(n).is_some() => equal,
                    Node::Int(_) => self.truth(false),
                    _ => {
                        let exists = self.size(SizeTest::Some, atom);
                        self.and(vec![exists, equal])
                    }
                }
            }
            _ => {
                let (a, b) = (self.set_of(a), self.set_of(b));
                self.add(Node::Equal(a, b))
            }
        }
    }

    fn join(&mut self, left: TId, right: TId) -> Lowered<NodeId> {
        // The reflexive closure beside a join needs no identity.
        if let Kind::Unary(UnOp::ReflexiveClosure, step) = self.world.node(self.world.peel(right)).kind {
            let start = self.set(left)?;
            let step = self.set(step)?;
            let closure = self.add(Node::Closure(step));
            let further = self.op(ExprOp::Join, start, closure);
            return Ok(self.op(ExprOp::Union, start, further));
        }
        if let Kind::Unary(UnOp::ReflexiveClosure, step) = self.world.node(self.world.peel(left)).kind {
            let end = self.set(right)?;
            let step = self.set(step)?;
            let closure = self.add(Node::Closure(step));
            let further = self.op(ExprOp::Join, closure, end);
            return Ok(self.op(ExprOp::Union, end, further));
        }
        let (a, b) = (self.set(left)?, self.set(right)?);
        Ok(self.op(ExprOp::Join, a, b))
    }

    fn list(&mut self, op: ListOp, args: &[TId]) -> Lowered<NodeId> {
        match op {
            ListOp::And | ListOp::Or => {
                let parts = args.iter().map(|&arg| self.formula(arg)).collect::<Lowered<Vec<_>>>()?;
                Ok(if op == ListOp::And { self.and(parts) } else { self.or(parts) })
            }
            ListOp::Disjoint => {
                let sets = args.iter().map(|&arg| self.set(arg)).collect::<Lowered<Vec<_>>>()?;
                Ok(self.disjoint(&sets))
            }
            ListOp::TotalOrder => {
                let sets = args.iter().map(|&arg| self.set(arg)).collect::<Lowered<Vec<_>>>()?;
                Ok(self.add(Node::TotalOrder(sets[0], sets[1], sets[2])))
            }
        }
    }

    /// Pairwise disjoint: each with the union of those before it. Single elements are different.
    pub fn disjoint(&mut self, sets: &[NodeId]) -> NodeId {
        let single = |me: &Self, set: NodeId| match me.problem.arena.node(set) {
            Node::Var(var) => me.single_vars.get(var.0 as usize).copied().unwrap_or(false),
            _ => false,
        };
        let mut parts = Vec::new();
        if sets.iter().all(|&set| single(self, set)) {
            for (i, &a) in sets.iter().enumerate() {
                for &b in &sets[..i] {
                    let equal = self.add(Node::Equal(b, a));
                    parts.push(self.not(equal));
                }
            }
            return self.and(parts);
        }
        let mut union = sets[0];
        for &set in &sets[1..] {
            let common = self.op(ExprOp::Intersect, union, set);
            parts.push(self.size(SizeTest::No, common));
            union = self.op(ExprOp::Union, union, set);
        }
        self.and(parts)
    }

    // Calls.

    pub fn arguments(&mut self, args: &[TId]) -> Lowered<Vec<Value>> {
        args.iter().map(|&arg| self.value(arg)).collect()
    }

    /// Runs `f` with the parameters of `func` bound.
    pub fn within_call<T>(
        &mut self,
        func: FuncIx,
        args: &[Value],
        span: Span,
        f: impl FnOnce(&mut Self, TId) -> Lowered<T>,
    ) -> Lowered<T> {
        let callee = &self.world.funcs[func.index()];
        let name = self.world.text(callee.name);
        if self.calls.contains(&func) {
            let diagnostic = Diagnostic::error(
                span,
                format!("`{name}` calls itself, directly or through others"),
            )
            .related(callee.span, "declared here")
            .help(
                "there is no recursion in Alloy; say it with `^`, or with a relation that holds the results",
            );
            return fail(diagnostic);
        }
        if self.calls.len() >= MAX_CALLS {
            let message = format!("calls nest more than {MAX_CALLS} levels deep");
            return fail(
                Diagnostic::error(span, message).help("call fewer predicates and functions in a row"),
            );
        }
        let Some(body) = callee.body else {
            return fail(Diagnostic::error(span, format!("`{name}` has no body")));
        };
        let params = callee.params.clone();
        let old: Vec<Option<Value>> =
            params.iter().zip(args).map(|(&param, &arg)| self.env.insert(param, arg)).collect();
        self.calls.push(func);
        let result = f(self, body);
        self.calls.pop();
        for (&param, old) in params.iter().zip(old) {
            self.restore(param, old);
        }
        result
    }

    fn call(&mut self, func: FuncIx, args: &[TId], span: Span) -> Lowered<Value> {
        let args = self.arguments(args)?;
        let key = (func, args, self.state);
        if let Some(&value) = self.memo.get(&key) {
            return Ok(value);
        }
        let value = self.within_call(func, &key.1, span, |me, body| me.value(body))?;
        self.memo.insert(key, value);
        Ok(value)
    }
}

/// How deep calls may nest: each level may need the stack of a tree as deep as trees may be.
const MAX_CALLS: usize = 250;

fn unsupported(span: Span) -> Diagnostic {
    Diagnostic::error(span, "temporal operators are not supported yet")
        .help("tera reads the static part of Alloy 6; time can be said with an ordered signature of states")
}

fn temporal(world: &World, op: UnOp, sub: TId, span: Span) -> Diagnostic {
    if op == UnOp::Prime {
        let name = world.sources.snippet(world.span(sub));
        return Diagnostic::error(
            span,
            "a prime means the next state in Alloy 6, and temporal operators are not supported yet",
        )
        .help(format!(
            "if `{name}'` is meant as a name, as older models have it, rename it, e.g. to `{name}_next`"
        ));
    }
    unsupported(span)
}
