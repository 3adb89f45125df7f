//! Names with several meanings and calls: which fit, the type of the result, and why none does.

use tera_syntax::{Diagnostic, Span};

use crate::tree::*;
use crate::types::*;
use crate::world::World;

impl World {
    /// What is wrong with a call, join or macro.
    pub fn explain(&self, id: TId) -> Diagnostic {
        let span = self.span(id);
        match &self.node(id).kind {
            Kind::BadCall { func, args, .. } => self.explain_bad_call(span, *func, args),
            Kind::BadJoin(left, right) => {
                let shown = |id: TId| format!("has the type {}", self.show_type(self.ty(id)));
                let help = match self.hidden_field(*right) {
                    None => "a join needs a relation on at least one side".to_owned(),
                    Some((name, field)) => {
                        format!(
                            "`{name}` is a variable or an argument here, and hides the field: write `({field})`"
                        )
                    }
                };
                Diagnostic::error(span, "these two cannot be joined: both are sets")
                    .related(self.span(*left), shown(*left))
                    .related(self.span(*right), shown(*right))
                    .help(help)
            }
            Kind::Macro(found, args) => {
                let found = &self.macros[found.index()];
                let name = self.text(found.name);
                let message = format!("the macro `{name}` is used without all its arguments");
                let label = format!("it takes {}, here are {}", found.params.len(), args.len());
                Diagnostic::error(span, message).label(label)
            }
            _ => Diagnostic::error(span, "this expression has no meaning"),
        }
    }

    /// The name of a variable that hides a field, and how that field is written then.
    fn hidden_field(&self, id: TId) -> Option<(&str, String)> {
        let Kind::Var(var) = self.node(id).kind else { return None };
        let name = self.locals[var.index()].name;
        let field = self.fields.iter().find(|field| field.name == name)?;
        let name = self.text(name);
        Some((name, format!("{} <: {name}", self.sig(field.sig).label)))
    }

    pub fn choice(&mut self, span: Span, meanings: Vec<Meaning>) -> TId {
        if let [only] = meanings.as_slice()
            && !self.has_err(only.expr)
        {
            return only.expr;
        }
        let mut ty = TypeId::EMPTY;
        let mut weight = None;
        for meaning in &meanings {
            let node = self.node(meaning.expr);
            let (meaning_ty, meaning_weight) = (node.ty, node.weight);
            ty = self.types.merge(meaning_ty, ty);
            if meaning_ty != TypeId::EMPTY && weight.is_none_or(|w| w > meaning_weight) {
                weight = Some(meaning_weight);
            }
        }
        let err = if ty == TypeId::EMPTY { Some(self.no_meaning(span, &meanings)) } else { None };
        self.push(Node {
            kind: Kind::Choice(meanings.into()),
            span,
            ty,
            weight: weight.unwrap_or(0),
            carries: Carries::Nothing,
            ambiguous: true,
            err,
        })
    }

    /// None of the meanings types: say why for each.
    fn no_meaning(&mut self, span: Span, meanings: &[Meaning]) -> ErrId {
        let reasons_of = |world: &World, meaning: &Meaning| -> Vec<Diagnostic> {
            world.node(meaning.expr).err.map_or(Vec::new(), |err| world.spell_out(err))
        };
        let mut reasons: Vec<Diagnostic> = meanings.iter().flat_map(|m| reasons_of(self, m)).collect();
        if reasons.is_empty() {
            return self.silent_error();
        }
        if reasons.len() == 1 || meanings.len() == 1 {
            return self.error(reasons.swap_remove(0));
        }
        let mut diagnostic = Diagnostic::error(span, "no meaning of this name fits here");
        for meaning in meanings {
            if let Some(reason) = reasons_of(self, meaning).first() {
                let note = if reason.label.is_empty() { &reason.message } else { &reason.label };
                diagnostic = diagnostic.related(reason.span, format!("as {}: {note}", meaning.what));
            }
        }
        diagnostic = diagnostic.help("arguments of a call stand in [ ], not in ( )");
        self.error(diagnostic)
    }

    pub fn call(&mut self, span: Span, func: FuncIx, args: &[TId], extra: u32) -> TId {
        let params = self.funcs[func.index()].params.clone();
        debug_assert_eq!(params.len(), args.len());
        let (mut weight, mut ambiguous, mut err) = (extra, false, None);
        let mut typed = Vec::with_capacity(args.len());
        if self.funcs[func.index()].is_bad {
            err = Some(self.silent_error());
        }
        for (&arg, &param) in args.iter().zip(&params) {
            let arg = self.as_set(arg);
            let param_ty = self.locals[param.index()].ty;
            let node = self.node(arg);
            ambiguous |= node.ambiguous;
            weight += node.weight;
            let (arg_err, carries, ty, arg_span) = (node.err, node.carries, node.ty, node.span);
            err = self.join_errors(err, arg_err);
            if carries != Carries::Nothing {
                let new = self.no_mult_here(arg);
                err = self.join_errors(err, Some(new));
            }
            if let Some(arity) = self.types.arity(param_ty).filter(|&a| a > 0)
                && arg_err.is_none()
                && !self.types.has_arity(ty, arity)
            {
                let shown = self.show_type(ty);
                let new = self.error(
                    Diagnostic::error(arg_span, format!("this argument should have arity {arity}"))
                        .label(format!("has the type {shown}")),
                );
                err = self.join_errors(err, Some(new));
            }
            typed.push(arg);
        }
        let mut ty = TypeId::FORMULA;
        if let Some(result) = self.funcs[func.index()].result
            && err.is_none()
        {
            ty = self.result_type(result, &params, &typed);
        }
        let kind = Kind::Call { func, args: typed.into(), extra };
        self.push(Node { kind, span, ty, weight, carries: Carries::Nothing, ambiguous, err })
    }

    pub fn bad_call(&mut self, span: Span, func: FuncIx, args: Vec<TId>, extra: u32) -> TId {
        let (mut weight, mut ambiguous, mut err) = (extra, false, None);
        for &arg in &args {
            let node = self.node(arg);
            weight += node.weight;
            ambiguous |= node.ambiguous;
            let arg_err = node.err;
            err = self.join_errors(err, arg_err);
        }
        if self.funcs[func.index()].is_bad {
            err = Some(self.silent_error());
        }
        if err.is_none() {
            err = Some(self.add_error(ErrNode::Of(TId(self.nodes.len() as u32))));
        }
        let kind = Kind::BadCall { func, args: args.into(), extra };
        let (ty, carries) = (TypeId::EMPTY, Carries::Nothing);
        self.push(Node { kind, span, ty, weight, carries, ambiguous, err })
    }

    fn explain_bad_call(&self, span: Span, func: FuncIx, args: &[TId]) -> Diagnostic {
        let f = &self.funcs[func.index()];
        let kind = if f.is_pred { "predicate" } else { "function" };
        let name = self.text(f.name);
        let params: Vec<String> = f
            .params
            .iter()
            .map(|p| {
                let local = &self.locals[p.index()];
                format!("{}: {}", self.text(local.name), self.show_type(local.ty))
            })
            .collect();
        let signature = format!("{name}[{}]", params.join(", "));
        let n = f.params.len();
        let diagnostic = if args.len() == n {
            let mut diagnostic = Diagnostic::error(span, format!("this is no correct call of {signature}"));
            for (&arg, &param) in args.iter().zip(&f.params) {
                let (a, p) = (self.ty(arg), self.locals[param.index()].ty);
                let fits = self.types.has_common_arity(a, p)
                    && (!self.types.has_tuple(a) || !self.types.has_tuple(p) || self.types.intersects(a, p));
                if !fits {
                    let shown = self.show_type(a);
                    diagnostic = diagnostic.related(self.span(arg), format!("has the type {shown}"));
                }
            }
            diagnostic
        } else {
            let plural = if n == 1 { "argument" } else { "arguments" };
            Diagnostic::error(
                span,
                format!("the {kind} `{name}` takes {n} {plural}, but {} are given", args.len()),
            )
            .label(format!("it is declared as {signature}"))
        };
        if f.span == Span::default() { diagnostic } else { diagnostic.related(f.span, "declared here") }
    }

    /// The type of a call: that of the declared result with the types of the arguments in place of
    /// the parameters, a limited polymorphism.
    fn result_type(&mut self, result: TId, params: &[VarIx], args: &[TId]) -> TypeId {
        let declared = self.ty(result);
        let mut env: Vec<(VarIx, TypeId)> = Vec::new();
        for (&param, &arg) in params.iter().zip(args) {
            let arity = self.types.arity(self.locals[param.index()].ty).unwrap_or(0);
            let ty = self.ty(arg);
            let ty = self.types.extract(ty, arity);
            env.push((param, ty));
        }
        let deduced = self.deduce(result, &mut env);
        if self.types.is_int(deduced)
            || self.types.is_formula(deduced)
            || self.types.arity(deduced) != self.types.arity(declared)
        {
            declared
        } else {
            deduced
        }
    }

    fn deduce(&mut self, id: TId, env: &mut Vec<(VarIx, TypeId)>) -> TypeId {
        let own = self.ty(id);
        match self.node(id).kind.clone() {
            Kind::Var(var) => match env.iter().rev().find(|(v, _)| *v == var) {
                Some(&(_, ty)) if ty != TypeId::EMPTY => ty,
                _ => own,
            },
            Kind::Unary(op, sub) => match op {
                UnOp::Noop
                | UnOp::LoneOf
                | UnOp::OneOf
                | UnOp::SetOf
                | UnOp::SomeOf
                | UnOp::ExactlyOf
                | UnOp::Prime
                | UnOp::PreState => self.deduce(sub, env),
                UnOp::Transpose => {
                    let ty = self.deduce(sub, env);
                    self.types.transpose(ty)
                }
                UnOp::Closure => {
                    let ty = self.deduce(sub, env);
                    self.types.closure(ty)
                }
                _ => own,
            },
            Kind::Binary(op, left, right) => {
                if matches!(own, TypeId::FORMULA | TypeId::NUMBER) {
                    return own;
                }
                let a = self.deduce(left, env);
                let b = self.deduce(right, env);
                match op {
                    BinOp::Join => self.join_type(left, a, right, b),
                    BinOp::Domain => self.types.domain_restrict(b, a),
                    BinOp::Range => self.types.range_restrict(a, b),
                    BinOp::Intersect => self.types.intersect(a, b),
                    BinOp::Override | BinOp::Union => self.types.union_common(a, b),
                    BinOp::Difference => self.types.pick_common(a, b),
                    _ => self.types.product(a, b),
                }
            }
            Kind::IfElse(_, then, els) => {
                let a = self.deduce(then, env);
                let b = self.deduce(els, env);
                self.types.union_common(a, b)
            }
            _ => own,
        }
    }

    /// Do the arguments fit the parameters, as far as their types tell? There may be more
    /// arguments than parameters.
    pub fn applicable(&self, func: FuncIx, args: &[TId]) -> bool {
        let params = &self.funcs[func.index()].params;
        params.len() <= args.len()
            && params.iter().zip(args).all(|(&param, &arg)| {
                let (p, a) = (self.locals[param.index()].ty, self.ty(arg));
                self.types.has_common_arity(a, p)
                    && (!self.types.has_tuple(a) || !self.types.has_tuple(p) || self.types.intersects(a, p))
            })
    }
}
