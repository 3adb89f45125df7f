//! Pictures for Graphviz: one digraph, several graphs as clusters.

use std::fmt::Write as _;

use crate::graph::{Change, Edge, Graph, Picture};
use crate::layout::onward;
use crate::svg::{ADDED, PALETTE, QUIET, REMOVED};

/// The picture as a DOT digraph called `name`.
pub fn dot(picture: &Picture, name: &str) -> String {
    let vertical = picture.graphs.iter().any(|g| g.vertical);
    let mut out = format!(
        "digraph {} {{\n  rankdir={};\n  nodesep=0.35; ranksep=0.4; ordering=out;\n  \
         node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12, height=0.3, \
         margin=\"0.12,0.06\"];\n  edge [fontname=\"Helvetica\", fontsize=11, color=\"#444444\", \
         arrowsize=0.7];\n",
        quote(name),
        if vertical { "TB" } else { "LR" }
    );
    let several = picture.graphs.len() > 1;
    for (i, graph) in picture.graphs.iter().enumerate() {
        if several {
            let _ = writeln!(
                out,
                "  subgraph cluster_{i} {{\n  label={}; color=\"#cccccc\"; fontname=\"Helvetica\";",
                quote(&graph.title)
            );
        }
        let prefix = if several { format!("{i}:") } else { String::new() };
        write_graph(&mut out, graph, &prefix);
        if several {
            out += "  }\n";
        }
    }
    // Graphviz puts graphs without edges between them across the direction of the edges: from left to right they
    // would stand one above the other.
    if several && !vertical {
        for i in 1..picture.graphs.len() {
            write_order(&mut out, &picture.graphs[i - 1..=i], i);
        }
    }
    out += "}\n";
    out
}

/// Makes the second of two graphs begin behind the end of the first, by an invisible point between them.
fn write_order(out: &mut String, graphs: &[Graph], i: usize) {
    let point = quote(&format!("{i}|"));
    let _ = writeln!(out, "  {point} [style=invis, shape=point, width=0];");
    let has_next = |graph: &Graph, node: usize, of: fn(&Edge) -> usize| {
        graph.edges.iter().zip(onward(graph)).any(|(edge, is_onward)| is_onward && of(edge) == node)
    };
    for (node, n) in graphs[0].nodes.iter().enumerate() {
        if !has_next(&graphs[0], node, |edge| edge.from) {
            let _ = writeln!(out, "  {} -> {point} [style=invis];", quote(&format!("{}:{}", i - 1, n.name)));
        }
    }
    for (node, n) in graphs[1].nodes.iter().enumerate() {
        if !has_next(&graphs[1], node, |edge| edge.to) {
            let _ = writeln!(out, "  {point} -> {} [style=invis];", quote(&format!("{i}:{}", n.name)));
        }
    }
}

fn write_graph(out: &mut String, graph: &Graph, prefix: &str) {
    let id = |i: usize| quote(&format!("{prefix}{}", graph.nodes[i].name));
    for (i, node) in graph.nodes.iter().enumerate() {
        let (fill, border) = if node.quiet { QUIET } else { PALETTE[node.colour % PALETTE.len()] };
        let mut lines = vec![node.name.clone()];
        if !node.tags.is_empty() {
            lines[0] = format!("{} = {}", node.tags.join(" = "), node.name);
        }
        lines.extend(node.lines.iter().map(|l| l.0.clone()));
        let label = lines.iter().map(|l| escape(l)).collect::<Vec<_>>().join("\\n");
        let small =
            if node.quiet { ", fontsize=10, fontcolor=\"#777777\", margin=\"0.08,0.03\"" } else { "" };
        let style = match node.change {
            Change::Added => format!(", color=\"{ADDED}\", penwidth=2"),
            Change::Removed | Change::Dead => {
                format!(", color=\"{REMOVED}\", penwidth=2, style=\"rounded,filled,dashed\"")
            }
            _ => format!(", color=\"{border}\""),
        };
        let _ = writeln!(out, "  {} [label=\"{label}\", fillcolor=\"{fill}\"{style}{small}];", id(i));
    }
    // Of a node's children in places (`left`, `right`) a missing one is an invisible point.
    let mut order: Vec<(&Edge, bool)> = graph.edges.iter().zip(onward(graph)).collect();
    order.sort_by_key(|(e, _)| (e.from, e.field));
    for from in 0..graph.nodes.len() {
        let edges: Vec<(&Edge, bool)> = order.iter().filter(|e| e.0.from == from).copied().collect();
        let placed = |f: usize| edges.iter().any(|e| e.0.field == f && !e.0.back);
        let gaps = graph.vertical && graph.places.iter().any(|&f| placed(f));
        let mut done = vec![false; graph.places.len()];
        let gap = |out: &mut String, p: usize| {
            let point = quote(&format!("{prefix}{}|{p}", graph.nodes[from].name));
            let _ = writeln!(out, "  {point} [style=invis, label=\"\", width=0.25];");
            let _ = writeln!(out, "  {} -> {point} [style=invis];", id(from));
        };
        for &(edge, is_onward) in &edges {
            if gaps {
                for (p, &f) in graph.places.iter().enumerate() {
                    if f < edge.field && !placed(f) && !std::mem::replace(&mut done[p], true) {
                        gap(out, p);
                    }
                }
            }
            write_edge(out, edge, is_onward, &id);
        }
        if gaps {
            for (p, &f) in graph.places.iter().enumerate() {
                if !placed(f) && !done[p] {
                    gap(out, p);
                }
            }
        }
    }
}

fn write_edge(out: &mut String, edge: &Edge, is_onward: bool, id: &dyn Fn(usize) -> String) {
    let mut attributes = format!("label=\"{}\"", escape(&edge.label));
    attributes += if is_onward { ", weight=5" } else { ", constraint=false" };
    match edge.change {
        Change::None if edge.back => attributes += ", color=\"#999999\", fontcolor=\"#777777\"",
        Change::None => {}
        Change::Unchanged => attributes += ", color=\"#9a9a9a\", fontcolor=\"#9a9a9a\"",
        Change::Added => {
            attributes += &format!(", color=\"{ADDED}\", fontcolor=\"{ADDED}\", penwidth=2");
        }
        Change::Dead => {
            attributes += &format!(", color=\"{REMOVED}\", fontcolor=\"{REMOVED}\", penwidth=2");
        }
        Change::Removed => {
            attributes +=
                &format!(", color=\"{REMOVED}\", fontcolor=\"{REMOVED}\", penwidth=2, style=dashed");
        }
    }
    if edge.up {
        let _ = writeln!(out, "  {} -> {} [{attributes}, dir=back];", id(edge.to), id(edge.from));
    } else {
        let _ = writeln!(out, "  {} -> {} [{attributes}];", id(edge.from), id(edge.to));
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", escape(text))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
