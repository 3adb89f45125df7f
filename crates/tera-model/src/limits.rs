//! How much one specification may declare.
//!
//! A text of ten megabytes can name a million signatures; whatever is kept for each would fill the
//! memory before anything can be said about them, and no solver could use them. Numbers, not
//! memory or time, decide, so the answer is the same on every machine.

use tera_syntax::ast::{File, Paragraph};
use tera_syntax::{Diagnostic, Span};

/// Most names, facts and commands of all modules together.
const MAX_DECLARATIONS: usize = 1 << 14;

/// Most `open`s of all modules together.
const MAX_OPENS: usize = 1000;

/// What is left of the limits while files are read.
pub(crate) struct Room {
    declarations: usize,
    opens: usize,
}

impl Default for Room {
    fn default() -> Room {
        Room { declarations: MAX_DECLARATIONS, opens: MAX_OPENS }
    }
}

impl Room {
    /// Accounts for a file, or says where it goes too far.
    pub fn take(&mut self, file: &File) -> Result<(), Diagnostic> {
        for open in &file.opens {
            let Some(left) = self.opens.checked_sub(1) else {
                return Err(too_many(open.span, "modules opened", MAX_OPENS));
            };
            self.opens = left;
        }
        for paragraph in &file.paragraphs {
            let (n, span) = size(paragraph);
            let Some(left) = self.declarations.checked_sub(n) else {
                return Err(too_many(span, "names, facts and commands", MAX_DECLARATIONS));
            };
            self.declarations = left;
        }
        Ok(())
    }
}

fn too_many(span: Span, what: &str, most: usize) -> Diagnostic {
    Diagnostic::error(span, format!("this specification has more than {most} {what}"))
        .label("the first too many")
        .help("split it into smaller ones")
}

/// How many declarations a paragraph counts for.
fn size(paragraph: &Paragraph) -> (usize, Span) {
    match paragraph {
        Paragraph::Sig(sig) => {
            let fields: usize = sig.fields.iter().map(|field| field.names.len()).sum();
            // Each signature of the paragraph has the fields.
            (sig.names.len() * (1 + fields), sig.span)
        }
        Paragraph::Enum(e) => (1 + e.values.len(), e.span),
        Paragraph::Fact(fact) => (1, fact.span),
        Paragraph::Assert(assert) => (1, assert.span),
        Paragraph::Callable(callable) => (1, callable.span),
        Paragraph::Macro(m) => (1, m.span),
        Paragraph::Command(command) => (1, command.span),
    }
}
