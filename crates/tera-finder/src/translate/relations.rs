//! Relational expressions as sparse matrices.
//!
//! Relations, variables and constants are at hand; the other nodes combine the matrices of their
//! operands, and carry along the condition under which a number inside is undefined.

use std::rc::Rc;

use tera_circuit::{Bit, Matrix, Number};
use tera_rel::{ExprOp, Node, NodeId, Overflow};

use super::{Rel, Result, Translator, Value};

impl Translator<'_> {
    pub(crate) fn expr(&mut self, id: NodeId) -> Result<Rel> {
        let arena = self.arena;
        match arena.node(id) {
            Node::Relation(rel) => {
                return Ok(Rel { matrix: self.relations[rel.0 as usize].clone(), undefined: Bit::FALSE });
            }
            Node::Var(var) => {
                let binding = self.env[var.0 as usize].as_ref().expect("a bound variable");
                return Ok(Rel { matrix: binding.matrix.clone(), undefined: Bit::FALSE });
            }
            Node::Const(set) => {
                let matrix = self.consts.entry(*set).or_insert_with(|| {
                    let mut matrix = Matrix::new();
                    for tuple in arena.const_set(*set).indices() {
                        matrix.push(tuple as u64, Bit::TRUE);
                    }
                    Rc::new(matrix)
                });
                return Ok(Rel { matrix: matrix.clone(), undefined: Bit::FALSE });
            }
            _ => {}
        }
        if let Some(Value::Rel(rel)) = self.recall(id) {
            return Ok(rel);
        }
        let rel = self.expr_uncached(id)?;
        self.n_matrix_cells += rel.matrix.len() as u64;
        self.check_size(id)?;
        if !self.facts.positional[id.0 as usize] {
            self.remember(id, Value::Rel(rel.clone()));
        }
        Ok(rel)
    }

    fn expr_uncached(&mut self, id: NodeId) -> Result<Rel> {
        let arena = self.arena;
        let n = self.n;
        match arena.node(id) {
            Node::Empty(_) => Ok(Rel { matrix: Rc::new(Matrix::new()), undefined: Bit::FALSE }),
            Node::Binary(op, left, right) => {
                let (a, b) = (self.expr(*left)?, self.expr(*right)?);
                let undefined = self.circuit.or(a.undefined, b.undefined);
                let (x, y) = (&*a.matrix, &*b.matrix);
                let width = |columns: usize| n.pow(columns as u32);
                let (left_arity, right_arity) = (arena.arity(*left), arena.arity(*right));
                let c = &mut self.circuit;
                let matrix = match op {
                    ExprOp::Union => c.union(x, y),
                    ExprOp::Intersect => c.intersect(x, y),
                    ExprOp::Difference => c.difference(x, y),
                    ExprOp::Product => c.product(x, y, width(right_arity)),
                    ExprOp::Join => c.join(x, y, n, width(right_arity - 1)),
                    ExprOp::Override => c.override_with(x, y, width(left_arity - 1)),
                    ExprOp::DomainRestrict => c.restrict_domain(x, y, width(right_arity - 1)),
                    ExprOp::RangeRestrict => c.restrict_range(x, y, n),
                };
                Ok(Rel { matrix: Rc::new(matrix), undefined })
            }
            Node::Transpose(a) => {
                let a = self.expr(*a)?;
                let matrix = self.circuit.transpose(&a.matrix, n);
                Ok(Rel { matrix: Rc::new(matrix), undefined: a.undefined })
            }
            Node::Closure(a) => {
                let a = self.expr(*a)?;
                let matrix = self.circuit.closure(&a.matrix, n);
                Ok(Rel { matrix: Rc::new(matrix), undefined: a.undefined })
            }
            Node::IfExpr(cond, a, b) => {
                let cond = self.formula(*cond)?;
                match cond {
                    Bit::TRUE => self.expr(*a),
                    Bit::FALSE => self.expr(*b),
                    _ => {
                        let (a, b) = (self.expr(*a)?, self.expr(*b)?);
                        let matrix = self.circuit.choose(cond, &a.matrix, &b.matrix);
                        let undefined = self.circuit.ite(cond, a.undefined, b.undefined);
                        Ok(Rel { matrix: Rc::new(matrix), undefined })
                    }
                }
            }
            Node::Comprehension(decls, body) => {
                let mut matrix = Matrix::new();
                let mut guards = Vec::new();
                let saved = self.context.save();
                self.enter_comprehension(decls);
                self.comprehend(decls, *body, 0, &mut guards, &mut matrix)?;
                self.context.restore(saved);
                // An undefined number in a domain is an empty set, as it is for quantifiers.
                Ok(Rel { matrix: Rc::new(matrix), undefined: Bit::FALSE })
            }
            Node::IntAtom(number) => {
                let a = self.int(*number)?;
                let mut cells = Vec::new();
                for &(value, atom) in self.problem.universe.ints() {
                    let equal = self.circuit.equal_numbers(&a.number, &Number::constant(value));
                    // Only where integers wrap is a number that was lost an atom.
                    let wraps = self.problem.ints.overflow == Overflow::Wrap;
                    let bit = if wraps { equal } else { self.circuit.and(equal, !a.undefined) };
                    cells.push((atom.0 as u64, bit));
                }
                cells.sort_unstable_by_key(|&(i, _)| i);
                let mut matrix = Matrix::with_capacity(cells.len());
                for (i, bit) in cells {
                    matrix.push(i, bit);
                }
                Ok(Rel { matrix: Rc::new(matrix), undefined: a.undefined })
            }
            _ => unreachable!("a relation is wanted"),
        }
    }
}
