//! Red-black trees in the form of java.util.TreeMap: 0..=n nodes with parent pointers, keys any subset of
//! 1..=n, a root of either colour.

use tera_explore::{Candidate, Finitization, Visited};

#[derive(Candidate, Debug)]
pub struct TreeMap {
    pub root: Option<Box<Node>>,
    pub size: usize,
}

#[derive(Candidate, Debug)]
pub struct Node {
    pub left: Option<Box<Node>>,
    pub right: Option<Box<Node>>,
    pub parent: *const Node,
    pub color: Color,
    pub key: i32,
}

#[derive(Candidate, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    Red,
    Black,
}

pub fn space(n: usize) -> Finitization<TreeMap> {
    Finitization::of(n).values("Node.key", 1..=n)
}

pub fn rep_ok(map: TreeMapRef) -> bool {
    let Some(root) = map.root() else { return map.size() == 0 };
    let mut seen = Visited::new();
    seen.insert(root);
    root.parent().is_none()
        && is_tree(root, &mut seen)
        && map.size() == seen.len()
        && black_height(root).is_some()
        && is_ordered(root, None, None)
}

/// No node has two parents, and each knows its own.
fn is_tree(node: NodeRef, seen: &mut Visited) -> bool {
    for child in [NodeRef::left, NodeRef::right] {
        if let Some(child) = child(node)
            && !(seen.insert(child) && child.parent() == Some(node) && is_tree(child, seen))
        {
            return false;
        }
    }
    true
}

/// The number of black nodes on every path down, if it is the same and no red node has a red child.
fn black_height(node: NodeRef) -> Option<u32> {
    let red = node.color() == Color::Red;
    let mut heights = [0; 2];
    for (height, child) in heights.iter_mut().zip([node.left(), node.right()]) {
        if let Some(child) = child {
            if red && child.color() == Color::Red {
                return None;
            }
            *height = black_height(child)?;
        }
    }
    (heights[0] == heights[1]).then_some(heights[0] + u32::from(!red))
}

fn is_ordered(node: NodeRef, above: Option<i32>, below: Option<i32>) -> bool {
    let key = node.key();
    above.is_none_or(|above| key > above)
        && below.is_none_or(|below| key < below)
        && node.left().is_none_or(|left| is_ordered(left, above, Some(key)))
        && node.right().is_none_or(|right| is_ordered(right, Some(key), below))
}
