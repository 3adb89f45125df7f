//! Turns Alloy text into a tree with spans and diagnostics; no files, no panics.
//!
//! [`parse`] never fails: it gives a tree and what is wrong with the text. Nesting is limited by
//! numbers ([`MAX_NESTING`], [`MAX_DEPTH`]), not by the stack.
//!
//! ```text
//! text -> markdown (what is Alloy) -> lexer (pest, grammar.pest) -> parser -> ast
//! ```

pub mod ast;
mod diagnostic;
mod lexer;
mod markdown;
mod parser;
pub mod print;
pub mod report;
mod sources;
mod span;
mod suggest;
mod symbol;
mod token;

pub use diagnostic::{Diagnostic, Severity};
pub use parser::{MAX_DEPTH, MAX_NESTING};
pub use sources::{Source, Sources};
pub use span::{FileId, Span};
pub use suggest::suggest;
pub use symbol::{Interner, Symbol};

/// Parses one file. `text` is Alloy, or Markdown with Alloy in fenced ```` ```alloy ```` blocks when it
/// begins with a line `---` (as the Analyzer's literate files) or `markdown` is set.
///
/// With errors the tree holds the paragraphs that could be read.
pub fn parse(
    file: FileId,
    text: &str,
    markdown: bool,
    interner: &mut Interner,
) -> (ast::File, Vec<Diagnostic>) {
    if u32::try_from(text.len()).is_err() {
        let error = Diagnostic::error(Span::new(file, 0, 0), "the file is larger than 4 GiB");
        return (ast::File::default(), vec![error]);
    }
    let text = markdown::alloy_of(text, markdown);
    let (tokens, mut diagnostics) = lexer::tokenize(file, &text);
    let (tree, errors) = parser::file(file, &text, &tokens, &diagnostics, interner);
    merge(&mut diagnostics, errors);
    (tree, diagnostics)
}

/// Parses one expression or formula, the whole of `text`. It is the second value, in the arena of
/// the first; absent when there is an error.
pub fn parse_expression(
    file: FileId,
    text: &str,
    interner: &mut Interner,
) -> (ast::File, Option<ast::ExprId>, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lexer::tokenize(file, text);
    let (tree, root, errors) = parser::expression(file, text, &tokens, interner);
    merge(&mut diagnostics, errors);
    (tree, root.filter(|_| diagnostics.is_empty()), diagnostics)
}

/// Parses a scope as it stands behind `for`: `3 but exactly 2 A`, also `3, 2 A`.
pub fn parse_scope(file: FileId, text: &str, interner: &mut Interner) -> (ast::Scope, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lexer::tokenize(file, text);
    let (scope, errors) = parser::scope(file, text, &tokens, interner);
    merge(&mut diagnostics, errors);
    (scope, diagnostics)
}

/// Lexical errors and those of the parser, in the order of the text.
fn merge(diagnostics: &mut Vec<Diagnostic>, errors: Vec<Diagnostic>) {
    diagnostics.extend(errors);
    diagnostics.sort_by_key(|d| (d.span.start, d.span.end));
}
