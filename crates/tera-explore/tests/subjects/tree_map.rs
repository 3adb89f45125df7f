//! Red-black trees in the form of java.util.TreeMap: 0..=n nodes with parent pointers, keys any subset of
//! 1..=n, a root of either colour.

use std::cmp::Ordering;

use tera_explore::dedicated::{Increasing, equal};
use tera_explore::{Candidate, Choices, FieldRef, Finitization, Visited};

use super::{bug, ensure};

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

type Link = Option<Box<Node>>;

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn other(self) -> Side {
        if self == Side::Left { Side::Right } else { Side::Left }
    }
}

impl Node {
    fn child(&mut self, side: Side) -> &mut Link {
        if side == Side::Left { &mut self.left } else { &mut self.right }
    }

    fn child_is_red(&mut self, side: Side) -> bool {
        is_red(self.child(side))
    }
}

fn is_red(link: &Link) -> bool {
    link.as_ref().is_some_and(|node| node.color == Color::Red)
}

impl TreeMap {
    /// True if the key was not there.
    pub fn put(&mut self, key: i32) -> bool {
        let is_new = insert(&mut self.root, std::ptr::null(), key);
        if let Some(root) = &mut self.root {
            root.color = Color::Black;
        }
        self.size += usize::from(is_new);
        is_new
    }

    /// True if the key was there.
    pub fn remove(&mut self, key: i32) -> bool {
        let was_there = take(&mut self.root, key).is_some();
        self.size -= usize::from(was_there);
        was_there
    }

    pub fn keys(&self) -> Vec<i32> {
        fn walk(link: &Link, keys: &mut Vec<i32>) {
            if let Some(node) = link {
                walk(&node.left, keys);
                keys.push(node.key);
                walk(&node.right, keys);
            }
        }
        let mut keys = Vec::new();
        walk(&self.root, &mut keys);
        keys
    }
}

fn insert(place: &mut Link, parent: *const Node, key: i32) -> bool {
    let Some(node) = place else {
        *place = Some(Box::new(Node { left: None, right: None, parent, color: Color::Red, key }));
        return true;
    };
    let side = match key.cmp(&node.key) {
        Ordering::Less => Side::Left,
        Ordering::Equal => return false,
        Ordering::Greater => Side::Right,
    };
    let here = &raw const **node;
    let is_new = insert(node.child(side), here, key);
    fix_after_insertion(place, side);
    is_new
}

/// A red child on this side may have a red child of its own.
fn fix_after_insertion(place: &mut Link, side: Side) {
    let other = side.other();
    let Some(node) = place else { return };
    let Some(child) = node.child(side) else { return };
    let (outer, inner) = (child.child_is_red(side), child.child_is_red(other));
    if node.color == Color::Red || !node.child_is_red(side) || !(outer || inner) {
        return;
    }
    if node.child_is_red(other) && !bug(1) {
        node.color = Color::Red;
        for child in [&mut node.left, &mut node.right].into_iter().flatten() {
            child.color = Color::Black;
        }
        return;
    }
    if inner && !bug(2) {
        rotate(node.child(side), side);
    }
    rotate(place, other);
    let Some(node) = place else { return };
    node.color = Color::Black;
    if let Some(below) = node.child(other) {
        below.color = if bug(3) { Color::Black } else { Color::Red };
    }
}

/// The node goes down to this side; its child on the other side takes its place.
fn rotate(place: &mut Link, side: Side) {
    let mut node = place.take().expect("a node to rotate");
    let mut child = node.child(side.other()).take().expect("a child to come up");
    child.parent = node.parent;
    node.parent = &raw const *child;
    *node.child(side.other()) = child.child(side).take();
    let here = &raw const *node;
    if let Some(moved) = node.child(side.other())
        && !bug(4)
    {
        moved.parent = here;
    }
    *child.child(side) = Some(node);
    *place = Some(child);
}

/// Takes a key out of a tree, if it is there: does the tree lack a black node on its paths afterwards?
fn take(place: &mut Link, key: i32) -> Option<bool> {
    let node = place.as_mut()?;
    let side = match key.cmp(&node.key) {
        Ordering::Less => Side::Left,
        Ordering::Greater => Side::Right,
        Ordering::Equal if node.left.is_none() || node.right.is_none() => return Some(unlink(place)),
        Ordering::Equal => {
            let (next, lacks) = take_least(&mut node.right);
            node.key = next;
            return Some(lacks && fix_after_deletion(place, Side::Right));
        }
    };
    let lacks = take(node.child(side), key)?;
    Some(lacks && fix_after_deletion(place, side))
}

/// The least key of a tree that is not empty; does the tree lack a black node afterwards?
fn take_least(place: &mut Link) -> (i32, bool) {
    let node = place.as_mut().expect("not empty");
    if node.left.is_none() {
        return (node.key, unlink(place));
    }
    let (key, lacks) = take_least(&mut node.left);
    (key, lacks && fix_after_deletion(place, Side::Left))
}

/// A node with at most one child goes, the child takes its place.
fn unlink(place: &mut Link) -> bool {
    let mut node = place.take().expect("a node to unlink");
    let Some(mut child) = node.left.take().or(node.right.take()) else { return node.color == Color::Black };
    child.parent = node.parent;
    // An only child is red and its parent black, in a valid tree.
    let lacks = node.color == Color::Black && child.color == Color::Black;
    if node.color == Color::Black && !bug(5) {
        child.color = Color::Black;
    }
    *place = Some(child);
    lacks
}

/// The paths on this side lack a black node. Does the whole tree lack one afterwards?
fn fix_after_deletion(place: &mut Link, side: Side) -> bool {
    let other = side.other();
    let node = place.as_mut().expect("the parent of what lacks");
    let sibling = node.child(other).as_mut().expect("paths without the lack are longer");
    if sibling.color == Color::Red && !bug(6) {
        sibling.color = Color::Black;
        node.color = Color::Red;
        rotate(place, side);
        return fix_after_deletion(place.as_mut().expect("rotated").child(side), side);
    }
    let (outer, inner) = (sibling.child_is_red(other), sibling.child_is_red(side));
    if !outer && !inner {
        sibling.color = Color::Red;
        return std::mem::replace(&mut node.color, Color::Black) == Color::Black && !bug(7);
    }
    if !outer && !bug(8) {
        rotate(node.child(other), other);
    }
    let color = std::mem::replace(&mut node.color, Color::Black);
    rotate(place, side);
    let node = place.as_mut().expect("rotated");
    node.color = color;
    // After two rotations it is the nephew that came up, and the sibling that went down is the red one.
    if let Some(child) = node.child(other) {
        child.color = Color::Black;
    }
    false
}

pub const N_BUGS: usize = 8;

/// Calls `put` and `remove` on all trees with all keys 1..=n; how many calls there are, or the first
/// violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let mut calls = 0;
    let mut maps = space(n).search().expect("right settings");
    while maps.next(&mut rep_ok_dedicated) {
        for key in 1..=n as i32 {
            for put in [true, false] {
                let mut map = maps.value().expect("a tree of boxes");
                let before = map.keys();
                let was_there = before.contains(&key);
                let mut expected: Vec<i32> = before.iter().copied().filter(|other| *other != key).collect();
                if put {
                    expected.push(key);
                    expected.sort_unstable();
                }
                let answer = if put { !map.put(key) } else { map.remove(key) };
                let input = || format!("{}, key {key}, put {put}", maps.description());
                ensure!(answer == was_there, "the answer tells whether it was there: {}", input());
                ensure!(map.keys() == expected, "the keys are right: {}", input());
                ensure!(rep_ok((&map).into()), "the tree stays red-black: {}", input());
                calls += 1;
            }
        }
    }
    Ok(calls)
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
