//! A doubly linked list of `NonNull` pointers, freed by `Drop`.

use std::ptr::NonNull;

use testera::Heap;

type Link = Option<NonNull<Node>>;

#[derive(Heap, Debug)]
pub struct List {
    head: Link,
    tail: Link,
    len: usize,
}

#[derive(Heap, Debug)]
pub struct Node {
    elem: u8,
    next: Link,
    prev: Link,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    None,
    /// The removed node is unlinked but never freed.
    Leaks,
    /// The next node's `prev` still points to the removed one.
    DanglingPrev,
    /// Removing the last node leaves `tail` where it was.
    StaleTail,
}

impl List {
    pub fn push_back(&mut self, elem: u8) {
        let node = Box::new(Node { elem, next: None, prev: self.tail });
        let node = NonNull::from(Box::leak(node));
        match self.tail {
            // Safety: the nodes of the list are live and ours.
            Some(tail) => unsafe { (*tail.as_ptr()).next = Some(node) },
            None => self.head = Some(node),
        }
        self.tail = Some(node);
        self.len += 1;
    }

    /// Removes the first node with this element; says whether there was one.
    pub fn remove(&mut self, elem: u8, bug: Bug) -> bool {
        let mut cursor = self.head;
        while let Some(node) = cursor {
            // Safety: as above; the node is unlinked before it is freed.
            unsafe {
                let Node { next, prev, elem: here } = *node.as_ptr();
                if here != elem {
                    cursor = next;
                    continue;
                }
                match prev {
                    Some(prev) => (*prev.as_ptr()).next = next,
                    None => self.head = next,
                }
                match next {
                    Some(_) if bug == Bug::DanglingPrev => {}
                    Some(next) => (*next.as_ptr()).prev = prev,
                    None if bug == Bug::StaleTail => {}
                    None => self.tail = prev,
                }
                self.len -= 1;
                if bug != Bug::Leaks {
                    drop(Box::from_raw(node.as_ptr()));
                }
                return true;
            }
        }
        false
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let mut cursor = self.head;
        while let Some(node) = cursor {
            // Safety: each node was boxed and is freed once.
            cursor = unsafe { Box::from_raw(node.as_ptr()) }.next;
        }
    }
}
