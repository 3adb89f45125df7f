//! The three bindings of a contract: where inputs come from, and the two states of its oracle.
//!
//! Inputs are instances of the precondition's problem. The postcondition is judged over a wider
//! universe (new objects, new numbers) that holds both states. Atoms of the two correspond by
//! name, relations by the names in their schemas.

use tera_rel::{AtomId, Instance, Problem, RelId, Schema, TupleSet};

use crate::abstraction::{Abstractor, Before, Seen};
use crate::bind::BindError;
use crate::concretize::Made;
use crate::describe::TypeGraph;
use crate::known::Known;
use crate::plan::Binding;

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
    moves: Vec<Move>,
    /// See [`States::written`].
    written: Vec<RelId>,
    /// From atoms of the inputs to those of the oracle.
    pub atoms: Vec<AtomId>,
    /// For each relation of the oracle, the one that holds its pre-state.
    before_of: Vec<RelId>,
    /// Signatures that no Rust type has (`Bool`, an uninterpreted `Key`): no call changes them. Their relations
    /// before and after.
    unchanged: Vec<(RelId, RelId)>,
    /// Fields whose relation is not `var` and that hold one value: the relation, the tuples behind
    /// each object, the label.
    constants: Vec<(RelId, usize, String)>,
}

/// A relation of the inputs and that of the pre-state it becomes.
#[derive(Clone, Debug)]
struct Move {
    from: RelId,
    to: RelId,
    /// Whether the post-state is written there, too.
    is_written: bool,
    /// The tuple that each tuple becomes, if there are not too many.
    place: Option<Vec<u32>>,
}

/// Tuples of relations that are moved by a table.
const MOST_PLACES: usize = 1 << 16;

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
        let builtin = |sig: &&tera_rel::SigInfo| matches!(sig.kind, tera_rel::SigKind::Builtin);
        let after_sigs: Vec<RelId> =
            after.sigs.iter().filter(|sig| !builtin(sig)).map(|sig| sig.rel).collect();
        let after = Binding::new(graph.clone(), problem, after)?;
        let moves = relations(input.schema, before.schema);
        let mut written = after.relations();
        let unchanged: Vec<(RelId, RelId)> = (after_sigs.into_iter())
            .map(|rel| (before_of[rel.0 as usize], rel))
            .filter(|(before, rel)| before != rel && written.binary_search(rel).is_err())
            .collect();
        written.extend(unchanged.iter().map(|(_, rel)| *rel));
        written.sort_unstable();
        let fields = after.types.iter().flat_map(|ty| &ty.variants).flat_map(|v| v.fields.iter());
        let mut constants: Vec<(RelId, usize, String)> = fields
            .filter(|plan| plan.span > 1 && before_of[plan.rel.0 as usize] == plan.rel)
            .filter(|plan| plan.rest == 1 && plan.parts.is_empty())
            .map(|plan| (plan.rel, plan.span, after.name(plan).label.clone()))
            .collect();
        constants.dedup();
        let mut states = States {
            input: bind(input.problem, input.schema)?,
            before: bind(problem, before.schema)?,
            after,
            moves: Vec::new(),
            written,
            atoms,
            before_of,
            unchanged,
            constants,
        };
        let moves = (moves.into_iter())
            .filter(|&(from, to)| {
                // What is the same in all inputs may be in the oracle from the start.
                let from = input.problem.relation(from);
                let there = &problem.relation(to).lower;
                let mut tuples = from.lower.indices().map(|tuple| states.moved(tuple, from.arity()));
                !from.is_constant() || !tuples.all(|tuple| there.contains_index(tuple))
            })
            .map(|(from, to)| {
                let arity = input.problem.relation(from).arity();
                let size = TupleSet::capacity(arity, states.input.n_atoms);
                let place = size.filter(|&size| size <= MOST_PLACES);
                let place = place.map(|size| (0..size).map(|i| states.moved(i, arity) as u32).collect());
                Move { from, to, is_written: states.written.binary_search(&to).is_ok(), place }
            })
            .collect();
        states.moves = moves;
        Ok(states)
    }

    /// The relations that the post-state is written to, ascending.
    pub fn written(&self) -> &[RelId] {
        &self.written
    }

    /// Where a tuple of an input is in the pre-state, if no post-state is written there: then it
    /// stays from one input to the next.
    pub fn kept(&self, rel: RelId, tuple: usize) -> Option<(RelId, usize)> {
        let Move { from, to, .. } = self.moves.iter().find(|moved| moved.from == rel)?;
        let arity = self.input.start.value(*from).arity();
        self.written.binary_search(to).is_err().then(|| (*to, self.moved(tuple, arity)))
    }

    /// Makes `oracle` the pre-state `input`; its post-state is empty.
    pub fn enter(&self, input: &Instance, oracle: &mut Instance) {
        oracle.clone_from(&self.after.start);
        self.moves.iter().for_each(|moved| self.move_in(moved, input, oracle));
        self.keep_unchanged(oracle);
    }

    fn keep_unchanged(&self, oracle: &mut Instance) {
        for &(before, after) in &self.unchanged {
            let (before, after) = (before.0 as usize, after.0 as usize);
            let (low, high) = oracle.values.split_at_mut(before.max(after));
            match before < after {
                true => high[0].copy_from(&low[before]),
                false => low[after].copy_from(&high[0]),
            }
        }
    }

    /// The same where the relations that no post-state is written to are those of `input` already.
    pub fn enter_again(&self, input: &Instance, oracle: &mut Instance) {
        for &rel in &self.written {
            let rel = rel.0 as usize;
            oracle.values[rel].copy_from(&self.after.start.values[rel]);
        }
        for moved in self.moves.iter().filter(|moved| moved.is_written) {
            self.move_in(moved, input, oracle);
        }
        self.keep_unchanged(oracle);
    }

    fn move_in(&self, moved: &Move, input: &Instance, oracle: &mut Instance) {
        let (from, to) = (input.value(moved.from), &mut oracle.values[moved.to.0 as usize]);
        match &moved.place {
            Some(place) => from.indices().for_each(|i| to.insert_index(place[i] as usize)),
            None => from.indices().for_each(|i| to.insert_index(self.moved(i, from.arity()))),
        }
    }

    /// The tuple of the oracle that corresponds to one of the inputs.
    fn moved(&self, mut tuple: usize, arity: usize) -> usize {
        let (n, m) = (self.input.n_atoms, self.before.n_atoms);
        let (mut index, mut scale) = (0, 1);
        for _ in 0..arity {
            index += self.atoms[tuple % n].0 as usize * scale;
            scale *= m;
            tuple /= n;
        }
        index
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
        for &Move { from: to, to: from, .. } in &self.moves {
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
    pub fn changed_constants(&self, oracle: &Instance) -> Vec<&str> {
        let changed = self.constants.iter().filter(|(rel, span, _)| has_two(oracle.value(*rel), *span));
        let mut labels: Vec<&str> = changed.map(|(_, _, label)| label.as_str()).collect();
        labels.dedup();
        labels
    }
}

/// Whether an object has two values in `set`, `span` tuples behind each.
fn has_two(set: &TupleSet, span: usize) -> bool {
    let mut last = None;
    set.indices().any(|i| last.replace(i / span) == Some(i / span))
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
