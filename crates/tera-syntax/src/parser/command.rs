//! Commands: `run`, `check`, their scopes and expectations.

use super::{Parsed, Parser};
use crate::ast::{
    Command, CommandKind, CommandTarget, Expect, Paragraph, Scope, ScopeBound, ScopeEntry, ScopeTarget,
};
use crate::diagnostic::Diagnostic;
use crate::token::Tok;

impl Parser<'_> {
    /// `label: run …`, `run label p …`, `run { … }`, and further commands behind `=>`.
    pub(super) fn commands(&mut self) -> Parsed<()> {
        let mut follows = false;
        loop {
            let command = self.command(follows)?;
            self.out.paragraphs.push(Paragraph::Command(command));
            if self.accept(Tok::Implies).is_none() {
                return Ok(());
            }
            follows = true;
        }
    }

    /// Does `label: run` or `label: check` stand `n` tokens ahead?
    pub(super) fn at_label(&self, n: usize) -> bool {
        self.peek(n) == Tok::Id
            && self.peek(n + 1) == Tok::Colon
            && matches!(self.peek(n + 2), Tok::Run | Tok::Check)
    }

    fn command(&mut self, follows: bool) -> Parsed<Command> {
        let start = self.span();
        let mut label = None;
        if self.at_label(0) {
            label = Some(self.new_name("a label")?);
            self.advance();
        }
        let kind = match self.tok() {
            Tok::Run => CommandKind::Run,
            Tok::Check => CommandKind::Check,
            _ => return Err(self.expected("`run` or `check`")),
        };
        let word = self.advance();
        let mut target = None;
        if self.at_name() && !self.at_label(0) {
            let first = self.name("a name")?;
            // A label stands in front of a name or a block.
            let labels =
                label.is_none() && (self.tok() == Tok::LBrace || self.at_name() && !self.at_label(0));
            if labels {
                label = Some(self.plain(first)?);
            } else {
                target = Some(CommandTarget::Name(self.no_dollar(first)?));
            }
        }
        let target = match target {
            Some(target) => target,
            None if self.tok() == Tok::LBrace => CommandTarget::Block(self.block("command")?),
            None if self.at_name() && !self.at_label(0) => {
                let name = self.name("a name")?;
                CommandTarget::Name(self.no_dollar(name)?)
            }
            None => {
                let what = match kind {
                    CommandKind::Run => "the predicate to run or `{`",
                    CommandKind::Check => "the assertion to check or `{`",
                };
                let error = self.expected_diagnostic(what).related(word, "of this command");
                return Err(self.error(error));
            }
        };
        let scope = match self.accept(Tok::For) {
            Some(_) => self.scope()?,
            None => Scope::default(),
        };
        let expect = self.expectation()?;
        Ok(Command { kind, label, target, scope, expect, follows, span: start.to(self.last_span()) })
    }

    /// `expect 1`, `expect 5 upto iso`
    fn expectation(&mut self) -> Parsed<Option<Expect>> {
        let Some(start) = self.accept(Tok::Expect) else { return Ok(None) };
        if self.tok() != Tok::Number {
            return Err(self.expected("a number behind `expect`"));
        }
        let value = self.number()?;
        let upto_iso = self.at_word(0, "upto") && self.at_word(1, "iso");
        if upto_iso {
            self.advance();
            self.advance();
        }
        Ok(Some(Expect { value, upto_iso, span: start.to(self.last_span()) }))
    }

    pub(super) fn whole_scope(&mut self) -> Parsed<Scope> {
        self.accept(Tok::For);
        let scope = self.scope()?;
        match self.tok() {
            Tok::End => Ok(scope),
            _ => Err(self.expected("`,` or the end of the scope")),
        }
    }

    /// What follows `for`: `3`, `3 but 2 A`, `exactly 2 A, 5 Int`; tera takes a comma for `but`.
    fn scope(&mut self) -> Parsed<Scope> {
        let start = self.span();
        let mut scope = Scope::default();
        let mut more = true;
        if self.tok() == Tok::Number && !self.entry_goes_on(1) {
            scope.overall = Some(self.number()?);
            more = self.accept(Tok::But).is_some() || self.accept(Tok::Comma).is_some();
        }
        while more {
            let entry = self.scope_entry()?;
            self.check_entry(&entry, &scope)?;
            scope.entries.push(entry);
            more = self.accept(Tok::Comma).is_some();
        }
        scope.span = Some(start.to(self.last_span()));
        Ok(scope)
    }

    /// Behind the number of a scope: is it the number of one signature?
    fn entry_goes_on(&self, n: usize) -> bool {
        match self.peek(n) {
            Tok::SigInt
            | Tok::Int
            | Tok::String
            | Tok::Univ
            | Tok::None
            | Tok::Steps
            | Tok::Dot
            | Tok::Colon => true,
            Tok::Seq | Tok::This => true,
            Tok::Id => !self.at_label(n),
            _ => false,
        }
    }

    fn scope_number(&mut self) -> Parsed<i64> {
        let minus = self.accept(Tok::Minus).is_some();
        if self.tok() != Tok::Number {
            let error = self.expected_diagnostic("a number");
            let error = match self.tok() {
                Tok::Id => error.help("a scope is a number and a signature: `for 3 A`"),
                _ => error,
            };
            return Err(self.error(error));
        }
        let value = self.number()?;
        Ok(if minus { -value } else { value })
    }

    fn scope_entry(&mut self) -> Parsed<ScopeEntry> {
        let start = self.span();
        let exactly = self.accept(Tok::Exactly).is_some();
        let first = self.scope_number()?;
        let (mut low, mut high) = (None, ScopeBound::Number(first));
        if self.tok() == Tok::Dot && self.peek(1) == Tok::Dot {
            self.advance();
            self.advance();
            low = Some(first);
            high = match self.tok() {
                Tok::Number | Tok::Minus => ScopeBound::Number(self.scope_number()?),
                _ => ScopeBound::Open,
            };
        }
        let mut increment = None;
        if self.accept(Tok::Colon).is_some() {
            if low.is_none() {
                (low, high) = (Some(first), ScopeBound::Open);
            }
            increment = Some(self.scope_number()?);
        }
        let target = match self.tok() {
            Tok::SigInt | Tok::Int => ScopeTarget::Int,
            Tok::Seq if self.peek(1) != Tok::Slash => ScopeTarget::Seq,
            Tok::String => ScopeTarget::String,
            Tok::Univ => ScopeTarget::Univ,
            Tok::Steps => ScopeTarget::Steps,
            Tok::None => {
                let error = Diagnostic::error(self.span(), "you cannot set a scope on `none`")
                    .help("delete this entry: `none` is always empty");
                return Err(self.error(error));
            }
            _ => {
                let name = self.name("the signature that this number is for")?;
                let name = self.no_dollar(name)?;
                let span = start.to(name.span);
                return Ok(ScopeEntry {
                    exactly,
                    low,
                    high,
                    increment,
                    target: ScopeTarget::Sig(name),
                    span,
                });
            }
        };
        let span = start.to(self.advance());
        Ok(ScopeEntry { exactly, low, high, increment, target, span })
    }

    /// What the Analyzer's grammar rules out about one entry and those before it.
    fn check_entry(&mut self, entry: &ScopeEntry, before: &Scope) -> Parsed<()> {
        let fault = |message: &str, help: &str| Err((message.to_string(), help.to_string()));
        let twice = |same: fn(&ScopeTarget) -> bool| before.entries.iter().any(|e| same(&e.target));
        let negative = entry.low.unwrap_or(0) < 0 || matches!(entry.high, ScopeBound::Number(n) if n < 0);
        let empty = matches!((entry.low, entry.high), (Some(low), ScopeBound::Number(high)) if low > high);
        let result = match entry.target {
            _ if empty => fault("this range is empty", "the smaller number stands first"),
            ScopeTarget::Int if twice(|t| matches!(t, ScopeTarget::Int)) => {
                fault("the scope of Int is given twice", "delete one of them")
            }
            ScopeTarget::Int if entry.exactly => fault(
                "`exactly` is redundant for Int: all integers of the bit width exist",
                "delete `exactly`",
            ),
            ScopeTarget::Int if entry.high == ScopeBound::Open || entry.increment.is_some() => fault(
                "the scope of Int cannot grow",
                "give a bit width, `5 Int`, or the smallest and largest integer, `-2..7 Int`",
            ),
            ScopeTarget::Int if entry.low.is_none() && negative => fault(
                "a bit width cannot be negative",
                "give a bit width, `5 Int`, or the smallest and largest integer, `-2..7 Int`",
            ),
            ScopeTarget::Int => Ok(()),
            _ if negative => fault("a scope cannot be negative", "only `lo..hi Int` may have a minus"),
            ScopeTarget::Seq if twice(|t| matches!(t, ScopeTarget::Seq)) => {
                fault("the longest sequence is given twice", "delete one of them")
            }
            ScopeTarget::Seq if entry.exactly => fault("`exactly` is redundant for seq", "delete `exactly`"),
            ScopeTarget::Seq if entry.low.is_some() => {
                fault("the scope of seq cannot grow", "give one number")
            }
            ScopeTarget::Univ => fault("you cannot set a scope on `univ`", "`for 3` bounds all signatures"),
            ScopeTarget::Steps if twice(|t| matches!(t, ScopeTarget::Steps)) => {
                fault("the scope of steps is given twice", "delete one of them")
            }
            ScopeTarget::Steps if entry.high == ScopeBound::Open && entry.low != Some(1) => {
                fault("an unbounded scope of steps starts at 1", "write `1.. steps`")
            }
            ScopeTarget::Steps if entry.increment.is_some_and(|i| i != 1) => {
                fault("steps grow by 1", "delete the increment")
            }
            ScopeTarget::Steps if entry.low.unwrap_or(1) < 1 || entry.high == ScopeBound::Number(0) => {
                fault("a trace has at least one step", "write `1 steps` or more")
            }
            _ => Ok(()),
        };
        result.map_err(|(message, help): (String, String)| {
            self.error(Diagnostic::error(entry.span, message).help(help))
        })
    }
}
