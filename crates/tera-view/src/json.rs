//! Instances as JSON lines (`JSON.md` beside this crate is the description for users).
//!
//! A writer keeps, for every relation, the text of each tuple and the text of the relation's last
//! value. Neighbours in an enumeration differ in few relations, so a line is mostly copied, and
//! nothing is allocated per instance. An instance may also come as the bits of the finder's cells
//! ([`JsonWriter::with_cells`]), which is quicker when relations could hold many tuples.

use std::io::Write as _;

use serde_json::{Map, Value, json};
use tera_rel::{AtomId, AtomKind, FieldMult, Instance, RelId, Schema, SigId, SigKind, TupleSet, Universe};

/// Version of the JSON lines; it grows when a key changes its meaning or goes away.
pub const FORMAT_VERSION: u32 = 1;

/// Relations with more possible tuples than this are formatted tuple by tuple.
const TABLE_LIMIT: usize = 1 << 16;

/// Writes the instances of one problem.
pub struct JsonWriter {
    parts: Vec<Part>,
    atoms: Vec<String>,
    line: Vec<u8>,
}

/// A relation of the line, or a piece of text between relations.
struct Part {
    /// What stands in front: braces, keys, commas.
    prefix: Vec<u8>,
    /// `None` for the end of the line.
    rel: Option<RelId>,
    /// Atoms are written bare in signatures, tuples in brackets elsewhere.
    flat: bool,
    /// Whether `text` shows `tuples`.
    prepared: bool,
    tuples: Vec<usize>,
    text: Vec<u8>,
    /// Texts of the tuples by index, each followed by a comma; empty for large relations.
    table: Vec<u8>,
    ends: Vec<u32>,
    cells: Cells,
}

impl JsonWriter {
    pub fn new(universe: &Universe, schema: &Schema) -> JsonWriter {
        let mut parts = Vec::new();
        let mut prefix = Vec::new();
        let sigs = shown_sigs(schema).map(|s| (s.label.clone(), s.rel)).collect::<Vec<_>>();
        let fields = schema.fields.iter().map(|f| (field_name(schema, f.owner, &f.label), f.rel)).collect();
        let named = |p: &tera_rel::ParamInfo| (p.label.clone(), p.rel);
        let params = schema.params.iter().map(named).collect();
        let skolems = schema.skolems.iter().map(named).collect();
        let groups = [("sigs", sigs), ("fields", fields), ("params", params), ("skolems", skolems)];
        for (group, relations) in groups {
            let flat = group == "sigs";
            prefix.extend_from_slice(format!(",\"{group}\":{{").as_bytes());
            for (i, (label, rel)) in relations.into_iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                prefix.extend_from_slice(format!("{comma}{}:[", Value::from(label)).as_bytes());
                parts.push(Part::new(std::mem::take(&mut prefix), Some(rel), flat));
                prefix.push(b']');
            }
            prefix.push(b'}');
        }
        prefix.extend_from_slice(b"}\n");
        parts.push(Part::new(prefix, None, false));
        let atoms = universe.atoms().map(|(_, a)| atom_json(&a.name, &a.kind)).collect();
        JsonWriter { parts, atoms, line: Vec::new() }
    }

    /// Prepares for [`JsonWriter::line_of_bits`]: bit `i` is cell `i`, a tuple of a relation, and
    /// `lowers` are the tuples that every instance has. The cells of a relation stand together, their
    /// tuples ascending.
    pub fn with_cells(
        mut self,
        lowers: &[TupleSet],
        cells: impl IntoIterator<Item = (RelId, usize)>,
    ) -> JsonWriter {
        let mut by_rel: Vec<Vec<usize>> = vec![vec![]; lowers.len()];
        let mut starts = vec![0; lowers.len()];
        for (i, (rel, tuple)) in cells.into_iter().enumerate() {
            // Relations that only the finder knows are not shown.
            let Some(tuples) = by_rel.get_mut(rel.0 as usize) else { continue };
            if tuples.is_empty() {
                starts[rel.0 as usize] = i;
            }
            debug_assert!(tuples.last().is_none_or(|&last| last < tuple));
            tuples.push(tuple);
        }
        for part in &mut self.parts {
            if let Some(rel) = part.rel {
                let r = rel.0 as usize;
                part.take_cells(starts[r], &by_rel[r], &lowers[r], &self.atoms);
            }
        }
        self
    }

    /// The line of `instance`, newline included. `extra` is text for further keys in front of
    /// `sigs`, such as `,"orbit":6`, or empty.
    pub fn line(&mut self, index: u64, command: Option<usize>, extra: &str, instance: &Instance) -> &[u8] {
        let atoms = std::mem::take(&mut self.atoms);
        self.write(index, command, extra, |part, rel| part.show(instance.value(rel), &atoms));
        self.atoms = atoms;
        &self.line
    }

    /// The line of the instance whose cells are `bits`, after [`JsonWriter::with_cells`].
    pub fn line_of_bits(&mut self, index: u64, command: Option<usize>, extra: &str, bits: &[u64]) -> &[u8] {
        self.write(index, command, extra, |part, _| part.show_cells(bits));
        &self.line
    }

    fn write(
        &mut self,
        index: u64,
        command: Option<usize>,
        extra: &str,
        mut show: impl FnMut(&mut Part, RelId),
    ) {
        self.line.clear();
        let line = &mut self.line;
        line.extend_from_slice(b"{\"type\":\"instance\",\"index\":");
        push_number(line, index);
        if let Some(command) = command {
            line.extend_from_slice(b",\"command\":");
            push_number(line, command as u64);
        }
        line.extend_from_slice(extra.as_bytes());
        for part in &mut self.parts {
            line.extend_from_slice(&part.prefix);
            if let Some(rel) = part.rel {
                show(part, rel);
                line.extend_from_slice(&part.text);
            }
        }
    }
}

/// The cells of one relation.
#[derive(Default)]
struct Cells {
    start: usize,
    /// Texts of the cells' tuples, each followed by a comma.
    text: Vec<u8>,
    ends: Vec<u32>,
    /// Texts of the tuples that every instance has, and for each cell how much of it comes before.
    lower: Vec<u8>,
    lower_before: Vec<u32>,
    /// Bits of the cells.
    key: Vec<u64>,
}

impl Part {
    fn new(prefix: Vec<u8>, rel: Option<RelId>, flat: bool) -> Part {
        Part {
            prefix,
            rel,
            flat,
            prepared: false,
            tuples: Vec::new(),
            text: Vec::new(),
            table: Vec::new(),
            ends: Vec::new(),
            cells: Cells::default(),
        }
    }

    /// Makes `text` show `value`.
    fn show(&mut self, value: &TupleSet, atoms: &[String]) {
        if self.prepared && value.indices().eq(self.tuples.iter().copied()) {
            return;
        }
        if !std::mem::replace(&mut self.prepared, true) {
            self.prepare(value, atoms);
        }
        self.tuples.clear();
        self.tuples.extend(value.indices());
        self.text.clear();
        for &index in &self.tuples {
            if self.ends.is_empty() {
                push_tuple(&mut self.text, value, index, atoms, self.flat);
            } else {
                self.text.extend_from_slice(piece(&self.table, &self.ends, index));
            }
        }
        // Every tuple brings its comma; the last one is too much.
        self.text.pop();
    }

    fn prepare(&mut self, value: &TupleSet, atoms: &[String]) {
        let n = TupleSet::capacity(value.arity(), value.n_atoms()).unwrap_or(usize::MAX);
        if n > TABLE_LIMIT {
            return;
        }
        for index in 0..n {
            push_tuple(&mut self.table, value, index, atoms, self.flat);
            self.ends.push(self.table.len() as u32);
        }
    }

    fn take_cells(&mut self, start: usize, tuples: &[usize], lower: &TupleSet, atoms: &[String]) {
        let mut cells = Cells { start, ..Cells::default() };
        let mut before = lower.indices().peekable();
        for &tuple in tuples {
            while let Some(index) = before.next_if(|&l| l < tuple) {
                push_tuple(&mut cells.lower, lower, index, atoms, self.flat);
            }
            cells.lower_before.push(cells.lower.len() as u32);
            push_tuple(&mut cells.text, lower, tuple, atoms, self.flat);
            cells.ends.push(cells.text.len() as u32);
        }
        for index in before {
            push_tuple(&mut cells.lower, lower, index, atoms, self.flat);
        }
        // No cell is set as long as nothing was shown.
        self.text = cells.lower.clone();
        self.text.pop();
        cells.key = vec![0; tuples.len().div_ceil(64)];
        self.cells = cells;
    }

    /// Makes `text` show the cells that are set in `bits`.
    fn show_cells(&mut self, bits: &[u64]) {
        let cells = &mut self.cells;
        let (first, shift) = (cells.start / 64, cells.start % 64);
        let mut changed = false;
        let last = cells.key.len().wrapping_sub(1);
        for (i, key) in cells.key.iter_mut().enumerate() {
            let mut word = bits[first + i] >> shift;
            if shift > 0 && first + i + 1 < bits.len() {
                word |= bits[first + i + 1] << (64 - shift);
            }
            if i == last && !cells.ends.len().is_multiple_of(64) {
                word &= (1 << (cells.ends.len() % 64)) - 1;
            }
            changed |= *key != word;
            *key = word;
        }
        if !changed {
            return;
        }
        self.text.clear();
        let mut done = 0;
        for cell in ones(&cells.key) {
            let before = cells.lower_before[cell] as usize;
            if before > done {
                self.text.extend_from_slice(&cells.lower[done..before]);
                done = before;
            }
            self.text.extend_from_slice(piece(&cells.text, &cells.ends, cell));
        }
        self.text.extend_from_slice(&cells.lower[done..]);
        self.text.pop();
    }
}

/// Numbers of the bits that are set, ascending.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(w, &word)| {
        std::iter::successors((word != 0).then_some(word), |rest| {
            let rest = rest & (rest - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |rest| w * 64 + rest.trailing_zeros() as usize)
    })
}

/// Piece `i` of texts that end at `ends`.
fn piece<'a>(text: &'a [u8], ends: &[u32], i: usize) -> &'a [u8] {
    let start = if i == 0 { 0 } else { ends[i - 1] as usize };
    &text[start..ends[i] as usize]
}

fn push_tuple(out: &mut Vec<u8>, set: &TupleSet, index: usize, atoms: &[String], flat: bool) {
    if flat {
        out.extend_from_slice(atoms[index].as_bytes());
        out.push(b',');
        return;
    }
    out.push(b'[');
    let n = set.n_atoms();
    let mut scale = n.pow(set.arity() as u32 - 1);
    for column in 0..set.arity() {
        if column > 0 {
            out.push(b',');
        }
        out.extend_from_slice(atoms[index / scale % n].as_bytes());
        scale /= n;
        scale = scale.max(1);
    }
    out.extend_from_slice(b"],");
}

fn push_number(out: &mut Vec<u8>, number: u64) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{number}");
}

/// Integers are JSON numbers, everything else is a string; strings of the model keep their quotes.
fn atom_json(name: &str, kind: &AtomKind) -> String {
    match kind {
        AtomKind::Int(value) => value.to_string(),
        _ => Value::from(name).to_string(),
    }
}

/// Built-in signatures are the same in every instance and stand in the schema only.
pub(crate) fn shown_sigs(schema: &Schema) -> impl Iterator<Item = &tera_rel::SigInfo> {
    schema.sigs.iter().filter(|s| !matches!(s.kind, SigKind::Builtin))
}

pub(crate) fn field_name(schema: &Schema, owner: SigId, label: &str) -> String {
    format!("{}.{label}", schema.sigs[owner.0 as usize].label)
}

/// The schema as JSON: what a reader must know to draw a saved instance or to evaluate in it.
pub fn schema_json(universe: &Universe, schema: &Schema) -> Value {
    let label = |sig: &SigId| schema.sigs[sig.0 as usize].label.clone();
    let sigs: Vec<Value> = schema
        .sigs
        .iter()
        .map(|s| {
            let mut object = Map::new();
            object.insert("name".into(), s.label.clone().into());
            let (kind, parents) = match &s.kind {
                SigKind::Top => ("top", vec![]),
                SigKind::Child(parent) => ("child", vec![*parent]),
                SigKind::Subset { parents, exact: false } => ("subset", parents.clone()),
                SigKind::Subset { parents, exact: true } => ("equals", parents.clone()),
                SigKind::Builtin => ("builtin", vec![]),
            };
            object.insert("kind".into(), kind.into());
            if !parents.is_empty() {
                object.insert("parents".into(), parents.iter().map(label).collect());
            }
            flags(
                &mut object,
                &[
                    ("abstract", s.is_abstract),
                    ("one", s.is_one),
                    ("lone", s.is_lone),
                    ("some", s.is_some),
                    ("enum", s.is_enum),
                    ("private", s.is_private),
                    ("var", s.is_var),
                ],
            );
            Value::Object(object)
        })
        .collect();
    let fields: Vec<Value> = schema
        .fields
        .iter()
        .map(|f| {
            let columns: Vec<Value> = f.columns.iter().map(|c| c.iter().map(label).collect()).collect();
            let mut object = Map::new();
            object.insert("name".into(), f.label.clone().into());
            object.insert("owner".into(), label(&f.owner).into());
            object.insert("columns".into(), columns.into());
            object.insert("mult".into(), mult_name(f.mult).into());
            flags(&mut object, &[("private", f.is_private), ("var", f.is_var), ("defined", f.is_defined)]);
            Value::Object(object)
        })
        .collect();
    let atoms: Vec<Value> = (0..universe.len())
        .map(|i| {
            let atom = universe.atom(AtomId(i as u32));
            match atom.kind {
                AtomKind::Int(value) => value.into(),
                _ => atom.name.clone().into(),
            }
        })
        .collect();
    json!({ "atoms": atoms, "sigs": sigs, "fields": fields })
}

fn flags(object: &mut Map<String, Value>, flags: &[(&str, bool)]) {
    let set: Vec<Value> = flags.iter().filter(|f| f.1).map(|f| f.0.into()).collect();
    if !set.is_empty() {
        object.insert("flags".into(), set.into());
    }
}

fn mult_name(mult: FieldMult) -> &'static str {
    match mult {
        FieldMult::Lone => "lone",
        FieldMult::One => "one",
        FieldMult::Some => "some",
        FieldMult::Set => "set",
    }
}
