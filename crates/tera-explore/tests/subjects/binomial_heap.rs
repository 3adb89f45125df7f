//! Binomial heaps: one binomial tree per set bit of the size, by rising degree; children by falling
//! degree; no child's key is below its parent's.

use tera_explore::dedicated::at_least;
use tera_explore::{Candidate, Choices, FieldRef, Finitization, Visited};

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
    siblings(heap.roots()).all(is_heap)
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
    siblings(node.child()).all(|child| child.key() >= key && is_heap(child))
}

/// The same predicate with every field required to be what it must.
pub fn rep_ok_dedicated(heap: BinomialHeapRef) -> bool {
    let size = heap.size();
    let mut seen = Visited::new();
    let mut next = heap.roots_field();
    for degree in (0..usize::BITS).filter(|bit| size >> bit & 1 == 1) {
        let Some(sibling) = grow(next, None, degree as usize, &mut seen) else { return false };
        next = sibling;
    }
    next.require(|root| root.is_none()) && siblings(heap.roots()).all(|root| order(root, 1))
}

/// The nodes of a list of siblings.
fn siblings(first: Option<NodeRef>) -> impl Iterator<Item = NodeRef> {
    std::iter::successors(first, |node| node.sibling())
}

/// A binomial tree of this degree in this field; gives the field of its sibling.
fn grow<'a>(
    field: FieldRef<'a, Option<Box<Node>>>,
    parent: Option<NodeRef<'a>>,
    degree: usize,
    seen: &mut Visited,
) -> Option<FieldRef<'a, Option<Box<Node>>>> {
    let node = field.find(|node| node.is_some_and(|node| !seen.contains(node)))??;
    seen.insert(node);
    node.parent_field().find(|found| found == parent)?;
    node.degree_field().find(|found| found == degree)?;
    let mut next = node.child_field();
    for degree in (0..degree).rev() {
        next = grow(next, Some(node), degree, seen)?;
    }
    next.find(|child| child.is_none())?;
    Some(node.sibling_field())
}

fn order(node: NodeRef, least: i32) -> bool {
    // The key is read for the children only: those of leaves stay open.
    node.key_field().require(at_least(least)) && siblings(node.child()).all(|child| order(child, node.key()))
}

/// A heap by value: nodes in preorder, indices instead of pointers, `NONE` for null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat {
    pub size: u8,
    pub nodes: [FlatNode; 16],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlatNode {
    pub parent: u8,
    pub degree: u8,
    pub child: u8,
    pub sibling: u8,
    pub key: i8,
}

pub const NONE: u8 = u8::MAX;
const EMPTY: FlatNode = FlatNode { parent: NONE, degree: 0, child: NONE, sibling: NONE, key: 0 };

/// The same heaps from choices: the size makes the shape, keys rise from the root.
#[inline]
pub fn generate(c: &mut Choices, heap: &mut Flat, n: usize) -> Option<()> {
    let size = c.int(0..=n);
    if usize::from(heap.size) != size {
        *heap = shape(size);
    }
    for at in 0..size {
        let node = heap.nodes[at];
        let least = if node.parent == NONE { 1 } else { heap.nodes[usize::from(node.parent)].key };
        heap.nodes[at].key = c.int(least..=n as i8);
    }
    Some(())
}

/// The one shape of a size.
pub fn shape(size: usize) -> Flat {
    fn tree(heap: &mut Flat, at: &mut usize, parent: u8, degree: usize) -> u8 {
        let here = *at;
        *at += 1;
        heap.nodes[here] = FlatNode { parent, degree: degree as u8, ..EMPTY };
        let mut last = None;
        for degree in (0..degree).rev() {
            let child = tree(heap, at, here as u8, degree);
            match last.replace(child) {
                None => heap.nodes[here].child = child,
                Some(last) => heap.nodes[usize::from(last)].sibling = child,
            }
        }
        here as u8
    }
    let mut heap = Flat { size: size as u8, nodes: [EMPTY; 16] };
    let (mut at, mut last) = (0, None::<u8>);
    for degree in (0..usize::BITS as usize).filter(|bit| size >> bit & 1 == 1) {
        let root = tree(&mut heap, &mut at, NONE, degree);
        if let Some(last) = last.replace(root) {
            heap.nodes[usize::from(last)].sibling = root;
        }
    }
    heap
}

/// All heaps by plain recursion: the limit to aim at.
pub fn direct(n: usize, visit: &mut impl FnMut(&Flat)) {
    fn fill(heap: &mut Flat, at: usize, n: i8, visit: &mut impl FnMut(&Flat)) {
        if at == usize::from(heap.size) {
            return visit(heap);
        }
        let parent = heap.nodes[at].parent;
        let least = if parent == NONE { 1 } else { heap.nodes[usize::from(parent)].key };
        for key in least..=n {
            heap.nodes[at].key = key;
            fill(heap, at + 1, n, visit);
        }
    }
    for size in 0..=n {
        fill(&mut shape(size), 0, n as i8, visit);
    }
}
