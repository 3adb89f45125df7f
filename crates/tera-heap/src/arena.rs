//! Arenas: objects that live in a `Vec` and are named by their positions.

use crate::describe::TypeIx;

/// An arena that is being built.
#[derive(Debug)]
#[allow(dead_code)]
pub(crate) struct Arena {
    pub ty: TypeIx,
    /// The atom at each position.
    pub atoms: Vec<u32>,
    /// The arena around it.
    pub outer: Option<u32>,
}

/// An arena that is being read.
#[derive(Debug)]
#[allow(dead_code)]
pub(crate) struct SeenArena {
    pub ty: TypeIx,
    /// The item that has it as a field.
    pub owner: u32,
    pub outer: u32,
}
