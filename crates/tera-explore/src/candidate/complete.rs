//! What no predicate has read: chosen after it has accepted.

use super::{Candidate, SHIFT};
use crate::shape::Shape;

impl Candidate {
    /// Chooses what is still open: the fields of which the predicate required something, in the order in
    /// which it did; then every reachable field that is unset, in the order of a breadth-first walk from
    /// the root. Afterwards the candidate is a whole structure.
    #[inline]
    pub(crate) fn complete(&self) {
        if self.open.get() == 0 {
            return;
        }
        for slot in self.restricted.borrow().iter() {
            self.get(*slot as usize);
        }
        if self.open.get() != 0 {
            self.walk();
        }
        debug_assert_eq!(self.open.get(), 0, "every reachable field is set after the walk");
    }

    #[cold]
    fn walk(&self) {
        let mut seen = vec![false; self.n_objects];
        let mut queue = Vec::new();
        self.walk_value(&self.root_shape, self.root, &mut seen, &mut queue);
        let mut at = 0;
        while at < queue.len() {
            let (pool, base): (usize, usize) = queue[at];
            self.walk_value(&self.pools[pool].shape, base, &mut seen, &mut queue);
            at += 1;
        }
    }

    fn walk_value(&self, shape: &Shape, slot: usize, seen: &mut [bool], queue: &mut Vec<(usize, usize)>) {
        match shape {
            Shape::Data { .. } => drop(self.get(slot)),
            Shape::Link { field, .. } => {
                let word = self.get(slot) as usize;
                if word != 0 && !std::mem::replace(&mut seen[word >> SHIFT], true) {
                    queue.push((self.links[*field], word & ((1 << SHIFT) - 1)));
                }
            }
            Shape::Sequence { element, element_width, .. } => {
                let length = self.get(slot).max(0) as usize;
                let start = self.elements(slot).start();
                for at in 0..length {
                    self.walk_value(element, start + at * element_width, seen, queue);
                }
            }
            Shape::Product(parts) => {
                for part in parts {
                    self.walk_value(&part.shape, slot + part.offset, seen, queue);
                }
            }
            Shape::Sum { variants, .. } => {
                let variant = self.get(slot) as usize;
                for part in &variants[variant] {
                    self.walk_value(&part.shape, slot + part.offset, seen, queue);
                }
            }
        }
    }
}
