//! Declarations: fields, parameters and variables.

use super::{Parsed, Parser};
use crate::ast::{Decl, Name};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::Tok;

impl Parser<'_> {
    /// The declarations up to a closing token; commas in front, behind and doubled are passed over.
    pub(super) fn decls_until(&mut self, close: Tok, open: Span) -> Parsed<Vec<Decl>> {
        let mut decls = Vec::new();
        loop {
            while self.accept(Tok::Comma).is_some() {}
            if self.accept(close).is_some() {
                return Ok(decls);
            }
            if self.tok() == Tok::End || self.at_paragraph() {
                let error = self
                    .expected_diagnostic(&format!("a declaration or {}", close.text()))
                    .related(open, "opened here");
                return Err(self.error(error));
            }
            decls.push(self.decl(true)?);
            if !matches!(self.tok(), Tok::Comma) && self.tok() != close {
                let what = format!("an operator, `,` or {}", close.text());
                let error = self.expected_diagnostic(&what).related(open, "opened here");
                let error = match self.tok() {
                    Tok::Id if self.peek(1) == Tok::Colon => error.help("put a comma between declarations"),
                    _ => error,
                };
                return Err(self.error(error));
            }
        }
    }

    /// `x, y: A, z: B`. Definitions with `=` are for quantifiers (as in the Analyzer), not for
    /// comprehensions.
    pub(super) fn decls_of_quantifier(&mut self, defined: bool) -> Parsed<Vec<Decl>> {
        let mut decls = Vec::new();
        loop {
            decls.push(self.decl(defined)?);
            if self.accept(Tok::Comma).is_none() {
                return Ok(decls);
            }
        }
    }

    /// `var private disj a, b: disj e` or `a = e`.
    fn decl(&mut self, may_be_defined: bool) -> Parsed<Decl> {
        let start = self.span();
        let (mut private, mut var) = (None, None);
        loop {
            match self.tok() {
                Tok::Private if private.is_none() => private = Some(self.advance()),
                Tok::Var if var.is_none() => var = Some(self.advance()),
                _ => break,
            }
        }
        if matches!(self.tok(), Tok::Part | Tok::Exh) {
            let text = self.tok().text();
            let error = Diagnostic::error(self.span(), format!("{text} is no longer part of the language"))
                .help("state it as a fact; `disj` in front of the names says that they are disjoint");
            return Err(self.error(error));
        }
        let disj = self.accept(Tok::Disj);
        let names = self.decl_names()?;
        let defined = match self.tok() {
            Tok::Colon => false,
            Tok::Eq if may_be_defined => true,
            Tok::Id => {
                let error =
                    self.expected_diagnostic("`,` or `:`").help("names are separated by commas: `a, b: A`");
                return Err(self.error(error));
            }
            _ => return Err(self.expected("`:` and what the names range over")),
        };
        self.advance();
        let disj_bound = self.accept(Tok::Disj);
        if let (true, Some(span)) = (defined, disj.or(disj_bound)) {
            let error = Diagnostic::error(span, "defined fields cannot be disjoint")
                .help("delete `disj`: a field defined with `=` has the value of its expression");
            return Err(self.error(error));
        }
        let bound = self.expr()?;
        let span = start.to(self.expr_span(bound));
        Ok(Decl { private, var, disj, names, disj_bound, defined, bound, span })
    }

    fn decl_names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.new_name("a name to declare")?];
        while self.accept(Tok::Comma).is_some() {
            names.push(self.new_name("a name to declare")?);
        }
        Ok(names)
    }
}
