//! A problem as a circuit: relations are sparse matrices over the primary variables, integers are
//! two's complement numbers, quantifiers are grounded over the upper bounds of their domains with
//! membership as guards.
//!
//! Primary variables are allocated from the bounds before anything is translated: variable `i` is
//! cell `i`, visible relations first. A node is translated once for each value of its free
//! variables. Higher-order existentials get fresh cells on the way ([`crate::skolemize`]).

mod environment;
mod formulas;
mod numbers;
mod quantifiers;
mod relations;

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tera_circuit::{Bit, Circuit, Matrix, Number, assume_roots, encode};
use tera_rel::{Arena, ConstId, Context, DeclMult, Node, NodeId, Problem, RelId, Role, VarId};
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

    pub(crate) fn new_cell(&mut self, rel: RelId, tuple: u64) -> Bit {
        self.cells.push(Cell { rel, tuple });
        self.circuit.input()
    }
}
