//! Quantifiers, comprehensions and sums, grounded over the upper bounds of their domains.
//!
//! Each tuple that a domain may have binds the variable in turn; the bit of its membership is a
//! guard of what the body then says.

use std::rc::Rc;

use tera_circuit::{Bit, Matrix, Number};
use tera_rel::{Decl, NodeId, Quant};

use super::{Binding, Int, Result, Translator};

impl Translator<'_> {
    pub(crate) fn enter_quantifier(&mut self, quant: Quant, decls: &[Decl]) {
        let facts = self.facts.clone();
        let vars = decls.iter().map(|d| (d.var, facts.is_all_ints[d.domain.0 as usize]));
        self.context.enter_quantifier(quant, vars);
    }

    pub(super) fn enter_comprehension(&mut self, decls: &[Decl]) {
        let facts = self.facts.clone();
        let vars = decls.iter().map(|d| (d.var, facts.is_all_ints[d.domain.0 as usize]));
        self.context.enter_comprehension(vars);
    }

    /// Whether the walk is where existentials may be narrowed to representatives.
    pub(crate) fn may_choose(&self) -> bool {
        self.representatives.is_active() && self.context.is_outermost()
    }

    /// Grounds `decls` and collects the instances of the body, guards included.
    pub(super) fn quantify(
        &mut self,
        quant: Quant,
        decls: &[Decl],
        body: NodeId,
        choose: bool,
        guards: &mut Vec<Bit>,
        parts: &mut Vec<Bit>,
    ) -> Result<()> {
        let Some((decl, rest)) = decls.split_first() else {
            let bit = self.formula(body)?;
            let depth = guards.len();
            parts.push(match quant {
                Quant::All => {
                    guards.push(!bit);
                    !self.circuit.and_many(guards)
                }
                Quant::Some => {
                    guards.push(bit);
                    self.circuit.and_many(guards)
                }
            });
            guards.truncate(depth);
            return Ok(());
        };
        let domain = self.expr(decl.domain)?.matrix;
        let decided = Bit::constant(quant == Quant::Some);
        let choose = choose && self.arena.arity(decl.domain) == 1;
        let mut choice = self.representatives.begin();
        for &(tuple, guard) in domain.cells() {
            if choose && !self.representatives.choose(&mut choice, tuple) {
                continue;
            }
            self.bind(decl.var, Binding { matrix: Rc::new(Matrix::singleton(tuple)), key: tuple });
            guards.push(guard);
            let result = self.quantify(quant, rest, body, choose, guards, parts);
            guards.pop();
            self.unbind(decl.var);
            result?;
            if parts.last() == Some(&decided) {
                break;
            }
        }
        self.representatives.end(choice);
        Ok(())
    }

    pub(super) fn comprehend(
        &mut self,
        decls: &[Decl],
        body: NodeId,
        index: u64,
        guards: &mut Vec<Bit>,
        matrix: &mut Matrix,
    ) -> Result<()> {
        let Some((decl, rest)) = decls.split_first() else {
            let bit = self.formula(body)?;
            guards.push(bit);
            let bit = self.circuit.and_many(guards);
            guards.pop();
            matrix.push(index, bit);
            return Ok(());
        };
        let domain = self.expr(decl.domain)?.matrix;
        for &(tuple, guard) in domain.cells() {
            self.bind(decl.var, Binding { matrix: Rc::new(Matrix::singleton(tuple)), key: tuple });
            guards.push(guard);
            let result = self.comprehend(rest, body, index * self.n + tuple, guards, matrix);
            guards.pop();
            self.unbind(decl.var);
            result?;
        }
        Ok(())
    }

    pub(super) fn sum(
        &mut self,
        decls: &[Decl],
        body: NodeId,
        guards: &mut Vec<Bit>,
        terms: &mut Vec<Int>,
    ) -> Result<()> {
        let Some((decl, rest)) = decls.split_first() else {
            let int = self.int(body)?;
            let guard = self.circuit.and_many(guards);
            terms.push(Int {
                number: self.circuit.choose_number(guard, &int.number, &Number::constant(0)),
                undefined: self.circuit.and(guard, int.undefined),
            });
            return Ok(());
        };
        let domain = self.expr(decl.domain)?.matrix;
        for &(tuple, guard) in domain.cells() {
            self.bind(decl.var, Binding { matrix: Rc::new(Matrix::singleton(tuple)), key: tuple });
            guards.push(guard);
            let result = self.sum(rest, body, guards, terms);
            guards.pop();
            self.unbind(decl.var);
            result?;
        }
        Ok(())
    }
}
