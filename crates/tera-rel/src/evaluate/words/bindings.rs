//! Variables and the values they run through.

use super::{EvalError, Program, Words, bits, rows};
use crate::formula::{Decl, DeclMult, VarId};
use crate::tuple_set::TupleSet;

/// Quantifying over the subsets of a larger set is refused.
const MAX_SUBSET_BITS: usize = 20;

impl Words {
    /// For explanations: see [`super::explain`].
    pub fn bind_tuple(&mut self, var: VarId, tuple: u64) {
        let p = self.program.clone();
        let place = p.var_place[var.0 as usize] as usize;
        let size = rows(p.n.max(1), p.var_arity[var.0 as usize] as usize);
        self.memory[place..place + size].fill(0);
        self.memory[place + tuple as usize / p.n] = 1 << (tuple as usize % p.n);
        self.bind(var);
    }

    pub fn bind_set(&mut self, var: VarId, value: &TupleSet) {
        self.store(self.program.var_place[var.0 as usize] as usize, value);
        self.bind(var);
    }

    /// Calls `test` for the values of `decls` until it returns true; whether it did.
    pub(super) fn each(
        &mut self,
        p: &Program,
        decls: &[Decl],
        test: &mut dyn FnMut(&mut Words, &Program) -> bool,
    ) -> bool {
        let Some((decl, rest)) = decls.split_first() else {
            return test(self, p);
        };
        self.expr(p, decl.domain);
        let arity = p.var_arity[decl.var.0 as usize] as usize;
        let domain = p.place[decl.domain.0 as usize] as usize;
        let place = p.var_place[decl.var.0 as usize] as usize;
        if decl.mult == DeclMult::Set {
            return self.each_subset(p, decl, rest, test);
        }
        if p.n == 0 {
            return false;
        }
        if arity == 1 {
            for atom in bits(self.memory[domain]) {
                self.memory[place] = 1 << atom;
                self.bind(decl.var);
                if self.each(p, rest, test) {
                    return true;
                }
            }
            return false;
        }
        for row in 0..rows(p.n, arity) {
            for atom in bits(self.memory[domain + row]) {
                self.memory[place..place + rows(p.n, arity)].fill(0);
                self.memory[place + row] = 1 << atom;
                self.bind(decl.var);
                if self.each(p, rest, test) {
                    return true;
                }
            }
        }
        false
    }

    /// Calls `visit` for all values of `decls` that the bounds allow, with whether they are present.
    pub(super) fn each_possible(
        &mut self,
        p: &Program,
        decls: &[Decl],
        present: bool,
        visit: &mut dyn FnMut(&mut Words, &Program, bool),
    ) {
        let Some((decl, rest)) = decls.split_first() else {
            return visit(self, p, present);
        };
        self.expr(p, decl.domain);
        let members = self.memory[p.place[decl.domain.0 as usize] as usize];
        let possible = p.possible[decl.domain.0 as usize].unwrap_or(members);
        for atom in bits(possible) {
            self.memory[p.var_place[decl.var.0 as usize] as usize] = 1 << atom;
            self.bind(decl.var);
            self.each_possible(p, rest, present && members >> atom & 1 == 1, visit);
        }
    }

    fn each_subset(
        &mut self,
        p: &Program,
        decl: &Decl,
        rest: &[Decl],
        test: &mut dyn FnMut(&mut Words, &Program) -> bool,
    ) -> bool {
        let arity = p.var_arity[decl.var.0 as usize] as usize;
        let domain = p.place[decl.domain.0 as usize] as usize;
        let place = p.var_place[decl.var.0 as usize] as usize;
        let size = rows(p.n.max(1), arity);
        let cells: Vec<(usize, u64)> = (0..size)
            .flat_map(|row| bits(self.memory[domain + row]).map(move |atom| (row, 1 << atom)))
            .collect();
        if cells.len() > MAX_SUBSET_BITS {
            self.fail(EvalError::TooLarge(decl.domain));
            return false;
        }
        for subset in 0..1u32 << cells.len() {
            self.memory[place..place + size].fill(0);
            for (i, &(row, bit)) in cells.iter().enumerate() {
                if subset >> i & 1 == 1 {
                    self.memory[place + row] |= bit;
                }
            }
            self.bind(decl.var);
            if self.each(p, rest, test) {
                return true;
            }
        }
        false
    }
}
