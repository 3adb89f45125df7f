//! The three bindings of a contract: where inputs come from, and the two states of its oracle.
//!
//! Inputs are instances of the precondition's problem. The postcondition is judged over a wider
//! universe (new objects, new numbers) that holds both states. Atoms of the two correspond by
//! name, relations by the names in their schemas.

use tera_rel::{AtomId, Instance, Problem, RelId, Schema};

use crate::abstraction::{Abstractor, Before, Seen};
use crate::bind::BindError;
use crate::concretize::Made;
use crate::describe::TypeGraph;
use crate::known::Known;
use crate::plan::{Binding, Plan};

/// A problem and what its relations mean.
#[derive(Clone, Copy)]
pub struct Meaning<'a> {
    pub problem: &'a Problem,
    pub schema: &'a Schema,
}

/// The types of a contract, bound to its problems.
#[derive(Clone, Debug)]
pub struct States {
    /// For making values of inputs.
    pub input: Binding,
    pub before: Binding,
    pub after: Binding,
    /// From relations of the inputs to those of the pre-state.
    moves: Vec<(RelId, RelId)>,
    /// From atoms of the inputs to those of the oracle.
    pub atoms: Vec<AtomId>,
    /// For each relation of the oracle, the one that holds its pre-state.
    before_of: Vec<RelId>,
}

impl States {
    /// `before` and `after` describe the same problem, that of the oracle.
    pub fn new(
        graph: &TypeGraph,
        input: Meaning<'_>,
        before: Meaning<'_>,
        after: &Schema,
    ) -> Result<States, Vec<BindError>> {
        // The result is there after the call only: the roots that a state does not know end the list.
        let bind = |problem, schema: &Schema| {
            let mut graph = graph.clone();
            let is_known = |label: &str| schema.params.iter().any(|param| param.label == label);
            while graph.roots.len() > 1 && graph.roots.last().is_some_and(|root| !is_known(&root.label)) {
                graph.roots.pop();
            }
            Binding::new(graph, problem, schema)
        };
        let problem = before.problem;
        let (from, to) = (&input.problem.universe, &problem.universe);
        let mut by_name: Vec<(&str, AtomId)> =
            to.atoms().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        by_name.sort_unstable();
        let mut errors = Vec::new();
        let atoms = from
            .atoms()
            .map(|(_, atom)| match by_name.binary_search_by_key(&atom.name.as_str(), |p| p.0) {
                Ok(i) => by_name[i].1,
                Err(_) => {
                    errors.push(BindError {
                        message: format!("the universe of the postcondition has no atom `{}`", atom.name),
                        place: String::new(),
                        help: String::new(),
                    });
                    AtomId(0)
                }
            })
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut before_of: Vec<RelId> = (0..problem.relations.len() as u32).map(RelId).collect();
        for (a, b) in relations(after, before.schema) {
            before_of[a.0 as usize] = b;
        }
        Ok(States {
            input: bind(input.problem, input.schema)?,
            before: bind(problem, before.schema)?,
            after: Binding::new(graph.clone(), problem, after)?,
            moves: relations(input.schema, before.schema),
            atoms,
            before_of,
        })
    }

    /// Overwrites `oracle` with the pre-state `input`; its post-state is empty.
    pub fn enter(&self, input: &Instance, oracle: &mut Instance) {
        let start = &self.after.start;
        if oracle.values.len() == start.values.len() {
            for (value, start) in oracle.values.iter_mut().zip(&start.values) {
                value.copy_from(start);
            }
        } else {
            oracle.clone_from(start);
        }
        let (n, m) = (self.input.n_atoms, self.before.n_atoms);
        for &(from, to) in &self.moves {
            let (from, to) = (input.value(from), &mut oracle.values[to.0 as usize]);
            let atom = |i: usize| self.atoms[i].0 as usize;
            match from.arity() {
                1 => from.indices().for_each(|i| to.insert_index(atom(i))),
                2 => from.indices().for_each(|i| to.insert_index(atom(i / n) * m + atom(i % n))),
                arity => {
                    for mut i in from.indices() {
                        let (mut index, mut scale) = (0, 1);
                        for _ in 0..arity {
                            index += atom(i % n) * scale;
                            scale *= m;
                            i /= n;
                        }
                        to.insert_index(index);
                    }
                }
            }
        }
    }

    /// Reads the post-state into an `oracle` that [`States::enter`] has prepared.
    pub fn leave<'a>(&'a self, oracle: &'a mut Instance, made: &Made, seen: &'a mut Seen) -> Abstractor<'a> {
        Abstractor::new(&self.after, Before::Relations(&self.before_of), oracle, seen)
            .with_objects(made, Some(&self.atoms))
    }

    /// Reads the pre-state of values that were there before into an empty `oracle`.
    pub fn capture<'a>(&'a self, oracle: &'a mut Instance, seen: &'a mut Seen) -> Abstractor<'a> {
        oracle.clone_from(&self.after.start);
        Abstractor::new(&self.before, Before::Nothing, oracle, seen)
    }

    /// Reads the post-state of such values into an `oracle` that holds the pre-state. `map` leads from the
    /// universe that the pre-state was read in to this one.
    pub fn leave_known<'a>(
        &'a self,
        oracle: &'a mut Instance,
        known: &Known,
        map: &[AtomId],
        seen: &'a mut Seen,
    ) -> Abstractor<'a> {
        Abstractor::new(&self.after, Before::Relations(&self.before_of), oracle, seen)
            .with_known(known, Some(map))
    }

    /// The pre-state in `oracle` as an input, `start` and what the Rust types have; `None` if it has atoms
    /// that no input has. The inverse of [`States::enter`].
    pub fn input_of(&self, oracle: &Instance, start: &Instance) -> Option<Instance> {
        let mut back = vec![None; self.before.n_atoms];
        for (i, atom) in self.atoms.iter().enumerate() {
            back[atom.0 as usize] = Some(i);
        }
        let mut input = start.clone();
        let (n, m) = (self.input.n_atoms, self.before.n_atoms);
        for &(to, from) in &self.moves {
            let from = oracle.value(from);
            for mut tuple in from.indices() {
                let (mut index, mut scale) = (0, 1);
                for _ in 0..from.arity() {
                    index += back[tuple % m]? * scale;
                    scale *= n;
                    tuple /= m;
                }
                input.values[to.0 as usize].insert_index(index);
            }
        }
        Some(input)
    }

    /// Fields of the Rust types whose relation does not change (not `var`) and in which the
    /// post-state would have two values where there is one: the call changed what the
    /// specification says is constant.
    pub fn changed_constants(&self, oracle: &Instance) -> Vec<String> {
        let fields = self.after.types.iter().flat_map(|ty| &ty.variants).flat_map(|v| v.fields.iter());
        let mut changed: Vec<String> = fields
            .filter(|plan| plan.span > 1 && self.before_of[plan.rel.0 as usize] == plan.rel)
            .filter(|plan| self.single(plan) && has_two(oracle, plan))
            .map(|plan| self.after.name(plan).label.clone())
            .collect();
        changed.dedup();
        changed
    }

    fn single(&self, plan: &Plan) -> bool {
        plan.rest == 1 && plan.parts.is_empty()
    }
}

fn has_two(instance: &Instance, plan: &Plan) -> bool {
    let indices = instance.value(plan.rel).indices().map(|i| i / plan.span);
    let mut last = None;
    indices.into_iter().any(|row| last.replace(row) == Some(row))
}

/// Relations of two schemas that mean the same.
fn relations(from: &Schema, to: &Schema) -> Vec<(RelId, RelId)> {
    let mut pairs = Vec::new();
    let builtin = |sig: &tera_rel::SigInfo| matches!(sig.kind, tera_rel::SigKind::Builtin);
    for sig in from.sigs.iter().filter(|sig| !builtin(sig)) {
        if let Some(other) = to.sigs.iter().find(|other| other.label == sig.label) {
            pairs.push((sig.rel, other.rel));
        }
    }
    for field in &from.fields {
        let owner = &from.sigs[field.owner.0 as usize].label;
        let same = to.fields.iter().find(|other| {
            other.label == field.label
                && to.sigs[other.owner.0 as usize].label == *owner
                && other.columns.len() == field.columns.len()
        });
        if let Some(other) = same {
            pairs.push((field.rel, other.rel));
        }
    }
    for param in &from.params {
        if let Some(other) = to.params.iter().find(|other| other.label == param.label) {
            pairs.push((param.rel, other.rel));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
