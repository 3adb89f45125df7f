//! The instructions of a lifted problem and how they run: straight through, without a branch on
//! what the instance holds.
//!
//! Invariant: an instruction reads only words below its own result, so memory splits there.

use super::super::arith::{self, Int};
use super::build::{Deps, Span};
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
    /// Value by atom; 0 for atoms that are not integers, and for no atom at 64.
    pub int_of: Vec<i64>,
    pub int_mask: u64,
    /// `(value, atom)`, ascending.
    pub int_atoms: Vec<(i64, u32)>,
    pub semantics: IntSemantics,
    pub is_wide: bool,
}

/// Whether the processor has what [`Machine::run_changed`] makes use of.
pub fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
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

/// Up to so many atoms are looked at one by one without a branch: where a branch depends on the
/// instance, it is taken for the wrong one half of the time.
const FEW: usize = 16;

/// The positions of the bits of a word, ascending.
#[inline(always)]
pub fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

impl Machine {
    /// Runs the instructions that depend on what changed.
    pub fn run_changed(&mut self, ops: &[Op], deps: &[Deps], changed: Deps) {
        #[cfg(target_arch = "x86_64")]
        {
            /// The same, compiled for processors with wide registers.
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn run_wide(machine: &mut Machine, ops: &[Op], deps: &[Deps], changed: Deps) {
                machine.run_all(ops, deps, changed);
            }
            if self.is_wide {
                // SAFETY: the processor has what the function was compiled for.
                return unsafe { run_wide(self, ops, deps, changed) };
            }
        }
        self.run_all(ops, deps, changed);
    }

    #[inline(always)]
    fn run_all(&mut self, ops: &[Op], deps: &[Deps], changed: Deps) {
        for (op, deps) in ops.iter().zip(deps) {
            if deps & changed != 0 {
                self.run(op);
            }
        }
    }

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
                    let set = set & self.int_mask;
                    *int = match set & set.wrapping_sub(1) {
                        0 => self.int_of[set.trailing_zeros() as usize],
                        _ => bits(set).map(|atom| self.int_of[atom]).sum(),
                    };
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
                let ab = (a, b);
                match cmp {
                    IntCmp::Eq => test_single(words, pack, ab, ints, tables, |x, y| x == y),
                    IntCmp::Lt => test_single(words, pack, ab, ints, tables, |x, y| x < y),
                    IntCmp::Lte => test_single(words, pack, ab, ints, tables, |x, y| x <= y),
                    IntCmp::Gt => test_single(words, pack, ab, ints, tables, |x, y| x > y),
                    IntCmp::Gte => test_single(words, pack, ab, ints, tables, |x, y| x >= y),
                }
            }
            kind => {
                let (low, high) = self.memory.split_at_mut(to);
                run_on_words(kind, low, &mut high[..room(n)], n, tables);
            }
        }
    }
}

/// The result is `to[..n]`; what is written behind it means nothing.
#[inline(always)]
fn run_on_words(kind: Kind, low: &[u64], to: &mut [u64], n: usize, tables: &[u32]) {
    match kind {
        Kind::Zip(op, a, b) => match op {
            Bitwise::And => zip(low, to, n, tables, a, b, |x, y| x & y),
            Bitwise::AndNot => zip(low, to, n, tables, a, b, |x, y| x & !y),
            Bitwise::Or => zip(low, to, n, tables, a, b, |x, y| x | y),
            Bitwise::Xor => zip(low, to, n, tables, a, b, |x, y| x ^ y),
        },
        Kind::Gather(from) => {
            for (i, word) in to[..n].iter_mut().enumerate() {
                *word = low[from.get(tables, i)];
            }
        }
        Kind::Spread(table) => {
            for (word, entry) in to[..n].iter_mut().zip(&tables[table as usize..]) {
                *word = (low[(entry >> 6) as usize] >> (entry & 63) & 1).wrapping_neg();
            }
        }
        Kind::Turn { from, n: n_rows, table, mask, lo, step } => {
            to.fill(0);
            if n == 0 {
                return;
            }
            let table = &tables[table as usize..][..n_rows as usize];
            let (step, len) = (step as usize, mask.count_ones() as usize);
            for (i, entry) in table.iter().enumerate() {
                let word = low[from.get(tables, i)] & mask;
                let (row, bit) = ((entry >> 6) as usize, entry & 63);
                if step == 1 && len <= FEW {
                    let word = word >> (lo & 63);
                    for (k, quad) in quads_mut(&mut to[row..], len).enumerate() {
                        for (lane, to) in quad.iter_mut().enumerate() {
                            *to |= (word >> (k * LANES + lane) & 1) << bit;
                        }
                    }
                } else {
                    for atom in bits(word) {
                        to[row + (atom - lo as usize) * step] |= 1 << bit;
                    }
                }
            }
        }
        Kind::Join { left, right, width: 1, mask, lo } => {
            let len = mask.count_ones() as usize;
            for (i, word) in to[..n].iter_mut().enumerate() {
                let set = low[left.get(tables, i)] & mask;
                let at = right.get(tables, i);
                if len <= FEW {
                    let set = set >> (lo & 63);
                    let mut union = [0; LANES];
                    for (k, quad) in quads(&low[at..], len).enumerate() {
                        for lane in 0..LANES {
                            union[lane] |= quad[lane] & (set >> (k * LANES + lane) & 1).wrapping_neg();
                        }
                    }
                    *word = union.iter().fold(0, |all, lane| all | lane);
                } else {
                    let rows = bits(set).map(|atom| low[at + atom - lo as usize]);
                    *word = rows.fold(0, |union, row| union | row);
                }
            }
        }
        Kind::Join { left, right, width, mask, lo } => {
            let width = width as usize;
            to.fill(0);
            for i in 0..n.checked_div(width).unwrap_or(0) {
                let at = right.get(tables, i);
                for atom in bits(low[left.get(tables, i)] & mask) {
                    let row = at + (atom - lo as usize) * width;
                    let union = &mut to[i * width..(i + 1) * width];
                    union.iter_mut().zip(&low[row..row + width]).for_each(|(word, more)| *word |= more);
                }
            }
        }
        Kind::Closure { from, rows, lo } => {
            let rows = rows as usize;
            to[..n].copy_from_slice(&low[from as usize..from as usize + n]);
            if rows == n && n <= FEW {
                close_few(to, n, lo);
            } else if rows > 0 {
                to[..n].chunks_exact_mut(rows).for_each(|matrix| close(matrix, lo));
            }
        }
        Kind::Override { a, b, width } => {
            let width = width as usize;
            for i in 0..n.checked_div(width).unwrap_or(0) {
                let rows = i * width..(i + 1) * width;
                let is_there = rows.clone().any(|row| low[b.get(tables, row)] != 0);
                let from = if is_there { b } else { a };
                rows.for_each(|row| to[row] = low[from.get(tables, row)]);
            }
        }
        Kind::Only(from) => {
            map(&low[from as usize..], to, n, |set| if set & set.wrapping_sub(1) == 0 { set } else { 0 })
        }
        Kind::AtMost(from, all) => map(&low[from as usize..], to, n, |set| {
            let several = set & set.wrapping_sub(1) != 0;
            if set == 0 {
                all
            } else if several {
                0
            } else {
                set
            }
        }),
        Kind::Test(counted, pack, a, rows) => {
            let to = &mut to[..n];
            let count = |at: usize| low[at..at + rows as usize].iter().map(|w| w.count_ones()).sum::<u32>();
            match counted {
                Counted::No if rows == 1 => test_single(to, pack, (a, a), low, tables, |x, _| x == 0),
                Counted::No => test_blocks(to, pack, (a, a), tables, |at, _| {
                    low[at..at + rows as usize].iter().all(|&w| w == 0)
                }),
                Counted::Lone => test_blocks(to, pack, (a, a), tables, |at, _| count(at) <= 1),
                Counted::One => test_blocks(to, pack, (a, a), tables, |at, _| count(at) == 1),
            }
        }
        Kind::TestPair(pair, pack, a, b, rows) => {
            let (to, ab) = (&mut to[..n], (a, b));
            match pair {
                Pair::Subset => test_pair(to, pack, ab, rows, low, tables, |x, y| x & !y == 0, true),
                Pair::Equal => test_pair(to, pack, ab, rows, low, tables, |x, y| x == y, true),
                Pair::Disjoint => test_pair(to, pack, ab, rows, low, tables, |x, y| x & y == 0, true),
                Pair::Meet => test_pair(to, pack, ab, rows, low, tables, |x, y| x & y == 0, false),
            }
        }
        Kind::Chain { elements, first, next, lo, rows } => {
            let next = &low[next as usize..(next + rows) as usize];
            let is_chain = is_chain(low[elements as usize], low[first as usize], next, lo);
            to[0] = if is_chain { u64::MAX } else { 0 };
        }
        _ => unreachable!("the result is an integer"),
    }
}

/// So many values are worked on at once. Behind every value there is room for more of them.
const LANES: usize = 4;

#[inline(always)]
fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

/// What `n` words or integers take up: whole quads, also from an address in their midst.
pub fn room(n: usize) -> usize {
    padded(n) + LANES
}

#[inline(always)]
fn quads<T>(words: &[T], n: usize) -> impl Iterator<Item = &[T; LANES]> {
    words[..padded(n)].as_chunks().0.iter()
}

#[inline(always)]
fn quads_mut<T>(words: &mut [T], n: usize) -> impl Iterator<Item = &mut [T; LANES]> {
    words[..padded(n)].as_chunks_mut().0.iter_mut()
}

#[inline(always)]
fn map(from: &[u64], to: &mut [u64], n: usize, f: impl Fn(u64) -> u64) {
    for (to, from) in quads_mut(to, n).zip(quads(from, n)) {
        *to = from.map(&f);
    }
}

#[inline(always)]
fn zip(
    low: &[u64],
    to: &mut [u64],
    n: usize,
    tables: &[u32],
    a: Access,
    b: Access,
    f: impl Fn(u64, u64) -> u64,
) {
    match (a, b) {
        (Access::At(a), Access::At(b)) => {
            let sources = quads(&low[a as usize..], n).zip(quads(&low[b as usize..], n));
            for (to, (x, y)) in quads_mut(to, n).zip(sources) {
                for lane in 0..LANES {
                    to[lane] = f(x[lane], y[lane]);
                }
            }
        }
        (Access::At(a), Access::One(b)) => {
            let y = low[b as usize];
            for (to, x) in quads_mut(to, n).zip(quads(&low[a as usize..], n)) {
                *to = x.map(|x| f(x, y));
            }
        }
        _ => {
            for (i, word) in to[..n].iter_mut().enumerate() {
                *word = f(low[a.get(tables, i)], low[b.get(tables, i)]);
            }
        }
    }
}

/// Bit `j` says whether `f` holds of the `j`-th of `len` pairs.
#[inline(always)]
fn packed<T: Copy>(len: usize, a: &[T], b: &[T], f: impl Fn(T, T) -> bool) -> u64 {
    let mut truths = 0;
    for (k, (x, y)) in quads(a, len).zip(quads(b, len)).enumerate() {
        truths |= quad(|lane| f(x[lane], y[lane])) << (k * LANES);
    }
    truths & Span { lo: 0, len: len as u32 }.mask()
}

/// The same with one value on one side.
#[inline(always)]
fn packed_with_one<T: Copy>(len: usize, a: &[T], f: impl Fn(T) -> bool) -> u64 {
    let mut truths = 0;
    for (k, x) in quads(a, len).enumerate() {
        truths |= quad(|lane| f(x[lane])) << (k * LANES);
    }
    truths & Span { lo: 0, len: len as u32 }.mask()
}

#[inline(always)]
fn quad(f: impl Fn(usize) -> bool) -> u64 {
    u64::from(f(0)) | u64::from(f(1)) << 1 | u64::from(f(2)) << 2 | u64::from(f(3)) << 3
}

/// A test of pairs of single values, words or integers.
#[inline(always)]
fn test_single<T: Copy>(
    to: &mut [u64],
    pack: Pack,
    (a, b): (Rows, Rows),
    values: &[T],
    tables: &[u32],
    holds: impl Fn(T, T) -> bool,
) {
    let len = pack.len as usize;
    let places = |d: usize| (a.at.get(tables, d), b.at.get(tables, d));
    let shift = pack.lo & 63;
    match (a.step, b.step) {
        _ if pack.closed => {
            let (x, y) = places(0);
            to[0] = if holds(values[x], values[y]) { u64::MAX } else { 0 };
        }
        (0, 1) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                let one = values[x];
                *word = packed_with_one(len, &values[y..], |y| holds(one, y)) << shift;
            }
        }
        (1, 0) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                let one = values[y];
                *word = packed_with_one(len, &values[x..], |x| holds(x, one)) << shift;
            }
        }
        (1, 1) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                *word = packed(len, &values[x..], &values[y..], &holds) << shift;
            }
        }
        (i, j) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                let mut truths = 0;
                for k in 0..len {
                    let truth = holds(values[x + k * i as usize], values[y + k * j as usize]);
                    truths |= u64::from(truth) << k;
                }
                *word = truths << shift;
            }
        }
    }
}

/// A test of pairs of blocks of rows: whether all rows hold, or not all.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the operands of one instruction")]
fn test_pair(
    to: &mut [u64],
    pack: Pack,
    (a, b): (Rows, Rows),
    rows: u32,
    low: &[u64],
    tables: &[u32],
    holds: impl Fn(u64, u64) -> bool,
    wanted: bool,
) {
    if rows == 1 {
        return test_single(to, pack, (a, b), low, tables, |x, y| holds(x, y) == wanted);
    }
    let block = |at: usize| &low[at..at + rows as usize];
    test_blocks(to, pack, (a, b), tables, |x, y| {
        block(x).iter().zip(block(y)).all(|(&x, &y)| holds(x, y)) == wanted
    });
}

#[inline(always)]
fn test_blocks(
    to: &mut [u64],
    pack: Pack,
    (a, b): (Rows, Rows),
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

/// The same for a few rows without branches.
#[inline(always)]
fn close_few(rows: &mut [u64], n: usize, lo: u32) {
    for via in 0..n {
        let beyond = rows[via];
        for quad in quads_mut(rows, n) {
            *quad = quad.map(|row| row | beyond & (row >> (lo as usize + via) & 1).wrapping_neg());
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
