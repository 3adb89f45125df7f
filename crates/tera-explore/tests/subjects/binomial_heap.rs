//! Binomial heaps: one binomial tree per set bit of the size, by rising degree; children by falling
//! degree; no child's key is below its parent's.

use tera_explore::{Candidate, Finitization, Visited};

#[derive(Candidate, Debug)]
pub struct BinomialHeap {
    pub size: usize,
    pub roots: Option<Box<Node>>,
}

#[derive(Candidate, Debug)]
pub struct Node {
    pub parent: *const Node,
    pub degree: usize,
    pub child: Option<Box<Node>>,
    pub sibling: Option<Box<Node>>,
    pub key: i32,
}

pub fn space(n: usize) -> Finitization<BinomialHeap> {
    let degrees = 0..=n.max(1).ilog2() as usize;
    Finitization::of(n).values("Node.key", 1..=n).values("Node.degree", degrees)
}

pub fn rep_ok(heap: BinomialHeapRef) -> bool {
    let size = heap.size();
    let mut seen = Visited::new();
    let mut next = heap.roots();
    for degree in (0..usize::BITS).filter(|bit| size >> bit & 1 == 1) {
        let Some(root) = next else { return false };
        if !is_tree(root, None, degree as usize, &mut seen) {
            return false;
        }
        next = root.sibling();
    }
    if next.is_some() {
        return false;
    }
    let mut next = heap.roots();
    while let Some(root) = next {
        if !is_heap(root) {
            return false;
        }
        next = root.sibling();
    }
    true
}

/// Is this a binomial tree of this degree?
fn is_tree(node: NodeRef, parent: Option<NodeRef>, degree: usize, seen: &mut Visited) -> bool {
    if !seen.insert(node) || node.parent() != parent || node.degree() != degree {
        return false;
    }
    let mut next = node.child();
    for degree in (0..degree).rev() {
        let Some(child) = next else { return false };
        if !is_tree(child, Some(node), degree, seen) {
            return false;
        }
        next = child.sibling();
    }
    next.is_none()
}

fn is_heap(node: NodeRef) -> bool {
    let key = node.key();
    let mut next = node.child();
    while let Some(child) = next {
        if child.key() < key || !is_heap(child) {
            return false;
        }
        next = child.sibling();
    }
    true
}
