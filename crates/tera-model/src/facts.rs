//! What must hold: the hierarchy of signatures, the declarations of fields, the facts. Each is a
//! conjunct of its own with the place it comes from, so that cores and verdicts can name it.

use tera_rel::{Decl, DeclMult, ExprOp, IntCmp, Node, NodeId, Overflow, Quant, SizeTest, TupleSet};
use tera_syntax::Span;

use crate::Origin;
use crate::bounds::Frame;
use crate::lower::{Lowered, Lowering, Value};
use crate::scope::Scopes;
use crate::tree::*;
use crate::types::*;
use crate::world::*;

/// Conjuncts with their origins.
#[derive(Default)]
pub(crate) struct Conjuncts {
    pub nodes: Vec<NodeId>,
    pub origins: Vec<Origin>,
}

impl Conjuncts {
    pub fn add(&mut self, node: NodeId, span: Span, text: impl Into<String>) {
        let span = (span != Span::default()).then_some(span);
        self.nodes.push(node);
        self.origins.push(Origin { span, text: text.into() });
    }
}

impl Lowering<'_> {
    fn push(&mut self, conjuncts: &mut Conjuncts, node: NodeId, span: Span, text: impl Into<String>) {
        if !matches!(self.problem.arena.node(node), Node::True) {
            self.mark(node, span);
            let mut text = text.into();
            if self.plain_texts && text.is_empty() {
                text = self.world.sources.snippet(span).to_string();
            }
            conjuncts.add(node, span, text);
        }
    }

    // Signatures.

    pub fn sig_conjuncts(&mut self, frame: &Frame, scopes: &Scopes, into: &mut Conjuncts) {
        for sig in self.world.sigs_in_order() {
            let at = sig.0 as usize;
            let (lower, upper) = (&frame.lower[at], &frame.upper[at]);
            let s = self.world.sig(sig);
            let (span, label) = (s.span, s.label.clone());
            let own = self.sig(sig);
            match s.parents.clone() {
                Parents::Extends(parent) => {
                    if parent != UNIV && !upper.is_subset(&frame.lower[parent.0 as usize]) {
                        let above = self.sig(parent);
                        let node = self.add(Node::Subset(own, above));
                        let text = format!("{label} extends {}", self.world.sig(parent).label);
                        self.push(into, node, span, text);
                    }
                    self.children_conjuncts(frame, sig, into);
                }
                Parents::Subset { parents, exact } => {
                    let mut bound = TupleSet::empty(1, self.n_atoms());
                    let mut union: Option<NodeId> = None;
                    for &parent in &parents {
                        bound.union_with(&frame.lower[parent.0 as usize]);
                        let node = self.sig(parent);
                        union = Some(match union {
                            None => node,
                            Some(union) => self.op(ExprOp::Union, union, node),
                        });
                    }
                    let Some(union) = union else { continue };
                    let names: Vec<&str> =
                        parents.iter().map(|&p| self.world.sig(p).label.as_str()).collect();
                    let names = names.join(" + ");
                    if exact && lower != upper {
                        let node = self.add(Node::Equal(own, union));
                        self.push(into, node, span, format!("{label} = {names}"));
                    } else if !exact && !upper.is_subset(&bound) {
                        let node = self.add(Node::Subset(own, union));
                        self.push(into, node, span, format!("{label} in {names}"));
                    }
                }
            }
            let (n_lower, n_upper) = (lower.indices().count() as u64, upper.indices().count() as u64);
            if s.is_one && (n_lower, n_upper) != (1, 1) {
                let node = self.size(SizeTest::One, own);
                self.push(into, node, span, format!("one {label}"));
                continue;
            }
            if s.is_some && n_lower == 0 {
                let node = self.size(SizeTest::Some, own);
                self.push(into, node, span, format!("some {label}"));
            }
            if s.is_lone && n_upper > 1 {
                let node = self.size(SizeTest::Lone, own);
                self.push(into, node, span, format!("lone {label}"));
            }
            let Some(most) = scopes.size[at].filter(|_| !s.is_subset()) else { continue };
            if n_upper > most {
                let node = self.at_most(own, most, n_upper);
                self.push(into, node, Span::default(), format!("the scope of {label}: at most {most}"));
            } else if scopes.exact[at] && n_lower < most {
                let node = self.at_least(own, most);
                self.push(into, node, Span::default(), format!("the scope of {label}: exactly {most}"));
            }
        }
    }

    /// Siblings are disjoint, and an abstract parent is the union of its children.
    fn children_conjuncts(&mut self, frame: &Frame, parent: SigIx, into: &mut Conjuncts) {
        let children = self.world.sig(parent).children.clone();
        let mut covered = TupleSet::empty(1, self.n_atoms());
        let mut surely = TupleSet::empty(1, self.n_atoms());
        let mut union: Option<NodeId> = None;
        for child in children {
            let at = child.0 as usize;
            let node = self.sig(child);
            let mut common = covered.clone();
            common.intersect_with(&frame.upper[at]);
            if let Some(union) = union
                && common.indices().next().is_some()
            {
                let both = self.op(ExprOp::Intersect, union, node);
                let apart = self.size(SizeTest::No, both);
                let s = self.world.sig(child);
                let text = format!("{} and its siblings are disjoint", s.label);
                self.push(into, apart, s.span, text);
            }
            covered.union_with(&frame.upper[at]);
            surely.union_with(&frame.lower[at]);
            union = Some(match union {
                None => node,
                Some(union) => self.op(ExprOp::Union, union, node),
            });
        }
        let s = self.world.sig(parent);
        if let Some(union) = union
            && s.is_abstract
            && !frame.upper[parent.0 as usize].is_subset(&surely)
        {
            let (span, label) = (s.span, s.label.clone());
            let own = self.sig(parent);
            let node = self.add(Node::Subset(own, union));
            self.push(into, node, span, format!("{label} is abstract"));
        }
    }

    /// `#set <= most`, also where counting could overflow.
    fn at_most(&mut self, set: NodeId, most: u64, possible: u64) -> NodeId {
        match most {
            0 => return self.size(SizeTest::No, set),
            1 => return self.size(SizeTest::Lone, set),
            _ => {}
        }
        if self.overflow == Overflow::Exact || possible as i64 <= self.ints.1 {
            let card = self.add(Node::Card(set));
            let limit = self.add(Node::Int(most as i64));
            return self.add(Node::Compare(IntCmp::Lte, card, limit));
        }
        let (decls, union) = self.some_of(set, most);
        let covered = self.add(Node::Equal(union, set));
        let some = self.add(Node::Quant(Quant::Some, decls.into(), covered));
        let none = self.size(SizeTest::No, set);
        self.or(vec![none, some])
    }

    fn at_least(&mut self, set: NodeId, least: u64) -> NodeId {
        let card = self.add(Node::Card(set));
        let limit = self.add(Node::Int(least as i64));
        self.add(Node::Compare(IntCmp::Gte, card, limit))
    }

    fn some_of(&mut self, set: NodeId, n: u64) -> (Vec<Decl>, NodeId) {
        let mut decls = Vec::new();
        let mut union: Option<NodeId> = None;
        for _ in 0..n {
            let var = self.fresh_var(1, "");
            decls.push(Decl { var, mult: DeclMult::One, domain: set });
            let node = self.add(Node::Var(var));
            union = Some(match union {
                None => node,
                Some(union) => self.op(ExprOp::Union, union, node),
            });
        }
        (decls, union.unwrap_or(set))
    }

    // Fields.

    pub fn field_conjuncts(&mut self, frame: &Frame, into: &mut Conjuncts) -> Lowered<()> {
        for sig in self.world.sigs_in_order() {
            if frame.fixed_orders.contains(&sig) {
                continue;
            }
            for decl in &self.world.sig(sig).decls {
                for &field in &decl.fields {
                    self.field_decl(frame, sig, field, decl, into)?;
                }
                self.field_disjointness(sig, decl, into)?;
            }
        }
        Ok(())
    }

    fn field_decl(
        &mut self,
        frame: &Frame,
        sig: SigIx,
        field: FieldIx,
        decl: &FieldDecl,
        into: &mut Conjuncts,
    ) -> Lowered<()> {
        let world = self.world;
        let Some(rel) = self.rels[self.state].field[field.index()] else { return Ok(()) };
        let value = self.relation(rel);
        let (span, name) = (world.fields[field.index()].span, world.text(world.fields[field.index()].name));
        let what = format!("{}.{name}", world.sig(sig).label);
        let own = self.sig(sig);
        let this = world.sig(sig).this;
        let bound_span = world.span(decl.bound);
        let at = sig.0 as usize;
        if world.sig(sig).is_one && frame.lower[at] == frame.upper[at] {
            self.env.insert(this, Value::Set(own));
            let image = self.op(ExprOp::Join, own, value);
            let node = self.member(image, decl.bound);
            self.env.remove(&this);
            let node = node?;
            for part in self.conjuncts_of(node) {
                if !self.holds_by_bounds(part) {
                    self.push(into, part, bound_span, format!("the declaration of {what}"));
                }
            }
            return Ok(());
        }
        // The first column.
        let depends = self.mentions(decl.bound, this);
        let keyword = world.keyword(decl.bound);
        let carries_arrow = world.node(decl.bound).carries == Carries::Arrow;
        if !depends && keyword != UnOp::ExactlyOf {
            let range = self.set(decl.bound)?;
            let product = self.op(ExprOp::Product, own, range);
            let node = self.add(Node::Subset(value, product));
            if !self.holds_by_bounds(node) {
                self.push(into, node, bound_span, format!("the range of {what}"));
            }
        } else {
            let restricted = self.op(ExprOp::DomainRestrict, own, value);
            let node = self.add(Node::Subset(value, restricted));
            if frame.lower[at] != frame.upper[at] {
                self.push(into, node, span, format!("the domain of {what}"));
            }
        }
        if !depends && keyword == UnOp::SetOf && !carries_arrow {
            return Ok(());
        }
        let var = self.fresh_var(1, "this");
        self.single_vars.resize(var.0 as usize + 1, false);
        self.int_vars.resize(var.0 as usize + 1, false);
        self.single_vars[var.0 as usize] = true;
        let this_node = self.add(Node::Var(var));
        let image = self.op(ExprOp::Join, this_node, value);
        let node = if !depends && !carries_arrow && keyword != UnOp::ExactlyOf {
            let test = match keyword {
                UnOp::OneOf => SizeTest::One,
                UnOp::LoneOf => SizeTest::Lone,
                _ => SizeTest::Some,
            };
            self.size(test, image)
        } else {
            self.env.insert(this, Value::Set(this_node));
            let node = self.member(image, decl.bound);
            self.env.remove(&this);
            node?
        };
        self.mark(node, bound_span);
        let decls = [Decl { var, mult: DeclMult::One, domain: own }];
        let node = self.add(Node::Quant(Quant::All, decls.into(), node));
        let text = if depends || carries_arrow { "the declaration of" } else { "the multiplicity of" };
        self.push(into, node, bound_span, format!("{text} {what}"));
        Ok(())
    }

    fn field_disjointness(&mut self, sig: SigIx, decl: &FieldDecl, into: &mut Conjuncts) -> Lowered<()> {
        let world = self.world;
        let rels: Vec<NodeId> = decl
            .fields
            .iter()
            .filter_map(|f| self.rels[self.state].field[f.index()])
            .collect::<Vec<_>>()
            .into_iter()
            .map(|rel| self.relation(rel))
            .collect();
        if let Some(span) = decl.disj_bound.filter(|_| !world.sig(sig).is_one) {
            for (&value, &field) in rels.iter().zip(&decl.fields) {
                let own = self.sig(sig);
                let vars = [self.fresh_var(1, "this"), self.fresh_var(1, "that")];
                let nodes = vars.map(|var| self.add(Node::Var(var)));
                let images = nodes.map(|node| self.op(ExprOp::Join, node, value));
                let same = self.add(Node::Equal(nodes[0], nodes[1]));
                let different = self.not(same);
                let common = self.op(ExprOp::Intersect, images[0], images[1]);
                let apart = self.size(SizeTest::No, common);
                let body = self.add(Node::Implies(different, apart));
                let decls = vars.map(|var| Decl { var, mult: DeclMult::One, domain: own });
                let node = self.add(Node::Quant(Quant::All, decls.into(), body));
                let name = world.text(world.fields[field.index()].name);
                self.push(
                    into,
                    node,
                    span,
                    format!("the values of {}.{name} are disjoint", world.sig(sig).label),
                );
            }
        }
        if let Some(span) = decl.disj.filter(|_| rels.len() > 1) {
            let node = self.disjoint(&rels);
            for part in self.conjuncts_of(node) {
                self.push(into, part, span, format!("the fields of {} are disjoint", world.sig(sig).label));
            }
        }
        Ok(())
    }

    /// The parts of a conjunction.
    pub fn conjuncts_of(&self, node: NodeId) -> Vec<NodeId> {
        match self.problem.arena.node(node) {
            Node::And(parts) => parts.iter().flat_map(|&part| self.conjuncts_of(part)).collect(),
            _ => vec![node],
        }
    }

    /// Does the typed expression mention the variable?
    fn mentions(&self, id: TId, var: VarIx) -> bool {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            if matches!(self.world.node(id).kind, Kind::Var(v) if v == var) {
                return true;
            }
            self.world.push_children(id, &mut todo);
        }
        false
    }

    /// Is a subset formula true whatever the values within the bounds?
    pub fn holds_by_bounds(&self, node: NodeId) -> bool {
        let Node::Subset(a, b) = *self.problem.arena.node(node) else { return false };
        match (self.extreme(a, true), self.extreme(b, false)) {
            (Some(most), Some(least)) => most.is_subset(&least),
            _ => false,
        }
    }

    /// The upper or lower bound of a simple expression.
    pub fn extreme(&self, node: NodeId, upper: bool) -> Option<TupleSet> {
        Some(match self.problem.arena.node(node) {
            Node::Relation(rel) => {
                let relation = self.problem.relation(*rel);
                if upper { relation.upper.clone() } else { relation.lower.clone() }
            }
            Node::Const(id) => self.problem.arena.const_set(*id).clone(),
            Node::Empty(1) => TupleSet::empty(1, self.n_atoms()),
            Node::Binary(ExprOp::Union, a, b) => {
                let mut set = self.extreme(*a, upper)?;
                set.union_with(&self.extreme(*b, upper)?);
                set
            }
            Node::Binary(ExprOp::Product, a, b) => {
                let (a, b) = (self.extreme(*a, upper)?, self.extreme(*b, upper)?);
                TupleSet::capacity(a.arity() + b.arity(), self.n_atoms()).filter(|&c| c <= 1 << 26)?;
                a.product(&b)
            }
            Node::Binary(ExprOp::Join, a, b) => {
                // `S.f` for a constant singleton `S`.
                let (a, b) = (self.extreme(*a, upper)?, self.extreme(*b, upper)?);
                let only = a.indices().next().filter(|_| a.arity() == 1 && a.indices().count() == 1)?;
                if b.arity() < 2 {
                    return None;
                }
                let mut image = TupleSet::empty(b.arity() - 1, self.n_atoms());
                for tuple in b.tuples() {
                    if tuple[0].0 as usize == only {
                        image.insert(&tuple[1..]);
                    }
                }
                image
            }
            _ => return None,
        })
    }

    // Facts.

    pub fn fact_conjuncts(&mut self, frame: &Frame, into: &mut Conjuncts) -> Lowered<()> {
        let world = self.world;
        for sig in world.sigs_in_order() {
            if frame.fixed_orders.contains(&sig) {
                continue;
            }
            if let Some(fact) = world.sig(sig).fact {
                self.appended_fact(sig, fact, into)?;
            }
        }
        for &module in &world.order {
            for fact in &world.modules[module].facts {
                let Some(body) = fact.body else { continue };
                let text = match fact.name {
                    Some(name) => format!("fact {}", world.text(name)),
                    None => "a fact".into(),
                };
                self.conjoin(body, &text, into)?;
            }
        }
        Ok(())
    }

    fn appended_fact(&mut self, sig: SigIx, fact: TId, into: &mut Conjuncts) -> Lowered<()> {
        let world = self.world;
        let text = format!("the fact of {}", world.sig(sig).label);
        if world.sig(sig).is_one {
            return self.conjoin(fact, &text, into);
        }
        let parts = match &world.node(world.peel(fact)).kind {
            Kind::List(ListOp::And, parts) => parts.clone(),
            _ => [fact].into(),
        };
        let this = world.sig(sig).this;
        for &part in parts.iter() {
            let own = self.sig(sig);
            let var = self.fresh_var(1, "this");
            self.single_vars.resize(var.0 as usize + 1, false);
            self.int_vars.resize(var.0 as usize + 1, false);
            self.single_vars[var.0 as usize] = true;
            let node = self.add(Node::Var(var));
            self.env.insert(this, Value::Set(node));
            let body = self.formula(part);
            self.env.remove(&this);
            let body = body?;
            let decls = [Decl { var, mult: DeclMult::One, domain: own }];
            let node = self.add(Node::Quant(Quant::All, decls.into(), body));
            self.push(into, node, world.span(part), &text);
        }
        Ok(())
    }

    /// Adds a formula as conjuncts, split through `and`, through calls of predicates and below
    /// universal quantifiers.
    pub fn conjoin(&mut self, id: TId, text: &str, into: &mut Conjuncts) -> Lowered<()> {
        let world = self.world;
        let id = world.peel(id);
        match &world.node(id).kind {
            Kind::List(ListOp::And, parts) => {
                for &part in parts.iter() {
                    self.conjoin(part, text, into)?;
                }
            }
            Kind::Call { func, args, .. } if world.funcs[func.index()].is_pred => {
                let args = self.arguments(args)?;
                let f = &world.funcs[func.index()];
                let call = world.sources.snippet(world.span(id));
                let call = if call.is_empty() || call.len() > 60 { world.text(f.name) } else { call };
                // The innermost predicate says most.
                let text = if self.plain_texts { call.to_string() } else { format!("{call} in {text}") };
                self.within_call(*func, &args, world.span(id), |me, body| me.conjoin(body, &text, into))?;
            }
            Kind::Let { var, value, body } => {
                let value = self.value(*value)?;
                let old = self.env.insert(*var, value);
                let result = self.conjoin(*body, text, into);
                self.restore(*var, old);
                result?;
            }
            Kind::Quant { op: QuantOp::All, decls, body } => {
                let parts = match &world.node(world.peel(*body)).kind {
                    Kind::List(ListOp::And, parts) => parts.clone(),
                    _ => [*body].into(),
                };
                for &part in parts.iter() {
                    let value = self.quant(QuantOp::All, decls, part)?;
                    if let Value::Formula(node) = value {
                        let span = if part == *body { world.span(id) } else { world.span(part) };
                        self.mark(node, world.span(id));
                        self.push(into, node, span, text);
                    }
                }
            }
            _ => {
                let node = self.formula(id)?;
                self.push(into, node, world.span(id), text);
            }
        }
        Ok(())
    }
}
