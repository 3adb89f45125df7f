//! Binary search trees with 0..=n nodes, keys any subset of 1..=n, and a size field.

use tera_explore::{Candidate, Finitization, Visited};

#[derive(Candidate, Debug, PartialEq)]
pub struct SearchTree {
    pub root: Option<Box<Node>>,
    pub size: usize,
}

#[derive(Candidate, Debug, PartialEq)]
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
