//! The objects that a traversal has seen.

use rustc_hash::FxHashSet;

use crate::handle::Object;

/// A set of objects, for predicates that walk a structure. Cheap in the search (a word of bits), correct
/// for real values of any size.
///
/// ```ignore
/// let mut seen = Visited::new();
/// while let Some(node) = next {
///     if !seen.insert(node) { return false; } // a cycle
///     next = node.next();
/// }
/// seen.len() == list.size()
/// ```
#[derive(Clone, Debug, Default)]
pub struct Visited {
    bits: u64,
    others: Option<Box<FxHashSet<usize>>>,
}

impl Visited {
    #[inline]
    pub fn new() -> Self {
        Visited { bits: 0, others: None }
    }

    /// Adds an object; false if it was there.
    #[inline]
    pub fn insert(&mut self, object: impl Object) -> bool {
        match object.number() {
            Some(number @ 0..64) => {
                let bit = 1 << number;
                let new = self.bits & bit == 0;
                self.bits |= bit;
                new
            }
            _ => self.others.get_or_insert_default().insert(object.address()),
        }
    }

    #[inline]
    pub fn contains(&self, object: impl Object) -> bool {
        match object.number() {
            Some(number @ 0..64) => self.bits >> number & 1 == 1,
            _ => self.others.as_ref().is_some_and(|others| others.contains(&object.address())),
        }
    }

    /// Takes an object out again.
    #[inline]
    pub fn remove(&mut self, object: impl Object) {
        match object.number() {
            Some(number @ 0..64) => self.bits &= !(1 << number),
            _ => {
                if let Some(others) = &mut self.others {
                    others.remove(&object.address());
                }
            }
        }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.bits.count_ones() as usize + self.others.as_ref().map_or(0, |others| others.len())
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
