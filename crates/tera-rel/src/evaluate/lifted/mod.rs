//! Formulas lifted over their variables: what depends on a variable is computed for all its values
//! at once, so that a problem becomes a short program without loops or branches.
//!
//! A relation of arity `k` with free variables is words by the values of the variables and of all
//! columns but the last, whose atoms are the bits. So `x.r` for all `x` is `r` itself, `x in r.y` a
//! transposition, `all x: d | p` one word each of `d` and `p`. Rows are kept only for atoms that the
//! bounds let stand in a column.
//!
//! The program is made on rows of words ([`build`], [`code`], [`kernels`]); then what has at most
//! eight rows of at most eight atoms, in the small scopes that contracts are tested in nearly
//! everything, is packed into single words ([`pack`], [`lower`], [`small`], [`matrix`]).
//!
//! What this does not cover (quantified sets, numbers that may be undefined, other overflow modes,
//! very large values) is left to the general path, formula by formula; so is an instance that is
//! not within its bounds.

mod build;
mod code;
mod formulas;
mod kernels;
mod lift;
mod lower;
mod matrix;
mod numbers;
mod pack;
mod relations;
mod small;

use build::{Deps, Held, Span};
use code::{Machine, Step};

use crate::formula::{NodeId, Overflow, RelId};
use crate::problem::{Instance, Problem};
use crate::tuple_set::TupleSet;

pub(super) struct Lifted {
    machine: Machine,
    steps: Vec<Step>,
    deps: Vec<Deps>,
    /// The formulas that can be asked.
    roots: Vec<Root>,
    /// By node: 1 + the root, or 0.
    root_of: Vec<u32>,
    /// By root: the relations that changed since its instructions ran.
    changed: Vec<Deps>,
    /// So many roots are up to date.
    done: usize,
    relations: Vec<Loaded>,
    /// So many of them have a value outside their bounds.
    n_outside: usize,
    n: usize,
}

/// A closed formula.
struct Root {
    /// In a matrix, or in rows.
    truth: Result<u32, u32>,
    negated: bool,
    /// Where its instructions end.
    end: usize,
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
        let mut build = lift.build;
        let mut pack = pack::Pack::new(&mut build.machine);
        for held in &mut build.held {
            if n < 64 {
                held.small = pack.held(held.at, held.rows.len() as u32, held.span, held.deps());
            }
        }
        let mut next = 0;
        let mut roots_of = |(form, end): (build::Form, usize)| {
            for (op, &deps) in build.ops[next..end].iter().zip(&build.deps[next..end]) {
                pack.op(op, deps);
            }
            next = end;
            Root { truth: pack.truth(form.at), negated: form.negated, end: pack.steps.len() }
        };
        let roots: Vec<Root> = roots.into_iter().map(&mut roots_of).collect();
        let (steps, deps) = (pack.steps, pack.deps);
        for held in build.held {
            let rel = held.rel.0 as usize;
            relations[rel].held = Some(held);
        }
        Some(Lifted {
            changed: vec![Deps::MAX; roots.len()],
            done: 0,
            machine: build.machine,
            steps,
            deps,
            roots,
            root_of,
            n_outside: relations.len(),
            relations,
            n,
        })
    }

    /// Takes over an instance; whether it is within its bounds.
    pub fn load(&mut self, instance: &Instance) -> bool {
        self.load_relations((0..).map(RelId).zip(&instance.values))
    }

    /// Like [`Lifted::load`] for some relations.
    pub fn load_relations<'a>(&mut self, values: impl Iterator<Item = (RelId, &'a TupleSet)>) -> bool {
        let mut changed: Deps = 0;
        for (RelId(rel), value) in values {
            let loaded = &mut self.relations[rel as usize];
            self.n_outside -= usize::from(!loaded.fits);
            changed |= Deps::from(loaded.load(value, &mut self.machine)) << (rel % 64);
            self.n_outside += usize::from(!loaded.fits);
        }
        self.done = 0;
        self.changed.iter_mut().for_each(|all| *all |= changed);
        self.n_outside == 0
    }

    /// The instance that was loaded, if it is within its bounds.
    pub fn instance(&self) -> Instance {
        let value = |loaded: &Loaded| {
            let mut value = TupleSet::empty(loaded.arity, self.n);
            match &loaded.held {
                Some(held) => {
                    for (i, bits) in held.rows.iter().enumerate() {
                        let row = held.row(&self.machine, i);
                        kernels::bits(row).for_each(|bit| value.insert_index(bits.start() + bit));
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
        self.machine.run_changed(&self.steps[range.clone()], &self.deps[range], changed);
    }

    /// Where the instructions of the first `n` formulas end.
    fn end_of(&self, n: usize) -> usize {
        n.checked_sub(1).map_or(0, |last| self.roots[last].end)
    }

    /// The truth of a formula, if it is one of those that were lifted.
    #[inline]
    pub fn formula(&mut self, node: NodeId) -> Option<bool> {
        let root = (self.root_of[node.0 as usize] as usize).checked_sub(1)?;
        if root >= self.done {
            self.catch_up_to(root);
        }
        let root = &self.roots[root];
        let word = match root.truth {
            Ok(at) => self.machine.small[at as usize],
            Err(at) => self.machine.memory[at as usize],
        };
        Some((word & 1 == 1) != root.negated)
    }

    fn catch_up_to(&mut self, root: usize) {
        for i in self.done..=root {
            let changed = std::mem::take(&mut self.changed[i]);
            if changed != 0 {
                let range = self.end_of(i)..self.end_of(i + 1);
                self.machine.run_changed(&self.steps[range.clone()], &self.deps[range], changed);
            }
        }
        self.done = root + 1;
    }
}

impl Loaded {
    /// Whether instructions depend on the relation and it changed.
    #[inline]
    fn load(&mut self, value: &TupleSet, machine: &mut Machine) -> bool {
        let words = value.raw_words().filter(|words| words.len() == self.outside.len());
        let words = words.expect("a relation of the problem");
        let pairs = words.iter().zip(&self.outside);
        let outside = match self.is_constant {
            true => pairs.fold(0, |all, (word, outside)| all | (word ^ !outside)),
            false => pairs.fold(0, |all, (word, outside)| all | (word & outside)),
        };
        self.fits = outside == 0;
        match &self.held {
            Some(held) => held.read(machine, words),
            None => {
                self.bits.copy_from_slice(words);
                false
            }
        }
    }
}

impl Held {
    /// The bit of the relation.
    fn deps(&self) -> Deps {
        1 << (self.rel.0 % 64)
    }

    /// Reads the rows out of the bits of a tuple set; whether one changed.
    #[inline]
    fn read(&self, machine: &mut Machine, words: &[u64]) -> bool {
        let low = Span { lo: 0, len: self.span.len }.mask();
        if let Some(small) = self.small {
            let rows = self.rows.iter().rev();
            let matrix = rows.fold(0, |all, bits| all << 8 | bits.read(words) & low);
            return std::mem::replace(&mut machine.small[small as usize], matrix) != matrix;
        }
        let rows = &mut machine.memory[self.at as usize..][..self.rows.len()];
        let mut changed = 0;
        for (place, bits) in rows.iter_mut().zip(&self.rows) {
            let row = (bits.read(words) & low) << self.span.lo;
            changed |= *place ^ row;
            *place = row;
        }
        changed != 0
    }

    /// The bits of a row from the first of its span on.
    fn row(&self, machine: &Machine, i: usize) -> u64 {
        match self.small {
            Some(small) => matrix::row(machine.small[small as usize], i as u32),
            None => machine.memory[self.at as usize + i] >> self.span.lo,
        }
    }
}
