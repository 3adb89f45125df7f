//! Recursive descent over the tokens: paragraphs here and in the modules below, expressions by
//! precedence climbing in [`expr`].
//!
//! The language is the Analyzer's, with its quirks (what its token filter and grammar accept), so
//! that a file means the same to both. An error ends its paragraph; reading goes on at the next
//! one, so that independent errors are told together.
//!
//! Invariants: every failure has a diagnostic (of the parser or the lexer) before [`Failed`] is returned; recursion is
//! bounded by [`MAX_NESTING`] and the depth of the tree by [`MAX_DEPTH`], both numbers, so the
//! answer does not depend on the stack of the machine.

mod command;
mod decl;
mod expr;
mod paragraph;

use crate::ast::{Expr, ExprId, ExprKind, File, Name};
use crate::diagnostic::Diagnostic;
use crate::span::{FileId, Span};
use crate::symbol::{Interner, Symbol};
use crate::token::{Tok, Token};

/// How deep brackets, quantifiers, prefix and right-associative operators may nest.
pub const MAX_NESTING: u32 = 1_000;

/// How deep a tree may become, chains such as `a + b + c + …` included (each operand is a level).
/// Whoever recurses over a tree needs a stack for that many frames.
pub const MAX_DEPTH: u32 = 4_000;

/// No more than this many errors are told of one file.
const MAX_ERRORS: usize = 50;

/// Something was wrong and has been diagnosed.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Parses one file that is already cut into `tokens`. What the lexer found faulty explains errors
/// of the parser behind it in the same paragraph, which are not told then.
pub(crate) fn file(
    id: FileId,
    text: &str,
    tokens: &[Token],
    faults: &[Diagnostic],
    interner: &mut Interner,
) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(id, text, tokens, interner);
    parser.faults = faults;
    parser.paragraphs();
    (parser.out, parser.diagnostics)
}

/// Parses `text` as one expression; nothing may follow it.
pub(crate) fn expression(
    id: FileId,
    text: &str,
    tokens: &[Token],
    interner: &mut Interner,
) -> (File, Option<ExprId>, Vec<Diagnostic>) {
    let mut parser = Parser::new(id, text, tokens, interner);
    let root = parser.whole_expression().ok();
    (parser.out, root, parser.diagnostics)
}

/// Parses `text` as what may follow `for`.
pub(crate) fn scope(
    id: FileId,
    text: &str,
    tokens: &[Token],
    interner: &mut Interner,
) -> (crate::ast::Scope, Vec<Diagnostic>) {
    let mut parser = Parser::new(id, text, tokens, interner);
    let scope = parser.whole_scope().unwrap_or_default();
    (scope, parser.diagnostics)
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    /// Ends with [`Tok::End`], which is never passed.
    tokens: &'a [Token],
    pos: usize,
    interner: &'a mut Interner,
    out: File,
    /// The height of the tree below each expression.
    depths: Vec<u32>,
    nesting: u32,
    /// The token behind the last quantified expression that ended with a block: no operator may
    /// follow there.
    after_block: usize,
    /// Where the paragraph at hand begins.
    paragraph_start: u32,
    /// What the lexer found, in the order of the text.
    faults: &'a [Diagnostic],
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str, tokens: &'a [Token], interner: &'a mut Interner) -> Parser<'a> {
        // There are hardly more expressions than tokens; growing would copy them again and again.
        let out = File { exprs: Vec::with_capacity(tokens.len() / 4 * 3), ..File::default() };
        Parser {
            file,
            text,
            tokens,
            pos: 0,
            interner,
            out,
            depths: Vec::with_capacity(tokens.len() / 4 * 3),
            nesting: 0,
            after_block: usize::MAX,
            paragraph_start: 0,
            faults: &[],
            diagnostics: Vec::new(),
        }
    }

    // The cursor.

    fn tok(&self) -> Tok {
        self.tokens[self.pos].tok
    }

    /// The token `n` places ahead.
    fn peek(&self, n: usize) -> Tok {
        self.tok_at(self.pos + n)
    }

    fn tok_at(&self, index: usize) -> Tok {
        self.tokens.get(index).map_or(Tok::End, |token| token.tok)
    }

    fn span_at(&self, index: usize) -> Span {
        let token = &self.tokens[index.min(self.tokens.len() - 1)];
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn span(&self) -> Span {
        self.span_at(self.pos)
    }

    /// The span of the token before the cursor.
    fn last_span(&self) -> Span {
        self.span_at(self.pos.saturating_sub(1))
    }

    fn text_at(&self, index: usize) -> &'a str {
        let token = &self.tokens[index];
        &self.text[token.start as usize..token.end as usize]
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
        span
    }

    fn accept(&mut self, tok: Tok) -> Option<Span> {
        (self.tok() == tok).then(|| self.advance())
    }

    fn expect(&mut self, tok: Tok, what: &str) -> Parsed<Span> {
        match self.accept(tok) {
            Some(span) => Ok(span),
            None => Err(self.expected(&format!("{} {what}", tok.text()))),
        }
    }

    /// Is the cursor at the name `word`, which is no reserved word?
    fn at_word(&self, n: usize, word: &str) -> bool {
        self.peek(n) == Tok::Id && self.text_at(self.pos + n) == word
    }

    // Errors.

    fn error(&mut self, diagnostic: Diagnostic) -> Failed {
        let explained =
            |fault: &Diagnostic| (self.paragraph_start..diagnostic.span.end).contains(&fault.span.start);
        if self.diagnostics.len() < MAX_ERRORS && !self.faults.iter().any(explained) {
            self.diagnostics.push(diagnostic);
        }
        Failed
    }

    /// The token at the cursor is not `what`.
    fn expected(&mut self, what: &str) -> Failed {
        let diagnostic = self.expected_diagnostic(what);
        self.error(diagnostic)
    }

    fn expected_diagnostic(&self, what: &str) -> Diagnostic {
        let found = match self.tok() {
            tok @ (Tok::Id | Tok::Number | Tok::Str) => format!("{} {}", &tok.text()[2..], self.found()),
            tok => tok.text().to_string(),
        };
        let error = Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
            .label(format!("expected {what}"));
        if self.pos == self.after_block {
            return error.help(
                "a quantified formula ends with its block: put parentheses around it to go on behind it",
            );
        }
        match self.tok() {
            Tok::Eq if self.tok_at(self.pos.wrapping_sub(1)) == Tok::Eq => {
                error.help("equality is written with one `=`")
            }
            Tok::Prime => error.help(
                "a prime is the value in the next state; old models use it in names: \
                 rename `b'` to, say, `b_after`",
            ),
            Tok::Slash => error.help("comments begin with `//`, `--` or `/*`"),
            tok if tok.is_word() => error.help(format!("{} is a reserved word", tok.text())),
            _ => error,
        }
    }

    /// The text at the cursor, shortened.
    fn found(&self) -> String {
        let text = self.text_at(self.pos);
        match text.char_indices().nth(40) {
            Some((cut, _)) => format!("`{}…`", &text[..cut]),
            None => format!("`{text}`"),
        }
    }

    // Names.

    fn intern_at(&mut self, index: usize) -> Symbol {
        self.interner.intern(self.text_at(index))
    }

    /// Does a name (`a`, `a/b`, `this/a`, `seq/a`) begin at the cursor?
    fn at_name(&self) -> bool {
        self.tok() == Tok::Id || matches!(self.tok(), Tok::This | Tok::Seq) && self.peek(1) == Tok::Slash
    }

    /// A possibly qualified name.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        if !self.at_name() {
            return Err(self.expected(what));
        }
        let first = self.pos;
        let span = self.advance();
        if self.tok() != Tok::Slash {
            return Ok(Name { symbol: self.intern_at(first), span });
        }
        let mut path = self.text_at(first).to_string();
        while self.accept(Tok::Slash).is_some() {
            // `seq/Int` alone has a reserved word behind a slash.
            let part = self.tok() == Tok::Id || path == "seq" && self.tok() == Tok::SigInt;
            if !part {
                return Err(self.expected("a name behind the slash"));
            }
            path.push('/');
            path.push_str(self.text_at(self.pos));
            self.advance();
        }
        Ok(Name { symbol: self.interner.intern(&path), span: span.to(self.last_span()) })
    }

    /// A name that is being declared: neither qualified nor with a dollar sign.
    fn new_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        self.plain(name)
    }

    /// No dollar sign, as in every name that a file declares.
    fn no_dollar(&mut self, name: Name) -> Parsed<Name> {
        if self.interner.text(name.symbol).contains('$') {
            let error = Diagnostic::error(name.span, "the name cannot contain the `$` sign")
                .help("names with `$` are those of meta atoms, such as `A$`; choose another name");
            return Err(self.error(error));
        }
        Ok(name)
    }

    fn plain(&mut self, name: Name) -> Parsed<Name> {
        let name = self.no_dollar(name)?;
        if self.interner.text(name.symbol).contains('/') {
            let error = Diagnostic::error(name.span, "a name that is declared cannot contain `/`")
                .help("names with slashes refer to what a module declares");
            return Err(self.error(error));
        }
        if self.tok() == Tok::Prime {
            let text = self.interner.text(name.symbol);
            let span = name.span.to(self.span());
            let error = Diagnostic::error(span, "a name cannot contain a prime").help(format!(
                "in Alloy 6 a prime is the value in the next state; rename `{text}'` to, say, `{text}_after`"
            ));
            return Err(self.error(error));
        }
        Ok(name)
    }

    /// A name or one of the built-in signatures.
    fn sig_ref(&mut self, what: &str) -> Parsed<Name> {
        match self.tok() {
            Tok::Univ | Tok::String | Tok::Steps | Tok::SigInt | Tok::None => {
                let symbol = self.intern_at(self.pos);
                Ok(Name { symbol, span: self.advance() })
            }
            _ => self.name(what),
        }
    }

    // The tree.

    fn add(&mut self, kind: ExprKind, span: Span) -> Parsed<ExprId> {
        let mut depth = 0;
        kind.for_each_child(|child| depth = depth.max(self.depths[child.0 as usize]));
        if depth >= MAX_DEPTH {
            let place = Span { start: span.end.saturating_sub(1).max(span.start), ..span };
            let error =
                Diagnostic::error(place, format!("this expression is more than {MAX_DEPTH} levels deep"))
                    .help("name parts of it with `let`, `pred` or `fun`, or put parentheses in long chains");
            return Err(self.error(error));
        }
        let id = ExprId(self.out.exprs.len() as u32);
        self.out.exprs.push(Expr { kind, span });
        self.depths.push(depth + 1);
        Ok(id)
    }

    fn expr_span(&self, id: ExprId) -> Span {
        self.out.exprs[id.0 as usize].span
    }
}

#[cfg(test)]
mod tests;
