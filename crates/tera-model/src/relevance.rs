//! Top-down relevance: hands each expression the part of its type that matters to its
//! surroundings, picks the meaning of overloaded names by it, and warns about what cannot matter.

use tera_syntax::Diagnostic;

use crate::tree::*;
use crate::types::*;
use crate::world::World;

impl World {
    pub fn resolve_formula(&mut self, id: TId, warn: bool) -> TId {
        let id = self.as_formula(id);
        let id = self.resolve(id, TypeId::FORMULA, warn);
        self.as_formula(id)
    }

    pub fn resolve_number(&mut self, id: TId, warn: bool) -> TId {
        let id = self.as_number(id);
        let id = self.resolve(id, TypeId::NUMBER, warn);
        self.as_number(id)
    }

    pub fn resolve_set(&mut self, id: TId, warn: bool) -> TId {
        let id = self.as_set(id);
        let ty = self.ty(id);
        let ty = self.types.relational(ty);
        let id = self.resolve(id, ty, warn);
        self.as_set(id)
    }

    /// The unambiguous form of `id` where its tuples in `relevant` matter.
    pub fn resolve(&mut self, id: TId, relevant: TypeId, warn: bool) -> TId {
        if self.has_err(id) && !matches!(self.node(id).kind, Kind::Choice(_)) {
            return id;
        }
        match self.node(id).kind {
            Kind::Sig(_) | Kind::Field(_) | Kind::Var(_) | Kind::Constant(_) => return id,
            _ => {}
        }
        if let Some(&done) = self.memo.get(&(id, relevant, warn)) {
            return done;
        }
        let done = self.resolve_node(id, relevant, warn);
        self.memo.insert((id, relevant, warn), done);
        done
    }

    fn resolve_node(&mut self, id: TId, p: TypeId, warn: bool) -> TId {
        let span = self.span(id);
        match self.node(id).kind.clone() {
            Kind::Unary(op, sub) => {
                let relevant = self.unary_relevant(id, op, sub, p, warn);
                let new = self.resolve(sub, relevant, warn);
                if new == sub {
                    return id;
                }
                let extra = self.node(id).weight - self.node(sub).weight;
                self.unary_weighted(op, span, new, extra)
            }
            Kind::Binary(op, left, right) => {
                let (a, b) = self.binary_relevant(id, op, left, right, p, warn);
                let new_left = self.resolve(left, a, warn);
                let new_right = self.resolve(right, b, warn);
                if (new_left, new_right) == (left, right) {
                    return id;
                }
                self.binary(op, span, new_left, new_right)
            }
            Kind::List(op, args) => {
                let mut new = Vec::with_capacity(args.len());
                match op {
                    ListOp::And | ListOp::Or => {
                        for &arg in &args {
                            new.push(self.resolve_formula(arg, warn));
                        }
                    }
                    ListOp::Disjoint => {
                        let first = self.ty(args[0]);
                        let mut relevant = self.types.relational(first);
                        for &arg in &args[1..] {
                            let ty = self.ty(arg);
                            relevant = self.types.union_common(relevant, ty);
                        }
                        for &arg in &args {
                            let arg = self.resolve(arg, relevant, warn);
                            new.push(self.as_set(arg));
                        }
                    }
                    ListOp::TotalOrder => {
                        let ty = self.ty(args[0]);
                        let set = self.types.extract(ty, 1);
                        let pairs = self.types.product(set, set);
                        for (&arg, relevant) in args.iter().zip([set, set, pairs]) {
                            let arg = self.resolve(arg, relevant, warn);
                            new.push(self.as_set(arg));
                        }
                    }
                }
                if *new == *args { id } else { self.list(op, span, &new) }
            }
            Kind::IfElse(cond, then, els) => {
                let (mut a, mut b) = (self.ty(then), self.ty(els));
                if self.types.n_entries(p) > 0 {
                    let number = p == TypeId::NUMBER;
                    for (branch, ty) in [(then, &mut a), (els, &mut b)] {
                        let own = *ty;
                        let had = self.types.has_tuple(own);
                        *ty = self.types.intersect(own, p);
                        if warn && had && !self.types.has_tuple(*ty) {
                            let span = self.span(branch);
                            self.warn(span, "this branch can contribute nothing");
                        }
                        if number && own == TypeId::NUMBER {
                            *ty = own;
                        }
                    }
                    if self.types.is_formula(p) {
                        a = self.types.as_formula(a);
                        b = self.types.as_formula(b);
                    }
                } else {
                    a = p;
                    b = p;
                }
                let new_cond = self.resolve(cond, TypeId::FORMULA, warn);
                let new_then = self.resolve(then, a, warn);
                let new_els = self.resolve(els, b, warn);
                if (new_cond, new_then, new_els) == (cond, then, els) {
                    return id;
                }
                self.if_else(span, new_cond, new_then, new_els)
            }
            Kind::Let { var, value, body } => {
                let new = self.resolve(body, p, warn);
                if new == body { id } else { self.let_in(span, var, value, new) }
            }
            Kind::Call { func, args, extra } => {
                let params = self.funcs[func.index()].params.clone();
                let mut new = Vec::with_capacity(args.len());
                for (&arg, &param) in args.iter().zip(&params) {
                    let ty = self.locals[param.index()].ty;
                    let arg = self.resolve(arg, ty, warn);
                    new.push(self.as_set(arg));
                }
                if *new == *args { id } else { self.call(span, func, &new, extra) }
            }
            Kind::Choice(meanings) => {
                if self.has_err(id) {
                    return id;
                }
                self.choose(id, p, meanings.into_vec(), true, warn)
            }
            _ => id,
        }
    }

    fn unary_relevant(&mut self, id: TId, op: UnOp, sub: TId, p: TypeId, warn: bool) -> TypeId {
        let (ty, sub_ty) = (self.ty(id), self.ty(sub));
        match op {
            UnOp::Not
            | UnOp::Always
            | UnOp::Eventually
            | UnOp::After
            | UnOp::Before
            | UnOp::Historically
            | UnOp::Once => TypeId::FORMULA,
            UnOp::Transpose => {
                let flipped = self.types.transpose(sub_ty);
                let met = self.types.intersect(flipped, p);
                let relevant = self.types.transpose(met);
                self.warn_irrelevant_operand(sub, relevant, p, warn);
                relevant
            }
            UnOp::Closure | UnOp::ReflexiveClosure => {
                let twice = self.types.join(ty, ty);
                if warn && self.types.has_no_tuple(twice) {
                    let span = self.span(id);
                    let shown = self.show_type(sub_ty);
                    self.diagnostics.push(
                        Diagnostic::warning(span, "this closure adds nothing: domain and range are disjoint")
                            .label(format!("the relation has the type {shown}")),
                    );
                }
                let relevant = self.types.closure_operand(p, sub_ty);
                self.warn_irrelevant_operand(sub, relevant, p, warn);
                relevant
            }
            UnOp::Card | UnOp::No | UnOp::One | UnOp::Some | UnOp::Lone => self.types.relational(sub_ty),
            UnOp::ToSet => TypeId::NUMBER,
            UnOp::ToNumber => {
                let int = self.types.of_sig(INT);
                let relevant = self.types.intersect(sub_ty, int);
                if warn && self.types.has_no_tuple(relevant) {
                    let span = self.span(sub);
                    let shown = self.show_type(sub_ty);
                    self.diagnostics.push(
                        Diagnostic::warning(span, "this set holds no integers, so its sum is 0")
                            .label(format!("has the type {shown}")),
                    );
                }
                relevant
            }
            _ => p,
        }
    }

    fn warn_irrelevant_operand(&mut self, sub: TId, relevant: TypeId, p: TypeId, warn: bool) {
        if warn && relevant == TypeId::EMPTY && self.types.has_tuple(p) {
            let span = self.span(sub);
            let (own, wanted) = (self.show_type(self.ty(sub)), self.show_type(p));
            self.diagnostics.push(
                Diagnostic::warning(span, "this contributes nothing to the value around it")
                    .label(format!("has the type {own}, of interest is {wanted}")),
            );
        }
    }

    fn binary_relevant(
        &mut self,
        id: TId,
        op: BinOp,
        left: TId,
        right: TId,
        p: TypeId,
        warn: bool,
    ) -> (TypeId, TypeId) {
        let (a, b) = (self.ty(left), self.ty(right));
        let ty = self.ty(id);
        let mut message: Option<String> = None;
        let relevant = match op {
            BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::Div
            | BinOp::Rem
            | BinOp::Shl
            | BinOp::Sha
            | BinOp::Shr
            | BinOp::Compare(..) => (TypeId::NUMBER, TypeId::NUMBER),
            BinOp::Implies | BinOp::Iff | BinOp::Temporal => (TypeId::FORMULA, TypeId::FORMULA),
            BinOp::Eq | BinOp::NotEq => {
                if warn {
                    let sign = if op == BinOp::Eq { "=" } else { "!=" };
                    if self.types.has_tuple(a) && self.types.has_tuple(b) && !self.types.intersects(a, b) {
                        message = Some(format!("`{sign}` between values that are always disjoint"));
                    } else if self.same(left, right) {
                        message = Some(format!("`{sign}` between values that are always the same"));
                    }
                }
                let met = self.types.intersect(a, b);
                if self.types.has_tuple(met) {
                    (met, met)
                } else {
                    let left = self.types.pick_common(a, b);
                    (left, self.types.pick_common(b, left))
                }
            }
            BinOp::In | BinOp::NotIn => {
                let left_relevant = self.types.pick_common(a, b);
                let right_relevant = self.types.intersect(b, left_relevant);
                if warn {
                    let (no_left, no_right) = (self.types.has_no_tuple(a), self.types.has_no_tuple(b));
                    message = if no_left && no_right {
                        Some("`in` between values that are always empty".into())
                    } else if no_left {
                        Some("`in` says nothing: the left side is always empty".into())
                    } else if no_right {
                        Some("`in` with a right side that is always empty".into())
                    } else if self.types.has_no_tuple(right_relevant) {
                        Some("`in` between values that are always disjoint".into())
                    } else if self.same(left, right) {
                        Some("`in` between values that are always the same".into())
                    } else {
                        None
                    };
                }
                (left_relevant, right_relevant)
            }
            BinOp::Intersect => {
                if warn && self.types.has_no_tuple(ty) {
                    message = Some("`&` of values that are always disjoint".into());
                }
                (self.types.intersect(a, p), self.types.intersect(b, p))
            }
            BinOp::Union | BinOp::Override => {
                let relevant = (self.types.intersect(a, p), self.types.intersect(b, p));
                let sign = if op == BinOp::Union { "+" } else { "++" };
                let (dead_left, dead_right) = (
                    relevant.0 == TypeId::EMPTY,
                    relevant.1 == TypeId::EMPTY || (op == BinOp::Override && !self.types.can_override(b, a)),
                );
                if warn {
                    message = match (dead_left, dead_right) {
                        (true, true) => Some(format!("neither side of `{sign}` contributes anything")),
                        (true, false) => Some(format!("the left side of `{sign}` contributes nothing")),
                        (false, true) => Some(format!("the right side of `{sign}` contributes nothing")),
                        (false, false) => None,
                    };
                }
                relevant
            }
            BinOp::Difference => {
                let right_relevant = self.types.intersect(p, b);
                if warn && (self.types.has_no_tuple(ty) || self.types.has_no_tuple(right_relevant)) {
                    message = Some("the right side of `-` takes nothing away".into());
                }
                (p, right_relevant)
            }
            BinOp::Join => {
                if warn && self.types.has_no_tuple(ty) {
                    message = Some("this join is always empty".into());
                }
                self.types.join_operands(a, b, p)
            }
            BinOp::Domain | BinOp::Range => {
                let last = op == BinOp::Range;
                if warn && self.types.has_no_tuple(ty) {
                    message = Some("this restriction is always empty".into());
                }
                if last {
                    let (set, relation) = self.types.restrict_operands(b, a, p, true);
                    (relation, set)
                } else {
                    self.types.restrict_operands(a, b, p, false)
                }
            }
            BinOp::Arrow(..) | BinOp::SeqArrow => {
                if warn {
                    let (left_lives, right_lives) = (self.types.has_tuple(a), self.types.has_tuple(b));
                    if left_lives && !right_lives {
                        message = Some("this product is always empty, as its right side is".into());
                    } else if !left_lives && right_lives {
                        message = Some("this product is always empty, as its left side is".into());
                    }
                }
                self.types.product_operands(a, b, p)
            }
        };
        if let Some(message) = message {
            let (left_span, right_span) = (self.span(left), self.span(right));
            let (left_type, right_type) = (self.show_type(a), self.show_type(b));
            let span = self.span(id);
            self.diagnostics.push(
                Diagnostic::warning(span, message)
                    .related(left_span, format!("has the type {left_type}"))
                    .related(right_span, format!("has the type {right_type}")),
            );
        }
        relevant
    }

    /// Picks the meaning whose type meets the relevant type; among several the one of least weight.
    fn choose(&mut self, id: TId, p: TypeId, meanings: Vec<Meaning>, first_pass: bool, warn: bool) -> TId {
        let mut fit: Vec<Meaning> = Vec::new();
        for meaning in &meanings {
            let ty = self.ty(meaning.expr);
            if (self.types.is_formula(p) && self.types.is_formula(ty)) || self.types.intersects(p, ty) {
                fit.push(meaning.clone());
            }
        }
        if fit.is_empty() {
            for meaning in &meanings {
                if self.types.has_common_arity(self.ty(meaning.expr), p) {
                    fit.push(meaning.clone());
                }
            }
        }
        if self.at_prompt && fit.len() > 1 {
            let fields: Vec<Meaning> =
                fit.iter().filter(|m| m.what.starts_with("the field ")).cloned().collect();
            if !fields.is_empty() {
                fit = fields;
            }
        }
        if fit.len() > 1 {
            let least = fit.iter().map(|m| self.node(m.expr).weight).min().unwrap_or(0);
            fit.retain(|m| self.node(m.expr).weight == least);
            if first_pass && fit.len() > 1 {
                for meaning in &mut fit {
                    meaning.expr = self.resolve(meaning.expr, p, false);
                }
                return self.choose(id, p, fit, false, warn);
            }
        }
        if let [only] = fit.as_slice() {
            return self.resolve(only.expr, p, warn);
        }
        let span = self.span(id);
        // Several meanings, all of them the empty relation of one arity: then it does not matter.
        if fit.len() > 1 {
            let arities: Vec<Option<usize>> = fit
                .iter()
                .map(|m| {
                    let ty = self.ty(m.expr);
                    let empty =
                        !self.types.is_formula(ty) && !self.types.is_int(ty) && self.types.has_no_tuple(ty);
                    self.types.arity(ty).filter(|&a| empty && a > 0)
                })
                .collect();
            if let Some(arity) = arities[0]
                && arities.iter().all(|&a| a == Some(arity))
            {
                let mut result = self.sig_node(NONE, span);
                for _ in 1..arity {
                    let none = self.sig_node(NONE, span);
                    result = self.binary(BinOp::Arrow(Mult2::Set, Mult2::Set), span, result, none);
                }
                return result;
            }
        }
        let (message, listed) = if fit.len() > 1 {
            ("this name is ambiguous here: several meanings fit", &fit)
        } else {
            ("no meaning of this name fits here", &meanings)
        };
        let mut diagnostic = Diagnostic::error(span, message);
        let names: Vec<&str> = listed.iter().map(|m| &*m.what).collect();
        diagnostic = diagnostic.label(format!("may be {}", names.join(", or ")));
        if fit.len() > 1 {
            diagnostic = diagnostic
                .help("say which one: qualify it with its module, join it, or restrict it as in `A <: f`");
        }
        self.bad_with(diagnostic)
    }
}
