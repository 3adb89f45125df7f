//! A problem as a circuit: relations are sparse matrices over the primary variables, integers are
//! two's complement numbers, quantifiers are grounded over the upper bounds of their domains with
//! membership as guards.
//!
//! Primary variables are allocated from the bounds before anything is translated: variable `i` is
//! cell `i`, visible relations first. A node is translated once for each value of its free
//! variables. Higher-order existentials get fresh cells on the way ([`crate::skolemize`]).

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tera_circuit::{Bit, Circuit, Matrix, Number, TooWide, Unary, assume_roots, encode};
use tera_rel::{
    Arena, ConstId, Context, Decl, DeclMult, ExprOp, IntCmp, IntOp, Node, NodeId, Overflow, Problem, Quant,
    RelId, Role, SizeTest, VarId,
};
use tera_sat::{Cnf, Limits};

use crate::FinderError;
use crate::facts::Facts;
use crate::representatives::Representatives;
use crate::skolemize::Skolem;

/// One primary variable: a tuple that a relation may or may not have. Variable `i` of the CNF is
/// cell `i`; cells of visible relations come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// A relation of the problem, or, counted on from its last relation, a Skolem relation.
    pub rel: RelId,
    /// Row-major index of the tuple.
    pub tuple: u64,
}

/// The circuit of a problem: one root for each conjunct, in order.
#[derive(Clone, Debug)]
pub struct Grounding {
    pub circuit: Circuit,
    pub roots: Vec<Bit>,
    /// Cell `i` is input `i` of the circuit.
    pub cells: Vec<Cell>,
    pub n_visible: usize,
    /// How many cells all matrices made on the way have: with the gates, what was worked for.
    pub n_matrix_cells: u64,
    /// Relations that skolemization added; their ids follow those of the problem.
    pub skolems: Vec<Skolem>,
    /// Of each sort, how many of its first atoms outermost existentials were narrowed to: what
    /// remains of the symmetry permutes the others. All zero without
    /// [`TranslateOptions::one_instance`].
    pub n_fixed: Vec<usize>,
}

/// How the translation goes about it.
#[derive(Clone, Debug)]
pub struct TranslateOptions {
    /// Existential sets are skolemized under at most so many universal variables.
    pub skolem_depth: usize,
    /// Most gates and inputs that the circuit may have.
    pub max_nodes: usize,
    /// When to give up, with [`FinderError::Stopped`].
    pub limits: Limits,
    /// Any one instance will do: outermost existentials try only atoms that differ up to symmetry
    /// ([`crate::representatives`]). Enumeration must not do so.
    pub one_instance: bool,
}

impl Default for TranslateOptions {
    fn default() -> TranslateOptions {
        TranslateOptions {
            skolem_depth: 1,
            max_nodes: 30_000_000,
            limits: Limits::default(),
            one_instance: false,
        }
    }
}

/// Translates all conjuncts.
pub fn ground(problem: &Problem, options: &TranslateOptions) -> Result<Grounding> {
    check_arities(problem)?;
    let mut translator = Translator::new(problem, options);
    let mut roots = Vec::with_capacity(problem.conjuncts.len());
    let mut refused = None;
    for &conjunct in &problem.conjuncts {
        match translator.formula(conjunct) {
            Ok(root) => roots.push(root),
            Err(error @ FinderError::HigherOrder(_)) => {
                // It does not matter if another conjunct is false anyway.
                translator.leave_all(options);
                roots.push(Bit::TRUE);
                refused.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(error) = refused
        && !roots.contains(&Bit::FALSE)
    {
        return Err(error);
    }
    Ok(Grounding {
        circuit: translator.circuit,
        roots,
        cells: translator.cells,
        n_visible: translator.n_visible,
        n_matrix_cells: translator.n_matrix_cells,
        skolems: translator.skolems,
        n_fixed: translator.representatives.n_fixed(),
    })
}

/// A problem as clauses, and the way back.
#[derive(Clone, Debug)]
pub struct Translation {
    pub cnf: Cnf,
    pub cells: Vec<Cell>,
    /// How many of `cells` belong to visible relations; the others (Skolem relations) are decided
    /// by the search and projected away.
    pub n_visible: usize,
    pub skolems: Vec<Skolem>,
    /// See [`Grounding::n_fixed`].
    pub n_fixed: Vec<usize>,
}

/// Translates all conjuncts into clauses.
pub fn translate(problem: &Problem, options: &TranslateOptions) -> Result<Translation> {
    let grounding = ground(problem, options)?;
    let (circuit, roots) = assume_roots(&grounding.circuit, &grounding.roots);
    let cnf = encode(&circuit, &roots);
    Ok(Translation {
        cnf,
        cells: grounding.cells,
        n_visible: grounding.n_visible,
        skolems: grounding.skolems,
        n_fixed: grounding.n_fixed,
    })
}

type Result<T> = std::result::Result<T, FinderError>;

/// Tuple indices must fit 64 bits, and every open cell becomes a variable.
fn check_arities(problem: &Problem) -> Result<()> {
    let n = problem.universe.len() as u64;
    for i in 0..problem.arena.len() {
        let arity = problem.arena.arity(NodeId(i as u32)) as u32;
        if n.checked_pow(arity).is_none() {
            return Err(FinderError::TooLarge(format!("a relation of {arity} columns over {n} atoms")));
        }
    }
    let n_cells: usize = problem.relations.iter().map(|r| r.upper.len()).sum();
    if n_cells > MAX_RELATION_CELLS {
        return Err(FinderError::TooLarge(format!("{n_cells} tuples within the bounds")));
    }
    Ok(())
}

/// A relational value, and the condition under which it is undefined (a division by zero inside,
/// say): the atomic formula around it is then false.
#[derive(Clone)]
pub(crate) struct Rel {
    pub matrix: Rc<Matrix>,
    pub undefined: Bit,
}

#[derive(Clone)]
struct Int {
    number: Number,
    undefined: Bit,
}

#[derive(Clone)]
enum Value {
    Formula(Bit),
    Rel(Rel),
    Int(Int),
}

/// What a bound variable stands for at the moment.
#[derive(Clone)]
pub(crate) struct Binding {
    matrix: Rc<Matrix>,
    /// The tuple, or the serial number of a Skolem value: the variable's part of memo keys.
    key: u64,
}

pub(crate) struct Translator<'p> {
    pub problem: &'p Problem,
    arena: &'p Arena,
    pub circuit: Circuit,
    pub cells: Vec<Cell>,
    n_visible: usize,
    pub skolems: Vec<Skolem>,
    /// How many atoms there are.
    n: u64,
    relations: Vec<Rc<Matrix>>,
    consts: FxHashMap<ConstId, Rc<Matrix>>,
    pub env: Vec<Option<Binding>>,
    /// Variables in scope, outermost first.
    pub scope: Vec<VarId>,
    facts: Rc<Facts>,
    pub representatives: Representatives,
    /// Where the walk is.
    pub context: Context,
    closed: Vec<Option<Value>>,
    open: FxHashMap<(u32, u64), Value>,
    n_matrix_cells: u64,
    limits: Limits,
    /// How many nodes were translated.
    steps: u64,
    /// Radix of each variable in memo keys.
    radix: Vec<u64>,
}

/// Most tuples that the bounds of all relations together may have.
const MAX_RELATION_CELLS: usize = 20_000_000;

/// Counts of larger sets are compared in binary.
const MAX_UNARY: usize = 40;

/// Skolem values are numbered below this in memo keys.
const SKOLEM_RADIX: u64 = 1 << 20;

impl<'p> Translator<'p> {
    fn new(problem: &'p Problem, options: &TranslateOptions) -> Translator<'p> {
        let arena = &problem.arena;
        let n = problem.universe.len() as u64;
        let mut circuit = Circuit::new();
        circuit.set_max_nodes(options.max_nodes);
        let mut cells = Vec::new();
        let mut relations: Vec<Rc<Matrix>> = problem.relations.iter().map(|_| Rc::default()).collect();
        let mut n_visible = 0;
        for role in [Role::Visible, Role::Auxiliary] {
            for (i, relation) in problem.relations.iter().enumerate() {
                if relation.role != role {
                    continue;
                }
                let mut matrix = Matrix::with_capacity(relation.upper.len());
                for tuple in relation.upper.indices() {
                    let bit = if relation.lower.contains_index(tuple) {
                        Bit::TRUE
                    } else {
                        cells.push(Cell { rel: RelId(i as u32), tuple: tuple as u64 });
                        circuit.input()
                    };
                    matrix.push(tuple as u64, bit);
                }
                relations[i] = Rc::new(matrix);
            }
            if role == Role::Visible {
                n_visible = cells.len();
            }
        }
        let mut radix: Vec<u64> =
            (0..arena.n_vars()).map(|v| n.saturating_pow(arena.var_arity(VarId(v as u32)) as u32)).collect();
        for i in 0..arena.len() {
            if let Node::Quant(_, decls, _) = arena.node(NodeId(i as u32)) {
                for decl in decls.iter().filter(|d| d.mult == DeclMult::Set) {
                    radix[decl.var.0 as usize] = SKOLEM_RADIX;
                }
            }
        }
        Translator {
            problem,
            arena,
            circuit,
            cells,
            n_visible,
            skolems: Vec::new(),
            n,
            relations,
            consts: FxHashMap::default(),
            env: vec![None; arena.n_vars()],
            scope: Vec::new(),
            facts: Rc::new(Facts::of(problem)),
            representatives: Representatives::of(problem, options.one_instance),
            context: Context::new(options.skolem_depth),
            closed: vec![None; arena.len()],
            open: FxHashMap::default(),
            n_matrix_cells: 0,
            limits: options.limits.clone(),
            steps: 0,
            radix,
        }
    }

    /// Back to the state before a conjunct, from the middle of one.
    fn leave_all(&mut self, options: &TranslateOptions) {
        self.env.fill(None);
        self.scope.clear();
        self.context = Context::new(options.skolem_depth);
    }

    /// Where the value of `node` under the present environment is remembered: `None` if not at all.
    fn memo_key(&self, node: NodeId) -> Option<u64> {
        let mut key = 0u64;
        for &var in self.facts.free[node.0 as usize].iter() {
            let binding = self.env[var.0 as usize].as_ref().expect("a bound variable");
            key = key.checked_mul(self.radix[var.0 as usize])?.checked_add(binding.key)?;
        }
        Some(key)
    }

    fn recall(&self, node: NodeId) -> Option<Value> {
        if self.facts.free[node.0 as usize].is_empty() {
            return self.closed[node.0 as usize].clone();
        }
        self.open.get(&(node.0, self.memo_key(node)?)).cloned()
    }

    fn remember(&mut self, node: NodeId, value: Value) {
        if self.facts.free[node.0 as usize].is_empty() {
            self.closed[node.0 as usize] = Some(value);
        } else if let Some(key) = self.memo_key(node) {
            self.open.insert((node.0, key), value);
        }
    }

    fn check_size(&mut self, node: NodeId) -> Result<()> {
        if self.circuit.is_exhausted() {
            return Err(FinderError::TooLarge(format!(
                "the translation has {} gates and still grows (at node {})",
                self.circuit.n_gates(),
                node.0
            )));
        }
        self.steps += 1;
        if self.steps.is_multiple_of(1024) && self.limits.is_reached() {
            return Err(FinderError::Stopped);
        }
        Ok(())
    }

    // ---- formulas ----

    pub(crate) fn formula(&mut self, id: NodeId) -> Result<Bit> {
        let arena = self.arena;
        let memoize = match arena.node(id) {
            Node::Quant(..) => !self.facts.positional[id.0 as usize],
            Node::True | Node::False | Node::Not(_) => false,
            _ => self.facts.n_parents[id.0 as usize] > 1 && !self.facts.positional[id.0 as usize],
        };
        // What was translated with representatives only is not what the node means elsewhere.
        let memoize = memoize && !self.may_choose();
        if memoize && let Some(Value::Formula(bit)) = self.recall(id) {
            return Ok(bit);
        }
        let saved = self.context.save();
        let bit = self.formula_uncached(id)?;
        self.context.restore(saved);
        self.check_size(id)?;
        if memoize {
            self.remember(id, Value::Formula(bit));
        }
        Ok(bit)
    }

    fn formula_uncached(&mut self, id: NodeId) -> Result<Bit> {
        let arena = self.arena;
        match arena.node(id) {
            Node::True => Ok(Bit::TRUE),
            Node::False => Ok(Bit::FALSE),
            Node::Not(a) => {
                self.context.enter_not();
                Ok(!self.formula(*a)?)
            }
            Node::And(parts) => {
                self.context.enter_and();
                let mut bits = Vec::with_capacity(parts.len());
                for &part in parts {
                    let bit = self.formula(part)?;
                    if bit == Bit::FALSE {
                        return Ok(Bit::FALSE);
                    }
                    bits.push(bit);
                }
                Ok(self.circuit.and_many(&bits))
            }
            Node::Or(parts) => {
                self.context.enter_or();
                let mut bits = Vec::with_capacity(parts.len());
                for &part in parts {
                    let bit = self.formula(part)?;
                    if bit == Bit::TRUE {
                        return Ok(Bit::TRUE);
                    }
                    bits.push(bit);
                }
                Ok(self.circuit.or_many(&bits))
            }
            Node::Implies(a, b) => {
                let saved = self.context.save();
                self.context.enter_premise();
                let a = self.formula(*a)?;
                if a == Bit::FALSE {
                    return Ok(Bit::TRUE);
                }
                self.context.restore(saved);
                self.context.enter_or();
                let b = self.formula(*b)?;
                Ok(self.circuit.implies(a, b))
            }
            Node::Iff(a, b) => {
                self.context.enter_opaque();
                let a = self.formula(*a)?;
                let b = self.formula(*b)?;
                Ok(self.circuit.iff(a, b))
            }
            Node::IfFormula(cond, a, b) => {
                self.context.enter_opaque();
                let cond = self.formula(*cond)?;
                match cond {
                    Bit::TRUE => self.formula(*a),
                    Bit::FALSE => self.formula(*b),
                    _ => {
                        let a = self.formula(*a)?;
                        let b = self.formula(*b)?;
                        Ok(self.circuit.ite(cond, a, b))
                    }
                }
            }
            Node::Subset(left, right) => {
                self.context.enter_opaque();
                let (a, b) = (self.expr(*left)?, self.expr(*right)?);
                let holds = self.circuit.subset(&a.matrix, &b.matrix);
                Ok(self.defined(holds, &[(a.undefined, *left), (b.undefined, *right)]))
            }
            Node::Equal(left, right) => {
                self.context.enter_opaque();
                let (a, b) = (self.expr(*left)?, self.expr(*right)?);
                let holds = self.circuit.equal(&a.matrix, &b.matrix);
                Ok(self.defined(holds, &[(a.undefined, *left), (b.undefined, *right)]))
            }
            Node::Size(test, set) => {
                self.context.enter_opaque();
                let a = self.expr(*set)?;
                let holds = match test {
                    SizeTest::No => !self.circuit.some(&a.matrix),
                    SizeTest::Some => self.circuit.some(&a.matrix),
                    SizeTest::Lone => self.circuit.lone(&a.matrix),
                    SizeTest::One => self.circuit.one(&a.matrix),
                };
                Ok(self.defined(holds, &[(a.undefined, *set)]))
            }
            Node::Compare(cmp, left, right) => {
                self.context.enter_opaque();
                if let Some(holds) = self.compare_counts(*cmp, *left, *right)? {
                    return Ok(holds);
                }
                let (a, b) = (self.int(*left)?, self.int(*right)?);
                let holds = match cmp {
                    IntCmp::Eq => self.circuit.equal_numbers(&a.number, &b.number),
                    IntCmp::Lt => self.circuit.less(&a.number, &b.number),
                    IntCmp::Gt => self.circuit.less(&b.number, &a.number),
                    IntCmp::Lte => !self.circuit.less(&b.number, &a.number),
                    IntCmp::Gte => !self.circuit.less(&a.number, &b.number),
                };
                Ok(self.defined(holds, &[(a.undefined, *left), (b.undefined, *right)]))
            }
            Node::Quant(quant, decls, body) => {
                if decls.iter().any(|d| d.mult == DeclMult::Set) {
                    return self.higher_order(id, *quant, decls, *body);
                }
                let choose = self.may_choose() && self.context.is_skolemizable(*quant);
                self.enter_quantifier(*quant, decls);
                let mut guards = Vec::new();
                let mut parts = Vec::new();
                self.quantify(*quant, decls, *body, choose, &mut guards, &mut parts)?;
                Ok(match quant {
                    Quant::All => self.circuit.and_many(&parts),
                    Quant::Some => self.circuit.or_many(&parts),
                })
            }
            Node::TotalOrder(elements, first, next) => self.total_order(*elements, *first, *next),
            _ => unreachable!("a formula is wanted"),
        }
    }

    pub(crate) fn enter_quantifier(&mut self, quant: Quant, decls: &[Decl]) {
        let facts = self.facts.clone();
        let vars = decls.iter().map(|d| (d.var, facts.is_all_ints[d.domain.0 as usize]));
        self.context.enter_quantifier(quant, vars);
    }

    fn enter_comprehension(&mut self, decls: &[Decl]) {
        let facts = self.facts.clone();
        let vars = decls.iter().map(|d| (d.var, facts.is_all_ints[d.domain.0 as usize]));
        self.context.enter_comprehension(vars);
    }

    /// An atomic formula of which parts may be undefined.
    fn defined(&mut self, holds: Bit, parts: &[(Bit, NodeId)]) -> Bit {
        if parts.iter().all(|part| part.0 == Bit::FALSE) {
            return holds;
        }
        let (mut universal, mut existential) = (Vec::new(), Vec::new());
        for &(undefined, node) in parts {
            let blamed = &self.facts.blamed[node.0 as usize];
            if self.problem.ints.overflow == Overflow::Forbid && self.context.is_universal(blamed) {
                universal.push(undefined);
            } else {
                existential.push(undefined);
            }
        }
        let c = &mut self.circuit;
        let (universal, existential) = (c.or_many(&universal), c.or_many(&existential));
        // Exact: false where undefined. Forbidden overflow: ignored if universal, else false, and
        // under a `not` the same of the negation.
        let (ignored, lost) = if self.problem.ints.overflow == Overflow::Forbid && self.context.is_negated() {
            (existential, universal)
        } else {
            (universal, existential)
        };
        let holds = c.or(holds, ignored);
        c.and(holds, !lost)
    }

    /// Comparisons of cardinalities with each other or with constants, in unary.
    fn compare_counts(&mut self, cmp: IntCmp, left: NodeId, right: NodeId) -> Result<Option<Bit>> {
        let arena = self.arena;
        if !self.is_exact() || ![left, right].iter().any(|&n| matches!(arena.node(n), Node::Card(_))) {
            return Ok(None);
        }
        let mut sides = Vec::with_capacity(2);
        let mut undefined = Vec::with_capacity(2);
        for node in [left, right] {
            match arena.node(node) {
                Node::Card(set) => {
                    let set = self.expr(*set)?;
                    if set.matrix.len() > MAX_UNARY {
                        return Ok(None);
                    }
                    undefined.push((set.undefined, node));
                    sides.push(Err(set.matrix.bits().collect::<Vec<Bit>>()));
                }
                Node::Int(value) if (0..=MAX_UNARY as i64).contains(value) => sides.push(Ok(*value as usize)),
                _ => return Ok(None),
            }
        }
        let max = |side: &std::result::Result<usize, Vec<Bit>>| match side {
            Ok(constant) => *constant,
            Err(bits) => bits.len(),
        };
        // More than one above the other side's largest value need not be told apart.
        let caps = [max(&sides[1]) + 1, max(&sides[0]) + 1];
        let mut unary = sides.iter().zip(caps).map(|(side, cap)| match side {
            Ok(constant) => Unary::constant(*constant),
            Err(bits) => self.circuit.count_unary(bits, cap),
        });
        let (a, b) = (unary.next().expect("left"), unary.next().expect("right"));
        let c = &mut self.circuit;
        let holds = match cmp {
            IntCmp::Eq => c.equal_unary(&a, &b),
            IntCmp::Lt => c.less_unary(&a, &b),
            IntCmp::Gt => c.less_unary(&b, &a),
            IntCmp::Lte => c.at_most_unary(&a, &b),
            IntCmp::Gte => c.at_most_unary(&b, &a),
        };
        Ok(Some(self.defined(holds, &undefined)))
    }

    /// Grounds `decls` and collects the instances of the body, guards included.
    fn quantify(
        &mut self,
        quant: Quant,
        decls: &[Decl],
        body: NodeId,
        choose: bool,
        guards: &mut Vec<Bit>,
        parts: &mut Vec<Bit>,
    ) -> Result<()> {
        let Some((decl, rest)) = decls.split_first() else {
            let bit = self.formula(body)?;
            let depth = guards.len();
            parts.push(match quant {
                Quant::All => {
                    guards.push(!bit);
                    !self.circuit.and_many(guards)
                }
                Quant::Some => {
                    guards.push(bit);
                    self.circuit.and_many(guards)
                }
            });
            guards.truncate(depth);
            return Ok(());
        };
        let domain = self.expr(decl.domain)?.matrix;
        let decided = Bit::constant(quant == Quant::Some);
        let choose = choose && self.arena.arity(decl.domain) == 1;
        let mut choice = self.representatives.begin();
        for &(tuple, guard) in domain.cells() {
            if choose && !self.representatives.choose(&mut choice, tuple) {
                continue;
            }
            self.bind(decl.var, Binding { matrix: Rc::new(Matrix::singleton(tuple)), key: tuple });
            guards.push(guard);
            let result = self.quantify(quant, rest, body, choose, guards, parts);
            guards.pop();
            self.unbind(decl.var);
            result?;
            if parts.last() == Some(&decided) {
                break;
            }
        }
        self.representatives.end(choice);
        Ok(())
    }

    /// Whether the walk is where existentials may be narrowed to representatives.
    pub(crate) fn may_choose(&self) -> bool {
        self.representatives.is_active() && self.context.is_outermost()
    }

    pub(crate) fn bind(&mut self, var: VarId, binding: Binding) {
        self.env[var.0 as usize] = Some(binding);
        self.scope.push(var);
    }

    pub(crate) fn bind_matrix(&mut self, var: VarId, matrix: Rc<Matrix>, key: u64) {
        self.bind(var, Binding { matrix, key });
    }

    pub(crate) fn unbind(&mut self, var: VarId) {
        self.env[var.0 as usize] = None;
        self.scope.pop();
    }

    pub(crate) fn binding_key(&self, var: VarId) -> u64 {
        self.env[var.0 as usize].as_ref().expect("a bound variable").key
    }

    pub(crate) fn new_cell(&mut self, rel: RelId, tuple: u64) -> Bit {
        self.cells.push(Cell { rel, tuple });
        self.circuit.input()
    }

    /// `next` orders `elements` totally, `first` is the least.
    fn total_order(&mut self, elements: NodeId, first: NodeId, next: NodeId) -> Result<Bit> {
        self.context.enter_opaque();
        let nodes = [elements, first, next];
        let (elements, first, next) = (self.expr(elements)?, self.expr(first)?, self.expr(next)?);
        let parts_undefined =
            [(elements.undefined, nodes[0]), (first.undefined, nodes[1]), (next.undefined, nodes[2])];
        let n = self.n;
        let c = &mut self.circuit;
        let square = c.product(&elements.matrix, &elements.matrix, n);
        // A functional and injective `next` that never enters `first`, from which it reaches every
        // element: a chain.
        let mut parts = vec![
            c.one(&first.matrix),
            c.subset(&first.matrix, &elements.matrix),
            c.subset(&next.matrix, &square),
        ];
        let closure = c.closure(&next.matrix, n);
        let reached = c.join(&first.matrix, &closure, n, n);
        let reached = c.union(&first.matrix, &reached);
        parts.push(c.subset(&elements.matrix, &reached));
        let into_first = c.restrict_range(&next.matrix, &first.matrix, n);
        parts.push(!c.some(&into_first));
        let back = c.transpose(&next.matrix, n);
        for relation in [&*next.matrix, &back] {
            for row in rows(relation, n) {
                parts.push(c.at_most_one(&row));
            }
        }
        let holds = c.and_many(&parts);
        Ok(self.defined(holds, &parts_undefined))
    }

    // ---- relations ----

    pub(crate) fn expr(&mut self, id: NodeId) -> Result<Rel> {
        let arena = self.arena;
        match arena.node(id) {
            Node::Relation(rel) => {
                return Ok(Rel { matrix: self.relations[rel.0 as usize].clone(), undefined: Bit::FALSE });
            }
            Node::Var(var) => {
                let binding = self.env[var.0 as usize].as_ref().expect("a bound variable");
                return Ok(Rel { matrix: binding.matrix.clone(), undefined: Bit::FALSE });
            }
            Node::Const(set) => {
                let matrix = self.consts.entry(*set).or_insert_with(|| {
                    let mut matrix = Matrix::new();
                    for tuple in arena.const_set(*set).indices() {
                        matrix.push(tuple as u64, Bit::TRUE);
                    }
                    Rc::new(matrix)
                });
                return Ok(Rel { matrix: matrix.clone(), undefined: Bit::FALSE });
            }
            _ => {}
        }
        if let Some(Value::Rel(rel)) = self.recall(id) {
            return Ok(rel);
        }
        let rel = self.expr_uncached(id)?;
        self.n_matrix_cells += rel.matrix.len() as u64;
        self.check_size(id)?;
        if !self.facts.positional[id.0 as usize] {
            self.remember(id, Value::Rel(rel.clone()));
        }
        Ok(rel)
    }

    fn expr_uncached(&mut self, id: NodeId) -> Result<Rel> {
        let arena = self.arena;
        let n = self.n;
        match arena.node(id) {
            Node::Empty(_) => Ok(Rel { matrix: Rc::new(Matrix::new()), undefined: Bit::FALSE }),
            Node::Binary(op, left, right) => {
                let (a, b) = (self.expr(*left)?, self.expr(*right)?);
                let undefined = self.circuit.or(a.undefined, b.undefined);
                let (x, y) = (&*a.matrix, &*b.matrix);
                let width = |columns: usize| n.pow(columns as u32);
                let (left_arity, right_arity) = (arena.arity(*left), arena.arity(*right));
                let c = &mut self.circuit;
                let matrix = match op {
                    ExprOp::Union => c.union(x, y),
                    ExprOp::Intersect => c.intersect(x, y),
                    ExprOp::Difference => c.difference(x, y),
                    ExprOp::Product => c.product(x, y, width(right_arity)),
                    ExprOp::Join => c.join(x, y, n, width(right_arity - 1)),
                    ExprOp::Override => c.override_with(x, y, width(left_arity - 1)),
                    ExprOp::DomainRestrict => c.restrict_domain(x, y, width(right_arity - 1)),
                    ExprOp::RangeRestrict => c.restrict_range(x, y, n),
                };
                Ok(Rel { matrix: Rc::new(matrix), undefined })
            }
            Node::Transpose(a) => {
                let a = self.expr(*a)?;
                let matrix = self.circuit.transpose(&a.matrix, n);
                Ok(Rel { matrix: Rc::new(matrix), undefined: a.undefined })
            }
            Node::Closure(a) => {
                let a = self.expr(*a)?;
                let matrix = self.circuit.closure(&a.matrix, n);
                Ok(Rel { matrix: Rc::new(matrix), undefined: a.undefined })
            }
            Node::IfExpr(cond, a, b) => {
                let cond = self.formula(*cond)?;
                match cond {
                    Bit::TRUE => self.expr(*a),
                    Bit::FALSE => self.expr(*b),
                    _ => {
                        let (a, b) = (self.expr(*a)?, self.expr(*b)?);
                        let matrix = self.circuit.choose(cond, &a.matrix, &b.matrix);
                        let undefined = self.circuit.ite(cond, a.undefined, b.undefined);
                        Ok(Rel { matrix: Rc::new(matrix), undefined })
                    }
                }
            }
            Node::Comprehension(decls, body) => {
                let mut matrix = Matrix::new();
                let mut guards = Vec::new();
                let saved = self.context.save();
                self.enter_comprehension(decls);
                self.comprehend(decls, *body, 0, &mut guards, &mut matrix)?;
                self.context.restore(saved);
                // An undefined number in a domain is an empty set, as it is for quantifiers.
                Ok(Rel { matrix: Rc::new(matrix), undefined: Bit::FALSE })
            }
            Node::IntAtom(number) => {
                let a = self.int(*number)?;
                let mut cells = Vec::new();
                for &(value, atom) in self.problem.universe.ints() {
                    let equal = self.circuit.equal_numbers(&a.number, &Number::constant(value));
                    // Only where integers wrap is a number that was lost an atom.
                    let wraps = self.problem.ints.overflow == Overflow::Wrap;
                    let bit = if wraps { equal } else { self.circuit.and(equal, !a.undefined) };
                    cells.push((atom.0 as u64, bit));
                }
                cells.sort_unstable_by_key(|&(i, _)| i);
                let mut matrix = Matrix::with_capacity(cells.len());
                for (i, bit) in cells {
                    matrix.push(i, bit);
                }
                Ok(Rel { matrix: Rc::new(matrix), undefined: a.undefined })
            }
            _ => unreachable!("a relation is wanted"),
        }
    }

    /// The sum of the integers in a set. Most sets so used have at most one member, which a
    /// multiplicity asserts: then each bit of the number is a plain disjunction.
    fn sum_of_set(&mut self, set: &Matrix, terms: &[(i64, Bit)]) -> std::result::Result<Number, TooWide> {
        let sum = self.circuit.weighted_sum(terms, 0)?;
        if terms.iter().filter(|(_, bit)| *bit != Bit::FALSE).count() < 2 {
            return Ok(sum);
        }
        let lone = self.circuit.lone(set);
        let one = self.circuit.one_of(terms);
        Ok(self.circuit.choose_number(lone, &one, &sum))
    }

    fn comprehend(
        &mut self,
        decls: &[Decl],
        body: NodeId,
        index: u64,
        guards: &mut Vec<Bit>,
        matrix: &mut Matrix,
    ) -> Result<()> {
        let Some((decl, rest)) = decls.split_first() else {
            let bit = self.formula(body)?;
            guards.push(bit);
            let bit = self.circuit.and_many(guards);
            guards.pop();
            matrix.push(index, bit);
            return Ok(());
        };
        let domain = self.expr(decl.domain)?.matrix;
        for &(tuple, guard) in domain.cells() {
            self.bind(decl.var, Binding { matrix: Rc::new(Matrix::singleton(tuple)), key: tuple });
            guards.push(guard);
            let result = self.comprehend(rest, body, index * self.n + tuple, guards, matrix);
            guards.pop();
            self.unbind(decl.var);
            result?;
        }
        Ok(())
    }

    // ---- integers ----

    fn int(&mut self, id: NodeId) -> Result<Int> {
        if let Node::Int(value) = self.arena.node(id) {
            return self.fit(Number::constant(*value), Bit::FALSE);
        }
        if let Some(Value::Int(int)) = self.recall(id) {
            return Ok(int);
        }
        let int = self.int_uncached(id)?;
        self.check_size(id)?;
        if !self.facts.positional[id.0 as usize] {
            self.remember(id, Value::Int(int.clone()));
        }
        Ok(int)
    }

    fn is_exact(&self) -> bool {
        self.problem.ints.overflow == Overflow::Exact
    }

    /// Brings an exact result to the width of the mode.
    fn fit(&mut self, number: Number, undefined: Bit) -> Result<Int> {
        match self.problem.ints.overflow {
            Overflow::Exact => Ok(Int { number, undefined }),
            Overflow::Wrap => {
                let (number, _) = self.circuit.wrap(&number, self.problem.ints.bit_width as usize);
                Ok(Int { number, undefined })
            }
            Overflow::Forbid => {
                let (number, overflow) = self.circuit.wrap(&number, self.problem.ints.bit_width as usize);
                let undefined = self.circuit.or(undefined, overflow);
                Ok(Int { number, undefined })
            }
        }
    }

    fn int_uncached(&mut self, id: NodeId) -> Result<Int> {
        let arena = self.arena;
        let wide = |_: TooWide| FinderError::TooWide(id);
        match arena.node(id) {
            Node::Card(a) => {
                let a = self.expr(*a)?;
                let number = self.circuit.count(a.matrix.bits()).map_err(wide)?;
                self.fit(number, a.undefined)
            }
            Node::SumSet(a) => {
                let a = self.expr(*a)?;
                let ints = self.problem.universe.ints();
                let terms: Vec<(i64, Bit)> =
                    ints.iter().map(|&(value, atom)| (value, a.matrix.get(atom.0 as u64))).collect();
                if self.is_exact() {
                    let number = self.sum_of_set(&a.matrix, &terms).map_err(wide)?;
                    return Ok(Int { number, undefined: a.undefined });
                }
                self.balanced_sum(id, &terms, a.undefined)
            }
            Node::Sum(decls, body) => {
                let mut guards = Vec::new();
                let mut terms = Vec::new();
                let saved = self.context.save();
                self.enter_comprehension(decls);
                self.sum(decls, *body, &mut guards, &mut terms)?;
                self.context.restore(saved);
                if self.is_exact() {
                    let undefined: Vec<Bit> = terms.iter().map(|t| t.undefined).collect();
                    let undefined = self.circuit.or_many(&undefined);
                    let numbers: Vec<Number> = terms.into_iter().map(|t| t.number).collect();
                    let number = self.circuit.sum(&numbers).map_err(wide)?;
                    return Ok(Int { number, undefined });
                }
                // Pairs of neighbours again and again: the order in which the Analyzer adds, which
                // decides what overflows.
                while terms.len() > 1 {
                    let mut next = Vec::with_capacity(terms.len().div_ceil(2));
                    for pair in terms.chunks(2) {
                        next.push(match pair {
                            [a, b] => self.add(id, a, b)?,
                            _ => pair[0].clone(),
                        });
                    }
                    terms = next;
                }
                Ok(match terms.pop() {
                    Some(total) => total,
                    None => Int { number: Number::constant(0), undefined: Bit::FALSE },
                })
            }
            Node::IntBinary(op, a, b) => {
                let (a, b) = (self.int(*a)?, self.int(*b)?);
                self.int_binary(id, *op, &a, &b)
            }
            Node::IfInt(cond, a, b) => {
                let cond = self.formula(*cond)?;
                match cond {
                    Bit::TRUE => self.int(*a),
                    Bit::FALSE => self.int(*b),
                    _ => {
                        let (a, b) = (self.int(*a)?, self.int(*b)?);
                        let number = self.circuit.choose_number(cond, &a.number, &b.number);
                        let undefined = self.circuit.ite(cond, a.undefined, b.undefined);
                        Ok(Int { number, undefined })
                    }
                }
            }
            _ => unreachable!("an integer is wanted"),
        }
    }

    fn add(&mut self, id: NodeId, a: &Int, b: &Int) -> Result<Int> {
        let number = self.circuit.add(&a.number, &b.number).map_err(|_| FinderError::TooWide(id))?;
        let undefined = self.circuit.or(a.undefined, b.undefined);
        self.fit(number, undefined)
    }

    /// Sums halves of the list: the order in which the Analyzer adds the integers of a set.
    fn balanced_sum(&mut self, id: NodeId, terms: &[(i64, Bit)], undefined: Bit) -> Result<Int> {
        match terms {
            [] => Ok(Int { number: Number::constant(0), undefined }),
            [(value, bit)] => {
                let number =
                    self.circuit.choose_number(*bit, &Number::constant(*value), &Number::constant(0));
                self.fit(number, undefined)
            }
            _ => {
                let (low, high) = terms.split_at(terms.len().div_ceil(2));
                let low = self.balanced_sum(id, low, undefined)?;
                let high = self.balanced_sum(id, high, undefined)?;
                self.add(id, &low, &high)
            }
        }
    }

    fn sum(
        &mut self,
        decls: &[Decl],
        body: NodeId,
        guards: &mut Vec<Bit>,
        terms: &mut Vec<Int>,
    ) -> Result<()> {
        let Some((decl, rest)) = decls.split_first() else {
            let int = self.int(body)?;
            let guard = self.circuit.and_many(guards);
            terms.push(Int {
                number: self.circuit.choose_number(guard, &int.number, &Number::constant(0)),
                undefined: self.circuit.and(guard, int.undefined),
            });
            return Ok(());
        };
        let domain = self.expr(decl.domain)?.matrix;
        for &(tuple, guard) in domain.cells() {
            self.bind(decl.var, Binding { matrix: Rc::new(Matrix::singleton(tuple)), key: tuple });
            guards.push(guard);
            let result = self.sum(rest, body, guards, terms);
            guards.pop();
            self.unbind(decl.var);
            result?;
        }
        Ok(())
    }

    fn int_binary(&mut self, id: NodeId, op: IntOp, a: &Int, b: &Int) -> Result<Int> {
        let wide = |_: TooWide| FinderError::TooWide(id);
        let exact = self.is_exact();
        let bit_width = self.problem.ints.bit_width as usize;
        let c = &mut self.circuit;
        let mut undefined = c.or(a.undefined, b.undefined);
        let (x, y) = (&a.number, &b.number);
        let zero = Number::constant(0);
        let number = match op {
            IntOp::Add => c.add(x, y).map_err(wide)?,
            IntOp::Sub => c.subtract(x, y).map_err(wide)?,
            IntOp::Mul => c.multiply(x, y).map_err(wide)?,
            IntOp::Div | IntOp::Rem => {
                if self.problem.ints.overflow != Overflow::Wrap {
                    let by_zero = c.equal_numbers(y, &zero);
                    undefined = c.or(undefined, by_zero);
                }
                let (quotient, rest) = c.divide(x, y).map_err(wide)?;
                match op {
                    IntOp::Rem => rest,
                    _ if exact => quotient,
                    _ => {
                        // The Analyzer's divider makes minus the sign of the dividend of it.
                        let by_zero = c.equal_numbers(y, &zero);
                        let nonzero = !c.equal_numbers(x, &zero);
                        let one = Number::of_bit(nonzero);
                        let minus_one = c.negate(&one).map_err(wide)?;
                        let sign = c.choose_number(x.sign(), &one, &minus_one);
                        c.choose_number(by_zero, &sign, &quotient)
                    }
                }
            }
            IntOp::Shl | IntOp::Sha | IntOp::Shr if exact => {
                undefined = c.or(undefined, y.sign());
                match op {
                    IntOp::Shl => c.shift_left(x, y).map_err(wide)?,
                    IntOp::Sha => c.shift_right(x, y),
                    _ => c.shift_right_zero(x, y, bit_width),
                }
            }
            IntOp::Shl | IntOp::Sha | IntOp::Shr => {
                // The Analyzer's shifters look at the low bits of the amount only.
                let stages = (usize::BITS - (bit_width - 1).leading_zeros()) as usize;
                let amount = c.low_bits(y, stages);
                match op {
                    IntOp::Shl => {
                        let shifted = c.shift_left(x, &amount).map_err(wide)?;
                        if self.problem.ints.overflow == Overflow::Forbid {
                            let too_far: Vec<Bit> = (stages..bit_width).map(|i| y.bit(i)).collect();
                            let too_far = c.or_many(&too_far);
                            let nonzero = !c.equal_numbers(x, &zero);
                            let lost = c.and(too_far, nonzero);
                            undefined = c.or(undefined, lost);
                        }
                        shifted
                    }
                    IntOp::Sha => c.shift_right(x, &amount),
                    _ => c.shift_right_zero(x, &amount, bit_width),
                }
            }
        };
        self.fit(number, undefined)
    }
}

/// The bits of each row of a binary matrix.
fn rows(matrix: &Matrix, n: u64) -> Vec<Vec<Bit>> {
    let mut rows: Vec<Vec<Bit>> = Vec::new();
    let mut last = u64::MAX;
    for &(i, bit) in matrix.cells() {
        if i / n != last {
            last = i / n;
            rows.push(Vec::new());
        }
        rows.last_mut().expect("just pushed").push(bit);
    }
    rows
}
