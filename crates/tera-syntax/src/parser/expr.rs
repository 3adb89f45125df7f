//! Expressions and formulas, by precedence climbing.
//!
//! Loosest first: `;`, or, iff, implies, and, until and its kin, not and the unary temporal
//! operators, comparison, some/no/lone/one/set/seq, shifts, `+ -`, `fun/mul`, `#`, `++`, `&`, `->`,
//! `<:`, `:>`, box and dot, `~ ^ *`, prime. A quantified expression (or `let`) may be the last
//! operand of nearly every operator; its body then reaches as far right as it can, and nothing
//! can follow it on the same level. A prefix operator cannot be an operand of an operator that
//! binds tighter than itself (`a + no b` is an error, as in the Analyzer).

use super::{MAX_NESTING, Parsed, Parser};
use crate::ast::{BinaryOp, ExprId, ExprKind, Mult, Name, Quant, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::Tok;

/// Binding strengths.
mod level {
    pub const SEQUENCE: u8 = 1;
    pub const OR: u8 = 2;
    pub const IFF: u8 = 3;
    pub const IMPLIES: u8 = 4;
    pub const AND: u8 = 5;
    pub const TEMPORAL: u8 = 6;
    pub const NOT: u8 = 7;
    pub const COMPARE: u8 = 8;
    pub const TEST: u8 = 9;
    pub const SHIFT: u8 = 10;
    pub const UNION: u8 = 11;
    pub const MULTIPLY: u8 = 12;
    pub const CARD: u8 = 13;
    pub const OVERRIDE: u8 = 14;
    pub const INTERSECT: u8 = 15;
    pub const ARROW: u8 = 16;
    pub const DOMAIN: u8 = 17;
    pub const RANGE: u8 = 18;
    pub const JOIN: u8 = 19;
    pub const CLOSURE: u8 = 20;
    pub const PRIME: u8 = 21;
}

/// An operand that was read, and whether it ended with the body of a quantifier or `let`, so that
/// no operator may take it as its left side.
struct Operand {
    id: ExprId,
    ends_bound: bool,
}

/// What stands between two operands.
enum Infix {
    Binary(BinaryOp),
    Implies,
    Arrow(Mult, Mult),
}

impl Parser<'_> {
    /// Any expression or formula.
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        Ok(self.operand(level::SEQUENCE, true)?.id)
    }

    pub(super) fn whole_expression(&mut self) -> Parsed<ExprId> {
        if self.tok() == Tok::End {
            return Err(self.expected("an expression"));
        }
        let id = self.expr()?;
        match self.tok() {
            Tok::End => Ok(id),
            _ => Err(self.expected("an operator or the end")),
        }
    }

    /// An operand and all operators behind it that bind at least as tight as `min`. `bind` tells
    /// whether a quantified expression may stand here.
    fn operand(&mut self, min: u8, bind: bool) -> Parsed<Operand> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let error = Diagnostic::error(self.span(), format!("nested more than {MAX_NESTING} levels deep"))
                .help("name the inner parts with `let`, `pred` or `fun`");
            return Err(self.error(error));
        }
        let mut left = self.prefix(min, bind)?;
        while !left.ends_bound {
            match self.infix(left.id, min)? {
                Some(longer) => left = longer,
                None => break,
            }
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn closed(&self, id: ExprId) -> Operand {
        Operand { id, ends_bound: false }
    }

    // Operands.

    fn prefix(&mut self, min: u8, bind: bool) -> Parsed<Operand> {
        use UnaryOp::*;
        let (op, own) = match self.tok() {
            Tok::Let => return self.bound(bind, Parser::let_expr),
            _ if self.at_quantifier() => return self.bound(bind, Parser::quantified),
            Tok::Not => (Not, level::NOT),
            Tok::Always => (Always, level::NOT),
            Tok::Eventually => (Eventually, level::NOT),
            Tok::After => (After, level::NOT),
            Tok::Before => (Before, level::NOT),
            Tok::Historically => (Historically, level::NOT),
            Tok::Once => (Once, level::NOT),
            Tok::No => (No, level::TEST),
            Tok::Some => (Some, level::TEST),
            Tok::Lone => (Lone, level::TEST),
            Tok::One => (One, level::TEST),
            Tok::Set => (Set, level::TEST),
            Tok::Seq if self.peek(1) != Tok::Slash => (Seq, level::TEST),
            Tok::Hash => (Card, level::CARD),
            Tok::Sum if self.peek(1) != Tok::LBracket => (Sum, level::CARD),
            Tok::Int if self.peek(1) != Tok::LBracket => (CastInt, level::CARD),
            Tok::Tilde => (Transpose, level::CLOSURE),
            Tok::Caret => (Closure, level::CLOSURE),
            Tok::Star => (ReflexiveClosure, level::CLOSURE),
            _ => return Ok(Operand { id: self.primary()?, ends_bound: false }),
        };
        if own < min {
            let text = self.tok().text();
            let error = Diagnostic::error(self.span(), format!("{text} cannot stand here"))
                .label("the operator in front of it binds tighter")
                .help(format!("put parentheses around {text} and its operand"));
            return Err(self.error(error));
        }
        let start = self.advance();
        // A test of size (`some e`) takes no quantified expression; all others do.
        let inner = match own {
            level::NOT | level::CARD | level::CLOSURE => self.operand(own, true)?,
            _ => self.operand(own + 1, false)?,
        };
        let span = start.to(self.expr_span(inner.id));
        Ok(Operand { id: self.add(ExprKind::Unary(op, inner.id), span)?, ..inner })
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let span = self.span();
        match self.tok() {
            Tok::Number => {
                let value = self.number()?;
                self.add(ExprKind::Number(value), span)
            }
            Tok::Minus if self.peek(1) == Tok::Number => {
                self.advance();
                let value = -self.number()?;
                self.add(ExprKind::Number(value), span.to(self.last_span()))
            }
            Tok::Minus => {
                let error = Diagnostic::error(span, "expected an expression, found `-`")
                    .label("nothing to subtract from")
                    .help("the negative of an expression is `minus[0, e]`");
                Err(self.error(error))
            }
            Tok::Str => {
                let symbol = self.string()?;
                self.add(ExprKind::Str(symbol), span)
            }
            Tok::LParen => self.parenthesized(),
            Tok::LBrace if self.at_decl(1) => self.comprehension(),
            Tok::LBrace => self.block("expression"),
            Tok::At => {
                self.advance();
                let name = self.name("a field name behind `@`")?;
                let name = self.no_dollar(name)?;
                self.add(ExprKind::AtName(name), span.to(name.span))
            }
            Tok::Sum | Tok::Int => {
                // A bracket follows, else this were a prefix.
                let op = if self.tok() == Tok::Sum { UnaryOp::Sum } else { UnaryOp::CastInt };
                self.advance();
                let (args, end) = self.arguments()?;
                let [arg] = args[..] else {
                    let error = Diagnostic::error(span.to(end), "one expression is summed at a time")
                        .help("write `int[a] + …` or `plus[a, b]`");
                    return Err(self.error(error));
                };
                self.add(ExprKind::Unary(op, arg), span.to(end))
            }
            Tok::Disj | Tok::Pred => {
                let name = self.special_name()?;
                if self.tok() != Tok::LBracket {
                    return Err(self.expected("`[` and the arguments"));
                }
                self.add(ExprKind::Name(name), name.span)
            }
            Tok::Fun if self.peek(1) == Tok::Slash => {
                let name = self.special_name()?;
                self.add(ExprKind::Name(name), name.span)
            }
            Tok::This if self.peek(1) != Tok::Slash => self.word(),
            Tok::Iden => self.word(),
            Tok::All => {
                let error = Diagnostic::error(span, "`all` without variables has no meaning")
                    .help("declare the variables: `all x: A | …`");
                Err(self.error(error))
            }
            Tok::Univ | Tok::String | Tok::Steps | Tok::SigInt | Tok::None => self.word(),
            _ if self.at_name() => {
                let name = self.name("a name")?;
                self.add(ExprKind::Name(name), name.span)
            }
            _ => Err(self.expected("an expression")),
        }
    }

    fn word(&mut self) -> Parsed<ExprId> {
        let symbol = self.intern_at(self.pos);
        let span = self.advance();
        self.add(ExprKind::Name(Name { symbol, span }), span)
    }

    /// `disj`, `pred/totalOrder`, `fun/min`, `fun/max`, `fun/next`, blanks around the slash removed.
    fn special_name(&mut self) -> Parsed<Name> {
        let first = self.tok();
        let span = self.advance();
        if first == Tok::Disj {
            return Ok(Name { symbol: self.interner.intern("disj"), span });
        }
        let known: &[&str] = if first == Tok::Pred { &["totalOrder"] } else { &["min", "max", "next"] };
        if self.accept(Tok::Slash).is_none() {
            return Err(self.expected("`/totalOrder` behind `pred`"));
        }
        let found = self.tok() == Tok::Id && known.contains(&self.text_at(self.pos));
        if !found {
            let names = known.join("`, `");
            return Err(self.expected(&format!("one of `{names}`")));
        }
        let word = if first == Tok::Pred { "pred" } else { "fun" };
        let symbol = self.interner.intern(&format!("{word}/{}", self.text_at(self.pos)));
        let end = self.advance();
        Ok(Name { symbol, span: span.to(end) })
    }

    fn parenthesized(&mut self) -> Parsed<ExprId> {
        let open = self.advance();
        let id = self.expr()?;
        let Some(close) = self.accept(Tok::RParen) else {
            let error = self.expected_diagnostic("an operator or `)`").related(open, "opened here");
            return Err(self.error(error));
        };
        // The parentheses belong to the expression, so that spans of larger ones are whole.
        self.out.exprs[id.0 as usize].span = open.to(close);
        Ok(id)
    }

    /// `[a, b]`
    fn arguments(&mut self) -> Parsed<(Vec<ExprId>, Span)> {
        let open = self.expect(Tok::LBracket, "and the arguments")?;
        let mut args = Vec::new();
        if self.tok() != Tok::RBracket {
            loop {
                args.push(self.expr()?);
                if self.accept(Tok::Comma).is_none() {
                    break;
                }
            }
        }
        match self.accept(Tok::RBracket) {
            Some(close) => Ok((args, open.to(close))),
            None => {
                let error = self.expected_diagnostic("`,` or `]`").related(open, "opened here");
                Err(self.error(error))
            }
        }
    }

    /// `{ f g h }`. `what` names the owner of the block.
    pub(super) fn block(&mut self, what: &str) -> Parsed<ExprId> {
        let open = self.expect(Tok::LBrace, &format!("and the body of the {what}"))?;
        let mut items = Vec::new();
        loop {
            if let Some(close) = self.accept(Tok::RBrace) {
                return self.add(ExprKind::Block(items), open.to(close));
            }
            let begins_paragraph = self.at_paragraph();
            if self.tok() == Tok::End || begins_paragraph {
                let error = self
                    .expected_diagnostic("`}`")
                    .related(open, "this brace is never closed")
                    .help("close the brace; paragraphs do not nest");
                return Err(self.error(error));
            }
            if !items.is_empty() && !self.begins_operand() {
                let error = self.expected_diagnostic("an operator, another formula or `}`");
                return Err(self.error(error));
            }
            items.push(self.expr()?);
        }
    }

    fn begins_operand(&self) -> bool {
        !matches!(
            self.tok(),
            Tok::RParen
                | Tok::RBracket
                | Tok::Comma
                | Tok::Colon
                | Tok::Bar
                | Tok::Else
                | Tok::Eq
                | Tok::Prime
                | Tok::Slash
                | Tok::And
                | Tok::Or
                | Tok::Implies
                | Tok::Iff
                | Tok::BackTick
        )
    }

    fn comprehension(&mut self) -> Parsed<ExprId> {
        let open = self.advance();
        let decls = self.decls_of_quantifier(false)?;
        let body = match self.tok() {
            Tok::RBrace => None,
            _ => Some(self.body("comprehension")?),
        };
        match self.accept(Tok::RBrace) {
            Some(close) => self.add(ExprKind::Comprehension { decls, body }, open.to(close)),
            None => {
                let error = self.expected_diagnostic("`}`").related(open, "the comprehension begins here");
                Err(self.error(error))
            }
        }
    }

    /// `| e` or `{ … }`
    fn body(&mut self, what: &str) -> Parsed<ExprId> {
        if self.accept(Tok::Bar).is_some() {
            return self.expr();
        }
        if self.tok() != Tok::LBrace {
            let error = self
                .expected_diagnostic("`|` or `{`")
                .help(format!("the body of a {what} follows a bar, or stands in braces"));
            return Err(self.error(error));
        }
        let id = self.block(what)?;
        self.after_block = self.pos;
        Ok(id)
    }

    /// A quantifier or `let`, if one may stand here.
    fn bound(&mut self, allowed: bool, read: fn(&mut Self) -> Parsed<ExprId>) -> Parsed<Operand> {
        if !allowed {
            let text = self.tok().text();
            let error = Diagnostic::error(self.span(), format!("{text} cannot be an operand here"))
                .help(format!("put parentheses around the whole {text} expression"));
            return Err(self.error(error));
        }
        Ok(Operand { id: read(self)?, ends_bound: true })
    }

    fn quantified(&mut self) -> Parsed<ExprId> {
        let quant = match self.tok() {
            Tok::All => Quant::All,
            Tok::No => Quant::No,
            Tok::Some => Quant::Some,
            Tok::Lone => Quant::Lone,
            Tok::One => Quant::One,
            _ => Quant::Sum,
        };
        let start = self.advance();
        let decls = self.decls_of_quantifier(true)?;
        let body = self.body("quantifier")?;
        let span = start.to(self.expr_span(body));
        self.add(ExprKind::Quant { quant, decls, body }, span)
    }

    fn let_expr(&mut self) -> Parsed<ExprId> {
        let start = self.advance();
        let mut bindings = Vec::new();
        loop {
            let name = self.new_name("the name that `let` defines")?;
            self.expect(Tok::Eq, "behind the name")?;
            bindings.push((name, self.expr()?));
            if self.accept(Tok::Comma).is_none() {
                break;
            }
        }
        let body = self.body("`let`")?;
        let span = start.to(self.expr_span(body));
        self.add(ExprKind::Let { bindings, body }, span)
    }

    /// Is the word at the cursor a quantifier? It is one when plain names and a colon follow, and
    /// it is not itself a multiplicity behind a colon (the rule of the Analyzer's token filter).
    fn at_quantifier(&self) -> bool {
        if !matches!(self.tok(), Tok::All | Tok::No | Tok::Some | Tok::Lone | Tok::One | Tok::Sum) {
            return false;
        }
        if self.pos > 0 && matches!(self.tok_at(self.pos - 1), Tok::Colon | Tok::Disj) {
            return false;
        }
        let mut at = self.pos + 1;
        if self.tok_at(at) == Tok::Private {
            at += 1;
        }
        if matches!(self.tok_at(at), Tok::Disj | Tok::Part | Tok::Exh) {
            at += 1;
        }
        self.names_and_colon(at)
    }

    /// Do names, separated by commas, and a colon stand at token `at`? Primes are passed over,
    /// to be refused as parts of names.
    fn names_and_colon(&self, mut at: usize) -> bool {
        while self.tok_at(at) == Tok::Id {
            at += 1;
            while self.tok_at(at) == Tok::Prime {
                at += 1;
            }
            match self.tok_at(at) {
                Tok::Comma => at += 1,
                tok => return tok == Tok::Colon,
            }
        }
        false
    }

    /// Does a declaration stand `n` tokens ahead?
    fn at_decl(&self, n: usize) -> bool {
        match self.peek(n) {
            Tok::Private | Tok::Var | Tok::Part | Tok::Exh => true,
            Tok::Disj => self.peek(n + 1) != Tok::LBracket,
            _ => self.names_and_colon(self.pos + n),
        }
    }

    // Operators behind an operand.

    /// Reads one operator that binds at least as tight as `min`, with what follows it.
    fn infix(&mut self, left: ExprId, min: u8) -> Parsed<Option<Operand>> {
        let start = self.expr_span(left);
        match self.tok() {
            Tok::Prime if level::PRIME >= min => {
                let end = self.advance();
                let id = self.add(ExprKind::Unary(UnaryOp::Prime, left), start.to(end))?;
                return Ok(Some(self.closed(id)));
            }
            Tok::BackTick if level::PRIME >= min => {
                let end = self.advance();
                if !matches!(self.out.exprs[left.0 as usize].kind, ExprKind::Name(_)) {
                    let error =
                        Diagnostic::error(end, "the pre-state mark follows a name, not an expression")
                            .help("mark each name: `` a`.next` ``");
                    return Err(self.error(error));
                }
                let id = self.add(ExprKind::Unary(UnaryOp::Before0, left), start.to(end))?;
                return Ok(Some(self.closed(id)));
            }
            Tok::LBracket if level::JOIN >= min => {
                let (args, end) = self.arguments()?;
                let id = self.add(ExprKind::Box { target: left, args }, start.to(end))?;
                return Ok(Some(self.closed(id)));
            }
            Tok::Dot if level::JOIN >= min && self.peek(1) != Tok::Dot => {
                self.advance();
                return self.join(left).map(Some);
            }
            _ => {}
        }
        let Some((infix, own, tokens)) = self.operator() else { return Ok(None) };
        if own < min {
            return Ok(None);
        }
        for _ in 0..tokens {
            self.advance();
        }
        let right_min = match infix {
            Infix::Implies | Infix::Arrow(..) | Infix::Binary(BinaryOp::Sequence) => own,
            // `a < b` compares what is tighter than a test of size.
            _ if own == level::COMPARE => level::SHIFT,
            _ => own + 1,
        };
        let right = self.operand(right_min, own != level::COMPARE)?;
        let span = start.to(self.expr_span(right.id));
        let kind = match infix {
            Infix::Binary(op) => ExprKind::Binary(op, left, right.id),
            Infix::Arrow(left_mult, right_mult) => {
                ExprKind::Arrow { left, left_mult, right_mult, right: right.id }
            }
            Infix::Implies if self.tok() == Tok::Else => return self.if_else(left, right).map(Some),
            Infix::Implies => ExprKind::Binary(BinaryOp::Implies, left, right.id),
        };
        Ok(Some(Operand { id: self.add(kind, span)?, ..right }))
    }

    fn if_else(&mut self, cond: ExprId, then: Operand) -> Parsed<Operand> {
        if then.ends_bound {
            let error = Diagnostic::error(self.span(), "`else` cannot follow a quantified formula or `let`")
                .related(self.expr_span(then.id), "this reaches as far right as it can")
                .help("put parentheses around what stands between `implies` and `else`");
            return Err(self.error(error));
        }
        self.advance();
        let els = self.operand(level::IMPLIES, true)?;
        let span = self.expr_span(cond).to(self.expr_span(els.id));
        let kind = ExprKind::IfElse { cond, then: then.id, els: els.id };
        Ok(Operand { id: self.add(kind, span)?, ..els })
    }

    /// What follows a dot.
    fn join(&mut self, left: ExprId) -> Parsed<Operand> {
        let start = self.expr_span(left);
        let cast = match self.tok() {
            Tok::Sum => Some(UnaryOp::Sum),
            Tok::Int => Some(UnaryOp::CastInt),
            _ => None,
        };
        if let Some(op) = cast {
            let end = self.advance();
            let id = self.add(ExprKind::Unary(op, left), start.to(end))?;
            return Ok(self.closed(id));
        }
        let right = if matches!(self.tok(), Tok::Disj | Tok::Pred) {
            let name = self.special_name()?;
            let id = self.add(ExprKind::Name(name), name.span)?;
            self.closed(id)
        } else {
            self.operand(level::CLOSURE, true)?
        };
        let span = start.to(self.expr_span(right.id));
        let id = self.add(ExprKind::Binary(BinaryOp::Join, left, right.id), span)?;
        Ok(Operand { id, ..right })
    }

    /// The binary operator at the cursor, its strength and how many tokens it has.
    fn operator(&self) -> Option<(Infix, u8, usize)> {
        use BinaryOp::*;
        let (op, own) = match self.tok() {
            Tok::Semicolon => (Sequence, level::SEQUENCE),
            Tok::Or => (Or, level::OR),
            Tok::Iff => (Iff, level::IFF),
            Tok::Implies => return Option::Some((Infix::Implies, level::IMPLIES, 1)),
            Tok::And => (And, level::AND),
            Tok::Until => (Until, level::TEMPORAL),
            Tok::Releases => (Releases, level::TEMPORAL),
            Tok::Since => (Since, level::TEMPORAL),
            Tok::Triggered => (Triggered, level::TEMPORAL),
            Tok::Shl => (Shl, level::SHIFT),
            Tok::Sha => (Sha, level::SHIFT),
            Tok::Shr => (Shr, level::SHIFT),
            Tok::Plus => (Union, level::UNION),
            Tok::Minus => (Difference, level::UNION),
            Tok::PlusPlus => (Override, level::OVERRIDE),
            Tok::Amp => (Intersect, level::INTERSECT),
            Tok::DomainRestrict => (DomainRestrict, level::DOMAIN),
            Tok::RangeRestrict => (RangeRestrict, level::RANGE),
            Tok::Fun => return self.integer_operator(),
            Tok::Not => {
                let op = match comparison(self.peek(1))? {
                    In => NotIn,
                    Eq => NotEq,
                    Lt => NotLt,
                    Lte => NotLte,
                    Gt => NotGt,
                    _ => NotGte,
                };
                return Option::Some((Infix::Binary(op), level::COMPARE, 2));
            }
            Tok::Arrow | Tok::Lone | Tok::One | Tok::Some | Tok::Set => return self.arrow(),
            tok => (comparison(tok)?, level::COMPARE),
        };
        Option::Some((Infix::Binary(op), own, 1))
    }

    /// `->` with a multiplicity on either side.
    fn arrow(&self) -> Option<(Infix, u8, usize)> {
        let (left, before) = match multiplicity(self.tok()) {
            Some(mult) => (mult, 1),
            None => (Mult::Set, 0),
        };
        if self.peek(before) != Tok::Arrow {
            return None;
        }
        let (right, behind) = match multiplicity(self.peek(before + 1)) {
            Some(mult) => (mult, 1),
            None => (Mult::Set, 0),
        };
        Some((Infix::Arrow(left, right), level::ARROW, before + 1 + behind))
    }

    /// `fun/add` and its kin between two expressions.
    fn integer_operator(&self) -> Option<(Infix, u8, usize)> {
        if self.peek(1) != Tok::Slash || self.peek(2) != Tok::Id {
            return None;
        }
        let (op, own) = match self.text_at(self.pos + 2) {
            "add" => (BinaryOp::FunAdd, level::UNION),
            "sub" => (BinaryOp::FunSub, level::UNION),
            "mul" => (BinaryOp::FunMul, level::MULTIPLY),
            "div" => (BinaryOp::FunDiv, level::MULTIPLY),
            "rem" => (BinaryOp::FunRem, level::MULTIPLY),
            _ => return None,
        };
        Some((Infix::Binary(op), own, 3))
    }

    // Literals.

    /// The number at the cursor, which must fit in 32 bits as in the Analyzer.
    pub(super) fn number(&mut self) -> Parsed<i64> {
        let text = self.text_at(self.pos);
        let (digits, radix) = match text.get(..2) {
            Some("0x") => (&text[2..], 16),
            Some("0b") => (&text[2..], 2),
            _ => (text, 10),
        };
        let digits: String = digits.chars().filter(|&c| c != '_').collect();
        match i32::from_str_radix(&digits, radix) {
            Ok(value) => {
                self.advance();
                Ok(value.into())
            }
            Err(_) => {
                let what = if digits.is_empty() { "has no digits" } else { "is too large" };
                let error = Diagnostic::error(self.span(), format!("the number {} {what}", self.found()))
                    .help(format!("numbers reach from 0 to {} and may have a minus in front", i32::MAX));
                Err(self.error(error))
            }
        }
    }

    /// The text of the string at the cursor, escapes undone.
    pub(super) fn string(&mut self) -> Parsed<crate::symbol::Symbol> {
        let quoted = self.text_at(self.pos);
        let mut chars = quoted[1..quoted.len() - 1].chars();
        let mut text = String::with_capacity(quoted.len());
        while let Some(c) = chars.next() {
            text.push(match c {
                '\\' => match chars.next() {
                    Some('n') => '\n',
                    Some(c @ ('"' | '\\')) => c,
                    _ => {
                        let error = Diagnostic::error(self.span(), "unknown escape in a string")
                            .help("there are three escapes: `\\n`, `\\\"` and `\\\\`");
                        return Err(self.error(error));
                    }
                },
                c => c,
            });
        }
        if text.is_empty() {
            let error = Diagnostic::error(self.span(), "the empty string is not allowed")
                .help("use an empty set, `none`, instead");
            return Err(self.error(error));
        }
        self.advance();
        Ok(self.interner.intern(&text))
    }
}

fn multiplicity(tok: Tok) -> Option<Mult> {
    match tok {
        Tok::Lone => Some(Mult::Lone),
        Tok::One => Some(Mult::One),
        Tok::Some => Some(Mult::Some),
        Tok::Set => Some(Mult::Set),
        _ => None,
    }
}

fn comparison(tok: Tok) -> Option<BinaryOp> {
    match tok {
        Tok::In => Some(BinaryOp::In),
        Tok::Eq => Some(BinaryOp::Eq),
        Tok::Lt => Some(BinaryOp::Lt),
        Tok::Lte => Some(BinaryOp::Lte),
        Tok::Gt => Some(BinaryOp::Gt),
        Tok::Gte => Some(BinaryOp::Gte),
        _ => None,
    }
}
