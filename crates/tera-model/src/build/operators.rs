//! Unary and binary operators: what they want of their operands, and the type of what they give.

use tera_syntax::{Diagnostic, Span};

use crate::tree::*;
use crate::types::*;
use crate::world::World;

impl World {
    pub fn unary(&mut self, op: UnOp, span: Span, sub: TId) -> TId {
        self.unary_weighted(op, span, sub, 0)
    }

    pub fn unary_weighted(&mut self, op: UnOp, span: Span, sub: TId, extra: u32) -> TId {
        let mut sub = sub;
        let mut err = None;
        if self.node(sub).carries != Carries::Nothing {
            if op == UnOp::SetOf {
                return sub;
            }
            if op != UnOp::Noop {
                let new = self.no_mult_here(sub);
                err = Some(new);
            }
        }
        match op {
            UnOp::Noop | UnOp::PreState => {}
            UnOp::Not
            | UnOp::Always
            | UnOp::Eventually
            | UnOp::After
            | UnOp::Before
            | UnOp::Historically
            | UnOp::Once => sub = self.as_formula(sub),
            UnOp::ToSet => {
                if matches!(self.node(sub).kind, Kind::Unary(UnOp::ToSet, _)) {
                    return sub;
                }
                if !self.types.is_number(self.ty(sub)) {
                    sub = self.as_number(sub);
                }
            }
            UnOp::ToNumber => match self.node(sub).kind {
                Kind::Unary(UnOp::ToNumber, _) => return sub,
                Kind::Unary(UnOp::ToSet, inner) => return inner,
                _ => sub = self.as_set(sub),
            },
            _ => sub = self.as_set(sub),
        }
        let sub_err = self.node(sub).err;
        err = self.join_errors(sub_err, err);
        let mut ty = self.ty(sub);
        if sub_err.is_none() {
            let mut wrong: Option<(&str, String)> = None;
            let shown = |world: &World| world.show_type(world.ty(sub));
            match op {
                UnOp::SetOf | UnOp::ExactlyOf => ty = self.types.relational(ty),
                UnOp::SomeOf | UnOp::LoneOf | UnOp::OneOf => {
                    ty = self.types.extract(ty, 1);
                    if ty == TypeId::EMPTY {
                        wrong = Some((
                            "behind `some`, `lone` or `one` a set is expected, not a relation",
                            shown(self),
                        ));
                    }
                }
                UnOp::Not
                | UnOp::No
                | UnOp::Some
                | UnOp::Lone
                | UnOp::One
                | UnOp::Always
                | UnOp::Eventually
                | UnOp::After
                | UnOp::Before
                | UnOp::Historically
                | UnOp::Once => ty = TypeId::FORMULA,
                UnOp::Transpose => {
                    ty = self.types.transpose(ty);
                    if ty == TypeId::EMPTY {
                        wrong = Some(("`~` applies to binary relations only", shown(self)));
                    }
                }
                UnOp::Closure | UnOp::ReflexiveClosure => {
                    ty = self.types.closure(ty);
                    if ty == TypeId::EMPTY {
                        let text = if op == UnOp::Closure {
                            "`^` applies to binary relations only"
                        } else {
                            "`*` applies to binary relations only"
                        };
                        wrong = Some((text, shown(self)));
                    } else if op == UnOp::ReflexiveClosure {
                        ty = self.types.of_product(&[UNIV, UNIV]);
                    }
                }
                UnOp::Card => ty = TypeId::NUMBER,
                UnOp::ToNumber => {
                    if !self.types.has_arity(ty, 1) {
                        wrong = Some(("only a set has a sum, not a relation", shown(self)));
                    }
                    ty = TypeId::NUMBER;
                }
                UnOp::ToSet => ty = self.types.of_sig(INT),
                UnOp::Noop | UnOp::Prime | UnOp::PreState => {}
            }
            if let Some((message, shown)) = wrong {
                let span = self.span(sub);
                let new = self.error(Diagnostic::error(span, message).label(format!("has the type {shown}")));
                err = self.join_errors(err, Some(new));
            }
        }
        let node = self.node(sub);
        let carries = match op {
            UnOp::SomeOf | UnOp::LoneOf | UnOp::OneOf | UnOp::SetOf | UnOp::ExactlyOf => Carries::Keyword,
            _ => Carries::Nothing,
        };
        let (weight, ambiguous) = (node.weight + extra, node.ambiguous);
        self.push(Node { kind: Kind::Unary(op, sub), span, ty, weight, carries, ambiguous, err })
    }

    pub fn binary(&mut self, op: BinOp, span: Span, left: TId, right: TId) -> TId {
        let (mut left, mut right) = (left, right);
        match op {
            BinOp::Domain => {
                if let (&Kind::Field(field), &Kind::Sig(sig)) =
                    (&self.node(right).kind, &self.node(left).kind)
                    && self.fields[field.index()].sig == sig
                {
                    return right;
                }
                left = self.as_set(left);
                right = self.as_set(right);
            }
            BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::Div
            | BinOp::Rem
            | BinOp::Shl
            | BinOp::Sha
            | BinOp::Shr
            | BinOp::Compare(..) => {
                left = self.as_number(left);
                right = self.as_number(right);
            }
            BinOp::Implies | BinOp::Iff | BinOp::Temporal => {
                left = self.as_formula(left);
                right = self.as_formula(right);
            }
            BinOp::Union | BinOp::Difference | BinOp::Eq | BinOp::NotEq => {}
            _ => {
                left = self.as_set(left);
                right = self.as_set(right);
            }
        }
        let mut err = self.join_errors(self.node(left).err, self.node(right).err);
        let (a, b) = (self.ty(left), self.ty(right));
        let mut ty = TypeId::EMPTY;
        if err.is_none() {
            let mut wrong: Option<Diagnostic> = None;
            let arities = |world: &World, what: &str| {
                let formula = |ty: TypeId| world.types.is_formula(ty) && world.types.n_entries(ty) == 0;
                let message = match (formula(a), formula(b)) {
                    (false, false) => format!("{what} needs two relations of the same arity"),
                    (true, true) if what == "`=`" => "`=` compares values; between formulas say `iff`".into(),
                    _ => format!("{what} needs two values, a formula is none"),
                };
                Diagnostic::error(span, message)
                    .related(world.span(left), format!("has the type {}", world.show_type(a)))
                    .related(world.span(right), format!("has the type {}", world.show_type(b)))
            };
            match op {
                BinOp::Compare(..) | BinOp::Iff | BinOp::Implies | BinOp::Temporal => ty = TypeId::FORMULA,
                BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::Div
                | BinOp::Rem
                | BinOp::Shl
                | BinOp::Sha
                | BinOp::Shr => ty = TypeId::NUMBER,
                BinOp::Override | BinOp::Union => {
                    ty = self.types.union_common(a, b);
                    if ty == TypeId::EMPTY {
                        wrong = Some(arities(self, if op == BinOp::Union { "`+`" } else { "`++`" }));
                    }
                }
                BinOp::Difference => {
                    ty = self.types.pick_common(a, b);
                    if ty == TypeId::EMPTY {
                        wrong = Some(arities(self, "`-`"));
                    }
                }
                BinOp::Intersect => {
                    ty = self.types.intersect(a, b);
                    if ty == TypeId::EMPTY {
                        wrong = Some(arities(self, "`&`"));
                    }
                }
                BinOp::Eq | BinOp::NotEq | BinOp::In | BinOp::NotIn => {
                    if self.types.has_common_arity(a, b) {
                        ty = TypeId::FORMULA;
                    } else {
                        let what = match op {
                            BinOp::Eq => "`=`",
                            BinOp::NotEq => "`!=`",
                            BinOp::In => "`in`",
                            _ => "`not in`",
                        };
                        wrong = Some(arities(self, what));
                    }
                }
                BinOp::Join => {
                    ty = self.join_type(left, a, right, b);
                    if ty == TypeId::EMPTY {
                        return self.bad_join(span, left, right);
                    }
                }
                BinOp::Domain | BinOp::Range => {
                    let (set, set_ty) = if op == BinOp::Domain { (left, a) } else { (right, b) };
                    ty = if op == BinOp::Domain {
                        self.types.domain_restrict(b, a)
                    } else {
                        self.types.range_restrict(a, b)
                    };
                    if ty == TypeId::EMPTY {
                        let symbol = if op == BinOp::Domain { "left of `<:`" } else { "right of `:>`" };
                        let shown = self.show_type(set_ty);
                        wrong = Some(
                            Diagnostic::error(
                                self.span(set),
                                format!("on the {symbol} a set is expected, not a relation"),
                            )
                            .label(format!("has the type {shown}")),
                        );
                    }
                }
                BinOp::Arrow(..) | BinOp::SeqArrow => ty = self.types.product(a, b),
            }
            if let Some(diagnostic) = wrong {
                let new = self.error(diagnostic);
                err = self.join_errors(err, Some(new));
            }
        }
        let is_arrow = matches!(op, BinOp::Arrow(..) | BinOp::SeqArrow);
        let (left_carries, right_carries) = (self.node(left).carries, self.node(right).carries);
        let forbidden = |c: Carries| if is_arrow { c == Carries::Keyword } else { c != Carries::Nothing };
        if forbidden(left_carries) {
            let new = self.no_mult_here(left);
            err = self.join_errors(err, Some(new));
        }
        if op != BinOp::In && forbidden(right_carries) {
            let new = self.no_mult_here(right);
            err = self.join_errors(err, Some(new));
        }
        let plain = op == BinOp::Arrow(Mult2::Set, Mult2::Set);
        let carries =
            if is_arrow && (!plain || left_carries == Carries::Arrow || right_carries == Carries::Arrow) {
                Carries::Arrow
            } else {
                Carries::Nothing
            };
        let weight = self.node(left).weight + self.node(right).weight;
        let ambiguous = self.node(left).ambiguous || self.node(right).ambiguous;
        self.push(Node { kind: Kind::Binary(op, left, right), span, ty, weight, carries, ambiguous, err })
    }

    /// The type of a join. `x.*r` is `x + x.^r`, which says more than the type of `*r`.
    pub(super) fn join_type(&mut self, left: TId, a: TypeId, right: TId, b: TypeId) -> TypeId {
        let step = |world: &World, id: TId| match world.node(world.peel(id)).kind {
            Kind::Unary(UnOp::ReflexiveClosure, step) => Some(world.ty(step)),
            _ => None,
        };
        let (start, joined) = if let Some(step) = step(self, right) {
            let closure = self.types.closure(step);
            (a, self.types.join(a, closure))
        } else if let Some(step) = step(self, left) {
            let closure = self.types.closure(step);
            (b, self.types.join(closure, b))
        } else {
            return self.types.join(a, b);
        };
        let start = self.types.relational(start);
        self.types.union_common(start, joined)
    }

    fn bad_join(&mut self, span: Span, left: TId, right: TId) -> TId {
        let ambiguous = self.node(left).ambiguous || self.node(right).ambiguous;
        let err = self.add_error(ErrNode::Of(TId(self.nodes.len() as u32)));
        self.push(Node {
            kind: Kind::BadJoin(left, right),
            span,
            ty: TypeId::EMPTY,
            weight: 0,
            carries: Carries::Nothing,
            ambiguous,
            err: Some(err),
        })
    }
}
