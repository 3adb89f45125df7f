//! What a subject does to the candidate while the predicate runs: fields that it changes and objects that it
//! makes. All of it is undone afterwards.
//!
//! A new object is one of a few that every pool keeps aside; no field of the candidate ever points to them.
//! Its fields are zero, null or empty until they are written, so that there is nothing to choose.

use std::any::TypeId;

use super::{Candidate, SHIFT};
use crate::shape::Shape;

impl Candidate {
    /// Overwrites a slot until the end of the run. What is overwritten unread need never be chosen.
    pub fn set(&self, slot: usize, value: i64) {
        self.overwritten.borrow_mut().push((slot as u32, self.values[slot].replace(value)));
    }

    /// Takes back what the run has overwritten and made.
    #[inline]
    pub(crate) fn undo(&self) {
        let mut overwritten = self.overwritten.borrow_mut();
        if overwritten.is_empty() && !self.allocated.get() {
            return;
        }
        while let Some((slot, value)) = overwritten.pop() {
            // A slot that was chosen after it was overwritten cannot be: it was set.
            self.values[slot as usize].set(value);
        }
        self.allocated.set(false);
        self.pools.iter().for_each(|pool| pool.n_allocated.set(0));
    }

    /// A new object of a class; its word.
    pub(crate) fn allocate(&self, class: TypeId, name: &str) -> i64 {
        let Some(pool) = self.pools.iter().find(|pool| pool.class == class) else {
            panic!("no field of the structure can point to a new `{name}`");
        };
        let n = pool.n_allocated.get();
        let Some(word) = pool.aside.get(n) else {
            panic!(
                "a run makes more than {n} new objects of `{name}`: give `Finitization::allocations` a higher bound"
            );
        };
        pool.n_allocated.set(n + 1);
        self.allocated.set(true);
        *word
    }

    /// Makes the objects that pools keep aside; after all others, whose numbers stay small.
    pub(crate) fn set_aside(&mut self, sizes: &[usize]) {
        for (at, size) in sizes.iter().enumerate() {
            let shape = self.pools[at].shape.clone();
            for _ in 0..*size {
                let word = self.add_object(&shape, self.pools[at].width);
                self.blank(&shape, word as usize & ((1 << SHIFT) - 1));
                self.pools[at].aside.push(word);
            }
        }
    }

    /// Zero, null and empty, all over.
    fn blank(&self, shape: &Shape, slot: usize) {
        match shape {
            Shape::Data { .. } | Shape::Link { .. } | Shape::Sequence { .. } => self.values[slot].set(0),
            Shape::Product(parts) => {
                parts.iter().for_each(|part| self.blank(&part.shape, slot + part.offset))
            }
            Shape::Sum { variants, .. } => {
                self.values[slot].set(0);
                for part in variants.iter().flatten() {
                    self.blank(&part.shape, slot + part.offset);
                }
            }
        }
    }
}
