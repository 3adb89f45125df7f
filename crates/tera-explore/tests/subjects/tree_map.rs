//! Red-black trees in the form of java.util.TreeMap: 0..=n nodes with parent pointers, keys any subset of
//! 1..=n, a root of either colour.

use tera_explore::dedicated::{Increasing, equal};
use tera_explore::{Candidate, Choices, FieldRef, Finitization, Visited};

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

/// The same predicate from dedicated generators. A shape is given up as soon as a subtree has no colouring,
/// and only colours that lead to one are tried.
pub fn rep_ok_dedicated(map: TreeMapRef) -> bool {
    let mut seen = Visited::new();
    let Some(heights) = grow(map.root_field(), None, &mut seen) else { return false };
    let mut keys = Increasing::of(seen.len());
    map.size_field().require(equal(seen.len()))
        && map.root().is_none_or(|root| {
            let all = heights.red | heights.black;
            paint(root, false, all) && in_order(root, &mut |node| keys.next(node.key_field()))
        })
}

/// The black heights that a subtree can have with a red and with a black root, as sets of bits.
#[derive(Clone, Copy)]
struct Heights {
    red: u64,
    black: u64,
}

const LEAF: Heights = Heights { red: 0, black: 1 };

impl Heights {
    fn above(left: Heights, right: Heights) -> Heights {
        let black = ((left.red | left.black) & (right.red | right.black)) << 1;
        Heights { red: left.black & right.black, black }
    }

    fn of(node: Option<NodeRef>) -> Heights {
        node.map_or(LEAF, |node| Heights::above(Heights::of(node.left()), Heights::of(node.right())))
    }
}

/// A tree in this field, with the black heights that it can have.
fn grow<'a>(
    field: FieldRef<'a, Option<Box<Node>>>,
    parent: Option<NodeRef<'a>>,
    seen: &mut Visited,
) -> Option<Heights> {
    let Some(node) = field.find(|node| node.is_none_or(|node| !seen.contains(node)))? else {
        return Some(LEAF);
    };
    seen.insert(node);
    node.parent_field().find(equal(parent))?;
    let left = grow(node.left_field(), Some(node), seen)?;
    let right = grow(node.right_field(), Some(node), seen)?;
    let heights = Heights::above(left, right);
    (heights.red | heights.black != 0).then_some(heights)
}

/// Colours the subtree such that its black height is one of these.
fn paint(node: NodeRef, below_red: bool, wanted: u64) -> bool {
    let (left, right) = (Heights::of(node.left()), Heights::of(node.right()));
    let all = Heights::above(left, right);
    let fits = |color| match color {
        Color::Red => !below_red && all.red & wanted != 0,
        Color::Black => all.black & wanted != 0,
    };
    let Some(color) = node.color_field().find(fits) else { return false };
    // The children share one of the heights that remain.
    let wanted = match color {
        Color::Red => all.red & wanted,
        Color::Black => (all.black & wanted) >> 1,
    };
    let red = color == Color::Red;
    if wanted.count_ones() > 1 {
        // Settled by the colours of the left subtree, which the right one must match.
        let Some(left_height) = node.left().map_or(Some(0), |left| settle(left, red, wanted)) else {
            return false;
        };
        return node.right().is_none_or(|right| paint(right, red, 1 << left_height));
    }
    [node.left(), node.right()].into_iter().flatten().all(|child| paint(child, red, wanted))
}

/// [`paint`], and the black height that came of it.
fn settle(node: NodeRef, below_red: bool, wanted: u64) -> Option<u32> {
    paint(node, below_red, wanted).then(|| black_height(node)).flatten()
}

fn in_order<'a>(node: NodeRef<'a>, visit: &mut impl FnMut(NodeRef<'a>) -> bool) -> bool {
    node.left().is_none_or(|left| in_order(left, visit))
        && visit(node)
        && node.right().is_none_or(|right| in_order(right, visit))
}

/// The same trees from choices: a shape whose every subtree has a colouring, then the colouring, then
/// increasing keys. The shape comes as the masks of its subtrees in preorder.
pub fn generate(c: &mut Choices, n: usize) -> Option<TreeMap> {
    let size = c.int(0..=n);
    let (root, heights) = shape(c, size)?;
    let (mut last, mut left) = (0, size);
    let mut root = root;
    if let Some(root) = &mut root {
        let height = c.choose(u64::from((heights.red | heights.black).count_ones()));
        let mut all = heights.red | heights.black;
        for _ in 0..height {
            all &= all - 1;
        }
        color(c, root, false, all & all.wrapping_neg())?;
        number(root, &mut || {
            left -= 1;
            last = c.int(last + 1..=n - left);
            last as i32
        });
    }
    Some(TreeMap { root, size })
}

fn shape(c: &mut Choices, size: usize) -> Option<(Option<Box<Node>>, Heights)> {
    if size == 0 {
        return Some((None, LEAF));
    }
    let n_left = c.int(0..size);
    let (left, left_heights) = shape(c, n_left)?;
    let (right, right_heights) = shape(c, size - 1 - n_left)?;
    let heights = Heights::above(left_heights, right_heights);
    c.assume(heights.red | heights.black != 0)?;
    let parent = std::ptr::null();
    Some((Some(Box::new(Node { left, right, parent, color: Color::Red, key: 0 })), heights))
}

fn color(c: &mut Choices, node: &mut Node, below_red: bool, height: u64) -> Option<()> {
    let all = Heights::above(heights(&node.left), heights(&node.right));
    let red = !below_red && all.red & height != 0;
    let black = all.black & height != 0;
    c.assume(red || black)?;
    let is_red = if red && black { c.bool() } else { red };
    node.color = if is_red { Color::Red } else { Color::Black };
    let below = if is_red { height } else { height >> 1 };
    let parent: *const Node = node;
    for child in [&mut node.left, &mut node.right].into_iter().flatten() {
        child.parent = parent;
        color(c, child, is_red, below)?;
    }
    Some(())
}

fn heights(node: &Option<Box<Node>>) -> Heights {
    node.as_ref().map_or(LEAF, |node| Heights::above(heights(&node.left), heights(&node.right)))
}

fn number(node: &mut Node, next: &mut impl FnMut() -> i32) {
    if let Some(left) = &mut node.left {
        number(left, next);
    }
    node.key = next();
    if let Some(right) = &mut node.right {
        number(right, next);
    }
}
