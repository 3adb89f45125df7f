//! Name lookup: which signatures, callables, macros and fields a name may mean in a module.
//!
//! A local name gets no preference over an opened one: all visible meanings are collected, and
//! types decide among them.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use tera_syntax::{Diagnostic, Span, Symbol};

use crate::check::Cx;
use crate::stdlib;
use crate::tree::*;
use crate::types::*;
use crate::world::*;

/// What a name may stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    Sig(SigIx),
    Func(FuncIx),
    Assert(AssertIx),
}

#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub sigs: bool,
    pub funcs: bool,
    pub asserts: bool,
}

pub(crate) const SIGS: Wanted = Wanted { sigs: true, funcs: false, asserts: false };
pub(crate) const FUNCS: Wanted = Wanted { sigs: false, funcs: true, asserts: false };
pub(crate) const ASSERTS: Wanted = Wanted { sigs: false, funcs: false, asserts: true };

impl World {
    /// `module` and all modules it can name, each before what it opens.
    pub fn nameable(&self, module: usize) -> Arc<[usize]> {
        if !self.modules[module].nameable.is_empty() {
            return Arc::clone(&self.modules[module].nameable);
        }
        let mut seen = FxHashSet::default();
        let mut result = Vec::new();
        let mut todo = vec![(module, true)];
        while let Some((m, is_start)) = todo.pop() {
            if !seen.insert(m) {
                continue;
            }
            result.push(m);
            let opened = self.modules[m].opens.iter().filter(|o| is_start || !o.private);
            let next: Vec<(usize, bool)> = opened.filter_map(|o| o.module).map(|m| (m, false)).collect();
            todo.extend(next.into_iter().rev());
        }
        result.into()
    }

    fn items_of(&self, m: usize, name: Symbol, wanted: Wanted, with_private: bool, into: &mut Vec<Item>) {
        let module = &self.modules[m];
        if wanted.sigs
            && let Some(sig) = module.sigs.get(name)
            && (with_private || !self.sig(sig).is_private)
        {
            into.push(Item::Sig(sig));
        }
        if wanted.asserts
            && let Some(&assert) = module.asserts.get(&name)
        {
            into.push(Item::Assert(assert));
        }
        if wanted.funcs
            && let Some(funcs) = module.funcs.get(&name)
        {
            let visible = funcs.iter().filter(|f| with_private || !self.funcs[f.index()].is_private);
            into.extend(visible.map(|&f| Item::Func(f)));
        }
    }

    fn unqualified(&self, from: usize, start: usize, name: Symbol, wanted: Wanted) -> Vec<Item> {
        let mut items = Vec::new();
        for &m in self.nameable(from).iter() {
            self.items_of(m, name, wanted, m == start, &mut items);
        }
        items
    }

    /// Follows `a/b/name` through the aliases.
    fn qualified(&self, start: usize, name: Symbol, wanted: Wanted) -> Vec<Item> {
        let text = self.text(name);
        let mut rest = text.strip_prefix("this/").unwrap_or(text);
        let mut module = start;
        let mut level = 0;
        while let Some((alias, tail)) = rest.split_once('/') {
            let opened = self
                .interner
                .get(alias)
                .and_then(|alias| self.modules[module].opens.iter().find(|o| o.alias == alias));
            match opened {
                Some(Opened { module: Some(next), private, .. }) if level == 0 || !private => module = *next,
                _ => return Vec::new(),
            }
            rest = tail;
            level += 1;
        }
        let Some(last) = self.interner.get(rest) else { return Vec::new() };
        let mut items = Vec::new();
        self.items_of(module, last, wanted, level == 0, &mut items);
        if items.is_empty() {
            return self.unqualified(module, start, last, wanted);
        }
        items
    }

    pub fn lookup(&self, module: usize, name: Symbol, wanted: Wanted) -> Vec<Item> {
        if self.text(name).contains('/') {
            self.qualified(module, name, wanted)
        } else {
            self.unqualified(module, module, name, wanted)
        }
    }

    pub fn builtin_sig(&self, name: Symbol) -> Option<SigIx> {
        let w = &self.words;
        match name {
            _ if name == w.univ => Some(UNIV),
            _ if name == w.int_sig => Some(INT),
            _ if name == w.seq_int => Some(SEQ_INT),
            _ if name == w.string => Some(STRING),
            _ if name == w.none => Some(NONE),
            _ if name == w.sig_meta => self.meta.map(|m| m.sig),
            _ if name == w.field_meta => self.meta.map(|m| m.field),
            _ => None,
        }
    }

    /// The parameter of the module that this name means.
    fn param(&self, module: usize, name: Symbol) -> Option<SigIx> {
        self.modules[module].params.iter().find(|p| p.name == name).and_then(|p| p.sig)
    }

    /// The one signature of this name: `Ok(None)` when there is none, `Err` when there are several.
    pub fn lookup_sig(&self, module: usize, name: Symbol) -> Result<Option<SigIx>, Vec<SigIx>> {
        if let Some(sig) = self.builtin_sig(name) {
            return Ok(Some(sig));
        }
        let mut found: Vec<SigIx> = Vec::new();
        let bare = self.text(name).strip_prefix("this/").and_then(|n| self.interner.get(n)).unwrap_or(name);
        for item in self.lookup(module, name, SIGS) {
            if let Item::Sig(sig) = item {
                found.push(sig);
            }
        }
        if let Some(sig) = self.param(module, bare)
            && !found.contains(&sig)
        {
            found.push(sig);
        }
        match found.as_slice() {
            [] => Ok(None),
            [sig] => Ok(Some(*sig)),
            _ => Err(found),
        }
    }

    /// The same, with a diagnostic for every other outcome.
    pub fn require_sig(&mut self, module: usize, name: Symbol, span: Span) -> Option<SigIx> {
        match self.lookup_sig(module, name) {
            Ok(Some(sig)) => Some(sig),
            Ok(None) => {
                let text = self.text(name).to_string();
                let mut diagnostic =
                    Diagnostic::error(span, format!("there is no signature called `{text}`"));
                if let Some(help) = self.suggest(module, &text, &[], true) {
                    diagnostic = diagnostic.help(help);
                }
                self.diagnostics.push(diagnostic);
                None
            }
            Err(several) => {
                let diagnostic = self.ambiguous_sig(name, span, &several);
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    fn ambiguous_sig(&self, name: Symbol, span: Span, several: &[SigIx]) -> Diagnostic {
        let text = self.text(name);
        let mut diagnostic = Diagnostic::error(
            span,
            format!("the name `{text}` is ambiguous: several signatures are called so"),
        )
        .help("qualify it with the alias of its module, as in `this/A` or `m/A`");
        for &sig in several {
            diagnostic = diagnostic.related(self.sig(sig).span, format!("one is {}", self.sig(sig).label));
        }
        diagnostic
    }

    /// The macro of this name, if any.
    pub fn lookup_macro(&self, module: usize, name: Symbol) -> Result<Option<MacroIx>, Vec<MacroIx>> {
        let text = self.text(name);
        if text.contains('/') {
            let mut rest = text.strip_prefix("this/").unwrap_or(text);
            let mut m = module;
            while let Some((alias, tail)) = rest.split_once('/') {
                let opened = self
                    .interner
                    .get(alias)
                    .and_then(|alias| self.modules[m].opens.iter().find(|o| o.alias == alias));
                match opened {
                    Some(Opened { module: Some(next), private: false, .. }) => m = *next,
                    _ => return Ok(None),
                }
                rest = tail;
            }
            let found = self.interner.get(rest).and_then(|n| self.modules[m].macros.get(&n));
            let visible = found.filter(|mac| m == module || !self.macros[mac.index()].is_private);
            return Ok(visible.copied());
        }
        let mut found = Vec::new();
        for &m in self.nameable(module).iter() {
            if let Some(&mac) = self.modules[m].macros.get(&name)
                && (m == module || !self.macros[mac.index()].is_private)
            {
                found.push(mac);
            }
        }
        match found.as_slice() {
            [] => Ok(None),
            [mac] => Ok(Some(*mac)),
            _ => Err(found),
        }
    }

    /// All meanings of a name other than local ones and macros.
    pub fn meanings(&mut self, cx: &Cx, name: Symbol, at: bool, span: Span) -> Vec<Meaning> {
        let mut result = Vec::new();
        if let Some(sig) = self.builtin_sig(name) {
            let expr = self.sig_node(sig, span);
            return vec![Meaning { expr, what: "a signature".into() }];
        }
        let constant = match name {
            _ if name == self.words.iden => Some(Constant::Iden),
            _ if name == self.words.min => Some(Constant::Min),
            _ if name == self.words.max => Some(Constant::Max),
            _ if name == self.words.next => Some(Constant::Next),
            _ => None,
        };
        if let Some(constant) = constant {
            let expr = self.constant(constant, span);
            return vec![Meaning { expr, what: "a constant".into() }];
        }
        let this = cx.local(self.words.this).map(|expr| self.at_span(expr, span));
        let in_decl = cx.sig.is_some() && cx.field_defined == Some(false);
        let calls = !in_decl && !cx.in_params;
        let mut items = self.lookup(cx.module, name, Wanted { sigs: true, funcs: calls, asserts: false });
        if let Some(sig) = self.param(cx.module, name)
            && !items.contains(&Item::Sig(sig))
        {
            items.push(Item::Sig(sig));
        }
        for item in items {
            match item {
                Item::Sig(sig) => {
                    let what = format!("the signature {}", self.sig(sig).label).into();
                    result.push(Meaning { expr: self.sig_node(sig, span), what });
                }
                Item::Func(func) => self.func_meanings(cx, func, this, span, &mut result),
                Item::Assert(_) => {}
            }
        }
        self.field_meanings(cx, name, at, this, span, &mut result);
        result
    }

    fn func_meanings(
        &mut self,
        cx: &Cx,
        func: FuncIx,
        this: Option<TId>,
        span: Span,
        result: &mut Vec<Meaning>,
    ) {
        let f = &self.funcs[func.index()];
        let n = f.params.len();
        let kind = if f.is_pred { "the predicate" } else { "the function" };
        let what = format!("{kind} {}", f.label);
        // Inside a signature, `this` may be the first argument.
        if cx.sig.is_some()
            && n > 0
            && let Some(this) = this
        {
            let first = self.locals[f.params[0].index()].ty;
            if self.types.has_arity(self.ty(this), 1) && self.types.intersects(first, self.ty(this)) {
                let expr = if n == 1 {
                    self.call(span, func, &[this], 1)
                } else {
                    self.bad_call(span, func, vec![this], 1)
                };
                result.push(Meaning { expr, what: format!("{what} of `this`").into() });
            }
        }
        let expr =
            if n == 0 { self.call(span, func, &[], 0) } else { self.bad_call(span, func, Vec::new(), 0) };
        result.push(Meaning { expr, what: what.into() });
    }

    fn field_meanings(
        &mut self,
        cx: &Cx,
        name: Symbol,
        at: bool,
        this: Option<TId>,
        span: Span,
        result: &mut Vec<Meaning>,
    ) {
        let Some(fields) = self.field_index.get(&name) else { return };
        let fields = fields.clone();
        let visible = self.nameable(cx.module);
        for &m in visible.iter() {
            for &field in &fields {
                let f = &self.fields[field.index()];
                let sig = self.sig(f.sig);
                if sig.module != m || f.is_meta || (m != cx.module && (sig.is_private || f.is_private)) {
                    continue;
                }
                let owner = f.sig;
                let what: Box<str> = format!("the field {} of {}", self.text(name), sig.label).into();
                let expr = match cx.sig {
                    None => self.field_node(field, span, 0),
                    Some(sig) if self.sig_descends(sig, owner) => {
                        let expr = self.field_node(field, span, 0);
                        match this {
                            Some(this) if !at => self.binary(BinOp::Join, span, this, expr),
                            _ => expr,
                        }
                    }
                    Some(_) if cx.field_defined != Some(false) => self.field_node(field, span, 1),
                    Some(_) => continue,
                };
                result.push(Meaning { expr, what });
            }
        }
        if self.meta.is_some() && (cx.sig.is_none() || cx.field_defined.is_none()) {
            for &field in &fields {
                if self.fields[field.index()].is_meta {
                    let owner = self.sig(self.fields[field.index()].sig).label.clone();
                    let expr = self.field_node(field, span, 0);
                    result.push(Meaning { expr, what: format!("the field of {owner}").into() });
                }
            }
        }
    }

    /// `did you mean …` for a name that is not there.
    pub fn suggest(&self, module: usize, name: &str, locals: &[Symbol], only_sigs: bool) -> Option<String> {
        let bare = name.rsplit('/').next().unwrap_or(name);
        // Nobody reads that many, and each compares with every name.
        if self.diagnostics.len() > 200 {
            return None;
        }
        // The name is there, but private.
        for (m, other) in self.modules.iter().enumerate() {
            if m == module {
                continue;
            }
            let symbol = self.interner.get(bare)?;
            if let Some(sig) = other.sigs.get(symbol)
                && self.sig(sig).is_private
            {
                return Some(format!("`{bare}` is private to the module {}", other.path));
            }
            let private_field = self.field_index.get(&symbol).into_iter().flatten().find(|f| {
                self.sig(self.fields[f.index()].sig).module == m && self.fields[f.index()].is_private
            });
            if private_field.is_some() && !only_sigs {
                return Some(format!("the field `{bare}` is private to the module {}", other.path));
            }
        }
        let mut best: Option<(usize, String)> = None;
        let mut offer = |candidate: &str, what: String| {
            let distance = strsim::damerau_levenshtein(bare, candidate);
            let limit = 1 + bare.chars().count().min(candidate.chars().count()) / 4;
            let limit = if bare.to_lowercase() == candidate.to_lowercase() { usize::MAX } else { limit };
            if distance <= limit && candidate != bare && best.as_ref().is_none_or(|(d, _)| distance < *d) {
                best = Some((distance, format!("did you mean `{candidate}`{what}?")));
            }
        };
        for &local in locals {
            offer(self.text(local), String::new());
        }
        for &m in self.nameable(module).iter() {
            for &(symbol, sig) in &self.modules[m].sigs.list {
                let line = self.line(self.sig(sig).span);
                offer(self.text(symbol), format!(" (a signature{line})"));
                if only_sigs {
                    continue;
                }
                for decl in &self.sig(sig).decls {
                    for field in &decl.fields {
                        let field = &self.fields[field.index()];
                        let line = self.line(field.span);
                        offer(self.text(field.name), format!(" (a field of {}{line})", self.sig(sig).label));
                    }
                }
            }
            if only_sigs {
                continue;
            }
            for &func in &self.modules[m].func_list {
                let f = &self.funcs[func.index()];
                let kind = if f.is_pred { "predicate" } else { "function" };
                let line = self.line(f.span);
                offer(self.text(f.name), format!(" (a {kind}{line})"));
            }
        }
        for word in ["univ", "none", "iden", "Int", "String"] {
            offer(word, String::new());
        }
        let declared = || match &stdlib::declaring(bare, only_sigs)[..] {
            [] => None,
            openings => {
                Some(format!("`{bare}` is declared in the standard library: {}", openings.join(" or ")))
            }
        };
        best.map(|(_, text)| text).or_else(declared)
    }

    fn line(&self, span: Span) -> String {
        if span == Span::default() {
            return String::new();
        }
        let (line, _) = self.sources.line_column(span.file, span.start);
        format!(", line {line}")
    }
}
