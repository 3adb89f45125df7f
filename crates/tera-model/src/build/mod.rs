//! Constructors of typed nodes: they check the operands and compute the bounding type.
//!
//! Here are the leaves and what the constructors share; operators, binders and calls have files of
//! their own.

mod binders;
mod calls;
mod operators;

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
