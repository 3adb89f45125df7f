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
    seen: FxHashSet<(TId, Mask)>,
    funcs: FxHashSet<FuncIx>,
    strings: Vec<Symbol>,
    ints: bool,
}

/// Columns of an expression in which integers do not matter: the surroundings drop every tuple that
/// has one there. So `no iden & f` needs no integers when `f` holds none.
type Mask = u64;

impl Search<'_> {
    fn holds_ints(&self, sig: SigIx) -> bool {
        sig == UNIV || self.world.types.sig_within(sig, INT) && sig != NONE
    }

    fn is_number(&self, id: TId) -> bool {
        self.world.types.is_number(self.world.ty(id))
    }

    fn arity(&self, id: TId) -> u32 {
        self.world.types.arity(self.world.ty(id)).unwrap_or(1).clamp(1, 60) as u32
    }

    /// The columns that hold no integers by type.
    fn free(&self, id: TId) -> Mask {
        let mut mask: Mask = (1 << self.arity(id)) - 1;
        for entry in self.world.types.entries(self.world.ty(id)) {
            for (column, &sig) in entry.iter().enumerate().take(60) {
                if self.holds_ints(sig) {
                    mask &= !(1 << column);
                }
            }
        }
        mask
    }

    fn visit(&mut self, id: TId) {
        let mut todo: Vec<(TId, Mask)> = vec![(id, 0)];
        while let Some((id, mask)) = todo.pop() {
            if self.seen.insert((id, mask)) {
                self.step(id, mask, &mut todo);
            }
        }
    }

    fn step(&mut self, id: TId, mask: Mask, todo: &mut Vec<(TId, Mask)>) {
        match &self.world.node(id).kind {
            Kind::Sig(sig) => self.ints |= self.holds_ints(*sig) && mask & 1 == 0,
            Kind::Constant(constant) => match constant {
                Constant::Iden => self.ints |= mask & 3 == 0,
                Constant::Next | Constant::Min | Constant::Max => self.ints = true,
                Constant::Str(text) if !self.strings.contains(text) => self.strings.push(*text),
                _ => {}
            },
            Kind::Unary(op, sub) => match op {
                UnOp::ReflexiveClosure => {
                    self.ints |= mask & 3 == 0;
                    todo.push((*sub, 0));
                }
                UnOp::ToSet => {
                    self.ints |= mask & 1 == 0;
                    todo.push((*sub, 0));
                }
                UnOp::Transpose => todo.push((*sub, (mask & 1) << 1 | (mask & 2) >> 1)),
                UnOp::Noop
                | UnOp::SetOf
                | UnOp::OneOf
                | UnOp::LoneOf
                | UnOp::SomeOf
                | UnOp::ExactlyOf
                | UnOp::Prime
                | UnOp::PreState => todo.push((*sub, mask)),
                _ => todo.push((*sub, 0)),
            },
            Kind::Binary(op, a, b) => self.binary(*op, *a, *b, mask, todo),
            Kind::IfElse(cond, a, b) => {
                self.ints |= self.is_number(*a) != self.is_number(*b) && mask & 1 == 0;
                todo.extend([(*cond, 0), (*a, mask), (*b, mask)]);
            }
            Kind::Let { value, body, .. } => todo.extend([(*value, 0), (*body, mask)]),
            Kind::Quant { op: QuantOp::Comprehension, decls, body } => {
                let mut column = 0;
                for decl in decls {
                    let here = (0..decl.vars.len()).all(|i| mask & 1 << (column + i).min(60) != 0);
                    todo.push((decl.bound, here.into()));
                    column += decl.vars.len();
                }
                todo.push((*body, 0));
            }
            Kind::Call { func, args, .. } => {
                if self.funcs.insert(*func)
                    && let Some(body) = self.world.funcs[func.index()].body
                {
                    todo.push((body, 0));
                }
                todo.extend(args.iter().map(|&arg| (arg, 0)));
            }
            _ => {
                let mut children = Vec::new();
                self.world.push_children(id, &mut children);
                todo.extend(children.into_iter().map(|child| (child, 0)));
            }
        }
    }

    fn binary(&mut self, op: BinOp, a: TId, b: TId, mask: Mask, todo: &mut Vec<(TId, Mask)>) {
        let (free_a, free_b) = (self.free(a), self.free(b));
        let (arity_a, arity_b) = (self.arity(a), self.arity(b));
        let bit = |set: Mask, column: u32| set >> column & 1;
        match op {
            // A number among sets is its atom.
            BinOp::Union => {
                self.ints |= (self.is_number(a) || self.is_number(b)) && mask & 1 == 0;
                todo.extend([(a, mask), (b, mask)]);
            }
            BinOp::Difference => {
                self.ints |= (self.is_number(a) || self.is_number(b)) && mask & 1 == 0;
                todo.extend([(a, mask), (b, mask | free_a)]);
            }
            // What the right side has in its first column decides what is overridden.
            BinOp::Override => todo.extend([(a, mask), (b, mask & 1)]),
            BinOp::Intersect => todo.extend([(a, mask | free_b), (b, mask | free_a)]),
            BinOp::Arrow(left, right) => {
                // `a -> some b` asks something of every member of `a`, integers included.
                let asks = |mult| matches!(mult, Mult2::One | Mult2::Some);
                let mask_a = if asks(right) { 0 } else { mask & ((1 << arity_a) - 1) };
                let mask_b = if asks(left) { 0 } else { mask >> arity_a };
                todo.extend([(a, mask_a), (b, mask_b)]);
            }
            BinOp::SeqArrow => {
                todo.extend([(a, mask & ((1 << arity_a) - 1)), (b, mask >> arity_a)]);
            }
            BinOp::Domain => todo.extend([(a, mask & 1 | free_b & 1), (b, mask | free_a & 1)]),
            BinOp::Range => {
                let last = arity_a - 1;
                todo.extend([(a, mask | bit(free_b, 0) << last), (b, bit(mask, last) | bit(free_a, last))]);
            }
            BinOp::Join => {
                let cut = arity_a - 1;
                let mask_a = mask & ((1 << cut) - 1) | bit(free_b, 0) << cut;
                let mask_b = (mask >> cut) << 1 | bit(free_a, cut);
                // `x.*r` is `x + x.^r`: it needs no identity.
                for (side, other) in [(b, a), (a, b)] {
                    let inner = self.world.peel(side);
                    if let Kind::Unary(UnOp::ReflexiveClosure, step) = self.world.node(inner).kind {
                        return todo.extend([(step, 0), (other, 0)]);
                    }
                }
                debug_assert!(arity_a + arity_b > 2);
                todo.extend([(a, mask_a), (b, mask_b)]);
            }
            BinOp::Eq | BinOp::NotEq => {
                self.ints |= self.is_number(a) != self.is_number(b);
                todo.extend([(a, 0), (b, 0)]);
            }
            // What the left side has not, the right side may have.
            BinOp::In | BinOp::NotIn => todo.extend([(a, 0), (b, free_a)]),
            _ => todo.extend([(a, 0), (b, 0)]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing(&'static str);

    impl crate::Loader for Nothing {
        fn read(&self, path: &std::path::Path) -> Result<Option<String>, String> {
            Ok((path == std::path::Path::new("a.als")).then(|| self.0.to_string()))
        }
    }

    fn check(text: &'static str, expected: bool) {
        let mut world = crate::modules::load_modules("a.als".as_ref(), &[], &Nothing(text));
        crate::declare::resolve_world(&mut world);
        assert!(!world.diagnostics.iter().any(|d| d.is_error()), "{text}");
        assert_eq!(needs(&world, &[]).ints, expected, "{text}");
    }

    #[test]
    fn integers_count_only_where_they_can_be_seen() {
        check("sig A { f: set A } fact { no iden & f }", false);
        check("sig A { f: set A } fact { f in iden }", false);
        check("sig A { f: set A } fact { A <: iden in f and all a: A | a in a.*f }", false);
        check("sig A { f: set A } fact { f = A -> A - iden }", false);
        check("sig A { f: set A } fact { some f.univ and f in A -> univ }", false);
        check("sig A { f: set A } fact { #A > 2 and #f = #A }", false);
        check("sig A { f: set A } fact { f in univ -> lone A }", false);
        check("sig A { f: set A } fact { f in univ -> some A }", true);
        check("sig A { f: set A } fact { f in A one -> univ }", true);
        check("sig A { f: set A } fact { iden in f }", true);
        check("sig A {} fact { some univ - A }", true);
        check("sig A { f: Int }", true);
        check("sig A { f: set A } fact { #A in 1 + 2 }", true);
        check("sig A { f: set A } fact { f = *f }", true);
        check("sig A { f: set A } fact { #(A -> univ) > 3 }", true);
    }
}
