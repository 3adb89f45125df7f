//! Higher-order existentials: a set that exists is a fresh relation, one for each value of the
//! enclosing variables that the quantifier mentions (Skolem's functions, as Kodkod builds them).
//!
//! An existential is a `some` in positive or an `all` in negative polarity. Where it may be
//! skolemized is the Analyzer's rule ([`tera_rel::Context`]): not under an equivalence, in a
//! condition, under a disjunction or below more universal variables than the Skolem depth. Elsewhere
//! a quantifier over sets is an error that names it.

use std::rc::Rc;

use tera_circuit::{Bit, Matrix};
use tera_rel::{Decl, DeclMult, NodeId, Quant, RelId, VarId};

use crate::FinderError;
use crate::translate::Translator;

/// A relation that stands for a quantified set: the value of `var` for one value of the variables
/// around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skolem {
    pub var: VarId,
    pub arity: usize,
    /// The enclosing variables that it depends on, with the tuples they are bound to.
    pub arguments: Vec<(VarId, u64)>,
}

impl Translator<'_> {
    /// Translates a quantifier of which some declarations are sets.
    pub(crate) fn higher_order(
        &mut self,
        id: NodeId,
        quant: Quant,
        decls: &[Decl],
        body: NodeId,
    ) -> Result<Bit, FinderError> {
        if !self.context.is_skolemizable(quant) {
            return Err(FinderError::HigherOrder(id));
        }
        let negative = quant == Quant::All;
        let choose = self.may_choose();
        self.enter_quantifier(quant, decls);
        let mut guards = Vec::new();
        let mut witnesses = Vec::new();
        self.choose_witness(decls, body, negative, choose, &mut guards, &mut witnesses)?;
        let some = self.circuit.or_many(&witnesses);
        Ok(if negative { !some } else { some })
    }

    /// Collects `guards and (body, or its negation in negative polarity)` for the choices of the
    /// declared variables.
    fn choose_witness(
        &mut self,
        decls: &[Decl],
        body: NodeId,
        negative: bool,
        choose: bool,
        guards: &mut Vec<Bit>,
        witnesses: &mut Vec<Bit>,
    ) -> Result<(), FinderError> {
        let Some((decl, rest)) = decls.split_first() else {
            let bit = self.formula(body)?;
            guards.push(if negative { !bit } else { bit });
            witnesses.push(self.circuit.and_many(guards));
            guards.pop();
            return Ok(());
        };
        let domain = self.expr(decl.domain)?.matrix;
        if decl.mult == DeclMult::One {
            let choose = choose && self.problem.arena.arity(decl.domain) == 1;
            let mut choice = self.representatives.begin();
            for &(tuple, guard) in domain.cells() {
                if choose && !self.representatives.choose(&mut choice, tuple) {
                    continue;
                }
                self.bind_matrix(decl.var, Rc::new(Matrix::singleton(tuple)), tuple);
                guards.push(guard);
                let result = self.choose_witness(rest, body, negative, choose, guards, witnesses);
                guards.pop();
                self.unbind(decl.var);
                result?;
            }
            self.representatives.end(choice);
            return Ok(());
        }
        let serial = self.skolems.len();
        let rel = RelId((self.problem.relations.len() + serial) as u32);
        let arguments = self.scope.iter().map(|&v| (v, self.binding_key(v))).collect();
        let arity = self.problem.arena.var_arity(decl.var);
        self.skolems.push(Skolem { var: decl.var, arity, arguments });
        let mut value = Matrix::with_capacity(domain.len());
        let depth = guards.len();
        for &(tuple, member) in domain.cells() {
            let cell = self.new_cell(rel, tuple);
            value.push(tuple, cell);
            let within = self.circuit.implies(cell, member);
            guards.push(within);
        }
        self.bind_matrix(decl.var, Rc::new(value), serial as u64);
        let result = self.choose_witness(rest, body, negative, choose, guards, witnesses);
        self.unbind(decl.var);
        guards.truncate(depth);
        result
    }
}
