//! Why a formula has its value: the atomic formula that decides, the variables that were bound on
//! the way to it, and the values of its operands ("`1 <= 0` when `n` is `Node0`").

use super::{EvalError, Evaluator, Value};
use crate::formula::{Arena, Decl, DeclMult, Node, NodeId, Quant, VarId};
use crate::universe::AtomId;

/// See the module.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// The formula that decides.
    pub node: NodeId,
    /// Its value, under `bindings`.
    pub truth: bool,
    /// The first values of the quantified variables that decide, outermost first.
    pub bindings: Vec<(VarId, Vec<AtomId>)>,
    /// The values of its operands, if it is atomic.
    pub operands: Vec<(NodeId, Value)>,
}

impl Evaluator {
    /// Explains the value of a closed formula in the loaded instance.
    pub fn explain(&mut self, arena: &Arena, formula: NodeId) -> Result<Explanation, EvalError> {
        let mut bindings = Vec::new();
        let truth = self.formula(formula)?;
        let (node, truth) = self.descend(arena, formula, truth, &mut bindings)?;
        let mut operands = Vec::new();
        if matches!(
            arena.node(node),
            Node::Compare(..) | Node::Subset(..) | Node::Equal(..) | Node::Size(..) | Node::TotalOrder(..)
        ) {
            let mut children = Vec::new();
            arena.node(node).for_each_child(|child| children.push(child));
            for child in children {
                operands.push((child, self.value(child)?));
            }
        }
        Ok(Explanation { node, truth, bindings, operands })
    }

    /// The part that alone makes `node` what it is, as deep as there is one.
    fn descend(
        &mut self,
        arena: &Arena,
        node: NodeId,
        truth: bool,
        bindings: &mut Vec<(VarId, Vec<AtomId>)>,
    ) -> Result<(NodeId, bool), EvalError> {
        match arena.node(node) {
            Node::Not(a) => self.descend(arena, *a, !truth, bindings),
            Node::And(parts) if !truth => {
                for &part in parts {
                    if !self.formula(part)? {
                        return self.descend(arena, part, false, bindings);
                    }
                }
                Ok((node, truth))
            }
            Node::Or(parts) if truth => {
                for &part in parts {
                    if self.formula(part)? {
                        return self.descend(arena, part, true, bindings);
                    }
                }
                Ok((node, truth))
            }
            Node::And(parts) | Node::Or(parts) if parts.len() == 1 => {
                self.descend(arena, parts[0], truth, bindings)
            }
            Node::Implies(premise, conclusion) => {
                if !truth || self.formula(*premise)? {
                    return self.descend(arena, *conclusion, truth, bindings);
                }
                self.descend(arena, *premise, false, bindings)
            }
            Node::IfFormula(cond, a, b) => {
                let branch = if self.formula(*cond)? { *a } else { *b };
                self.descend(arena, branch, truth, bindings)
            }
            Node::Quant(quant, decls, body) if (*quant == Quant::Some) == truth => {
                if decls.iter().all(|d| d.mult == DeclMult::One)
                    && self.find(decls, *body, truth, bindings)?
                {
                    return self.descend(arena, *body, truth, bindings);
                }
                Ok((node, truth))
            }
            _ => Ok((node, truth)),
        }
    }

    /// Binds the first values of `decls` that give `body` the value `truth`.
    fn find(
        &mut self,
        decls: &[Decl],
        body: NodeId,
        truth: bool,
        bindings: &mut Vec<(VarId, Vec<AtomId>)>,
    ) -> Result<bool, EvalError> {
        let Some((decl, rest)) = decls.split_first() else {
            return Ok(self.formula(body)? == truth);
        };
        let Value::Relation(domain) = self.value(decl.domain)? else {
            return Ok(false);
        };
        for index in domain.indices() {
            self.bind_tuple(decl.var, index as u64);
            bindings.push((decl.var, domain.tuple(index)));
            if self.find(rest, body, truth, bindings)? {
                return Ok(true);
            }
            bindings.pop();
        }
        Ok(false)
    }
}
