//! The truth of formulas.

use super::{Program, Words, rows};
use crate::formula::{IntCmp, Node, NodeId, Overflow, Quant, SizeTest};

impl Words {
    pub(super) fn formula(&mut self, p: &Program, id: NodeId) -> bool {
        let i = id.0 as usize;
        let keep = p.shared[i] || matches!(p.nodes[i], Node::Quant(..));
        if keep && self.is_fresh(p, id) {
            return self.truths[i];
        }
        let slot = self.slot(p, id);
        if let Some((value, _)) = slot.and_then(|slot| self.tables.get(slot)) {
            return value != 0;
        }
        let truth = if self.is_forbid(p) {
            let saved = self.context.save();
            let truth = self.formula_uncached(p, id);
            self.context.restore(saved);
            truth
        } else {
            self.formula_uncached(p, id)
        };
        if keep {
            self.truths[i] = truth;
            self.computed[i] = self.clock;
        }
        if let Some(slot) = slot {
            self.tables.set(slot, u64::from(truth), false);
        }
        truth
    }

    fn formula_uncached(&mut self, p: &Program, id: NodeId) -> bool {
        match &p.nodes[id.0 as usize] {
            Node::True => true,
            Node::False => false,
            Node::Not(a) => {
                self.context.enter_not();
                let truth = !self.formula(p, *a);
                self.context.enter_not();
                truth
            }
            Node::And(parts) => {
                self.context.enter_and();
                parts.iter().all(|&part| self.formula(p, part))
            }
            Node::Or(parts) => {
                self.context.enter_or();
                parts.iter().any(|&part| self.formula(p, part))
            }
            Node::Implies(a, b) => {
                let saved = self.context.save();
                self.context.enter_premise();
                let premise = self.formula(p, *a);
                self.context.restore(saved);
                self.context.enter_or();
                !premise || self.formula(p, *b)
            }
            Node::Iff(a, b) => {
                self.context.enter_opaque();
                self.formula(p, *a) == self.formula(p, *b)
            }
            Node::IfFormula(cond, a, b) => {
                self.context.enter_opaque();
                let branch = if self.formula(p, *cond) { a } else { b };
                self.formula(p, *branch)
            }
            Node::Subset(a, b) | Node::Equal(a, b) => {
                self.context.enter_opaque();
                let undefined = [(self.expr(p, *a), *a), (self.expr(p, *b), *b)];
                let size = rows(p.n.max(1), p.arity[a.0 as usize] as usize);
                let (x, y) = (self.words(p, *a, size), self.words(p, *b, size));
                let truth = match &p.nodes[id.0 as usize] {
                    Node::Subset(..) => x.iter().zip(y).all(|(x, y)| x & !y == 0),
                    _ => x == y,
                };
                self.defined(p, truth, &undefined)
            }
            Node::Size(test, a) => {
                self.context.enter_opaque();
                let undefined = [(self.expr(p, *a), *a)];
                let words = self.words(p, *a, rows(p.n.max(1), p.arity[a.0 as usize] as usize));
                let truth = match test {
                    SizeTest::No => words.iter().all(|&w| w == 0),
                    SizeTest::Some => words.iter().any(|&w| w != 0),
                    SizeTest::Lone => words.iter().map(|w| w.count_ones()).sum::<u32>() <= 1,
                    SizeTest::One => words.iter().map(|w| w.count_ones()).sum::<u32>() == 1,
                };
                self.defined(p, truth, &undefined)
            }
            Node::Compare(cmp, a, b) => {
                self.context.enter_opaque();
                let (x, y) = (self.int(p, *a), self.int(p, *b));
                let truth = compare(*cmp, x.value, y.value);
                self.defined(p, truth, &[(x.undefined, *a), (y.undefined, *b)])
            }
            Node::Quant(quant, decls, body) => {
                if self.is_forbid(p) {
                    let vars = decls.iter().map(|d| (d.var, p.is_int_domain[d.domain.0 as usize]));
                    self.context.enter_quantifier(*quant, vars);
                }
                let wanted = *quant == Quant::Some;
                let found = self.each(p, decls, &mut |words, p| words.formula(p, *body) == wanted);
                found == wanted
            }
            Node::TotalOrder(elements, first, next) => {
                self.context.enter_opaque();
                let undefined = [*elements, *first, *next].map(|node| (self.expr(p, node), node));
                let truth = self.is_chain(p, *elements, *first, *next);
                self.defined(p, truth, &undefined)
            }
            _ => unreachable!("a formula is wanted"),
        }
    }

    fn is_chain(&self, p: &Program, elements: NodeId, first: NodeId, next: NodeId) -> bool {
        let at = |node: NodeId| p.place[node.0 as usize] as usize;
        let (elements, first) = (self.memory[at(elements)], self.memory[at(first)]);
        if first.count_ones() != 1 {
            return false;
        }
        // Walk from the first: every element once, and not one edge besides.
        let (mut seen, mut here) = (0, first);
        loop {
            if here & !elements != 0 || here & seen != 0 {
                return false;
            }
            seen |= here;
            let successors = self.memory[at(next) + here.trailing_zeros() as usize];
            match successors.count_ones() {
                0 => break,
                1 => here = successors,
                _ => return false,
            }
        }
        let outside = (0..p.n).filter(|a| seen >> a & 1 == 0);
        seen == elements && outside.into_iter().all(|a| self.memory[at(next) + a] == 0)
    }

    /// The truth of an atomic formula of which parts may be undefined.
    pub(super) fn defined(&self, p: &Program, truth: bool, parts: &[(bool, NodeId)]) -> bool {
        match p.semantics.overflow {
            Overflow::Wrap => truth,
            Overflow::Exact => truth && parts.iter().all(|part| !part.0),
            Overflow::Forbid => {
                let mut existential = false;
                let mut universal = false;
                for &(undefined, node) in parts {
                    if undefined {
                        let blamed = &p.blamed[node.0 as usize];
                        if self.context.is_universal(blamed) { universal = true } else { existential = true }
                    }
                }
                // Under a `not` the same holds of the negation. Where both kinds meet, the order of
                // the two steps decides.
                if self.context.is_negated() {
                    (truth || existential) && !universal
                } else {
                    (truth || universal) && !existential
                }
            }
        }
    }
}

fn compare(cmp: IntCmp, a: i64, b: i64) -> bool {
    match cmp {
        IntCmp::Eq => a == b,
        IntCmp::Lt => a < b,
        IntCmp::Lte => a <= b,
        IntCmp::Gt => a > b,
        IntCmp::Gte => a >= b,
    }
}
