//! A search tree in a `Vec`: children are positions, and removed slots wait in a free list.

use testera::Heap;

#[derive(Heap, Clone, Debug)]
pub struct Arena {
    #[heap(arena)]
    slots: Vec<Slot>,
    #[heap(index = Slot)]
    root: Option<usize>,
    #[heap(index = Slot)]
    free: Option<usize>,
}

#[derive(Heap, Clone, Debug)]
pub struct Slot {
    key: u8,
    #[heap(index = Slot)]
    left: Option<usize>,
    #[heap(index = Slot)]
    right: Option<usize>,
    #[heap(index = Slot)]
    next_free: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    None,
    /// The slot of a removed key is not put on the free list.
    ForgetsSlot,
    /// Freeing a slot makes it the whole free list.
    DropsTail,
    /// Taking a slot from the free list leaves it there as well.
    KeepsHead,
    /// A node with two children loses the right subtree of its successor.
    LosesSubtree,
}

impl Arena {
    pub fn insert(&mut self, key: u8, bug: Bug) {
        let mut place = self.root;
        let mut parent = None;
        while let Some(i) = place {
            if self.slots[i].key == key {
                return;
            }
            parent = Some((i, key < self.slots[i].key));
            place = if key < self.slots[i].key { self.slots[i].left } else { self.slots[i].right };
        }
        let new = self.allocate(key, bug);
        match parent {
            None => self.root = Some(new),
            Some((i, true)) => self.slots[i].left = Some(new),
            Some((i, false)) => self.slots[i].right = Some(new),
        }
    }

    pub fn remove(&mut self, key: u8, bug: Bug) {
        let mut parent: Option<(usize, bool)> = None;
        let mut place = self.root;
        while let Some(i) = place {
            if self.slots[i].key == key {
                let rest = self.unlink(i, bug);
                match parent {
                    None => self.root = rest,
                    Some((p, true)) => self.slots[p].left = rest,
                    Some((p, false)) => self.slots[p].right = rest,
                }
                return;
            }
            parent = Some((i, key < self.slots[i].key));
            place = if key < self.slots[i].key { self.slots[i].left } else { self.slots[i].right };
        }
    }

    /// The tree below `i` without its root.
    fn unlink(&mut self, i: usize, bug: Bug) -> Option<usize> {
        let (left, right) = (self.slots[i].left, self.slots[i].right);
        let rest = match (left, right) {
            (None, other) | (other, None) => other,
            (Some(_), Some(right)) => {
                // The least key of the right subtree takes the place.
                let (mut parent, mut least) = (None, right);
                while let Some(next) = self.slots[least].left {
                    (parent, least) = (Some(least), next);
                }
                if let Some(parent) = parent {
                    let orphan = self.slots[least].right;
                    self.slots[parent].left = if bug == Bug::LosesSubtree { None } else { orphan };
                    self.slots[least].right = Some(right);
                }
                self.slots[least].left = left;
                Some(least)
            }
        };
        self.release(i, bug);
        rest
    }

    fn allocate(&mut self, key: u8, bug: Bug) -> usize {
        let slot = Slot { key, left: None, right: None, next_free: None };
        match self.free {
            Some(i) => {
                if bug != Bug::KeepsHead {
                    self.free = self.slots[i].next_free;
                }
                self.slots[i] = slot;
                i
            }
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        }
    }

    fn release(&mut self, i: usize, bug: Bug) {
        if bug == Bug::ForgetsSlot {
            return;
        }
        let next_free = if bug == Bug::DropsTail { None } else { self.free };
        self.slots[i] = Slot { key: 0, left: None, right: None, next_free };
        self.free = Some(i);
    }
}
