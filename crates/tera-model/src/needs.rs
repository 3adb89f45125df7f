//! Which constants a command mentions: whether integers matter at all, and which strings.
//!
//! Integers are part of `univ`, so leaving them out of the universe is sound only when no reachable
//! expression can tell. This looks at every expression that is reachable from declarations, facts
//! and the goal, through calls.

use rustc_hash::FxHashSet;
use tera_syntax::Symbol;

use crate::bounds::Constants;
use crate::tree::*;
use crate::types::*;
use crate::world::*;

pub(crate) fn needs(world: &World, goal: &[TId]) -> Constants {
    let mut search = Search {
        world,
        seen: FxHashSet::default(),
        funcs: FxHashSet::default(),
        strings: Vec::new(),
        ints: false,
    };
    for sig in world.sigs_in_order() {
        let s = world.sig(sig);
        if s.is_subset() && world.types.entries(s.ty).iter().any(|e| search.holds_ints(e[0])) {
            search.ints = true;
        }
        for decl in &s.decls {
            search.visit(decl.bound);
        }
        if let Some(fact) = s.fact {
            search.visit(fact);
        }
    }
    for &module in &world.order {
        for fact in &world.modules[module].facts {
            if let Some(body) = fact.body {
                search.visit(body);
            }
        }
    }
    for &id in goal {
        search.visit(id);
    }
    Constants { ints: search.ints, strings: search.strings }
}

struct Search<'a> {
    world: &'a World,
    seen: FxHashSet<TId>,
    funcs: FxHashSet<FuncIx>,
    strings: Vec<Symbol>,
    ints: bool,
}

impl Search<'_> {
    fn holds_ints(&self, sig: SigIx) -> bool {
        sig == UNIV || self.world.types.sig_within(sig, INT) && sig != NONE
    }

    fn is_number(&self, id: TId) -> bool {
        self.world.types.is_number(self.world.ty(id))
    }

    fn visit(&mut self, id: TId) {
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            if !self.seen.insert(id) {
                continue;
            }
            match &self.world.node(id).kind {
                Kind::Sig(sig) => self.ints |= self.holds_ints(*sig),
                Kind::Constant(constant) => match constant {
                    Constant::Iden | Constant::Next | Constant::Min | Constant::Max => self.ints = true,
                    Constant::Str(text) if !self.strings.contains(text) => self.strings.push(*text),
                    _ => {}
                },
                Kind::Unary(UnOp::ReflexiveClosure | UnOp::ToSet, _) => self.ints = true,
                // `x.*r` is `x + x.^r`: it needs no identity.
                Kind::Binary(BinOp::Join, left, right) => {
                    for side in [*right, *left] {
                        let inner = self.world.peel(side);
                        match self.world.node(inner).kind {
                            Kind::Unary(UnOp::ReflexiveClosure, step) => {
                                todo.push(step);
                                todo.push(if side == *right { *left } else { *right });
                                break;
                            }
                            _ => todo.push(side),
                        }
                    }
                    continue;
                }
                // A number among sets is its atom.
                Kind::Binary(BinOp::Union | BinOp::Difference, a, b) => {
                    self.ints |= self.is_number(*a) || self.is_number(*b);
                }
                Kind::Binary(BinOp::Eq | BinOp::NotEq, a, b) | Kind::IfElse(_, a, b) => {
                    self.ints |= self.is_number(*a) != self.is_number(*b);
                }
                Kind::Call { func, .. } => {
                    if self.funcs.insert(*func)
                        && let Some(body) = self.world.funcs[func.index()].body
                    {
                        todo.push(body);
                    }
                }
                _ => {}
            }
            self.world.push_children(id, &mut todo);
        }
    }
}
