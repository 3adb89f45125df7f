//! The pre-state of values that were there before anybody asked: as an instance, and as addresses.
//!
//! Atoms keep their names when the universe of an oracle grows, and relations their places; so a snapshot
//! taken in one universe can enter a wider one.

use std::collections::BTreeMap;

use tera_heap::{Known, Seen};
use tera_rel::{AtomId, Instance};

use crate::oracle::Oracle;

/// What was read before a call.
pub struct Snapshot {
    state: Instance,
    /// The names of the atoms of its universe.
    atoms: Vec<String>,
    pub known: Known,
}

impl Snapshot {
    /// What `oracle` holds, as `seen` read it.
    pub fn new(oracle: &Oracle, seen: &Seen) -> Snapshot {
        let universe = &oracle.post.problem.universe;
        Snapshot {
            state: oracle.state.clone(),
            atoms: universe.atoms().map(|(_, atom)| atom.name.clone()).collect(),
            known: seen.known(),
        }
    }

    /// Makes it the state of `oracle`, with an empty post-state; which atom each of its atoms is there.
    pub fn enter(&self, oracle: &mut Oracle) -> Vec<AtomId> {
        let universe = &oracle.post.problem.universe;
        let by_name: BTreeMap<&str, AtomId> =
            universe.atoms().map(|(id, atom)| (atom.name.as_str(), id)).collect();
        let atoms: Vec<AtomId> = (self.atoms.iter())
            .map(|name| *by_name.get(name.as_str()).expect("a wider universe keeps its atoms"))
            .collect();
        let (n, m) = (self.atoms.len(), universe.len());
        let mut state = oracle.states.after.start.clone();
        for (from, to) in self.state.values.iter().zip(&mut state.values) {
            for mut tuple in from.indices() {
                let (mut index, mut scale) = (0, 1);
                for _ in 0..from.arity() {
                    index += atoms[tuple % n].0 as usize * scale;
                    scale *= m;
                    tuple /= n;
                }
                to.insert_index(index);
            }
        }
        oracle.state = state;
        atoms
    }
}
