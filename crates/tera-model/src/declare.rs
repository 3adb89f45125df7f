//! Types the declarations of all modules, phase by phase: hierarchy of signatures, fields,
//! parameters and results, defined fields, then bodies, assertions and facts, then commands.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tera_syntax::ast::{self, CommandKind, CommandTarget, Paragraph, SigParent};
use tera_syntax::{Diagnostic, Span, Symbol};

use crate::check::Cx;
use crate::names::*;
use crate::tree::*;
use crate::types::*;
use crate::world::*;

/// Runs all phases on a loaded world. Diagnostics are collected in it.
pub(crate) fn resolve_world(world: &mut World) {
    if world.modules.is_empty() {
        return;
    }
    world.resolve_hierarchy();
    for sig in world.sorted_sigs.clone() {
        world.resolve_fields(sig, false);
    }
    for module in world.order.clone() {
        for func in world.modules[module].func_list.clone() {
            world.resolve_func_head(func);
        }
    }
    for sig in world.sorted_sigs.clone() {
        world.resolve_fields(sig, true);
    }
    if world.mentions_meta() {
        world.add_meta();
    }
    world.reject_field_clashes();
    world.declare_commands();
    for module in world.order.clone() {
        world.resolve_bodies(module);
    }
    for module in world.order.clone() {
        for param in world.modules[module].params.clone() {
            if let Some(sig) = param.sig.filter(|_| param.exactly) {
                if world.sig(sig).is_var {
                    let span = world.sig(sig).span;
                    let message = "this signature is an argument of a module that fixes its size, so it cannot be `var`";
                    world.diagnostics.push(Diagnostic::error(span, message));
                }
                if !world.exact_sigs.contains(&sig) {
                    world.exact_sigs.push(sig);
                }
            }
        }
    }
    world.check_scopes();
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

impl World {
    // Signatures.

    fn resolve_hierarchy(&mut self) {
        let mut state = vec![Visit::New; self.sigs.len()];
        for module in self.order.clone() {
            for (_, sig) in self.modules[module].sigs.list.clone() {
                self.resolve_sig(sig, &mut state);
            }
        }
    }

    /// Resolves `sig` after its parents. Chains of `extends` may be long, so this keeps its own stack.
    fn resolve_sig(&mut self, sig: SigIx, state: &mut [Visit]) {
        let mut stack = vec![sig];
        while let Some(&sig) = stack.last() {
            let at = sig.0 as usize;
            if self.sig(sig).is_builtin || state[at] == Visit::Done {
                stack.pop();
                continue;
            }
            if state[at] == Visit::New {
                state[at] = Visit::Open;
                self.resolve_parent_names(sig);
                let parents = match &self.sig(sig).parents {
                    Parents::Extends(parent) => vec![*parent],
                    Parents::Subset { parents, .. } => parents.clone(),
                };
                for parent in parents {
                    if !self.sig(parent).is_builtin && state[parent.0 as usize] == Visit::Open {
                        let (span, label) = (self.sig(sig).span, self.sig(sig).label.clone());
                        let message = format!("the signature `{label}` is its own ancestor");
                        self.diagnostics.push(Diagnostic::error(span, message));
                        self.sig_mut(sig).parents = Parents::Extends(UNIV);
                    } else {
                        stack.push(parent);
                    }
                }
                continue;
            }
            state[at] = Visit::Done;
            self.finish_sig(sig);
            stack.pop();
        }
    }

    /// Looks the names of the parents up. Enum constants have theirs already.
    fn resolve_parent_names(&mut self, sig: SigIx) {
        let s = self.sig(sig);
        let module = s.module;
        let Some(index) = s.paragraph else { return };
        let file = Arc::clone(&self.files[self.modules[module].file]);
        let Paragraph::Sig(decl) = &file.paragraphs[index] else { return };
        match &decl.parent {
            SigParent::None => {}
            SigParent::Extends(name) => {
                let parent = self.require_sig(module, name.symbol, name.span);
                self.sig_mut(sig).parents = Parents::Extends(parent.unwrap_or(UNIV));
            }
            SigParent::In(names) | SigParent::Equals(names) => {
                let mut parents = Vec::new();
                for name in names {
                    let Some(parent) = self.require_sig(module, name.symbol, name.span) else { continue };
                    if parent == UNIV {
                        parents = vec![UNIV];
                        break;
                    }
                    if parent != NONE && !parents.contains(&parent) {
                        parents.push(parent);
                    }
                }
                if parents.is_empty() {
                    parents.push(UNIV);
                }
                let exact = matches!(decl.parent, SigParent::Equals(_));
                self.sig_mut(sig).parents = Parents::Subset { parents, exact };
            }
        }
    }

    fn finish_sig(&mut self, sig: SigIx) {
        let ty = match self.sig(sig).parents.clone() {
            Parents::Extends(parent) => {
                let (name, span) = (self.sig(sig).label.clone(), self.sig(sig).span);
                let mut parent = parent;
                let p = self.sig(parent);
                let problem = match parent {
                    INT | SEQ_INT | STRING | NONE => {
                        Some(format!("`{name}` cannot extend the builtin signature `{}`", p.label))
                    }
                    _ if p.is_subset() => Some(format!(
                        "`{name}` cannot extend the subset signature `{}`; only `in` is possible",
                        p.label
                    )),
                    _ if p.is_enum && !self.sig(sig).is_one => {
                        Some(format!("`{name}` cannot extend the enum `{}`", p.label))
                    }
                    _ if !p.is_builtin && p.parent().is_some_and(|g| self.sig(g).is_enum) => {
                        Some(format!("`{name}` cannot extend the enum constant `{}`", p.label))
                    }
                    _ => None,
                };
                if let Some(message) = problem {
                    self.diagnostics.push(Diagnostic::error(span, message));
                    parent = UNIV;
                    self.sig_mut(sig).parents = Parents::Extends(UNIV);
                }
                self.types.set_parent(sig, parent);
                if parent != UNIV {
                    self.sig_mut(parent).children.push(sig);
                }
                if self.sig(parent).is_enum { self.sig(parent).ty } else { self.types.of_sig(sig) }
            }
            Parents::Subset { parents, .. } => {
                let mut ty = TypeId::EMPTY;
                for parent in parents {
                    let parent_ty = self.sig(parent).ty;
                    ty = if ty == TypeId::EMPTY { parent_ty } else { self.types.union_common(ty, parent_ty) };
                }
                ty
            }
        };
        self.sig_mut(sig).ty = ty;
        let this = self.sig(sig).this;
        self.locals[this.index()].ty = ty;
        self.sorted_sigs.push(sig);
    }

    // Fields.

    fn resolve_fields(&mut self, sig: SigIx, defined: bool) {
        let (module, Some(index)) = (self.sig(sig).module, self.sig(sig).paragraph) else { return };
        let file = Arc::clone(&self.files[self.modules[module].file]);
        let Paragraph::Sig(decl) = &file.paragraphs[index] else { return };
        if !defined {
            self.reject_same_fields(sig, &decl.fields);
        }
        for field_decl in &decl.fields {
            let is_defined = field_decl.defined
                || matches!(file.expr(field_decl.bound).kind, ast::ExprKind::Unary(ast::UnaryOp::Exactly, _));
            if is_defined == defined {
                self.resolve_field_decl(sig, module, &file, field_decl, defined);
            }
        }
    }

    fn reject_same_fields(&mut self, sig: SigIx, decls: &[ast::Decl]) {
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        for name in decls.iter().flat_map(|d| &d.names) {
            if let Some(&first) = seen.get(&name.symbol) {
                let message =
                    format!("two fields of {} are called `{}`", self.sig(sig).label, self.text(name.symbol));
                self.diagnostics.push(Diagnostic::error(name.span, message).related(first, "the first"));
            }
            seen.entry(name.symbol).or_insert(name.span);
        }
    }

    fn resolve_field_decl(
        &mut self,
        sig: SigIx,
        module: usize,
        file: &ast::File,
        decl: &ast::Decl,
        defined: bool,
    ) {
        let mut cx = Cx::new(module);
        cx.sig = Some(sig);
        cx.field_defined = Some(defined);
        let this = self.sig(sig).this;
        let this_node = self.var_node(this, decl.span);
        cx.env.push((self.words.this, this_node));
        let bound = if defined {
            self.check(&mut cx, file, decl.bound)
        } else {
            self.check_bound(&mut cx, file, decl.bound)
        };
        let mut bound = self.resolve_set(bound, true);
        if defined && self.keyword(bound) != UnOp::ExactlyOf {
            let span = self.span(bound);
            bound = self.unary(UnOp::ExactlyOf, span, bound);
        }
        bound = self.default_one(bound);
        let mut is_bad = self.report(bound);
        if !is_bad && !defined && self.holds_call(bound) {
            is_bad = true;
            let message = "the bound of a field cannot call predicates or functions";
            let diagnostic = Diagnostic::error(self.span(bound), message)
                .help("a defined field can: `f = e`; or say it in a fact");
            self.diagnostics.push(diagnostic);
        }
        if !is_bad && self.types.has_no_tuple(self.ty(bound)) {
            is_bad = true;
            let diagnostic =
                Diagnostic::error(self.span(bound), "the bound of a field cannot be the empty relation");
            self.diagnostics.push(diagnostic);
        }
        let (sig_ty, bound_ty) = (self.sig(sig).ty, self.ty(bound));
        let ty = if is_bad { TypeId::EMPTY } else { self.types.product(sig_ty, bound_ty) };
        let is_private = decl.private.is_some() || self.sig(sig).is_private;
        let mut fields = Vec::new();
        for name in &decl.names {
            fields.push(self.add_field(Field {
                name: name.symbol,
                sig,
                ty,
                span: name.span,
                is_private,
                is_var: decl.var.is_some(),
                is_meta: false,
                is_defined: defined,
                is_bad,
            }));
        }
        self.sig_mut(sig).decls.push(FieldDecl {
            fields,
            disj: decl.disj,
            disj_bound: decl.disj_bound,
            bound,
        });
    }

    pub fn add_field(&mut self, field: Field) -> FieldIx {
        let ix = FieldIx(self.fields.len() as u32);
        self.field_index.entry(field.name).or_default().push(ix);
        self.fields.push(field);
        ix
    }

    /// Does the typed expression call a predicate or function?
    fn holds_call(&self, id: TId) -> bool {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            if matches!(self.node(id).kind, Kind::Call { .. } | Kind::BadCall { .. }) {
                return true;
            }
            self.push_children(id, &mut todo);
        }
        false
    }

    pub fn push_children(&self, id: TId, into: &mut Vec<TId>) {
        self.node(id).kind.clone().for_each_child(|child| into.push(*child));
    }

    /// Fields of one name must belong to signatures that cannot overlap.
    fn reject_field_clashes(&mut self) {
        let mut names: Vec<Symbol> = self.field_index.keys().copied().collect();
        names.sort_unstable();
        for name in names {
            let fields = self.field_index[&name].clone();
            for (i, &a) in fields.iter().enumerate() {
                for &b in &fields[..i] {
                    let (x, y) = (&self.fields[a.index()], &self.fields[b.index()]);
                    // Two of one signature were reported before.
                    if x.sig != y.sig && self.types.first_column_overlaps(x.ty, y.ty) {
                        let message = format!(
                            "the signatures {} and {} overlap, but both have a field `{}`",
                            self.sig(y.sig).label,
                            self.sig(x.sig).label,
                            self.text(name)
                        );
                        let diagnostic =
                            Diagnostic::error(x.span, message).related(y.span, "the other field");
                        self.diagnostics.push(diagnostic);
                    }
                }
            }
        }
    }

    // Predicates and functions.

    fn resolve_func_head(&mut self, func: FuncIx) {
        let f = &self.funcs[func.index()];
        let FuncSource::Paragraph(index) = f.source else { return };
        let module = f.module;
        let file = Arc::clone(&self.files[self.modules[module].file]);
        let Paragraph::Callable(callable) = &file.paragraphs[index] else { return };
        let mut cx = Cx::new(module);
        cx.in_params = true;
        let mut decls = Vec::new();
        let mut is_bad = false;
        if let Some(receiver) = callable.receiver {
            match self.require_sig(module, receiver.symbol, receiver.span) {
                Some(sig) => {
                    let node = self.sig_node(sig, receiver.span);
                    let ty = self.ty(node);
                    let var = self.local(self.words.this, ty, receiver.span);
                    let var_node = self.var_node(var, receiver.span);
                    cx.env.push((self.words.this, var_node));
                    decls.push(TDecl { vars: vec![var], disj: false, bound: node });
                }
                None => is_bad = true,
            }
        }
        let mut seen: Vec<Symbol> = if callable.receiver.is_some() { vec![self.words.this] } else { vec![] };
        for decl in &callable.params {
            for (place, what) in [
                (decl.disj_bound, "`disj` in front of the bound belongs to fields, not to parameters"),
                (decl.private, "a parameter is private in any case"),
            ] {
                if let Some(place) = place {
                    self.diagnostics.push(Diagnostic::error(place, what));
                    is_bad = true;
                }
            }
            for &name in &decl.names {
                if seen.contains(&name.symbol) {
                    self.duplicate_param(name);
                    is_bad = true;
                }
                seen.push(name.symbol);
            }
        }
        decls.extend(self.check_decls(&mut cx, &file, &callable.params));
        for decl in &mut decls {
            is_bad |= self.report(decl.bound);
            if self.holds_call(decl.bound) {
                is_bad = true;
                let message = "the bound of a parameter cannot call predicates or functions";
                let diagnostic = Diagnostic::error(self.span(decl.bound), message);
                self.diagnostics.push(diagnostic);
            }
        }
        let mut result = None;
        if let Some(source) = callable.result {
            let checked = self.check_bound(&mut cx, &file, source);
            let checked = self.resolve_set(checked, true);
            is_bad |= self.report(checked);
            if self.holds_call(checked) {
                is_bad = true;
                let message = "the result of a function cannot be declared with calls";
                let diagnostic = Diagnostic::error(self.span(checked), message);
                self.diagnostics.push(diagnostic);
            }
            result = Some(self.default_one(checked));
        }
        let params = decls.iter().flat_map(|d| d.vars.iter().copied()).collect();
        let f = &mut self.funcs[func.index()];
        f.decls = decls;
        f.params = params;
        f.result = result;
        f.is_bad = is_bad;
    }

    fn resolve_bodies(&mut self, module: usize) {
        let file = Arc::clone(&self.files[self.modules[module].file]);
        for func in self.modules[module].func_list.clone() {
            let body = self.forgetting(|world| world.resolve_func_body(func, &file));
            self.funcs[func.index()].body = body;
        }
        for assert in self.modules[module].assert_list.clone() {
            let source = self.asserts[assert.index()].source;
            let body = self.forgetting(|world| world.resolve_closed(module, &file, source));
            self.asserts[assert.index()].body = body;
        }
        for i in 0..self.modules[module].facts.len() {
            let Some(source) = self.modules[module].facts[i].source else { continue };
            let body = self.forgetting(|world| world.resolve_closed(module, &file, source));
            self.modules[module].facts[i].body = body;
        }
        for (_, sig) in self.modules[module].sigs.list.clone() {
            let fact = self.forgetting(|world| world.resolve_appended(sig, &file));
            self.sig_mut(sig).fact = fact;
        }
    }

    /// Runs `f` and keeps only the nodes of its result.
    fn forgetting(&mut self, f: impl FnOnce(&mut World) -> Option<TId>) -> Option<TId> {
        let (nodes, errs) = (self.nodes.len(), self.errs.len());
        let root = f(self);
        self.compact(nodes, errs, root)
    }

    /// A formula with no names of its own around it.
    fn resolve_closed(&mut self, module: usize, file: &ast::File, source: ast::ExprId) -> Option<TId> {
        let mut cx = Cx::new(module);
        let body = self.check(&mut cx, file, source);
        let body = self.resolve_formula(body, true);
        (!self.report(body)).then_some(body)
    }

    fn resolve_func_body(&mut self, func: FuncIx, file: &ast::File) -> Option<TId> {
        let f = self.funcs[func.index()].clone();
        let source = match f.source {
            FuncSource::Paragraph(index) => match &file.paragraphs[index] {
                Paragraph::Callable(callable) => callable.body,
                _ => return None,
            },
            FuncSource::Block(body) => body,
        };
        let mut cx = Cx::new(f.module);
        for &param in &f.params {
            let (name, span) = (self.locals[param.index()].name, self.locals[param.index()].span);
            let node = self.var_node(param, span);
            cx.env.push((name, node));
        }
        let body = self.check(&mut cx, file, source);
        let Some(result) = f.result else {
            if !f.is_pred {
                return None;
            }
            let body = self.resolve_formula(body, true);
            return (!self.report(body)).then_some(body);
        };
        let body = self.resolve_set(body, true);
        if self.report(body) {
            return None;
        }
        let (body_ty, result_ty) = (self.ty(body), self.ty(result));
        let span = self.span(body);
        let (shown_body, shown_result) = (self.show_type(body_ty), self.show_type(result_ty));
        if self.node(body).carries != Carries::Nothing {
            self.diagnostics.push(Diagnostic::error(span, "a multiplicity is not allowed here"));
            return None;
        }
        if self.types.arity(body_ty) != self.types.arity(result_ty) {
            let message = "the body of this function has another arity than its declared result";
            let diagnostic = Diagnostic::error(span, message)
                .label(format!("has the type {shown_body}"))
                .related(self.span(result), format!("declared as {shown_result}"));
            self.diagnostics.push(diagnostic);
            return None;
        }
        if self.types.has_tuple(body_ty)
            && self.types.has_tuple(result_ty)
            && !self.types.intersects(body_ty, result_ty)
        {
            let message = "the value of this function is disjoint from its declared result";
            let diagnostic = Diagnostic::warning(span, message)
                .label(format!("has the type {shown_body}"))
                .related(self.span(result), format!("declared as {shown_result}"));
            self.diagnostics.push(diagnostic);
        }
        Some(body)
    }

    fn resolve_appended(&mut self, sig: SigIx, file: &ast::File) -> Option<TId> {
        let s = self.sig(sig);
        let (module, is_one, this) = (s.module, s.is_one, s.this);
        let Paragraph::Sig(decl) = &file.paragraphs[s.paragraph?] else { return None };
        let source = decl.appended?;
        let span = file.expr(source).span;
        let mut cx = Cx::new(module);
        cx.sig = Some(sig);
        let this = if is_one { self.sig_node(sig, span) } else { self.var_node(this, span) };
        cx.env.push((self.words.this, this));
        let fact = self.check(&mut cx, file, source);
        let fact = self.resolve_formula(fact, true);
        (!self.report(fact)).then_some(fact)
    }

    // Commands.

    /// Enters the blocks of `run` and `check` as predicates and assertions, in every module; looks
    /// the targets of the commands of the root module up.
    fn declare_commands(&mut self) {
        for module in self.order.clone() {
            let file = Arc::clone(&self.files[self.modules[module].file]);
            for paragraph in &file.paragraphs {
                let Paragraph::Command(command) = paragraph else { continue };
                let goal = match (&command.target, command.kind) {
                    (CommandTarget::Block(body), CommandKind::Run) => {
                        let label = command.label.map_or_else(|| self.interner.intern("run"), |l| l.symbol);
                        let name = ast::Name { symbol: label, span: command.span };
                        let source = FuncSource::Block(*body);
                        let func = self.declare_func(module, name, true, true, source);
                        self.funcs[func.index()].label = self.text(label).to_string();
                        Goal::Run(func)
                    }
                    (CommandTarget::Block(body), CommandKind::Check) => {
                        let name = command.label.map(|l| l.symbol);
                        Goal::Check(self.declare_assert(module, name, *body, command.span))
                    }
                    (CommandTarget::Name(name), kind) if module == 0 => self.find_goal(*name, kind),
                    _ => continue,
                };
                if module == 0 {
                    self.goals.push(goal);
                }
            }
        }
    }

    pub fn find_goal(&mut self, name: ast::Name, kind: CommandKind) -> Goal {
        let wanted = if kind == CommandKind::Run { FUNCS } else { ASSERTS };
        let mut items = self.lookup(0, name.symbol, wanted);
        // One in the root module itself comes first.
        let bare = self.text(name.symbol);
        let bare = bare.strip_prefix("this/").unwrap_or(bare);
        if !bare.contains('/') {
            let own = |world: &World, item: &Item| match *item {
                Item::Func(f) => world.funcs[f.index()].module == 0,
                Item::Assert(a) => world.asserts[a.index()].module == 0,
                Item::Sig(_) => false,
            };
            if items.iter().any(|item| own(self, item)) {
                items.retain(|item| own(self, item));
            }
        }
        match items.as_slice() {
            [Item::Func(func)] => return Goal::Run(*func),
            [Item::Assert(assert)] => return Goal::Check(*assert),
            _ => {}
        }
        let text = self.text(name.symbol).to_string();
        let what = if kind == CommandKind::Run { "predicate or function" } else { "assertion" };
        let mut diagnostic = if items.is_empty() {
            Diagnostic::error(name.span, format!("there is no {what} called `{text}`"))
        } else {
            Diagnostic::error(name.span, format!("the name `{text}` is ambiguous: {} match", items.len()))
        };
        for item in &items {
            let span = match *item {
                Item::Func(f) => self.funcs[f.index()].span,
                Item::Assert(a) => self.asserts[a.index()].span,
                Item::Sig(_) => continue,
            };
            diagnostic = diagnostic.related(span, "one of them");
        }
        if items.is_empty() {
            let other = if kind == CommandKind::Run { ASSERTS } else { FUNCS };
            if !self.lookup(0, name.symbol, other).is_empty() {
                diagnostic = diagnostic.help(match kind {
                    CommandKind::Run => "an assertion is checked, not run: `check`",
                    CommandKind::Check => "a predicate is run, not checked: `run`",
                });
            } else if let Some(help) = self.suggest_goal(kind, &text) {
                diagnostic = diagnostic.help(help);
            }
        }
        self.diagnostics.push(diagnostic);
        Goal::Unknown
    }

    /// What a command that names `name` may mean: something of the root's that it can run or check.
    fn suggest_goal(&self, kind: CommandKind, name: &str) -> Option<String> {
        let root = &self.modules[0];
        let names: Vec<&str> = match kind {
            CommandKind::Run => {
                root.func_list.iter().map(|f| self.text(self.funcs[f.index()].name)).collect()
            }
            CommandKind::Check => root
                .assert_list
                .iter()
                .filter_map(|a| self.asserts[a.index()].name)
                .map(|name| self.text(name))
                .collect(),
        };
        if let Some(near) = tera_syntax::suggest(name, names.iter().copied()) {
            return Some(format!("did you mean `{near}`?"));
        }
        /// More are not worth reading.
        const SHOWN: usize = 12;
        let list: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
        let more = if names.len() > SHOWN { ", …" } else { "" };
        (!list.is_empty()).then(|| format!("what there is: {}{more}", list.join(", ")))
    }

    /// The names in the scopes of the commands.
    fn check_scopes(&mut self) {
        let file = Arc::clone(&self.files[self.modules[0].file]);
        for paragraph in &file.paragraphs {
            let Paragraph::Command(command) = paragraph else { continue };
            for entry in &command.scope.entries {
                let ast::ScopeTarget::Sig(name) = entry.target else { continue };
                let Some(sig) = self.require_sig(0, name.symbol, name.span) else { continue };
                let s = self.sig(sig);
                if s.is_var && (entry.exactly || !s.is_top()) {
                    let message = if entry.exactly {
                        format!("the signature `{}` is `var`, so its scope cannot be exact", s.label)
                    } else {
                        format!(
                            "the signature `{}` is `var` and not top-level, so it takes no scope",
                            s.label
                        )
                    };
                    self.diagnostics.push(Diagnostic::error(entry.span, message));
                }
            }
        }
    }
}
