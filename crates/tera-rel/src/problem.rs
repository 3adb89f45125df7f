//! A problem: everything the finder needs to know about one command in one scope.

use crate::formula::{Arena, IntSemantics, Node, NodeId, RelId};
use crate::tuple_set::TupleSet;
use crate::universe::{AtomId, AtomKind, Universe};

/// What a relation is to the instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A signature, field or parameter: part of the instance and of its identity.
    Visible,
    /// A Skolem witness or another helper: decided by the search, projected away.
    Auxiliary,
}

/// A relation and its bounds: `lower ⊆ value ⊆ upper`. Partial knowledge enters here and nowhere
/// else; every tuple of `upper - lower` is one primary variable.
#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    pub role: Role,
    pub lower: TupleSet,
    pub upper: TupleSet,
}

impl Relation {
    pub fn arity(&self) -> usize {
        self.upper.arity()
    }

    pub fn is_constant(&self) -> bool {
        self.lower == self.upper
    }
}

/// Universe, bounds and formula. The instances are the valuations of the relations between their
/// bounds that satisfy all conjuncts.
#[derive(Clone, Default, Debug)]
pub struct Problem {
    pub universe: Universe,
    /// Indexed by [`RelId`].
    pub relations: Vec<Relation>,
    pub arena: Arena,
    /// Closed formulas, all of which must hold. Kept apart so that cores and verdicts can name
    /// them; what each means to the user is the business of whoever made the problem.
    pub conjuncts: Vec<NodeId>,
    /// Disjoint sets of interchangeable atoms: every permutation inside a sort maps the bounds
    /// and constants of the problem to themselves. Two instances are isomorphic when such a
    /// permutation maps one to the other. Atoms in no sort are fixed.
    pub sorts: Vec<Vec<AtomId>>,
    pub ints: IntSemantics,
}

impl Problem {
    pub fn add_relation(
        &mut self,
        name: impl Into<String>,
        role: Role,
        lower: TupleSet,
        upper: TupleSet,
    ) -> RelId {
        debug_assert!(lower.is_subset(&upper), "lower bound within upper bound");
        let id = self.arena.declare_relation(upper.arity());
        debug_assert_eq!(id.0 as usize, self.relations.len());
        self.relations.push(Relation { name: name.into(), role, lower, upper });
        id
    }

    /// Checks what is promised of the sorts: disjoint, of objects only, and every swap of two
    /// neighbours in a sort leaves all bounds and all constants as they are.
    pub fn validate(&self) -> Result<(), String> {
        let mut seen = vec![false; self.universe.len()];
        for atom in self.sorts.iter().flatten() {
            if self.universe.atom(*atom).kind != AtomKind::Object {
                return Err(format!("{} is in a sort", self.universe.atom(*atom).name));
            }
            if std::mem::replace(&mut seen[atom.0 as usize], true) {
                return Err(format!("{} is in two sorts", self.universe.atom(*atom).name));
            }
        }
        for pair in self.sorts.iter().flat_map(|sort| sort.windows(2)) {
            let mut image: Vec<AtomId> = (0..self.universe.len() as u32).map(AtomId).collect();
            image.swap(pair[0].0 as usize, pair[1].0 as usize);
            let moved = |set: &TupleSet| set.renamed(&image) != *set;
            let names = || {
                format!(
                    "swapping {} and {}",
                    self.universe.atom(pair[0]).name,
                    self.universe.atom(pair[1]).name
                )
            };
            for relation in &self.relations {
                if moved(&relation.lower) || moved(&relation.upper) {
                    return Err(format!("{} changes the bounds of {}", names(), relation.name));
                }
            }
            for i in 0..self.arena.len() {
                if let Node::Const(set) = self.arena.node(NodeId(i as u32))
                    && moved(self.arena.const_set(*set))
                {
                    return Err(format!("{} changes the constant of node {i}", names()));
                }
            }
        }
        Ok(())
    }

    pub fn relation(&self, id: RelId) -> &Relation {
        &self.relations[id.0 as usize]
    }
}

/// A value for every relation of a problem, indexed by [`RelId`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    pub values: Vec<TupleSet>,
}

impl Instance {
    pub fn value(&self, id: RelId) -> &TupleSet {
        &self.values[id.0 as usize]
    }
}
