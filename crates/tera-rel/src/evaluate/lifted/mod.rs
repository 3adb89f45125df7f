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
mod lift;
mod numbers;
mod relations;

use build::{Deps, Form, Held};
use code::{Machine, Op};

use crate::formula::{NodeId, Overflow};
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
    relations: Vec<Loaded>,
    n: usize,
}

/// A relation as it was loaded last.
struct Loaded {
    bits: Vec<u64>,
    /// Every value is without these; constants are their complement.
    outside: Vec<u64>,
    is_constant: bool,
    /// Whether the value is within its bounds.
    fits: bool,
    held: Option<Held>,
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
            changed |= loaded.load(value, &mut self.machine.memory, self.n) << (i % 64);
        }
        self.changed.iter_mut().for_each(|all| *all |= changed);
        self.relations.iter().all(|loaded| loaded.fits)
    }

    /// Like [`Lifted::load`] for one relation.
    pub fn load_relation(&mut self, rel: usize, value: &TupleSet) -> bool {
        let changed = self.relations[rel].load(value, &mut self.machine.memory, self.n) << (rel % 64);
        self.changed.iter_mut().for_each(|all| *all |= changed);
        self.relations.iter().all(|loaded| loaded.fits)
    }

    /// The bits of the relations as they were loaded, in order.
    pub fn loaded(&self) -> impl Iterator<Item = &[u64]> {
        self.relations.iter().map(|loaded| &loaded.bits[..])
    }

    pub fn has(&self, node: NodeId) -> bool {
        self.root_of[node.0 as usize] != 0
    }

    /// The truth of a formula, if it is one of those that were lifted.
    pub fn formula(&mut self, node: NodeId) -> Option<bool> {
        let root = (self.root_of[node.0 as usize] as usize).checked_sub(1)?;
        let mut begin = 0;
        for i in 0..=root {
            let end = self.roots[i].1;
            let changed = std::mem::take(&mut self.changed[i]);
            if changed != 0 {
                for (op, deps) in self.ops[begin..end].iter().zip(&self.deps[begin..end]) {
                    if deps & changed != 0 {
                        self.machine.run(op);
                    }
                }
            }
            begin = end;
        }
        let form = &self.roots[root].0;
        Some((self.machine.memory[form.at as usize] & 1 == 1) != form.negated)
    }
}

impl Loaded {
    /// 1 if instructions depend on the relation and it changed, or 0.
    #[inline]
    fn load(&mut self, value: &TupleSet, memory: &mut [u64], n: usize) -> Deps {
        let words = value.raw_words().filter(|words| words.len() == self.bits.len());
        let words = words.expect("a relation of the problem");
        if words == self.bits && self.fits {
            return 0;
        }
        self.bits.copy_from_slice(words);
        let mut pairs = words.iter().zip(&self.outside);
        self.fits = match self.is_constant {
            true => pairs.all(|(word, outside)| *word == !outside),
            false => pairs.all(|(word, outside)| word & outside == 0),
        };
        match &self.held {
            Some(held) => {
                held.read(memory, words, n);
                1
            }
            None => 0,
        }
    }
}

impl Held {
    /// Reads the rows out of the bits of a tuple set.
    #[inline]
    fn read(&self, memory: &mut [u64], words: &[u64], n: usize) {
        let rows = &mut memory[self.at as usize..][..self.offsets.len()];
        let mask = u64::MAX >> (64 - n);
        for (row, &offset) in rows.iter_mut().zip(&self.offsets) {
            let (word, bit) = (offset as usize / 64, offset % 64);
            let mut bits = words[word] >> bit;
            if bit as usize + n > 64 {
                bits |= words.get(word + 1).map_or(0, |next| next << (64 - bit));
            }
            *row = bits & mask;
        }
    }
}
