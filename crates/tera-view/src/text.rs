//! Instances for reading: a chain or a tree on one line, anything else as tables.
//!
//! A line is a walk along *links*, the binary fields between objects, from the parameters and `one`
//! signatures on; fields whose values are plain (integers, strings, enum constants, atoms of
//! signatures without fields) stand in parentheses behind the name. `⇄` says that the last declared
//! link of the signature leads back, `↺` that an object stood before; what a line cannot say is added
//! behind it. Invariant: every tuple is shown, so different instances give different texts.

use std::fmt::Write as _;

use tera_rel::{
    AtomId, AtomKind, FieldInfo, FieldMult, Instance, RelId, Schema, SigId, SigKind, TupleSet, Universe,
};

use crate::names::Names;
use crate::{View, constant_sigs, top_sig, understood_sigs};

/// Tuples outside of the walk that still go behind a line; more make a table.
const MOST_EXTRAS: usize = 3;

/// Writes the instances of one problem.
pub struct TextWriter<'a> {
    universe: &'a Universe,
    schema: &'a Schema,
    names: Names,
    /// By field.
    links: Vec<bool>,
    /// By signature: its atoms never change and need not be listed.
    constant: Vec<bool>,
    /// By signature: nothing hangs on its atoms, so they are shown where they are used.
    plain: Vec<bool>,
    /// By signature: neither it nor its fields are shown.
    understood: Vec<bool>,
    /// Whether walks may use links with several values.
    rooted: bool,
}

impl<'a> TextWriter<'a> {
    pub fn new(universe: &'a Universe, schema: &'a Schema) -> TextWriter<'a> {
        let mut with_fields = vec![false; schema.sigs.len()];
        for field in &schema.fields {
            with_fields[top_sig(schema, field.owner).0 as usize] = true;
        }
        let plain: Vec<bool> = (0..schema.sigs.len())
            .map(|s| {
                !with_fields[top_sig(schema, SigId(s as u32)).0 as usize] && schema.sigs[s].label != "univ"
            })
            .collect();
        let understood = understood_sigs(schema);
        let link = |f: &FieldInfo| {
            f.columns.len() == 2
                && !understood[f.owner.0 as usize]
                && f.columns[1].iter().any(|s| !plain[s.0 as usize])
        };
        let links: Vec<bool> = schema.fields.iter().map(link).collect();
        let has_root = schema.fields.iter().zip(&links).any(|(f, l)| {
            *l && (schema.sigs[f.owner.0 as usize].is_one || schema.sigs[f.owner.0 as usize].is_lone)
        });
        TextWriter {
            universe,
            schema,
            names: Names::new(universe, schema),
            links,
            constant: constant_sigs(schema),
            plain,
            understood,
            rooted: has_root || !schema.params.is_empty(),
        }
    }

    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Appends `instance` under `label` (its number, say), each line ended by a newline.
    pub fn write(&self, out: &mut String, label: &str, instance: &Instance) {
        let view = View { universe: self.universe, schema: self.schema, instance };
        let body = Walk::new(self, view).line().unwrap_or_else(|| self.tables(&view));
        let pad = " ".repeat(label.chars().count() + 2);
        for (i, line) in body.lines().enumerate() {
            let indent = if i == 0 { format!("{label}  ") } else { pad.clone() };
            let _ = writeln!(out, "{indent}{line}");
        }
        if body.is_empty() {
            let _ = writeln!(out, "{label}  ∅");
        }
    }

    fn set(&self, view: &View, rel: RelId) -> String {
        let value = view.value(rel);
        let tuples: Vec<String> = value.tuples().map(|t| self.tuple(&t)).collect();
        match (&tuples[..], value.arity()) {
            ([], _) => "∅".into(),
            ([one], _) => one.clone(),
            (many, _) => format!("{{{}}}", many.join(", ")),
        }
    }

    fn tuple(&self, tuple: &[AtomId]) -> String {
        tuple.iter().map(|a| self.names.of(*a)).collect::<Vec<_>>().join("→")
    }

    /// Parameters and witnesses, one `name = value` each.
    fn bindings(&self, view: &View) -> Vec<String> {
        let all = self.schema.params.iter().chain(&self.schema.skolems);
        all.map(|p| format!("{} = {}", p.label, self.set(view, p.rel))).collect()
    }

    /// One table per signature that has binary fields, one per wider field, and a line for each other
    /// signature.
    fn tables(&self, view: &View) -> String {
        let schema = self.schema;
        let mut out = String::new();
        let mut fields_of: Vec<Vec<&FieldInfo>> = vec![Vec::new(); schema.sigs.len()];
        for field in &schema.fields {
            fields_of[field.owner.0 as usize].push(field);
        }
        for (s, sig) in schema.sigs.iter().enumerate() {
            if matches!(sig.kind, SigKind::Builtin) || self.understood[s] {
                continue;
            }
            let (binary, wider): (Vec<&FieldInfo>, Vec<&FieldInfo>) =
                fields_of[s].iter().partition(|f| f.columns.len() == 2);
            let atoms: Vec<AtomId> = view.atoms(sig.rel).collect();
            if binary.is_empty() || atoms.is_empty() {
                if !self.constant[s] {
                    let names: Vec<&str> = atoms.iter().map(|a| self.names.of(*a)).collect();
                    let names = if names.is_empty() { "∅".into() } else { names.join(", ") };
                    let _ = writeln!(out, "{} = {names}", sig.label);
                }
            } else {
                let mut rows = vec![
                    std::iter::once(sig.label.clone())
                        .chain(binary.iter().map(|f| f.label.clone()))
                        .collect(),
                ];
                for atom in atoms {
                    let mut row = vec![self.names.of(atom).to_string()];
                    for field in &binary {
                        let image: Vec<&str> =
                            image(view.value(field.rel), atom).map(|a| self.names.of(a)).collect();
                        row.push(if image.is_empty() { "∅".into() } else { image.join(", ") });
                    }
                    rows.push(row);
                }
                write_table(&mut out, &rows);
            }
            for field in wider {
                let name = format!("{}.{}", sig.label, field.label);
                let value = view.value(field.rel);
                if value.is_empty() {
                    let _ = writeln!(out, "{name} = ∅");
                    continue;
                }
                let mut rows: Vec<Vec<String>> = Vec::new();
                for (i, tuple) in value.tuples().enumerate() {
                    let first = if i == 0 { name.clone() } else { String::new() };
                    let atoms = tuple.iter().map(|a| self.names.of(*a).to_string());
                    rows.push(std::iter::once(first).chain(atoms).collect());
                }
                write_table(&mut out, &rows);
            }
        }
        for binding in self.bindings(view) {
            let _ = writeln!(out, "{binding}");
        }
        out
    }
}

/// Columns padded to equal width.
fn write_table(out: &mut String, rows: &[Vec<String>]) {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell}{}  ", " ".repeat(width - cell.chars().count()));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// The second atoms of the pairs that begin with `atom`.
pub(crate) fn image(value: &TupleSet, atom: AtomId) -> impl Iterator<Item = AtomId> + '_ {
    let (n, row) = (value.n_atoms(), atom.0 as usize);
    (0..n).filter(move |i| value.contains_index(row * n + i)).map(|i| AtomId(i as u32))
}

/// A depth-first walk over one instance.
struct Walk<'a> {
    text: &'a TextWriter<'a>,
    view: View<'a>,
    /// By atom: stood in the line before.
    visited: Vec<bool>,
    /// Walked edges by field and tuple, with whether the target was new.
    edges: Vec<(usize, AtomId, AtomId, bool)>,
    revisits: usize,
}

impl<'a> Walk<'a> {
    fn new(text: &'a TextWriter<'a>, view: View<'a>) -> Walk<'a> {
        let visited = vec![false; view.universe.len()];
        Walk { text, view, visited, edges: Vec::new(), revisits: 0 }
    }

    /// The instance on one line, if it is a forest with few exceptions.
    fn line(mut self) -> Option<String> {
        let schema = self.view.schema;
        let text = self.text;
        let is_wide = |f: &FieldInfo| f.columns.len() > 2 && !text.understood[f.owner.0 as usize];
        if !text.links.iter().any(|l| *l) || schema.fields.iter().any(is_wide) {
            return None;
        }
        let many = |(f, l): (&FieldInfo, &bool)| *l && matches!(f.mult, FieldMult::Set | FieldMult::Some);
        if !text.rooted && schema.fields.iter().zip(&text.links).any(many) {
            return None;
        }
        let roots = self.roots();
        // A first walk finds the tree, a second one writes it.
        for &root in &roots {
            self.explore(root);
        }
        if self.revisits > 1 {
            return None;
        }
        let mirror = self.mirrors();
        let walked: Vec<(usize, AtomId, AtomId)> = self.edges.iter().map(|e| (e.0, e.1, e.2)).collect();
        let mut extras: Vec<String> = Vec::new();
        for (f, field) in schema.fields.iter().enumerate().filter(|(f, _)| text.links[*f]) {
            for tuple in self.view.value(field.rel).tuples() {
                let (a, b) = (tuple[0], tuple[1]);
                let reverse = self.edges.iter().any(|e| (e.2, e.1) == (a, b) && mirror[e.0] == Some(f));
                if !walked.contains(&(f, a, b)) && !reverse {
                    extras.push(format!("{}.{} = {}", text.names.of(a), field.label, text.names.of(b)));
                }
            }
        }
        if extras.len() > MOST_EXTRAS {
            return None;
        }
        let mut shown = vec![false; self.view.universe.len()];
        let mut parts: Vec<String> = Vec::new();
        for &root in &roots {
            let mut part = self.root_label(root);
            self.print(root, &mirror, true, &mut shown, &mut part);
            parts.push(part);
        }
        parts.extend(extras);
        self.rest(&roots, &mut parts);
        Some(parts.join("; "))
    }

    /// Where walks begin: parameters, `one` signatures with links, then whatever nothing points to,
    /// then what is only reached from itself.
    fn roots(&mut self) -> Vec<AtomId> {
        let (view, text) = (self.view, self.text);
        let schema = view.schema;
        let mut roots: Vec<AtomId> = Vec::new();
        let mut add = |walk: &mut Walk, atom: AtomId| {
            if !roots.contains(&atom) {
                roots.push(atom);
                walk.explore(atom);
            }
        };
        for param in &schema.params {
            let value = view.value(param.rel);
            if value.arity() == 1 && value.len() == 1 {
                let atom = view.atoms(param.rel).next().expect("it has one");
                if self.has_links(atom) {
                    add(self, atom);
                }
            }
        }
        for (s, sig) in schema.sigs.iter().enumerate() {
            let owns =
                || schema.fields.iter().zip(&text.links).any(|(f, l)| *l && f.owner == SigId(s as u32));
            if (sig.is_one || sig.is_lone) && owns() {
                for atom in view.atoms(sig.rel) {
                    if !self.visited[atom.0 as usize] {
                        add(self, atom);
                    }
                }
            }
        }
        let objects: Vec<AtomId> = self.objects();
        for orphan in [true, false] {
            for &atom in &objects {
                if !self.visited[atom.0 as usize] && (!orphan || !self.has_predecessor(atom)) {
                    add(self, atom);
                }
            }
        }
        // `line` walks again.
        self.visited.fill(false);
        self.edges.clear();
        self.revisits = 0;
        roots
    }

    /// Atoms that exist and are worth a place in the walk.
    fn objects(&self) -> Vec<AtomId> {
        let (view, text) = (self.view, self.text);
        let mut in_walk = vec![false; view.universe.len()];
        for (s, sig) in view.schema.sigs.iter().enumerate() {
            if !text.plain[s] && !text.understood[s] && !matches!(sig.kind, SigKind::Builtin) {
                for atom in view.atoms(sig.rel) {
                    in_walk[atom.0 as usize] = view.universe.atom(atom).kind == AtomKind::Object;
                }
            }
        }
        (0..in_walk.len()).filter(|&i| in_walk[i]).map(|i| AtomId(i as u32)).collect()
    }

    fn has_links(&self, atom: AtomId) -> bool {
        self.links_of(atom).next().is_some()
    }

    /// The link fields that the signatures of `atom` declare.
    fn links_of(&self, atom: AtomId) -> impl Iterator<Item = usize> + '_ {
        self.fields_of(atom).filter(|&f| self.text.links[f])
    }

    fn fields_of(&self, atom: AtomId) -> impl Iterator<Item = usize> + '_ {
        let schema = self.view.schema;
        let owned = move |f: &FieldInfo| {
            f.columns.len() == 2 && self.view.value(schema.sigs[f.owner.0 as usize].rel).contains(&[atom])
        };
        (0..schema.fields.len()).filter(move |&f| owned(&schema.fields[f]))
    }

    fn has_predecessor(&self, atom: AtomId) -> bool {
        let schema = self.view.schema;
        schema.fields.iter().zip(&self.text.links).any(|(field, link)| {
            let value = self.view.value(field.rel);
            *link
                && (0..value.n_atoms())
                    .any(|i| i != atom.0 as usize && value.contains(&[AtomId(i as u32), atom]))
        })
    }

    /// Depth first along the links in the order of their declaration. An edge back along one that was
    /// walked is left to the mirrors.
    fn explore(&mut self, root: AtomId) {
        if std::mem::replace(&mut self.visited[root.0 as usize], true) {
            return;
        }
        // The fields of an atom wait in reverse, so that the first is taken first.
        let mut stack: Vec<(usize, AtomId, AtomId)> = Vec::new();
        self.push_edges(root, &mut stack);
        while let Some((field, from, to)) = stack.pop() {
            if self.revisits > 1 {
                return; // a table is wanted
            }
            let fresh = !std::mem::replace(&mut self.visited[to.0 as usize], true);
            if fresh {
                self.edges.push((field, from, to, true));
                self.push_edges(to, &mut stack);
            } else if !self.edges.iter().any(|e| e.0 != field && (e.2, e.1) == (from, to)) {
                self.edges.push((field, from, to, false));
                self.revisits += 1;
            }
        }
    }

    fn push_edges(&self, from: AtomId, stack: &mut Vec<(usize, AtomId, AtomId)>) {
        let start = stack.len();
        for field in self.links_of(from) {
            for to in image(self.view.value(self.view.schema.fields[field].rel), from) {
                stack.push((field, from, to));
            }
        }
        stack[start..].reverse();
    }

    /// For each link field the one that `⇄` shows beside it: the last link of the same signature, if
    /// all its pairs lead back along walked edges.
    fn mirrors(&self) -> Vec<Option<usize>> {
        let schema = self.view.schema;
        let mut mirror = vec![None; schema.fields.len()];
        for f in (0..schema.fields.len()).filter(|&f| self.text.links[f]) {
            let owner = schema.fields[f].owner;
            let last = (0..schema.fields.len())
                .rev()
                .find(|&g| self.text.links[g] && schema.fields[g].owner == owner)
                .filter(|&g| g != f);
            let back = |g: &usize| {
                let value = self.view.value(schema.fields[*g].rel);
                let walked = |t: &Vec<AtomId>| {
                    self.edges
                        .iter()
                        .any(|e| (e.2, e.1) == (t[0], t[1]) && e.0 != *g && schema.fields[e.0].owner == owner)
                };
                !value.is_empty() && value.tuples().all(|t| walked(&t))
            };
            mirror[f] = last.filter(back);
        }
        mirror
    }

    fn root_label(&self, root: AtomId) -> String {
        let is_root = |p: &&tera_rel::ParamInfo| {
            let value = self.view.value(p.rel);
            value.arity() == 1 && value.len() == 1 && value.contains(&[root])
        };
        let params: Vec<&str> =
            self.view.schema.params.iter().filter(is_root).map(|p| p.label.as_str()).collect();
        if params.is_empty() { String::new() } else { format!("{} = ", params.join(" = ")) }
    }

    fn print(
        &self,
        atom: AtomId,
        mirror: &[Option<usize>],
        is_root: bool,
        shown: &mut [bool],
        out: &mut String,
    ) {
        // Chains go on in a loop; only the branches of trees recurse, at most once per atom.
        let mut atom = atom;
        let mut is_root = is_root;
        loop {
            *out += self.text.names.of(atom);
            if std::mem::replace(&mut shown[atom.0 as usize], true) {
                *out += " ↺";
                return;
            }
            *out += &self.attributes(atom);
            let pure_mirror = |f: usize| mirror.contains(&Some(f));
            let choices: Vec<usize> = self.links_of(atom).filter(|&f| !pure_mirror(f)).collect();
            let edges: Vec<_> = self.edges.iter().filter(|e| e.1 == atom).collect();
            let arrow = |field: usize, to: AtomId| {
                let back = mirror[field]
                    .is_some_and(|g| self.view.value(self.view.schema.fields[g].rel).contains(&[to, atom]));
                if back { "⇄" } else { "→" }
            };
            let first = self.links_of(atom).next();
            match &edges[..] {
                [] if is_root && !choices.is_empty() => *out += " → ∅",
                [] => {}
                [edge] if choices == [edge.0] && first == Some(edge.0) => {
                    let _ = write!(out, " {} ", arrow(edge.0, edge.2));
                    atom = edge.2;
                    is_root = false;
                    continue;
                }
                edges => {
                    *out += " {";
                    for (i, edge) in edges.iter().enumerate() {
                        let comma = if i > 0 { ", " } else { "" };
                        let field = &self.view.schema.fields[edge.0];
                        let _ = write!(out, "{comma}");
                        if choices.len() > 1 || first != Some(edge.0) {
                            let _ = write!(out, "{} {} ", field.label, arrow(edge.0, edge.2));
                        } else if arrow(edge.0, edge.2) == "⇄" {
                            *out += "⇄ ";
                        }
                        self.print(edge.2, mirror, false, shown, out);
                    }
                    *out += "}";
                }
            }
            return;
        }
    }

    /// `:Red(3, 4)`: signatures that the name does not tell, and plain values.
    fn attributes(&self, atom: AtomId) -> String {
        let (view, text) = (self.view, self.text);
        let mut out = String::new();
        let own = view.universe.atom(atom).name.rsplit_once('$').map_or("", |n| n.0);
        for (s, sig) in view.schema.sigs.iter().enumerate() {
            let tells = !matches!(sig.kind, SigKind::Top | SigKind::Builtin) && !text.constant[s];
            if tells && sig.label != own && view.value(sig.rel).contains(&[atom]) {
                let _ = write!(out, ":{}", sig.label);
            }
        }
        let plain: Vec<usize> = self.fields_of(atom).filter(|&f| !text.links[f]).collect();
        let values: Vec<Vec<&str>> = plain
            .iter()
            .map(|&f| {
                let value = view.value(view.schema.fields[f].rel);
                image(value, atom).map(|a| text.names.of(a)).collect()
            })
            .collect();
        if values.len() == 1 && values[0].is_empty() {
            return out;
        }
        let cells: Vec<String> = values
            .iter()
            .map(|v| match &v[..] {
                [] => "–".into(),
                [one] => one.to_string(),
                many => format!("{{{}}}", many.join(" ")),
            })
            .collect();
        if !cells.is_empty() {
            let _ = write!(out, "({})", cells.join(", "));
        }
        out
    }

    /// Plain atoms that no field shows, and parameters and witnesses that are not roots.
    fn rest(&self, roots: &[AtomId], parts: &mut Vec<String>) {
        let (view, text) = (self.view, self.text);
        let mut used = vec![false; view.universe.len()];
        let shown = |f: &&FieldInfo| f.columns.len() == 2 && !text.understood[f.owner.0 as usize];
        for field in view.schema.fields.iter().filter(shown) {
            for tuple in view.value(field.rel).tuples() {
                used[tuple[1].0 as usize] = true;
            }
        }
        for (s, sig) in view.schema.sigs.iter().enumerate() {
            if !text.plain[s] || text.constant[s] || matches!(sig.kind, SigKind::Builtin) {
                continue;
            }
            let is_top = matches!(sig.kind, SigKind::Top);
            let atoms: Vec<&str> = view
                .atoms(sig.rel)
                .filter(|a| !is_top || !used[a.0 as usize])
                .map(|a| text.names.of(a))
                .collect();
            if is_top && !atoms.is_empty() {
                parts.push(format!("also {}", atoms.join(", ")));
            } else if !is_top && !atoms.is_empty() {
                parts.push(format!("{} = {}", sig.label, atoms.join(", ")));
            }
        }
        for param in view.schema.params.iter().chain(&view.schema.skolems) {
            let value = view.value(param.rel);
            let is_root = value.arity() == 1
                && value.len() == 1
                && roots.iter().any(|r| value.contains(&[*r]))
                && !param.label.starts_with('$');
            if !is_root {
                parts.push(format!("{} = {}", param.label, text.set(&view, param.rel)));
            }
        }
    }
}
