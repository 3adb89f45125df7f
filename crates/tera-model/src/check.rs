//! Walks the syntax of an expression and builds its typed form: resolves names, turns boxes and
//! dots into joins or calls, instantiates macros.

use tera_syntax::ast::{self, BinaryOp, ExprId, ExprKind, UnaryOp};
use tera_syntax::{Diagnostic, Span, Symbol};

use crate::tree::*;
use crate::types::*;
use crate::world::*;

/// Where an expression stands.
#[derive(Clone, Debug)]
pub(crate) struct Cx {
    pub module: usize,
    /// Within a field declaration or appended fact: the signature.
    pub sig: Option<SigIx>,
    /// Within a field declaration: whether it is `f = e`.
    pub field_defined: Option<bool>,
    /// Within the declarations of parameters or of a result, where calls are forbidden.
    pub in_params: bool,
    pub env: Vec<(Symbol, TId)>,
    /// How many macros may still be unfolded within each other.
    pub unrolls: u32,
    pub warn: bool,
}

/// Deeper unfolding would be too large to solve anyway.
const MAX_MACRO_DEPTH: u32 = 20;

impl Cx {
    pub fn new(module: usize) -> Cx {
        Cx {
            module,
            sig: None,
            field_defined: None,
            in_params: false,
            env: Vec::new(),
            unrolls: MAX_MACRO_DEPTH,
            warn: true,
        }
    }

    pub fn local(&self, name: Symbol) -> Option<TId> {
        self.env.iter().rev().find(|(n, _)| *n == name).map(|&(_, expr)| expr)
    }
}

impl World {
    /// The bound of a declaration, a result, or the right side of `in`: `some`, `lone` and `one` at
    /// its top are multiplicities.
    pub fn check_bound(&mut self, cx: &mut Cx, file: &ast::File, id: ExprId) -> TId {
        let expr = file.expr(id);
        let op = match expr.kind {
            ExprKind::Unary(UnaryOp::Some, _) => UnOp::SomeOf,
            ExprKind::Unary(UnaryOp::Lone, _) => UnOp::LoneOf,
            ExprKind::Unary(UnaryOp::One, _) => UnOp::OneOf,
            _ => return self.check(cx, file, id),
        };
        let ExprKind::Unary(_, sub) = expr.kind else { unreachable!("matched above") };
        let sub = self.check(cx, file, sub);
        self.unary(op, expr.span, sub)
    }

    pub fn check(&mut self, cx: &mut Cx, file: &ast::File, id: ExprId) -> TId {
        let expr = file.expr(id);
        let span = expr.span;
        if let Some((op, args)) = self.builtin_list(file, id) {
            let args: Vec<TId> = args.iter().map(|&arg| self.check(cx, file, arg)).collect();
            return self.list(op, span, &args);
        }
        match &expr.kind {
            ExprKind::Name(name) => self.check_name(cx, name.symbol, span),
            ExprKind::AtName(name) => self.check_global(cx, name.symbol, true, span),
            ExprKind::Number(n) => self.constant(Constant::Number(*n), span),
            ExprKind::Str(text) => self.constant(Constant::Str(*text), span),
            ExprKind::Unary(op, sub) => {
                let sub = self.check(cx, file, *sub);
                let op = match op {
                    UnaryOp::Seq => {
                        let indices = self.sig_node(SEQ_INT, span);
                        return self.binary(BinOp::SeqArrow, span, indices, sub);
                    }
                    UnaryOp::Not => UnOp::Not,
                    UnaryOp::No => UnOp::No,
                    UnaryOp::Some => UnOp::Some,
                    UnaryOp::Lone => UnOp::Lone,
                    UnaryOp::One => UnOp::One,
                    UnaryOp::Set => UnOp::SetOf,
                    UnaryOp::Exactly => UnOp::ExactlyOf,
                    UnaryOp::Card => UnOp::Card,
                    UnaryOp::CastInt | UnaryOp::Sum => UnOp::ToNumber,
                    UnaryOp::Transpose => UnOp::Transpose,
                    UnaryOp::Closure => UnOp::Closure,
                    UnaryOp::ReflexiveClosure => UnOp::ReflexiveClosure,
                    UnaryOp::Prime => UnOp::Prime,
                    UnaryOp::Before0 => UnOp::PreState,
                    UnaryOp::Always => UnOp::Always,
                    UnaryOp::Eventually => UnOp::Eventually,
                    UnaryOp::After => UnOp::After,
                    UnaryOp::Before => UnOp::Before,
                    UnaryOp::Historically => UnOp::Historically,
                    UnaryOp::Once => UnOp::Once,
                };
                self.unary(op, span, sub)
            }
            ExprKind::Binary(op, left, right) => self.check_binary(cx, file, span, *op, *left, *right),
            ExprKind::Arrow { left, left_mult, right_mult, right } => {
                let left = self.check(cx, file, *left);
                let right = self.check(cx, file, *right);
                let op = BinOp::Arrow(Mult2::of(*left_mult), Mult2::of(*right_mult));
                self.binary(op, span, left, right)
            }
            ExprKind::IfElse { cond, then, els } => {
                let cond = self.check(cx, file, *cond);
                let then = self.check(cx, file, *then);
                let els = self.check(cx, file, *els);
                self.if_else(span, cond, then, els)
            }
            ExprKind::Box { target, args } => {
                if let [arg] = args.as_slice()
                    && self.is_sum(file, *target)
                {
                    let arg = self.check(cx, file, *arg);
                    return self.unary(UnOp::ToNumber, span, arg);
                }
                let mut result = self.check(cx, file, *target);
                for &arg in args {
                    let arg_span = file.expr(arg).span;
                    let arg = self.check(cx, file, arg);
                    let to_here = Span { end: arg_span.end.max(span.start), ..span };
                    let whole = if arg_span.file == span.file && arg_span.end < span.end {
                        Span { end: (to_here.end + 1).min(span.end), ..span }
                    } else {
                        span
                    };
                    result = self.join_or_call(cx, whole, arg, result);
                }
                result
            }
            ExprKind::Quant { quant, decls, body } => {
                let op = match quant {
                    ast::Quant::All => QuantOp::All,
                    ast::Quant::No => QuantOp::No,
                    ast::Quant::Some => QuantOp::Some,
                    ast::Quant::Lone => QuantOp::Lone,
                    ast::Quant::One => QuantOp::One,
                    ast::Quant::Sum => QuantOp::Sum,
                };
                self.check_quant(cx, file, span, op, decls, Some(*body))
            }
            ExprKind::Comprehension { decls, body } => {
                self.check_quant(cx, file, span, QuantOp::Comprehension, decls, *body)
            }
            ExprKind::Let { bindings, body } => {
                let depth = cx.env.len();
                let mut vars = Vec::new();
                for &(name, value) in bindings {
                    let value = self.check(cx, file, value);
                    let value = if matches!(self.node(value).kind, Kind::Macro(..)) {
                        // A macro may be given another name.
                        cx.env.push((name.symbol, value));
                        continue;
                    } else {
                        let ty = self.ty(value);
                        self.resolve(value, ty, cx.warn)
                    };
                    let ty = if self.has_err(value) { TypeId::EMPTY } else { self.ty(value) };
                    let var = self.local(name.symbol, ty, name.span);
                    let node = self.var_node(var, name.span);
                    cx.env.push((name.symbol, node));
                    vars.push((var, value));
                }
                let mut result = self.check(cx, file, *body);
                cx.env.truncate(depth);
                for &(var, value) in vars.iter().rev() {
                    self.warn_unused(cx, var);
                    result = self.let_in(span, var, value, result);
                }
                result
            }
            ExprKind::Block(items) => match items.as_slice() {
                [] => self.constant(Constant::True, span),
                [only] => self.check(cx, file, *only),
                _ => {
                    let items: Vec<TId> = items.iter().map(|&item| self.check(cx, file, item)).collect();
                    self.list(ListOp::And, span, &items)
                }
            },
            ExprKind::Error => self.silent(span),
        }
    }

    fn check_binary(
        &mut self,
        cx: &mut Cx,
        file: &ast::File,
        span: Span,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> TId {
        if matches!(op, BinaryOp::And | BinaryOp::Or) {
            // Chains lean to the left and may be long.
            let mut operands = vec![right];
            let mut first = left;
            while let ExprKind::Binary(inner, l, r) = file.expr(first).kind
                && inner == op
            {
                operands.push(r);
                first = l;
            }
            operands.push(first);
            let operands: Vec<TId> = operands.iter().rev().map(|&e| self.check(cx, file, e)).collect();
            let list = if op == BinaryOp::And { ListOp::And } else { ListOp::Or };
            return self.list(list, span, &operands);
        }
        if op == BinaryOp::Join {
            if self.is_sum(file, right) {
                let left = self.check(cx, file, left);
                return self.unary(UnOp::ToNumber, span, left);
            }
            let left = self.check(cx, file, left);
            let right = self.check(cx, file, right);
            return self.join_or_call(cx, span, left, right);
        }
        let left = self.check(cx, file, left);
        let right =
            if op == BinaryOp::In { self.check_bound(cx, file, right) } else { self.check(cx, file, right) };
        let op = match op {
            BinaryOp::Implies => BinOp::Implies,
            BinaryOp::Iff => BinOp::Iff,
            BinaryOp::In => BinOp::In,
            BinaryOp::NotIn => BinOp::NotIn,
            BinaryOp::Eq => BinOp::Eq,
            BinaryOp::NotEq => BinOp::NotEq,
            BinaryOp::Lt => BinOp::Compare(Order::Lt, false),
            BinaryOp::NotLt => BinOp::Compare(Order::Lt, true),
            BinaryOp::Lte => BinOp::Compare(Order::Lte, false),
            BinaryOp::NotLte => BinOp::Compare(Order::Lte, true),
            BinaryOp::Gt => BinOp::Compare(Order::Gt, false),
            BinaryOp::NotGt => BinOp::Compare(Order::Gt, true),
            BinaryOp::Gte => BinOp::Compare(Order::Gte, false),
            BinaryOp::NotGte => BinOp::Compare(Order::Gte, true),
            BinaryOp::Shl => BinOp::Shl,
            BinaryOp::Sha => BinOp::Sha,
            BinaryOp::Shr => BinOp::Shr,
            BinaryOp::Union => BinOp::Union,
            BinaryOp::Difference => BinOp::Difference,
            BinaryOp::FunAdd => BinOp::Add,
            BinaryOp::FunSub => BinOp::Sub,
            BinaryOp::FunMul => BinOp::Mul,
            BinaryOp::FunDiv => BinOp::Div,
            BinaryOp::FunRem => BinOp::Rem,
            BinaryOp::Override => BinOp::Override,
            BinaryOp::Intersect => BinOp::Intersect,
            BinaryOp::DomainRestrict => BinOp::Domain,
            BinaryOp::RangeRestrict => BinOp::Range,
            BinaryOp::Sequence
            | BinaryOp::Until
            | BinaryOp::Releases
            | BinaryOp::Since
            | BinaryOp::Triggered => BinOp::Temporal,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Join => unreachable!("handled above"),
        };
        self.binary(op, span, left, right)
    }

    /// `disj[a, b]`, `a.disj[b]`, `pred/totalOrder[e, f, n]` and their arguments.
    fn builtin_list(&self, file: &ast::File, id: ExprId) -> Option<(ListOp, Vec<ExprId>)> {
        let mut args = Vec::new();
        let mut id = id;
        loop {
            match &file.expr(id).kind {
                ExprKind::Name(name) => {
                    let name = name.symbol;
                    let op = if name == self.words.disj || name == self.words.disjoint {
                        ListOp::Disjoint
                    } else if name == self.words.total_order {
                        ListOp::TotalOrder
                    } else {
                        return None;
                    };
                    args.reverse();
                    return Some((op, args));
                }
                ExprKind::Box { target, args: more } => {
                    args.extend(more.iter().rev());
                    id = *target;
                }
                ExprKind::Binary(BinaryOp::Join, left, right) => {
                    args.push(*left);
                    id = *right;
                }
                _ => return None,
            }
        }
    }

    /// The names `sum` and `int`, applied as functions.
    fn is_sum(&self, file: &ast::File, id: ExprId) -> bool {
        matches!(&file.expr(id).kind, ExprKind::Name(n) if n.symbol == self.words.sum || n.symbol == self.words.int)
    }

    // Names.

    fn check_name(&mut self, cx: &mut Cx, name: Symbol, span: Span) -> TId {
        if self.text(name).contains('/')
            && let Ok(Some(found)) = self.lookup_macro(cx.module, name)
        {
            return self.apply_macro(cx, found, Vec::new(), span);
        }
        if let Some(expr) = cx.local(name) {
            if let Kind::Var(var) = self.node(expr).kind {
                self.locals[var.index()].used = true;
            }
            return self.at_span(expr, span);
        }
        match self.lookup_macro(cx.module, name) {
            Ok(Some(found)) => return self.apply_macro(cx, found, Vec::new(), span),
            Ok(None) => {}
            Err(several) => {
                let text = self.text(name);
                let mut diagnostic = Diagnostic::error(
                    span,
                    format!("the name `{text}` is ambiguous: several macros are called so"),
                );
                for m in several {
                    diagnostic = diagnostic.related(self.macros[m.index()].span, "declared here");
                }
                return self.bad_with(diagnostic);
            }
        }
        self.check_global(cx, name, false, span)
    }

    fn check_global(&mut self, cx: &mut Cx, name: Symbol, at: bool, span: Span) -> TId {
        let meanings = self.meanings(cx, name, at, span);
        if meanings.is_empty() {
            let diagnostic = self.unknown_name(cx, name, span);
            return self.bad_with(diagnostic);
        }
        self.choice(span, meanings)
    }

    fn unknown_name(&self, cx: &Cx, name: Symbol, span: Span) -> Diagnostic {
        let text = self.text(name);
        let what = if cx.field_defined == Some(false) {
            "no signature or field of this signature"
        } else {
            "no field or signature"
        };
        let mut diagnostic = Diagnostic::error(span, format!("{what} is called `{text}`"));
        let locals: Vec<Symbol> = cx.env.iter().map(|&(name, _)| name).collect();
        if name == self.words.this {
            return diagnostic
                .help("`this` exists in fields and facts of a signature, and in receiver predicates");
        }
        if let Some(field) = self.field_index.get(&name).and_then(|f| f.first())
            && cx.field_defined == Some(false)
        {
            let owner = &self.sig(self.fields[field.index()].sig).label;
            return diagnostic.label(format!("a field of {owner}")).help(
                "the bound of a field may mention signatures and earlier fields of the same signature only",
            );
        }
        match text {
            "exh" | "exhaustive" | "part" | "partition" => {
                diagnostic = diagnostic.help("a keyword of Alloy 3; say it with `disj` and `=` today");
            }
            _ => {
                if let Some(help) = self.suggest(cx.module, text, &locals, false) {
                    diagnostic = diagnostic.help(help);
                }
            }
        }
        diagnostic
    }

    // Joins, calls, macros.

    fn join_or_call(&mut self, cx: &mut Cx, span: Span, left: TId, right: TId) -> TId {
        if let Kind::Macro(found, args) = self.node(right).kind.clone() {
            let args = args.into_iter().chain([left]).collect();
            return self.apply_macro(cx, found, args, span);
        }
        if self.types.is_int(self.ty(left)) && matches!(self.node(right).kind, Kind::Sig(INT)) {
            return left; // `Int[e]`
        }
        let left = self.as_set(left);
        if self.has_err(left) {
            return self.binary(BinOp::Join, span, left, right);
        }
        // A back-tick or prime behind the name of a predicate or function marks the whole call.
        let (right_inner, mark) = match self.node(right).kind {
            Kind::Unary(op @ (UnOp::PreState | UnOp::Prime), inner) => (inner, Some(op)),
            _ => (right, None),
        };
        let Kind::Choice(meanings) = self.node(right_inner).kind.clone() else {
            return self.binary(BinOp::Join, span, left, right);
        };
        let mut new = Vec::with_capacity(meanings.len());
        for Meaning { expr, what } in meanings.into_vec() {
            let mut inner = expr;
            loop {
                match &self.node(inner).kind {
                    Kind::Unary(UnOp::Noop, sub) => inner = *sub,
                    Kind::Choice(only) if only.len() == 1 => inner = only[0].expr,
                    _ => break,
                }
            }
            let expr = match self.node(inner).kind.clone() {
                Kind::BadCall { func, args, extra } if args.len() < self.funcs[func.index()].params.len() => {
                    let args: Vec<TId> = args.iter().copied().chain([left]).collect();
                    let call = if self.applicable(func, &args) {
                        self.call(span, func, &args, extra)
                    } else {
                        self.bad_call(span, func, args, extra)
                    };
                    match mark {
                        Some(op) if !self.has_err(call) => self.unary(op, span, call),
                        _ => call,
                    }
                }
                _ => {
                    let right = match mark {
                        Some(op) => {
                            let span = self.span(right);
                            self.unary(op, span, expr)
                        }
                        None => expr,
                    };
                    self.binary(BinOp::Join, span, left, right)
                }
            };
            new.push(Meaning { expr, what });
        }
        self.choice(span, new)
    }

    fn apply_macro(&mut self, cx: &mut Cx, found: MacroIx, args: Vec<TId>, span: Span) -> TId {
        let Macro { module, params, body, name, .. } = self.macros[found.index()].clone();
        if params.len() != args.len() {
            return self.macro_node(found, args, span);
        }
        if cx.unrolls == 0 {
            let text = self.text(name).to_string();
            return self.bad_with(
                Diagnostic::error(span, format!("the macro `{text}` unfolds too deeply"))
                    .help("macros cannot be recursive"),
            );
        }
        let mut inner = Cx { unrolls: cx.unrolls - 1, warn: cx.warn, ..Cx::new(module) };
        for (&param, &arg) in params.iter().zip(&args) {
            let arg = if matches!(self.node(arg).kind, Kind::Macro(..)) {
                arg
            } else {
                let ty = self.ty(arg);
                self.resolve(arg, ty, cx.warn)
            };
            inner.env.push((param, arg));
        }
        let file = self.files[self.modules[module].file].clone();
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            return self.bad_with(Diagnostic::error(span, "the macros unfold to too much"));
        }
        let result = self.check(&mut inner, &file, body);
        self.at_span(result, span)
    }

    // Quantifiers.

    fn warn_unused(&mut self, cx: &Cx, var: VarIx) {
        let local = &self.locals[var.index()];
        if cx.warn && !local.used && local.ty != TypeId::EMPTY {
            let (span, name) = (local.span, self.text(local.name).to_string());
            self.warn(span, format!("the variable `{name}` is never used"));
        }
    }

    /// Types the declarations of a quantifier or a parameter list and puts the names into scope.
    pub fn check_decls(&mut self, cx: &mut Cx, file: &ast::File, decls: &[ast::Decl]) -> Vec<TDecl> {
        let mut result = Vec::with_capacity(decls.len());
        for decl in decls {
            let bound = self.check_bound(cx, file, decl.bound);
            let bound = self.resolve_set(bound, cx.warn);
            let mut vars = Vec::with_capacity(decl.names.len());
            let ty = if self.has_err(bound) { TypeId::EMPTY } else { self.ty(bound) };
            for name in &decl.names {
                let var = self.local(name.symbol, ty, name.span);
                let node = self.var_node(var, name.span);
                cx.env.push((name.symbol, node));
                vars.push(var);
            }
            result.push(TDecl { vars, disj: decl.disj.is_some(), bound });
        }
        result
    }

    fn check_quant(
        &mut self,
        cx: &mut Cx,
        file: &ast::File,
        span: Span,
        op: QuantOp,
        decls: &[ast::Decl],
        body: Option<ExprId>,
    ) -> TId {
        if self.meta.is_some()
            && let Some(result) = self.check_meta_quant(cx, file, span, op, decls, body)
        {
            return result;
        }
        let depth = cx.env.len();
        for decl in decls {
            for (place, what) in [
                (decl.disj_bound, "`disj` in front of the bound belongs to fields, not to variables"),
                (decl.private, "a variable is private in any case"),
            ] {
                if let Some(place) = place {
                    self.diagnostics.push(Diagnostic::error(place, what));
                }
            }
            if decl.defined {
                self.diagnostics.push(
                    Diagnostic::error(decl.span, "a variable is declared with `:`, not with `=`")
                        .help("`let x = e | …` names a value"),
                );
            }
        }
        let mut typed = self.check_decls(cx, file, decls);
        for decl in &mut typed {
            decl.bound = self.default_one(decl.bound);
        }
        let body = match body {
            Some(body) => self.check(cx, file, body),
            None => self.constant(Constant::True, span),
        };
        let body = if op == QuantOp::Sum {
            self.resolve_number(body, cx.warn)
        } else {
            self.resolve_formula(body, cx.warn)
        };
        cx.env.truncate(depth);
        if op != QuantOp::Comprehension && !self.has_err(body) {
            for decl in &typed {
                for &var in &decl.vars {
                    self.warn_unused(cx, var);
                }
            }
        }
        self.quant(op, span, typed, body)
    }

    /// `x: A` means `x: one A`.
    pub fn default_one(&mut self, bound: TId) -> TId {
        if !self.has_err(bound)
            && self.node(bound).carries == Carries::Nothing
            && self.types.arity(self.ty(bound)) == Some(1)
        {
            let span = self.span(bound);
            return self.unary(UnOp::OneOf, span, bound);
        }
        bound
    }
}
