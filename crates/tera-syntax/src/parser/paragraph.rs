//! Paragraphs: the header, opens, signatures, enums, facts, assertions, predicates, functions and
//! macros; commands are in `command`.

use super::{Parsed, Parser};
use crate::ast::{
    Assert, Callable, EnumDecl, Fact, Header, Macro, ModuleParam, Mult, Name, Open, Paragraph, SigDecl,
    SigParent,
};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::Tok;

impl Parser<'_> {
    pub(super) fn paragraphs(&mut self) {
        while self.tok() != Tok::End {
            let before = self.pos;
            self.paragraph_start = self.span().start;
            // A closing bracket that is left over after an error tells nothing new.
            let leftover = matches!(self.tok(), Tok::RBrace | Tok::RParen | Tok::RBracket);
            if leftover && (!self.diagnostics.is_empty() || !self.faults.is_empty()) {
                self.advance();
            } else if self.paragraph().is_err() {
                self.nesting = 0;
                self.next_paragraph(before);
            }
        }
    }

    /// Moves on to where the next paragraph seems to begin, at least one token behind `before`.
    fn next_paragraph(&mut self, before: usize) {
        self.pos = self.pos.max(before + 1).min(self.tokens.len() - 1);
        while self.tok() != Tok::End && !self.at_paragraph() && !self.at_macro() {
            self.advance();
        }
    }

    /// Does a paragraph begin at the cursor? Asked where an expression or declaration could stand
    /// as well, so words that begin both do not count.
    pub(super) fn at_paragraph(&self) -> bool {
        match self.tok() {
            Tok::Sig
            | Tok::Fact
            | Tok::Assert
            | Tok::Enum
            | Tok::Open
            | Tok::Module
            | Tok::Run
            | Tok::Check
            | Tok::Abstract => true,
            Tok::Pred | Tok::Fun => self.peek(1) != Tok::Slash,
            Tok::One | Tok::Lone | Tok::Some | Tok::Var | Tok::Private => {
                let qualifiers = (1..6).find(|&n| !is_sig_qualifier(self.peek(n))).unwrap_or(6);
                match self.peek(qualifiers) {
                    Tok::Sig => true,
                    Tok::Open | Tok::Enum | Tok::Let | Tok::Pred | Tok::Fun => {
                        self.tok() == Tok::Private && qualifiers == 1
                    }
                    _ => false,
                }
            }
            Tok::Id => self.at_label(0),
            _ => false,
        }
    }

    /// Does a macro seem to begin at the cursor? It looks like a `let` in a formula; a macro most
    /// often begins its line.
    fn at_macro(&self) -> bool {
        let start = self.tokens[self.pos].start as usize;
        self.tok() == Tok::Let && (start == 0 || self.text.as_bytes()[start - 1] == b'\n')
    }

    fn paragraph(&mut self) -> Parsed<()> {
        let start = self.span();
        if self.tok() == Tok::Module {
            return self.header(start);
        }
        if self.tok() == Tok::Private && !matches!(self.peek(1), Tok::Sig) && !is_sig_qualifier(self.peek(1))
        {
            let private = Some(self.advance());
            return match self.tok() {
                Tok::Open => self.open(private, start),
                Tok::Enum => self.enumeration(private, start),
                Tok::Let => self.macro_(private, start),
                Tok::Pred | Tok::Fun => self.callable(private, start),
                _ => Err(self.expected("`sig`, `enum`, `open`, `pred`, `fun` or `let` behind `private`")),
            };
        }
        match self.tok() {
            Tok::Open => self.open(None, start),
            Tok::Enum => self.enumeration(None, start),
            Tok::Let => self.macro_(None, start),
            Tok::Pred | Tok::Fun => self.callable(None, start),
            Tok::Fact => {
                let (name, body) = self.named_block("fact")?;
                let span = start.to(self.last_span());
                self.out.paragraphs.push(Paragraph::Fact(Fact { name, body, span }));
                Ok(())
            }
            Tok::Assert => {
                let (name, body) = self.named_block("assertion")?;
                let span = start.to(self.last_span());
                self.out.paragraphs.push(Paragraph::Assert(Assert { name, body, span }));
                Ok(())
            }
            Tok::Sig => self.signature(),
            tok if is_sig_qualifier(tok) => self.signature(),
            Tok::Run | Tok::Check => self.commands(),
            Tok::Id if self.at_label(0) => self.commands(),
            Tok::Id => Err(self.misspelt_paragraph()),
            _ => Err(self.expected("a paragraph (`sig`, `fact`, `pred`, `run`, …)")),
        }
    }

    fn misspelt_paragraph(&mut self) -> super::Failed {
        const WORDS: [&str; 16] = [
            "module", "open", "sig", "abstract", "one", "lone", "some", "var", "private", "enum", "fact",
            "assert", "pred", "fun", "run", "check",
        ];
        let mut error = self.expected_diagnostic("a paragraph (`sig`, `fact`, `pred`, `run`, …)");
        if let Some(word) = crate::suggest(self.text_at(self.pos), WORDS) {
            error = error.help(format!("did you mean `{word}`?"));
        }
        self.error(error)
    }

    fn header(&mut self, start: Span) -> Parsed<()> {
        if self.out.header.is_some() || !self.out.opens.is_empty() || !self.out.paragraphs.is_empty() {
            let error = Diagnostic::error(start, "`module` must be the first line, and occur only once")
                .help("move it to the top of the file, or delete it");
            return Err(self.error(error));
        }
        self.advance();
        let name = self.name("the name of the module")?;
        let name = self.no_dollar(name)?;
        let mut params = Vec::new();
        if let Some(open) = self.accept(Tok::LBracket) {
            loop {
                let exactly = self.accept(Tok::Exactly).is_some();
                let name = self.new_name("the name of a parameter")?;
                params.push(ModuleParam { exactly, name });
                if self.accept(Tok::Comma).is_none() {
                    break;
                }
            }
            self.close(Tok::RBracket, open)?;
        }
        self.out.header = Some(Header { name, params, span: start.to(self.last_span()) });
        Ok(())
    }

    fn open(&mut self, private: Option<Span>, start: Span) -> Parsed<()> {
        if !self.out.paragraphs.is_empty() {
            let error = Diagnostic::error(self.span(), "`open` must stand before all other paragraphs")
                .help("move it to the top of the file, behind `module`");
            return Err(self.error(error));
        }
        self.advance();
        let path = self.name("the module to open")?;
        let path = self.no_dollar(path)?;
        let mut args = Vec::new();
        if let Some(open) = self.accept(Tok::LBracket) {
            if self.tok() != Tok::RBracket {
                loop {
                    args.push(self.sig_ref("a signature as argument")?);
                    if self.accept(Tok::Comma).is_none() {
                        break;
                    }
                }
            }
            self.close(Tok::RBracket, open)?;
        }
        let alias = match self.accept(Tok::As) {
            Some(_) => Some(self.new_name("another name for the module")?),
            None => None,
        };
        let span = start.to(self.last_span());
        self.out.opens.push(Open { private: private.is_some(), path, args, alias, span });
        Ok(())
    }

    fn enumeration(&mut self, private: Option<Span>, start: Span) -> Parsed<()> {
        self.advance();
        let name = self.new_name("the name of the enumeration")?;
        let open = self.expect(Tok::LBrace, "and the names of the constants")?;
        if self.tok() == Tok::RBrace {
            let error = Diagnostic::error(open.to(self.span()), "an enumeration has at least one constant")
                .help("write `enum E { A, B }`");
            return Err(self.error(error));
        }
        let mut values = vec![self.new_name("the name of a constant")?];
        while self.accept(Tok::Comma).is_some() {
            values.push(self.new_name("the name of a constant")?);
        }
        self.close(Tok::RBrace, open)?;
        let span = start.to(self.last_span());
        self.out.paragraphs.push(Paragraph::Enum(EnumDecl { private, name, values, span }));
        Ok(())
    }

    /// What follows `fact` or `assert`: a name or string, if any, and the block.
    fn named_block(&mut self, what: &str) -> Parsed<(Option<Name>, crate::ast::ExprId)> {
        self.advance();
        let name = match self.tok() {
            Tok::Str => {
                let span = self.span();
                Some(Name { symbol: self.string()?, span })
            }
            _ if self.at_name() => Some(self.new_name("a name")?),
            _ => None,
        };
        Ok((name, self.block(what)?))
    }

    fn signature(&mut self) -> Parsed<()> {
        let start = self.span();
        let (mut private, mut var, mut is_abstract) = (None, None, None);
        let mut mult: Option<(Mult, Span)> = None;
        while is_sig_qualifier(self.tok()) {
            let tok = self.tok();
            let span = self.advance();
            let before = match tok {
                Tok::Private => private.replace(span),
                Tok::Var => var.replace(span),
                Tok::Abstract => is_abstract.replace(span),
                _ => {
                    let own = match tok {
                        Tok::Lone => Mult::Lone,
                        Tok::One => Mult::One,
                        _ => Mult::Some,
                    };
                    mult.replace((own, span)).map(|(_, span)| span)
                }
            };
            if let Some(before) = before {
                let error =
                    Diagnostic::error(span, format!("{} does not fit what stands before", tok.text()))
                        .related(before, "conflicts with this")
                        .help("a signature is at most one of lone, one and some, and each word stands once");
                return Err(self.error(error));
            }
        }
        self.expect(Tok::Sig, "behind these words")?;
        let mut names = vec![self.new_name("the name of the signature")?];
        while self.accept(Tok::Comma).is_some() {
            names.push(self.new_name("the name of the signature")?);
        }
        let parent = match self.tok() {
            Tok::Extends => {
                self.advance();
                SigParent::Extends(self.sig_ref("the signature to extend")?)
            }
            Tok::In => {
                self.advance();
                SigParent::In(self.sig_union()?)
            }
            Tok::Eq => {
                self.advance();
                SigParent::Equals(self.sig_union()?)
            }
            _ => SigParent::None,
        };
        let open = self.expect(Tok::LBrace, "and the fields of the signature")?;
        let fields = self.decls_until(Tok::RBrace, open)?;
        let appended = match self.tok() {
            Tok::LBrace => Some(self.block("signature fact")?),
            _ => None,
        };
        let span = start.to(self.last_span());
        let sig = SigDecl { private, var, is_abstract, mult, names, parent, fields, appended, span };
        self.out.paragraphs.push(Paragraph::Sig(sig));
        Ok(())
    }

    fn sig_union(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.sig_ref("a signature")?];
        while self.accept(Tok::Plus).is_some() {
            names.push(self.sig_ref("a signature")?);
        }
        Ok(names)
    }

    /// `pred` and `fun`
    fn callable(&mut self, private: Option<Span>, start: Span) -> Parsed<()> {
        let is_fun = self.tok() == Tok::Fun;
        let what = if is_fun { "function" } else { "predicate" };
        self.advance();
        let first = self.sig_ref(&format!("the name of the {what}"))?;
        let (receiver, name) = match self.accept(Tok::Dot) {
            Some(_) => (Some(first), self.new_name(&format!("the name of the {what}"))?),
            None => (None, self.plain(first)?),
        };
        let params = match self.tok() {
            Tok::LBracket => {
                let open = self.advance();
                self.decls_until(Tok::RBracket, open)?
            }
            Tok::LParen => {
                let open = self.advance();
                self.decls_until(Tok::RParen, open)?
            }
            _ => Vec::new(),
        };
        let result = match is_fun {
            true => {
                self.expect(Tok::Colon, "and the result of the function")?;
                Some(self.expr()?)
            }
            false => None,
        };
        let body = self.block(what)?;
        let span = start.to(self.last_span());
        self.out.paragraphs.push(Paragraph::Callable(Callable {
            private,
            receiver,
            name,
            params,
            result,
            body,
            span,
        }));
        Ok(())
    }

    /// `let name[a, b] = e` or `let name[a, b] { … }`
    fn macro_(&mut self, private: Option<Span>, start: Span) -> Parsed<()> {
        self.advance();
        let name = self.new_name("the name of the macro")?;
        let mut params = Vec::new();
        let close = match self.tok() {
            Tok::LBracket => Some(Tok::RBracket),
            Tok::LParen => Some(Tok::RParen),
            _ => None,
        };
        if let Some(close) = close {
            let open = self.advance();
            if self.tok() != close {
                params.push(self.new_name("the name of a parameter")?);
                while self.accept(Tok::Comma).is_some() {
                    params.push(self.new_name("the name of a parameter")?);
                }
            }
            self.close(close, open)?;
        }
        let body = match self.tok() {
            Tok::Eq => {
                self.advance();
                self.expr()?
            }
            Tok::LBrace => self.block("macro")?,
            _ => return Err(self.expected("`=` or `{` and the body of the macro")),
        };
        let span = start.to(self.last_span());
        self.out.paragraphs.push(Paragraph::Macro(Macro { private, name, params, body, span }));
        Ok(())
    }

    fn close(&mut self, close: Tok, open: Span) -> Parsed<Span> {
        match self.accept(close) {
            Some(span) => Ok(span),
            None => {
                let error = self
                    .expected_diagnostic(&format!("`,` or {}", close.text()))
                    .related(open, "opened here");
                Err(self.error(error))
            }
        }
    }
}

fn is_sig_qualifier(tok: Tok) -> bool {
    matches!(tok, Tok::Abstract | Tok::Lone | Tok::One | Tok::Some | Tok::Private | Tok::Var)
}
