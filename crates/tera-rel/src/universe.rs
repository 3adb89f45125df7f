//! The universe: the finite, ordered set of atoms that everything is made of.

/// Index of an atom in its [`Universe`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// What an atom is. Objects may be interchangeable; integers and strings are themselves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AtomKind {
    Object,
    Int(i64),
    Str,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// As the Analyzer names it: `Node$0`, `-3`, `"text"`.
    pub name: String,
    pub kind: AtomKind,
}

/// Atoms in a fixed order. Integer atoms, if any, are in ascending order.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Universe {
    atoms: Vec<Atom>,
    /// `(value, atom)`, ascending
    ints: Vec<(i64, AtomId)>,
}

impl Universe {
    pub fn new() -> Universe {
        Universe::default()
    }

    pub fn push(&mut self, name: impl Into<String>, kind: AtomKind) -> AtomId {
        let id = AtomId(self.atoms.len() as u32);
        if let AtomKind::Int(value) = kind {
            debug_assert!(self.ints.last().is_none_or(|&(last, _)| last < value));
            self.ints.push((value, id));
        }
        self.atoms.push(Atom { name: name.into(), kind });
        id
    }

    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    pub fn atom(&self, id: AtomId) -> &Atom {
        &self.atoms[id.0 as usize]
    }

    pub fn atoms(&self) -> impl Iterator<Item = (AtomId, &Atom)> {
        self.atoms.iter().enumerate().map(|(i, a)| (AtomId(i as u32), a))
    }

    /// Integer atoms with their values, ascending.
    pub fn ints(&self) -> &[(i64, AtomId)] {
        &self.ints
    }

    pub fn int_atom(&self, value: i64) -> Option<AtomId> {
        self.ints.binary_search_by_key(&value, |&(v, _)| v).ok().map(|i| self.ints[i].1)
    }

    pub fn int_value(&self, atom: AtomId) -> Option<i64> {
        match self.atom(atom).kind {
            AtomKind::Int(value) => Some(value),
            _ => None,
        }
    }
}
