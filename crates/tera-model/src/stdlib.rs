//! The standard library, embedded. The files are those of `stdlib/` at the top of the repository.

/// The text of the embedded module of this path, e.g. `util/ordering`.
pub(crate) fn embedded(path: &str) -> Option<&'static str> {
    Some(match path {
        "tera/shape" => include_str!("../../../stdlib/tera/shape.als"),
        "util/boolean" => include_str!("../../../stdlib/util/boolean.als"),
        "util/graph" => include_str!("../../../stdlib/util/graph.als"),
        "util/integer" => include_str!("../../../stdlib/util/integer.als"),
        "util/natural" => include_str!("../../../stdlib/util/natural.als"),
        "util/ordering" => include_str!("../../../stdlib/util/ordering.als"),
        "util/relation" => include_str!("../../../stdlib/util/relation.als"),
        "util/seqrel" => include_str!("../../../stdlib/util/seqrel.als"),
        "util/sequence" => include_str!("../../../stdlib/util/sequence.als"),
        "util/sequniv" => include_str!("../../../stdlib/util/sequniv.als"),
        "util/ternary" => include_str!("../../../stdlib/util/ternary.als"),
        "util/time" => include_str!("../../../stdlib/util/time.als"),
        _ => return None,
    })
}

/// The names of all embedded modules, for suggestions.
pub(crate) const EMBEDDED: &[&str] = &[
    "tera/shape",
    "util/boolean",
    "util/graph",
    "util/integer",
    "util/natural",
    "util/ordering",
    "util/relation",
    "util/seqrel",
    "util/sequence",
    "util/sequniv",
    "util/ternary",
    "util/time",
];
