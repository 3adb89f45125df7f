//! The Analyzer's XML format of instances, written and read.
//!
//! A signature lists the atoms that none of its children has; a field or Skolem constant lists its
//! tuples and its type. The range of integers is the bit width; as tera's scopes may be any range,
//! the attribute `tera-ints`, which the Analyzer passes over, says it exactly.

use std::collections::{HashMap, HashSet};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use tera_rel::{RelId, Schema, SigId, SigInfo, SigKind};

use crate::View;
use crate::read::{Raw, RawField, RawSig, ReadError};

/// What the file says beside the instance.
#[derive(Clone, Default, Debug)]
pub struct XmlInfo {
    /// As the Analyzer shows it, e.g. `Run show for 3`.
    pub command: String,
    pub file: String,
    /// Texts of the specification, so that the Analyzer can show them: path and content.
    pub sources: Vec<(String, String)>,
}

/// Numbers that the Analyzer gives to the built-in signatures.
const BUILTIN: [(&str, usize, &str); 3] =
    [("seq/Int", 0, " parentID=\"1\""), ("Int", 1, " parentID=\"2\""), ("String", 3, " parentID=\"2\"")];
const UNIV: usize = 2;
const FIRST_FREE: usize = 4;

/// The instance as an XML document.
pub fn xml(view: &View, info: &XmlInfo) -> String {
    let View { universe, schema, .. } = *view;
    let ints = universe.ints();
    let width =
        ints.iter().map(|&(v, _)| 65 - (if v < 0 { !v } else { v }).leading_zeros()).max().unwrap_or(0);
    let range = match (ints.first(), ints.last()) {
        (Some(low), Some(high)) => format!(" tera-ints=\"{}..{}\"", low.0, high.0),
        _ => String::new(),
    };
    let maxseq = schema.sigs.iter().find(|s| s.label == "seq/Int").map_or(0, |s| view.value(s.rel).len());
    let mut out = format!(
        "<alloy builddate=\"tera {}\">\n\n<instance bitwidth=\"{width}\" maxseq=\"{maxseq}\" mintrace=\"-1\" \
         maxtrace=\"-1\" command=\"{}\" filename=\"{}\" tracelength=\"1\" looplength=\"1\" backloop=\"0\"{range}>\n",
        env!("CARGO_PKG_VERSION"),
        xml_escape(&info.command),
        xml_escape(&info.file),
    );
    for (label, id, parent) in BUILTIN {
        out += &format!("\n<sig label=\"{label}\" ID=\"{id}\"{parent} builtin=\"yes\">\n");
        if label == "String" {
            for (_, atom) in universe.atoms().filter(|(_, a)| a.kind == tera_rel::AtomKind::Str) {
                out += &format!("   <atom label=\"{}\"/>\n", xml_escape(&atom.name));
            }
        }
        out += "</sig>\n";
    }
    let ids = sig_ids(schema);
    for (i, sig) in schema.sigs.iter().enumerate() {
        if matches!(sig.kind, SigKind::Builtin) {
            continue;
        }
        write_sig(&mut out, view, SigId(i as u32), sig, &ids);
    }
    out += &format!("\n<sig label=\"univ\" ID=\"{UNIV}\" builtin=\"yes\">\n</sig>\n");
    let mut next = FIRST_FREE + schema.sigs.len();
    for field in &schema.fields {
        let flags =
            flags(&[("private", field.is_private), ("var", field.is_var), ("exact", field.is_defined)]);
        out += &format!(
            "\n<field label=\"{}\" ID=\"{next}\" parentID=\"{}\"{flags}>\n",
            xml_escape(&field.label),
            ids[field.owner.0 as usize]
        );
        write_tuples(&mut out, view, field.rel);
        write_types(&mut out, &field.columns, &ids);
        out += "</field>\n";
        next += 1;
    }
    for witness in schema.params.iter().chain(&schema.skolems) {
        let dollar = if witness.label.starts_with('$') { "" } else { "$" };
        let label = xml_escape(&witness.label);
        out += &format!("\n<skolem label=\"{dollar}{label}\" ID=\"{next}\">\n");
        write_tuples(&mut out, view, witness.rel);
        let columns = vec![vec![]; view.value(witness.rel).arity()];
        write_types(&mut out, &columns, &ids);
        out += "</skolem>\n";
        next += 1;
    }
    out += "\n</instance>\n";
    for (path, content) in &info.sources {
        out +=
            &format!("\n<source filename=\"{}\" content=\"{}\"/>\n", xml_escape(path), xml_escape(content));
    }
    out += "\n</alloy>\n";
    out
}

fn sig_ids(schema: &Schema) -> Vec<usize> {
    let id = |(i, sig): (usize, &SigInfo)| match sig.label.as_str() {
        "univ" => UNIV,
        label => BUILTIN.iter().find(|b| b.0 == label).map_or(FIRST_FREE + i, |b| b.1),
    };
    schema.sigs.iter().enumerate().map(id).collect()
}

fn write_sig(out: &mut String, view: &View, id: SigId, sig: &SigInfo, ids: &[usize]) {
    let schema = view.schema;
    let label = if sig.label.contains('/') { sig.label.clone() } else { format!("this/{}", sig.label) };
    let parent = match &sig.kind {
        SigKind::Top => format!(" parentID=\"{UNIV}\""),
        SigKind::Child(parent) => format!(" parentID=\"{}\"", ids[parent.0 as usize]),
        _ => String::new(),
    };
    let exact = matches!(sig.kind, SigKind::Subset { exact: true, .. });
    let flags = flags(&[
        ("abstract", sig.is_abstract),
        ("one", sig.is_one),
        ("lone", sig.is_lone),
        ("some", sig.is_some),
        ("private", sig.is_private),
        ("exact", exact),
        ("enum", sig.is_enum),
        ("var", sig.is_var),
    ]);
    *out +=
        &format!("\n<sig label=\"{}\" ID=\"{}\"{parent}{flags}>\n", xml_escape(&label), ids[id.0 as usize]);
    let is_child = |s: &&SigInfo| matches!(s.kind, SigKind::Child(p) if p == id);
    let children: Vec<RelId> = schema.sigs.iter().filter(is_child).map(|s| s.rel).collect();
    for atom in view.atoms(sig.rel) {
        if !children.iter().any(|&c| view.value(c).contains(&[atom])) {
            *out += &format!("   <atom label=\"{}\"/>\n", xml_escape(&view.universe.atom(atom).name));
        }
    }
    if let SigKind::Subset { parents, .. } = &sig.kind {
        for parent in parents {
            *out += &format!("   <type ID=\"{}\"/>\n", ids[parent.0 as usize]);
        }
    }
    *out += "</sig>\n";
}

fn write_tuples(out: &mut String, view: &View, rel: RelId) {
    for tuple in view.value(rel).tuples() {
        *out += "   <tuple>";
        for atom in tuple {
            *out += &format!(" <atom label=\"{}\"/>", xml_escape(&view.universe.atom(atom).name));
        }
        *out += " </tuple>\n";
    }
}

/// One line for each product of the columns' signatures; a column of unknown type is `univ`.
fn write_types(out: &mut String, columns: &[Vec<SigId>], ids: &[usize]) {
    let mut products: Vec<Vec<usize>> = vec![vec![]];
    for column in columns {
        let choices: Vec<usize> =
            if column.is_empty() { vec![UNIV] } else { column.iter().map(|s| ids[s.0 as usize]).collect() };
        products = products
            .iter()
            .flat_map(|p| choices.iter().map(move |&c| p.iter().copied().chain([c]).collect()))
            .collect();
    }
    for product in products {
        *out += "   <types>";
        for id in product {
            *out += &format!(" <type ID=\"{id}\"/>");
        }
        *out += " </types>\n";
    }
}

fn flags(flags: &[(&str, bool)]) -> String {
    flags.iter().filter(|f| f.1).map(|f| format!(" {}=\"yes\"", f.0)).collect()
}

/// Text for an attribute or between tags; control characters cannot stand in XML 1.0 at all.
pub fn xml_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '"' => out += "&quot;",
            '\'' => out += "&apos;",
            '\n' | '\r' | '\t' => out += &format!("&#{};", c as u32),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// What is being read: an element that has atoms, tuples or types inside.
enum Open {
    Sig(XmlSig),
    Relation(XmlRelation),
}

#[derive(Default)]
struct XmlSig {
    label: String,
    id: String,
    parent: Option<String>,
    flags: HashSet<String>,
    builtin: bool,
    atoms: Vec<String>,
    types: Vec<String>,
}

#[derive(Default)]
struct XmlRelation {
    label: String,
    /// `None` for a Skolem constant.
    parent: Option<String>,
    flags: HashSet<String>,
    tuples: Vec<Vec<String>>,
    types: Vec<Vec<String>>,
}

/// Reads every `<instance>` of a document.
pub(crate) fn read_xml(text: &str) -> Result<Vec<Raw>, ReadError> {
    let mut reader = Reader::from_str(text);
    let mut all = Vec::new();
    let mut sigs: Vec<XmlSig> = Vec::new();
    let mut relations: Vec<XmlRelation> = Vec::new();
    let mut raw = Raw::default();
    let mut open: Option<Open> = None;
    let mut maxseq = 0;
    loop {
        let at = |reader: &Reader<&[u8]>, message: String| {
            let end = (reader.buffer_position() as usize).min(text.len());
            let line = text.as_bytes()[..end].iter().filter(|&&b| b == b'\n').count() + 1;
            ReadError { line: Some(line), message }
        };
        let event = reader.read_event().map_err(|e| at(&reader, format!("not XML: {e}")))?;
        let empty = matches!(event, Event::Empty(_));
        match event {
            Event::Start(element) | Event::Empty(element) => {
                let attributes = attributes(&element).map_err(|e| at(&reader, e))?;
                match element.name().as_ref() {
                    "instance" => {
                        raw.ints = int_range(&attributes);
                        maxseq = attributes.get("maxseq").and_then(|m| m.parse().ok()).unwrap_or(0);
                        raw.index = Some(all.len() as u64);
                    }
                    "sig" => {
                        let sig = start_sig(&attributes).map_err(|e| at(&reader, e))?;
                        if empty {
                            sigs.push(sig);
                        } else {
                            open = Some(Open::Sig(sig));
                        }
                    }
                    "field" | "skolem" => {
                        let relation = start_relation(&attributes).map_err(|e| at(&reader, e))?;
                        open = Some(Open::Relation(relation));
                    }
                    "tuple" => {
                        if let Some(Open::Relation(relation)) = &mut open {
                            relation.tuples.push(Vec::new());
                        }
                    }
                    "types" => {
                        if let Some(Open::Relation(relation)) = &mut open {
                            relation.types.push(Vec::new());
                        }
                    }
                    "atom" => {
                        let label = attributes.get("label").cloned().unwrap_or_default();
                        match &mut open {
                            Some(Open::Sig(sig)) => sig.atoms.push(label),
                            Some(Open::Relation(relation)) => match relation.tuples.last_mut() {
                                Some(tuple) => tuple.push(label),
                                None => return Err(at(&reader, "an atom outside of a tuple".into())),
                            },
                            None => {}
                        }
                    }
                    "type" => {
                        let id = attributes.get("ID").cloned().unwrap_or_default();
                        match &mut open {
                            Some(Open::Sig(sig)) => sig.types.push(id),
                            Some(Open::Relation(relation)) => {
                                if let Some(types) = relation.types.last_mut() {
                                    types.push(id);
                                }
                            }
                            None => {}
                        }
                    }
                    _ => {}
                }
            }
            Event::End(element) => match element.name().as_ref() {
                "sig" | "field" | "skolem" => match open.take() {
                    Some(Open::Sig(sig)) => sigs.push(sig),
                    Some(Open::Relation(relation)) => relations.push(relation),
                    None => {}
                },
                "instance" => {
                    let mut done = std::mem::take(&mut raw);
                    resolve(&mut done, maxseq, std::mem::take(&mut sigs), std::mem::take(&mut relations))?;
                    all.push(done);
                }
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    if all.is_empty() {
        return Err(ReadError::new("there is no <instance> in the XML"));
    }
    Ok(all)
}

fn attributes(element: &BytesStart) -> Result<HashMap<String, String>, String> {
    let mut map = HashMap::new();
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|e| format!("not XML: {e}"))?;
        let key = attribute.key.as_ref().to_string();
        let value =
            attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|e| format!("not XML: {e}"))?;
        map.insert(key, value.into_owned());
    }
    Ok(map)
}

fn int_range(attributes: &HashMap<String, String>) -> Vec<i64> {
    /// More integers than any scope has atoms for.
    const MOST: i64 = 1 << 16;
    let exact = attributes.get("tera-ints").and_then(|r| {
        let (low, high) = r.split_once("..")?;
        Some((low.parse::<i64>().ok()?, high.parse::<i64>().ok()?))
    });
    let width = || {
        let width = attributes.get("bitwidth")?.parse::<u32>().ok().filter(|&w| (1..=16).contains(&w))?;
        Some((-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1))
    };
    match exact.or_else(width) {
        Some((low, high)) if high.checked_sub(low).is_some_and(|n| n < MOST) => (low..=high).collect(),
        _ => vec![],
    }
}

fn flag_set(attributes: &HashMap<String, String>) -> HashSet<String> {
    attributes.iter().filter(|(_, v)| *v == "yes").map(|(k, _)| k.clone()).collect()
}

fn start_sig(attributes: &HashMap<String, String>) -> Result<XmlSig, String> {
    let get = |key: &str| attributes.get(key).cloned().ok_or(format!("a <sig> without {key}"));
    let label = get("label")?;
    Ok(XmlSig {
        label: label.strip_prefix("this/").unwrap_or(&label).to_string(),
        id: get("ID")?,
        parent: attributes.get("parentID").cloned(),
        builtin: attributes.get("builtin").is_some_and(|v| v == "yes"),
        flags: flag_set(attributes),
        ..XmlSig::default()
    })
}

fn start_relation(attributes: &HashMap<String, String>) -> Result<XmlRelation, String> {
    Ok(XmlRelation {
        label: attributes.get("label").cloned().ok_or("a relation without label")?,
        parent: attributes.get("parentID").cloned(),
        flags: flag_set(attributes),
        ..XmlRelation::default()
    })
}

/// Orders the signatures parents first and replaces the numbers of the file by theirs.
fn resolve(
    raw: &mut Raw,
    maxseq: i64,
    sigs: Vec<XmlSig>,
    relations: Vec<XmlRelation>,
) -> Result<(), ReadError> {
    let by_id: HashMap<&str, usize> = sigs.iter().enumerate().map(|(i, s)| (s.id.as_str(), i)).collect();
    let above = |i: usize| -> Vec<usize> {
        let parents = sigs[i].parent.iter().chain(&sigs[i].types);
        parents.filter_map(|id| by_id.get(id.as_str()).copied()).collect()
    };
    let mut place: Vec<Option<u32>> = vec![None; sigs.len()];
    let mut order: Vec<usize> = Vec::new();
    while order.len() < sigs.len() {
        let before = order.len();
        for i in 0..sigs.len() {
            if place[i].is_none() && above(i).iter().all(|&p| place[p].is_some()) {
                place[i] = Some(order.len() as u32);
                order.push(i);
            }
        }
        if order.len() == before {
            return Err(ReadError::new("the signatures extend each other in a circle"));
        }
    }
    let sig_id = |id: &str| by_id.get(id).and_then(|&i| place[i]).map(SigId);
    // An atom of a signature is one of all signatures above; the file lists it once.
    let mut atoms: Vec<Vec<String>> = sigs.iter().map(|s| s.atoms.clone()).collect();
    for &i in order.iter().rev() {
        if let Some(&parent) = sigs[i].parent.as_deref().and_then(|p| by_id.get(p))
            && !sigs[parent].builtin
        {
            let own = atoms[i].clone();
            atoms[parent].extend(own);
        }
    }
    let mut families: Vec<&str> = Vec::new();
    for atom in sigs.iter().flat_map(|s| &s.atoms) {
        let family = natural(atom).0;
        if !families.contains(&family) {
            families.push(family);
        }
    }
    let numbers: Vec<String> = raw.ints.iter().map(i64::to_string).collect();
    for &i in &order {
        let sig = &sigs[i];
        let kind = if sig.builtin {
            SigKind::Builtin
        } else if !sig.types.is_empty() {
            let parents = sig.types.iter().filter_map(|t| sig_id(t)).collect();
            SigKind::Subset { parents, exact: sig.flags.contains("exact") }
        } else {
            match sig.parent.as_deref().and_then(|p| by_id.get(p)) {
                Some(&p) if !sigs[p].builtin => SigKind::Child(SigId(place[p].expect("all are placed"))),
                _ => SigKind::Top,
            }
        };
        let mut own = std::mem::take(&mut atoms[i]);
        if sig.builtin && sig.label == "Int" {
            own = numbers.clone();
        }
        if sig.builtin && sig.label == "seq/Int" {
            own = raw.ints.iter().filter(|i| (0..maxseq).contains(*i)).map(i64::to_string).collect();
        }
        // The Analyzer does not sort atoms; families come in the order of the file.
        own.sort_by_key(|a| {
            let (family, number) = natural(a);
            (families.iter().position(|f| *f == family), number)
        });
        own.dedup();
        raw.sigs.push(RawSig { label: sig.label.clone(), kind, flags: sig.flags.clone(), atoms: own });
    }
    for relation in relations {
        let arity = relation.types.first().or(relation.tuples.first()).map_or(1, Vec::len);
        let Some(parent) = &relation.parent else {
            raw.skolems.push((relation.label, arity, relation.tuples));
            continue;
        };
        let owner =
            sig_id(parent).ok_or_else(|| ReadError::new(format!("{} has no signature", relation.label)))?;
        let columns = (0..arity).map(|c| {
            let mut column: Vec<SigId> =
                relation.types.iter().filter_map(|t| t.get(c)).filter_map(|id| sig_id(id)).collect();
            column.sort();
            column.dedup();
            column
        });
        raw.fields.push(RawField {
            label: relation.label.clone(),
            owner,
            columns: columns.collect(),
            mult: None,
            flags: relation.flags,
            tuples: relation.tuples,
        });
    }
    Ok(())
}

/// `Node$10` after `Node$9`.
fn natural(name: &str) -> (&str, i64) {
    match name.rsplit_once('$') {
        Some((sig, number)) => (sig, number.parse().unwrap_or(0)),
        None => ("", name.parse().unwrap_or(0)),
    }
}
