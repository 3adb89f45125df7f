//! The values of integers.

use super::super::arith::{self, Int};
use super::{EvalError, Program, Words, bits, rows};
use crate::formula::{Decl, Node, NodeId, Overflow};

impl Words {
    pub(super) fn int(&mut self, p: &Program, id: NodeId) -> Int {
        let i = id.0 as usize;
        if self.is_fresh(p, id) {
            return Int { value: self.ints[i], undefined: self.undefined[i] };
        }
        let slot = self.slot(p, id);
        let int = match slot.and_then(|slot| self.tables.get(slot)) {
            Some((value, undefined)) => Int { value: value as i64, undefined },
            None => match self.int_uncached(p, id) {
                Ok(int) => {
                    if let Some(slot) = slot {
                        self.tables.set(slot, int.value as u64, int.undefined);
                    }
                    int
                }
                Err(arith::TooWide) => {
                    self.fail(EvalError::TooWide(id));
                    Int { value: 0, undefined: true }
                }
            },
        };
        self.ints[i] = int.value;
        self.undefined[i] = int.undefined;
        self.computed[i] = self.clock;
        int
    }

    fn int_uncached(&mut self, p: &Program, id: NodeId) -> Result<Int, arith::TooWide> {
        match &p.nodes[id.0 as usize] {
            Node::Int(value) => arith::fit(*value as i128, false, p.semantics),
            Node::Card(a) => {
                let undefined = self.expr(p, *a);
                let words = self.words(p, *a, rows(p.n.max(1), p.arity[a.0 as usize] as usize));
                let count: u32 = words.iter().map(|w| w.count_ones()).sum();
                arith::fit(count as i128, undefined, p.semantics)
            }
            Node::SumSet(a) => {
                let undefined = self.expr(p, *a);
                let set = self.memory[p.place[a.0 as usize] as usize] & p.int_mask;
                if p.semantics.overflow == Overflow::Exact {
                    let sum = bits(set).map(|a| p.int_of[a].expect("an integer") as i128).sum();
                    return arith::fit(sum, undefined, p.semantics);
                }
                self.balanced_sum(p, &p.int_atoms, set, undefined)
            }
            Node::Sum(decls, body) => {
                let saved = self.context.save();
                let vars = decls.iter().map(|d| (d.var, p.is_int_domain[d.domain.0 as usize]));
                self.context.enter_comprehension(vars);
                let result = if p.semantics.overflow == Overflow::Forbid {
                    self.paired_sum(p, decls, *body)
                } else {
                    let mut sum = 0i128;
                    let mut undefined = false;
                    self.each(p, decls, &mut |words, p| {
                        let int = words.int(p, *body);
                        sum += int.value as i128;
                        undefined |= int.undefined;
                        false
                    });
                    arith::fit(sum, undefined, p.semantics)
                };
                self.context.restore(saved);
                result
            }
            Node::IntBinary(op, a, b) => {
                let (a, b) = (self.int(p, *a), self.int(p, *b));
                arith::binary(*op, a, b, p.semantics)
            }
            Node::IfInt(cond, a, b) => {
                let branch = if self.formula(p, *cond) { *a } else { *b };
                Ok(self.int(p, branch))
            }
            _ => unreachable!("an integer is wanted"),
        }
    }

    /// The integers of a set, added half by half as the Analyzer adds them: what overflows on the
    /// way counts.
    fn balanced_sum(
        &self,
        p: &Program,
        atoms: &[(i64, u32)],
        set: u64,
        undefined: bool,
    ) -> Result<Int, arith::TooWide> {
        match atoms {
            [] => Ok(Int { value: 0, undefined }),
            [(value, atom)] => {
                arith::fit(if set >> atom & 1 == 1 { *value as i128 } else { 0 }, undefined, p.semantics)
            }
            _ => {
                let (low, high) = atoms.split_at(atoms.len().div_ceil(2));
                let low = self.balanced_sum(p, low, set, undefined)?;
                let high = self.balanced_sum(p, high, set, undefined)?;
                arith::binary(crate::formula::IntOp::Add, low, high, p.semantics)
            }
        }
    }

    /// `sum` as the Analyzer adds it: a term for every tuple that the bounds allow, absent ones
    /// zero, neighbours in pairs. It matters for overflows of partial sums.
    fn paired_sum(&mut self, p: &Program, decls: &[Decl], body: NodeId) -> Result<Int, arith::TooWide> {
        let mut terms: Vec<Int> = Vec::new();
        self.each_possible(p, decls, true, &mut |words, p, present| {
            let int = words.int(p, body);
            terms.push(if present { int } else { Int { value: 0, undefined: false } });
        });
        while terms.len() > 1 {
            let mut next = Vec::with_capacity(terms.len().div_ceil(2));
            for pair in terms.chunks(2) {
                next.push(match *pair {
                    [a, b] => arith::binary(crate::formula::IntOp::Add, a, b, p.semantics)?,
                    _ => pair[0],
                });
            }
            terms = next;
        }
        Ok(terms.pop().unwrap_or(Int { value: 0, undefined: false }))
    }
}
