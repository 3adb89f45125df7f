//! What a specification says otherwise than the Rust types do.

use tera_syntax::ast::{ExprKind, File, Mult, Paragraph, SigParent, UnaryOp};
use tera_syntax::{FileId, Interner};

/// A signature as far as it is compared.
#[derive(Debug, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    /// `abstract sig Expr`, `one sig Zero extends Expr`
    head: String,
    /// Names and bounds.
    fields: Vec<(String, String)>,
}

/// The signatures of a text, enums as what they stand for.
pub fn signatures(text: &str) -> Vec<Signature> {
    let mut interner = Interner::default();
    let (file, _) = tera_syntax::parse(FileId(0), text, false, &mut interner);
    let mut found = Vec::new();
    for paragraph in &file.paragraphs {
        match paragraph {
            Paragraph::Sig(decl) => {
                let fields: Vec<(String, String)> = decl
                    .fields
                    .iter()
                    .flat_map(|field| {
                        let bound = bound(&file, field.bound, &interner);
                        field.names.iter().map(move |name| (name.symbol, bound.clone()))
                    })
                    .map(|(name, bound)| (interner.text(name).to_string(), bound))
                    .collect();
                let parents = |names: &[tera_syntax::ast::Name]| {
                    names.iter().map(|name| interner.text(name.symbol)).collect::<Vec<_>>().join(" + ")
                };
                let parent = match &decl.parent {
                    SigParent::None => String::new(),
                    SigParent::Extends(name) => format!(" extends {}", interner.text(name.symbol)),
                    SigParent::In(names) => format!(" in {}", parents(names)),
                    SigParent::Equals(names) => format!(" = {}", parents(names)),
                };
                let mult = match decl.mult {
                    Some((Mult::One, _)) => "one ",
                    Some((Mult::Lone, _)) => "lone ",
                    Some((Mult::Some, _)) => "some ",
                    _ => "",
                };
                let is_abstract = if decl.is_abstract.is_some() { "abstract " } else { "" };
                for name in &decl.names {
                    let name = interner.text(name.symbol).to_string();
                    let head = format!("{is_abstract}{mult}sig {name}{parent}");
                    found.push(Signature { name, head, fields: fields.clone() });
                }
            }
            Paragraph::Enum(decl) => {
                let parent = interner.text(decl.name.symbol).to_string();
                let head = format!("abstract sig {parent}");
                found.push(Signature { name: parent.clone(), head, fields: Vec::new() });
                for value in &decl.values {
                    let name = interner.text(value.symbol).to_string();
                    let head = format!("one sig {name} extends {parent}");
                    found.push(Signature { name, head, fields: Vec::new() });
                }
            }
            _ => {}
        }
    }
    found
}

/// The bound of a field; `one` is what a bound means without a word.
fn bound(file: &File, id: tera_syntax::ast::ExprId, interner: &Interner) -> String {
    let id = match file.expr(id).kind {
        ExprKind::Unary(UnaryOp::One, inner) => inner,
        _ => id,
    };
    let text = tera_syntax::print::expr(file, id, interner);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One line for each difference: `+` what the types have and the specification lacks, `-` what only
/// the specification has, `~` what both say differently.
pub fn differences(known: &str, wanted: &str) -> Vec<String> {
    let (known, wanted) = (signatures(known), signatures(wanted));
    let mut lines = Vec::new();
    for sig in &wanted {
        let Some(old) = known.iter().find(|old| old.name == sig.name) else {
            let fields: Vec<String> =
                sig.fields.iter().map(|(name, bound)| format!("{name}: {bound}")).collect();
            let body = if fields.is_empty() { "{}".into() } else { format!("{{ {} }}", fields.join(", ")) };
            lines.push(format!("+ {} {body}", sig.head));
            continue;
        };
        // A specification may say more (`one sig List`), but not another parent.
        let parent = |head: &str| head.split_once(&format!("sig {}", sig.name)).map(|p| p.1.to_string());
        if parent(&old.head) != parent(&sig.head) {
            lines.push(format!("~ {}   (the specification has `{}`)", sig.head, old.head));
        }
        for (name, bound) in &sig.fields {
            match old.fields.iter().find(|(old, _)| old == name) {
                None => lines.push(format!("+ {}.{name}: {bound}", sig.name)),
                Some((_, old)) if old != bound => {
                    lines.push(format!("~ {}.{name}: {bound}   (the specification has `{old}`)", sig.name));
                }
                Some(_) => {}
            }
        }
        for (name, bound) in &old.fields {
            if !sig.fields.iter().any(|(new, _)| new == name) {
                lines.push(format!("- {}.{name}: {bound}   (no such field in Rust)", sig.name));
            }
        }
    }
    lines
}
