//! Reads saved instances: tera's JSON (one instance or a stream of lines) and the Analyzer's XML.
//!
//! Both formats are first read into a [`Raw`] description by names, which becomes a universe, a
//! schema and an instance in one place. A saved instance stands alone: every relation is its value.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tera_rel::{
    AtomId, AtomKind, FieldInfo, FieldMult, Instance, ParamInfo, RelId, Schema, SigId, SigInfo, SigKind,
    TupleSet, Universe,
};

use crate::View;
use crate::json::FORMAT_VERSION;

/// An instance that was read from a file.
#[derive(Clone, Debug)]
pub struct Saved {
    pub universe: Universe,
    pub schema: Schema,
    pub instance: Instance,
    /// Its number among the instances of its run.
    pub index: Option<u64>,
}

impl Saved {
    pub fn view(&self) -> View<'_> {
        View { universe: &self.universe, schema: &self.schema, instance: &self.instance }
    }
}

/// Why a file is not a saved instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// One-based line, where known.
    pub line: Option<usize>,
    pub message: String,
}

impl ReadError {
    pub(crate) fn new(message: impl Into<String>) -> ReadError {
        ReadError { line: None, message: message.into() }
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ReadError {}

/// The instances in `text`; at least one.
pub fn read_saved(text: &str) -> Result<Vec<Saved>, ReadError> {
    let all = Reader::new(text).collect::<Result<Vec<Saved>, ReadError>>()?;
    if all.is_empty() {
        return Err(ReadError::new("there is no instance in it"));
    }
    Ok(all)
}

/// Reads the instances of a text one after the other.
pub enum Reader<'a> {
    Json(JsonReader<'a>),
    Xml(std::vec::IntoIter<Result<Saved, ReadError>>),
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Reader<'a> {
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
            let all = match crate::xml::read_xml(text) {
                Ok(raws) => raws.into_iter().map(Raw::build).collect(),
                Err(error) => vec![Err(error)],
            };
            return Reader::Xml(all.into_iter());
        }
        let values = serde_json::Deserializer::from_str(text).into_iter();
        Reader::Json(JsonReader { values, schema: None, failed: false })
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Saved, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Reader::Json(reader) => reader.next(),
            Reader::Xml(all) => all.next(),
        }
    }
}

/// The instances of JSON lines, or of one pretty-printed object.
pub struct JsonReader<'a> {
    values: serde_json::StreamDeserializer<'a, serde_json::de::StrRead<'a>, Value>,
    /// The last schema that stood in a line.
    schema: Option<Value>,
    failed: bool,
}

impl Iterator for JsonReader<'_> {
    type Item = Result<Saved, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed {
            let value = match self.values.next()? {
                Ok(value) => value,
                Err(error) => {
                    self.failed = true;
                    return Some(Err(ReadError {
                        line: Some(error.line()),
                        message: format!("not JSON: {error}"),
                    }));
                }
            };
            if let Some(version) = value.get("version").and_then(Value::as_u64)
                && version > FORMAT_VERSION as u64
            {
                self.failed = true;
                let message =
                    format!("version {version} of the format; this tera reads up to {FORMAT_VERSION}");
                return Some(Err(ReadError::new(message)));
            }
            if let Some(schema) = value.get("schema") {
                self.schema = Some(schema.clone());
            }
            if value.get("sigs").is_some() {
                let saved = raw_from_json(&value, self.schema.as_ref()).and_then(Raw::build);
                self.failed = saved.is_err();
                return Some(saved);
            }
        }
        None
    }
}

/// An instance by names.
#[derive(Default)]
pub(crate) struct Raw {
    /// All atoms, if the file lists them; others are appended as they occur.
    pub atoms: Vec<String>,
    pub ints: Vec<i64>,
    pub sigs: Vec<RawSig>,
    pub fields: Vec<RawField>,
    /// Name, arity, tuples.
    pub params: Vec<(String, usize, Vec<Vec<String>>)>,
    pub skolems: Vec<(String, usize, Vec<Vec<String>>)>,
    pub index: Option<u64>,
}

pub(crate) struct RawSig {
    pub label: String,
    pub kind: SigKind,
    pub flags: HashSet<String>,
    pub atoms: Vec<String>,
}

pub(crate) struct RawField {
    pub label: String,
    pub owner: SigId,
    pub columns: Vec<Vec<SigId>>,
    /// `None`: as the tuples look.
    pub mult: Option<FieldMult>,
    pub flags: HashSet<String>,
    pub tuples: Vec<Vec<String>>,
}

impl Raw {
    /// Names become numbers.
    pub fn build(mut self) -> Result<Saved, ReadError> {
        let mut order: Vec<String> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        let in_sigs = self.sigs.iter().flat_map(|s| &s.atoms);
        let in_tuples = self.fields.iter().flat_map(|f| f.tuples.iter().flatten());
        for atom in self.atoms.iter().chain(in_sigs).chain(in_tuples.filter(|a| a.parse::<i64>().is_ok())) {
            if seen.insert(atom.clone()) {
                order.push(atom.clone());
            }
        }
        for int in std::mem::take(&mut self.ints) {
            if seen.insert(int.to_string()) {
                order.push(int.to_string());
            }
        }
        // The universe wants its integers ascending: put them, sorted, into their places.
        let mut ints: Vec<i64> = order.iter().filter_map(|a| a.parse().ok()).collect();
        ints.sort_unstable();
        let mut ints = ints.into_iter();
        let mut universe = Universe::new();
        let mut ids: HashMap<String, AtomId> = HashMap::new();
        for name in order {
            let kind = match name.parse::<i64>() {
                Ok(_) => AtomKind::Int(ints.next().expect("as many as were counted")),
                Err(_) if name.starts_with('"') => AtomKind::Str,
                Err(_) => AtomKind::Object,
            };
            let name = if let AtomKind::Int(value) = kind { value.to_string() } else { name };
            let id = universe.push(name.clone(), kind);
            ids.insert(name, id);
        }
        let n = universe.len();
        let mut values = Vec::new();
        let mut add = |what: &str, arity: usize, tuples: &[Vec<String>]| -> Result<RelId, ReadError> {
            let fits = TupleSet::capacity(arity, n).is_some_and(|c| c <= 1 << 28);
            if arity == 0 || !fits {
                return Err(ReadError::new(format!("{what} has {arity} columns over {n} atoms: too large")));
            }
            let mut set = TupleSet::empty(arity, n);
            for tuple in tuples {
                if tuple.len() != arity {
                    return Err(ReadError::new(format!("{what} has tuples of different length")));
                }
                let atoms: Result<Vec<AtomId>, ReadError> = tuple
                    .iter()
                    .map(|a| {
                        let unknown =
                            || ReadError::new(format!("`{a}` in {what} is an atom of no signature"));
                        ids.get(a).copied().ok_or_else(unknown)
                    })
                    .collect();
                set.insert(&atoms?);
            }
            values.push(set);
            Ok(RelId(values.len() as u32 - 1))
        };
        let mut schema = Schema::default();
        for sig in &self.sigs {
            let atoms: Vec<Vec<String>> = sig.atoms.iter().map(|a| vec![a.clone()]).collect();
            let rel = add(&sig.label, 1, &atoms)?;
            let flag = |name: &str| sig.flags.contains(name);
            schema.sigs.push(SigInfo {
                label: sig.label.clone(),
                rel,
                kind: sig.kind.clone(),
                is_abstract: flag("abstract"),
                is_one: flag("one"),
                is_lone: flag("lone"),
                is_some: flag("some"),
                is_enum: flag("enum"),
                is_private: flag("private"),
                is_var: flag("var"),
            });
        }
        for field in &self.fields {
            let rel = add(&field.label, field.columns.len(), &field.tuples)?;
            let flag = |name: &str| field.flags.contains(name);
            let owners = self.sigs[field.owner.0 as usize].atoms.len();
            schema.fields.push(FieldInfo {
                label: field.label.clone(),
                owner: field.owner,
                rel,
                columns: field.columns.clone(),
                mult: field.mult.unwrap_or_else(|| apparent_mult(&field.tuples, owners)),
                is_private: flag("private"),
                is_var: flag("var"),
                is_defined: flag("defined"),
            });
        }
        for (label, arity, tuples) in &self.params {
            schema.params.push(ParamInfo { label: label.clone(), rel: add(label, *arity, tuples)? });
        }
        for (label, arity, tuples) in &self.skolems {
            schema.skolems.push(ParamInfo { label: label.clone(), rel: add(label, *arity, tuples)? });
        }
        Ok(Saved { universe, schema, instance: Instance { values }, index: self.index })
    }
}

/// The multiplicity that the tuples of a binary field suggest.
fn apparent_mult(tuples: &[Vec<String>], owners: usize) -> FieldMult {
    let firsts: HashSet<&String> = tuples.iter().filter_map(|t| t.first()).collect();
    match (firsts.len() == tuples.len(), firsts.len() == owners) {
        (true, true) => FieldMult::One,
        (true, false) => FieldMult::Lone,
        (false, true) => FieldMult::Some,
        (false, false) => FieldMult::Set,
    }
}

fn raw_from_json(value: &Value, schema: Option<&Value>) -> Result<Raw, ReadError> {
    let mut raw = Raw { index: value.get("index").and_then(Value::as_u64), ..Raw::default() };
    let empty = serde_json::Map::new();
    let object = |key: &str| match value.get(key) {
        None => Ok(&empty),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(ReadError::new(format!("`{key}` is not an object"))),
    };
    let mut sig_atoms: HashMap<&str, Vec<String>> = HashMap::new();
    for (name, atoms) in object("sigs")? {
        sig_atoms.insert(name, atom_list(atoms, name)?);
    }
    let mut field_tuples: HashMap<&str, Vec<Vec<String>>> = HashMap::new();
    for (name, tuples) in object("fields")? {
        field_tuples.insert(name, tuple_list(tuples, name)?);
    }
    match schema {
        Some(schema) => apply_schema(&mut raw, schema, &sig_atoms, &field_tuples)?,
        None => infer_schema(&mut raw, object("sigs")?, object("fields")?, &sig_atoms, &field_tuples)?,
    }
    for (key, list) in [("params", &mut raw.params), ("skolems", &mut raw.skolems)] {
        for (name, tuples) in object(key)? {
            let tuples = tuple_list(tuples, name)?;
            list.push((name.clone(), tuples.first().map_or(1, Vec::len), tuples));
        }
    }
    Ok(raw)
}

fn apply_schema(
    raw: &mut Raw,
    schema: &Value,
    sig_atoms: &HashMap<&str, Vec<String>>,
    field_tuples: &HashMap<&str, Vec<Vec<String>>>,
) -> Result<(), ReadError> {
    let bad = |what: &str| ReadError::new(format!("the schema's `{what}` is not as JSON.md says"));
    let list = |key: &str| schema.get(key).and_then(Value::as_array).ok_or_else(|| bad(key));
    raw.atoms = atom_list(schema.get("atoms").unwrap_or(&Value::Null), "atoms")?;
    let name_of = |v: &Value| v.get("name").and_then(Value::as_str).map(str::to_string);
    let mut ids: HashMap<String, SigId> = HashMap::new();
    for (i, sig) in list("sigs")?.iter().enumerate() {
        ids.insert(name_of(sig).ok_or_else(|| bad("sigs"))?, SigId(i as u32));
    }
    let find = |v: &Value| v.as_str().and_then(|n| ids.get(n)).copied();
    let flags = |v: &Value| -> HashSet<String> {
        let list = v.get("flags").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|f| f.as_str().map(str::to_string)).collect()
    };
    let ints: Vec<String> = raw.atoms.iter().filter(|a| a.parse::<i64>().is_ok()).cloned().collect();
    for sig in list("sigs")? {
        let label = name_of(sig).ok_or_else(|| bad("sigs"))?;
        let parents: Option<Vec<SigId>> = match sig.get("parents") {
            Some(Value::Array(parents)) => parents.iter().map(find).collect(),
            _ => Some(vec![]),
        };
        let parents = parents.ok_or_else(|| bad("parents"))?;
        let kind = match (sig.get("kind").and_then(Value::as_str), parents.first()) {
            (Some("top"), _) => SigKind::Top,
            (Some("child"), Some(&parent)) => SigKind::Child(parent),
            (Some("subset"), _) => SigKind::Subset { parents, exact: false },
            (Some("equals"), _) => SigKind::Subset { parents, exact: true },
            (Some("builtin"), _) => SigKind::Builtin,
            _ => return Err(bad("kind")),
        };
        let atoms = match sig_atoms.get(label.as_str()) {
            Some(atoms) => atoms.clone(),
            None if label == "Int" => ints.clone(),
            None => vec![],
        };
        raw.sigs.push(RawSig { label, kind, flags: flags(sig), atoms });
    }
    for field in list("fields")? {
        let label = name_of(field).ok_or_else(|| bad("fields"))?;
        let owner = field.get("owner").and_then(find).ok_or_else(|| bad("owner"))?;
        let columns: Option<Vec<Vec<SigId>>> =
            field.get("columns").and_then(Value::as_array).and_then(|columns| {
                columns.iter().map(|c| c.as_array()?.iter().map(find).collect::<Option<Vec<_>>>()).collect()
            });
        let columns = columns.filter(|c| c.len() >= 2).ok_or_else(|| bad("columns"))?;
        let mult = match field.get("mult").and_then(Value::as_str) {
            Some("lone") => FieldMult::Lone,
            Some("one") => FieldMult::One,
            Some("some") => FieldMult::Some,
            _ => FieldMult::Set,
        };
        let key = format!("{}.{label}", raw.sigs[owner.0 as usize].label);
        let tuples = field_tuples.get(key.as_str()).cloned().unwrap_or_default();
        raw.fields.push(RawField { label, owner, columns, mult: Some(mult), flags: flags(field), tuples });
    }
    Ok(())
}

/// Without a schema, a signature whose atoms all lie in an earlier one counts as its subset, and a
/// column has the signatures that its atoms lie in.
fn infer_schema(
    raw: &mut Raw,
    sigs: &serde_json::Map<String, Value>,
    fields: &serde_json::Map<String, Value>,
    sig_atoms: &HashMap<&str, Vec<String>>,
    field_tuples: &HashMap<&str, Vec<Vec<String>>>,
) -> Result<(), ReadError> {
    for label in sigs.keys() {
        let atoms = sig_atoms[label.as_str()].clone();
        let inside = |s: &RawSig| !atoms.is_empty() && atoms.iter().all(|a| s.atoms.contains(a));
        let kind = match raw.sigs.iter().position(inside) {
            Some(parent) => SigKind::Subset { parents: vec![SigId(parent as u32)], exact: false },
            None => SigKind::Top,
        };
        raw.sigs.push(RawSig { label: label.clone(), kind, flags: HashSet::new(), atoms });
    }
    for name in fields.keys() {
        let tuples = field_tuples[name.as_str()].clone();
        let owner = name
            .rsplit_once('.')
            .and_then(|(owner, label)| Some((raw.sigs.iter().position(|s| s.label == owner)?, label)));
        let Some((owner, label)) = owner else {
            return Err(ReadError::new(format!(
                "the field `{name}` is not called `Signature.field` after a signature of the instance"
            )));
        };
        let owner = SigId(owner as u32);
        let arity = tuples.first().map_or(2, Vec::len);
        let column = |c: usize| -> Vec<SigId> {
            let of = |a: &String| raw.sigs.iter().position(|s| s.atoms.contains(a));
            let mut all: Vec<SigId> =
                tuples.iter().filter_map(|t| of(t.get(c)?)).map(|i| SigId(i as u32)).collect();
            all.sort();
            all.dedup();
            all
        };
        let columns = (0..arity).map(|c| if c == 0 { vec![owner] } else { column(c) }).collect();
        raw.fields.push(RawField {
            label: label.to_string(),
            owner,
            columns,
            mult: None,
            flags: HashSet::new(),
            tuples,
        });
    }
    Ok(())
}

fn atom_list(value: &Value, what: &str) -> Result<Vec<String>, ReadError> {
    let atom = |v: &Value| match v {
        Value::String(name) => Some(name.clone()),
        Value::Number(number) => number.as_i64().map(|n| n.to_string()),
        _ => None,
    };
    value
        .as_array()
        .and_then(|list| list.iter().map(atom).collect())
        .ok_or_else(|| ReadError::new(format!("`{what}` is not a list of atoms")))
}

fn tuple_list(value: &Value, what: &str) -> Result<Vec<Vec<String>>, ReadError> {
    let list = value.as_array().ok_or_else(|| ReadError::new(format!("`{what}` is not a list of tuples")))?;
    list.iter().map(|tuple| atom_list(tuple, what)).collect()
}
