//! A problem: everything the finder needs to know about one command in one scope.

use crate::formula::{Arena, IntSemantics, NodeId, RelId};
use crate::tuple_set::TupleSet;
use crate::universe::{AtomId, Universe};

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
