//! Pointers into memory that is gone: no instance has them, and just they are what a reader must see.
//!
//! In the state after a call such a pointer leads to a ghost: the object that was there, at the place where it
//! stood before, or a nameless one.

use tera_rel::AtomId;

use crate::View;
use crate::graph::{Change, Edge, Graph, Node, Picture};
use crate::names::Names;

/// A pointer that must not be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dangling {
    /// The object that holds it; `None` for a parameter.
    pub from: Option<AtomId>,
    /// The field or parameter.
    pub label: String,
    /// The object that was there.
    pub to: Option<AtomId>,
    /// What it is now: `freed`.
    pub what: String,
}

/// `Node1.prev → (freed Node0)`
pub fn dangling_text(view: &View, dangling: &Dangling) -> String {
    let names = Names::new(view.universe, view.schema);
    let from = dangling.from.map(|atom| format!("{}.", names.of(atom))).unwrap_or_default();
    let to = dangling.to.map(|atom| format!(" {}", names.of(atom))).unwrap_or_default();
    format!("{from}{} → ({}{to})", dangling.label, dangling.what)
}

impl Picture {
    /// Adds the pointers to the state after the step.
    pub fn with_dangling(mut self, view: &View, dangling: &[Dangling]) -> Picture {
        let names = Names::new(view.universe, view.schema);
        if let [before, after] = &mut self.graphs[..] {
            for pointer in dangling {
                draw(before, after, &names, pointer);
            }
        }
        self
    }
}

fn draw(before: &mut Graph, after: &mut Graph, names: &Names, pointer: &Dangling) {
    let place = |graph: &Graph, name: &str| graph.nodes.iter().position(|node| node.name == name);
    let from = pointer.from.and_then(|atom| place(after, names.of(atom)));
    let name = pointer.to.map_or_else(|| pointer.what.clone(), |atom| names.of(atom).to_owned());
    let to = place(after, &name).unwrap_or_else(|| {
        let twin = place(before, &name).map(|i| &before.nodes[i]);
        after.nodes.push(Node {
            tags: Vec::new(),
            lines: if pointer.to.is_some() { vec![(pointer.what.clone(), Change::Dead)] } else { Vec::new() },
            colour: twin.map_or(0, |node| node.colour),
            quiet: twin.is_none_or(|node| node.quiet),
            change: Change::Dead,
            name: name.clone(),
        });
        after.nodes.len() - 1
    });
    let Some(from) = from else {
        // A parameter is a flag on what it leads to.
        if pointer.from.is_none() && !after.nodes[to].tags.contains(&pointer.label) {
            after.nodes[to].tags.push(pointer.label.clone());
        }
        return;
    };
    let like = before.edges.iter().chain(&after.edges).find(|edge| edge.label == pointer.label);
    let (field, back, up) = like.map_or((usize::MAX, true, false), |edge| (edge.field, edge.back, edge.up));
    let label = pointer.label.clone();
    // The pointer itself may be as it was.
    let holder = after.nodes[from].name.clone();
    for edge in &mut before.edges {
        if edge.label == label && before.nodes[edge.from].name == holder && before.nodes[edge.to].name == name
        {
            edge.change = Change::Unchanged;
        }
    }
    after.edges.push(Edge { from, to, label, field, back, up, change: Change::Dead });
}
