//! Places for the nodes of a small graph: layers along its edges, subtrees side by side.
//!
//! A depth-first walk in the order of fields makes a spanning forest; edges that lead back along the
//! walk do not count. A node's layer is its longest path from a root, so every other edge points
//! onwards; across the layers each subtree has a strip of its own, its root over the middle of its
//! children, and a missing `left` or `right` keeps its place. Invariant: no two nodes overlap.

use crate::graph::{Edge, Graph};

/// Width and height of each node, in pixels.
pub(crate) type Sizes = Vec<(f64, f64)>;

/// Centres of the nodes, and the extent of the whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub centres: Vec<(f64, f64)>,
    pub width: f64,
    pub height: f64,
}

const SIBLING_GAP: f64 = 22.0;
const TREE_GAP: f64 = 34.0;
const LAYER_GAP_DOWN: f64 = 44.0;
const LAYER_GAP_RIGHT: f64 = 40.0;
/// What a missing child takes.
const EMPTY_PLACE: f64 = 34.0;

struct Forest {
    roots: Vec<usize>,
    /// Children of a node in order; `None` keeps a place free.
    children: Vec<Vec<Option<usize>>>,
    layer: Vec<usize>,
    /// Edges of the walk, those that close cycles left out: field and target, by source.
    kept: Vec<Vec<(usize, usize)>>,
}

/// By edge: whether it leads on from layer to layer. The others must not bend the spine.
pub(crate) fn onward(graph: &Graph) -> Vec<bool> {
    let kept = forest(graph).kept;
    let is_kept = |e: &Edge| {
        let (from, to) = if e.up { (e.to, e.from) } else { (e.from, e.to) };
        !e.back && kept[from].contains(&(e.field, to))
    };
    graph.edges.iter().map(is_kept).collect()
}

pub(crate) fn layout(graph: &Graph, sizes: &Sizes) -> Layout {
    let forest = forest(graph);
    let n = graph.nodes.len();
    // `along` is the axis of the layers, `across` the other.
    let along = |i: usize| if graph.vertical { sizes[i].1 } else { sizes[i].0 };
    let across = |i: usize| if graph.vertical { sizes[i].0 } else { sizes[i].1 };

    let n_layers = forest.layer.iter().max().map_or(0, |m| m + 1);
    let mut depth = vec![0.0f64; n_layers];
    for i in 0..n {
        depth[forest.layer[i]] = depth[forest.layer[i]].max(along(i));
    }
    let gap = if graph.vertical { LAYER_GAP_DOWN } else { LAYER_GAP_RIGHT + label_room(graph) };
    let mut layer_start = vec![0.0; n_layers];
    for l in 1..n_layers {
        layer_start[l] = layer_start[l - 1] + depth[l - 1] + gap;
    }
    let total_along = layer_start.last().map_or(0.0, |s| s + depth[n_layers - 1]);

    let mut strip = vec![0.0f64; n];
    for &root in &forest.roots {
        measure(root, &forest, &across, &mut strip);
    }
    let mut position = vec![0.0f64; n];
    let mut cursor = 0.0;
    for &root in &forest.roots {
        place(root, cursor, &forest, &across, &strip, &mut position);
        cursor += strip[root] + TREE_GAP;
    }
    let total_across = (cursor - TREE_GAP).max(0.0);

    let centre = |i: usize| {
        let l = layer_start[forest.layer[i]] + depth[forest.layer[i]] / 2.0;
        if graph.vertical { (position[i], l) } else { (l, position[i]) }
    };
    let (width, height) =
        if graph.vertical { (total_across, total_along) } else { (total_along, total_across) };
    Layout { centres: (0..n).map(centre).collect(), width, height }
}

/// Room for the labels of edges that run to the right.
fn label_room(graph: &Graph) -> f64 {
    let longest = graph.edges.iter().filter(|e| !e.back).map(|e| e.label.chars().count()).max();
    (longest.unwrap_or(0) as f64 * 6.5).min(140.0)
}

/// Edges as the layout sees them: from above to below, without those that lead back.
fn downward(graph: &Graph) -> Vec<Vec<(usize, usize)>> {
    let mut out = vec![vec![]; graph.nodes.len()];
    for edge in graph.edges.iter().filter(|e| !e.back && e.from != e.to) {
        let (from, to) = if edge.up { (edge.to, edge.from) } else { (edge.from, edge.to) };
        out[from].push((edge.field, to));
    }
    for targets in &mut out {
        targets.sort_by_key(|t| t.0);
    }
    out
}

fn forest(graph: &Graph) -> Forest {
    let n = graph.nodes.len();
    let out = downward(graph);
    let mut indegree = vec![0; n];
    for targets in &out {
        for &(_, to) in targets {
            indegree[to] += 1;
        }
    }
    // Quiet nodes first: they hold the structure.
    let mut starts: Vec<usize> = (0..n).collect();
    starts.sort_by_key(|&i| (indegree[i] > 0, !graph.nodes[i].quiet, graph.nodes[i].tags.is_empty(), i));

    // Depth-first, keeping the edges that do not close a cycle.
    let mut state = vec![0u8; n];
    let mut kept: Vec<Vec<(usize, usize)>> = vec![vec![]; n];
    let mut finished: Vec<usize> = Vec::new();
    for &start in &starts {
        if state[start] != 0 {
            continue;
        }
        let mut stack = vec![(start, 0)];
        state[start] = 1;
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            if let Some(&(field, to)) = out[node].get(*next) {
                *next += 1;
                if state[to] != 1 {
                    kept[node].push((field, to));
                }
                if state[to] == 0 {
                    state[to] = 1;
                    stack.push((to, 0));
                }
            } else {
                state[node] = 2;
                finished.push(node);
                stack.pop();
            }
        }
    }
    // Longest paths, sources first; the parent is the neighbour one layer above that comes first.
    let mut layer = vec![0usize; n];
    for &node in finished.iter().rev() {
        for &(_, to) in &kept[node] {
            layer[to] = layer[to].max(layer[node] + 1);
        }
    }
    let mut parent: Vec<Option<usize>> = vec![None; n];
    for &node in finished.iter().rev() {
        for &(_, to) in &kept[node] {
            if parent[to].is_none() && layer[to] == layer[node] + 1 {
                parent[to] = Some(node);
            }
        }
    }
    let mut children: Vec<Vec<Option<usize>>> = vec![vec![]; n];
    for node in 0..n {
        let mine: Vec<(usize, usize)> =
            kept[node].iter().copied().filter(|&(_, to)| parent[to] == Some(node)).collect();
        let mut seen = vec![];
        for &(_, to) in &mine {
            if !seen.contains(&to) {
                seen.push(to);
            }
        }
        let placed = mine.iter().filter(|(f, _)| graph.places.contains(f)).count();
        let has_gap = graph.vertical && placed > 0 && placed == mine.len() && placed < graph.places.len();
        children[node] = if has_gap {
            let of = |f: &usize| mine.iter().find(|m| m.0 == *f).map(|m| m.1);
            graph.places.iter().map(of).collect()
        } else {
            seen.into_iter().map(Some).collect()
        };
    }
    let roots = starts.into_iter().filter(|&i| parent[i].is_none()).collect();
    Forest { roots, children, layer, kept }
}

/// Room that the subtree takes across the layers.
fn measure(root: usize, forest: &Forest, across: &dyn Fn(usize) -> f64, strip: &mut [f64]) {
    let mut stack = vec![(root, false)];
    while let Some((node, done)) = stack.pop() {
        if !done {
            stack.push((node, true));
            stack.extend(forest.children[node].iter().flatten().map(|&c| (c, false)));
            continue;
        }
        let children = &forest.children[node];
        let sum: f64 = children.iter().map(|c| c.map_or(EMPTY_PLACE, |c| strip[c])).sum();
        let gaps = SIBLING_GAP * children.len().saturating_sub(1) as f64;
        strip[node] = across(node).max(sum + gaps);
    }
}

fn place(
    root: usize,
    start: f64,
    forest: &Forest,
    across: &dyn Fn(usize) -> f64,
    strip: &[f64],
    position: &mut [f64],
) {
    let mut order = vec![(root, start)];
    let mut visited = vec![];
    while let Some((node, start)) = order.pop() {
        visited.push((node, start));
        let children = &forest.children[node];
        let sum: f64 = children.iter().map(|c| c.map_or(EMPTY_PLACE, |c| strip[c])).sum();
        let gaps = SIBLING_GAP * children.len().saturating_sub(1) as f64;
        let mut cursor = start + (strip[node] - sum - gaps) / 2.0;
        for child in children {
            match child {
                Some(c) => {
                    order.push((*c, cursor));
                    cursor += strip[*c] + SIBLING_GAP;
                }
                None => cursor += EMPTY_PLACE + SIBLING_GAP,
            }
        }
    }
    // Children before parents, so that a parent can stand over the middle of them.
    for &(node, start) in visited.iter().rev() {
        let children: Vec<usize> = forest.children[node].iter().flatten().copied().collect();
        let has_gap = children.len() < forest.children[node].len();
        let middle = start + strip[node] / 2.0;
        position[node] = match (children.first(), children.last()) {
            (Some(&first), Some(&last)) if !has_gap => {
                let centre = (position[first] + position[last]) / 2.0;
                centre.clamp(start + across(node) / 2.0, start + strip[node] - across(node) / 2.0)
            }
            _ => middle,
        };
    }
}
