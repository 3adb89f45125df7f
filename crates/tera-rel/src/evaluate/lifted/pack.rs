//! The pass that packs what is small: an instruction whose operands and result have at most eight
//! rows of at most eight atoms becomes one on single words ([`small`]).
//!
//! A value is kept where it was made, in rows or packed; where an instruction needs the other form,
//! the value is converted once. Addresses that nothing writes hold constants.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::build::{Deps, Span};
use super::code::{Access, Bitwise, Kind, Machine, Op, Step, Unpacked};
use super::matrix::{FIRST, rectangle};
use super::small::{self, BIAS};

/// The bits that rows may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bits {
    /// All or none: masks, and the truth of closed formulas.
    Alike,
    /// What stands outside is zero, or means nothing.
    In(Span),
}

/// A value in memory.
struct Value {
    n: u32,
    /// `None` if they are not known, or of integers.
    bits: Option<Bits>,
    deps: Deps,
    /// Whether it is where instructions on rows look for it.
    is_in_rows: bool,
    small: Option<u32>,
}

/// The values in one of the two memories, by their first address.
type Values = BTreeMap<u32, Value>;

/// A packed operand.
#[derive(Clone, Copy)]
pub struct Matrix {
    pub at: u32,
    pub bits: Bits,
    pub deps: Deps,
}

pub struct Pack<'a> {
    pub machine: &'a mut Machine,
    words: Values,
    ints: Values,
    pub steps: Vec<Step>,
    pub deps: Vec<Deps>,
    known: FxHashMap<small::Kind, u32>,
    constants: FxHashMap<u64, u32>,
    sums: FxHashMap<Span, u32>,
}

/// So many addresses are looked at to find out which bits a value has.
const MOST_LOOKED_AT: usize = 64;

impl<'a> Pack<'a> {
    pub fn new(machine: &'a mut Machine) -> Pack<'a> {
        Pack {
            machine,
            words: Values::new(),
            ints: Values::new(),
            steps: Vec::new(),
            deps: Vec::new(),
            known: FxHashMap::default(),
            constants: FxHashMap::default(),
            sums: FxHashMap::default(),
        }
    }

    /// A relation of the problem, whose last column is `span`; the place of its matrix if it has one.
    pub fn held(&mut self, at: u32, n: u32, span: Span, deps: Deps) -> Option<u32> {
        let is_small = (1..=8).contains(&n) && (1..=8).contains(&span.len);
        let small = is_small.then(|| self.place(0));
        let bits = Some(Bits::In(span));
        self.words.insert(at, Value { n, bits, deps, is_in_rows: !is_small, small });
        small
    }

    /// The next instruction.
    pub fn op(&mut self, op: &Op, deps: Deps) {
        let n = op.n;
        // Constants and conversions of an instruction that then stays as it is are there for others.
        let value = if let Kind::Gather(from) = op.kind
            && let Some(Matrix { at, bits, .. }) = self.rows(from, n)
        {
            Value { n, bits: Some(bits), deps, is_in_rows: false, small: Some(at) }
        } else if let Some((kind, bits)) = self.packed(op) {
            Value { n, bits, deps, is_in_rows: false, small: Some(self.step(kind, deps)) }
        } else {
            for (is_int, start, len) in self.reads(op) {
                self.unpack(is_int, start, len);
            }
            self.steps.push(Step::Rows(*op));
            self.deps.push(deps);
            Value { n, bits: self.bits_of(op), deps, is_in_rows: true, small: None }
        };
        let values = if op.kind.is_int() { &mut self.ints } else { &mut self.words };
        values.insert(op.to, value);
    }

    /// Puts values where instructions on rows look for them.
    fn unpack(&mut self, is_int: bool, start: u32, len: u32) {
        let values = if is_int { &mut self.ints } else { &mut self.words };
        let first = covering(values, start).map_or(start, |(first, _)| first);
        for (&to, value) in values.range_mut(first..start + len) {
            if value.is_in_rows {
                continue;
            }
            value.is_in_rows = true;
            let Some(from) = value.small else { continue };
            let as_what = match value.bits {
                None => Unpacked::Ints,
                Some(Bits::Alike) => Unpacked::Masks,
                Some(Bits::In(span)) => Unpacked::Rows { lo: span.lo },
            };
            self.steps.push(Step::Unpack { from, to, n: value.n, as_what });
            self.deps.push(value.deps);
        }
    }

    /// Where the truth of a closed formula is: in a matrix, or in rows.
    pub fn truth(&self, at: u32) -> Result<u32, u32> {
        self.words.get(&at).and_then(|value| value.small).ok_or(at)
    }

    fn place(&mut self, word: u64) -> u32 {
        self.machine.small.push(word);
        self.machine.small.len() as u32 - 1
    }

    fn constant(&mut self, word: u64) -> u32 {
        if let Some(&at) = self.constants.get(&word) {
            return at;
        }
        let at = self.place(word);
        self.constants.insert(word, at);
        at
    }

    /// The place of what an instruction computes; of constants it runs at once.
    pub fn step(&mut self, kind: small::Kind, deps: Deps) -> u32 {
        if let Some(&at) = self.known.get(&kind) {
            return at;
        }
        let Machine { small, memory, sums, .. } = &*self.machine;
        let at = match deps {
            0 => {
                let word = small::value(kind, small, memory, sums);
                self.constant(word)
            }
            _ => {
                let to = self.place(0);
                self.steps.push(Step::Small(small::Op { kind, to }));
                self.deps.push(deps);
                to
            }
        };
        self.known.insert(kind, at);
        at
    }

    /// The first address of the value of words that has this one; `None` for constants.
    pub fn start_of(&self, address: u32) -> Option<u32> {
        self.words_at(address).map(|(start, _)| start)
    }

    /// A value as a matrix, and its number of rows.
    pub fn value(&mut self, start: u32) -> Option<(Matrix, u32)> {
        let at = self.small(start)?;
        let &Value { n, bits, deps, .. } = &self.words[&start];
        Some((Matrix { at, bits: bits?, deps }, n))
    }

    fn words_at(&self, address: u32) -> Option<(u32, &Value)> {
        covering(&self.words, address)
    }

    /// `n` rows as a matrix.
    pub fn rows(&mut self, access: Access, n: u32) -> Option<Matrix> {
        if !(1..=8).contains(&n) {
            return None;
        }
        let addresses = self.addresses(access, n);
        let Some(start) = addresses.iter().find_map(|&a| self.words_at(a).map(|(start, _)| start)) else {
            return self.constant_rows(&addresses);
        };
        let value = &self.words[&start];
        let (bits, deps, size) = (value.bits?, value.deps, value.n);
        let end = start + size;
        // By row the row of the value; what is not there is empty.
        let mut from = Vec::new();
        for address in addresses {
            from.push(match (start..end).contains(&address) {
                true => (address - start) as u8,
                false if self.words_at(address).is_none() && self.machine.memory[address as usize] == 0 => 8,
                false => return None,
            });
        }
        let small = self.small(start)?;
        let at = self.chosen(small, &from, size, deps, bits == Bits::Alike);
        Some(Matrix { at, bits, deps })
    }

    fn constant_rows(&mut self, addresses: &[u32]) -> Option<Matrix> {
        let words: Vec<u64> = addresses.iter().map(|&a| self.machine.memory[a as usize]).collect();
        // In a universe of less than 64 atoms no row of a relation is full.
        let is_mask = words.contains(&u64::MAX) && words.iter().all(|&word| word == 0 || word == u64::MAX);
        let span = Span::of(words.iter().fold(0, |all, word| all | word));
        let (bits, lo) = match is_mask {
            true => (Bits::Alike, 0),
            false if span.len <= 8 => (Bits::In(span), span.lo),
            false => return None,
        };
        let word = match (is_mask, &words[..]) {
            (true, &[word]) => word,
            _ => words.iter().rev().fold(0, |all, word| all << 8 | (word >> lo & 0xff)),
        };
        Some(Matrix { at: self.constant(word), bits, deps: 0 })
    }

    /// The rows of a matrix of `size` that `from` names; 8 is an empty row.
    fn chosen(&mut self, small: u32, from: &[u8], size: u32, deps: Deps, is_mask: bool) -> u32 {
        let n = from.len() as u32;
        let (first, is_run) = (from[0], from.windows(2).all(|w| w[0] != 8 && w[0] + 1 == w[1]));
        let rows = rectangle(n, 1);
        let kind = match () {
            () if is_run && n == size => return small,
            // Of a mask a single row is all ones.
            () if n == 1 && is_mask => small::Kind::Repeat(small, first.into(), FIRST),
            () if is_run && first != 8 => small::Kind::Rows(small, first.into(), rectangle(n, 8)),
            () if first != 8 && from.iter().all(|&row| row == first) => {
                small::Kind::Repeat(small, first.into(), rows)
            }
            () => {
                let mut all = [8; 8];
                all[..from.len()].copy_from_slice(from);
                small::Kind::Permute(small, all)
            }
        };
        self.step(kind, deps)
    }

    /// The matrix of a value.
    fn small(&mut self, start: u32) -> Option<u32> {
        let value = &self.words[&start];
        let (n, deps) = (value.n, value.deps);
        let (lo, mask) = match value.bits? {
            _ if n > 8 || n == 0 => return None,
            Bits::In(span) if span.len > 8 || span.len == 0 => return None,
            Bits::In(span) => (span.lo, rectangle(1, span.len)),
            Bits::Alike if n == 1 => (0, u64::MAX),
            Bits::Alike => (0, 0xff),
        };
        if let Some(small) = value.small {
            return Some(small);
        }
        let at = self.step(small::Kind::Pack { at: start, rows: n, lo, mask }, deps);
        self.words.get_mut(&start)?.small = Some(at);
        Some(at)
    }

    /// The matrix with its atoms from `window.lo` on and without those outside. Masks stay.
    pub fn aligned(&mut self, matrix: Matrix, window: Span) -> u32 {
        let Bits::In(span) = matrix.bits else { return matrix.at };
        let inside = span.meet(window);
        if inside == span && span.lo == window.lo {
            return matrix.at;
        }
        let keep = (inside.mask() >> span.lo & 0xff) * FIRST;
        let by = span.lo as i32 - window.lo as i32;
        // What is kept is inside, so the distance is less than eight.
        match inside.len {
            0 => self.constant(0),
            _ => self.step(small::Kind::Shift(matrix.at, keep, by), matrix.deps),
        }
    }

    /// A column of `n` integers.
    pub fn column(&mut self, access: Access, n: u32) -> Option<u32> {
        if !(1..=8).contains(&n) {
            return None;
        }
        let addresses = self.addresses(access, n);
        let Some(start) = addresses.iter().find_map(|&a| covering(&self.ints, a).map(|(start, _)| start))
        else {
            let mut bytes = 0;
            for &address in addresses.iter().rev() {
                bytes = bytes << 8 | byte(self.machine.ints[address as usize])?;
            }
            return Some(self.constant(bytes));
        };
        let value = &self.ints[&start];
        let (size, deps, small) = (value.n, value.deps, value.small?);
        let inside = |a: &u32| a.checked_sub(start).filter(|&i| i < size).map(|i| i as u8);
        let from: Vec<u8> = addresses.iter().map(inside).collect::<Option<_>>()?;
        Some(self.chosen(small, &from, size, deps, false))
    }

    /// The table of the sums of sets of atoms of a span.
    pub fn sums(&mut self, span: Span) -> Option<u32> {
        let value = |j: u32| match self.machine.int_mask >> (span.lo + j) & 1 {
            1 => self.machine.int_of[(span.lo + j) as usize],
            _ => 0,
        };
        if let Some(&at) = self.sums.get(&span) {
            return Some(at);
        }
        let at = self.machine.sums.len() as u32;
        let mut sums = Vec::new();
        for set in 0u32..256 {
            let atoms = (0..span.len).filter(|j| set >> j & 1 == 1);
            sums.push(byte(atoms.map(value).try_fold(0i64, i64::checked_add)?)? as u8);
        }
        self.machine.sums.extend(sums);
        self.sums.insert(span, at);
        Some(at)
    }

    fn addresses(&self, access: Access, n: u32) -> Vec<u32> {
        (0..n as usize).map(|i| access.get(&self.machine.tables, i) as u32).collect()
    }

    /// Which bits of the result of an instruction on rows mean something, if it is small.
    fn bits_of(&self, op: &Op) -> Option<Bits> {
        let tables = &self.machine.tables;
        let n = op.n as usize;
        if n > 8 {
            return None;
        }
        let all = |accesses: &[Access]| {
            let addresses = accesses.iter().flat_map(|a| (0..n).map(|i| a.get(tables, i)));
            self.hull(addresses)
        };
        match op.kind {
            Kind::Zip(op, a, b) => zipped(op, all(&[a])?, all(&[b])?),
            Kind::Gather(from) => all(&[from]),
            Kind::Spread(_) => Some(Bits::Alike),
            Kind::Turn { n, table, .. } => {
                let bits = tables[table as usize..][..n as usize].iter().map(|entry| entry & 63);
                Some(Bits::In(Span::of(bits.fold(0, |all, bit| all | 1 << bit))))
            }
            Kind::Join { right, width, mask, .. } => {
                let rows = (mask.count_ones() * width) as usize;
                let blocks = n.checked_div(width as usize)?;
                let starts = (0..blocks).map(|i| right.get(tables, i));
                self.hull(starts.flat_map(|at| at..at + rows))
            }
            Kind::Closure { from, .. } | Kind::Only(from) => all(&[Access::At(from)]),
            Kind::Override { a, b, .. } => all(&[a, b]),
            Kind::AtMost(from, whole) => match all(&[Access::At(from)])? {
                Bits::In(span) => Some(Bits::In(span.hull(Span::of(whole)))),
                Bits::Alike => None,
            },
            Kind::Test(_, pack, ..) | Kind::TestPair(_, pack, ..) | Kind::Compare(_, pack, ..) => {
                Some(match pack.closed {
                    true => Bits::Alike,
                    false => Bits::In(Span { lo: pack.lo.into(), len: pack.len.into() }),
                })
            }
            Kind::Chain { .. } => Some(Bits::Alike),
            Kind::IntAtom(_) => Some(Bits::In(Span::of(self.machine.int_mask))),
            _ => None,
        }
    }

    /// The bits of rows at any of the addresses; `None` if some are masks and some are not.
    fn hull(&self, addresses: impl Iterator<Item = usize>) -> Option<Bits> {
        let (mut masks, mut span) = (false, Span::default());
        for (i, address) in addresses.enumerate() {
            let bits = match self.words_at(address as u32) {
                _ if i == MOST_LOOKED_AT => return None,
                Some((_, value)) => value.bits?,
                None => match self.machine.memory[address] {
                    u64::MAX => Bits::Alike,
                    word => Bits::In(Span::of(word)),
                },
            };
            match bits {
                Bits::Alike => masks = true,
                Bits::In(more) => span = span.hull(more),
            }
        }
        match (masks, span.len) {
            (true, 0) => Some(Bits::Alike),
            (true, _) => None,
            (false, _) => Some(Bits::In(span)),
        }
    }
}

/// The bits of two rows combined.
pub fn zipped(op: Bitwise, a: Bits, b: Bits) -> Option<Bits> {
    match (op, a, b) {
        (Bitwise::And, Bits::In(x), Bits::In(y)) => Some(Bits::In(x.meet(y))),
        (Bitwise::And, Bits::Alike, bits) | (Bitwise::And, bits, Bits::Alike) => Some(bits),
        (Bitwise::AndNot, Bits::In(_), _) => Some(a),
        (_, Bits::In(x), Bits::In(y)) => Some(Bits::In(x.hull(y))),
        (_, Bits::Alike, Bits::Alike) => Some(Bits::Alike),
        // Outside the span stands what the mask says.
        _ => None,
    }
}

fn covering(values: &Values, address: u32) -> Option<(u32, &Value)> {
    let (&start, value) = values.range(..=address).next_back()?;
    (address < start + value.n).then_some((start, value))
}

fn byte(value: i64) -> Option<u64> {
    (-BIAS..BIAS).contains(&value).then_some((value + BIAS) as u64)
}
