//! DOT, SVG, tables, JSON and XML of instances.
//!
//! A [`View`] is all that is looked at: a universe, a schema and an instance. What does not change
//! from instance to instance (names, colours, the texts of tuples) is prepared once for a problem.
//! Everything is ordered by atom and declaration, so the same instance gives the same bytes.

mod dangling;
mod dot;
mod graph;
mod json;
mod layout;
mod names;
mod read;
mod svg;
mod text;
mod xml;

pub use dangling::{Dangling, dangling_text};
pub use dot::dot;
pub use graph::{Change, GraphOptions, Picture, UnknownName};
pub use json::{FORMAT_VERSION, JsonWriter, schema_json};
pub use names::Names;
pub use read::{ReadError, Reader, Saved, read_saved};
pub use svg::svg;
pub use text::TextWriter;
pub use xml::{XmlInfo, xml, xml_escape};

use tera_rel::{AtomId, Instance, RelId, Schema, SigId, SigKind, TupleSet, Universe};

/// An instance with what its relations mean.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub universe: &'a Universe,
    pub schema: &'a Schema,
    pub instance: &'a Instance,
}

impl<'a> View<'a> {
    pub fn value(&self, rel: RelId) -> &'a TupleSet {
        self.instance.value(rel)
    }

    /// The atoms of a unary relation, in order.
    fn atoms(&self, rel: RelId) -> impl Iterator<Item = AtomId> + 'a {
        self.value(rel).indices().map(|i| AtomId(i as u32))
    }
}

/// The top-level or built-in signature above `sig`; a subset signature counts as its first parent.
fn top_sig(schema: &Schema, mut sig: SigId) -> SigId {
    loop {
        sig = match &schema.sigs[sig.0 as usize].kind {
            SigKind::Child(parent) => *parent,
            SigKind::Subset { parents, .. } if !parents.is_empty() => parents[0],
            _ => return sig,
        }
    }
}

/// Signatures whose atoms are the same in every instance: `one` signatures, enums, and abstract
/// ones that such signatures partition.
fn constant_sigs(schema: &Schema) -> Vec<bool> {
    let mut constant: Vec<bool> = schema.sigs.iter().map(|s| s.is_one || s.is_enum).collect();
    // Children come after their parents.
    for i in (0..schema.sigs.len()).rev() {
        let mut children = (0..schema.sigs.len())
            .filter(|&c| matches!(schema.sigs[c].kind, SigKind::Child(SigId(p)) if p as usize == i))
            .peekable();
        if schema.sigs[i].is_abstract && children.peek().is_some() && children.all(|c| constant[c]) {
            constant[i] = true;
        }
    }
    constant
}

/// Signatures whose content is told by the atoms' numbers: the order that `util/ordering` keeps.
/// They stand in JSON and XML, but not in text and pictures.
fn understood_sigs(schema: &Schema) -> Vec<bool> {
    schema.sigs.iter().map(|s| s.is_one && s.is_private && s.label.ends_with("/Ord")).collect()
}
