//! The programs of the UDITA paper, each a generator with delayed choices and a check of what is left.

use tera_explore::{Choices, Later, Pool};

/// Directed acyclic graphs: n nodes, all reachable from node 0; each node has an array of at most n - 1
/// distinct entries, nodes or null. The array of a node as hexadecimal digits, 1 for null, i + 2 for node i;
/// nodes are numbered by first use.
pub fn dag(c: &mut Choices, n: usize) -> Option<[u32; 8]> {
    let pool = c.pool(n);
    let root = pool.new(c)?.get(c);
    let mut arrays = [0; 8];
    visit(c, pool, n, root, 1 << root, &mut arrays)?;
    c.assume(pool.n_used(c) == n)?;
    Some(arrays)
}

/// Fills the array of a node, and of the nodes that it is the first to use. `path` are the ancestors, which
/// no entry may be.
fn visit(c: &mut Choices, pool: Pool, n: usize, node: usize, path: u32, arrays: &mut [u32; 8]) -> Option<()> {
    let length = c.int(0..n);
    let mut seen = 0_u32;
    let mut array = 0;
    for _ in 0..length {
        let entry = pool.any_or_null(c)?;
        for taken in (0..=n).filter(|taken| (path << 1 | seen) >> taken & 1 == 1) {
            entry.is_not(c, taken.checked_sub(1))?;
        }
        let known = pool.n_used(c);
        let entry = entry.get(c);
        let encoded = entry.map_or(0, |entry| entry as u32 + 1);
        seen |= 1 << encoded;
        array = array << 4 | (encoded + 1);
        if let Some(entry) = entry
            && entry == known
        {
            visit(c, pool, n, entry, path | 1 << entry, arrays)?;
        }
    }
    arrays[node] = array;
    Some(())
}

/// All placements of n queens: a row per column, later; each choice narrows those to come.
pub fn n_queens(c: &mut Choices, n: i64) -> Option<Vec<i64>> {
    let rows: Vec<Later<i64>> = (0..n).map(|_| c.later(0..n)).collect();
    let mut placed = Vec::new();
    for column in 0..n {
        let row = rows[column as usize].get(c);
        for other in column + 1..n {
            let distance = other - column;
            let later = rows[other as usize];
            for attacked in [row, row - distance, row + distance] {
                later.not_equal(c, attacked)?;
            }
        }
        placed.push(row);
    }
    Some(placed)
}

/// A binary tree in an arena: children by index, in preorder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    pub left: Vec<Option<usize>>,
    pub right: Vec<Option<usize>>,
}

/// All shapes with n nodes.
fn shape(c: &mut Choices, n: usize, shape_so_far: &mut Shape) -> Option<usize> {
    if n == 0 {
        return None;
    }
    let node = shape_so_far.left.len();
    shape_so_far.left.push(None);
    shape_so_far.right.push(None);
    let n_left = c.int(0..n);
    shape_so_far.left[node] = shape(c, n_left, shape_so_far);
    shape_so_far.right[node] = shape(c, n - 1 - n_left, shape_so_far);
    Some(node)
}

/// Red-black trees with n nodes and fixed keys: the shape imperative, the colours declarative and delayed.
pub fn red_black_tree(c: &mut Choices, n: usize) -> Option<(Shape, Vec<bool>)> {
    let mut tree = Shape::default();
    let root = shape(c, n, &mut tree);
    let red: Vec<Later<bool>> = (0..n).map(|_| c.later_bool()).collect();
    black_height(c, &tree, &red, root)?;
    Some((tree, red.iter().map(|red| red.get(c)).collect()))
}

fn black_height(c: &mut Choices, tree: &Shape, red: &[Later<bool>], node: Option<usize>) -> Option<u32> {
    let Some(node) = node else { return Some(0) };
    let is_red = red[node].get(c);
    for child in [tree.left[node], tree.right[node]].into_iter().flatten() {
        if is_red {
            red[child].equal(c, false)?;
        }
    }
    let left = black_height(c, tree, red, tree.left[node])?;
    let right = black_height(c, tree, red, tree.right[node])?;
    c.assume(left == right)?;
    Some(left + u32::from(!is_red))
}

/// Search trees with n nodes, keys 1..=n each, nondecreasing in order: every key narrowed by the one before.
pub fn search_tree(c: &mut Choices, n: usize) -> Option<(Shape, Vec<usize>)> {
    let mut tree = Shape::default();
    shape(c, n, &mut tree);
    let keys: Vec<Later<usize>> = (0..n).map(|_| c.later(1..=n)).collect();
    let mut sorted = Vec::new();
    for key in keys {
        if let Some(last) = sorted.last() {
            key.at_least(c, *last)?;
        }
        sorted.push(key.get(c));
    }
    Some((tree, sorted))
}

/// Sorted lists of length 0..=n, values 1..=n.
pub fn sorted_list(c: &mut Choices, n: usize) -> Option<Vec<usize>> {
    let length = c.int(0..=n);
    let values: Vec<Later<usize>> = (0..length).map(|_| c.later(1..=n)).collect();
    let mut sorted = Vec::new();
    for value in values {
        if let Some(last) = sorted.last() {
            value.at_least(c, *last)?;
        }
        sorted.push(value.get(c));
    }
    Some(sorted)
}

/// Heaps in an array of length 0..=n: later entries at most their parent, the rest -1.
pub fn heap_array(c: &mut Choices, n: usize) -> Option<(usize, Vec<i32>)> {
    let length = c.int(0..=n);
    let size = c.int(0..=length);
    let entries: Vec<Later<i32>> = (0..size).map(|_| c.later(0..=n as i32)).collect();
    let mut array = vec![-1; length];
    for at in 0..size {
        if at > 0 {
            entries[at].at_most(c, array[(at - 1) / 2])?;
        }
        array[at] = entries[at].get(c);
    }
    Some((size, array))
}
