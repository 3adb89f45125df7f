//! The ground evaluator: the judge of instances. It shares no code with the translation.
//!
//! A problem is compiled once; then instances are loaded and formulas asked for. With at most 64
//! atoms a relation is a table of machine words (one word a row, the last column its bits), every
//! value has its own place in one memory, and nothing is allocated while evaluating. Three paths
//! give the same answers: most formulas become straight programs ([`lifted`]); what these do not
//! cover is interpreted ([`words`]); larger universes are judged over sorted lists ([`lists`]).

mod arith;
mod explain;
mod facts;
mod lifted;
mod lists;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use crate::formula::{NodeId, RelId, VarId};
use crate::problem::{Instance, Problem};
use crate::tuple_set::TupleSet;

pub use explain::Explanation;

/// What cannot be evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// An integer needs more than 64 bits.
    TooWide(NodeId),
    /// A quantifier over all subsets of a large set, or a relation with too many possible tuples.
    TooLarge(NodeId),
}

/// The value of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Formula(bool),
    Relation(TupleSet),
    Int(i64),
    /// An integer, or a relation made of one, without a value: overflow or division by zero.
    Undefined,
}

/// Evaluates the formulas of one problem in one instance after another.
pub struct Evaluator {
    engine: Engine,
    lifted: Option<Box<lifted::Lifted>>,
    /// Whether the loaded instance is one that the lifted formulas can judge.
    is_lifted: bool,
    /// Whether only the lifted formulas have the loaded instance.
    is_behind: bool,
    conjuncts: Vec<NodeId>,
}

enum Engine {
    Words(Box<words::Words>),
    Lists(Box<lists::Lists>),
}

impl Evaluator {
    /// Compiles the conjuncts of `problem`.
    pub fn new(problem: &Problem) -> Evaluator {
        Evaluator::with_roots(problem, &[])
    }

    /// Compiles the conjuncts of `problem` and more nodes of its arena.
    pub fn with_roots(problem: &Problem, roots: &[NodeId]) -> Evaluator {
        let all = [&problem.conjuncts[..], roots].concat();
        match words::Words::compile(problem, &all) {
            Some(words) => {
                let lifted = lifted::Lifted::compile(problem, &all).map(Box::new);
                Evaluator { lifted, ..Evaluator::of(problem, Engine::Words(Box::new(words))) }
            }
            None => Evaluator::over_lists(problem),
        }
    }

    fn of(problem: &Problem, engine: Engine) -> Evaluator {
        let conjuncts = problem.conjuncts.clone();
        Evaluator { engine, lifted: None, is_lifted: false, is_behind: false, conjuncts }
    }

    /// The path for large universes whatever the size: for tests.
    pub fn over_lists(problem: &Problem) -> Evaluator {
        Evaluator::of(problem, Engine::Lists(Box::new(lists::Lists::compile(problem))))
    }

    /// The path of formulas that are not lifted, for all formulas: for tests. `None` if the universe
    /// is too large for it.
    pub fn over_words(problem: &Problem) -> Option<Evaluator> {
        let words = words::Words::compile(problem, &problem.conjuncts)?;
        Some(Evaluator::of(problem, Engine::Words(Box::new(words))))
    }

    /// How many conjuncts are lifted: for tests.
    pub fn n_lifted(&self) -> usize {
        let is_lifted = |node: &&NodeId| self.lifted.as_ref().is_some_and(|lifted| lifted.has(**node));
        self.conjuncts.iter().filter(is_lifted).count()
    }

    /// Makes `instance` the one that is judged.
    pub fn load(&mut self, instance: &Instance) {
        if let Some(lifted) = &mut self.lifted {
            self.is_lifted = lifted.load(instance);
            self.is_behind = self.is_lifted;
            if self.is_lifted {
                return;
            }
        }
        match &mut self.engine {
            Engine::Words(words) => words.load(instance),
            Engine::Lists(lists) => lists.load(instance),
        }
    }

    /// [`Evaluator::load`] of an instance that differs from the one before in these relations only.
    pub fn load_changed(&mut self, instance: &Instance, relations: &[RelId]) {
        if let (true, Some(lifted)) = (self.is_lifted, &mut self.lifted) {
            let fits = lifted.load_relations(relations.iter().map(|&rel| (rel, instance.value(rel))));
            if fits {
                self.is_behind = true;
                return;
            }
        }
        self.load(instance);
    }

    /// The general path, with the instance that was loaded.
    fn engine(&mut self) -> &mut Engine {
        if let (true, Some(lifted), Engine::Words(words)) = (self.is_behind, &self.lifted, &mut self.engine) {
            words.load(&lifted.instance());
            self.is_behind = false;
        }
        &mut self.engine
    }

    /// The truth of a closed formula.
    pub fn formula(&mut self, node: NodeId) -> Result<bool, EvalError> {
        if self.is_lifted
            && let Some(truth) = self.lifted.as_mut().and_then(|lifted| lifted.formula(node))
        {
            return Ok(truth);
        }
        match self.engine() {
            Engine::Words(words) => words.closed_formula(node),
            Engine::Lists(lists) => lists.closed_formula(node),
        }
    }

    /// The value of a closed node.
    pub fn value(&mut self, node: NodeId) -> Result<Value, EvalError> {
        match self.engine() {
            Engine::Words(words) => words.closed_value(node),
            Engine::Lists(lists) => lists.closed_value(node),
        }
    }

    /// Gives a variable a value for what is asked next: formulas and nodes need not be closed then.
    pub fn bind_tuple(&mut self, var: VarId, tuple: u64) {
        match self.engine() {
            Engine::Words(words) => words.bind_tuple(var, tuple),
            Engine::Lists(lists) => lists.bind_tuple(var, tuple),
        }
    }

    /// Like [`Evaluator::bind_tuple`] for a set.
    pub fn bind_set(&mut self, var: VarId, value: &TupleSet) {
        match self.engine() {
            Engine::Words(words) => words.bind_set(var, value),
            Engine::Lists(lists) => lists.bind_set(var, value),
        }
    }

    pub fn n_conjuncts(&self) -> usize {
        self.conjuncts.len()
    }

    /// The truth of conjunct `i` of the problem.
    pub fn conjunct(&mut self, i: usize) -> Result<bool, EvalError> {
        self.formula(self.conjuncts[i])
    }

    /// The numbers of all conjuncts that the loaded instance violates.
    pub fn violations(&mut self) -> Result<Vec<usize>, EvalError> {
        if let (true, Some(lifted)) = (self.is_lifted, &mut self.lifted) {
            lifted.catch_up();
        }
        let mut violated = Vec::new();
        for i in 0..self.conjuncts.len() {
            if !self.conjunct(i)? {
                violated.push(i);
            }
        }
        Ok(violated)
    }

    /// The first conjunct that `instance` violates.
    pub fn first_violation(&mut self, instance: &Instance) -> Result<Option<usize>, EvalError> {
        self.load(instance);
        for i in 0..self.conjuncts.len() {
            if !self.conjunct(i)? {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    /// Whether `instance` lies between the bounds and satisfies all conjuncts.
    pub fn is_instance(&mut self, problem: &Problem, instance: &Instance) -> Result<bool, EvalError> {
        let bounded = problem
            .relations
            .iter()
            .zip(&instance.values)
            .all(|(r, value)| r.lower.is_subset(value) && value.is_subset(&r.upper));
        Ok(bounded && self.first_violation(instance)?.is_none())
    }
}
