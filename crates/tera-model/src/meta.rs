//! The meta signatures: for each signature `A` a constant `A$` with its fields, for each field `f`
//! a constant `A$f`. They exist only when a name in the text contains a dollar sign.

use tera_syntax::Span;
use tera_syntax::ast::{self, ExprId, ExprKind};

use crate::check::Cx;
use crate::tree::*;
use crate::types::*;
use crate::world::*;

impl World {
    /// Does a name in the text of the specification contain a dollar sign?
    pub fn mentions_meta(&self) -> bool {
        self.files.iter().any(|file| {
            file.exprs.iter().any(|e| match &e.kind {
                ExprKind::Name(name) | ExprKind::AtName(name) => self.text(name.symbol).contains('$'),
                _ => false,
            })
        })
    }

    fn add_meta_sig(&mut self, module: usize, name: &str, parent: SigIx, is_private: bool) -> SigIx {
        let name = self.interner.intern(name);
        let sig = SigIx(self.sigs.len() as u32);
        self.types.set_parent(sig, parent);
        let ty = self.types.of_sig(sig);
        let this = self.local(self.words.this, ty, Span::default());
        let label = self.qualify(module, name);
        self.sigs.push(Sig {
            name,
            label,
            module,
            span: Span::default(),
            parents: Parents::Extends(parent),
            children: Vec::new(),
            is_abstract: parent == UNIV,
            is_one: parent != UNIV,
            is_lone: false,
            is_some: false,
            is_enum: false,
            is_private,
            is_var: false,
            is_meta: true,
            is_builtin: false,
            ty,
            this,
            decls: Vec::new(),
            fact: None,
            paragraph: None,
        });
        if parent != UNIV {
            self.sig_mut(parent).children.push(sig);
        }
        self.modules[module].sigs.insert(name, sig);
        self.sorted_sigs.push(sig);
        sig
    }

    fn add_meta_field(&mut self, sig: SigIx, name: tera_syntax::Symbol, value: TId) {
        let bound = self.unary(UnOp::ExactlyOf, Span::default(), value);
        let (sig_ty, bound_ty) = (self.sig(sig).ty, self.ty(bound));
        let ty = self.types.product(sig_ty, bound_ty);
        let is_private = self.sig(sig).is_private;
        let field = self.add_field(Field {
            name,
            sig,
            ty,
            span: Span::default(),
            is_private,
            is_var: false,
            is_meta: true,
            is_defined: true,
            is_bad: false,
        });
        self.sig_mut(sig).decls.push(FieldDecl { fields: vec![field], disj: None, disj_bound: None, bound });
    }

    fn union_of(&mut self, sigs: &[SigIx]) -> TId {
        let mut result = None;
        for &sig in sigs {
            let node = self.sig_node(sig, Span::default());
            result = Some(match result {
                None => node,
                Some(result) => self.binary(BinOp::Union, Span::default(), result, node),
            });
        }
        match result {
            Some(result) => result,
            None => self.constant(Constant::Empty, Span::default()),
        }
    }

    pub fn add_meta(&mut self) {
        let ordinary: Vec<(usize, SigIx)> = self
            .order
            .iter()
            .flat_map(|&m| self.modules[m].sigs.list.iter().map(move |&(_, sig)| (m, sig)))
            .collect();
        let meta_sig = self.add_meta_sig(0, "sig$", UNIV, false);
        let meta_field = self.add_meta_sig(0, "field$", UNIV, false);
        self.meta = Some(Meta { sig: meta_sig, field: meta_field });
        let words = self.words;
        // The meta signature of each signature, and those of its own fields.
        let mut metas: Vec<(SigIx, SigIx, Vec<SigIx>)> = Vec::new();
        for &(module, sig) in &ordinary {
            let (name, is_private) = (self.text(self.sig(sig).name).to_string(), self.sig(sig).is_private);
            let meta = self.add_meta_sig(module, &format!("{name}$"), meta_sig, is_private);
            let value = self.sig_node(sig, Span::default());
            self.add_meta_field(meta, words.value, value);
            let fields: Vec<FieldIx> = self.sig(sig).decls.iter().flat_map(|d| d.fields.clone()).collect();
            let mut own = Vec::new();
            for field in fields {
                let f = &self.fields[field.index()];
                let field_name = format!("{name}${}", self.text(f.name));
                let is_private = is_private || f.is_private;
                let meta_of_field = self.add_meta_sig(module, &field_name, meta_field, is_private);
                let value = self.field_node(field, Span::default(), 0);
                if !self.has_err(value) {
                    self.add_meta_field(meta_of_field, words.value, value);
                }
                own.push(meta_of_field);
            }
            let all = self.union_of(&own);
            self.add_meta_field(meta, words.fields, all);
            metas.push((sig, meta, own));
        }
        for i in 0..metas.len() {
            let (sig, meta, _) = metas[i];
            let parent = self.sig(sig).parent().filter(|&p| p != UNIV);
            let parent = parent.and_then(|p| metas.iter().find(|(s, ..)| *s == p)).map(|&(_, m, _)| m);
            let value = self.union_of(parent.as_slice());
            self.add_meta_field(meta, words.parent, value);
            let below: Vec<SigIx> = metas
                .iter()
                .filter(|&&(s, ..)| {
                    s == sig
                        || (!self.sig(s).is_subset()
                            && !self.sig(sig).is_subset()
                            && self.types.sig_within(s, sig))
                })
                .flat_map(|(_, _, own)| own.clone())
                .collect();
            let value = self.union_of(&below);
            self.add_meta_field(meta, words.subfields, value);
        }
        // No meta atom at all would leave the abstract signature without children, hence free.
        let mut empty = Vec::new();
        if self.sig(meta_sig).children.is_empty() {
            empty.push(meta_sig);
        }
        if self.sig(meta_field).children.is_empty() {
            empty.push(meta_field);
        }
        for sig in empty {
            let node = self.sig_node(sig, Span::default());
            let body = self.unary(UnOp::No, Span::default(), node);
            self.modules[0].facts.push(Fact { name: None, source: None, body: Some(body) });
        }
    }

    /// A quantifier over meta atoms is unfolded, so that its body may be typed for each apart.
    pub fn check_meta_quant(
        &mut self,
        cx: &mut Cx,
        file: &ast::File,
        span: Span,
        op: QuantOp,
        decls: &[ast::Decl],
        body: Option<ExprId>,
    ) -> Option<TId> {
        let [decl] = decls else { return None };
        let ([name], Some(meta)) = (decl.names.as_slice(), self.meta) else { return None };
        if !matches!(op, QuantOp::All | QuantOp::Some | QuantOp::Comprehension) {
            return None;
        }
        let before = self.diagnostics.len();
        let bound = self.check_bound(cx, file, decl.bound);
        let bound = self.resolve_set(bound, false);
        self.diagnostics.truncate(before);
        if self.has_err(bound) || self.types.arity(self.ty(bound)) != Some(1) {
            return None;
        }
        if self.node(bound).carries != Carries::Nothing && self.keyword(bound) != UnOp::OneOf {
            return None;
        }
        let bound = match self.node(bound).kind {
            Kind::Unary(UnOp::OneOf, sub) => sub,
            _ => bound,
        };
        let ty = self.ty(bound);
        let all = [meta.sig, meta.field].map(|s| self.types.of_sig(s));
        let both = self.types.union_common(all[0], all[1]);
        if !self.types.has_tuple(ty) || !self.types.is_within(ty, both) {
            return None;
        }
        let mut atoms = self.sig(meta.sig).children.clone();
        atoms.extend(self.sig(meta.field).children.clone());
        let mut parts = Vec::new();
        let warn = std::mem::replace(&mut cx.warn, false);
        for atom in atoms {
            let atom_ty = self.sig(atom).ty;
            if !self.types.intersects(atom_ty, ty) {
                continue;
            }
            let node = self.sig_node(atom, name.span);
            cx.env.push((name.symbol, node));
            let inner = match body {
                Some(body) => self.check(cx, file, body),
                None => self.constant(Constant::True, span),
            };
            let inner = self.resolve_formula(inner, false);
            cx.env.pop();
            let member = self.binary(BinOp::In, span, node, bound);
            parts.push(match op {
                QuantOp::All => self.binary(BinOp::Implies, span, member, inner),
                QuantOp::Some => self.list(ListOp::And, span, &[member, inner]),
                _ => {
                    let cond = self.list(ListOp::And, span, &[member, inner]);
                    let none = self.sig_node(NONE, span);
                    self.if_else(span, cond, node, none)
                }
            });
        }
        cx.warn = warn;
        Some(match op {
            QuantOp::All => self.list(ListOp::And, span, &parts),
            QuantOp::Some => self.list(ListOp::Or, span, &parts),
            _ => {
                let mut parts = parts.into_iter();
                match parts.next() {
                    None => self.sig_node(NONE, span),
                    Some(first) => parts.fold(first, |all, part| self.binary(BinOp::Union, span, all, part)),
                }
            }
        })
    }
}
