//! What the Rust types say of the inputs, beside the specification.
//!
//! - Inputs are *rooted*: every object is reachable from the arguments.
//! - What is owned (a `Box`, a struct held inline) has one owner and owns itself not even through
//!   others; `Rc` without a cell is acyclic.
//! - A field that is no `Option` and no collection has exactly one value, in the range of its type.
//!
//! These are conjuncts and bounds of the problem, so instances that are no Rust value are not
//! even searched.

use tera_heap::{Binding, Leaf, Plan, Shape, TypeIx};
use tera_rel::{
    AtomId, Decl, DeclMult, ExprOp, FieldMult, Node, NodeId, Problem, Quant, RelId, Schema, SizeTest,
    TupleSet,
};

/// A place in a relation where objects of a type stand.
struct Occurrence {
    rel: RelId,
    /// 0 is the owner's column in a field; parameters have no owner.
    column: usize,
    ty: TypeIx,
    hold: Hold,
    is_root: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hold {
    Owned,
    /// Behind a counted pointer that nothing can redirect.
    Counted,
    Free,
}

/// Adds what the types imply to the problem of the inputs.
pub fn add_facts(binding: &Binding, schema: &Schema, problem: &mut Problem) {
    let mut occurrences = Vec::new();
    let mut ranges = Vec::new();
    for (desc, plan) in binding.graph.types.iter().zip(&binding.types) {
        for (desc, plan) in desc.variants.iter().zip(&plan.variants) {
            for (field, plan) in desc.fields.iter().zip(&plan.fields) {
                let mut visit = Visit {
                    rel: plan.rel,
                    is_root: false,
                    occurrences: &mut occurrences,
                    ranges: &mut ranges,
                };
                visit.shape(&field.shape, plan, 1, Hold::Owned, false);
            }
        }
    }
    for (root, plan) in binding.graph.roots.iter().zip(&binding.roots) {
        let mut visit =
            Visit { rel: plan.rel, is_root: true, occurrences: &mut occurrences, ranges: &mut ranges };
        visit.shape(&root.shape, plan, 0, Hold::Owned, false);
    }
    for (rel, column, min, max) in ranges {
        tighten(problem, rel, column, min, max);
    }
    limit_roots(binding, &occurrences, problem);
    let mut facts = Facts { binding, problem, occurrences };
    facts.rooted();
    facts.one_owner();
    facts.acyclic();
    facts.single_values(schema);
}

struct Visit<'a> {
    rel: RelId,
    is_root: bool,
    occurrences: &'a mut Vec<Occurrence>,
    /// Relation, column, least and greatest integer.
    ranges: &'a mut Vec<(RelId, usize, i128, i128)>,
}

impl Visit<'_> {
    fn shape(&mut self, shape: &Shape, plan: &Plan, column: usize, hold: Hold, in_cell: bool) {
        if plan.leaf == Leaf::Nothing {
            return;
        }
        match shape {
            Shape::Wrap(wrap, inner) => {
                let in_cell = in_cell || wrap.is_cell();
                let is_counted = matches!(wrap, tera_heap::Wrap::Rc | tera_heap::Wrap::Arc);
                let has_cell = in_cell || holds_cell(inner);
                let hold = match hold {
                    _ if wrap.is_link() => Hold::Free,
                    Hold::Owned if is_counted => {
                        if has_cell {
                            Hold::Free
                        } else {
                            Hold::Counted
                        }
                    }
                    // Whatever a counted block holds has the block as its one owner, but the
                    // mapping sees through it.
                    hold => hold,
                };
                self.shape(inner, plan, column, hold, in_cell);
            }
            Shape::Option(inner) | Shape::Set(_, inner) => self.shape(inner, plan, column, hold, in_cell),
            Shape::Seq(_, element) => {
                let Some(part) = plan.parts.first() else { return };
                let position = usize::from(plan.leaf != Leaf::Unordered);
                self.shape(element, part, column + position, hold, in_cell);
            }
            Shape::Map(_, key, value) => {
                if let [key_plan, value_plan] = &*plan.parts {
                    self.shape(key, key_plan, column, hold, in_cell);
                    self.shape(value, value_plan, column + key.columns(), hold, in_cell);
                }
            }
            Shape::Tuple(parts) => {
                let mut column = column;
                for (part, plan) in parts.iter().zip(&plan.parts) {
                    self.shape(part, plan, column, hold, in_cell);
                    column += part.columns();
                }
            }
            Shape::Object(ty) => self.object(*ty, column, hold),
            Shape::Index { target, .. } => self.object(*target, column, Hold::Free),
            Shape::Int { min, max, .. } if plan.leaf == Leaf::Int => {
                self.ranges.push((self.rel, column, *min, *max));
            }
            _ => {}
        }
    }

    fn object(&mut self, ty: TypeIx, column: usize, hold: Hold) {
        let Visit { rel, is_root, .. } = *self;
        self.occurrences.push(Occurrence { rel, column, ty, hold, is_root });
    }
}

fn holds_cell(shape: &Shape) -> bool {
    let mut found = false;
    shape.walk(&mut |inner| found |= matches!(inner, Shape::Wrap(wrap, _) if wrap.is_cell()));
    found
}

/// Takes the tuples out of the upper bound whose integer does not fit the type.
fn tighten(problem: &mut Problem, rel: RelId, column: usize, min: i128, max: i128) {
    let ints = problem.universe.ints();
    if ints.iter().all(|&(value, _)| (min..=max).contains(&i128::from(value))) {
        return;
    }
    let bad: Vec<_> = (ints.iter())
        .filter(|(value, _)| !(min..=max).contains(&i128::from(*value)))
        .map(|&(_, atom)| atom)
        .collect();
    let relation = &mut problem.relations[rel.0 as usize];
    let mut upper = TupleSet::empty(relation.upper.arity(), relation.upper.n_atoms());
    for tuple in relation.upper.tuples() {
        if !bad.contains(&tuple[column]) || relation.lower.contains(&tuple) {
            upper.insert(&tuple);
        }
    }
    relation.upper = upper;
}

/// A type that is nothing but the type of arguments has no more objects than there are such
/// arguments. The other atoms are taken out of all bounds.
fn limit_roots(binding: &Binding, occurrences: &[Occurrence], problem: &mut Problem) {
    for plan in &binding.types {
        let own: Vec<&Occurrence> = occurrences.iter().filter(|o| o.ty == plan.ix).collect();
        let is_plain = |o: &Occurrence| o.is_root && problem.relation(o.rel).arity() == 1;
        let [variant] = plan.variants.as_slice() else { continue };
        if variant.constant.is_some() || !own.iter().all(|o| is_plain(o)) {
            continue;
        }
        let lower = &problem.relation(variant.rel).lower;
        let surplus: Vec<AtomId> = (problem.relation(variant.rel).upper.indices())
            .filter(|&atom| !lower.contains_index(atom))
            .skip(own.len().saturating_sub(lower.len()))
            .map(|atom| AtomId(atom as u32))
            .collect();
        if surplus.is_empty() {
            continue;
        }
        for relation in &mut problem.relations {
            let mut upper = TupleSet::empty(relation.upper.arity(), relation.upper.n_atoms());
            for tuple in relation.upper.tuples().filter(|tuple| !tuple.iter().any(|a| surplus.contains(a))) {
                upper.insert(&tuple);
            }
            if !relation.lower.is_subset(&upper) {
                continue;
            }
            relation.upper = upper;
        }
        for sort in &mut problem.sorts {
            sort.retain(|atom| !surplus.contains(atom));
        }
        problem.sorts.retain(|sort| sort.len() > 1);
    }
}

struct Facts<'a> {
    binding: &'a Binding,
    problem: &'a mut Problem,
    occurrences: Vec<Occurrence>,
}

impl Facts<'_> {
    fn add(&mut self, node: Node) -> NodeId {
        self.problem.arena.add(node)
    }

    fn relation(&mut self, rel: RelId) -> NodeId {
        self.add(Node::Relation(rel))
    }

    fn binary(&mut self, op: ExprOp, a: NodeId, b: NodeId) -> NodeId {
        self.add(Node::Binary(op, a, b))
    }

    fn union(&mut self, parts: Vec<NodeId>) -> Option<NodeId> {
        let mut parts = parts;
        parts.sort();
        parts.dedup();
        parts.into_iter().reduce(|a, b| self.add(Node::Binary(ExprOp::Union, a, b)))
    }

    fn conjunct(&mut self, node: NodeId) {
        self.problem.conjuncts.push(node);
    }

    /// `all v: domain | body`
    fn all(&mut self, domain: NodeId, body: impl FnOnce(&mut Self, NodeId) -> NodeId) -> NodeId {
        let var = self.problem.arena.fresh_var(1);
        let node = self.add(Node::Var(var));
        let body = body(self, node);
        let decl = Decl { var, mult: DeclMult::One, domain };
        self.add(Node::Quant(Quant::All, [decl].into(), body))
    }

    /// The signatures of the objects of a type, constants left out.
    fn variants(&self, ty: TypeIx) -> Vec<RelId> {
        let variants = self.binding.ty(ty).variants.iter();
        variants.filter(|v| v.constant.is_none()).map(|v| v.rel).collect()
    }

    fn objects(&mut self, ty: TypeIx) -> Option<NodeId> {
        let rels = self.variants(ty);
        let nodes = rels.into_iter().map(|rel| self.relation(rel)).collect();
        self.union(nodes)
    }

    /// From owners to the objects at an occurrence in a field.
    fn step(&mut self, i: usize) -> NodeId {
        let Occurrence { rel, column, .. } = self.occurrences[i];
        let arity = self.problem.relation(rel).arity();
        let relation = self.relation(rel);
        if arity == 2 {
            return relation;
        }
        let n = self.problem.universe.len();
        let upper = self.problem.relation(rel).upper.clone();
        let column_of = |column: usize| TupleSet::unary(n, upper.tuples().map(|tuple| tuple[column]));
        let (from, to) = (column_of(0), column_of(column));
        let (from, to) = (self.problem.arena.constant(from), self.problem.arena.constant(to));
        let (a, b) = (self.problem.arena.fresh_var(1), self.problem.arena.fresh_var(1));
        let (a_node, b_node) = (self.add(Node::Var(a)), self.add(Node::Var(b)));
        let of_a = self.binary(ExprOp::Join, a_node, relation);
        let between = self.with_column(of_a, arity - 1, column - 1, b_node);
        let some = self.add(Node::Size(SizeTest::Some, between));
        let decl = |var, domain| Decl { var, mult: DeclMult::One, domain };
        self.add(Node::Comprehension([decl(a, from), decl(b, to)].into(), some))
    }

    /// The tuples of `relation` that have `value` in a column; something empty if there are none.
    fn with_column(&mut self, relation: NodeId, arity: usize, column: usize, value: NodeId) -> NodeId {
        if arity == 1 {
            return self.binary(ExprOp::Intersect, relation, value);
        }
        if column == 0 {
            return self.binary(ExprOp::DomainRestrict, value, relation);
        }
        if column == arity - 1 {
            return self.binary(ExprOp::RangeRestrict, relation, value);
        }
        // In the middle: a product with everything on both sides.
        let n = self.problem.universe.len();
        let everything = TupleSet::unary(n, self.problem.universe.atoms().map(|(atom, _)| atom));
        let everything = self.problem.arena.constant(everything);
        let mut product = if column == 0 { value } else { everything };
        for i in 1..arity {
            product = self.binary(ExprOp::Product, product, if i == column { value } else { everything });
        }
        self.binary(ExprOp::Intersect, relation, product)
    }

    fn rooted(&mut self) {
        let (mut roots, mut steps) = (Vec::new(), Vec::new());
        for i in 0..self.occurrences.len() {
            let Occurrence { rel, column, is_root, .. } = self.occurrences[i];
            if !is_root {
                steps.push(self.step(i));
                continue;
            }
            let arity = self.problem.relation(rel).arity();
            let relation = self.relation(rel);
            roots.push(if arity == 1 { relation } else { self.column(relation, arity, column) });
        }
        let reach = match (self.union(roots), self.union(steps)) {
            (None, _) => None,
            (Some(roots), None) => Some(roots),
            (Some(roots), Some(step)) => {
                let closure = self.add(Node::Closure(step));
                let further = self.binary(ExprOp::Join, roots, closure);
                Some(self.binary(ExprOp::Union, roots, further))
            }
        };
        for ty in 0..self.binding.types.len() {
            for rel in self.variants(TypeIx(ty as u32)) {
                if self.problem.relation(rel).upper.is_empty() {
                    continue;
                }
                let objects = self.relation(rel);
                let fact = match reach {
                    Some(reach) => self.add(Node::Subset(objects, reach)),
                    None => self.add(Node::Size(SizeTest::No, objects)),
                };
                self.conjunct(fact);
            }
        }
    }

    /// One column of a relation, as a set.
    fn column(&mut self, relation: NodeId, arity: usize, column: usize) -> NodeId {
        let n = self.problem.universe.len();
        let everything = TupleSet::unary(n, self.problem.universe.atoms().map(|(atom, _)| atom));
        let everything = self.problem.arena.constant(everything);
        let mut set = relation;
        for _ in 0..column {
            set = self.binary(ExprOp::Join, everything, set);
        }
        for _ in column + 1..arity {
            set = self.binary(ExprOp::Join, set, everything);
        }
        set
    }

    /// At most one owning place holds an object.
    fn one_owner(&mut self) {
        for ty in 0..self.binding.types.len() {
            let ty = TypeIx(ty as u32);
            let owners: Vec<usize> = (0..self.occurrences.len())
                .filter(|&i| self.occurrences[i].ty == ty && self.occurrences[i].hold == Hold::Owned)
                .collect();
            let Some(objects) = self.objects(ty) else { continue };
            let fact = self.all(objects, |facts, object| {
                let held: Vec<NodeId> = owners.iter().map(|&i| facts.held_by(i, object)).collect();
                let mut parts = Vec::new();
                for (k, &i) in owners.iter().enumerate() {
                    let Occurrence { rel, is_root, .. } = facts.occurrences[i];
                    if !is_root || facts.problem.relation(rel).arity() > 1 {
                        parts.push(facts.add(Node::Size(SizeTest::Lone, held[k])));
                    }
                    let none = facts.add(Node::Size(SizeTest::No, held[k]));
                    for &other in &held[..k] {
                        let other = facts.add(Node::Size(SizeTest::No, other));
                        parts.push(facts.add(Node::Or([other, none].into())));
                    }
                }
                match parts.as_slice() {
                    [] => facts.add(Node::True),
                    [part] => *part,
                    _ => facts.add(Node::And(parts.into())),
                }
            });
            if owners.len() > 1 || owners.iter().any(|&i| !self.is_plain_root(i)) {
                self.conjunct(fact);
            }
        }
    }

    fn is_plain_root(&self, i: usize) -> bool {
        self.occurrences[i].is_root && self.problem.relation(self.occurrences[i].rel).arity() == 1
    }

    /// The tuples of occurrence `i` that hold `object`.
    fn held_by(&mut self, i: usize, object: NodeId) -> NodeId {
        let Occurrence { rel, column, .. } = self.occurrences[i];
        let arity = self.problem.relation(rel).arity();
        let relation = self.relation(rel);
        if column == arity - 1 && arity > 1 {
            return self.binary(ExprOp::Join, relation, object);
        }
        self.with_column(relation, arity, column, object)
    }

    /// Ownership has no cycles. Where everything is owned, having one owner and being reachable
    /// says it already.
    fn acyclic(&mut self) {
        if self.occurrences.iter().all(|o| o.hold == Hold::Owned) {
            return;
        }
        let owning: Vec<usize> = (0..self.occurrences.len())
            .filter(|&i| !self.occurrences[i].is_root && self.occurrences[i].hold != Hold::Free)
            .collect();
        let steps = owning.iter().map(|&i| self.step(i)).collect();
        let Some(step) = self.union(steps) else { return };
        let closure = self.add(Node::Closure(step));
        let mut types: Vec<TypeIx> = owning.iter().map(|&i| self.occurrences[i].ty).collect();
        types.sort();
        types.dedup();
        for ty in types {
            let Some(objects) = self.objects(ty) else { continue };
            let fact = self.all(objects, |facts, object| {
                let below = facts.binary(ExprOp::Join, object, closure);
                let inside = facts.add(Node::Subset(object, below));
                facts.add(Node::Not(inside))
            });
            self.conjunct(fact);
        }
    }

    /// What the type of a field says about how many values it has, where the specification says
    /// less.
    fn single_values(&mut self, schema: &Schema) {
        for ty in 0..self.binding.types.len() {
            let (desc, plan) = (&self.binding.graph.types[ty], &self.binding.types[ty]);
            for (desc, plan) in desc.variants.iter().zip(&plan.variants) {
                for (field, field_plan) in desc.fields.iter().zip(&plan.fields) {
                    let Some(info) = schema.fields.iter().find(|info| info.rel == field_plan.rel) else {
                        continue;
                    };
                    if info.columns.len() != 2 || !is_single(&field.shape) || info.mult == FieldMult::One {
                        continue;
                    }
                    let test = match field.shape.may_be_empty() {
                        true if info.mult == FieldMult::Lone => continue,
                        true => SizeTest::Lone,
                        false => SizeTest::One,
                    };
                    let (owner, relation) = (self.relation(plan.rel), self.relation(field_plan.rel));
                    let fact = self.all(owner, |facts, object| {
                        let values = facts.binary(ExprOp::Join, object, relation);
                        facts.add(Node::Size(test, values))
                    });
                    self.conjunct(fact);
                }
            }
        }
    }
}

/// Whether a value of this shape is at most one tuple.
fn is_single(shape: &Shape) -> bool {
    match shape {
        Shape::Wrap(_, inner) | Shape::Option(inner) => is_single(inner),
        Shape::Int { .. } | Shape::Bool | Shape::Char | Shape::Text { .. } => true,
        Shape::Object(_) | Shape::Index { .. } => true,
        _ => false,
    }
}
