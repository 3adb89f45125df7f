//! Evaluation over machine words, for universes of at most 64 atoms.
//!
//! A relation of arity `k` is `n^(k-1)` words: the word of a row has a bit for each atom of the last
//! column. Every node owns a place in one memory, laid out when the problem is compiled. A value is
//! computed again only when a variable that is free in it was bound since: each variable carries the
//! time of its last binding, each node the time of its last computation.

mod bindings;
mod formulas;
mod numbers;
mod relations;

use std::rc::Rc;

use super::facts::Facts;
use super::tables::Tables;
use super::{EvalError, Value};
use crate::context::Context;
use crate::formula::{Arena, DeclMult, ExprOp, IntSemantics, Node, NodeId, Overflow, Sort, VarId};
use crate::problem::{Instance, Problem};
use crate::tuple_set::TupleSet;

/// More words than this are left to the other path.
const MAX_WORDS: usize = 1 << 22;

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
}

fn possible(problem: &Problem, id: NodeId) -> Option<u64> {
    let set = match problem.arena.node(id) {
        Node::Relation(rel) => &problem.relation(*rel).upper,
        Node::Const(set) => problem.arena.const_set(*set),
        _ => return None,
    };
    (set.arity() == 1).then(|| set.indices().fold(0, |word, atom| word | 1 << atom))
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
