//! Binary search trees with 0..=n nodes, keys any subset of 1..=n, and a size field.

use std::cmp::Ordering;

use tera_explore::dedicated::{self, Increasing, equal};
use tera_explore::{Candidate, Choices, Finitization, Visited};

use super::{bug, ensure};

#[derive(Candidate, Clone, Debug, PartialEq, Eq, Hash)]
pub struct SearchTree {
    pub root: Option<Box<Node>>,
    pub size: usize,
}

#[derive(Candidate, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    pub left: Option<Box<Node>>,
    pub right: Option<Box<Node>>,
    pub info: i32,
}

/// The paper's space: as many nodes and keys as the scope, sizes up to it.
pub fn space(n: usize) -> Finitization<SearchTree> {
    Finitization::of(n).values("Node.info", 1..=n)
}

/// As the paper writes it: a tree, then its size, then its order.
pub fn rep_ok(tree: SearchTreeRef) -> bool {
    let Some(root) = tree.root() else { return tree.size() == 0 };
    let mut seen = Visited::new();
    seen.insert(root);
    is_tree(root, &mut seen) && tree.size() == seen.len() && is_ordered(root, None, None)
}

fn is_tree(node: NodeRef, seen: &mut Visited) -> bool {
    for child in [NodeRef::left, NodeRef::right] {
        if let Some(child) = child(node)
            && !(seen.insert(child) && is_tree(child, seen))
        {
            return false;
        }
    }
    true
}

fn is_ordered(node: NodeRef, above: Option<i32>, below: Option<i32>) -> bool {
    let info = node.info();
    above.is_none_or(|above| info > above)
        && below.is_none_or(|below| info < below)
        && node.left().is_none_or(|left| is_ordered(left, above, Some(info)))
        && node.right().is_none_or(|right| is_ordered(right, Some(info), below))
}

impl SearchTree {
    /// True if the key was not there.
    pub fn add(&mut self, key: i32) -> bool {
        let mut place = &mut self.root;
        while let Some(node) = place {
            match key.cmp(&node.info) {
                Ordering::Less => place = &mut node.left,
                Ordering::Greater => place = &mut node.right,
                Ordering::Equal => return false,
            }
        }
        *place = Some(Box::new(Node { left: None, right: None, info: key }));
        self.size += usize::from(!bug(1));
        true
    }

    /// True if the key was there. The largest key of the left subtree takes the place of a node with two
    /// children.
    pub fn remove(&mut self, key: i32) -> bool {
        let mut place = &mut self.root;
        while place.as_ref().is_some_and(|node| node.info != key) {
            let node = place.as_mut().expect("just seen");
            place = if key < node.info { &mut node.left } else { &mut node.right };
        }
        let Some(mut node) = place.take() else { return false };
        *place = match (node.left.take(), node.right.take()) {
            (None, right) => right,
            (left, None) => left,
            (_, right) if bug(2) => right,
            (left, right) => {
                (node.left, node.right) = (left, right);
                let mut last = &mut node.left;
                while last.as_ref().is_some_and(|node| node.right.is_some()) {
                    last = &mut last.as_mut().expect("just seen").right;
                }
                if let Some(taken) = last.take() {
                    (node.info, *last) = (taken.info, taken.left.filter(|_| !bug(3)));
                }
                Some(node)
            }
        };
        self.size -= 1;
        true
    }

    pub fn keys(&self) -> Vec<i32> {
        fn walk(node: &Option<Box<Node>>, keys: &mut Vec<i32>) {
            if let Some(node) = node {
                walk(&node.left, keys);
                keys.push(node.info);
                walk(&node.right, keys);
            }
        }
        let mut keys = Vec::new();
        walk(&self.root, &mut keys);
        keys
    }
}

/// The same predicate from dedicated generators.
pub fn rep_ok_dedicated(tree: SearchTreeRef) -> bool {
    let Some(nodes) =
        dedicated::tree(tree.root_field(), |node: NodeRef| [node.left_field(), node.right_field()])
    else {
        return false;
    };
    let mut keys = Increasing::of(nodes.len());
    tree.size_field().require(equal(nodes.len()))
        && tree.root().is_none_or(|root| in_order(root, &mut |node| keys.next(node.info_field())))
}

fn in_order<'a>(node: NodeRef<'a>, visit: &mut impl FnMut(NodeRef<'a>) -> bool) -> bool {
    node.left().is_none_or(|left| in_order(left, visit))
        && visit(node)
        && node.right().is_none_or(|right| in_order(right, visit))
}

/// The same trees from choices: a size, a shape, and increasing keys that leave room for the rest.
pub fn generate(c: &mut Choices, n: usize) -> Option<SearchTree> {
    let size = c.int(0..=n);
    let (mut last, mut left) = (0, size);
    let root = subtree(c, size, &mut |c| {
        left -= 1;
        last = c.int(last + 1..=n - left);
        last as i32
    });
    Some(SearchTree { root, size })
}

fn subtree(c: &mut Choices, size: usize, key: &mut impl FnMut(&mut Choices) -> i32) -> Option<Box<Node>> {
    if size == 0 {
        return None;
    }
    let n_left = c.int(0..size);
    let left = subtree(c, n_left, key);
    let info = key(c);
    let right = subtree(c, size - 1 - n_left, key);
    Some(Box::new(Node { left, right, info }))
}

/// All trees by plain recursion, as an arena in preorder: the limit to aim at.
pub fn direct(n: usize, visit: &mut impl FnMut(&[FlatNode])) {
    for size in 0..=n {
        let mut nodes = vec![FlatNode::default(); size];
        // What is still to be built: (first node, number of nodes) of subtrees.
        shapes(&mut nodes, &mut vec![(0, size)], &mut |nodes| {
            let order = in_order_of(nodes);
            number_all(nodes, &order, 0, 1, n as i32, visit);
        });
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlatNode {
    pub left: u8,
    pub right: u8,
    pub info: i32,
}

fn shapes(nodes: &mut [FlatNode], open: &mut Vec<(usize, usize)>, visit: &mut impl FnMut(&mut [FlatNode])) {
    let Some((first, size)) = open.pop() else { return visit(nodes) };
    if size == 0 {
        shapes(nodes, open, visit);
    } else {
        for n_left in 0..size {
            let n_right = size - 1 - n_left;
            // 0 is null: the root is nobody's child.
            nodes[first].left = if n_left > 0 { first as u8 + 1 } else { 0 };
            nodes[first].right = if n_right > 0 { (first + 1 + n_left) as u8 } else { 0 };
            let depth = open.len();
            open.push((first + 1 + n_left, n_right));
            open.push((first + 1, n_left));
            shapes(nodes, open, visit);
            open.truncate(depth);
        }
    }
    open.push((first, size));
}

fn in_order_of(nodes: &[FlatNode]) -> Vec<usize> {
    fn walk(nodes: &[FlatNode], at: usize, order: &mut Vec<usize>) {
        if nodes[at].left != 0 {
            walk(nodes, nodes[at].left.into(), order);
        }
        order.push(at);
        if nodes[at].right != 0 {
            walk(nodes, nodes[at].right.into(), order);
        }
    }
    let mut order = Vec::new();
    if !nodes.is_empty() {
        walk(nodes, 0, &mut order);
    }
    order
}

fn number_all(
    nodes: &mut [FlatNode],
    order: &[usize],
    at: usize,
    least: i32,
    n: i32,
    visit: &mut impl FnMut(&[FlatNode]),
) {
    if at == order.len() {
        return visit(nodes);
    }
    let room = (order.len() - at - 1) as i32;
    for info in least..=n - room {
        nodes[order[at]].info = info;
        number_all(nodes, order, at + 1, info + 1, n, visit);
    }
}

pub const N_BUGS: usize = 3;

/// Calls `add` and `remove` on all trees with all keys 1..=n; how many calls there are, or the first
/// violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let mut calls = 0;
    for tree in space(n).inputs(rep_ok_dedicated).expect("right settings") {
        for key in 1..=n as i32 {
            let before = tree.keys();
            let was_there = before.contains(&key);
            let mut expected: Vec<i32> = before.into_iter().filter(|other| *other != key).collect();
            let mut removed = tree.clone();
            ensure!(removed.remove(key) == was_there, "remove tells whether {key} was in {tree:?}");
            ensure!(removed.keys() == expected, "the keys without {key} of {tree:?}");
            ensure!(rep_ok((&removed).into()), "{tree:?} without {key}");

            expected.push(key);
            expected.sort_unstable();
            let mut added = tree.clone();
            ensure!(added.add(key) != was_there, "add tells whether {key} was in {tree:?}");
            ensure!(added.keys() == expected, "the keys with {key} of {tree:?}");
            ensure!(rep_ok((&added).into()), "{tree:?} with {key}");
            calls += 2;
        }
    }
    Ok(calls)
}
