//! Constructors of typed nodes: they check the operands and compute the bounding type.

use tera_syntax::{Diagnostic, Span};

use crate::tree::*;
use crate::types::*;
use crate::world::World;

impl World {
    fn push(&mut self, node: Node) -> TId {
        self.nodes.push(node);
        TId(self.nodes.len() as u32 - 1)
    }

    fn leaf(&mut self, kind: Kind, span: Span, ty: TypeId) -> TId {
        let carries = Carries::Nothing;
        self.push(Node { kind, span, ty, weight: 0, carries, ambiguous: false, err: None })
    }

    pub fn sig_node(&mut self, sig: SigIx, span: Span) -> TId {
        let ty = self.sig(sig).ty;
        self.leaf(Kind::Sig(sig), span, ty)
    }

    pub fn field_node(&mut self, field: FieldIx, span: Span, weight: u32) -> TId {
        let (ty, bad) = (self.fields[field.index()].ty, self.fields[field.index()].is_bad);
        let id = self.leaf(Kind::Field(field), span, ty);
        self.nodes[id.index()].weight = weight;
        if bad {
            let err = self.silent_error();
            self.nodes[id.index()].err = Some(err);
        }
        id
    }

    pub fn var_node(&mut self, var: VarIx, span: Span) -> TId {
        let ty = self.locals[var.index()].ty;
        let id = self.leaf(Kind::Var(var), span, ty);
        if ty == TypeId::EMPTY {
            let err = self.silent_error();
            self.nodes[id.index()].err = Some(err);
        }
        id
    }

    pub fn constant(&mut self, constant: Constant, span: Span) -> TId {
        let ty = match constant {
            Constant::True => TypeId::FORMULA,
            Constant::Iden => self.types.of_product(&[UNIV, UNIV]),
            Constant::Empty => self.types.of_sig(NONE),
            Constant::Min | Constant::Max | Constant::Number(_) => TypeId::NUMBER,
            Constant::Next => self.types.of_product(&[INT, INT]),
            Constant::Str(_) => self.types.of_sig(STRING),
        };
        self.leaf(Kind::Constant(constant), span, ty)
    }

    pub fn macro_node(&mut self, macro_ix: MacroIx, args: Vec<TId>, span: Span) -> TId {
        let id = self.leaf(Kind::Macro(macro_ix, args.into()), span, TypeId::EMPTY);
        let err = self.add_error(ErrNode::Of(id));
        self.nodes[id.index()].err = Some(err);
        id
    }

    pub fn bad(&mut self, span: Span, err: ErrId) -> TId {
        let id = self.leaf(Kind::Bad, span, TypeId::EMPTY);
        self.nodes[id.index()].err = Some(err);
        id
    }

    pub fn bad_with(&mut self, diagnostic: Diagnostic) -> TId {
        let span = diagnostic.span;
        let err = self.error(diagnostic);
        self.bad(span, err)
    }

    pub fn silent(&mut self, span: Span) -> TId {
        let err = self.silent_error();
        self.bad(span, err)
    }

    /// The same meaning at another place.
    pub fn at_span(&mut self, id: TId, span: Span) -> TId {
        let node = Node { span, ..self.node(id).clone() };
        self.push(node)
    }

    fn with_error(&mut self, id: TId, diagnostic: Diagnostic) -> TId {
        let err = self.error(diagnostic);
        let node = self.node(id).clone();
        self.push(Node { kind: Kind::Unary(UnOp::Noop, id), err: Some(err), ..node })
    }

    pub fn as_formula(&mut self, id: TId) -> TId {
        if self.has_err(id) || self.types.is_formula(self.ty(id)) {
            return id;
        }
        let shown = self.show_type(self.ty(id));
        let diagnostic = Diagnostic::error(self.span(id), "a formula is expected here, this is a value")
            .label(format!("has the type {shown}"))
            .help("compare it, or say `some`, `no`, `one` or `lone` in front of it");
        self.with_error(id, diagnostic)
    }

    pub fn as_number(&mut self, id: TId) -> TId {
        if self.has_err(id) || self.types.is_number(self.ty(id)) {
            return id;
        }
        if self.types.is_int(self.ty(id)) {
            let span = self.span(id);
            return self.unary(UnOp::ToNumber, span, id);
        }
        let shown = self.show_type(self.ty(id));
        let diagnostic = Diagnostic::error(self.span(id), "an integer is expected here")
            .label(format!("has the type {shown}"));
        self.with_error(id, diagnostic)
    }

    pub fn as_set(&mut self, id: TId) -> TId {
        if self.has_err(id) {
            return id;
        }
        if self.types.is_number(self.ty(id)) {
            let span = self.span(id);
            return self.unary(UnOp::ToSet, span, id);
        }
        if self.types.n_entries(self.ty(id)) > 0 {
            return id;
        }
        let diagnostic =
            Diagnostic::error(self.span(id), "a set or relation is expected here, this is a formula")
                .label("is true or false");
        self.with_error(id, diagnostic)
    }

    fn no_mult_here(&mut self, id: TId) -> ErrId {
        let span = self.span(id);
        self.error(
            Diagnostic::error(span, "a multiplicity is not allowed here")
                .label("carries a multiplicity")
                .help("multiplicities stand in declarations and directly on the right of `in`"),
        )
    }

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
    fn join_type(&mut self, left: TId, a: TypeId, right: TId, b: TypeId) -> TypeId {
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

    // Calls.

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

    /// Do the two certainly denote the same value?
    pub fn same(&self, a: TId, b: TId) -> bool {
        let (a, b) = (self.peel(a), self.peel(b));
        if a == b {
            return true;
        }
        match (&self.node(a).kind, &self.node(b).kind) {
            (Kind::Sig(x), Kind::Sig(y)) => x == y,
            (Kind::Field(x), Kind::Field(y)) => x == y,
            (Kind::Var(x), Kind::Var(y)) => x == y,
            (Kind::Constant(x), Kind::Constant(y)) => x == y,
            (Kind::Unary(p, x), Kind::Unary(q, y)) => p == q && self.same(*x, *y),
            (Kind::Binary(p, x1, x2), Kind::Binary(q, y1, y2)) => {
                p == q && self.same(*x1, *y1) && self.same(*x2, *y2)
            }
            (Kind::Call { func: f, args: x, .. }, Kind::Call { func: g, args: y, .. }) => {
                f == g && x.iter().zip(y).all(|(&x, &y)| self.same(x, y))
            }
            _ => false,
        }
    }

    /// Keeps of the nodes from `start` on only those that `root` consists of, and no errors from
    /// `errs` on: what was tried on the way to a typed paragraph is forgotten.
    pub fn compact(&mut self, start: usize, errs: usize, root: Option<TId>) -> Option<TId> {
        self.memo.clear();
        self.errs.truncate(errs);
        let mut place: Vec<u32> = vec![0; self.nodes.len() - start];
        let mut todo: Vec<TId> = root.into_iter().collect();
        while let Some(id) = todo.pop() {
            if id.index() >= start && place[id.index() - start] == 0 {
                place[id.index() - start] = 1;
                self.push_children(id, &mut todo);
            }
        }
        let mut next = start;
        for old in start..self.nodes.len() {
            if place[old - start] == 0 {
                continue;
            }
            place[old - start] = next as u32;
            self.nodes.swap(next, old);
            self.nodes[next].kind.for_each_child(|child| {
                if child.index() >= start {
                    *child = TId(place[child.index() - start]);
                }
            });
            next += 1;
        }
        self.nodes.truncate(next);
        root.map(|root| if root.index() >= start { TId(place[root.index() - start]) } else { root })
    }

    /// The node without what stands for nothing.
    pub fn peel(&self, id: TId) -> TId {
        let mut id = id;
        while let Kind::Unary(UnOp::Noop, sub) = self.node(id).kind {
            id = sub;
        }
        id
    }
}
