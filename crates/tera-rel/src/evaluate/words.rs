//! Evaluation over machine words, for universes of at most 64 atoms.
//!
//! A relation of arity `k` is `n^(k-1)` words: the word of a row has a bit for each atom of the last
//! column. Every node owns a place in one memory, laid out when the problem is compiled. A value is
//! computed again only when a variable that is free in it was bound since: each variable carries the
//! time of its last binding, each node the time of its last computation.

use std::rc::Rc;

use super::arith::{self, Int};
use super::tables::Tables;
use super::{EvalError, Value};
use crate::context::Context;
use crate::formula::{
    Arena, Decl, DeclMult, ExprOp, IntCmp, IntSemantics, Node, NodeId, Overflow, Quant, SizeTest, Sort, VarId,
};
use crate::problem::{Instance, Problem};
use crate::tuple_set::TupleSet;

/// More words than this are left to the other path.
const MAX_WORDS: usize = 1 << 22;
/// Quantifying over the subsets of a larger set is refused.
const MAX_SUBSET_BITS: usize = 20;

pub(super) struct Words {
    program: Rc<Program>,
    memory: Vec<u64>,
    /// When the node was computed last; 0 is never.
    computed: Vec<u64>,
    bound: Vec<u64>,
    clock: u64,
    undefined: Vec<bool>,
    ints: Vec<i64>,
    truths: Vec<bool>,
    context: Context,
    error: Option<EvalError>,
    tables: Tables,
}

/// The compiled problem; does not change.
struct Program {
    nodes: Vec<Node>,
    arity: Vec<u32>,
    sorts: Vec<Sort>,
    /// Where the node's words begin; nodes that are not needed have none.
    place: Vec<u32>,
    var_place: Vec<u32>,
    var_arity: Vec<u32>,
    rel_place: Vec<u32>,
    free: Vec<Box<[VarId]>>,
    /// Variables under a cardinality or a sum of the node: those that overflows are blamed on.
    blamed: Vec<Box<[VarId]>>,
    /// Whether the value depends on where the node stands (forbidden overflow only).
    positional: Vec<bool>,
    shared: Vec<bool>,
    n: usize,
    semantics: IntSemantics,
    /// Value by atom; `None` for atoms that are not integers.
    int_of: Vec<Option<i64>>,
    /// Integer atoms, ascending.
    int_atoms: Vec<(i64, u32)>,
    int_mask: u64,
    /// The upper bound of a unary node, as far as it is known without an instance.
    possible: Vec<Option<u64>>,
    is_int_domain: Vec<bool>,
    /// For a comprehension `{v: domain | v.relation = value}`, the relation and the value.
    selections: Vec<Option<(NodeId, NodeId)>>,
}

const NOWHERE: u32 = u32::MAX;

/// The relation and the value of `{v: domain | v.relation = value}`, neither of which depends on
/// `v`.
fn selection(arena: &Arena, free: &[Box<[VarId]>], id: NodeId) -> Option<(NodeId, NodeId)> {
    let Node::Comprehension(decls, body) = arena.node(id) else { return None };
    let ([decl], Node::Equal(a, b)) = (&**decls, arena.node(*body)) else { return None };
    let is_closed = |node: NodeId| !free[node.0 as usize].contains(&decl.var);
    let image = |node: NodeId| match *arena.node(node) {
        Node::Binary(ExprOp::Join, var, relation)
            if *arena.node(var) == Node::Var(decl.var) && arena.arity(relation) == 2 =>
        {
            Some(relation).filter(|&relation| is_closed(relation))
        }
        _ => None,
    };
    if decl.mult != DeclMult::One || arena.var_arity(decl.var) != 1 {
        return None;
    }
    let found = |left: NodeId, right: NodeId| Some((image(left)?, right)).filter(|_| is_closed(right));
    found(*a, *b).or_else(|| found(*b, *a))
}

fn rows(n: usize, arity: usize) -> usize {
    n.pow(arity as u32 - 1)
}

impl Words {
    /// `None` when the universe or the relations are too large for this path.
    pub fn compile(problem: &Problem, roots: &[NodeId]) -> Option<Words> {
        let n = problem.universe.len();
        if n > 64 {
            return None;
        }
        let arena = &problem.arena;
        let mut needed = vec![false; arena.len()];
        for root in roots {
            needed[root.0 as usize] = true;
        }
        for i in (0..arena.len()).rev() {
            if needed[i] {
                arena.node(NodeId(i as u32)).for_each_child(|c| needed[c.0 as usize] = true);
            }
        }
        let mut top = 0usize;
        let mut allocate = |arity: usize| -> Option<u32> {
            let size = n.max(1).checked_pow(arity as u32 - 1)?;
            let place = top;
            top = top.checked_add(size).filter(|&t| t <= MAX_WORDS)?;
            Some(place as u32)
        };
        let mut rel_place = Vec::new();
        for relation in &problem.relations {
            rel_place.push(allocate(relation.arity())?);
        }
        let mut var_place = Vec::new();
        let var_arity: Vec<u32> =
            (0..arena.n_vars()).map(|v| arena.var_arity(VarId(v as u32)) as u32).collect();
        for &arity in &var_arity {
            var_place.push(allocate(arity as usize)?);
        }
        let mut place = vec![NOWHERE; arena.len()];
        for i in (0..arena.len()).filter(|&i| needed[i]) {
            let id = NodeId(i as u32);
            place[i] = match arena.node(id) {
                Node::Relation(rel) => rel_place[rel.0 as usize],
                Node::Var(var) => var_place[var.0 as usize],
                _ if arena.arity(id) > 0 => allocate(arena.arity(id))?,
                _ => continue,
            };
        }
        let ints = problem.universe.ints();
        let mut int_of = vec![None; n];
        let mut int_mask = 0;
        for &(value, atom) in ints {
            int_of[atom.0 as usize] = Some(value);
            int_mask |= 1 << atom.0;
        }
        let facts = Facts::of(problem);
        let tables = Tables::new(problem, &facts.free, &needed);
        let selections = (0..arena.len()).map(|i| selection(arena, &facts.free, NodeId(i as u32))).collect();
        let program = Program {
            selections,
            nodes: (0..arena.len()).map(|i| arena.node(NodeId(i as u32)).clone()).collect(),
            arity: (0..arena.len()).map(|i| arena.arity(NodeId(i as u32)) as u32).collect(),
            sorts: (0..arena.len()).map(|i| arena.sort(NodeId(i as u32))).collect(),
            place,
            var_place,
            var_arity,
            rel_place,
            free: facts.free,
            blamed: facts.blamed,
            positional: facts.positional,
            shared: facts.shared,
            n,
            semantics: problem.ints,
            int_of,
            int_atoms: ints.iter().map(|&(v, a)| (v, a.0)).collect(),
            int_mask,
            possible: (0..arena.len()).map(|i| possible(problem, NodeId(i as u32))).collect(),
            is_int_domain: facts.is_int_domain,
        };
        let mut words = Words {
            memory: vec![0; top],
            computed: vec![0; arena.len()],
            bound: vec![0; arena.n_vars()],
            clock: 1,
            undefined: vec![false; arena.len()],
            ints: vec![0; arena.len()],
            truths: vec![false; arena.len()],
            context: Context::default(),
            error: None,
            tables,
            program: Rc::new(program),
        };
        for i in (0..arena.len()).filter(|&i| needed[i]) {
            if let Node::Const(set) = arena.node(NodeId(i as u32)) {
                let at = words.program.place[i] as usize;
                words.store(at, arena.const_set(*set));
            }
        }
        Some(words)
    }

    pub fn load(&mut self, instance: &Instance) {
        for (i, value) in instance.values.iter().enumerate() {
            if let Some(&at) = self.program.rel_place.get(i) {
                self.store(at as usize, value);
            }
        }
        self.forget();
    }

    /// Makes every remembered value stale.
    fn forget(&mut self) {
        self.computed.fill(0);
        self.tables.forget();
    }

    fn store(&mut self, at: usize, set: &TupleSet) {
        let n = self.program.n;
        if n == 0 {
            return;
        }
        let size = rows(n, set.arity());
        self.memory[at..at + size].fill(0);
        for index in set.indices() {
            self.memory[at + index / n] |= 1 << (index % n);
        }
    }

    fn read(&self, at: usize, arity: usize) -> TupleSet {
        let n = self.program.n;
        let mut set = TupleSet::empty(arity, n);
        if n > 0 {
            for row in 0..rows(n, arity) {
                for bit in bits(self.memory[at + row]) {
                    set.insert_index(row * n + bit);
                }
            }
        }
        set
    }

    fn finish<T>(&mut self, value: T) -> Result<T, EvalError> {
        match self.error.take() {
            Some(error) => {
                self.forget();
                Err(error)
            }
            None => Ok(value),
        }
    }

    pub fn closed_formula(&mut self, node: NodeId) -> Result<bool, EvalError> {
        let program = self.program.clone();
        let truth = self.formula(&program, node);
        self.finish(truth)
    }

    pub fn closed_value(&mut self, node: NodeId) -> Result<Value, EvalError> {
        let program = self.program.clone();
        let value = self.value(&program, node);
        self.finish(value)
    }

    fn value(&mut self, p: &Program, node: NodeId) -> Value {
        match p.sorts[node.0 as usize] {
            Sort::Formula => Value::Formula(self.formula(p, node)),
            Sort::Int => {
                let int = self.int(p, node);
                if int.undefined { Value::Undefined } else { Value::Int(int.value) }
            }
            Sort::Expr(arity) => {
                if self.expr(p, node) {
                    return Value::Undefined;
                }
                Value::Relation(self.read(p.place[node.0 as usize] as usize, arity as usize))
            }
        }
    }

    fn fail(&mut self, error: EvalError) {
        self.error.get_or_insert(error);
    }

    /// Whether the remembered value of `node` still stands.
    fn is_fresh(&self, p: &Program, node: NodeId) -> bool {
        let i = node.0 as usize;
        let at = self.computed[i];
        at != 0 && !p.positional[i] && p.free[i].iter().all(|v| self.bound[v.0 as usize] <= at)
    }

    /// Where the value of `node` under the present binding is kept, if it is.
    #[inline]
    fn slot(&self, p: &Program, node: NodeId) -> Option<usize> {
        let (var, start) = self.tables.place(node)?;
        let atom = self.memory[p.var_place[var.0 as usize] as usize].trailing_zeros();
        Some(start as usize + atom as usize)
    }

    fn bind(&mut self, var: VarId) {
        self.clock += 1;
        self.bound[var.0 as usize] = self.clock;
    }

    fn is_forbid(&self, p: &Program) -> bool {
        p.semantics.overflow == Overflow::Forbid
    }

    // ---- formulas ----

    fn formula(&mut self, p: &Program, id: NodeId) -> bool {
        let i = id.0 as usize;
        let keep = p.shared[i] || matches!(p.nodes[i], Node::Quant(..));
        if keep && self.is_fresh(p, id) {
            return self.truths[i];
        }
        let slot = self.slot(p, id);
        if let Some((value, _)) = slot.and_then(|slot| self.tables.get(slot)) {
            return value != 0;
        }
        let truth = if self.is_forbid(p) {
            let saved = self.context.save();
            let truth = self.formula_uncached(p, id);
            self.context.restore(saved);
            truth
        } else {
            self.formula_uncached(p, id)
        };
        if keep {
            self.truths[i] = truth;
            self.computed[i] = self.clock;
        }
        if let Some(slot) = slot {
            self.tables.set(slot, u64::from(truth), false);
        }
        truth
    }

    fn formula_uncached(&mut self, p: &Program, id: NodeId) -> bool {
        match &p.nodes[id.0 as usize] {
            Node::True => true,
            Node::False => false,
            Node::Not(a) => {
                self.context.enter_not();
                let truth = !self.formula(p, *a);
                self.context.enter_not();
                truth
            }
            Node::And(parts) => {
                self.context.enter_and();
                parts.iter().all(|&part| self.formula(p, part))
            }
            Node::Or(parts) => {
                self.context.enter_or();
                parts.iter().any(|&part| self.formula(p, part))
            }
            Node::Implies(a, b) => {
                let saved = self.context.save();
                self.context.enter_premise();
                let premise = self.formula(p, *a);
                self.context.restore(saved);
                self.context.enter_or();
                !premise || self.formula(p, *b)
            }
            Node::Iff(a, b) => {
                self.context.enter_opaque();
                self.formula(p, *a) == self.formula(p, *b)
            }
            Node::IfFormula(cond, a, b) => {
                self.context.enter_opaque();
                let branch = if self.formula(p, *cond) { a } else { b };
                self.formula(p, *branch)
            }
            Node::Subset(a, b) | Node::Equal(a, b) => {
                self.context.enter_opaque();
                let undefined = [(self.expr(p, *a), *a), (self.expr(p, *b), *b)];
                let size = rows(p.n.max(1), p.arity[a.0 as usize] as usize);
                let (x, y) = (self.words(p, *a, size), self.words(p, *b, size));
                let truth = match &p.nodes[id.0 as usize] {
                    Node::Subset(..) => x.iter().zip(y).all(|(x, y)| x & !y == 0),
                    _ => x == y,
                };
                self.defined(p, truth, &undefined)
            }
            Node::Size(test, a) => {
                self.context.enter_opaque();
                let undefined = [(self.expr(p, *a), *a)];
                let words = self.words(p, *a, rows(p.n.max(1), p.arity[a.0 as usize] as usize));
                let truth = match test {
                    SizeTest::No => words.iter().all(|&w| w == 0),
                    SizeTest::Some => words.iter().any(|&w| w != 0),
                    SizeTest::Lone => words.iter().map(|w| w.count_ones()).sum::<u32>() <= 1,
                    SizeTest::One => words.iter().map(|w| w.count_ones()).sum::<u32>() == 1,
                };
                self.defined(p, truth, &undefined)
            }
            Node::Compare(cmp, a, b) => {
                self.context.enter_opaque();
                let (x, y) = (self.int(p, *a), self.int(p, *b));
                let truth = compare(*cmp, x.value, y.value);
                self.defined(p, truth, &[(x.undefined, *a), (y.undefined, *b)])
            }
            Node::Quant(quant, decls, body) => {
                if self.is_forbid(p) {
                    let vars = decls.iter().map(|d| (d.var, p.is_int_domain[d.domain.0 as usize]));
                    self.context.enter_quantifier(*quant, vars);
                }
                let wanted = *quant == Quant::Some;
                let found = self.each(p, decls, &mut |words, p| words.formula(p, *body) == wanted);
                found == wanted
            }
            Node::TotalOrder(elements, first, next) => {
                self.context.enter_opaque();
                let undefined = [*elements, *first, *next].map(|node| (self.expr(p, node), node));
                let truth = self.is_chain(p, *elements, *first, *next);
                self.defined(p, truth, &undefined)
            }
            _ => unreachable!("a formula is wanted"),
        }
    }

    fn is_chain(&self, p: &Program, elements: NodeId, first: NodeId, next: NodeId) -> bool {
        let at = |node: NodeId| p.place[node.0 as usize] as usize;
        let (elements, first) = (self.memory[at(elements)], self.memory[at(first)]);
        if first.count_ones() != 1 {
            return false;
        }
        // Walk from the first: every element once, and not one edge besides.
        let (mut seen, mut here) = (0, first);
        loop {
            if here & !elements != 0 || here & seen != 0 {
                return false;
            }
            seen |= here;
            let successors = self.memory[at(next) + here.trailing_zeros() as usize];
            match successors.count_ones() {
                0 => break,
                1 => here = successors,
                _ => return false,
            }
        }
        let outside = (0..p.n).filter(|a| seen >> a & 1 == 0);
        seen == elements && outside.into_iter().all(|a| self.memory[at(next) + a] == 0)
    }

    /// The truth of an atomic formula of which parts may be undefined.
    fn defined(&self, p: &Program, truth: bool, parts: &[(bool, NodeId)]) -> bool {
        match p.semantics.overflow {
            Overflow::Wrap => truth,
            Overflow::Exact => truth && parts.iter().all(|part| !part.0),
            Overflow::Forbid => {
                let mut existential = false;
                let mut universal = false;
                for &(undefined, node) in parts {
                    if undefined {
                        let blamed = &p.blamed[node.0 as usize];
                        if self.context.is_universal(blamed) { universal = true } else { existential = true }
                    }
                }
                // Under a `not` the same holds of the negation. Where both kinds meet, the order of
                // the two steps decides.
                if self.context.is_negated() {
                    (truth || existential) && !universal
                } else {
                    (truth || universal) && !existential
                }
            }
        }
    }

    /// For explanations: see [`super::explain`].
    pub fn bind_tuple(&mut self, var: VarId, tuple: u64) {
        let p = self.program.clone();
        let place = p.var_place[var.0 as usize] as usize;
        let size = rows(p.n.max(1), p.var_arity[var.0 as usize] as usize);
        self.memory[place..place + size].fill(0);
        self.memory[place + tuple as usize / p.n] = 1 << (tuple as usize % p.n);
        self.bind(var);
    }

    pub fn bind_set(&mut self, var: VarId, value: &TupleSet) {
        self.store(self.program.var_place[var.0 as usize] as usize, value);
        self.bind(var);
    }

    /// Calls `test` for the values of `decls` until it returns true; whether it did.
    fn each(
        &mut self,
        p: &Program,
        decls: &[Decl],
        test: &mut dyn FnMut(&mut Words, &Program) -> bool,
    ) -> bool {
        let Some((decl, rest)) = decls.split_first() else {
            return test(self, p);
        };
        self.expr(p, decl.domain);
        let arity = p.var_arity[decl.var.0 as usize] as usize;
        let domain = p.place[decl.domain.0 as usize] as usize;
        let place = p.var_place[decl.var.0 as usize] as usize;
        if decl.mult == DeclMult::Set {
            return self.each_subset(p, decl, rest, test);
        }
        if p.n == 0 {
            return false;
        }
        if arity == 1 {
            for atom in bits(self.memory[domain]) {
                self.memory[place] = 1 << atom;
                self.bind(decl.var);
                if self.each(p, rest, test) {
                    return true;
                }
            }
            return false;
        }
        for row in 0..rows(p.n, arity) {
            for atom in bits(self.memory[domain + row]) {
                self.memory[place..place + rows(p.n, arity)].fill(0);
                self.memory[place + row] = 1 << atom;
                self.bind(decl.var);
                if self.each(p, rest, test) {
                    return true;
                }
            }
        }
        false
    }

    /// Calls `visit` for all values of `decls` that the bounds allow, with whether they are present.
    fn each_possible(
        &mut self,
        p: &Program,
        decls: &[Decl],
        present: bool,
        visit: &mut dyn FnMut(&mut Words, &Program, bool),
    ) {
        let Some((decl, rest)) = decls.split_first() else {
            return visit(self, p, present);
        };
        self.expr(p, decl.domain);
        let members = self.memory[p.place[decl.domain.0 as usize] as usize];
        let possible = p.possible[decl.domain.0 as usize].unwrap_or(members);
        for atom in bits(possible) {
            self.memory[p.var_place[decl.var.0 as usize] as usize] = 1 << atom;
            self.bind(decl.var);
            self.each_possible(p, rest, present && members >> atom & 1 == 1, visit);
        }
    }

    fn each_subset(
        &mut self,
        p: &Program,
        decl: &Decl,
        rest: &[Decl],
        test: &mut dyn FnMut(&mut Words, &Program) -> bool,
    ) -> bool {
        let arity = p.var_arity[decl.var.0 as usize] as usize;
        let domain = p.place[decl.domain.0 as usize] as usize;
        let place = p.var_place[decl.var.0 as usize] as usize;
        let size = rows(p.n.max(1), arity);
        let cells: Vec<(usize, u64)> = (0..size)
            .flat_map(|row| bits(self.memory[domain + row]).map(move |atom| (row, 1 << atom)))
            .collect();
        if cells.len() > MAX_SUBSET_BITS {
            self.fail(EvalError::TooLarge(decl.domain));
            return false;
        }
        for subset in 0..1u32 << cells.len() {
            self.memory[place..place + size].fill(0);
            for (i, &(row, bit)) in cells.iter().enumerate() {
                if subset >> i & 1 == 1 {
                    self.memory[place + row] |= bit;
                }
            }
            self.bind(decl.var);
            if self.each(p, rest, test) {
                return true;
            }
        }
        false
    }

    // ---- relations ----

    fn words(&self, p: &Program, id: NodeId, size: usize) -> &[u64] {
        let at = p.place[id.0 as usize] as usize;
        &self.memory[at..at + size]
    }

    /// Computes the words of a relational node; whether it is undefined.
    fn expr(&mut self, p: &Program, id: NodeId) -> bool {
        let i = id.0 as usize;
        if matches!(p.nodes[i], Node::Relation(_) | Node::Var(_) | Node::Const(_)) {
            return false;
        }
        if self.is_fresh(p, id) {
            return self.undefined[i];
        }
        let slot = self.slot(p, id);
        let undefined = match slot.and_then(|slot| self.tables.get(slot)) {
            Some((word, undefined)) => {
                self.memory[p.place[i] as usize] = word;
                undefined
            }
            None => {
                let undefined = self.expr_uncached(p, id);
                if let Some(slot) = slot {
                    self.tables.set(slot, self.memory[p.place[i] as usize], undefined);
                }
                undefined
            }
        };
        self.undefined[i] = undefined;
        self.computed[i] = self.clock;
        undefined
    }

    fn expr_uncached(&mut self, p: &Program, id: NodeId) -> bool {
        let n = p.n;
        let to = p.place[id.0 as usize] as usize;
        let arity = p.arity[id.0 as usize] as usize;
        let size = rows(n.max(1), arity);
        let at = |node: NodeId| p.place[node.0 as usize] as usize;
        match &p.nodes[id.0 as usize] {
            Node::Empty(_) => {
                self.memory[to..to + size].fill(0);
                false
            }
            Node::Binary(op, a, b) => {
                let undefined = self.expr(p, *a) | self.expr(p, *b);
                let (x, y) = (at(*a), at(*b));
                let (left, right) = (p.arity[a.0 as usize] as usize, p.arity[b.0 as usize] as usize);
                let m = &mut self.memory;
                match op {
                    ExprOp::Union => (0..size).for_each(|r| m[to + r] = m[x + r] | m[y + r]),
                    ExprOp::Intersect => (0..size).for_each(|r| m[to + r] = m[x + r] & m[y + r]),
                    ExprOp::Difference => (0..size).for_each(|r| m[to + r] = m[x + r] & !m[y + r]),
                    ExprOp::Product => {
                        m[to..to + size].fill(0);
                        let width = rows(n.max(1), right);
                        for row in 0..rows(n.max(1), left) {
                            for atom in bits(m[x + row]) {
                                let base = to + (row * n + atom) * width;
                                m.copy_within(y..y + width, base);
                            }
                        }
                    }
                    ExprOp::Join => join(m, n, to, size, (x, left), (y, right)),
                    ExprOp::Override => {
                        if arity == 1 {
                            m[to] = m[x] | m[y];
                        } else {
                            let width = rows(n.max(1), arity - 1);
                            for atom in 0..n {
                                let from = if m[y + atom * width..][..width].iter().any(|&w| w != 0) {
                                    y
                                } else {
                                    x
                                };
                                let row = from + atom * width;
                                m.copy_within(row..row + width, to + atom * width);
                            }
                        }
                    }
                    ExprOp::DomainRestrict => {
                        if arity == 1 {
                            m[to] = m[x] & m[y];
                        } else {
                            let width = rows(n.max(1), arity - 1);
                            for atom in 0..n {
                                let row = to + atom * width;
                                if m[x] >> atom & 1 == 1 {
                                    m.copy_within(y + atom * width..y + (atom + 1) * width, row);
                                } else {
                                    m[row..row + width].fill(0);
                                }
                            }
                        }
                    }
                    ExprOp::RangeRestrict => (0..size).for_each(|r| m[to + r] = m[x + r] & m[y]),
                }
                undefined
            }
            Node::Transpose(a) => {
                let undefined = self.expr(p, *a);
                let x = at(*a);
                self.memory[to..to + size].fill(0);
                for row in 0..n {
                    for atom in bits(self.memory[x + row]) {
                        self.memory[to + atom] |= 1 << row;
                    }
                }
                undefined
            }
            Node::Closure(a) => {
                let undefined = self.expr(p, *a);
                let x = at(*a);
                self.memory.copy_within(x..x + size, to);
                // Warshall, a row at a time; rows without a successor stay as they are.
                let rows = &mut self.memory[to..to + size];
                let live = rows.iter().enumerate().fold(0, |live, (r, &w)| live | u64::from(w != 0) << r);
                for via in bits(live) {
                    let beyond = rows[via];
                    for row in bits(live) {
                        if rows[row] >> via & 1 == 1 {
                            rows[row] |= beyond;
                        }
                    }
                }
                undefined
            }
            Node::IfExpr(cond, a, b) => {
                let branch = if self.formula(p, *cond) { *a } else { *b };
                let undefined = self.expr(p, branch);
                self.memory.copy_within(at(branch)..at(branch) + size, to);
                undefined
            }
            Node::Comprehension(decls, _) if p.selections[id.0 as usize].is_some() && !self.is_forbid(p) => {
                // Rows that are equal to a set: no variable need be bound.
                let (relation, value) = p.selections[id.0 as usize].expect("looked at");
                self.expr(p, decls[0].domain);
                let undefined = self.expr(p, relation) | self.expr(p, value);
                let wanted = self.memory[at(value)];
                let mut set = 0;
                if !undefined || p.semantics.overflow == Overflow::Wrap {
                    for atom in bits(self.memory[at(decls[0].domain)]) {
                        set |= u64::from(self.memory[at(relation) + atom] == wanted) << atom;
                    }
                }
                self.memory[to] = set;
                false
            }
            Node::Comprehension(decls, body) => {
                let saved = self.context.save();
                let vars = decls.iter().map(|d| (d.var, p.is_int_domain[d.domain.0 as usize]));
                self.context.enter_comprehension(vars);
                self.memory[to..to + size].fill(0);
                self.each(p, decls, &mut |words, p| {
                    if words.formula(p, *body) {
                        let mut row = 0;
                        for (i, decl) in decls.iter().enumerate() {
                            let bit = words.memory[p.var_place[decl.var.0 as usize] as usize];
                            if i + 1 < decls.len() {
                                row = row * n + bit.trailing_zeros() as usize;
                            } else {
                                words.memory[to + row] |= bit;
                            }
                        }
                    }
                    false
                });
                self.context.restore(saved);
                // An undefined number in a domain is an empty set, as it is for quantifiers.
                false
            }
            Node::IntAtom(a) => {
                let int = self.int(p, *a);
                let atom = p.int_atoms.binary_search_by_key(&int.value, |&(v, _)| v);
                let empty = int.undefined && p.semantics.overflow != Overflow::Wrap;
                self.memory[to] = match atom {
                    Ok(i) if !empty => 1 << p.int_atoms[i].1,
                    _ => 0,
                };
                int.undefined
            }
            _ => unreachable!("a relation is wanted"),
        }
    }

    // ---- integers ----

    fn int(&mut self, p: &Program, id: NodeId) -> Int {
        let i = id.0 as usize;
        if self.is_fresh(p, id) {
            return Int { value: self.ints[i], undefined: self.undefined[i] };
        }
        let slot = self.slot(p, id);
        let int = match slot.and_then(|slot| self.tables.get(slot)) {
            Some((value, undefined)) => Int { value: value as i64, undefined },
            None => match self.int_uncached(p, id) {
                Ok(int) => {
                    if let Some(slot) = slot {
                        self.tables.set(slot, int.value as u64, int.undefined);
                    }
                    int
                }
                Err(arith::TooWide) => {
                    self.fail(EvalError::TooWide(id));
                    Int { value: 0, undefined: true }
                }
            },
        };
        self.ints[i] = int.value;
        self.undefined[i] = int.undefined;
        self.computed[i] = self.clock;
        int
    }

    fn int_uncached(&mut self, p: &Program, id: NodeId) -> Result<Int, arith::TooWide> {
        match &p.nodes[id.0 as usize] {
            Node::Int(value) => arith::fit(*value as i128, false, p.semantics),
            Node::Card(a) => {
                let undefined = self.expr(p, *a);
                let words = self.words(p, *a, rows(p.n.max(1), p.arity[a.0 as usize] as usize));
                let count: u32 = words.iter().map(|w| w.count_ones()).sum();
                arith::fit(count as i128, undefined, p.semantics)
            }
            Node::SumSet(a) => {
                let undefined = self.expr(p, *a);
                let set = self.memory[p.place[a.0 as usize] as usize] & p.int_mask;
                if p.semantics.overflow == Overflow::Exact {
                    let sum = bits(set).map(|a| p.int_of[a].expect("an integer") as i128).sum();
                    return arith::fit(sum, undefined, p.semantics);
                }
                self.balanced_sum(p, &p.int_atoms, set, undefined)
            }
            Node::Sum(decls, body) => {
                let saved = self.context.save();
                let vars = decls.iter().map(|d| (d.var, p.is_int_domain[d.domain.0 as usize]));
                self.context.enter_comprehension(vars);
                let result = if p.semantics.overflow == Overflow::Forbid {
                    self.paired_sum(p, decls, *body)
                } else {
                    let mut sum = 0i128;
                    let mut undefined = false;
                    self.each(p, decls, &mut |words, p| {
                        let int = words.int(p, *body);
                        sum += int.value as i128;
                        undefined |= int.undefined;
                        false
                    });
                    arith::fit(sum, undefined, p.semantics)
                };
                self.context.restore(saved);
                result
            }
            Node::IntBinary(op, a, b) => {
                let (a, b) = (self.int(p, *a), self.int(p, *b));
                arith::binary(*op, a, b, p.semantics)
            }
            Node::IfInt(cond, a, b) => {
                let branch = if self.formula(p, *cond) { *a } else { *b };
                Ok(self.int(p, branch))
            }
            _ => unreachable!("an integer is wanted"),
        }
    }

    /// The integers of a set, added half by half as the Analyzer adds them: what overflows on the
    /// way counts.
    fn balanced_sum(
        &self,
        p: &Program,
        atoms: &[(i64, u32)],
        set: u64,
        undefined: bool,
    ) -> Result<Int, arith::TooWide> {
        match atoms {
            [] => Ok(Int { value: 0, undefined }),
            [(value, atom)] => {
                arith::fit(if set >> atom & 1 == 1 { *value as i128 } else { 0 }, undefined, p.semantics)
            }
            _ => {
                let (low, high) = atoms.split_at(atoms.len().div_ceil(2));
                let low = self.balanced_sum(p, low, set, undefined)?;
                let high = self.balanced_sum(p, high, set, undefined)?;
                arith::binary(crate::formula::IntOp::Add, low, high, p.semantics)
            }
        }
    }

    /// `sum` as the Analyzer adds it: a term for every tuple that the bounds allow, absent ones
    /// zero, neighbours in pairs. It matters for overflows of partial sums.
    fn paired_sum(&mut self, p: &Program, decls: &[Decl], body: NodeId) -> Result<Int, arith::TooWide> {
        let mut terms: Vec<Int> = Vec::new();
        self.each_possible(p, decls, true, &mut |words, p, present| {
            let int = words.int(p, body);
            terms.push(if present { int } else { Int { value: 0, undefined: false } });
        });
        while terms.len() > 1 {
            let mut next = Vec::with_capacity(terms.len().div_ceil(2));
            for pair in terms.chunks(2) {
                next.push(match *pair {
                    [a, b] => arith::binary(crate::formula::IntOp::Add, a, b, p.semantics)?,
                    _ => pair[0],
                });
            }
            terms = next;
        }
        Ok(terms.pop().unwrap_or(Int { value: 0, undefined: false }))
    }
}

fn possible(problem: &Problem, id: NodeId) -> Option<u64> {
    let set = match problem.arena.node(id) {
        Node::Relation(rel) => &problem.relation(*rel).upper,
        Node::Const(set) => problem.arena.const_set(*set),
        _ => return None,
    };
    (set.arity() == 1).then(|| set.indices().fold(0, |word, atom| word | 1 << atom))
}

fn compare(cmp: IntCmp, a: i64, b: i64) -> bool {
    match cmp {
        IntCmp::Eq => a == b,
        IntCmp::Lt => a < b,
        IntCmp::Lte => a <= b,
        IntCmp::Gt => a > b,
        IntCmp::Gte => a >= b,
    }
}

/// The positions of the bits of a word, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros() as usize;
        word &= word - 1;
        Some(bit)
    })
}

/// The join of two relations given by place and arity.
fn join(
    m: &mut [u64],
    n: usize,
    to: usize,
    size: usize,
    (x, left): (usize, usize),
    (y, right): (usize, usize),
) {
    if right == 1 {
        m[to..to + size].fill(0);
        for row in 0..rows(n.max(1), left) {
            if m[x + row] & m[y] != 0 {
                m[to + row / n] |= 1 << (row % n);
            }
        }
        return;
    }
    let width = rows(n.max(1), right - 1);
    if left == 1 && width == 1 {
        m[to] = bits(m[x]).fold(0, |acc, atom| acc | m[y + atom]);
        return;
    }
    m[to..to + size].fill(0);
    for row in 0..rows(n.max(1), left) {
        for atom in bits(m[x + row]) {
            for column in 0..width {
                m[to + row * width + column] |= m[y + atom * width + column];
            }
        }
    }
}

/// What is known of nodes without an instance.
pub(super) struct Facts {
    pub free: Vec<Box<[VarId]>>,
    pub blamed: Vec<Box<[VarId]>>,
    pub positional: Vec<bool>,
    pub shared: Vec<bool>,
    pub is_int_domain: Vec<bool>,
}

impl Facts {
    pub fn of(problem: &Problem) -> Facts {
        let arena: &Arena = &problem.arena;
        let forbid = problem.ints.overflow == Overflow::Forbid;
        let n = problem.universe.len();
        let all_ints = TupleSet::unary(n, problem.universe.ints().iter().map(|i| i.1));
        let len = arena.len();
        let mut facts = Facts {
            free: Vec::with_capacity(len),
            blamed: Vec::with_capacity(len),
            positional: vec![false; len],
            shared: vec![false; len],
            is_int_domain: vec![false; len],
        };
        let mut parents = vec![0u32; len];
        // Variables that occur anywhere below, and those below a cardinality or sum.
        let mut mentioned: Vec<Vec<VarId>> = Vec::with_capacity(len);
        for i in 0..len {
            let node = arena.node(NodeId(i as u32));
            let (mut free, mut blamed, mut below) = (Vec::new(), Vec::new(), Vec::new());
            let mut positional = forbid
                && arena.sort(NodeId(i as u32)) == Sort::Formula
                && !matches!(node, Node::True | Node::False);
            node.for_each_child(|child| {
                let child = child.0 as usize;
                parents[child] += 1;
                free.extend_from_slice(&facts.free[child]);
                blamed.extend_from_slice(&facts.blamed[child]);
                if forbid {
                    below.extend_from_slice(&mentioned[child]);
                }
                positional |= facts.positional[child];
            });
            match node {
                Node::Var(var) => {
                    free.push(*var);
                    below.push(*var);
                }
                Node::Card(_) | Node::SumSet(_) if forbid => blamed.extend_from_slice(&below),
                Node::Relation(rel) => {
                    let relation = problem.relation(*rel);
                    facts.is_int_domain[i] = relation.is_constant() && relation.upper == all_ints;
                }
                Node::Const(set) => facts.is_int_domain[i] = *arena.const_set(*set) == all_ints,
                _ => {}
            }
            facts.is_int_domain[i] &= !all_ints.is_empty();
            for list in [&mut free, &mut blamed, &mut below] {
                list.sort_unstable();
                list.dedup();
            }
            for decl in node.decls() {
                free.retain(|&v| v != decl.var);
            }
            facts.free.push(free.into());
            facts.blamed.push(blamed.into());
            facts.positional[i] = positional;
            mentioned.push(if forbid { below } else { Vec::new() });
        }
        for (shared, n_parents) in facts.shared.iter_mut().zip(parents) {
            *shared = n_parents > 1;
        }
        facts
    }
}
