//! What ownership implies, before any specification is read.
//!
//! - What is owned (a box, an inline struct, an element of a collection, an argument) has one owner:
//!   one tuple, of one field.
//! - Owning is acyclic. Counted pointers count as owning unless a cell could close a cycle.
//! - A pointer, an option, a scalar has at most (or exactly) one value.
//! - Integers are in the range of their type.
//! - The positions of a sequence are `0..n`; an index lies in its arena.
//!
//! Each fact is a formula over the relations of the problem and the same in words of the
//! specification. They only exclude instances that are no values, so adding them to a
//! precondition changes no verdict: it saves candidates.

use std::collections::BTreeSet;

use tera_rel::{Decl, DeclMult, ExprOp, Node, NodeId, Problem, Quant, RelId, SizeTest, TupleSet, VarId};

use crate::arena::arena_of_objects;
use crate::describe::{Seq, Shape, TypeIx, Wrap};
use crate::plan::{Binding, Leaf, Plan, VariantPlan};

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactKind {
    SingleOwner,
    Acyclic,
    /// How many values; a specification says it in its declarations.
    Multiplicity,
    Range,
    Positions,
}

/// One fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnershipFact {
    pub kind: FactKind,
    /// Why it holds: `Node.next is a box`.
    pub reason: String,
    /// As a specification would say it.
    pub text: String,
    /// The formula, in the arena of the problem; not yet among its conjuncts.
    pub formula: NodeId,
}

/// The facts that the types of `binding` imply, as formulas of `problem`, which it is bound to.
pub fn ownership_facts(binding: &Binding, problem: &mut Problem) -> Vec<OwnershipFact> {
    let edges = edges(binding);
    let mut facts = Facts { binding, problem, facts: Vec::new() };
    for ty in 0..binding.types.len() {
        facts.single_owner(TypeIx(ty as u32), &edges);
    }
    facts.acyclic(&edges);
    for ty in &binding.types {
        for (v, variant) in ty.variants.iter().enumerate() {
            let desc = &binding.graph.ty(ty.ix).variants[v];
            for (field, plan) in desc.fields.iter().zip(variant.fields.iter()) {
                facts.field(variant, &field.shape, plan);
                facts.index(plan);
            }
        }
    }
    facts.facts
}

/// A relation whose last column holds objects that its first column owns.
struct Edge {
    rel: RelId,
    arity: usize,
    /// The signature of the owner; `None` for an argument.
    from: Option<(TypeIx, RelId)>,
    to: TypeIx,
    /// Shared by counting: other counted pointers may own the same.
    counted: bool,
    /// Whether something on the way can be replaced after it was made.
    mutable: bool,
    label: String,
    field: String,
}

fn edges(binding: &Binding) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (root, plan) in binding.graph.roots.iter().zip(&binding.roots) {
        if !root.is_result {
            collect(binding, &root.shape, plan, None, &mut edges);
        }
    }
    for ty in &binding.types {
        for (v, variant) in ty.variants.iter().enumerate() {
            let desc = &binding.graph.ty(ty.ix).variants[v];
            for (field, plan) in desc.fields.iter().zip(variant.fields.iter()) {
                collect(binding, &field.shape, plan, Some((ty.ix, variant.rel)), &mut edges);
            }
        }
    }
    edges
}

/// The edge of one field, if its last column holds objects that it owns.
fn collect(
    binding: &Binding,
    shape: &Shape,
    plan: &Plan,
    from: Option<(TypeIx, RelId)>,
    edges: &mut Vec<Edge>,
) {
    let (mut counted, mut mutable, mut links) = (false, false, false);
    let mut last = None;
    shape.walk(&mut |shape| match shape {
        Shape::Wrap(wrap, _) => {
            counted |= matches!(wrap, Wrap::Rc | Wrap::Arc);
            mutable |= wrap.is_cell();
            links |= wrap.is_link();
        }
        Shape::Object(ty) => last = Some(*ty),
        Shape::Index { .. } => links = true,
        _ => {}
    });
    let Some(to) = last.filter(|&ty| !links && !is_value(binding, ty)) else { return };
    if plan.leaf == Leaf::Nothing || plan.leaf == Leaf::Hidden || last_column(plan) != Leaf::Object(to) {
        return;
    }
    let name = binding.name(plan);
    edges.push(Edge {
        rel: plan.rel,
        arity: binding.start.value(plan.rel).arity(),
        from,
        to,
        counted,
        mutable,
        label: name.label.clone(),
        field: name.label.rsplit('.').next().unwrap_or_default().into(),
    });
}

/// Values without identity: enums without payload, structs without fields.
fn is_value(binding: &Binding, ty: TypeIx) -> bool {
    binding.ty(ty).variants.iter().any(|v| v.fields.is_empty() || v.constant.is_some())
}

fn last_column(plan: &Plan) -> Leaf {
    match plan.parts.last() {
        Some(part) => last_column(part),
        None => plan.leaf,
    }
}

struct Facts<'a> {
    binding: &'a Binding,
    problem: &'a mut Problem,
    facts: Vec<OwnershipFact>,
}

impl Facts<'_> {
    fn add(&mut self, node: Node) -> NodeId {
        self.problem.arena.add(node)
    }

    fn rel(&mut self, rel: RelId) -> NodeId {
        self.add(Node::Relation(rel))
    }

    fn join(&mut self, a: NodeId, b: NodeId) -> NodeId {
        self.add(Node::Binary(ExprOp::Join, a, b))
    }

    fn size(&mut self, test: SizeTest, expr: NodeId) -> NodeId {
        self.add(Node::Size(test, expr))
    }

    fn all(&mut self, domain: NodeId, body: impl FnOnce(&mut Self, NodeId) -> NodeId) -> NodeId {
        let var: VarId = self.problem.arena.fresh_var(1);
        let variable = self.add(Node::Var(var));
        let body = body(self, variable);
        let decl = Decl { var, mult: DeclMult::One, domain };
        self.add(Node::Quant(Quant::All, Box::new([decl]), body))
    }

    fn fact(&mut self, kind: FactKind, reason: String, text: String, formula: NodeId) {
        if self.facts.iter().all(|fact| fact.formula != formula) {
            self.facts.push(OwnershipFact { kind, reason, text, formula });
        }
    }

    fn sig_rel(&self, ty: TypeIx) -> Option<RelId> {
        let ty = self.binding.ty(ty);
        match (ty.is_enum, ty.variants.first()) {
            (false, Some(variant)) => Some(variant.rel),
            // The signature above the variants.
            (true, Some(variant)) => variant.ancestors.first().copied(),
            _ => None,
        }
    }

    fn sig(&self, ty: TypeIx) -> &'static str {
        self.binding.graph.ty(ty).sig
    }

    /// Every object of the type has one owner.
    fn single_owner(&mut self, ty: TypeIx, edges: &[Edge]) {
        let owners: Vec<&Edge> = edges.iter().filter(|edge| edge.to == ty).collect();
        let Some(sig) = self.sig_rel(ty) else { return };
        // Between counted pointers alone nothing is implied.
        if owners.iter().all(|edge| edge.counted) {
            return;
        }
        let domain = self.rel(sig);
        let mut texts = Vec::new();
        let formula = self.all(domain, |this, x| {
            let owned = |this: &mut Self, edge: &Edge| {
                let rel = this.rel(edge.rel);
                match edge.arity {
                    1 => this.add(Node::Binary(ExprOp::Intersect, rel, x)),
                    _ => this.join(rel, x),
                }
            };
            let mut conjuncts = Vec::new();
            for (i, edge) in owners.iter().enumerate() {
                let a = owned(this, edge);
                if !edge.counted && edge.arity > 1 {
                    conjuncts.push(this.size(SizeTest::Lone, a));
                    texts.push(format!("lone {}.x", edge.field));
                }
                for other in &owners[i + 1..] {
                    if (edge.counted && other.counted)
                        || (edge.arity == 1 && other.arity == 1 && edge.rel == other.rel)
                    {
                        continue;
                    }
                    let b = owned(this, other);
                    let no = [this.size(SizeTest::No, a), this.size(SizeTest::No, b)];
                    conjuncts.push(this.add(Node::Or(Box::new(no))));
                    texts.push(format!("({} or {})", edge.unowned(), other.unowned()));
                }
            }
            this.add(Node::And(conjuncts.into()))
        });
        if !texts.is_empty() {
            let labels: Vec<&str> = owners.iter().map(|edge| edge.label.as_str()).collect();
            let reason = format!("a {} is owned once, by {}", self.sig(ty), labels.join(" or "));
            let text = format!("all x: {} | {}", self.sig(ty), texts.join(" and "));
            self.fact(FactKind::SingleOwner, reason, text, formula);
        }
    }

    /// Nothing owns itself.
    fn acyclic(&mut self, edges: &[Edge]) {
        let cells = edges.iter().any(|edge| edge.mutable);
        let owning: Vec<&Edge> =
            edges.iter().filter(|edge| edge.from.is_some() && !(edge.counted && cells)).collect();
        // Only fields on a cycle of types matter.
        let reaches = |from: TypeIx, to: TypeIx| {
            let mut seen = BTreeSet::from([from]);
            let mut next = vec![from];
            while let Some(ty) = next.pop() {
                for edge in owning.iter().filter(|edge| edge.from.is_some_and(|(from, _)| from == ty)) {
                    if edge.to == to {
                        return true;
                    }
                    if seen.insert(edge.to) {
                        next.push(edge.to);
                    }
                }
            }
            false
        };
        let cyclic: Vec<&Edge> = owning
            .iter()
            .filter(|edge| edge.from.is_some_and(|(from, _)| edge.to == from || reaches(edge.to, from)))
            .copied()
            .collect();
        let Some(first) = cyclic.first() else { return };
        let mut relation = self.projection(first);
        let mut text = first.projected();
        for edge in &cyclic[1..] {
            let next = self.projection(edge);
            relation = self.add(Node::Binary(ExprOp::Union, relation, next));
            text = format!("{text} + {}", edge.projected());
        }
        let closure = self.add(Node::Closure(relation));
        let types: BTreeSet<TypeIx> = cyclic.iter().filter_map(|edge| Some(edge.from?.0)).collect();
        for ty in types.into_iter().filter(|&ty| reaches(ty, ty)) {
            let Some(sig) = self.sig_rel(ty) else { continue };
            let domain = self.rel(sig);
            let formula = self.all(domain, |this, x| {
                let owned = this.join(x, closure);
                let inside = this.add(Node::Subset(x, owned));
                this.add(Node::Not(inside))
            });
            let text = match cyclic.len() {
                1 => format!("no x: {} | x in x.^{}", self.sig(ty), text),
                _ => format!("no x: {} | x in x.^({text})", self.sig(ty)),
            };
            self.fact(FactKind::Acyclic, format!("no {} owns itself", self.sig(ty)), text, formula);
        }
    }

    /// First and last column of a relation.
    fn projection(&mut self, edge: &Edge) -> NodeId {
        let rel = self.rel(edge.rel);
        let (Some((_, from)), true) = (edge.from, edge.arity > 2) else { return rel };
        let Some(to) = self.sig_rel(edge.to) else { return rel };
        let domains = [self.rel(from), self.rel(to)];
        let vars = [self.problem.arena.fresh_var(1), self.problem.arena.fresh_var(1)];
        let [a, b] = vars.map(|var| self.add(Node::Var(var)));
        let owned = self.join(a, rel);
        let between = self.join(owned, b);
        let some = self.size(SizeTest::Some, between);
        let decl = |i: usize| Decl { var: vars[i], mult: DeclMult::One, domain: domains[i] };
        self.add(Node::Comprehension(Box::new([decl(0), decl(1)]), some))
    }

    /// How many values a field has, and which.
    fn field(&mut self, variant: &VariantPlan, shape: &Shape, plan: &Plan) {
        let mut inner = shape;
        while let Shape::Wrap(_, next) = inner {
            inner = next;
        }
        let name = self.binding.name(plan).clone();
        let (owner, field) = name.label.split_once('.').unwrap_or((&name.label, &name.rust));
        let (owner, field) = (owner.to_string(), field.to_string());
        if self.binding.start.value(plan.rel).arity() == 2 && plan.rest == 1 && plan.parts.is_empty() {
            let set = matches!(inner, Shape::Set(..));
            if !set {
                let (test, word) =
                    if shape.may_be_empty() { (SizeTest::Lone, "lone") } else { (SizeTest::One, "one") };
                let (domain, rel) = (self.rel(variant.rel), self.rel(plan.rel));
                let formula = self.all(domain, |this, x| {
                    let value = this.join(x, rel);
                    this.size(test, value)
                });
                let text = format!("all x: {owner} | {word} x.{field}");
                self.fact(
                    FactKind::Multiplicity,
                    format!("{} holds {word} value", name.label),
                    text,
                    formula,
                );
            }
        }
        self.range_of_ints(shape, plan, &owner, &field);
        match (inner, plan.leaf) {
            (Shape::Seq(_, _), Leaf::Unordered | Leaf::Hidden | Leaf::Nothing) => {}
            (Shape::Seq(seq, element), _) => self.positions(variant, *seq, element, plan, &owner, &field),
            _ => {}
        }
        match (inner, plan.extent) {
            (Shape::Seq(..), Some(len)) => self.length(variant, plan, len, &owner, &field),
            (Shape::Map(..), Some(keys)) => self.keys(variant, plan, keys, &owner, &field),
            _ => {}
        }
    }

    /// Integers of a narrow type, where the scope has more.
    fn range_of_ints(&mut self, shape: &Shape, plan: &Plan, owner: &str, field: &str) {
        let mut range = None;
        let mut ints = 0;
        shape.walk(&mut |shape| {
            if let Shape::Int { min, max, .. } = shape {
                range = Some((*min, *max));
                ints += 1;
            }
        });
        let Some((min, max)) = range.filter(|_| ints == 1 && last_column(plan) == Leaf::Int) else { return };
        let universe = &self.problem.universe;
        let outside = |value: i64| i128::from(value) < min || i128::from(value) > max;
        if !universe.ints().iter().any(|&(value, _)| outside(value)) {
            return;
        }
        let fitting: Vec<_> = universe.ints().iter().filter(|(v, _)| !outside(*v)).map(|p| p.1).collect();
        let set = TupleSet::unary(universe.len(), fitting);
        let set = self.problem.arena.constant(set);
        let rel = self.rel(plan.rel);
        let restricted = self.add(Node::Binary(ExprOp::RangeRestrict, rel, set));
        let formula = self.add(Node::Subset(rel, restricted));
        // The last column.
        let arity = self.binding.start.value(plan.rel).arity();
        let column = (2..arity).fold(format!("{owner}.{field}"), |expr, _| format!("univ.({expr})"));
        let text = format!("all i: {column} | i >= {min}{}", upper_text(max));
        self.fact(FactKind::Range, format!("{owner}.{field} fits its integer type"), text, formula);
    }

    /// What an index names lies in an arena, if the specification knows all arenas of such objects.
    fn index(&mut self, plan: &Plan) {
        let (Leaf::Position { ty: target, .. }, true) = (last_column(plan), plan.leaf != Leaf::Nothing)
        else {
            return;
        };
        let binding = self.binding;
        let mut elements: Option<(NodeId, String)> = None;
        for ty in &binding.types {
            for (v, variant) in ty.variants.iter().enumerate() {
                let fields = &binding.graph.ty(ty.ix).variants[v].fields;
                for (field, arena) in fields.iter().zip(variant.fields.iter()) {
                    if arena_of_objects(&field.shape) != Some(target) {
                        continue;
                    }
                    let label = &binding.name(arena).label;
                    let (domain, rel) = (self.rel(variant.rel), self.rel(arena.rel));
                    let all = self.join(domain, rel);
                    let (all, text) = match arena.leaf {
                        Leaf::Hidden | Leaf::Nothing => return,
                        Leaf::Unordered => (all, label.clone()),
                        _ => {
                            let universe = &self.problem.universe;
                            let ints = universe.ints().iter().map(|p| p.1);
                            let ints = TupleSet::unary(universe.len(), ints);
                            let ints = self.problem.arena.constant(ints);
                            (self.join(ints, all), format!("Int.({label})"))
                        }
                    };
                    elements = Some(match elements {
                        None => (all, text),
                        Some((others, texts)) => {
                            (self.add(Node::Binary(ExprOp::Union, others, all)), format!("{texts} + {text}"))
                        }
                    });
                }
            }
        }
        let Some((elements, text)) = elements else { return };
        let rel = self.rel(plan.rel);
        let restricted = self.add(Node::Binary(ExprOp::RangeRestrict, rel, elements));
        let formula = self.add(Node::Subset(rel, restricted));
        let label = self.binding.name(plan).label.clone();
        let column = (2..self.binding.start.value(plan.rel).arity())
            .fold(label.clone(), |expr, _| format!("univ.({expr})"));
        self.fact(
            FactKind::Positions,
            format!("{label} lies in its arena"),
            format!("{column} in {text}"),
            formula,
        );
    }

    /// The field that says how long a sequence is: one number, and no position reaches it.
    fn length(&mut self, variant: &VariantPlan, plan: &Plan, len: RelId, owner: &str, field: &str) {
        let universe = &self.problem.universe;
        let n = universe.len();
        let natural: Vec<_> = universe.ints().iter().filter(|p| p.0 >= 0).map(|p| p.1).collect();
        let (domain, rel, len) = (self.rel(variant.rel), self.rel(plan.rel), self.rel(len));
        let formula = self.all(domain, |this, x| {
            let (elements, len) = (this.join(x, rel), this.join(x, len));
            let all = this.problem.arena.constant(TupleSet::unary(n, natural.iter().copied()));
            let mut conjuncts = vec![this.size(SizeTest::One, len), this.add(Node::Subset(len, all))];
            for (i, &atom) in natural.iter().enumerate() {
                let this_long = this.problem.arena.constant(TupleSet::unary(n, [atom]));
                let is_this_long = this.add(Node::Subset(this_long, len));
                let below = this.problem.arena.constant(TupleSet::unary(n, natural[..i].iter().copied()));
                let inside = this.add(Node::Binary(ExprOp::DomainRestrict, below, elements));
                let is_inside = this.add(Node::Subset(elements, inside));
                conjuncts.push(this.add(Node::Implies(is_this_long, is_inside)));
            }
            this.add(Node::And(conjuncts.into()))
        });
        let reason = format!("{owner}.{field}_len is how long {owner}.{field} is");
        let columns =
            (2..self.binding.start.value(plan.rel).arity()).fold(String::new(), |dots, _| dots + ".univ");
        let text = format!(
            "all x: {owner} | one x.{field}_len and x.{field}_len >= 0 and all i: x.{field}{columns} | \
             i < x.{field}_len"
        );
        self.fact(FactKind::Positions, reason, text, formula);
    }

    /// The field with the keys of a map: no entry has another.
    fn keys(&mut self, variant: &VariantPlan, plan: &Plan, keys: RelId, owner: &str, field: &str) {
        let (domain, rel, keys) = (self.rel(variant.rel), self.rel(plan.rel), self.rel(keys));
        let formula = self.all(domain, |this, x| {
            let (entries, keys) = (this.join(x, rel), this.join(x, keys));
            let inside = this.add(Node::Binary(ExprOp::DomainRestrict, keys, entries));
            this.add(Node::Subset(entries, inside))
        });
        let reason = format!("{owner}.{field}_keys are the keys of {owner}.{field}");
        let text = format!("all x: {owner} | x.{field} in x.{field}_keys <: x.{field}");
        self.fact(FactKind::Positions, reason, text, formula);
    }

    /// The positions of a sequence.
    fn positions(
        &mut self,
        variant: &VariantPlan,
        seq: Seq,
        element: &Shape,
        plan: &Plan,
        owner: &str,
        field: &str,
    ) {
        if plan.rest != 2 || element.columns() != 1 {
            return;
        }
        let universe = &self.problem.universe;
        let n = universe.len();
        let natural: Vec<_> = universe.ints().iter().filter(|p| p.0 >= 0).copied().collect();
        let (domain, rel) = (self.rel(variant.rel), self.rel(plan.rel));
        let empty = element.may_be_empty();
        let one = if empty { SizeTest::Lone } else { SizeTest::One };
        // Each position by itself: the universe is small, and no arithmetic is needed.
        let formula = self.all(domain, |this, x| {
            let positions = this.join(x, rel);
            let mut conjuncts = Vec::new();
            let mut allowed = Vec::new();
            let mut before: Option<NodeId> = None;
            for &(value, atom) in &natural {
                let inside = !matches!(seq, Seq::Array(len) if value >= len as i64);
                if !inside {
                    break;
                }
                allowed.push(atom);
                let position = this.problem.arena.constant(TupleSet::unary(n, [atom]));
                let at = this.join(position, positions);
                match seq {
                    Seq::Array(_) => conjuncts.push(this.size(one, at)),
                    _ => {
                        conjuncts.push(this.size(SizeTest::Lone, at));
                        let some = this.size(SizeTest::Some, at);
                        if let (Some(before), false) = (before, empty) {
                            conjuncts.push(this.add(Node::Implies(some, before)));
                        }
                        before = Some(some);
                    }
                }
            }
            // No other positions.
            let allowed = this.problem.arena.constant(TupleSet::unary(n, allowed));
            let restricted = this.add(Node::Binary(ExprOp::DomainRestrict, allowed, positions));
            conjuncts.push(this.add(Node::Subset(positions, restricted)));
            this.add(Node::And(conjuncts.into()))
        });
        let positions = match (seq, empty) {
            (Seq::Array(len), _) => format!("x.{field}.univ in {{i: Int | 0 <= i and i < {len}}}"),
            (_, true) => format!("all i: x.{field}.univ | i >= 0"),
            (_, false) => {
                format!("all i: x.{field}.univ | i >= 0 and (i = 0 or minus[i, 1] in x.{field}.univ)")
            }
        };
        let word = if matches!(seq, Seq::Array(_)) && !empty { "one" } else { "lone" };
        let text = match word {
            "one" => format!("all x: {owner} | {positions} and #x.{field}.univ = {}", array_len(seq)),
            _ => format!("all x: {owner} | {positions} and all i: x.{field}.univ | lone i.(x.{field})"),
        };
        self.fact(FactKind::Positions, format!("{owner}.{field} is a sequence"), text, formula);
    }
}

fn array_len(seq: Seq) -> usize {
    match seq {
        Seq::Array(len) => len,
        _ => 0,
    }
}

fn upper_text(max: i128) -> String {
    match max {
        ..=65535 => format!(" and i <= {max}"),
        _ => String::new(),
    }
}

impl Edge {
    fn unowned(&self) -> String {
        match self.arity {
            1 => format!("x not in {}", self.field),
            _ => format!("no {}.x", self.field),
        }
    }

    fn projected(&self) -> String {
        match self.arity {
            0..=2 => self.field.clone(),
            _ => {
                let owner = self.label.split('.').next().unwrap_or_default();
                format!("{{a: {owner}, b: univ | some a.{}.b}}", self.field)
            }
        }
    }
}
