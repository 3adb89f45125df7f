//! Rooted instances: no heap object outside what the roots reach.
//!
//! Enums, signatures that a module fixes (`exactly`, as ordered ones are) and `one` signatures keep
//! their atoms.

use tera_rel::{Decl, DeclMult, ExprOp, Node, NodeId};
use tera_syntax::Span;

use crate::facts::Conjuncts;
use crate::lower::Lowering;
use crate::types::*;

impl Lowering<'_> {
    /// Says that every object is one of `roots` or reached from them through fields.
    pub fn root(&mut self, roots: &[NodeId], into: &mut Conjuncts) {
        let mut start: Option<NodeId> = None;
        for &root in roots {
            for column in 0..self.problem.arena.arity(root) {
                let atoms = self.column(root, column);
                start = Some(self.unite(start, atoms));
            }
        }
        let start = start.unwrap_or_else(|| self.problem.arena.add(Node::Empty(1)));
        let reached = match self.edges() {
            Some(edges) => {
                let closure = self.add(Node::Closure(edges));
                let further = self.op(ExprOp::Join, start, closure);
                self.op(ExprOp::Union, start, further)
            }
            None => start,
        };
        for sig in self.world.sigs_in_order() {
            let s = self.world.sig(sig);
            let fixed = s.is_enum || s.is_one || s.is_meta || self.world.exact_sigs.contains(&sig);
            if !s.is_top() || fixed {
                continue;
            }
            let own = self.sig(sig);
            let mut allowed = reached;
            for kept in self.kept_below(sig) {
                let kept = self.sig(kept);
                allowed = self.op(ExprOp::Union, allowed, kept);
            }
            let node = self.add(Node::Subset(own, allowed));
            let label = &self.world.sig(sig).label;
            into.add(node, Span::default(), format!("every {label} is reachable from the parameters"));
        }
    }

    fn unite(&mut self, all: Option<NodeId>, more: NodeId) -> NodeId {
        match all {
            Some(all) => self.op(ExprOp::Union, all, more),
            None => more,
        }
    }

    /// The atoms of one column.
    fn column(&mut self, relation: NodeId, column: usize) -> NodeId {
        let mut result = relation;
        let arity = self.problem.arena.arity(relation);
        if arity > 1 {
            let univ = self.univ();
            for _ in 0..column {
                result = self.op(ExprOp::Join, univ, result);
            }
            for _ in column + 1..arity {
                result = self.op(ExprOp::Join, result, univ);
            }
        }
        result
    }

    fn kept_below(&self, sig: SigIx) -> Vec<SigIx> {
        let mut result = Vec::new();
        let mut todo = self.world.sig(sig).children.clone();
        while let Some(child) = todo.pop() {
            if self.world.sig(child).is_one || self.world.exact_sigs.contains(&child) {
                result.push(child);
            } else {
                todo.extend(&self.world.sig(child).children);
            }
        }
        result.sort_unstable();
        result
    }

    /// From each object to those in its fields.
    fn edges(&mut self) -> Option<NodeId> {
        let world = self.world;
        let mut all: Option<NodeId> = None;
        for sig in world.sigs_in_order() {
            for &field in world.sig(sig).decls.iter().flat_map(|d| &d.fields) {
                let Some(rel) = self.rels[self.state].field[field.index()] else { continue };
                let value = self.relation(rel);
                let ty = world.fields[field.index()].ty;
                let Some(arity) = world.types.arity(ty) else { continue };
                for column in 1..arity {
                    let objects = world.types.entries(ty).iter().any(|e| {
                        e[column] == UNIV || !(world.types.sig_within(e[column], INT) || e[column] == STRING)
                    });
                    if !objects {
                        continue;
                    }
                    let pairs = if arity == 2 { value } else { self.project(sig, value, column) };
                    all = Some(self.unite(all, pairs));
                }
            }
        }
        all
    }

    /// The pairs of the first and another column of a field.
    fn project(&mut self, owner: SigIx, value: NodeId, column: usize) -> NodeId {
        let vars = [self.fresh_var(1, ""), self.fresh_var(1, "")];
        let nodes = vars.map(|var| self.add(Node::Var(var)));
        let image = self.op(ExprOp::Join, nodes[0], value);
        let atoms = self.column(image, column - 1);
        let body = self.add(Node::Subset(nodes[1], atoms));
        let (owner, univ) = (self.sig(owner), self.univ());
        let decls = [(vars[0], owner), (vars[1], univ)].map(|(var, domain)| Decl {
            var,
            mult: DeclMult::One,
            domain,
        });
        self.add(Node::Comprehension(decls.into(), body))
    }
}
