//! The instructions of a lifted problem and how they run: straight through, without a branch on
//! what the instance holds.
//!
//! Invariant: an instruction reads only words below its own result, so memory splits there.

use super::super::arith::{self, Int};
use super::build::Deps;
use super::kernels::{bits, room, run_on_words, test_single};
use super::matrix::row;
use super::small::{self, BIAS};
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

/// How a matrix becomes rows in memory.
#[derive(Clone, Copy, Debug)]
pub enum Unpacked {
    Rows { lo: u32 },
    Masks,
    Ints,
}

/// What runs one after the other: instructions on rows, on matrices, and conversions.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Rows(Op),
    Small(small::Op),
    Unpack { from: u32, to: u32, n: u32, as_what: Unpacked },
}

/// All that instructions work on.
pub struct Machine {
    pub memory: Vec<u64>,
    pub ints: Vec<i64>,
    pub tables: Vec<u32>,
    /// Values of few rows of few atoms: see [`super::small`].
    pub small: Vec<u64>,
    /// Tables of [`small::Kind::SumSet`].
    pub sums: Vec<u8>,
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
    pub fn get(self, tables: &[u32], i: usize) -> usize {
        match self {
            Access::At(at) => at as usize + i,
            Access::One(at) => at as usize,
            Access::Table(at) => tables[at as usize + i] as usize,
        }
    }
}

impl Machine {
    /// Runs the instructions that depend on what changed.
    pub fn run_changed(&mut self, steps: &[Step], deps: &[Deps], changed: Deps) {
        #[cfg(target_arch = "x86_64")]
        {
            /// The same, compiled for processors with wide registers.
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn run_wide(machine: &mut Machine, steps: &[Step], deps: &[Deps], changed: Deps) {
                machine.run_all(steps, deps, changed);
            }
            if self.is_wide {
                // SAFETY: the processor has what the function was compiled for.
                return unsafe { run_wide(self, steps, deps, changed) };
            }
        }
        self.run_all(steps, deps, changed);
    }

    #[inline(always)]
    fn run_all(&mut self, steps: &[Step], deps: &[Deps], changed: Deps) {
        for (step, deps) in steps.iter().zip(deps) {
            if deps & changed == 0 {
                continue;
            }
            match *step {
                Step::Small(small::Op { kind, to }) => {
                    let word = small::value(kind, &self.small, &self.memory, &self.sums);
                    self.small[to as usize] = word;
                }
                Step::Rows(ref op) => self.run(op),
                Step::Unpack { from, to, n, as_what } => self.unpack(from, to, n, as_what),
            }
        }
    }

    fn unpack(&mut self, from: u32, to: u32, n: u32, as_what: Unpacked) {
        let matrix = self.small[from as usize];
        let places = to as usize..(to + n) as usize;
        let rows = (0..n).map(|i| row(matrix, i));
        match as_what {
            Unpacked::Rows { lo } => {
                self.memory[places].iter_mut().zip(rows).for_each(|(to, row)| *to = row << lo);
            }
            Unpacked::Masks => {
                self.memory[places].iter_mut().zip(rows).for_each(|(to, row)| *to = (row & 1).wrapping_neg());
            }
            Unpacked::Ints => {
                self.ints[places].iter_mut().zip(rows).for_each(|(to, byte)| *to = byte as i64 - BIAS);
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
