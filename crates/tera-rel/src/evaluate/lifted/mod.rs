//! Formulas lifted over their variables: what depends on a variable is computed for all its values
//! at once, so that a problem becomes a short program without loops or branches.
//!
//! A relation of arity `k` with free variables is words by the values of the variables and of all
//! columns but the last, whose atoms are the bits. So `x.r` for all `x` is `r` itself, `x in r.y` a
//! transposition, `all x: d | p` one word each of `d` and `p`. Rows are kept only for atoms that the
//! bounds let stand in a column.
//!
//! What this does not cover (quantified sets, numbers that may be undefined, other overflow modes,
//! very large values) is left to the general path, formula by formula; so is an instance that is
//! not within its bounds.

mod build;
mod code;
mod formulas;
mod kernels;
mod lift;
mod numbers;
mod relations;

use build::{Deps, Form, Held};
use code::{Machine, Op};

use crate::formula::{NodeId, Overflow, RelId};
use crate::problem::{Instance, Problem};
use crate::tuple_set::TupleSet;

pub(super) struct Lifted {
    machine: Machine,
    ops: Vec<Op>,
    deps: Vec<Deps>,
    /// The formulas that can be asked, and where their instructions end.
    roots: Vec<(Form, usize)>,
    /// By node: 1 + the root, or 0.
    root_of: Vec<u32>,
    /// By root: the relations that changed since its instructions ran.
    changed: Vec<Deps>,
    /// So many roots are up to date.
    done: usize,
    relations: Vec<Loaded>,
    n: usize,
}

/// A relation of the problem.
struct Loaded {
    arity: usize,
    /// No value within the bounds has these; constants are their complement.
    outside: Vec<u64>,
    is_constant: bool,
    /// Whether the value is within its bounds.
    fits: bool,
    /// Where it is in memory, if formulas speak of it and it is no constant.
    held: Option<Held>,
    /// The value itself where it is not in memory.
    bits: Vec<u64>,
}

impl Lifted {
    /// `None` if not one of the formulas can be lifted.
    pub fn compile(problem: &Problem, formulas: &[NodeId]) -> Option<Lifted> {
        let n = problem.universe.len();
        if n == 0 || n > 64 || problem.ints.overflow != Overflow::Exact {
            return None;
        }
        let mut relations = Vec::new();
        for relation in &problem.relations {
            relations.push(Loaded {
                arity: relation.arity(),
                bits: vec![0; relation.upper.raw_words()?.len()],
                outside: relation.upper.raw_words()?.iter().map(|word| !word).collect(),
                is_constant: relation.is_constant(),
                fits: false,
                held: None,
            });
        }
        let mut lift = lift::Lift::new(problem);
        let mut roots = Vec::new();
        let mut root_of = vec![0; problem.arena.len()];
        for &node in formulas {
            if problem.arena.sort(node) != crate::formula::Sort::Formula || root_of[node.0 as usize] != 0 {
                continue;
            }
            // What was begun of a formula that cannot be lifted stays: later ones may find it.
            if let Some(form) = lift.formula(node).filter(|form| form.vars.is_empty()) {
                roots.push((form, lift.build.ops.len()));
                root_of[node.0 as usize] = roots.len() as u32;
            }
        }
        if roots.is_empty() {
            return None;
        }
        let build = lift.build;
        for held in build.held {
            let rel = held.rel.0 as usize;
            relations[rel].held = Some(held);
        }
        Some(Lifted {
            changed: vec![Deps::MAX; roots.len()],
            done: 0,
            machine: build.machine,
            ops: build.ops,
            deps: build.deps,
            roots,
            root_of,
            relations,
            n,
        })
    }

    /// Takes over an instance; whether it is within its bounds.
    pub fn load(&mut self, instance: &Instance) -> bool {
        let mut changed: Deps = 0;
        for (i, (loaded, value)) in self.relations.iter_mut().zip(&instance.values).enumerate() {
            changed |= Deps::from(loaded.load(value, &mut self.machine.memory, self.n)) << (i % 64);
        }
        self.note(changed)
    }

    /// Like [`Lifted::load`] for some relations.
    pub fn load_relations<'a>(&mut self, values: impl Iterator<Item = (RelId, &'a TupleSet)>) -> bool {
        let mut changed: Deps = 0;
        for (RelId(rel), value) in values {
            let loaded = &mut self.relations[rel as usize];
            changed |= Deps::from(loaded.load(value, &mut self.machine.memory, self.n)) << (rel % 64);
        }
        self.note(changed)
    }

    fn note(&mut self, changed: Deps) -> bool {
        self.done = 0;
        self.changed.iter_mut().for_each(|all| *all |= changed);
        self.relations.iter().all(|loaded| loaded.fits)
    }

    /// The instance that was loaded, if it is within its bounds.
    pub fn instance(&self) -> Instance {
        let value = |loaded: &Loaded| {
            let mut value = TupleSet::empty(loaded.arity, self.n);
            match &loaded.held {
                Some(held) => {
                    let rows = &self.machine.memory[held.at as usize..];
                    for (&offset, &row) in held.offsets.iter().zip(rows) {
                        kernels::bits(row).for_each(|bit| value.insert_index(offset as usize + bit));
                    }
                }
                None => {
                    for (i, &word) in loaded.bits.iter().enumerate() {
                        kernels::bits(word).for_each(|bit| value.insert_index(i * 64 + bit));
                    }
                }
            }
            value
        };
        Instance { values: self.relations.iter().map(value).collect() }
    }

    pub fn has(&self, node: NodeId) -> bool {
        self.root_of[node.0 as usize] != 0
    }

    /// Runs what all formulas need at once.
    pub fn catch_up(&mut self) {
        let changed = self.changed[self.done..].iter().fold(0, |all, changed| all | changed);
        self.changed[self.done..].fill(0);
        let range = self.end_of(self.done)..self.end_of(self.roots.len());
        self.done = self.roots.len();
        self.machine.run_changed(&self.ops[range.clone()], &self.deps[range], changed);
    }

    /// Where the instructions of the first `n` formulas end.
    fn end_of(&self, n: usize) -> usize {
        n.checked_sub(1).map_or(0, |last| self.roots[last].1)
    }

    /// The truth of a formula, if it is one of those that were lifted.
    #[inline]
    pub fn formula(&mut self, node: NodeId) -> Option<bool> {
        let root = (self.root_of[node.0 as usize] as usize).checked_sub(1)?;
        if root >= self.done {
            self.catch_up_to(root);
        }
        let form = &self.roots[root].0;
        Some((self.machine.memory[form.at as usize] & 1 == 1) != form.negated)
    }

    fn catch_up_to(&mut self, root: usize) {
        for i in self.done..=root {
            let changed = std::mem::take(&mut self.changed[i]);
            if changed != 0 {
                let range = self.end_of(i)..self.end_of(i + 1);
                self.machine.run_changed(&self.ops[range.clone()], &self.deps[range], changed);
            }
        }
        self.done = root + 1;
    }
}

impl Loaded {
    /// Whether instructions depend on the relation and it changed.
    #[inline]
    fn load(&mut self, value: &TupleSet, memory: &mut [u64], n: usize) -> bool {
        let words = value.raw_words().filter(|words| words.len() == self.outside.len());
        let words = words.expect("a relation of the problem");
        let pairs = words.iter().zip(&self.outside);
        let outside = match self.is_constant {
            true => pairs.fold(0, |all, (word, outside)| all | (word ^ !outside)),
            false => pairs.fold(0, |all, (word, outside)| all | (word & outside)),
        };
        self.fits = outside == 0;
        match &self.held {
            Some(held) => held.read(memory, words, n),
            None => {
                self.bits.copy_from_slice(words);
                false
            }
        }
    }
}

impl Held {
    /// Reads the rows out of the bits of a tuple set; whether one changed.
    #[inline]
    fn read(&self, memory: &mut [u64], words: &[u64], n: usize) -> bool {
        let rows = &mut memory[self.at as usize..][..self.offsets.len()];
        let mask = u64::MAX >> (64 - n);
        let mut changed = 0;
        for (row, &offset) in rows.iter_mut().zip(&self.offsets) {
            let (word, bit) = (offset as usize / 64, offset % 64);
            let mut bits = words[word] >> bit;
            if bit as usize + n > 64 {
                bits |= words.get(word + 1).map_or(0, |next| next << (64 - bit));
            }
            bits &= mask;
            changed |= *row ^ bits;
            *row = bits;
        }
        changed != 0
    }
}
