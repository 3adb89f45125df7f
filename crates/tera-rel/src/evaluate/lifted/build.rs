//! The memory and the instructions of a lifted problem while they are made.
//!
//! Equal instructions are made once: that merges what formulas share although their variables have
//! different names. An instruction whose operands are constant runs at once and leaves only its
//! result.
//!
//! Invariant: what depends on no relation has the dependencies 0.

use rustc_hash::FxHashMap;

use super::code::{Access, Bitwise, Kind, Machine, Op, Rows, is_wide};
use super::kernels::room;
use crate::formula::RelId;
use crate::problem::Problem;

/// The atoms `lo..lo + len`: the values of a variable, or what may stand in a column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Span {
    pub lo: u32,
    pub len: u32,
}

impl Span {
    /// The least span with all bits of the word.
    pub fn of(word: u64) -> Span {
        match word {
            0 => Span::default(),
            _ => Span { lo: word.trailing_zeros(), len: 64 - word.leading_zeros() - word.trailing_zeros() },
        }
    }

    pub fn mask(self) -> u64 {
        match self.len {
            0 => 0,
            len => u64::MAX >> (64 - len) << self.lo,
        }
    }

    pub fn hull(self, other: Span) -> Span {
        Span::of(self.mask() | other.mask())
    }

    pub fn meet(self, other: Span) -> Span {
        Span::of(self.mask() & other.mask())
    }

    fn position(self, atom: u32) -> Option<u32> {
        atom.checked_sub(self.lo).filter(|&i| i < self.len)
    }
}

/// A variable by its place from the outside in.
pub type Level = u32;

/// Which relations a value depends on: bit `r % 64` for relation `r`.
pub type Deps = u64;

/// A relation for all values of its free variables: by variables and all columns but the last the
/// words of its rows. Bits outside the span of the last column are zero.
#[derive(Clone, Debug)]
pub struct Rel {
    pub at: u32,
    pub vars: Vec<Level>,
    pub cols: Vec<Span>,
    pub deps: Deps,
}

/// A formula: a bit for each value of its last variable, a word for each value of the others. Bits
/// outside the span of the last variable mean nothing. Without variables all bits are alike.
#[derive(Clone, Debug)]
pub struct Form {
    pub at: u32,
    pub negated: bool,
    pub vars: Vec<Level>,
    pub deps: Deps,
}

/// An integer for all values of its variables, and what it may be at least and at most.
#[derive(Clone, Debug)]
pub struct Num {
    pub at: u32,
    pub vars: Vec<Level>,
    pub deps: Deps,
    pub least: i128,
    pub most: i128,
}

/// A relation of the problem in memory.
pub struct Held {
    pub rel: RelId,
    pub at: u32,
    /// The last column.
    pub span: Span,
    /// Where its rows are in the bits of a [`crate::TupleSet`].
    pub rows: Vec<RowBits>,
    /// Where it is as a matrix, and then not in rows: see [`super::small`].
    pub small: Option<u32>,
}

/// A row in the words of a tuple set: it begins at a bit of one and may go on in another.
#[derive(Clone, Copy)]
pub struct RowBits {
    word: u32,
    next: u32,
    shift: u32,
}

impl RowBits {
    /// Of `len` bits from `start` on.
    pub fn new(start: u32, len: u32) -> RowBits {
        let (word, last) = (start / 64, (start + len.max(1) - 1) / 64);
        RowBits { word, next: last, shift: start % 64 }
    }

    /// The bits; what is above them means nothing.
    #[inline(always)]
    pub fn read(self, words: &[u64]) -> u64 {
        // If there is no next word, this one comes again, above the bits of the row.
        words[self.word as usize] >> self.shift | words[self.next as usize] << 1 << (63 - self.shift)
    }

    pub fn start(self) -> usize {
        (self.word * 64 + self.shift) as usize
    }
}

/// A word that is always zero, and one whose bits are all set.
pub const ZERO: u32 = 0;
pub const ONES: u32 = 1;

/// Rows of one value.
const MAX_ROWS: usize = 1 << 16;
/// Words, integers and entries of tables in all.
const MAX_SIZE: usize = 1 << 21;

pub struct Build {
    pub machine: Machine,
    pub ops: Vec<Op>,
    /// By instruction.
    pub deps: Vec<Deps>,
    pub held: Vec<Held>,
    known: FxHashMap<(Kind, u32), u32>,
    tables: FxHashMap<Box<[u32]>, u32>,
    constants: FxHashMap<Box<[u64]>, u32>,
    /// Constant integers.
    numbers: FxHashMap<i64, u32>,
    /// By level.
    pub spans: Vec<Span>,
}

/// All vectors of atoms of `dims`, the last changing fastest.
pub fn for_each_row(dims: &[Span], mut f: impl FnMut(&[u32])) {
    if dims.iter().any(|dim| dim.len == 0) {
        return;
    }
    let mut atoms: Vec<u32> = dims.iter().map(|dim| dim.lo).collect();
    loop {
        f(&atoms);
        let Some(i) = (0..dims.len()).rev().find(|&i| atoms[i] + 1 < dims[i].lo + dims[i].len) else {
            return;
        };
        atoms[i] += 1;
        (i + 1..dims.len()).for_each(|j| atoms[j] = dims[j].lo);
    }
}

pub fn union(a: &[Level], b: &[Level]) -> Vec<Level> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

pub fn without(vars: &[Level], var: Level) -> Vec<Level> {
    vars.iter().copied().filter(|&v| v != var).collect()
}

impl Build {
    pub fn new(problem: &Problem, n_levels: usize) -> Build {
        let ints = problem.universe.ints();
        // No atom is also a place: that of an empty set's first.
        let mut int_of = vec![0; 65];
        let mut int_mask = 0;
        for &(value, atom) in ints {
            int_of[atom.0 as usize] = value;
            int_mask |= 1 << atom.0;
        }
        let machine = Machine {
            memory: vec![0, u64::MAX, 0, 0, 0, 0, 0, 0],
            ints: Vec::new(),
            tables: Vec::new(),
            small: Vec::new(),
            sums: Vec::new(),
            int_of,
            int_mask,
            int_atoms: ints.iter().map(|&(value, atom)| (value, atom.0)).collect(),
            semantics: problem.ints,
            is_wide: is_wide(),
        };
        Build {
            machine,
            ops: Vec::new(),
            deps: Vec::new(),
            held: Vec::new(),
            known: FxHashMap::default(),
            tables: FxHashMap::default(),
            constants: FxHashMap::default(),
            numbers: FxHashMap::default(),
            spans: vec![Span::default(); n_levels],
        }
    }

    /// How many words `dims` have; `None` if too many.
    pub fn size(&self, dims: &[Span]) -> Option<u32> {
        let size = dims.iter().try_fold(1usize, |n, dim| n.checked_mul(dim.len as usize))?;
        (size <= MAX_ROWS).then_some(size as u32)
    }

    pub fn dims(&self, vars: &[Level], cols: &[Span]) -> Vec<Span> {
        vars.iter().map(|&var| self.spans[var as usize]).chain(cols.iter().copied()).collect()
    }

    /// The dimensions of the rows of a relation.
    pub fn row_dims(&self, vars: &[Level], cols: &[Span]) -> Vec<Span> {
        self.dims(vars, &cols[..cols.len() - 1])
    }

    /// The dimensions of the words of a formula.
    pub fn word_dims(&self, vars: &[Level]) -> Vec<Span> {
        self.dims(&vars[..vars.len().saturating_sub(1)], &[])
    }

    /// The place of these words, which never change.
    pub fn constant_words(&mut self, words: &[u64]) -> Option<u32> {
        if let Some(&at) = self.constants.get(words) {
            return Some(at);
        }
        let at = self.room_for(words)?;
        self.constants.insert(words.into(), at);
        Some(at)
    }

    /// A place of its own for words that will change, with what is there at first.
    pub fn room_for(&mut self, words: &[u64]) -> Option<u32> {
        let at = self.machine.memory.len();
        self.machine.memory.extend_from_slice(words);
        self.machine.memory.resize(at + room(words.len()), 0);
        (self.machine.memory.len() <= MAX_SIZE).then_some(at as u32)
    }

    pub fn constant_int(&mut self, value: i64) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            let at = self.machine.ints.len();
            self.machine.ints.push(value);
            self.machine.ints.resize(at + room(1), 0);
            at as u32
        })
    }

    /// The place of what `kind` computes: `n` words, or integers.
    pub fn result(&mut self, kind: Kind, n: u32, deps: Deps) -> Option<u32> {
        if let Some(&at) = self.known.get(&(kind, n)) {
            return Some(at);
        }
        let to = if kind.is_int() {
            let to = self.machine.ints.len();
            self.machine.ints.resize(to + room(n as usize), 0);
            to
        } else {
            let to = self.machine.memory.len();
            self.machine.memory.resize(to + room(n as usize), 0);
            to
        };
        if self.machine.memory.len() > MAX_SIZE || self.machine.ints.len() > MAX_SIZE {
            return None;
        }
        let op = Op { kind, to: to as u32, n };
        if deps == 0 {
            self.machine.run(&op);
        } else {
            self.ops.push(op);
            self.deps.push(deps);
        }
        self.known.insert((kind, n), to as u32);
        Some(to as u32)
    }

    /// A table of what `f` says for each row of `dims`.
    fn entries(&mut self, dims: &[Span], f: impl FnMut(&[u32]) -> u32) -> Option<Vec<u32>> {
        let mut f = f;
        let mut entries = Vec::with_capacity(self.size(dims)? as usize);
        for_each_row(dims, |atoms| entries.push(f(atoms)));
        Some(entries)
    }

    fn table_of(&mut self, entries: Vec<u32>) -> Option<u32> {
        if let Some(&at) = self.tables.get(entries.as_slice()) {
            return Some(at);
        }
        let at = self.machine.tables.len() as u32;
        self.machine.tables.extend_from_slice(&entries);
        self.tables.insert(entries.into(), at);
        (self.machine.tables.len() <= MAX_SIZE).then_some(at)
    }

    pub fn table(&mut self, dims: &[Span], f: impl FnMut(&[u32]) -> u32) -> Option<u32> {
        let entries = self.entries(dims, f)?;
        self.table_of(entries)
    }

    /// Access to the addresses that `f` says for the rows of `dims`.
    pub fn access(&mut self, dims: &[Span], f: impl FnMut(&[u32]) -> u32) -> Option<Access> {
        let entries = self.entries(dims, f)?;
        let first = entries.first().copied().unwrap_or(ZERO);
        if entries.iter().zip(first..).all(|(&entry, at)| entry == at) {
            return Some(Access::At(first));
        }
        if entries.iter().all(|&entry| entry == first) {
            return Some(Access::One(first));
        }
        self.table_of(entries).map(Access::Table)
    }

    /// The index of the row of `dims` whose atoms `f` gives; `None` if one is outside its span.
    pub fn index(dims: &[Span], f: impl Fn(usize) -> u32) -> Option<u32> {
        dims.iter().enumerate().try_fold(0, |index, (i, dim)| Some(index * dim.len + dim.position(f(i))?))
    }

    /// How the rows of `rel` are reached for `vars` (which contain its own) and, after them, the
    /// columns before the last.
    pub fn row_access(&mut self, rel: &Rel, vars: &[Level], cols: &[Span]) -> Option<Access> {
        let own = self.row_dims(&rel.vars, &rel.cols);
        let sources = sources(&rel.vars, vars, rel.cols.len() - 1);
        let dims = self.row_dims(vars, cols);
        let at = rel.at;
        self.access(&dims, |atoms| Build::index(&own, |i| atoms[sources[i]]).map_or(ZERO, |row| at + row))
    }

    /// The words of an access, one after the other.
    pub fn gathered(&mut self, access: Access, dims: &[Span], deps: Deps) -> Option<u32> {
        match access {
            Access::At(at) => Some(at),
            _ => {
                let n = self.size(dims)?;
                self.result(Kind::Gather(access), n, deps)
            }
        }
    }

    /// The same relation with wider columns.
    pub fn widened(&mut self, rel: &Rel, cols: &[Span]) -> Option<Rel> {
        if rel.cols[..rel.cols.len() - 1] == cols[..cols.len() - 1] {
            return Some(Rel { cols: cols.to_vec(), ..rel.clone() });
        }
        let access = self.row_access(rel, &rel.vars, cols)?;
        let dims = self.row_dims(&rel.vars, cols);
        let at = self.gathered(access, &dims, rel.deps)?;
        Some(Rel { at, cols: cols.to_vec(), ..rel.clone() })
    }

    /// `rel` as an operand of a test over `vars`, which contain its own; each test looks at
    /// [`Build::rows_of`] rows.
    pub fn operand(&mut self, rel: &Rel, vars: &[Level]) -> Option<Rows> {
        let rows = self.rows_of(rel)?;
        self.stepped(rel.at, &rel.vars, vars, rows)
    }

    /// Rows for each value of the variables.
    pub fn rows_of(&self, rel: &Rel) -> Option<u32> {
        self.size(&rel.cols[..rel.cols.len() - 1])
    }

    /// Blocks of `width` addresses from `at` on, one for each value of `own`, by the words of a
    /// formula over `vars`.
    pub fn stepped(&mut self, at: u32, own: &[Level], vars: &[Level], width: u32) -> Option<Rows> {
        let dims = self.word_dims(vars);
        let own_dims = self.dims(own, &[]);
        let sources = sources(own, vars, 0);
        let last_lo = vars.last().map_or(0, |&last| self.spans[last as usize].lo);
        let access = self.access(&dims, |atoms| {
            let atom = |i: usize| atoms.get(sources[i]).copied().unwrap_or(last_lo);
            at + Build::index(&own_dims, atom).unwrap_or(0) * width
        })?;
        let step = if own.last().is_some_and(|last| vars.last() == Some(last)) { width } else { 0 };
        Some(Rows { at: access, step })
    }

    /// The words of a formula over more variables.
    pub fn form_access(&mut self, form: &Form, vars: &[Level]) -> Option<Access> {
        let dims = self.word_dims(vars);
        if form.vars.is_empty() {
            return Some(Access::One(form.at));
        }
        if form.vars.last() == vars.last() {
            let own = self.word_dims(&form.vars);
            let sources = sources(&form.vars[..form.vars.len() - 1], vars, 0);
            let at = form.at;
            return self.access(&dims, |atoms| at + Build::index(&own, |i| atoms[sources[i]]).unwrap_or(0));
        }
        self.masks(form, &vars[..vars.len() - 1], &[]).map(Access::At)
    }

    /// A mask for each value of `vars` and of `cols`, of which the formula depends on the former.
    pub fn masks(&mut self, form: &Form, vars: &[Level], cols: &[Span]) -> Option<u32> {
        let dims = self.dims(vars, cols);
        let own = self.word_dims(&form.vars);
        let sources = sources(&form.vars, vars, 0);
        let at = form.at;
        let table = self.table(&dims, |atoms| {
            let row = Build::index(&own, |i| atoms[sources[i]]).unwrap_or(0);
            let bit = sources.last().map_or(0, |&last| atoms[last]);
            (at + row) << 6 | bit
        })?;
        let n = self.size(&dims)?;
        self.result(Kind::Spread(table), n, form.deps)
    }

    pub fn zip(&mut self, op: Bitwise, a: Access, b: Access, n: u32, deps: Deps) -> Option<u32> {
        // One order for what commutes, and a single word on the right.
        let key = |access| match access {
            Access::At(at) => (0, at),
            Access::Table(at) => (1, at),
            Access::One(at) => (2, at),
        };
        let swap = op != Bitwise::AndNot && key(b) < key(a);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        self.result(Kind::Zip(op, a, b), n, deps)
    }
}

/// Where the variables `own`, and after them `cols` columns, stand among `vars` and columns.
fn sources(own: &[Level], vars: &[Level], cols: usize) -> Vec<usize> {
    let place = |var: &Level| vars.iter().position(|v| v == var).unwrap_or(vars.len());
    own.iter().map(place).chain(vars.len()..vars.len() + cols).collect()
}
