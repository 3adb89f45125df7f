//! Lists of formulas, conditionals, quantifiers and `let`.

use tera_syntax::{Diagnostic, Span};

use crate::tree::*;
use crate::types::*;
use crate::world::World;

impl World {
    pub fn list(&mut self, op: ListOp, span: Span, args: &[TId]) -> TId {
        let mut items = Vec::with_capacity(args.len());
        let (mut err, mut weight, mut ambiguous) = (None, 0, false);
        let mut common: Option<TypeId> = None;
        for &arg in args {
            let arg =
                if matches!(op, ListOp::And | ListOp::Or) { self.as_formula(arg) } else { self.as_set(arg) };
            let node = self.node(arg);
            ambiguous |= node.ambiguous;
            weight += node.weight;
            let (arg_err, carries, ty) = (node.err, node.carries, node.ty);
            if carries != Carries::Nothing {
                let new = self.no_mult_here(arg);
                err = self.join_errors(err, Some(new));
            }
            err = self.join_errors(err, arg_err);
            if arg_err.is_none() {
                common = Some(match common {
                    None => ty,
                    Some(common) => self.types.pick_common(common, ty),
                });
            }
            match &self.node(arg).kind {
                Kind::List(ListOp::And, inner) if op == ListOp::And => {
                    items.extend_from_slice(&inner.clone())
                }
                Kind::List(ListOp::Or, inner) if op == ListOp::Or => items.extend_from_slice(&inner.clone()),
                _ => items.push(arg),
            }
        }
        let mut wrong = None;
        if op == ListOp::TotalOrder {
            if items.len() != 3 {
                wrong = Some("`pred/totalOrder` takes three arguments: elements, first, next");
            } else if err.is_none() {
                let arity = |i: usize, n: usize| self.types.has_arity(self.ty(items[i]), n);
                if !arity(0, 1) || !arity(1, 1) || !arity(2, 2) {
                    wrong = Some("`pred/totalOrder` takes a set, a set and a binary relation");
                }
            }
        }
        if op == ListOp::Disjoint {
            if items.len() < 2 {
                wrong = Some("`disj` takes at least two arguments");
            } else if err.is_none() && common == Some(TypeId::EMPTY) {
                wrong = Some("the arguments of `disj` must have the same arity");
            }
        }
        if let Some(message) = wrong {
            let new = self.error(Diagnostic::error(span, message));
            err = self.join_errors(err, Some(new));
        }
        self.push(Node {
            kind: Kind::List(op, items.into()),
            span,
            ty: TypeId::FORMULA,
            weight,
            carries: Carries::Nothing,
            ambiguous,
            err,
        })
    }

    pub fn if_else(&mut self, span: Span, cond: TId, then: TId, els: TId) -> TId {
        let mut err = None;
        for part in [cond, then, els] {
            if self.node(part).carries != Carries::Nothing {
                let new = self.no_mult_here(part);
                err = self.join_errors(err, Some(new));
            }
        }
        let mut ty = TypeId::EMPTY;
        if !self.has_err(then) && !self.has_err(els) {
            let (a, b) = (self.ty(then), self.ty(els));
            ty = self.types.union_common(a, b);
            if a == TypeId::NUMBER && b == TypeId::NUMBER {
                ty = TypeId::NUMBER;
            }
            if self.types.is_formula(a) && self.types.is_formula(b) {
                ty = self.types.as_formula(ty);
            }
            if ty == TypeId::EMPTY {
                let diagnostic = Diagnostic::error(
                    span,
                    "the two branches must be of one kind: both formulas, or values of the same arity",
                )
                .related(self.span(then), format!("has the type {}", self.show_type(a)))
                .related(self.span(els), format!("has the type {}", self.show_type(b)));
                let new = self.error(diagnostic);
                err = self.join_errors(err, Some(new));
            }
        }
        let cond = self.as_formula(cond);
        let (mut weight, mut ambiguous) = (0, false);
        for part in [cond, then, els] {
            let node = self.node(part);
            weight += node.weight;
            ambiguous |= node.ambiguous;
            let part_err = node.err;
            err = self.join_errors(err, part_err);
        }
        let kind = Kind::IfElse(cond, then, els);
        self.push(Node { kind, span, ty, weight, carries: Carries::Nothing, ambiguous, err })
    }

    pub fn quant(&mut self, op: QuantOp, span: Span, decls: Vec<TDecl>, body: TId) -> TId {
        let mut ty = match op {
            QuantOp::Sum => TypeId::NUMBER,
            QuantOp::Comprehension => TypeId::EMPTY,
            _ => TypeId::FORMULA,
        };
        let body = if op == QuantOp::Sum { self.as_number(body) } else { self.as_formula(body) };
        let mut err = None;
        if self.node(body).carries != Carries::Nothing {
            let new = self.no_mult_here(body);
            err = Some(new);
        }
        let (mut weight, mut ambiguous) = (self.node(body).weight, self.node(body).ambiguous);
        for decl in &decls {
            let bound = self.node(decl.bound);
            weight += bound.weight;
            ambiguous |= bound.ambiguous;
            let (bound_err, bound_ty, bound_span, carries) = (bound.err, bound.ty, bound.span, bound.carries);
            err = self.join_errors(err, bound_err);
            if bound_err.is_some() {
                continue;
            }
            let keyword = self.keyword(decl.bound);
            let mut wrong = None;
            if keyword == UnOp::ExactlyOf {
                wrong = Some("a variable cannot be bound with `exactly` or `=`".to_string());
            } else if matches!(op, QuantOp::Sum | QuantOp::Comprehension) {
                let what = if op == QuantOp::Sum { "`sum`" } else { "a comprehension" };
                if !self.types.has_arity(bound_ty, 1) {
                    wrong = Some(format!("a variable of {what} ranges over a set, not over a relation"));
                } else if carries == Carries::Keyword && keyword != UnOp::OneOf {
                    wrong = Some(format!("a variable of {what} stands for one element of its set"));
                } else if op == QuantOp::Comprehension {
                    let column = self.types.extract(bound_ty, 1);
                    for _ in &decl.vars {
                        ty = if ty == TypeId::EMPTY { column } else { self.types.product(ty, column) };
                    }
                }
            }
            if let Some(message) = wrong {
                let shown = self.show_type(bound_ty);
                let new =
                    self.error(Diagnostic::error(bound_span, message).label(format!("has the type {shown}")));
                err = self.join_errors(err, Some(new));
            }
        }
        if err.is_none() {
            // Errors in the body are confusing when the variables have some already.
            err = self.node(body).err;
        }
        let kind = Kind::Quant { op, decls: decls.into(), body };
        self.push(Node { kind, span, ty, weight, carries: Carries::Nothing, ambiguous, err })
    }

    /// The multiplicity keyword at the top of a bound; `set` when there is none.
    pub fn keyword(&self, id: TId) -> UnOp {
        let mut id = id;
        loop {
            match self.node(id).kind {
                Kind::Unary(UnOp::Noop, sub) => id = sub,
                Kind::Unary(op @ (UnOp::OneOf | UnOp::LoneOf | UnOp::SomeOf | UnOp::ExactlyOf), _) => {
                    return op;
                }
                _ => return UnOp::SetOf,
            }
        }
    }

    pub fn let_in(&mut self, span: Span, var: VarIx, value: TId, body: TId) -> TId {
        let mut err = None;
        for part in [value, body] {
            let part_err = self.node(part).err;
            err = self.join_errors(err, part_err);
            if self.node(part).carries != Carries::Nothing {
                let new = self.no_mult_here(part);
                err = self.join_errors(err, Some(new));
            }
        }
        let node = self.node(body);
        let (ty, weight, ambiguous) = (node.ty, node.weight, node.ambiguous);
        let kind = Kind::Let { var, value, body };
        self.push(Node { kind, span, ty, weight, carries: Carries::Nothing, ambiguous, err })
    }
}
