//! What is known of the objects of a value that was read: which address is which atom.
//!
//! A value that tera has made is known from its making ([`crate::Made`]); one that was there before is known
//! from the reading of its pre-state, and that knowledge lets the post-state keep the atoms.

use tera_rel::AtomId;

use crate::abstraction::{Abstractor, Seen};
use crate::arena::{self, Arena};

/// The objects of a value by address and type, and the elements of its arenas by position.
#[derive(Clone, Default, Debug)]
pub struct Known {
    /// `(address, type, atom)`
    objects: Vec<(usize, u32, u32)>,
    arenas: Vec<Arena>,
}

impl Seen {
    /// What the last abstraction learned. Its universe had an atom for every object.
    pub fn known(&self) -> Known {
        Known { objects: self.objects().collect(), arenas: self.arenas_by_position() }
    }
}

impl Abstractor<'_> {
    /// The objects of the pre-state. `map`, if given, leads from the universe they were read in to that
    /// of this abstraction.
    pub fn with_known(mut self, known: &Known, map: Option<&[AtomId]>) -> Self {
        for &(address, ty, atom) in &known.objects {
            let atom = map.map_or(atom, |map| map[atom as usize].0);
            self.know(address, ty, atom);
        }
        arena::remember(&known.arenas, map, &mut self.seen.positions);
        self
    }
}
