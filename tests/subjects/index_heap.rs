//! A priority queue whose entries can be found by their identifier: a binary heap in a `Vec` and a
//! map to places in it.

use std::collections::HashMap;

use testera::Heap;

#[derive(Heap, Debug)]
pub struct Queue {
    heap: Vec<Entry>,
    position: HashMap<u8, usize>,
}

#[derive(Heap, Clone, Debug)]
pub struct Entry {
    id: u8,
    priority: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    None,
    /// A swap notes the place of one of the two entries only.
    ForgetsPlace,
    /// Sinking looks at the left child only.
    LeftOnly,
    /// The removed identifier stays in the map.
    StaleKey,
}

impl Queue {
    /// Removes an entry with the least priority.
    pub fn pop(&mut self, bug: Bug) -> Option<u8> {
        if self.heap.is_empty() {
            return None;
        }
        let last = self.heap.len() - 1;
        self.swap(0, last, bug);
        let entry = self.heap.pop()?;
        if bug != Bug::StaleKey {
            self.position.remove(&entry.id);
        }
        self.sink(0, bug);
        Some(entry.id)
    }

    fn sink(&mut self, mut i: usize, bug: Bug) {
        loop {
            let (left, right) = (2 * i + 1, 2 * i + 2);
            let mut least = i;
            for child in [left, right] {
                let is_known = bug != Bug::LeftOnly || child == left;
                if is_known
                    && child < self.heap.len()
                    && self.heap[child].priority < self.heap[least].priority
                {
                    least = child;
                }
            }
            if least == i {
                return;
            }
            self.swap(i, least, bug);
            i = least;
        }
    }

    fn swap(&mut self, a: usize, b: usize, bug: Bug) {
        self.heap.swap(a, b);
        self.position.insert(self.heap[a].id, a);
        if bug != Bug::ForgetsPlace {
            self.position.insert(self.heap[b].id, b);
        }
    }
}
