//! An instance as a graph to draw: what is a node, an edge, a line inside a node.
//!
//! Objects are nodes. A field between objects is an edge; a field whose value is plain (an integer, a
//! string, the atom of a `one` signature or of a signature without fields) is a line in its node, and
//! so are subset signatures. `one` signatures are quiet (small and grey). An instance may give
//! several graphs, one per atom of a projected signature. Invariant: nodes are in the order of
//! atoms, edges in the order of fields and tuples.

use std::fmt::Write as _;

use tera_rel::{AtomId, AtomKind, FieldInfo, FieldMult, RelId, Schema, SigId, SigKind};

use crate::names::Names;
use crate::{View, constant_sigs, top_sig, understood_sigs};

/// What to leave out.
#[derive(Clone, Default, Debug)]
pub struct GraphOptions {
    /// Signatures and fields (`Node`, `next`, `Node.next`) not to show.
    pub hide: Vec<String>,
    /// Signatures to project on: one graph per atom, in which the signature's columns are gone.
    pub project: Vec<String>,
}

/// A name behind an option that nothing has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    pub option: &'static str,
    pub name: String,
    pub message: String,
    /// The names there are.
    pub help: String,
}

impl GraphOptions {
    /// Finds a name that is no signature or field.
    pub fn check(&self, schema: &Schema) -> Result<(), UnknownName> {
        let is_sig = |name: &str| schema.sigs.iter().any(|s| s.label == name);
        for name in &self.hide {
            let is_field = schema.fields.iter().any(|f| hides(schema, f, name));
            let is_param = schema.params.iter().chain(&schema.skolems).any(|p| p.label == *name);
            if !is_sig(name) && !is_field && !is_param {
                let message = format!("no signature or field is called `{name}`");
                return Err(UnknownName {
                    option: "--hide",
                    name: name.clone(),
                    message,
                    help: known(schema),
                });
            }
        }
        match self.project.iter().find(|name| !is_sig(name)) {
            Some(name) => {
                let message = format!("no signature is called `{name}`");
                Err(UnknownName { option: "--project", name: name.clone(), message, help: known(schema) })
            }
            None => Ok(()),
        }
    }
}

fn hides(schema: &Schema, field: &FieldInfo, name: &str) -> bool {
    let owner = &schema.sigs[field.owner.0 as usize].label;
    field.label == name || name.strip_suffix(&field.label).and_then(|p| p.strip_suffix('.')) == Some(owner)
}

fn known(schema: &Schema) -> String {
    let sigs = schema.sigs.iter().filter(|s| !matches!(s.kind, SigKind::Builtin)).map(|s| s.label.clone());
    let fields = schema.fields.iter().map(|f| f.label.clone());
    let mut names: Vec<String> = sigs.chain(fields).collect();
    names.dedup();
    if names.is_empty() { String::new() } else { format!("there are {}", names.join(", ")) }
}

/// How a thing differs between two pictures of the same objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Change {
    /// There is nothing to compare with.
    #[default]
    None,
    Unchanged,
    Added,
    Removed,
    /// A pointer to memory that is gone, and what was there.
    Dead,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Node {
    pub name: String,
    /// Names of parameters and witnesses that are this atom.
    pub tags: Vec<String>,
    pub lines: Vec<(String, Change)>,
    /// Index of the signature that gives the colour.
    pub colour: usize,
    /// The atom of a `one` signature.
    pub quiet: bool,
    pub change: Change,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Edge {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// Rank of the field, for the order of siblings.
    pub field: usize,
    /// Leads back along other edges: a `prev` or `parent`. It must not bend the spine.
    pub back: bool,
    /// Points from child to parent: drawn upwards.
    pub up: bool,
    pub change: Change,
}

/// One graph.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Graph {
    /// Which atoms it is projected on; empty without projection.
    pub title: String,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Top to bottom rather than left to right.
    pub vertical: bool,
    /// Fields that are places among siblings (`left`, `right`): a missing one leaves a gap.
    pub places: Vec<usize>,
}

/// What is drawn of one instance.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    pub(crate) graphs: Vec<Graph>,
    /// The same object stands at the same place in all graphs.
    pub(crate) same_places: bool,
}

/// More graphs than anybody looks at.
const MOST_GRAPHS: usize = 64;

impl Picture {
    pub fn new(view: &View, options: &GraphOptions) -> Picture {
        let builder = Builder::new(view, options);
        let mut choices: Vec<Vec<(SigId, AtomId)>> = vec![vec![]];
        for sig in &builder.projected {
            let atoms: Vec<AtomId> = view.atoms(view.schema.sigs[sig.0 as usize].rel).collect();
            choices = choices
                .iter()
                .flat_map(|c| atoms.iter().map(move |a| c.iter().copied().chain([(*sig, *a)]).collect()))
                .take(MOST_GRAPHS)
                .collect();
        }
        Picture { graphs: choices.iter().map(|c| builder.graph(c)).collect(), same_places: false }
    }

    /// The state before and after a step side by side. What `after` no longer has is marked in
    /// `before`, what is new in `after`; objects are the same when they have the same name.
    pub fn before_after(before: &View, after: &View, options: &GraphOptions) -> Picture {
        let mut picture = Picture::new(before, options);
        let mut second = Picture::new(after, options);
        for (old, new) in picture.graphs.iter_mut().zip(&mut second.graphs) {
            compare(old, new);
        }
        let title = |when: &str, graph: &mut Graph| {
            let on = if graph.title.is_empty() { String::new() } else { format!(": {}", graph.title) };
            graph.title = format!("{when}{on}");
        };
        picture.graphs.iter_mut().for_each(|g| title("before", g));
        second.graphs.iter_mut().for_each(|g| title("after", g));
        picture.graphs = picture.graphs.into_iter().zip(second.graphs).flat_map(|(a, b)| [a, b]).collect();
        picture.same_places = true;
        picture
    }
}

fn compare(old: &mut Graph, new: &mut Graph) {
    let (old_copy, new_copy) = (old.clone(), new.clone());
    mark(old, &new_copy, Change::Removed);
    mark(new, &old_copy, Change::Added);
    // One place for the same object needs one direction: that of the first state, unless it is empty.
    // A field that leads back in one state does so in the other.
    if old.edges.is_empty() {
        (old.vertical, old.places) = (new.vertical, new.places.clone());
    } else {
        (new.vertical, new.places) = (old.vertical, old.places.clone());
    }
    let back: Vec<usize> = old.edges.iter().chain(&new.edges).filter(|e| e.back).map(|e| e.field).collect();
    for edge in old.edges.iter_mut().chain(&mut new.edges) {
        edge.back = back.contains(&edge.field);
    }
}

fn mark(graph: &mut Graph, other: &Graph, missing: Change) {
    let change = |present: bool| if present { Change::Unchanged } else { missing };
    let name = |g: &Graph, i: usize| g.nodes[i].name.clone();
    for edge in 0..graph.edges.len() {
        let e = &graph.edges[edge];
        let (from, to) = (name(graph, e.from), name(graph, e.to));
        let same = |o: &Edge| o.label == e.label && name(other, o.from) == from && name(other, o.to) == to;
        graph.edges[edge].change = change(other.edges.iter().any(same));
    }
    for node in &mut graph.nodes {
        let twin = other.nodes.iter().find(|n| n.name == node.name);
        node.change = change(twin.is_some());
        for (line, c) in &mut node.lines {
            *c = change(twin.is_some_and(|t| t.lines.iter().any(|(l, _)| l == line)));
        }
    }
}

struct Builder<'a> {
    view: View<'a>,
    names: Names,
    projected: Vec<SigId>,
    /// By signature.
    hidden_sig: Vec<bool>,
    hidden_field: Vec<bool>,
    constant: Vec<bool>,
    plain: Vec<bool>,
    hide: Vec<String>,
}

impl<'a> Builder<'a> {
    fn new(view: &View<'a>, options: &GraphOptions) -> Builder<'a> {
        let schema = view.schema;
        let mut with_fields = vec![false; schema.sigs.len()];
        let find = |name: &String| schema.sigs.iter().position(|s| s.label == *name).map(|i| SigId(i as u32));
        let projected: Vec<SigId> = options.project.iter().filter_map(find).collect();
        let is_projected = |s: SigId| projected.contains(&s) || projected.contains(&top_sig(schema, s));
        for field in &schema.fields {
            // What a projection leaves of a field begins with its first other column.
            let first = field.columns.iter().find(|c| !c.iter().any(|&s| is_projected(s)));
            for &sig in first.into_iter().flatten() {
                with_fields[top_sig(schema, sig).0 as usize] = true;
            }
        }
        let plain = (0..schema.sigs.len())
            .map(|s| {
                !with_fields[top_sig(schema, SigId(s as u32)).0 as usize] && schema.sigs[s].label != "univ"
            })
            .collect();
        let understood = understood_sigs(schema);
        let hides = |f: &FieldInfo| {
            understood[f.owner.0 as usize] || options.hide.iter().any(|h| hides(schema, f, h))
        };
        let hidden_field = schema.fields.iter().map(hides).collect();
        let hidden_sig = |(s, &u): (&tera_rel::SigInfo, &bool)| u || options.hide.contains(&s.label);
        Builder {
            view: *view,
            names: Names::new(view.universe, schema),
            projected,
            hidden_sig: schema.sigs.iter().zip(&understood).map(hidden_sig).collect(),
            hidden_field,
            constant: constant_sigs(schema),
            plain,
            hide: options.hide.clone(),
        }
    }

    fn in_sig(&self, atom: AtomId, sig: SigId) -> bool {
        self.view.value(self.view.schema.sigs[sig.0 as usize].rel).contains(&[atom])
    }

    /// The last declared signature, subsets aside, that has the atom.
    fn sig_of(&self, atom: AtomId) -> Option<usize> {
        let sigs = &self.view.schema.sigs;
        (0..sigs.len()).rev().find(|&s| {
            matches!(sigs[s].kind, SigKind::Top | SigKind::Child(_)) && self.in_sig(atom, SigId(s as u32))
        })
    }

    fn is_hidden(&self, atom: AtomId) -> bool {
        let sigs = 0..self.view.schema.sigs.len();
        let gone = |s: usize| {
            (self.hidden_sig[s] || self.projected.contains(&SigId(s as u32)))
                && self.in_sig(atom, SigId(s as u32))
        };
        sigs.into_iter().any(gone)
    }

    /// Shown as text where it is used.
    fn is_value(&self, atom: AtomId) -> bool {
        if self.view.universe.atom(atom).kind != AtomKind::Object {
            return true;
        }
        self.sig_of(atom).is_some_and(|s| self.plain[s])
    }

    fn is_quiet(&self, atom: AtomId) -> bool {
        self.sig_of(atom).is_some_and(|s| self.view.schema.sigs[s].is_one || self.constant[s])
    }

    /// The tuples of a relation after projection.
    fn tuples(&self, rel: RelId, columns: &[Vec<SigId>], choice: &[(SigId, AtomId)]) -> Vec<Vec<AtomId>> {
        let mut drop: Vec<(usize, AtomId)> = Vec::new();
        let mut free: Vec<&(SigId, AtomId)> = choice.iter().collect();
        for (c, sigs) in columns.iter().enumerate() {
            let over = |s: SigId| sigs.iter().any(|&x| x == s || top_sig(self.view.schema, x) == s);
            if let Some(i) = free.iter().position(|p| over(p.0)) {
                drop.push((c, free.remove(i).1));
            }
        }
        let keep = |t: &Vec<AtomId>| drop.iter().all(|&(c, a)| t[c] == a);
        let cut = |t: Vec<AtomId>| -> Vec<AtomId> {
            let left = t.into_iter().enumerate().filter(|(c, _)| drop.iter().all(|d| d.0 != *c));
            left.map(|(_, a)| a).collect()
        };
        self.view.value(rel).tuples().filter(keep).map(cut).collect()
    }

    fn graph(&self, choice: &[(SigId, AtomId)]) -> Graph {
        let schema = self.view.schema;
        let n = self.view.universe.len();
        let mut lines: Vec<Vec<String>> = vec![vec![]; n];
        let mut tags: Vec<Vec<String>> = vec![vec![]; n];
        let mut mentioned = vec![false; n];
        let mut raw_edges: Vec<(usize, AtomId, AtomId, String)> = Vec::new();
        for (s, sig) in schema.sigs.iter().enumerate() {
            if matches!(sig.kind, SigKind::Subset { .. }) && !self.hidden_sig[s] {
                for atom in self.view.atoms(sig.rel) {
                    lines[atom.0 as usize].push(sig.label.clone());
                }
            }
        }
        let witnesses = schema.params.iter().chain(&schema.skolems);
        for (i, param) in witnesses.enumerate().filter(|(_, p)| !self.hide.contains(&p.label)) {
            for tuple in self.view.value(param.rel).tuples() {
                match &tuple[..] {
                    [atom] => tags[atom.0 as usize].push(param.label.clone()),
                    [first, middle @ .., last] => {
                        let label = format!("{}{}", param.label, self.indices(middle));
                        raw_edges.push((schema.fields.len() + i, *first, *last, label));
                    }
                    [] => {}
                }
            }
        }
        for (f, field) in schema.fields.iter().enumerate().filter(|(f, _)| !self.hidden_field[*f]) {
            let tuples = self.tuples(field.rel, &field.columns, choice);
            // Values of one object for one field and one set of indices are one line.
            let mut values: Vec<(AtomId, String, Vec<&str>)> = Vec::new();
            for tuple in &tuples {
                match &tuple[..] {
                    [] => {}
                    [atom] => lines[atom.0 as usize].push(field.label.clone()),
                    [first, middle @ .., last] => {
                        let label = format!("{}{}", field.label, self.indices(middle));
                        let to_quiet = self.is_quiet(*last) && !self.is_quiet(*first);
                        if self.is_hidden(*last) || self.is_hidden(*first) {
                            continue;
                        }
                        for atom in middle {
                            mentioned[atom.0 as usize] = true;
                        }
                        if self.is_value(*last) || to_quiet {
                            mentioned[last.0 as usize] = true;
                            match values.iter_mut().find(|v| v.0 == *first && v.1 == label) {
                                Some(value) => value.2.push(self.names.of(*last)),
                                None => values.push((*first, label, vec![self.names.of(*last)])),
                            }
                        } else {
                            raw_edges.push((f, *first, *last, label));
                        }
                    }
                }
            }
            for (atom, label, value) in values {
                lines[atom.0 as usize].push(format!("{label}: {}", value.join(", ")));
            }
        }
        // Objects are nodes unless nothing hangs on them and they stand in another node.
        let has_edge = |a: AtomId| raw_edges.iter().any(|e| e.1 == a || e.2 == a);
        let shown = |a: &AtomId| {
            let i = a.0 as usize;
            let text = !lines[i].is_empty() || !tags[i].is_empty();
            let object = self.view.universe.atom(*a).kind == AtomKind::Object && self.sig_of(*a).is_some();
            let silent = mentioned[i] || self.sig_of(*a).is_some_and(|s| self.constant[s] && self.plain[s]);
            !self.is_hidden(*a) && (has_edge(*a) || text || (object && !silent))
        };
        let atoms: Vec<AtomId> = (0..n).map(|i| AtomId(i as u32)).filter(shown).collect();
        let mut place = vec![usize::MAX; n];
        for (i, atom) in atoms.iter().enumerate() {
            place[atom.0 as usize] = i;
        }
        let nodes = atoms
            .iter()
            .map(|&a| Node {
                name: self.names.of(a).to_string(),
                tags: tags[a.0 as usize].clone(),
                lines: lines[a.0 as usize].iter().map(|l| (l.clone(), Change::None)).collect(),
                colour: self.colour(a),
                quiet: self.is_quiet(a),
                change: Change::None,
            })
            .collect();
        let edges: Vec<Edge> = raw_edges
            .iter()
            .filter(|e| place[e.1.0 as usize] != usize::MAX && place[e.2.0 as usize] != usize::MAX)
            .map(|(field, from, to, label)| Edge {
                from: place[from.0 as usize],
                to: place[to.0 as usize],
                label: label.clone(),
                field: *field,
                back: false,
                up: false,
                change: Change::None,
            })
            .collect();
        let title: Vec<&str> = choice.iter().map(|(_, a)| self.names.of(*a)).collect();
        let mut graph = Graph { title: title.join(", "), nodes, edges, vertical: false, places: Vec::new() };
        self.direct(&mut graph);
        graph
    }

    fn indices(&self, atoms: &[AtomId]) -> String {
        let mut out = String::new();
        for atom in atoms {
            let _ = write!(out, "[{}]", self.names.of(*atom));
        }
        out
    }

    /// The number of the signature among those that may be coloured: the same in every picture of
    /// a specification.
    fn colour(&self, atom: AtomId) -> usize {
        let sigs = &self.view.schema.sigs;
        let coloured = |s: &usize| {
            matches!(sigs[*s].kind, SigKind::Top | SigKind::Child(_))
                && !sigs[*s].is_one
                && !self.constant[*s]
        };
        let sig = self.sig_of(atom).unwrap_or(0);
        (0..sig).filter(coloured).count()
    }

    /// Finds the fields that lead back or up, and the direction.
    fn direct(&self, graph: &mut Graph) {
        let schema = self.view.schema;
        let n_fields = schema.fields.len();
        let mut by_field: Vec<Vec<(usize, usize)>> = vec![vec![]; n_fields];
        for edge in graph.edges.iter().filter(|e| e.field < n_fields) {
            by_field[edge.field].push((edge.from, edge.to));
        }
        // A later field most of whose edges reverse edges of an earlier one leads back (a broken list
        // is to look like a list); so does an earlier one (`prev` before `next`) when the later starts
        // where a quiet node points to.
        let mut back = vec![false; n_fields];
        for f in 0..n_fields {
            let reversed = |&(a, b): &(usize, usize)| {
                (0..n_fields).any(|g| g != f && !back[g] && by_field[g].contains(&(b, a)))
            };
            let rooted = |g: usize| {
                let quiet = |e: &Edge| graph.nodes[e.from].quiet && !graph.nodes[e.to].quiet;
                let entries = || graph.edges.iter().filter(|e| quiet(e)).map(|e| e.to);
                entries().next().is_some() && entries().all(|r| by_field[g].iter().any(|e| e.0 == r))
            };
            let twin = (0..f).any(|g| by_field[f].iter().any(|&(a, b)| by_field[g].contains(&(b, a))));
            let n_reversed = by_field[f].iter().filter(|e| reversed(e)).count();
            if n_reversed > 0
                && 2 * n_reversed >= by_field[f].len()
                && (twin || (!rooted(f) && by_field[f].len() > 1))
            {
                back[f] = true;
            }
        }
        let mut vertical = false;
        let mut up = vec![false; n_fields];
        for (s, _) in schema.sigs.iter().enumerate() {
            let top = top_sig(schema, SigId(s as u32));
            let own = |f: &usize| {
                let field = &schema.fields[*f];
                let ends = [&field.columns[0], &field.columns[field.columns.len() - 1]];
                field.owner.0 as usize == s
                    && !self.hidden_field[*f]
                    && !back[*f]
                    && ends[1].iter().any(|&t| top_sig(schema, t) == top)
            };
            let own: Vec<usize> = (0..n_fields).filter(own).collect();
            let single = |f: &usize| {
                schema.fields[*f].columns.len() == 2
                    && matches!(schema.fields[*f].mult, FieldMult::Lone | FieldMult::One)
            };
            if own.iter().any(|f| !single(f)) {
                vertical = true;
            }
            match own.iter().copied().filter(single).collect::<Vec<_>>()[..] {
                [] => {}
                [f] => {
                    // Several point to the same: a tree seen from below.
                    let edges: Vec<&(usize, usize)> = by_field[f].iter().filter(|e| e.0 != e.1).collect();
                    let joins = edges.iter().enumerate().any(|(i, e)| edges[..i].iter().any(|d| d.1 == e.1));
                    if joins && own.len() == 1 {
                        up[f] = true;
                        vertical = true;
                    }
                }
                ref many => {
                    vertical = true;
                    graph.places.extend(many);
                }
            }
        }
        for edge in graph.edges.iter_mut().filter(|e| e.field < n_fields) {
            edge.back = back[edge.field];
            edge.up = up[edge.field];
        }
        graph.vertical = vertical;
        graph.places.sort_unstable();
    }
}
