//! Evaluation over sorted lists of tuple indices, for universes of more than 64 atoms and for
//! relations too large for a table. Slow and simple; only closed relations are remembered.

use std::rc::Rc;

use super::arith::{self, Int};
use super::facts::Facts;
use super::{EvalError, Value};
use crate::context::Context;
use crate::formula::{
    Arena, Decl, DeclMult, ExprOp, IntCmp, IntOp, Node, NodeId, Overflow, Quant, SizeTest, Sort, VarId,
};
use crate::problem::{Instance, Problem};
use crate::tuple_set::TupleSet;

/// Tuple indices, ascending.
type List = Rc<Vec<u64>>;

const MAX_SUBSET_BITS: usize = 20;
/// More tuples than this in one value are refused.
const MAX_TUPLES: usize = 50_000_000;

pub(super) struct Lists {
    problem: Rc<Problem>,
    facts: Rc<Facts>,
    relations: Vec<List>,
    vars: Vec<List>,
    closed: Vec<Option<(List, bool)>>,
    context: Context,
}

type Result<T> = std::result::Result<T, EvalError>;

impl Lists {
    pub fn compile(problem: &Problem) -> Lists {
        Lists {
            facts: Rc::new(Facts::of(problem)),
            relations: vec![List::default(); problem.relations.len()],
            vars: vec![List::default(); problem.arena.n_vars()],
            closed: vec![None; problem.arena.len()],
            context: Context::default(),
            problem: Rc::new(problem.clone()),
        }
    }

    pub fn load(&mut self, instance: &Instance) {
        for (i, value) in instance.values.iter().enumerate().take(self.relations.len()) {
            self.relations[i] = list(value);
        }
        self.closed.fill(None);
    }

    pub fn bind_tuple(&mut self, var: VarId, tuple: u64) {
        self.vars[var.0 as usize] = Rc::new(vec![tuple]);
    }

    pub fn bind_set(&mut self, var: VarId, value: &TupleSet) {
        self.vars[var.0 as usize] = list(value);
    }

    pub fn closed_formula(&mut self, node: NodeId) -> Result<bool> {
        self.context = Context::default();
        let problem = self.problem.clone();
        self.formula(&problem.arena, node)
    }

    pub fn closed_value(&mut self, node: NodeId) -> Result<Value> {
        self.context = Context::default();
        let problem = self.problem.clone();
        let arena = &problem.arena;
        Ok(match arena.sort(node) {
            Sort::Formula => Value::Formula(self.formula(arena, node)?),
            Sort::Int => match self.int(arena, node)? {
                Int { undefined: true, .. } => Value::Undefined,
                Int { value, .. } => Value::Int(value),
            },
            Sort::Expr(arity) => {
                let (list, undefined) = self.expr(arena, node)?;
                let n = problem.universe.len();
                match TupleSet::capacity(arity as usize, n) {
                    _ if undefined => Value::Undefined,
                    None => return Err(EvalError::TooLarge(node)),
                    Some(_) => {
                        let mut set = TupleSet::empty(arity as usize, n);
                        list.iter().for_each(|&index| set.insert_index(index as usize));
                        Value::Relation(set)
                    }
                }
            }
        })
    }

    fn overflow(&self) -> Overflow {
        self.problem.ints.overflow
    }

    fn n(&self) -> u64 {
        self.problem.universe.len() as u64
    }

    /// `n^columns`
    fn width(&self, columns: usize, at: NodeId) -> Result<u64> {
        self.n().checked_pow(columns as u32).ok_or(EvalError::TooLarge(at))
    }

    fn formula(&mut self, arena: &Arena, id: NodeId) -> Result<bool> {
        let saved = self.context.save();
        let truth = self.formula_inside(arena, id);
        self.context.restore(saved);
        truth
    }

    fn formula_inside(&mut self, arena: &Arena, id: NodeId) -> Result<bool> {
        Ok(match arena.node(id) {
            Node::True => true,
            Node::False => false,
            Node::Not(a) => {
                self.context.enter_not();
                !self.formula(arena, *a)?
            }
            Node::And(parts) => {
                self.context.enter_and();
                for &part in parts {
                    if !self.formula(arena, part)? {
                        return Ok(false);
                    }
                }
                true
            }
            Node::Or(parts) => {
                self.context.enter_or();
                for &part in parts {
                    if self.formula(arena, part)? {
                        return Ok(true);
                    }
                }
                false
            }
            Node::Implies(a, b) => {
                let saved = self.context.save();
                self.context.enter_premise();
                let premise = self.formula(arena, *a)?;
                self.context.restore(saved);
                self.context.enter_or();
                !premise || self.formula(arena, *b)?
            }
            Node::Iff(a, b) => {
                self.context.enter_opaque();
                self.formula(arena, *a)? == self.formula(arena, *b)?
            }
            Node::IfFormula(cond, a, b) => {
                self.context.enter_opaque();
                let branch = if self.formula(arena, *cond)? { a } else { b };
                self.formula(arena, *branch)?
            }
            Node::Subset(a, b) => {
                self.context.enter_opaque();
                let ((x, p), (y, q)) = (self.expr(arena, *a)?, self.expr(arena, *b)?);
                let truth = x.iter().all(|i| y.binary_search(i).is_ok());
                self.defined(truth, &[(p, *a), (q, *b)])
            }
            Node::Equal(a, b) => {
                self.context.enter_opaque();
                let ((x, p), (y, q)) = (self.expr(arena, *a)?, self.expr(arena, *b)?);
                self.defined(x == y, &[(p, *a), (q, *b)])
            }
            Node::Size(test, a) => {
                self.context.enter_opaque();
                let (x, undefined) = self.expr(arena, *a)?;
                let truth = match test {
                    SizeTest::No => x.is_empty(),
                    SizeTest::Lone => x.len() <= 1,
                    SizeTest::One => x.len() == 1,
                    SizeTest::Some => !x.is_empty(),
                };
                self.defined(truth, &[(undefined, *a)])
            }
            Node::Compare(cmp, a, b) => {
                self.context.enter_opaque();
                let (x, y) = (self.int(arena, *a)?, self.int(arena, *b)?);
                let truth = match cmp {
                    IntCmp::Eq => x.value == y.value,
                    IntCmp::Lt => x.value < y.value,
                    IntCmp::Lte => x.value <= y.value,
                    IntCmp::Gt => x.value > y.value,
                    IntCmp::Gte => x.value >= y.value,
                };
                self.defined(truth, &[(x.undefined, *a), (y.undefined, *b)])
            }
            Node::Quant(quant, decls, body) => {
                self.enter(decls, Some(*quant));
                let wanted = *quant == Quant::Some;
                let found =
                    self.each(arena, decls, &mut |lists| Ok(lists.formula(arena, *body)? == wanted))?;
                found == wanted
            }
            Node::TotalOrder(elements, first, next) => {
                self.context.enter_opaque();
                let (e, p) = self.expr(arena, *elements)?;
                let (f, q) = self.expr(arena, *first)?;
                let (x, r) = self.expr(arena, *next)?;
                let truth = is_chain(&e, &f, &x, self.n());
                self.defined(truth, &[(p, *elements), (q, *first), (r, *next)])
            }
            _ => unreachable!("a formula is wanted"),
        })
    }

    fn enter(&mut self, decls: &[Decl], quant: Option<Quant>) {
        let facts = self.facts.clone();
        let vars = decls.iter().map(|d| (d.var, facts.is_int_domain[d.domain.0 as usize]));
        match quant {
            Some(quant) => self.context.enter_quantifier(quant, vars),
            None => self.context.enter_comprehension(vars),
        }
    }

    fn defined(&self, truth: bool, parts: &[(bool, NodeId)]) -> bool {
        let undefined = || parts.iter().filter(|part| part.0).map(|part| part.1);
        match self.overflow() {
            Overflow::Wrap => truth,
            Overflow::Exact => truth && undefined().next().is_none(),
            Overflow::Forbid => {
                let is_universal =
                    |node: NodeId| self.context.is_universal(&self.facts.blamed[node.0 as usize]);
                let universal = undefined().any(is_universal);
                let existential = !undefined().all(is_universal);
                if self.context.is_negated() {
                    (truth || existential) && !universal
                } else {
                    (truth || universal) && !existential
                }
            }
        }
    }

    fn each(
        &mut self,
        arena: &Arena,
        decls: &[Decl],
        test: &mut dyn FnMut(&mut Lists) -> Result<bool>,
    ) -> Result<bool> {
        let Some((decl, rest)) = decls.split_first() else {
            return test(self);
        };
        let (domain, _) = self.expr(arena, decl.domain)?;
        if decl.mult == DeclMult::One {
            for &tuple in domain.iter() {
                self.bind_tuple(decl.var, tuple);
                if self.each(arena, rest, test)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if domain.len() > MAX_SUBSET_BITS {
            return Err(EvalError::TooLarge(decl.domain));
        }
        for subset in 0..1u32 << domain.len() {
            let members = domain.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
            self.vars[decl.var.0 as usize] = Rc::new(members.map(|(_, &t)| t).collect());
            if self.each(arena, rest, test)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The tuples of a relational node, and whether it is undefined.
    fn expr(&mut self, arena: &Arena, id: NodeId) -> Result<(List, bool)> {
        match arena.node(id) {
            Node::Relation(rel) => return Ok((self.relations[rel.0 as usize].clone(), false)),
            Node::Var(var) => return Ok((self.vars[var.0 as usize].clone(), false)),
            _ => {}
        }
        let i = id.0 as usize;
        let keep = self.facts.free[i].is_empty() && !self.facts.positional[i];
        if keep && let Some(value) = &self.closed[i] {
            return Ok(value.clone());
        }
        let (mut tuples, undefined) = self.expr_uncached(arena, id)?;
        tuples.sort_unstable();
        tuples.dedup();
        if tuples.len() > MAX_TUPLES {
            return Err(EvalError::TooLarge(id));
        }
        let value = (Rc::new(tuples), undefined);
        if keep {
            self.closed[i] = Some(value.clone());
        }
        Ok(value)
    }

    fn expr_uncached(&mut self, arena: &Arena, id: NodeId) -> Result<(Vec<u64>, bool)> {
        let n = self.n();
        Ok(match arena.node(id) {
            Node::Const(set) => (arena.const_set(*set).indices().map(|i| i as u64).collect(), false),
            Node::Empty(_) => (Vec::new(), false),
            Node::Binary(op, a, b) => {
                let ((x, p), (y, q)) = (self.expr(arena, *a)?, self.expr(arena, *b)?);
                (self.binary(arena, *op, *a, *b, &x, &y)?, p || q)
            }
            Node::Transpose(a) => {
                let (x, undefined) = self.expr(arena, *a)?;
                (x.iter().map(|i| i % n * n + i / n).collect(), undefined)
            }
            Node::Closure(a) => {
                let (x, undefined) = self.expr(arena, *a)?;
                (closure(&x, n), undefined)
            }
            Node::IfExpr(cond, a, b) => {
                let branch = if self.formula(arena, *cond)? { *a } else { *b };
                let (x, undefined) = self.expr(arena, branch)?;
                (x.to_vec(), undefined)
            }
            Node::Comprehension(decls, body) => {
                let saved = self.context.save();
                self.enter(decls, None);
                let mut tuples = Vec::new();
                self.width(decls.len(), id)?;
                self.each(arena, decls, &mut |lists| {
                    if lists.formula(arena, *body)? {
                        let atoms = decls.iter().map(|d| lists.vars[d.var.0 as usize][0]);
                        tuples.push(atoms.fold(0, |index, atom| index * n + atom));
                    }
                    Ok(false)
                })?;
                self.context.restore(saved);
                (tuples, false)
            }
            Node::IntAtom(a) => {
                let int = self.int(arena, *a)?;
                let empty = int.undefined && self.overflow() != Overflow::Wrap;
                let atom = self.problem.universe.int_atom(int.value).filter(|_| !empty);
                (atom.iter().map(|a| a.0 as u64).collect(), int.undefined)
            }
            _ => unreachable!("a relation is wanted"),
        })
    }

    fn binary(
        &mut self,
        arena: &Arena,
        op: ExprOp,
        a: NodeId,
        b: NodeId,
        x: &[u64],
        y: &[u64],
    ) -> Result<Vec<u64>> {
        let n = self.n();
        let has = |list: &[u64], i: u64| list.binary_search(&i).is_ok();
        let both = |keep: bool| x.iter().copied().filter(move |&i| has(y, i) == keep).collect();
        Ok(match op {
            ExprOp::Union => x.iter().chain(y).copied().collect(),
            ExprOp::Intersect => both(true),
            ExprOp::Difference => both(false),
            ExprOp::Product => {
                let width = self.width(arena.arity(b), b)?;
                self.width(arena.arity(a) + arena.arity(b), b)?;
                if x.len().saturating_mul(y.len()) > MAX_TUPLES {
                    return Err(EvalError::TooLarge(b));
                }
                x.iter().flat_map(|i| y.iter().map(move |j| i * width + j)).collect()
            }
            ExprOp::Join => {
                let width = self.width(arena.arity(b) - 1, b)?;
                let mut tuples = Vec::new();
                for &i in x {
                    let row = i % n * width;
                    let from = y.partition_point(|&j| j < row);
                    let matching = y[from..].iter().take_while(|&&j| j < row + width);
                    tuples.extend(matching.map(|j| i / n * width + (j - row)));
                    if tuples.len() > 2 * MAX_TUPLES {
                        return Err(EvalError::TooLarge(b));
                    }
                }
                tuples
            }
            ExprOp::Override => {
                let width = self.width(arena.arity(a) - 1, a)?;
                let replaced = |i: u64| y.iter().any(|j| j / width == i / width);
                x.iter().copied().filter(|&i| !replaced(i)).chain(y.iter().copied()).collect()
            }
            ExprOp::DomainRestrict => {
                let width = self.width(arena.arity(b) - 1, b)?;
                y.iter().copied().filter(|&j| has(x, j / width)).collect()
            }
            ExprOp::RangeRestrict => x.iter().copied().filter(|&i| has(y, i % n)).collect(),
        })
    }

    fn int(&mut self, arena: &Arena, id: NodeId) -> Result<Int> {
        let ints = self.problem.ints;
        let wide = |_: arith::TooWide| EvalError::TooWide(id);
        match arena.node(id) {
            Node::Int(value) => arith::fit(*value as i128, false, ints).map_err(wide),
            Node::Card(a) => {
                let (x, undefined) = self.expr(arena, *a)?;
                arith::fit(x.len() as i128, undefined, ints).map_err(wide)
            }
            Node::SumSet(a) => {
                let (x, undefined) = self.expr(arena, *a)?;
                let problem = self.problem.clone();
                let value = |&(value, atom): &(i64, crate::AtomId)| {
                    if x.binary_search(&(atom.0 as u64)).is_ok() { value } else { 0 }
                };
                let terms: Vec<i64> = problem.universe.ints().iter().map(value).collect();
                if ints.overflow == Overflow::Exact {
                    let sum = terms.iter().map(|&t| t as i128).sum();
                    return arith::fit(sum, undefined, ints).map_err(wide);
                }
                self.balanced_sum(&terms, undefined).map_err(wide)
            }
            Node::Sum(decls, body) => {
                let saved = self.context.save();
                self.enter(decls, None);
                let mut terms = Vec::new();
                self.each(arena, decls, &mut |lists| {
                    terms.push(lists.int(arena, *body)?);
                    Ok(false)
                })?;
                self.context.restore(saved);
                let undefined = terms.iter().any(|t| t.undefined);
                let exact: i128 = terms.iter().map(|t| t.value as i128).sum();
                arith::fit(exact, undefined, ints).map_err(wide)
            }
            Node::IntBinary(op, a, b) => {
                let (a, b) = (self.int(arena, *a)?, self.int(arena, *b)?);
                arith::binary(*op, a, b, ints).map_err(wide)
            }
            Node::IfInt(cond, a, b) => {
                let branch = if self.formula(arena, *cond)? { *a } else { *b };
                self.int(arena, branch)
            }
            _ => unreachable!("an integer is wanted"),
        }
    }

    fn balanced_sum(&self, terms: &[i64], undefined: bool) -> std::result::Result<Int, arith::TooWide> {
        match terms {
            [] => Ok(Int { value: 0, undefined }),
            [value] => arith::fit(*value as i128, undefined, self.problem.ints),
            _ => {
                let (low, high) = terms.split_at(terms.len().div_ceil(2));
                let low = self.balanced_sum(low, undefined)?;
                let high = self.balanced_sum(high, undefined)?;
                arith::binary(IntOp::Add, low, high, self.problem.ints)
            }
        }
    }
}

fn list(set: &TupleSet) -> List {
    Rc::new(set.indices().map(|i| i as u64).collect())
}

fn closure(x: &[u64], n: u64) -> Vec<u64> {
    // Depth-first search from every source.
    let mut result = Vec::new();
    let mut sources: Vec<u64> = x.iter().map(|i| i / n).collect();
    sources.dedup();
    for &source in &sources {
        let mut seen = vec![false; n as usize];
        let mut stack = vec![source];
        while let Some(atom) = stack.pop() {
            let from = x.partition_point(|&j| j < atom * n);
            for &edge in x[from..].iter().take_while(|&&j| j < (atom + 1) * n) {
                let target = edge % n;
                if !seen[target as usize] {
                    seen[target as usize] = true;
                    result.push(source * n + target);
                    stack.push(target);
                }
            }
        }
    }
    result
}

fn is_chain(elements: &[u64], first: &[u64], next: &[u64], n: u64) -> bool {
    let &[mut here] = first else {
        return false;
    };
    let mut seen = vec![here];
    while let Ok(at) | Err(at) = next.binary_search(&(here * n))
        && let Some(&edge) = next.get(at)
        && edge / n == here
    {
        here = edge % n;
        if seen.contains(&here) {
            return false;
        }
        seen.push(here);
    }
    seen.sort_unstable();
    seen == elements && next.len() + 1 == seen.len()
}
