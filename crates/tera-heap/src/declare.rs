//! How Rust types are written in a specification.

use std::fmt::Write;

use crate::describe::{Shape, TypeDesc, TypeGraph, VariantDesc};
use crate::{Binding, Extent, FactKind, natural, ownership_facts};

/// Signatures for all types of `graph`, with what their ownership implies as comments.
pub fn specification(graph: &TypeGraph) -> String {
    let mut text = String::new();
    let shapes = || graph.types.iter().flat_map(|ty| &ty.variants).flat_map(|v| &v.fields).map(|f| &f.shape);
    let mut has_bool = false;
    shapes().for_each(|shape| shape.walk(&mut |shape| has_bool |= *shape == Shape::Bool));
    if has_bool {
        text += "open util/boolean\n\n";
    }
    for ty in &graph.types {
        signature(graph, ty, &mut text);
        text.push('\n');
    }
    let facts = implied(graph);
    if !facts.is_empty() {
        text += "// Ownership implies the following; tera adds it to every precondition by itself.\n";
        for (reason, fact) in facts {
            let _ = writeln!(text, "//   {fact}    -- {reason}");
        }
    }
    text
}

fn signature(graph: &TypeGraph, ty: &TypeDesc, text: &mut String) {
    if !ty.is_enum {
        for variant in &ty.variants {
            body(graph, &format!("sig {}", ty.sig), variant, text);
        }
        return;
    }
    let _ = writeln!(text, "abstract sig {} {{}}", ty.sig);
    let constants: Vec<&str> = ty.variants.iter().filter(|v| v.fields.is_empty()).map(|v| v.sig).collect();
    if !constants.is_empty() {
        let _ = writeln!(text, "one sig {} extends {} {{}}", constants.join(", "), ty.sig);
    }
    for variant in ty.variants.iter().filter(|v| !v.fields.is_empty()) {
        body(graph, &format!("sig {} extends {}", variant.sig, ty.sig), variant, text);
    }
}

fn body(graph: &TypeGraph, head: &str, variant: &VariantDesc, text: &mut String) {
    if variant.fields.is_empty() {
        let _ = writeln!(text, "{head} {{}}");
        return;
    }
    let _ = writeln!(text, "{head} {{");
    let last = variant.fields.iter().rposition(|field| field.shape.columns() > 0);
    for (i, field) in variant.fields.iter().enumerate() {
        match &field.shape {
            Shape::Skip(why) => {
                let _ = writeln!(text, "  // {} is left out: {why}", field.rust);
            }
            shape if shape.columns() == 0 => {}
            shape => {
                let comma = if Some(i) == last { "" } else { "," };
                let _ = writeln!(text, "  {}: {}{comma}", name(field.label), declaration(graph, shape));
            }
        }
    }
    text.push_str("}\n");
}

/// A field whose Rust name is a word of the language gets an underscore; the binding knows.
pub fn name(label: &str) -> String {
    const WORDS: &str = "abstract after all always and as assert before but check disj else enum eventually exactly \
        extends fact for fun historically iden iff implies in int let lone module no none not once one open or pred \
        private releases run seq set sig since some steps String sum this triggered univ until var Int";
    match WORDS.split_whitespace().any(|word| word == label) {
        true => format!("{label}_"),
        false => label.to_string(),
    }
}

/// What no declaration says: reason and text.
fn implied(graph: &TypeGraph) -> Vec<(String, String)> {
    let extent = Extent { objects: vec![1], ints: (-1, 1), texts: Vec::new() };
    let (mut problem, schema) = natural(graph, &extent);
    let Ok(binding) = Binding::new(graph.clone(), &problem, &schema) else { return Vec::new() };
    let facts = ownership_facts(&binding, &mut problem).into_iter();
    facts
        .filter(|fact| matches!(fact.kind, FactKind::SingleOwner | FactKind::Acyclic | FactKind::Range))
        .map(|fact| (fact.reason, fact.text))
        .collect()
}

/// The bound of a field of this shape: `lone Node`, `seq Int`, `Int -> lone Node`.
pub fn declaration(graph: &TypeGraph, shape: &Shape) -> String {
    match shape {
        Shape::Skip(_) | Shape::Unit(_) => String::new(),
        Shape::Wrap(wrap, inner) if wrap.is_link() && !matches!(**inner, Shape::Option(_)) => {
            format!("lone {}", column(graph, inner))
        }
        Shape::Wrap(_, inner) => declaration(graph, inner),
        Shape::Index { .. } if shape.may_be_empty() => format!("lone {}", column(graph, shape)),
        Shape::Option(inner) => format!("lone {}", column(graph, inner)),
        Shape::Seq(_, element) if element.columns() == 1 && !element.may_be_empty() => {
            format!("seq {}", column(graph, element))
        }
        Shape::Set(_, element) => match element.columns() {
            1 => format!("set {}", column(graph, element)),
            _ => column(graph, element),
        },
        Shape::Seq(_, value) => format!("Int -> {}", range(graph, value)),
        Shape::Map(_, key, value) => format!("{} -> {}", column(graph, key), range(graph, value)),
        Shape::Tuple(_) => column(graph, shape),
        _ => format!("one {}", column(graph, shape)),
    }
}

/// The last columns of an arrow, with what multiplicity they have.
fn range(graph: &TypeGraph, shape: &Shape) -> String {
    match shape {
        Shape::Wrap(_, inner) => range(graph, inner),
        Shape::Seq(_, value) => format!("(Int -> {})", range(graph, value)),
        Shape::Map(_, key, value) => format!("({} -> {})", column(graph, key), range(graph, value)),
        Shape::Set(_, element) => column(graph, element),
        _ if shape.columns() > 1 => column(graph, shape),
        _ => format!("lone {}", column(graph, shape)),
    }
}

/// The signatures of the columns, without multiplicities.
pub fn column(graph: &TypeGraph, shape: &Shape) -> String {
    match shape {
        Shape::Int { .. } => "Int".into(),
        Shape::Bool => "Bool".into(),
        Shape::Char | Shape::Text { .. } => "String".into(),
        Shape::Object(ix) | Shape::Index { target: ix, .. } => graph.ty(*ix).sig.into(),
        Shape::Wrap(_, inner) | Shape::Option(inner) | Shape::Set(_, inner) => column(graph, inner),
        Shape::Seq(_, element) => format!("Int -> {}", column(graph, element)),
        Shape::Map(_, key, value) => format!("{} -> {}", column(graph, key), column(graph, value)),
        Shape::Tuple(parts) => parts.iter().map(|part| column(graph, part)).collect::<Vec<_>>().join(" -> "),
        Shape::Skip(_) | Shape::Unit(_) => "none".into(),
    }
}
