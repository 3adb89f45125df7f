//! Fibonacci heaps: rings of siblings, each knows its parent, a parent one of its children; the heap knows
//! a least root. Marks are free but for roots, which have none.

use std::mem::ManuallyDrop;
use std::ptr::null_mut;

use tera_explore::dedicated::{at_least, equal};
use tera_explore::{Candidate, FieldRef, Finitization, Visited};

use super::{bug, ensure};

#[derive(Candidate, Debug)]
pub struct FibonacciHeap {
    pub min: *mut Node,
    pub size: usize,
}

#[derive(Candidate, Debug)]
pub struct Node {
    pub parent: *mut Node,
    pub child: *mut Node,
    pub left: *mut Node,
    pub right: *mut Node,
    pub degree: usize,
    pub mark: bool,
    pub key: i32,
}

pub fn space(n: usize) -> Finitization<FibonacciHeap> {
    Finitization::of(n).values("Node.key", 1..=n)
}

pub fn rep_ok(heap: FibonacciHeapRef) -> bool {
    let Some(min) = heap.min() else { return heap.size() == 0 };
    let mut seen = Visited::new();
    n_siblings(min, None, &mut seen).is_some()
        && heap.size() == seen.len()
        && ring(min).all(|root| !root.mark() && is_heap(root, min.key()))
}

/// How many siblings there are in the ring of a first child or root, if it and all below are well linked.
fn n_siblings(first: NodeRef, parent: Option<NodeRef>, seen: &mut Visited) -> Option<usize> {
    let (mut node, mut n) = (first, 0);
    loop {
        if !seen.insert(node) || node.parent() != parent {
            return None;
        }
        let n_children = node.child().map_or(Some(0), |child| n_siblings(child, Some(node), seen))?;
        let right = node.right()?;
        if node.degree() != n_children || right.left() != Some(node) {
            return None;
        }
        n += 1;
        if right == first {
            return Some(n);
        }
        node = right;
    }
}

/// The nodes of a ring, from one on.
fn ring(first: NodeRef) -> impl Iterator<Item = NodeRef> {
    std::iter::successors(Some(first), move |node| node.right().filter(|right| *right != first))
}

fn is_heap(node: NodeRef, least: i32) -> bool {
    let key = node.key();
    least <= key && node.child().is_none_or(|child| ring(child).all(|child| is_heap(child, key)))
}

/// The same predicate with every field required to be what it must.
pub fn rep_ok_dedicated(heap: FibonacciHeapRef) -> bool {
    let mut seen = Visited::new();
    if grow(heap.min_field(), None, &mut seen).is_none() || !heap.size_field().require(equal(seen.len())) {
        return false;
    }
    let Some(min) = heap.min() else { return true };
    ring(min).all(|root| root.mark_field().require(equal(false)) && order(root, min))
}

/// A ring of children or roots in this field, or none; gives the number of its nodes.
fn grow<'a>(
    field: FieldRef<'a, *mut Node>,
    parent: Option<NodeRef<'a>>,
    seen: &mut Visited,
) -> Option<usize> {
    let Some(first) = field.find(|node| node.is_none_or(|node| !seen.contains(node)))? else {
        return Some(0);
    };
    let (mut node, mut n) = (first, 0);
    loop {
        n += 1;
        seen.insert(node);
        node.parent_field().find(equal(parent))?;
        let n_children = grow(node.child_field(), Some(node), seen)?;
        node.degree_field().find(equal(n_children))?;
        let right =
            node.right_field().find(|right| right.is_some_and(|it| it == first || !seen.contains(it)))??;
        right.left_field().find(equal(Some(node)))?;
        if right == first {
            return Some(n);
        }
        node = right;
    }
}

/// No key below that of the parent, nor of the least root.
fn order(node: NodeRef, above: NodeRef) -> bool {
    (node == above || node.key_field().require(at_least(above.key())))
        && node.child().is_none_or(|child| ring(child).all(|child| order(child, node)))
}

/// All pointers of a heap are valid, and every node is in one ring.
impl FibonacciHeap {
    pub fn new() -> Self {
        FibonacciHeap { min: null_mut(), size: 0 }
    }

    pub fn insert(&mut self, key: i32) {
        let node = Box::into_raw(Box::new(Node {
            parent: null_mut(),
            child: null_mut(),
            left: null_mut(),
            right: null_mut(),
            degree: 0,
            mark: false,
            key,
        }));
        // SAFETY: fresh, and soon in a ring of its own.
        unsafe { ((*node).left, (*node).right) = (node, node) };
        self.union(FibonacciHeap { min: node, size: 1 });
    }

    /// Takes over the nodes of another heap.
    pub fn union(&mut self, other: FibonacciHeap) {
        let other = ManuallyDrop::new(other);
        self.size += other.size;
        if self.min.is_null() || other.min.is_null() {
            if self.min.is_null() {
                self.min = other.min;
            }
            return;
        }
        // SAFETY: see above.
        unsafe {
            splice(self.min, other.min);
            if (*other.min).key < (*self.min).key && !bug(1) {
                self.min = other.min;
            }
        }
    }

    pub fn extract_min(&mut self) -> Option<i32> {
        // SAFETY: see above; the least root is taken out of its ring before it is freed.
        unsafe {
            let min = self.min;
            let key = min.as_ref()?.key;
            while !(*min).child.is_null() {
                self.make_root((*min).child);
            }
            self.min = if (*min).right == min { null_mut() } else { (*min).right };
            take_out(min);
            drop(Box::from_raw(min));
            self.size -= 1;
            if !self.min.is_null() {
                self.consolidate();
            }
            Some(key)
        }
    }

    /// Takes one occurrence of a key out; false if there is none.
    pub fn delete(&mut self, key: i32) -> bool {
        // SAFETY: the node that is found is one of this heap.
        unsafe {
            let Some(node) = nodes(self.min).into_iter().find(|node| (**node).key == key) else {
                return false;
            };
            self.decrease(node, i32::MIN);
        }
        self.extract_min();
        true
    }

    /// Gives a node a smaller key: if it is below its parent's, the node becomes a root, as do its ancestors
    /// as far as they have lost a child before.
    unsafe fn decrease(&mut self, node: *mut Node, key: i32) {
        // SAFETY: all are nodes of this heap.
        unsafe {
            (*node).key = key;
            let mut parent = (*node).parent;
            if !parent.is_null() && key < (*parent).key {
                self.make_root(node);
                while !(*parent).parent.is_null() {
                    let next = (*parent).parent;
                    if !(*parent).mark {
                        (*parent).mark = true;
                        break;
                    }
                    self.make_root(parent);
                    parent = next;
                }
            }
            if key < (*self.min).key {
                self.min = node;
            }
        }
    }

    /// Cuts a child off.
    unsafe fn make_root(&mut self, node: *mut Node) {
        // SAFETY: as its caller.
        unsafe {
            let parent = (*node).parent;
            (*parent).degree -= usize::from(!bug(2));
            (*parent).child = if (*node).right == node { null_mut() } else { (*node).right };
            take_out(node);
            (*node).parent = null_mut();
            (*node).mark &= bug(3);
            splice(self.min, node);
        }
    }

    /// Links roots of equal degree until there are none, and finds the least.
    unsafe fn consolidate(&mut self) {
        // SAFETY: all are roots of this heap; every one is in one ring at any time.
        unsafe {
            let mut by_degree: Vec<*mut Node> = Vec::new();
            for mut root in siblings(self.min) {
                take_out(root);
                loop {
                    let degree = (*root).degree;
                    by_degree.resize(by_degree.len().max(degree + 1), null_mut());
                    let mut other = std::mem::replace(&mut by_degree[degree], null_mut());
                    if other.is_null() {
                        by_degree[degree] = root;
                        break;
                    }
                    if (*other).key < (*root).key && !bug(4) {
                        std::mem::swap(&mut root, &mut other);
                    }
                    (*other).parent = root;
                    if (*root).child.is_null() {
                        (*root).child = other;
                    } else {
                        splice((*root).child, other);
                    }
                    (*root).degree += 1;
                }
            }
            self.min = null_mut();
            for root in by_degree.into_iter().filter(|root| !root.is_null()) {
                if self.min.is_null() {
                    self.min = root;
                } else {
                    splice(self.min, root);
                    if (*root).key < (*self.min).key && !bug(5) {
                        self.min = root;
                    }
                }
            }
        }
    }

    pub fn keys(&self) -> Vec<i32> {
        // SAFETY: nodes of this heap.
        let mut keys: Vec<i32> = nodes(self.min).into_iter().map(|node| unsafe { (*node).key }).collect();
        keys.sort_unstable();
        keys
    }
}

/// Two rings become one.
unsafe fn splice(a: *mut Node, b: *mut Node) {
    // SAFETY: nodes of two rings.
    unsafe {
        let (after, before) = ((*a).right, (*b).left);
        ((*a).right, (*b).left) = (b, a);
        ((*after).left, (*before).right) = (before, after);
    }
}

/// The node leaves its ring for one of its own.
unsafe fn take_out(node: *mut Node) {
    // SAFETY: a node of a ring.
    unsafe {
        let Node { left, right, .. } = *node;
        ((*left).right, (*right).left) = (right, left);
        ((*node).left, (*node).right) = (node, node);
    }
}

/// The nodes of a ring.
fn siblings(first: *mut Node) -> Vec<*mut Node> {
    // SAFETY: asked of nodes of a heap only, or of null.
    let next = |node: &*mut Node| Some(unsafe { (**node).right }).filter(|right| *right != first);
    std::iter::successors(Some(first).filter(|first| !first.is_null()), next).collect()
}

/// The nodes of a ring and all below, parents first.
fn nodes(first: *mut Node) -> Vec<*mut Node> {
    let mut found = siblings(first);
    let mut at = 0;
    while at < found.len() {
        // SAFETY: as in `siblings`.
        found.extend(siblings(unsafe { (*found[at]).child }));
        at += 1;
    }
    found
}

impl Drop for FibonacciHeap {
    fn drop(&mut self) {
        // SAFETY: every node is met once.
        nodes(self.min).into_iter().for_each(|node| drop(unsafe { Box::from_raw(node) }));
    }
}

/// How many heaps of up to n nodes there are, by their recurrences. A ring is a sequence that begins with
/// the node that the parent, or the heap, knows.
pub fn direct(n: usize) -> u64 {
    /// Sequences of trees of `size` nodes with keys `least..=n`; every root has a mark or none, if it may.
    fn forests(size: usize, least: usize, n: usize, marks: u64) -> u64 {
        let first_tree =
            |first: usize| trees(first, least, n, marks) * forests(size - first, least, n, marks);
        if size == 0 { 1 } else { (1..=size).map(first_tree).sum() }
    }
    fn trees(size: usize, least: usize, n: usize, marks: u64) -> u64 {
        (least..=n).map(|key| marks * forests(size - 1, key, n, 2)).sum()
    }
    // The least root, what is below it, and the other roots.
    let with_first = |size: usize, first: usize| -> u64 {
        (1..=n).map(|key| forests(first - 1, key, n, 2) * forests(size - first, key, n, 1)).sum()
    };
    1 + (1..=n).map(|size| (1..=size).map(|first| with_first(size, first)).sum::<u64>()).sum::<u64>()
}

pub const N_BUGS: usize = 5;

/// Calls the methods on all heaps: `insert` and `delete` with keys 0..=n, `union` with a heap of one key
/// 1..=n, `extract_min`. How many calls there are, or the first violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let n_keys = n as i32;
    let mut calls = 0;
    let mut heaps = space(n).search().expect("right settings");
    while heaps.next(&mut rep_ok_dedicated) {
        let heap = || heaps.value().expect("raw pointers share");
        let before = heap().keys();
        let with = |key: i32| {
            let mut keys = [&before[..], &[key]].concat();
            keys.sort_unstable();
            keys
        };
        let mut judge = |heap: FibonacciHeap, expected: Vec<i32>, method: &str| {
            let heap = ManuallyDrop::new(heap);
            ensure!(rep_ok((&*heap).into()), "{method} of {before:?} keeps the heap");
            ensure!(heap.keys() == expected, "{method} of {before:?} has the right keys");
            drop(ManuallyDrop::into_inner(heap));
            calls += 1;
            Ok(())
        };
        for key in 0..=n_keys {
            let mut inserted = heap();
            inserted.insert(key);
            judge(inserted, with(key), "insert")?;
            let mut deleted = heap();
            let (mut keys, at) = (before.clone(), before.iter().position(|other| *other == key));
            at.map(|at| keys.remove(at));
            ensure!(deleted.delete(key) == at.is_some(), "delete of {key} tells whether it was there");
            judge(deleted, keys, "delete")?;
        }
        for key in 1..=n_keys {
            let (mut united, mut other) = (heap(), FibonacciHeap::new());
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
