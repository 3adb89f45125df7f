//! The instructions of a lifted problem and how they run: straight through, without a branch on
//! what the instance holds.
//!
//! Invariant: an instruction reads only words below its own result, so memory splits there.

use super::super::arith::{self, Int};
use crate::formula::{IntCmp, IntOp, IntSemantics};

/// Where the rows of an operand are: for row `i` of the result, one address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// One after the other.
    At(u32),
    /// Always the same.
    One(u32),
    /// As a table says that begins here.
    Table(u32),
}

/// The bits that tests are packed into: one for each atom of the last variable, or all bits alike
/// for a formula without variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pack {
    pub lo: u8,
    pub len: u8,
    pub closed: bool,
}

/// An operand of a test: bit `j` of result word `d` is about the rows from `at(d) + j * step` on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rows {
    pub at: Access,
    pub step: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bitwise {
    And,
    AndNot,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counted {
    No,
    Lone,
    One,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pair {
    Subset,
    Equal,
    Disjoint,
    Meet,
}

/// What an instruction computes. Addresses of words and of integers are apart; `ints` tells which
/// the result is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Zip(Bitwise, Access, Access),
    Gather(Access),
    /// One bit of each row as a mask: a table of `address << 6 | bit`.
    Spread(u32),
    /// Bits of the source rows become rows: a table of `row << 6 | bit` by source row.
    Turn {
        from: Access,
        n: u32,
        table: u32,
        mask: u64,
        lo: u32,
        step: u32,
    },
    /// For each row on the left the union of the rows, `width` together, that its bits name.
    Join {
        left: Access,
        right: Access,
        width: u32,
        mask: u64,
        lo: u32,
    },
    /// The transitive closure of matrices of `rows` rows, which belong to the atoms from `lo` on.
    Closure {
        from: u32,
        rows: u32,
        lo: u32,
    },
    Override {
        a: Access,
        b: Access,
        width: u32,
    },
    /// Rows of one atom; others become empty.
    Only(u32),
    /// Rows of one atom; empty ones become `all`, others empty.
    AtMost(u32, u64),
    Test(Counted, Pack, Rows, u32),
    TestPair(Pair, Pack, Rows, Rows, u32),
    Compare(IntCmp, Pack, Rows, Rows),
    /// `elements`, `first`, `next` and the atom of its first row and their number.
    Chain {
        elements: u32,
        first: u32,
        next: u32,
        lo: u32,
        rows: u32,
    },
    IntAtom(u32),

    Card {
        from: u32,
        rows: u32,
    },
    SumSet(u32),
    Arith(IntOp, Access, Access),
    /// `mask`, `then`, `else`
    Choose(u32, Access, Access),
    /// The sum over the bits of a domain: the integers from `body` on, `step` apart.
    Sum {
        domain: Access,
        body: Access,
        step: u32,
        lo: u32,
    },
}

/// An instruction: `n` words or integers from `to` on.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub kind: Kind,
    pub to: u32,
    pub n: u32,
}

/// All that instructions work on.
pub struct Machine {
    pub memory: Vec<u64>,
    pub ints: Vec<i64>,
    pub tables: Vec<u32>,
    /// Value by atom; 0 for atoms that are not integers.
    pub int_of: Vec<i64>,
    pub int_mask: u64,
    /// `(value, atom)`, ascending.
    pub int_atoms: Vec<(i64, u32)>,
    pub semantics: IntSemantics,
}

impl Kind {
    pub fn is_int(self) -> bool {
        matches!(
            self,
            Kind::Card { .. } | Kind::SumSet(_) | Kind::Arith(..) | Kind::Choose(..) | Kind::Sum { .. }
        )
    }
}

impl Access {
    #[inline(always)]
    fn get(self, tables: &[u32], i: usize) -> usize {
        match self {
            Access::At(at) => at as usize + i,
            Access::One(at) => at as usize,
            Access::Table(at) => tables[at as usize + i] as usize,
        }
    }
}

/// The positions of the bits of a word, ascending.
#[inline(always)]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

impl Machine {
    #[inline(always)]
    pub fn run(&mut self, op: &Op) {
        let (to, n) = (op.to as usize, op.n as usize);
        let tables = &self.tables[..];
        match op.kind {
            Kind::Card { from, rows } => {
                let rows = rows as usize;
                for (i, int) in self.ints[to..to + n].iter_mut().enumerate() {
                    let at = from as usize + i * rows;
                    *int = self.memory[at..at + rows].iter().map(|w| i64::from(w.count_ones())).sum();
                }
            }
            Kind::SumSet(from) => {
                let sets = &self.memory[from as usize..from as usize + n];
                for (int, set) in self.ints[to..to + n].iter_mut().zip(sets) {
                    *int = bits(set & self.int_mask).map(|atom| self.int_of[atom]).sum();
                }
            }
            Kind::Arith(operator, a, b) => {
                let (low, high) = self.ints.split_at_mut(to);
                for (i, int) in high[..n].iter_mut().enumerate() {
                    let (x, y) = (low[a.get(tables, i)], low[b.get(tables, i)]);
                    *int = arithmetic(operator, x, y, self.semantics);
                }
            }
            Kind::Choose(mask, a, b) => {
                let (low, high) = self.ints.split_at_mut(to);
                for (i, int) in high[..n].iter_mut().enumerate() {
                    let from = if self.memory[mask as usize + i] != 0 { a } else { b };
                    *int = low[from.get(tables, i)];
                }
            }
            Kind::Sum { domain, body, step, lo } => {
                let (low, high) = self.ints.split_at_mut(to);
                for (i, int) in high[..n].iter_mut().enumerate() {
                    let at = body.get(tables, i);
                    let set = self.memory[domain.get(tables, i)];
                    *int = bits(set).map(|atom| low[at + (atom - lo as usize) * step as usize]).sum();
                }
            }
            Kind::IntAtom(from) => {
                let ints = &self.ints[from as usize..from as usize + n];
                for (word, int) in self.memory[to..to + n].iter_mut().zip(ints) {
                    let found = self.int_atoms.binary_search_by_key(int, |&(value, _)| value);
                    *word = found.map_or(0, |i| 1 << self.int_atoms[i].1);
                }
            }
            Kind::Compare(cmp, pack, a, b) => {
                let ints = &self.ints[..];
                let words = &mut self.memory[to..to + n];
                match cmp {
                    IntCmp::Eq => compare(words, pack, a, b, ints, tables, |x, y| x == y),
                    IntCmp::Lt => compare(words, pack, a, b, ints, tables, |x, y| x < y),
                    IntCmp::Lte => compare(words, pack, a, b, ints, tables, |x, y| x <= y),
                    IntCmp::Gt => compare(words, pack, a, b, ints, tables, |x, y| x > y),
                    IntCmp::Gte => compare(words, pack, a, b, ints, tables, |x, y| x >= y),
                }
            }
            kind => {
                let (low, high) = self.memory.split_at_mut(to);
                run_on_words(kind, low, &mut high[..n], tables);
            }
        }
    }
}

#[inline(always)]
fn run_on_words(kind: Kind, low: &[u64], to: &mut [u64], tables: &[u32]) {
    match kind {
        Kind::Zip(Bitwise::And, a, b) => zip(low, to, tables, a, b, |x, y| x & y),
        Kind::Zip(Bitwise::AndNot, a, b) => zip(low, to, tables, a, b, |x, y| x & !y),
        Kind::Zip(Bitwise::Or, a, b) => zip(low, to, tables, a, b, |x, y| x | y),
        Kind::Zip(Bitwise::Xor, a, b) => zip(low, to, tables, a, b, |x, y| x ^ y),
        Kind::Gather(from) => {
            to.iter_mut().enumerate().for_each(|(i, word)| *word = low[from.get(tables, i)]);
        }
        Kind::Spread(table) => {
            for (word, entry) in to.iter_mut().zip(&tables[table as usize..]) {
                *word = (low[(entry >> 6) as usize] >> (entry & 63) & 1).wrapping_neg();
            }
        }
        Kind::Turn { from, n, table, mask, lo, step } => {
            to.fill(0);
            for i in 0..n as usize {
                let word = low[from.get(tables, i)] & mask;
                let entry = tables[table as usize + i];
                let (row, bit) = ((entry >> 6) as usize, 1 << (entry & 63));
                for atom in bits(word) {
                    to[row + (atom - lo as usize) * step as usize] |= bit;
                }
            }
        }
        Kind::Join { left, right, width: 1, mask, lo } => {
            for (i, word) in to.iter_mut().enumerate() {
                let set = low[left.get(tables, i)] & mask;
                let at = right.get(tables, i);
                *word = bits(set).fold(0, |union, atom| union | low[at + atom - lo as usize]);
            }
        }
        Kind::Join { left, right, width, mask, lo } => {
            let width = width as usize;
            to.fill(0);
            for i in 0..to.len().checked_div(width).unwrap_or(0) {
                let at = right.get(tables, i);
                for atom in bits(low[left.get(tables, i)] & mask) {
                    let row = at + (atom - lo as usize) * width;
                    let union = &mut to[i * width..(i + 1) * width];
                    union.iter_mut().zip(&low[row..row + width]).for_each(|(word, more)| *word |= more);
                }
            }
        }
        Kind::Closure { from, rows, lo } => {
            to.copy_from_slice(&low[from as usize..from as usize + to.len()]);
            if rows > 0 {
                to.chunks_exact_mut(rows as usize).for_each(|matrix| close(matrix, lo));
            }
        }
        Kind::Override { a, b, width } => {
            let width = width as usize;
            for i in 0..to.len().checked_div(width).unwrap_or(0) {
                let rows = i * width..(i + 1) * width;
                let is_there = rows.clone().any(|row| low[b.get(tables, row)] != 0);
                let from = if is_there { b } else { a };
                rows.for_each(|row| to[row] = low[from.get(tables, row)]);
            }
        }
        Kind::Only(from) => {
            for (word, &set) in to.iter_mut().zip(&low[from as usize..]) {
                *word = if set & set.wrapping_sub(1) == 0 { set } else { 0 };
            }
        }
        Kind::AtMost(from, all) => {
            for (word, &set) in to.iter_mut().zip(&low[from as usize..]) {
                *word = match set {
                    0 => all,
                    _ if set & (set - 1) == 0 => set,
                    _ => 0,
                };
            }
        }
        Kind::Test(Counted::No, pack, a, rows) => {
            test(to, pack, a, tables, |at| none(low, at, rows));
        }
        Kind::Test(Counted::Lone, pack, a, rows) => {
            test(to, pack, a, tables, |at| count(low, at, rows) <= 1);
        }
        Kind::Test(Counted::One, pack, a, rows) => {
            test(to, pack, a, tables, |at| count(low, at, rows) == 1);
        }
        Kind::TestPair(Pair::Subset, pack, a, b, rows) => {
            test_pair(to, pack, a, b, tables, |at, other| pairs(low, at, other, rows, |x, y| x & !y == 0));
        }
        Kind::TestPair(Pair::Equal, pack, a, b, rows) => {
            test_pair(to, pack, a, b, tables, |at, other| pairs(low, at, other, rows, |x, y| x == y));
        }
        Kind::TestPair(Pair::Disjoint, pack, a, b, rows) => {
            test_pair(to, pack, a, b, tables, |at, other| pairs(low, at, other, rows, |x, y| x & y == 0));
        }
        Kind::TestPair(Pair::Meet, pack, a, b, rows) => {
            test_pair(to, pack, a, b, tables, |at, other| !pairs(low, at, other, rows, |x, y| x & y == 0));
        }
        Kind::Chain { elements, first, next, lo, rows } => {
            let next = &low[next as usize..(next + rows) as usize];
            let is_chain = is_chain(low[elements as usize], low[first as usize], next, lo);
            to[0] = if is_chain { u64::MAX } else { 0 };
        }
        _ => unreachable!("the result is an integer"),
    }
}

#[inline(always)]
fn zip(low: &[u64], to: &mut [u64], tables: &[u32], a: Access, b: Access, f: impl Fn(u64, u64) -> u64) {
    let slice = |at: u32| &low[at as usize..at as usize + to.len()];
    match (a, b) {
        (Access::At(a), Access::At(b)) => {
            let (a, b) = (slice(a), slice(b));
            to.iter_mut().zip(a.iter().zip(b)).for_each(|(word, (&x, &y))| *word = f(x, y));
        }
        (Access::At(a), Access::One(b)) => {
            let (a, y) = (slice(a), low[b as usize]);
            to.iter_mut().zip(a).for_each(|(word, &x)| *word = f(x, y));
        }
        _ => {
            for (i, word) in to.iter_mut().enumerate() {
                *word = f(low[a.get(tables, i)], low[b.get(tables, i)]);
            }
        }
    }
}

#[inline(always)]
fn test(to: &mut [u64], pack: Pack, a: Rows, tables: &[u32], holds: impl Fn(usize) -> bool) {
    for (d, word) in to.iter_mut().enumerate() {
        let mut at = a.at.get(tables, d);
        if pack.closed {
            *word = if holds(at) { u64::MAX } else { 0 };
            continue;
        }
        let mut truths = 0;
        for j in 0..pack.len {
            truths |= u64::from(holds(at)) << j;
            at += a.step as usize;
        }
        *word = truths << (pack.lo & 63);
    }
}

#[inline(always)]
fn test_pair(
    to: &mut [u64],
    pack: Pack,
    a: Rows,
    b: Rows,
    tables: &[u32],
    holds: impl Fn(usize, usize) -> bool,
) {
    for (d, word) in to.iter_mut().enumerate() {
        let (mut x, mut y) = (a.at.get(tables, d), b.at.get(tables, d));
        if pack.closed {
            *word = if holds(x, y) { u64::MAX } else { 0 };
            continue;
        }
        let mut truths = 0;
        for j in 0..pack.len {
            truths |= u64::from(holds(x, y)) << j;
            x += a.step as usize;
            y += b.step as usize;
        }
        *word = truths << (pack.lo & 63);
    }
}

#[inline(always)]
fn compare(
    to: &mut [u64],
    pack: Pack,
    a: Rows,
    b: Rows,
    ints: &[i64],
    tables: &[u32],
    holds: impl Fn(i64, i64) -> bool,
) {
    test_pair(to, pack, a, b, tables, |x, y| holds(ints[x], ints[y]));
}

#[inline(always)]
fn none(low: &[u64], at: usize, rows: u32) -> bool {
    match rows {
        1 => low[at] == 0,
        _ => low[at..at + rows as usize].iter().all(|&w| w == 0),
    }
}

#[inline(always)]
fn count(low: &[u64], at: usize, rows: u32) -> u32 {
    low[at..at + rows as usize].iter().map(|w| w.count_ones()).sum()
}

#[inline(always)]
fn pairs(low: &[u64], a: usize, b: usize, rows: u32, holds: impl Fn(u64, u64) -> bool) -> bool {
    match rows {
        1 => holds(low[a], low[b]),
        _ => {
            let (a, b) = (&low[a..a + rows as usize], &low[b..b + rows as usize]);
            a.iter().zip(b).all(|(&x, &y)| holds(x, y))
        }
    }
}

/// Warshall's algorithm, a row at a time; rows without a successor lead nowhere.
#[inline(always)]
fn close(rows: &mut [u64], lo: u32) {
    for via in 0..rows.len() {
        let beyond = rows[via];
        if beyond != 0 {
            for row in rows.iter_mut() {
                *row |= beyond & (*row >> (lo as usize + via) & 1).wrapping_neg();
            }
        }
    }
}

/// Whether `next`, by rows from atom `lo` on, is one chain through all `elements` from `first`.
fn is_chain(elements: u64, first: u64, next: &[u64], lo: u32) -> bool {
    let mut seen = 0;
    let mut here = first;
    while here != 0 {
        if here & (here - 1) != 0 || here & !elements != 0 || here & seen != 0 {
            return false;
        }
        seen |= here;
        let row = (here.trailing_zeros() as usize).wrapping_sub(lo as usize);
        here = next.get(row).copied().unwrap_or(0);
    }
    let is_idle = |(row, &successors): (usize, &u64)| successors == 0 || seen >> (lo as usize + row) & 1 == 1;
    first != 0 && seen == elements && next.iter().enumerate().all(is_idle)
}

#[inline(always)]
fn arithmetic(operator: IntOp, x: i64, y: i64, semantics: IntSemantics) -> i64 {
    match operator {
        IntOp::Add => x.wrapping_add(y),
        IntOp::Sub => x.wrapping_sub(y),
        IntOp::Mul => x.wrapping_mul(y),
        _ => {
            let int = |value| Int { value, undefined: false };
            arith::binary(operator, int(x), int(y), semantics).map_or(0, |int| int.value)
        }
    }
}
