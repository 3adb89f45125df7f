//! Binomial heaps: one binomial tree per set bit of the size, by rising degree; children by falling
//! degree; no child's key is below its parent's.

use tera_explore::dedicated::at_least;
use tera_explore::{Candidate, Choices, FieldRef, Finitization, Visited};

use super::{bug, ensure};

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

type Link = Option<Box<Node>>;

impl BinomialHeap {
    pub fn insert(&mut self, key: i32) {
        let parent = std::ptr::null();
        let node = Node { parent, degree: 0, child: None, sibling: None, key };
        self.union(BinomialHeap { size: 1, roots: Some(Box::new(node)) });
    }

    /// Takes a least key out.
    pub fn extract_min(&mut self) -> Option<i32> {
        let least = keys_of(&self.roots).min()?;
        let mut root = take_root(&mut self.roots, |root| root.key == least)?;
        Some(self.give_up(&mut root))
    }

    /// Takes one occurrence of a key out; false if there is none. The key rises to its root, which goes.
    pub fn delete(&mut self, key: i32) -> bool {
        let Some(mut root) = take_root(&mut self.roots, |root| holds(root, key)) else { return false };
        raise(&mut root, key);
        self.give_up(&mut root);
        true
    }

    /// Takes over the nodes of another heap: both lists of roots become one by rising degree, then trees
    /// of equal degree are linked, as digits are added.
    pub fn union(&mut self, other: BinomialHeap) {
        self.size += if bug(1) { 0 } else { other.size };
        let mut rest = merge(self.roots.take(), other.roots);
        let mut last = &mut self.roots;
        while let Some(mut tree) = rest.take() {
            rest = tree.sibling.take();
            let degree = tree.degree;
            let next_is_equal = |rest: &Link| rest.as_ref().is_some_and(|next| next.degree == degree);
            // Of three trees of one degree the last two are linked.
            let three = next_is_equal(&rest) && next_is_equal(&rest.as_ref().expect("just seen").sibling);
            if next_is_equal(&rest) && !three {
                let mut other = rest.take().expect("just seen");
                let behind = other.sibling.take();
                let mut linked = link(tree, other);
                linked.sibling = behind.filter(|_| !bug(2));
                rest = Some(linked);
            } else {
                last = &mut last.insert(tree).sibling;
            }
        }
    }

    /// Keeps the children of a root that is in no list any more. Gives its key.
    fn give_up(&mut self, root: &mut Node) -> i32 {
        let (mut next, mut rising) = (root.child.take(), None);
        let mut size = 0;
        while let Some(mut child) = next.take() {
            next = child.sibling.take();
            if !bug(3) {
                child.parent = std::ptr::null();
            }
            size += 1 << child.degree;
            child.sibling = rising;
            rising = Some(child);
        }
        self.size -= size + 1;
        self.union(BinomialHeap { size, roots: rising });
        root.key
    }

    pub fn keys(&self) -> Vec<i32> {
        fn collect(node: &Node, keys: &mut Vec<i32>) {
            keys.push(node.key);
            nodes_of(&node.child).for_each(|child| collect(child, keys));
        }
        let mut keys = Vec::new();
        nodes_of(&self.roots).for_each(|root| collect(root, &mut keys));
        keys.sort_unstable();
        keys
    }
}

fn nodes_of(list: &Link) -> impl Iterator<Item = &Node> {
    std::iter::successors(list.as_deref(), |node| node.sibling.as_deref())
}

fn keys_of(list: &Link) -> impl Iterator<Item = i32> {
    nodes_of(list).map(|node| node.key)
}

/// Takes the first root that passes out of the list.
fn take_root(mut place: &mut Link, test: impl Fn(&Node) -> bool) -> Link {
    while place.as_ref().is_some_and(|root| !test(root)) {
        place = &mut place.as_mut().expect("just seen").sibling;
    }
    let mut root = place.take()?;
    *place = root.sibling.take();
    Some(root)
}

fn holds(node: &Node, key: i32) -> bool {
    node.key == key || nodes_of(&node.child).any(|child| holds(child, key))
}

/// Exchanges keys upwards until the root has the key; false if the tree does not hold it.
fn raise(node: &mut Node, key: i32) -> bool {
    if node.key == key {
        return true;
    }
    let mut next = &mut node.child;
    while let Some(child) = next {
        if raise(child, key) {
            std::mem::swap(&mut node.key, &mut child.key);
            return true;
        }
        next = &mut child.sibling;
    }
    false
}

/// Two lists of roots as one by rising degree.
fn merge(mut left: Link, mut right: Link) -> Link {
    let mut merged = None;
    let mut last = &mut merged;
    loop {
        let from = match (&left, &right) {
            (None, None) => return merged,
            (Some(l), Some(r)) if l.degree > r.degree => &mut right,
            (Some(_), _) => &mut left,
            (None, Some(_)) => &mut right,
        };
        let mut tree = from.take().expect("just seen");
        *from = tree.sibling.take();
        last = &mut last.insert(tree).sibling;
    }
}

/// Two trees of one degree as one of the next.
fn link(left: Box<Node>, right: Box<Node>) -> Box<Node> {
    let (mut top, mut below) = if left.key <= right.key || bug(4) { (left, right) } else { (right, left) };
    below.parent = &raw const *top;
    below.sibling = top.child.take();
    top.child = Some(below);
    top.degree += usize::from(!bug(5));
    top
}

pub const N_BUGS: usize = 5;

/// Calls the methods on all heaps: `insert` and `delete` with keys 0..=n, `union` with a heap of one key
/// 1..=n, `extract_min`. (The paper counts 3(n + 1) calls for a heap and does not say which.) How many calls
/// there are, or the first violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let n_keys = n as i32;
    let mut calls = 0;
    let mut heaps = space(n).search().expect("right settings");
    while heaps.next(&mut rep_ok_dedicated) {
        let heap = || heaps.value().expect("a tree of boxes");
        let before = heap().keys();
        let without = |key: i32| {
            let mut keys = before.clone();
            let at = keys.iter().position(|other| *other == key);
            at.map(|at| keys.remove(at));
            (keys, at.is_some())
        };
        let with = |key: i32| {
            let mut keys = [&before[..], &[key]].concat();
            keys.sort_unstable();
            keys
        };
        let mut judge = |heap: BinomialHeap, expected: Vec<i32>, method: &str| {
            ensure!(rep_ok((&heap).into()), "{method} of {before:?} keeps the heap: {heap:?}");
            ensure!(heap.keys() == expected, "{method} of {before:?} has the right keys: {heap:?}");
            calls += 1;
            Ok(())
        };
        for key in 0..=n_keys {
            let mut inserted = heap();
            inserted.insert(key);
            judge(inserted, with(key), "insert")?;
            let mut deleted = heap();
            let (keys, was_there) = without(key);
            ensure!(deleted.delete(key) == was_there, "delete of {key} tells whether it was in {before:?}");
            judge(deleted, keys, "delete")?;
        }
        for key in 1..=n_keys {
            let (mut united, mut other) = (heap(), BinomialHeap { size: 0, roots: None });
            other.insert(key);
            united.union(other);
            judge(united, with(key), "union")?;
        }
        let mut extracted = heap();
        let least = extracted.extract_min();
        ensure!(least == before.first().copied(), "extract_min of {before:?} gives {least:?}");
        judge(extracted, before.get(1..).unwrap_or_default().to_vec(), "extract_min")?;
    }
    Ok(calls)
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
