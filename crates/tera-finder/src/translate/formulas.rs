//! Formulas as bits.
//!
//! The walk keeps track of where it is: that decides what may be skolemized, and whether an atomic
//! formula of which a part is undefined is false or ignored.

use tera_circuit::{Bit, Matrix, Unary};
use tera_rel::{DeclMult, IntCmp, Node, NodeId, Overflow, Quant, SizeTest};

use super::{Result, Translator, Value};

/// Counts of larger sets are compared in binary.
const MAX_UNARY: usize = 40;

impl Translator<'_> {
    pub(crate) fn formula(&mut self, id: NodeId) -> Result<Bit> {
        let arena = self.arena;
        let memoize = match arena.node(id) {
            Node::Quant(..) => !self.facts.positional[id.0 as usize],
            Node::True | Node::False | Node::Not(_) => false,
            _ => self.facts.n_parents[id.0 as usize] > 1 && !self.facts.positional[id.0 as usize],
        };
        // What was translated with representatives only is not what the node means elsewhere.
        let memoize = memoize && !self.may_choose();
        if memoize && let Some(Value::Formula(bit)) = self.recall(id) {
            return Ok(bit);
        }
        let saved = self.context.save();
        let bit = self.formula_uncached(id)?;
        self.context.restore(saved);
        self.check_size(id)?;
        if memoize {
            self.remember(id, Value::Formula(bit));
        }
        Ok(bit)
    }

    fn formula_uncached(&mut self, id: NodeId) -> Result<Bit> {
        let arena = self.arena;
        match arena.node(id) {
            Node::True => Ok(Bit::TRUE),
            Node::False => Ok(Bit::FALSE),
            Node::Not(a) => {
                self.context.enter_not();
                Ok(!self.formula(*a)?)
            }
            Node::And(parts) => {
                self.context.enter_and();
                let mut bits = Vec::with_capacity(parts.len());
                for &part in parts {
                    let bit = self.formula(part)?;
                    if bit == Bit::FALSE {
                        return Ok(Bit::FALSE);
                    }
                    bits.push(bit);
                }
                Ok(self.circuit.and_many(&bits))
            }
            Node::Or(parts) => {
                self.context.enter_or();
                let mut bits = Vec::with_capacity(parts.len());
                for &part in parts {
                    let bit = self.formula(part)?;
                    if bit == Bit::TRUE {
                        return Ok(Bit::TRUE);
                    }
                    bits.push(bit);
                }
                Ok(self.circuit.or_many(&bits))
            }
            Node::Implies(a, b) => {
                let saved = self.context.save();
                self.context.enter_premise();
                let a = self.formula(*a)?;
                if a == Bit::FALSE {
                    return Ok(Bit::TRUE);
                }
                self.context.restore(saved);
                self.context.enter_or();
                let b = self.formula(*b)?;
                Ok(self.circuit.implies(a, b))
            }
            Node::Iff(a, b) => {
                self.context.enter_opaque();
                let a = self.formula(*a)?;
                let b = self.formula(*b)?;
                Ok(self.circuit.iff(a, b))
            }
            Node::IfFormula(cond, a, b) => {
                self.context.enter_opaque();
                let cond = self.formula(*cond)?;
                match cond {
                    Bit::TRUE => self.formula(*a),
                    Bit::FALSE => self.formula(*b),
                    _ => {
                        let a = self.formula(*a)?;
                        let b = self.formula(*b)?;
                        Ok(self.circuit.ite(cond, a, b))
                    }
                }
            }
            Node::Subset(left, right) => {
                self.context.enter_opaque();
                let (a, b) = (self.expr(*left)?, self.expr(*right)?);
                let holds = self.circuit.subset(&a.matrix, &b.matrix);
                Ok(self.defined(holds, &[(a.undefined, *left), (b.undefined, *right)]))
            }
            Node::Equal(left, right) => {
                self.context.enter_opaque();
                let (a, b) = (self.expr(*left)?, self.expr(*right)?);
                let holds = self.circuit.equal(&a.matrix, &b.matrix);
                Ok(self.defined(holds, &[(a.undefined, *left), (b.undefined, *right)]))
            }
            Node::Size(test, set) => {
                self.context.enter_opaque();
                let a = self.expr(*set)?;
                let holds = match test {
                    SizeTest::No => !self.circuit.some(&a.matrix),
                    SizeTest::Some => self.circuit.some(&a.matrix),
                    SizeTest::Lone => self.circuit.lone(&a.matrix),
                    SizeTest::One => self.circuit.one(&a.matrix),
                };
                Ok(self.defined(holds, &[(a.undefined, *set)]))
            }
            Node::Compare(cmp, left, right) => {
                self.context.enter_opaque();
                if let Some(holds) = self.compare_counts(*cmp, *left, *right)? {
                    return Ok(holds);
                }
                let (a, b) = (self.int(*left)?, self.int(*right)?);
                let holds = match cmp {
                    IntCmp::Eq => self.circuit.equal_numbers(&a.number, &b.number),
                    IntCmp::Lt => self.circuit.less(&a.number, &b.number),
                    IntCmp::Gt => self.circuit.less(&b.number, &a.number),
                    IntCmp::Lte => !self.circuit.less(&b.number, &a.number),
                    IntCmp::Gte => !self.circuit.less(&a.number, &b.number),
                };
                Ok(self.defined(holds, &[(a.undefined, *left), (b.undefined, *right)]))
            }
            Node::Quant(quant, decls, body) => {
                if decls.iter().any(|d| d.mult == DeclMult::Set) {
                    return self.higher_order(id, *quant, decls, *body);
                }
                let choose = self.may_choose() && self.context.is_skolemizable(*quant);
                self.enter_quantifier(*quant, decls);
                let mut guards = Vec::new();
                let mut parts = Vec::new();
                self.quantify(*quant, decls, *body, choose, &mut guards, &mut parts)?;
                Ok(match quant {
                    Quant::All => self.circuit.and_many(&parts),
                    Quant::Some => self.circuit.or_many(&parts),
                })
            }
            Node::TotalOrder(elements, first, next) => self.total_order(*elements, *first, *next),
            _ => unreachable!("a formula is wanted"),
        }
    }

    /// An atomic formula of which parts may be undefined.
    fn defined(&mut self, holds: Bit, parts: &[(Bit, NodeId)]) -> Bit {
        if parts.iter().all(|part| part.0 == Bit::FALSE) {
            return holds;
        }
        let (mut universal, mut existential) = (Vec::new(), Vec::new());
        for &(undefined, node) in parts {
            let blamed = &self.facts.blamed[node.0 as usize];
            if self.problem.ints.overflow == Overflow::Forbid && self.context.is_universal(blamed) {
                universal.push(undefined);
            } else {
                existential.push(undefined);
            }
        }
        let c = &mut self.circuit;
        let (universal, existential) = (c.or_many(&universal), c.or_many(&existential));
        // Exact: false where undefined. Forbidden overflow: ignored if universal, else false, and
        // under a `not` the same of the negation.
        let (ignored, lost) = if self.problem.ints.overflow == Overflow::Forbid && self.context.is_negated() {
            (existential, universal)
        } else {
            (universal, existential)
        };
        let holds = c.or(holds, ignored);
        c.and(holds, !lost)
    }

    /// Comparisons of cardinalities with each other or with constants, in unary.
    fn compare_counts(&mut self, cmp: IntCmp, left: NodeId, right: NodeId) -> Result<Option<Bit>> {
        let arena = self.arena;
        if !self.is_exact() || ![left, right].iter().any(|&n| matches!(arena.node(n), Node::Card(_))) {
            return Ok(None);
        }
        let mut sides = Vec::with_capacity(2);
        let mut undefined = Vec::with_capacity(2);
        for node in [left, right] {
            match arena.node(node) {
                Node::Card(set) => {
                    let set = self.expr(*set)?;
                    if set.matrix.len() > MAX_UNARY {
                        return Ok(None);
                    }
                    undefined.push((set.undefined, node));
                    sides.push(Err(set.matrix.bits().collect::<Vec<Bit>>()));
                }
                Node::Int(value) if (0..=MAX_UNARY as i64).contains(value) => sides.push(Ok(*value as usize)),
                _ => return Ok(None),
            }
        }
        let max = |side: &std::result::Result<usize, Vec<Bit>>| match side {
            Ok(constant) => *constant,
            Err(bits) => bits.len(),
        };
        // More than one above the other side's largest value need not be told apart.
        let caps = [max(&sides[1]) + 1, max(&sides[0]) + 1];
        let mut unary = sides.iter().zip(caps).map(|(side, cap)| match side {
            Ok(constant) => Unary::constant(*constant),
            Err(bits) => self.circuit.count_unary(bits, cap),
        });
        let (a, b) = (unary.next().expect("left"), unary.next().expect("right"));
        let c = &mut self.circuit;
        let holds = match cmp {
            IntCmp::Eq => c.equal_unary(&a, &b),
            IntCmp::Lt => c.less_unary(&a, &b),
            IntCmp::Gt => c.less_unary(&b, &a),
            IntCmp::Lte => c.at_most_unary(&a, &b),
            IntCmp::Gte => c.at_most_unary(&b, &a),
        };
        Ok(Some(self.defined(holds, &undefined)))
    }

    /// `next` orders `elements` totally, `first` is the least.
    fn total_order(&mut self, elements: NodeId, first: NodeId, next: NodeId) -> Result<Bit> {
        self.context.enter_opaque();
        let nodes = [elements, first, next];
        let (elements, first, next) = (self.expr(elements)?, self.expr(first)?, self.expr(next)?);
        let parts_undefined =
            [(elements.undefined, nodes[0]), (first.undefined, nodes[1]), (next.undefined, nodes[2])];
        let n = self.n;
        let c = &mut self.circuit;
        let square = c.product(&elements.matrix, &elements.matrix, n);
        // A functional and injective `next` that never enters `first`, from which it reaches every
        // element: a chain.
        let mut parts = vec![
            c.one(&first.matrix),
            c.subset(&first.matrix, &elements.matrix),
            c.subset(&next.matrix, &square),
        ];
        let closure = c.closure(&next.matrix, n);
        let reached = c.join(&first.matrix, &closure, n, n);
        let reached = c.union(&first.matrix, &reached);
        parts.push(c.subset(&elements.matrix, &reached));
        let into_first = c.restrict_range(&next.matrix, &first.matrix, n);
        parts.push(!c.some(&into_first));
        let back = c.transpose(&next.matrix, n);
        for relation in [&*next.matrix, &back] {
            for row in rows(relation, n) {
                parts.push(c.at_most_one(&row));
            }
        }
        let holds = c.and_many(&parts);
        Ok(self.defined(holds, &parts_undefined))
    }
}

/// The bits of each row of a binary matrix.
fn rows(matrix: &Matrix, n: u64) -> Vec<Vec<Bit>> {
    let mut rows: Vec<Vec<Bit>> = Vec::new();
    let mut last = u64::MAX;
    for &(i, bit) in matrix.cells() {
        if i / n != last {
            last = i / n;
            rows.push(Vec::new());
        }
        rows.last_mut().expect("just pushed").push(bit);
    }
    rows
}
