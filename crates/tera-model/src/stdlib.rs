//! The standard library, embedded. The files are those of `stdlib/` at the top of the repository.

use tera_syntax::ast::{File, Paragraph};
use tera_syntax::{FileId, Interner};

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

/// The embedded modules in which something of this name is declared, or only a signature, as one opens
/// them.
pub(crate) fn declaring(name: &str, only_sigs: bool) -> Vec<String> {
    EMBEDDED.iter().filter_map(|module| opening_of(module, name, only_sigs)).collect()
}

/// `open util/ordering[…]`, if the module declares the name.
fn opening_of(module: &str, name: &str, only_sigs: bool) -> Option<String> {
    let mut interner = Interner::default();
    let (file, _) = tera_syntax::parse(FileId::default(), embedded(module)?, false, &mut interner);
    let symbol = interner.get(name)?;
    if !declares(&file, only_sigs, |declared| declared.symbol == symbol) {
        return None;
    }
    let is_generic = file.header.is_some_and(|header| !header.params.is_empty());
    Some(format!("`open {module}{}`", if is_generic { "[…]" } else { "" }))
}

fn declares(file: &File, only_sigs: bool, is_wanted: impl Fn(&tera_syntax::ast::Name) -> bool) -> bool {
    file.paragraphs.iter().any(|paragraph| match paragraph {
        Paragraph::Sig(sig) => sig.private.is_none() && sig.names.iter().any(&is_wanted),
        Paragraph::Enum(e) => is_wanted(&e.name) || e.values.iter().any(&is_wanted),
        Paragraph::Callable(_) | Paragraph::Macro(_) if only_sigs => false,
        Paragraph::Callable(callable) => callable.private.is_none() && is_wanted(&callable.name),
        Paragraph::Macro(m) => m.private.is_none() && is_wanted(&m.name),
        Paragraph::Fact(_) | Paragraph::Assert(_) | Paragraph::Command(_) => false,
    })
}
