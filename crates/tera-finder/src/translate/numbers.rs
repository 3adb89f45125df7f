//! Integer expressions as two's complement numbers.
//!
//! Results are exact first and are then brought to the width of the mode: left as they are,
//! wrapped, or wrapped and undefined where they overflow.

use tera_circuit::{Bit, Matrix, Number, TooWide};
use tera_rel::{IntOp, Node, NodeId, Overflow};

use super::{Int, Result, Translator, Value};
use crate::FinderError;

impl Translator<'_> {
    pub(super) fn is_exact(&self) -> bool {
        self.problem.ints.overflow == Overflow::Exact
    }

    pub(super) fn int(&mut self, id: NodeId) -> Result<Int> {
        if let Node::Int(value) = self.arena.node(id) {
            return self.fit(Number::constant(*value), Bit::FALSE);
        }
        if let Some(Value::Int(int)) = self.recall(id) {
            return Ok(int);
        }
        let int = self.int_uncached(id)?;
        self.check_size(id)?;
        if !self.facts.positional[id.0 as usize] {
            self.remember(id, Value::Int(int.clone()));
        }
        Ok(int)
    }

    fn int_uncached(&mut self, id: NodeId) -> Result<Int> {
        let arena = self.arena;
        let wide = |_: TooWide| FinderError::TooWide(id);
        match arena.node(id) {
            Node::Card(a) => {
                let a = self.expr(*a)?;
                let number = self.circuit.count(a.matrix.bits()).map_err(wide)?;
                self.fit(number, a.undefined)
            }
            Node::SumSet(a) => {
                let a = self.expr(*a)?;
                let ints = self.problem.universe.ints();
                let terms: Vec<(i64, Bit)> =
                    ints.iter().map(|&(value, atom)| (value, a.matrix.get(atom.0 as u64))).collect();
                if self.is_exact() {
                    let number = self.sum_of_set(&a.matrix, &terms).map_err(wide)?;
                    return Ok(Int { number, undefined: a.undefined });
                }
                self.balanced_sum(id, &terms, a.undefined)
            }
            Node::Sum(decls, body) => {
                let mut guards = Vec::new();
                let mut terms = Vec::new();
                let saved = self.context.save();
                self.enter_comprehension(decls);
                self.sum(decls, *body, &mut guards, &mut terms)?;
                self.context.restore(saved);
                if self.is_exact() {
                    let undefined: Vec<Bit> = terms.iter().map(|t| t.undefined).collect();
                    let undefined = self.circuit.or_many(&undefined);
                    let numbers: Vec<Number> = terms.into_iter().map(|t| t.number).collect();
                    let number = self.circuit.sum(&numbers).map_err(wide)?;
                    return Ok(Int { number, undefined });
                }
                // Pairs of neighbours again and again: the order in which the Analyzer adds, which
                // decides what overflows.
                while terms.len() > 1 {
                    let mut next = Vec::with_capacity(terms.len().div_ceil(2));
                    for pair in terms.chunks(2) {
                        next.push(match pair {
                            [a, b] => self.add(id, a, b)?,
                            _ => pair[0].clone(),
                        });
                    }
                    terms = next;
                }
                Ok(match terms.pop() {
                    Some(total) => total,
                    None => Int { number: Number::constant(0), undefined: Bit::FALSE },
                })
            }
            Node::IntBinary(op, a, b) => {
                let (a, b) = (self.int(*a)?, self.int(*b)?);
                self.int_binary(id, *op, &a, &b)
            }
            Node::IfInt(cond, a, b) => {
                let cond = self.formula(*cond)?;
                match cond {
                    Bit::TRUE => self.int(*a),
                    Bit::FALSE => self.int(*b),
                    _ => {
                        let (a, b) = (self.int(*a)?, self.int(*b)?);
                        let number = self.circuit.choose_number(cond, &a.number, &b.number);
                        let undefined = self.circuit.ite(cond, a.undefined, b.undefined);
                        Ok(Int { number, undefined })
                    }
                }
            }
            _ => unreachable!("an integer is wanted"),
        }
    }

    /// Brings an exact result to the width of the mode.
    fn fit(&mut self, number: Number, undefined: Bit) -> Result<Int> {
        match self.problem.ints.overflow {
            Overflow::Exact => Ok(Int { number, undefined }),
            Overflow::Wrap => {
                let (number, _) = self.circuit.wrap(&number, self.problem.ints.bit_width as usize);
                Ok(Int { number, undefined })
            }
            Overflow::Forbid => {
                let (number, overflow) = self.circuit.wrap(&number, self.problem.ints.bit_width as usize);
                let undefined = self.circuit.or(undefined, overflow);
                Ok(Int { number, undefined })
            }
        }
    }

    /// The sum of the integers in a set. Most sets so used have at most one member, which a
    /// multiplicity asserts: then each bit of the number is a plain disjunction.
    fn sum_of_set(&mut self, set: &Matrix, terms: &[(i64, Bit)]) -> std::result::Result<Number, TooWide> {
        let sum = self.circuit.weighted_sum(terms, 0)?;
        if terms.iter().filter(|(_, bit)| *bit != Bit::FALSE).count() < 2 {
            return Ok(sum);
        }
        let lone = self.circuit.lone(set);
        let one = self.circuit.one_of(terms);
        Ok(self.circuit.choose_number(lone, &one, &sum))
    }

    fn add(&mut self, id: NodeId, a: &Int, b: &Int) -> Result<Int> {
        let number = self.circuit.add(&a.number, &b.number).map_err(|_| FinderError::TooWide(id))?;
        let undefined = self.circuit.or(a.undefined, b.undefined);
        self.fit(number, undefined)
    }

    /// Sums halves of the list: the order in which the Analyzer adds the integers of a set.
    fn balanced_sum(&mut self, id: NodeId, terms: &[(i64, Bit)], undefined: Bit) -> Result<Int> {
        match terms {
            [] => Ok(Int { number: Number::constant(0), undefined }),
            [(value, bit)] => {
                let number =
                    self.circuit.choose_number(*bit, &Number::constant(*value), &Number::constant(0));
                self.fit(number, undefined)
            }
            _ => {
                let (low, high) = terms.split_at(terms.len().div_ceil(2));
                let low = self.balanced_sum(id, low, undefined)?;
                let high = self.balanced_sum(id, high, undefined)?;
                self.add(id, &low, &high)
            }
        }
    }

    fn int_binary(&mut self, id: NodeId, op: IntOp, a: &Int, b: &Int) -> Result<Int> {
        let wide = |_: TooWide| FinderError::TooWide(id);
        let exact = self.is_exact();
        let bit_width = self.problem.ints.bit_width as usize;
        let c = &mut self.circuit;
        let mut undefined = c.or(a.undefined, b.undefined);
        let (x, y) = (&a.number, &b.number);
        let zero = Number::constant(0);
        let number = match op {
            IntOp::Add => c.add(x, y).map_err(wide)?,
            IntOp::Sub => c.subtract(x, y).map_err(wide)?,
            IntOp::Mul => c.multiply(x, y).map_err(wide)?,
            IntOp::Div | IntOp::Rem => {
                if self.problem.ints.overflow != Overflow::Wrap {
                    let by_zero = c.equal_numbers(y, &zero);
                    undefined = c.or(undefined, by_zero);
                }
                let (quotient, rest) = c.divide(x, y).map_err(wide)?;
                match op {
                    IntOp::Rem => rest,
                    _ if exact => quotient,
                    _ => {
                        // The Analyzer's divider makes minus the sign of the dividend of it.
                        let by_zero = c.equal_numbers(y, &zero);
                        let nonzero = !c.equal_numbers(x, &zero);
                        let one = Number::of_bit(nonzero);
                        let minus_one = c.negate(&one).map_err(wide)?;
                        let sign = c.choose_number(x.sign(), &one, &minus_one);
                        c.choose_number(by_zero, &sign, &quotient)
                    }
                }
            }
            IntOp::Shl | IntOp::Sha | IntOp::Shr if exact => {
                undefined = c.or(undefined, y.sign());
                match op {
                    IntOp::Shl => c.shift_left(x, y).map_err(wide)?,
                    IntOp::Sha => c.shift_right(x, y),
                    _ => c.shift_right_zero(x, y, bit_width),
                }
            }
            IntOp::Shl | IntOp::Sha | IntOp::Shr => {
                // The Analyzer's shifters look at the low bits of the amount only.
                let stages = (usize::BITS - (bit_width - 1).leading_zeros()) as usize;
                let amount = c.low_bits(y, stages);
                match op {
                    IntOp::Shl => {
                        let shifted = c.shift_left(x, &amount).map_err(wide)?;
                        if self.problem.ints.overflow == Overflow::Forbid {
                            let too_far: Vec<Bit> = (stages..bit_width).map(|i| y.bit(i)).collect();
                            let too_far = c.or_many(&too_far);
                            let nonzero = !c.equal_numbers(x, &zero);
                            let lost = c.and(too_far, nonzero);
                            undefined = c.or(undefined, lost);
                        }
                        shifted
                    }
                    IntOp::Sha => c.shift_right(x, &amount),
                    _ => c.shift_right_zero(x, &amount, bit_width),
                }
            }
        };
        self.fit(number, undefined)
    }
}
