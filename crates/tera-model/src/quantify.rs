//! Quantifiers, comprehensions, and membership in bounds with multiplicities.

use tera_rel::{Decl, DeclMult, ExprOp, Node, NodeId, Quant, SizeTest};

use crate::lower::{Lowered, Lowering, Value};
use crate::tree::*;
use crate::types::*;

/// Declarations in terms of the problem, with what must hold of their variables beside membership.
pub(crate) struct Bound {
    pub decls: Vec<Decl>,
    pub vars: Vec<NodeId>,
    pub guards: Vec<NodeId>,
    /// All are single elements.
    pub first_order: bool,
}

impl Lowering<'_> {
    /// Brings the variables of `decls` into scope; the caller ends it with [`Lowering::unbind`].
    pub fn bind(&mut self, decls: &[TDecl]) -> Lowered<Bound> {
        let mut bound = Bound { decls: Vec::new(), vars: Vec::new(), guards: Vec::new(), first_order: true };
        for decl in decls {
            let domain = self.set(decl.bound)?;
            let arity = self.problem.arena.arity(domain);
            let keyword = self.world.keyword(decl.bound);
            let is_set =
                matches!(self.world.node(self.world.peel(decl.bound)).kind, Kind::Unary(UnOp::SetOf, _));
            let mut vars = Vec::new();
            for &var in &decl.vars {
                let name = self.world.text(self.world.locals[var.index()].name).to_string();
                let new = self.fresh_var(arity, &name);
                let node = self.add(Node::Var(new));
                self.mark(node, self.world.locals[var.index()].span);
                let single = arity == 1 && !is_set && !matches!(keyword, UnOp::SomeOf | UnOp::LoneOf);
                let at = new.0 as usize;
                self.single_vars.resize(at + 1, false);
                self.int_vars.resize(at + 1, false);
                self.single_vars[at] = single;
                let ty = self.world.locals[var.index()].ty;
                self.int_vars[at] = single
                    && self
                        .world
                        .types
                        .entries(ty)
                        .iter()
                        .all(|e| e.len() == 1 && self.world.types.sig_within(e[0], INT));
                let mult = if single { DeclMult::One } else { DeclMult::Set };
                bound.first_order &= single;
                bound.decls.push(Decl { var: new, mult, domain });
                if arity > 1 {
                    let guard = self.member(node, decl.bound)?;
                    bound.guards.push(guard);
                } else if keyword == UnOp::SomeOf {
                    bound.guards.push(self.size(SizeTest::Some, node));
                } else if keyword == UnOp::LoneOf {
                    bound.guards.push(self.size(SizeTest::Lone, node));
                }
                vars.push((var, node));
            }
            for &(var, node) in &vars {
                self.env.insert(var, Value::Set(node));
            }
            if decl.disj && vars.len() > 1 {
                let nodes: Vec<NodeId> = vars.iter().map(|&(_, node)| node).collect();
                bound.guards.push(self.disjoint(&nodes));
            }
            bound.vars.extend(vars.iter().map(|&(_, node)| node));
        }
        Ok(bound)
    }

    pub fn unbind(&mut self, decls: &[TDecl]) {
        for decl in decls {
            for var in &decl.vars {
                self.env.remove(var);
            }
        }
    }

    pub fn quant(&mut self, op: QuantOp, decls: &[TDecl], body: TId) -> Lowered<Value> {
        let bound = self.bind(decls)?;
        if op == QuantOp::Sum {
            let body = self.number(body)?;
            self.unbind(decls);
            let body = if bound.guards.is_empty() {
                body
            } else {
                let guard = self.and(bound.guards);
                let zero = self.add(Node::Int(0));
                self.add(Node::IfInt(guard, body, zero))
            };
            return Ok(Value::Number(self.add(Node::Sum(bound.decls.into(), body))));
        }
        if op == QuantOp::Lone && !bound.first_order {
            return self.lone_of_sets(decls, body, bound);
        }
        if op == QuantOp::One && !bound.first_order {
            self.unbind(decls);
            let some = self.quant(QuantOp::Some, decls, body)?;
            let lone = self.quant(QuantOp::Lone, decls, body)?;
            let (Value::Formula(some), Value::Formula(lone)) = (some, lone) else {
                unreachable!("these quantifiers are formulas")
            };
            return Ok(Value::Formula(self.and(vec![lone, some])));
        }
        let body = self.formula(body)?;
        self.unbind(decls);
        Ok(match op {
            QuantOp::Comprehension => {
                let body = self.guarded(bound.guards, body);
                Value::Set(self.add(Node::Comprehension(bound.decls.into(), body)))
            }
            QuantOp::One | QuantOp::Lone => {
                let body = self.guarded(bound.guards, body);
                let set = self.add(Node::Comprehension(bound.decls.into(), body));
                let test = if op == QuantOp::One { SizeTest::One } else { SizeTest::Lone };
                Value::Formula(self.size(test, set))
            }
            QuantOp::Some => {
                let body = self.guarded(bound.guards, body);
                Value::Formula(self.add(Node::Quant(Quant::Some, bound.decls.into(), body)))
            }
            _ => {
                let body = if op == QuantOp::No { self.not(body) } else { body };
                Value::Formula(self.for_all(bound, body))
            }
        })
    }

    fn guarded(&mut self, guards: Vec<NodeId>, body: NodeId) -> NodeId {
        if guards.is_empty() {
            return body;
        }
        let parts = guards.into_iter().chain([body]).collect();
        self.and(parts)
    }

    pub fn for_all(&mut self, bound: Bound, body: NodeId) -> NodeId {
        let body = if bound.guards.is_empty() {
            body
        } else {
            let guard = self.and(bound.guards);
            self.add(Node::Implies(guard, body))
        };
        self.add(Node::Quant(Quant::All, bound.decls.into(), body))
    }

    /// `lone` over sets or relations: any two values that satisfy the body are the same.
    fn lone_of_sets(&mut self, decls: &[TDecl], body: TId, first: Bound) -> Lowered<Value> {
        let first_body = self.formula(body)?;
        let second = self.bind(decls)?;
        let second_body = self.formula(body)?;
        self.unbind(decls);
        let mut same = Vec::new();
        for (&a, &b) in first.vars.iter().zip(&second.vars) {
            same.push(self.add(Node::Equal(a, b)));
        }
        let same = self.and(same);
        let both = self.and(vec![first_body, second_body]);
        let body = self.add(Node::Implies(both, same));
        let all = Bound {
            decls: first.decls.into_iter().chain(second.decls).collect(),
            vars: Vec::new(),
            guards: first.guards.into_iter().chain(second.guards).collect(),
            first_order: false,
        };
        Ok(Value::Formula(self.for_all(all, body)))
    }

    // Membership.

    /// `a in bound`, with all that the bound says about multiplicities.
    pub fn member(&mut self, a: NodeId, bound: TId) -> Lowered<NodeId> {
        let node = self.world.node(bound);
        if let Kind::Binary(op @ (BinOp::Arrow(..) | BinOp::SeqArrow), left, right) = node.kind
            && node.carries != Carries::Nothing
        {
            return self.member_of_arrow(a, op, left, right);
        }
        let keyword = self.world.keyword(bound);
        let b = self.set(bound)?;
        if keyword == UnOp::ExactlyOf {
            return Ok(self.add(Node::Equal(a, b)));
        }
        let inside = self.add(Node::Subset(a, b));
        let test = match keyword {
            UnOp::OneOf => SizeTest::One,
            UnOp::LoneOf => SizeTest::Lone,
            UnOp::SomeOf => SizeTest::Some,
            _ => return Ok(inside),
        };
        let size = self.size(test, a);
        Ok(self.and(vec![size, inside]))
    }

    /// `r in A m -> n B`: `r` is in the product; for each tuple of `A`, `n` tuples of `r` begin with
    /// it and their rest is in `B`; for each tuple of `B`, `m` tuples of `r` end with it.
    fn member_of_arrow(&mut self, r: NodeId, op: BinOp, left: TId, right: TId) -> Lowered<NodeId> {
        let (a, b) = (self.set(left)?, self.set(right)?);
        let product = self.op(ExprOp::Product, a, b);
        let mut parts = vec![self.add(Node::Subset(r, product))];
        let (left_mult, right_mult) = match op {
            BinOp::Arrow(left, right) => (left, right),
            _ => (Mult2::Set, Mult2::Lone),
        };
        for (side, other, mult, from_left) in
            [(left, right, right_mult, true), (right, left, left_mult, false)]
        {
            let nested = self.world.node(other).carries != Carries::Nothing;
            if mult == Mult2::Set && !nested {
                continue; // the product says it
            }
            let domain = if from_left { a } else { b };
            let arity = self.problem.arena.arity(domain);
            let everything = if arity == 1 { domain } else { self.univ() };
            let mut decls = Vec::new();
            let mut vars = Vec::new();
            for _ in 0..arity {
                let var = self.fresh_var(1, "");
                self.single_vars.resize(var.0 as usize + 1, false);
                self.int_vars.resize(var.0 as usize + 1, false);
                self.single_vars[var.0 as usize] = true;
                decls.push(Decl { var, mult: DeclMult::One, domain: everything });
                vars.push(self.add(Node::Var(var)));
            }
            let mut rest = r;
            if from_left {
                for &var in &vars {
                    rest = self.op(ExprOp::Join, var, rest);
                }
            } else {
                for &var in vars.iter().rev() {
                    rest = self.op(ExprOp::Join, rest, var);
                }
            }
            let mut inner = Vec::new();
            match mult {
                Mult2::Lone => inner.push(self.size(SizeTest::Lone, rest)),
                Mult2::One => inner.push(self.size(SizeTest::One, rest)),
                Mult2::Some => inner.push(self.size(SizeTest::Some, rest)),
                Mult2::Set => {}
            }
            if nested {
                inner.push(self.member(rest, other)?);
            }
            let mut body = self.and(inner);
            if arity > 1 {
                let mut tuple = vars[0];
                for &var in &vars[1..] {
                    tuple = self.op(ExprOp::Product, tuple, var);
                }
                let guard = self.member(tuple, side)?;
                body = self.add(Node::Implies(guard, body));
            }
            parts.push(self.add(Node::Quant(Quant::All, decls.into(), body)));
        }
        if op == BinOp::SeqArrow {
            parts.push(self.initial_segment(r));
        }
        Ok(self.and(parts))
    }

    /// The indices of a sequence begin at 0 and have no gap.
    fn initial_segment(&mut self, r: NodeId) -> NodeId {
        let n = self.n_atoms();
        let mut indices = r;
        while self.problem.arena.arity(indices) > 1 {
            let univ = self.univ();
            indices = self.op(ExprOp::Join, indices, univ);
        }
        let ints = self.problem.universe.ints().to_vec();
        let mut next = tera_rel::TupleSet::empty(2, n);
        for two in ints.windows(2) {
            next.insert(&[two[0].1, two[1].1]);
        }
        let next = self.problem.arena.constant(next);
        let zero = self.problem.universe.int_atom(0);
        let zero = self.problem.arena.constant(tera_rel::TupleSet::unary(n, zero));
        let successors = self.op(ExprOp::Join, indices, next);
        let first = self.op(ExprOp::Difference, indices, successors);
        self.add(Node::Subset(first, zero))
    }
}
