//! How a shape is written in a specification.

use crate::describe::{Shape, TypeGraph};

/// The bound of a field of this shape: `lone Node`, `seq Int`, `Int -> lone Node`.
pub fn declaration(graph: &TypeGraph, shape: &Shape) -> String {
    match shape {
        Shape::Skip(_) | Shape::Unit(_) => String::new(),
        Shape::Wrap(wrap, inner) if wrap.is_link() && !matches!(**inner, Shape::Option(_)) => {
            format!("lone {}", column(graph, inner))
        }
        Shape::Wrap(_, inner) => declaration(graph, inner),
        Shape::Index { null: Some(_), .. } => format!("lone {}", column(graph, shape)),
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
