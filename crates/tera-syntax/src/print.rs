//! Writes a tree as Alloy text: every compound operand in parentheses, one paragraph per line.
//!
//! The text parses to the same tree again, so comparing texts compares trees. Expressions are
//! written from a work list rather than by recursion, since trees may be [`crate::MAX_DEPTH`] deep.

use crate::ast::*;
use crate::symbol::{Interner, Symbol};

/// The whole file.
pub fn file(file: &File, interner: &Interner) -> String {
    let mut printer = Printer { file, interner, out: String::new() };
    printer.file();
    printer.out
}

/// One expression of `file`.
pub fn expr(file: &File, id: ExprId, interner: &Interner) -> String {
    let mut printer = Printer { file, interner, out: String::new() };
    printer.expr(id);
    printer.out
}

struct Printer<'a> {
    file: &'a File,
    interner: &'a Interner,
    out: String,
}

/// What is still to be written of an expression.
enum Item<'a> {
    Text(&'a str),
    Owned(String),
    /// An expression whose surroundings keep it together.
    Open(ExprId),
    /// An operand, in parentheses if it is compound.
    Operand(ExprId),
}

use Item::{Open, Operand, Owned, Text};

impl<'a> Printer<'a> {
    fn file(&mut self) {
        let file = self.file;
        if let Some(header) = &file.header {
            self.push("module ");
            self.symbol(header.name.symbol);
            if !header.params.is_empty() {
                let params = header.params.iter().map(|p| {
                    format!(
                        "{}{}",
                        if p.exactly { "exactly " } else { "" },
                        self.interner.text(p.name.symbol)
                    )
                });
                let params: Vec<String> = params.collect();
                self.out.push_str(&format!("[{}]", params.join(", ")));
            }
            self.push("\n");
        }
        for open in &file.opens {
            self.push(if open.private { "private open " } else { "open " });
            self.symbol(open.path.symbol);
            if !open.args.is_empty() {
                self.push("[");
                self.names(&open.args, ", ");
                self.push("]");
            }
            if let Some(alias) = open.alias {
                self.push(" as ");
                self.symbol(alias.symbol);
            }
            self.push("\n");
        }
        for paragraph in &file.paragraphs {
            match paragraph {
                Paragraph::Sig(sig) => self.sig(sig),
                Paragraph::Enum(decl) => {
                    self.private(decl.private.is_some());
                    self.push("enum ");
                    self.symbol(decl.name.symbol);
                    self.push(" { ");
                    self.names(&decl.values, ", ");
                    self.push(" }");
                }
                Paragraph::Fact(fact) => self.named_block("fact", fact.name, fact.body),
                Paragraph::Assert(assert) => self.named_block("assert", assert.name, assert.body),
                Paragraph::Callable(callable) => self.callable(callable),
                Paragraph::Macro(macro_) => {
                    self.private(macro_.private.is_some());
                    self.push("let ");
                    self.symbol(macro_.name.symbol);
                    if !macro_.params.is_empty() {
                        self.push("[");
                        self.names(&macro_.params, ", ");
                        self.push("]");
                    }
                    self.push(" = ");
                    self.items(vec![Operand(macro_.body)]);
                }
                Paragraph::Command(command) => self.command(command),
            }
            self.push("\n");
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn symbol(&mut self, symbol: Symbol) {
        self.out.push_str(self.interner.text(symbol));
    }

    fn private(&mut self, private: bool) {
        self.push(if private { "private " } else { "" });
    }

    fn names(&mut self, names: &[Name], separator: &str) {
        for (i, name) in names.iter().enumerate() {
            self.push(if i > 0 { separator } else { "" });
            self.symbol(name.symbol);
        }
    }

    fn sig(&mut self, sig: &'a SigDecl) {
        self.private(sig.private.is_some());
        self.push(if sig.var.is_some() { "var " } else { "" });
        self.push(if sig.is_abstract.is_some() { "abstract " } else { "" });
        if let Some((mult, _)) = sig.mult {
            self.push(mult_text(mult));
            self.push(" ");
        }
        self.push("sig ");
        self.names(&sig.names, ", ");
        match &sig.parent {
            SigParent::None => {}
            SigParent::Extends(name) => {
                self.push(" extends ");
                self.symbol(name.symbol);
            }
            SigParent::In(names) => {
                self.push(" in ");
                self.names(names, " + ");
            }
            SigParent::Equals(names) => {
                self.push(" = ");
                self.names(names, " + ");
            }
        }
        self.push(" { ");
        self.decls(&sig.fields);
        self.push(" }");
        if let Some(appended) = sig.appended {
            self.push(" ");
            self.expr(appended);
        }
    }

    fn named_block(&mut self, word: &str, name: Option<Name>, body: ExprId) {
        self.push(word);
        self.push(" ");
        if let Some(name) = name {
            // A name that is no identifier was a string.
            let text = self.interner.text(name.symbol);
            let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '"')
                && text.starts_with(|c: char| !c.is_ascii_digit() && c != '"')
                && crate::token::Tok::of_word(text) == crate::token::Tok::Id;
            let text = if plain { text.to_string() } else { quoted(text) };
            self.push(&text);
            self.push(" ");
        }
        self.expr(body);
    }

    fn callable(&mut self, callable: &'a Callable) {
        self.private(callable.private.is_some());
        self.push(if callable.result.is_some() { "fun " } else { "pred " });
        if let Some(receiver) = callable.receiver {
            self.symbol(receiver.symbol);
            self.push(".");
        }
        self.symbol(callable.name.symbol);
        if !callable.params.is_empty() {
            self.push("[");
            self.decls(&callable.params);
            self.push("]");
        }
        if let Some(result) = callable.result {
            self.push(": ");
            self.items(vec![Operand(result)]);
        }
        self.push(" ");
        self.expr(callable.body);
    }

    fn command(&mut self, command: &Command) {
        self.push(if command.follows { "=> " } else { "" });
        self.push(match command.kind {
            CommandKind::Run => "run ",
            CommandKind::Check => "check ",
        });
        if let Some(label) = command.label {
            self.symbol(label.symbol);
            self.push(" ");
        }
        match command.target {
            CommandTarget::Name(name) => self.symbol(name.symbol),
            CommandTarget::Block(body) => self.expr(body),
        }
        let scope = &command.scope;
        if scope.span.is_some() {
            self.push(" for ");
            let mut parts: Vec<String> = scope.overall.iter().map(i64::to_string).collect();
            parts.extend(scope.entries.iter().map(|entry| self.scope_entry(entry)));
            self.push(&parts.join(", "));
        }
        if let Some(expect) = command.expect {
            self.push(&format!(" expect {}", expect.value));
            self.push(if expect.upto_iso { " upto iso" } else { "" });
        }
    }

    fn scope_entry(&self, entry: &ScopeEntry) -> String {
        let exactly = if entry.exactly { "exactly " } else { "" };
        let low = entry.low.map_or(String::new(), |low| format!("{low}.."));
        let high = match entry.high {
            ScopeBound::Number(high) => high.to_string(),
            ScopeBound::Open => String::new(),
        };
        let (low, high) = match (entry.increment, entry.high) {
            // `3:2` is an increment without an upper end.
            (Some(_), ScopeBound::Open) => (low.trim_end_matches('.').to_string(), high),
            _ => (low, high),
        };
        let increment = entry.increment.map_or(String::new(), |i| format!(":{i}"));
        let target = match entry.target {
            ScopeTarget::Sig(name) => self.interner.text(name.symbol),
            ScopeTarget::Int => "Int",
            ScopeTarget::Seq => "seq",
            ScopeTarget::String => "String",
            ScopeTarget::Univ => "univ",
            ScopeTarget::Steps => "steps",
        };
        format!("{exactly}{low}{high}{increment} {target}")
    }

    fn decls(&mut self, decls: &'a [Decl]) {
        let mut items = Vec::new();
        self.decl_items(decls, &mut items);
        self.items(items);
    }

    fn expr(&mut self, id: ExprId) {
        self.items(vec![Open(id)]);
    }

    /// Writes the items, the first one first.
    fn items(&mut self, mut items: Vec<Item<'a>>) {
        items.reverse();
        let mut next = Vec::new();
        while let Some(item) = items.pop() {
            match item {
                Text(text) => self.out.push_str(text),
                Owned(text) => self.out.push_str(&text),
                Open(id) => {
                    self.parts(id, &mut next);
                    items.extend(next.drain(..).rev());
                }
                Operand(id) if self.is_atomic(id) => items.push(Open(id)),
                Operand(id) => items.extend([Text(")"), Open(id), Text("(")]),
            }
        }
    }

    fn is_atomic(&self, id: ExprId) -> bool {
        match &self.file.expr(id).kind {
            ExprKind::Name(_) | ExprKind::AtName(_) | ExprKind::Str(_) => true,
            ExprKind::Block(_) | ExprKind::Comprehension { .. } => true,
            ExprKind::Number(value) => *value >= 0,
            _ => false,
        }
    }

    /// What one expression consists of.
    fn parts(&self, id: ExprId, out: &mut Vec<Item<'a>>) {
        match &self.file.expr(id).kind {
            ExprKind::Name(name) => out.push(Text(self.interner.text(name.symbol))),
            ExprKind::AtName(name) => out.extend([Text("@"), Text(self.interner.text(name.symbol))]),
            ExprKind::Number(value) => out.push(Owned(value.to_string())),
            ExprKind::Str(symbol) => out.push(Owned(quoted(self.interner.text(*symbol)))),
            ExprKind::Unary(op, inner) => match unary_text(*op) {
                (before, "") => out.extend([Text(before), Text(" "), Operand(*inner)]),
                (before, "]") => out.extend([Text(before), Open(*inner), Text("]")]),
                (_, behind) => out.extend([Operand(*inner), Text(behind)]),
            },
            ExprKind::Binary(BinaryOp::Join, left, right) => {
                out.extend([Operand(*left), Text("."), Operand(*right)]);
            }
            ExprKind::Binary(op, left, right) => {
                out.extend([Operand(*left), Text(" "), Text(binary_text(*op)), Text(" "), Operand(*right)]);
            }
            ExprKind::Arrow { left, left_mult, right_mult, right } => {
                let mult = |m: Mult| if m == Mult::Set { "" } else { mult_text(m) };
                out.extend([Operand(*left), Text(" "), Text(mult(*left_mult)), Text(" -> ")]);
                out.extend([Text(mult(*right_mult)), Text(" "), Operand(*right)]);
            }
            ExprKind::IfElse { cond, then, els } => {
                out.extend([Operand(*cond), Text(" => "), Operand(*then), Text(" else "), Operand(*els)]);
            }
            ExprKind::Box { target, args } => {
                out.extend([Operand(*target), Text("[")]);
                for (i, &arg) in args.iter().enumerate() {
                    out.extend([Text(if i > 0 { ", " } else { "" }), Operand(arg)]);
                }
                out.push(Text("]"));
            }
            ExprKind::Quant { quant, decls, body } => {
                out.extend([Text(quant_text(*quant)), Text(" ")]);
                self.decl_items(decls, out);
                out.extend([Text(" | "), Open(*body)]);
            }
            ExprKind::Comprehension { decls, body } => {
                out.push(Text("{ "));
                self.decl_items(decls, out);
                if let Some(body) = body {
                    out.extend([Text(" | "), Open(*body)]);
                }
                out.push(Text(" }"));
            }
            ExprKind::Let { bindings, body } => {
                out.push(Text("let "));
                for (i, (name, value)) in bindings.iter().enumerate() {
                    let separator = if i > 0 { ", " } else { "" };
                    out.extend([Text(separator), Text(self.interner.text(name.symbol))]);
                    out.extend([Text(" = "), Operand(*value)]);
                }
                out.extend([Text(" | "), Open(*body)]);
            }
            ExprKind::Block(items) => {
                out.push(Text("{ "));
                for &item in items {
                    out.extend([Operand(item), Text(" ")]);
                }
                out.push(Text("}"));
            }
            ExprKind::Error => out.push(Text("none")),
        }
    }

    fn decl_items(&self, decls: &'a [Decl], out: &mut Vec<Item<'a>>) {
        for (i, decl) in decls.iter().enumerate() {
            out.push(Text(if i > 0 { ", " } else { "" }));
            out.push(Text(if decl.var.is_some() { "var " } else { "" }));
            out.push(Text(if decl.private.is_some() { "private " } else { "" }));
            out.push(Text(if decl.disj.is_some() { "disj " } else { "" }));
            for (i, name) in decl.names.iter().enumerate() {
                let separator = if i > 0 { ", " } else { "" };
                out.extend([Text(separator), Text(self.interner.text(name.symbol))]);
            }
            out.push(Text(if decl.defined { " = " } else { ": " }));
            out.push(Text(if decl.disj_bound.is_some() { "disj " } else { "" }));
            out.push(Operand(decl.bound));
        }
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

fn mult_text(mult: Mult) -> &'static str {
    match mult {
        Mult::No => "no",
        Mult::Lone => "lone",
        Mult::One => "one",
        Mult::Some => "some",
        Mult::Set => "set",
    }
}

fn quant_text(quant: Quant) -> &'static str {
    match quant {
        Quant::All => "all",
        Quant::No => "no",
        Quant::Some => "some",
        Quant::Lone => "lone",
        Quant::One => "one",
        Quant::Sum => "sum",
    }
}

/// What stands before the operand, and behind it.
fn unary_text(op: UnaryOp) -> (&'static str, &'static str) {
    match op {
        UnaryOp::Not => ("not", ""),
        UnaryOp::No => ("no", ""),
        UnaryOp::Some => ("some", ""),
        UnaryOp::Lone => ("lone", ""),
        UnaryOp::One => ("one", ""),
        UnaryOp::Set => ("set", ""),
        UnaryOp::Exactly => ("exactly", ""),
        UnaryOp::Seq => ("seq", ""),
        UnaryOp::Card => ("#", ""),
        UnaryOp::CastInt => ("int[", "]"),
        UnaryOp::Sum => ("sum[", "]"),
        UnaryOp::Transpose => ("~", ""),
        UnaryOp::Closure => ("^", ""),
        UnaryOp::ReflexiveClosure => ("*", ""),
        UnaryOp::Prime => ("", "'"),
        UnaryOp::Before0 => ("", "`"),
        UnaryOp::Always => ("always", ""),
        UnaryOp::Eventually => ("eventually", ""),
        UnaryOp::After => ("after", ""),
        UnaryOp::Before => ("before", ""),
        UnaryOp::Historically => ("historically", ""),
        UnaryOp::Once => ("once", ""),
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Implies => "=>",
        BinaryOp::Iff => "iff",
        BinaryOp::Sequence => ";",
        BinaryOp::Until => "until",
        BinaryOp::Releases => "releases",
        BinaryOp::Since => "since",
        BinaryOp::Triggered => "triggered",
        BinaryOp::In => "in",
        BinaryOp::NotIn => "not in",
        BinaryOp::Eq => "=",
        BinaryOp::NotEq => "not =",
        BinaryOp::Lt => "<",
        BinaryOp::NotLt => "not <",
        BinaryOp::Lte => "<=",
        BinaryOp::NotLte => "not <=",
        BinaryOp::Gt => ">",
        BinaryOp::NotGt => "not >",
        BinaryOp::Gte => ">=",
        BinaryOp::NotGte => "not >=",
        BinaryOp::Shl => "<<",
        BinaryOp::Sha => ">>",
        BinaryOp::Shr => ">>>",
        BinaryOp::Union => "+",
        BinaryOp::Difference => "-",
        BinaryOp::FunAdd => "fun/add",
        BinaryOp::FunSub => "fun/sub",
        BinaryOp::FunMul => "fun/mul",
        BinaryOp::FunDiv => "fun/div",
        BinaryOp::FunRem => "fun/rem",
        BinaryOp::Override => "++",
        BinaryOp::Intersect => "&",
        BinaryOp::DomainRestrict => "<:",
        BinaryOp::RangeRestrict => ":>",
        BinaryOp::Join => ".",
    }
}
