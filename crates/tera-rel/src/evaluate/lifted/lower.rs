//! Which instruction on matrices an instruction on rows becomes, and what an instruction that stays
//! reads.

use super::build::Span;
use super::code::{Access, Kind, Op, Pack as Packing, Pair, Rows};
use super::matrix::rectangle;
use super::pack::{Bits, Matrix, Pack, zipped};
use super::small::{self, BIAS, Truths};

/// The rows of an operand of a test.
struct Operand {
    access: Access,
    rows: u32,
}

impl Pack<'_> {
    /// The instruction on matrices, and the bits of its result if it is no integer.
    pub fn packed(&mut self, op: &Op) -> Option<(small::Kind, Option<Bits>)> {
        let n = op.n;
        if !(1..=8).contains(&n) {
            return None;
        }
        let words = |(kind, bits): (small::Kind, Bits)| Some((kind, Some(bits)));
        match op.kind {
            Kind::Zip(op, a, b) => {
                let (a, b) = (self.rows(a, n)?, self.rows(b, n)?);
                let bits = zipped(op, a.bits, b.bits)?;
                let (window, keep) = match bits {
                    Bits::Alike if n == 1 => (Span::default(), u64::MAX),
                    Bits::Alike => (Span::default(), rectangle(n, 8)),
                    Bits::In(span) if span.len > 8 => return None,
                    Bits::In(span) => (span, rectangle(n, span.len)),
                };
                let (x, y) = (self.aligned(a, window), self.aligned(b, window));
                words((small::Kind::Zip(op, x, y, keep), bits))
            }
            Kind::Spread(table) => {
                let entries = self.machine.tables[table as usize..][..n as usize].to_vec();
                self.spread(&entries)
            }
            Kind::Turn { from, n: n_rows, table, mask, lo, step: 1 } => {
                let entries = &self.machine.tables[table as usize..][..n_rows as usize];
                let first = *entries.first()?;
                if first >> 6 != 0 || !entries.iter().zip(first..).all(|(&entry, at)| entry == at) {
                    return None;
                }
                let from = self.rows(from, n_rows)?;
                let Bits::In(_) = from.bits else { return None };
                let x = self.aligned(from, Span { lo, len: mask.count_ones() });
                let kind = small::Kind::Transpose(x, rectangle(n, n_rows));
                words((kind, Bits::In(Span { lo: first & 63, len: n_rows })))
            }
            Kind::Join { left, right, width: 1, mask, lo } => {
                let block = match right {
                    Access::One(at) => at,
                    Access::At(at) if n == 1 => at,
                    _ => return None,
                };
                let len = mask.count_ones();
                let (a, b) = (self.rows(left, n)?, self.rows(Access::At(block), len)?);
                let (Bits::In(_), Bits::In(span)) = (a.bits, b.bits) else { return None };
                let x = self.aligned(a, Span { lo, len });
                let kind = match n {
                    1 => small::Kind::Image(x, b.at),
                    _ => small::Kind::Product(x, b.at),
                };
                words((kind, Bits::In(span)))
            }
            Kind::Closure { from, rows, lo } if rows == n => {
                let a = self.rows(Access::At(from), n)?;
                let Bits::In(span) = a.bits else { return None };
                let window = span.hull(Span { lo, len: rows });
                if window.len > 8 || window.lo != lo {
                    return None;
                }
                words((small::Kind::Closure(self.aligned(a, window)), Bits::In(window)))
            }
            Kind::Override { a, b, width: 1 } => {
                let (a, b) = (self.rows(a, n)?, self.rows(b, n)?);
                let (Bits::In(x), Bits::In(y)) = (a.bits, b.bits) else { return None };
                let window = small_span(x.hull(y))?;
                let (x, y) = (self.aligned(a, window), self.aligned(b, window));
                words((small::Kind::Override(x, y), Bits::In(window)))
            }
            Kind::Only(from) => {
                let a = self.rows(Access::At(from), n)?;
                let Bits::In(_) = a.bits else { return None };
                words((small::Kind::Only(a.at), a.bits))
            }
            Kind::AtMost(from, all) => {
                let a = self.rows(Access::At(from), n)?;
                let Bits::In(span) = a.bits else { return None };
                let window = small_span(span.hull(Span::of(all)))?;
                let all = rectangle(n, 1) * (all >> window.lo & 0xff);
                words((small::Kind::AtMost(self.aligned(a, window), all), Bits::In(window)))
            }
            Kind::Test(counted, pack, a, rows) if pack.closed && rows > 1 => {
                let a = self.rows(self.block(a), rows)?;
                let Bits::In(_) = a.bits else { return None };
                words((small::Kind::TestAll(counted, a.at), Bits::Alike))
            }
            Kind::Test(counted, pack, a, 1) => {
                let (truths, [a, _], bits) = self.arranged(n, pack, [a, a])?;
                let a = self.rows(a.access, a.rows)?;
                let Bits::In(_) = a.bits else { return None };
                Some((small::Kind::Test(counted, truths, a.at), bits))
            }
            Kind::TestPair(pair, pack, a, b, rows) if pack.closed && rows > 1 => {
                let (a, b) = (self.rows(self.block(a), rows)?, self.rows(self.block(b), rows)?);
                let [x, y] = self.pair(pair, a, b)?;
                words((small::Kind::TestPairAll(pair, x, y), Bits::Alike))
            }
            Kind::TestPair(pair, pack, a, b, 1) => {
                let (truths, [a, b], bits) = self.arranged(n, pack, [a, b])?;
                let (a, b) = (self.rows(a.access, a.rows)?, self.rows(b.access, b.rows)?);
                let [x, y] = self.pair(pair, a, b)?;
                Some((small::Kind::TestPair(pair, truths, x, y), bits))
            }
            Kind::Compare(cmp, pack, a, b) => {
                let (truths, [a, b], bits) = self.arranged(n, pack, [a, b])?;
                let (x, y) = (self.column(a.access, a.rows)?, self.column(b.access, b.rows)?);
                Some((small::Kind::Compare(cmp, truths, x, y), bits))
            }
            Kind::Card { from, rows: 1 } => {
                let a = self.rows(Access::At(from), n)?;
                let Bits::In(_) = a.bits else { return None };
                Some((small::Kind::Card(a.at), None))
            }
            Kind::Card { from, rows } if n == 1 => {
                let a = self.rows(Access::At(from), rows)?;
                let Bits::In(span) = a.bits else { return None };
                // More is no number of seven bits.
                (i64::from(rows * span.len) < BIAS).then_some((small::Kind::CardAll(a.at), None))
            }
            Kind::SumSet(from) => {
                let a = self.rows(Access::At(from), n)?;
                let Bits::In(span) = a.bits else { return None };
                let sums = self.sums(span)?;
                Some((small::Kind::SumSet(a.at, sums), None))
            }
            _ => None,
        }
    }

    /// Masks for bits: a table of `address << 6 | bit`.
    fn spread(&mut self, entries: &[u32]) -> Option<(small::Kind, Option<Bits>)> {
        let start = entries.iter().find_map(|entry| self.start_of(entry >> 6))?;
        let (matrix, n) = self.value(start)?;
        let mut from = [64; 8];
        for (entry, from) in entries.iter().zip(&mut from) {
            let (address, bit) = (entry >> 6, entry & 63);
            if !(start..start + n).contains(&address) {
                // Elsewhere a constant that has not the bit.
                let is_zero =
                    self.start_of(address).is_none() && self.machine.memory[address as usize] >> bit & 1 == 0;
                if is_zero { continue } else { return None }
            }
            let column = match matrix.bits {
                Bits::Alike => 0,
                Bits::In(span) if span.mask() >> bit & 1 == 1 => bit - span.lo,
                Bits::In(_) => continue,
            };
            *from = (8 * (address - start) + column) as u8;
        }
        if entries.len() == 1 {
            // A single mask is all ones.
            from = [from[0]; 8];
        }
        Some((small::Kind::Spread(matrix.at, from), Some(Bits::Alike)))
    }

    /// All rows of an operand of a closed test.
    fn block(&self, operand: Rows) -> Access {
        Access::At(operand.at.get(&self.machine.tables, 0) as u32)
    }

    /// How the truths of a test on single rows are arranged, which operands that takes, and the bits
    /// of the result.
    fn arranged(
        &self,
        n: u32,
        pack: Packing,
        operands: [Rows; 2],
    ) -> Option<(Truths, [Operand; 2], Option<Bits>)> {
        if pack.closed {
            let of = |rows: Rows| Operand { access: rows.at, rows: 1 };
            return (n == 1).then_some((Truths::Closed, operands.map(of), Some(Bits::Alike)));
        }
        let len = u32::from(pack.len);
        if !(1..=8).contains(&len) {
            return None;
        }
        let bits = Some(Bits::In(Span { lo: pack.lo.into(), len }));
        let keep = rectangle(n, len);
        let first = |rows: Rows| rows.at.get(&self.machine.tables, 0) as u32;
        if n == 1 {
            let of = |rows: Rows| match rows.step {
                0 => Operand { access: Access::One(first(rows)), rows: len },
                _ => Operand { access: Access::At(first(rows)), rows: len },
            };
            return Some((Truths::Bits(keep), operands.map(of), bits));
        }
        let by_bit = |rows: Rows| match rows {
            Rows { at: Access::One(at), step: 1 } => Some(Operand { access: Access::At(at), rows: len }),
            _ => None,
        };
        let by_row = |rows: Rows| match rows.step {
            0 => Some(Operand { access: rows.at, rows: n }),
            _ => None,
        };
        let [a, b] = operands;
        match (a.step, b.step) {
            (0, 0) => Some((Truths::Masks(keep), [by_row(a)?, by_row(b)?], bits)),
            (0, _) => Some((Truths::Left(keep), [by_row(a)?, by_bit(b)?], bits)),
            (_, 0) => Some((Truths::Right(keep), [by_bit(a)?, by_row(b)?], bits)),
            _ => None,
        }
    }

    /// Two operands with their atoms in the same columns.
    fn pair(&mut self, pair: Pair, a: Matrix, b: Matrix) -> Option<[u32; 2]> {
        let window = match (pair, a.bits, b.bits) {
            (_, Bits::In(x), Bits::In(y)) => x.hull(y),
            // The others would see of a mask what is outside the span.
            (Pair::Subset | Pair::Disjoint | Pair::Meet, Bits::In(span), Bits::Alike) => span,
            (Pair::Disjoint | Pair::Meet, Bits::Alike, Bits::In(span)) => span,
            _ => return None,
        };
        let window = small_span(window)?;
        Some([self.aligned(a, window), self.aligned(b, window)])
    }

    /// What an instruction reads: whether integers, from where on and how many.
    pub fn reads(&self, op: &Op) -> Vec<(bool, u32, u32)> {
        let tables = &self.machine.tables;
        let mut all = Vec::new();
        let mut read = |is_int, access: Access, n: u32, len: u32| match access {
            Access::At(at) => all.push((is_int, at, n + len.max(1) - 1)),
            Access::One(at) => all.push((is_int, at, len)),
            Access::Table(_) => {
                all.extend((0..n as usize).map(|i| (is_int, access.get(tables, i) as u32, len)));
            }
        };
        let n = op.n;
        match op.kind {
            Kind::Zip(_, a, b) | Kind::Override { a, b, .. } => {
                read(false, a, n, 1);
                read(false, b, n, 1);
            }
            Kind::Gather(from) => read(false, from, n, 1),
            Kind::Spread(table) => {
                for entry in &tables[table as usize..][..n as usize] {
                    read(false, Access::One(entry >> 6), 1, 1);
                }
            }
            Kind::Turn { from, n, .. } => read(false, from, n, 1),
            Kind::Join { left, right, width, mask, .. } => {
                let n = n.checked_div(width).unwrap_or(0);
                read(false, left, n, 1);
                read(false, right, n, mask.count_ones() * width);
            }
            Kind::Closure { from, .. } | Kind::Only(from) | Kind::AtMost(from, _) | Kind::SumSet(from) => {
                read(false, Access::At(from), n, 1);
            }
            Kind::Test(_, pack, a, rows) => read(false, a.at, n, a.reach(pack, rows)),
            Kind::TestPair(_, pack, a, b, rows) => {
                read(false, a.at, n, a.reach(pack, rows));
                read(false, b.at, n, b.reach(pack, rows));
            }
            Kind::Compare(_, pack, a, b) => {
                read(true, a.at, n, a.reach(pack, 1));
                read(true, b.at, n, b.reach(pack, 1));
            }
            Kind::Chain { elements, first, next, rows, .. } => {
                read(false, Access::One(elements), 1, 1);
                read(false, Access::One(first), 1, 1);
                read(false, Access::One(next), 1, rows);
            }
            Kind::IntAtom(from) => read(true, Access::At(from), n, 1),
            Kind::Card { from, rows } => read(false, Access::One(from), 1, n * rows),
            Kind::Arith(_, a, b) => {
                read(true, a, n, 1);
                read(true, b, n, 1);
            }
            Kind::Choose(mask, a, b) => {
                read(false, Access::At(mask), n, 1);
                read(true, a, n, 1);
                read(true, b, n, 1);
            }
            Kind::Sum { domain, body, step, .. } => {
                read(false, domain, n, 1);
                read(true, body, n, 63 * step + 1);
            }
        }
        all
    }
}

impl Rows {
    /// How many rows a test looks at from an address on.
    fn reach(self, pack: Packing, rows: u32) -> u32 {
        let steps = if pack.closed { 0 } else { u32::from(pack.len).saturating_sub(1) };
        steps * self.step + rows
    }
}

fn small_span(span: Span) -> Option<Span> {
    (span.len <= 8).then_some(span)
}
