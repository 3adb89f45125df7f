//! Every instance of a problem, exactly one of each isomorphism class, as a push stream.
//!
//! [`enumerate`] hands each instance to a sink as it is found, as bits ([`Found`]); the sink decides
//! what to decode and when to stop. [`count`] only counts, and need not visit each instance.
//!
//! Invariant: the instances come in a fixed order, which depends on the problem and the options
//! other than `threads`, never on time or addresses.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use num_bigint::BigUint;
use tera_rel::{Instance, Problem, TupleSet};
use tera_sat::Limits;

pub use labelled::{Labelled, count_labelled};

use crate::{Cell, FinderError, TranslateOptions, Translation, Verdict, translate};

mod canonicity;
mod counting;
mod cubes;
mod judge;
mod labelled;
mod leaders;
mod mask;
mod pace;
mod parallel;
mod plan;
mod run;
mod search;

/// Which instances count as the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Symmetry {
    /// Exactly one instance of each isomorphism class.
    #[default]
    Exact,
    /// Every labelled instance.
    None,
}

/// How the search is steered. It never changes the set of classes, but their order and the
/// representatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StrategyChoice {
    /// Structured; another one if that does badly in a trial. Trials are bounded by counts of work.
    #[default]
    Auto,
    /// Structure before data, atom by atom.
    Structured,
    /// Atom by atom, each with its data.
    Interleaved,
    /// The cells in the order of the translation.
    Declared,
}

#[derive(Clone, Debug)]
pub struct EnumerateOptions {
    pub symmetry: Symmetry,
    /// Stop after this many instances.
    pub limit: Option<u64>,
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop when this becomes true (Ctrl-C).
    pub interrupt: Option<Arc<AtomicBool>>,
    /// At least 1. Changes neither the instances nor their order.
    pub threads: usize,
    /// `(i, n)`: only the `i`th of `n` parts, counted from 1.
    pub shard: Option<(u32, u32)>,
    pub strategy: StrategyChoice,
    /// Lex-leader clauses beside the exact check; `None`: as the shape suggests. Changes neither the
    /// instances nor their order.
    pub lex_leaders: Option<bool>,
    /// Compute the automorphism group's order and the size of the orbit of each instance.
    pub want_group: bool,
}

impl Default for EnumerateOptions {
    fn default() -> EnumerateOptions {
        EnumerateOptions {
            symmetry: Symmetry::Exact,
            limit: None,
            deadline: None,
            interrupt: None,
            threads: 1,
            shard: None,
            strategy: StrategyChoice::Auto,
            lex_leaders: None,
            want_group: false,
        }
    }
}

/// One instance, as long as the sink looks at it.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    /// Counted from 0.
    pub index: u64,
    /// Bit `i % 64` of word `i / 64` is the value of cell `i`. The cells of visible relations come
    /// first; those after them are the witnesses of one extension.
    pub bits: &'a [u64],
    pub cells: &'a [Cell],
    /// The tuples every instance has, and the shape of the values.
    pub lowers: &'a [TupleSet],
    automorphisms: Option<&'a BigUint>,
    /// Order of the group of all permutations of interchangeable atoms.
    symmetries: &'a BigUint,
}

impl Found<'_> {
    pub fn bit(&self, cell: usize) -> bool {
        self.bits[cell / 64] >> (cell % 64) & 1 != 0
    }

    /// Overwrites `instance`, which [`Found::instance`] or [`Found::decode_into`] made for the same
    /// problem; allocates nothing.
    pub fn decode_into(&self, instance: &mut Instance) {
        for (value, lower) in instance.values.iter_mut().zip(self.lowers) {
            value.clone_from(lower);
        }
        for (i, cell) in self.cells.iter().enumerate() {
            // Cells of Skolem relations lie beyond the relations of the problem.
            let value = instance.values.get_mut(cell.rel.0 as usize);
            if let Some(value) = value.filter(|_| self.bit(i)) {
                value.insert_index(cell.tuple as usize);
            }
        }
    }

    /// The instance by itself.
    pub fn instance(&self) -> Instance {
        let mut instance = Instance { values: self.lowers.to_vec() };
        self.decode_into(&mut instance);
        instance
    }

    /// The order of the automorphism group, with [`EnumerateOptions::want_group`].
    pub fn automorphisms(&self) -> Option<&BigUint> {
        self.automorphisms
    }

    /// How many labelled instances are isomorphic to this one, with [`EnumerateOptions::want_group`].
    pub fn orbit_size(&self) -> Option<BigUint> {
        self.automorphisms.map(|order| self.symmetries / order)
    }
}

/// What a search did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub cells: u64,
    pub variables: u64,
    pub clauses: u64,
    pub decisions: u64,
    pub conflicts: u64,
    pub propagations: u64,
    pub learned: u64,
    /// Calls of the canonicity check, and atoms it tried.
    pub checks: u64,
    pub check_nodes: u64,
    /// Clauses the canonicity check gave.
    pub refutations: u64,
    /// Instances that were counted without a visit.
    pub counted: u64,
}

impl Statistics {
    /// Adds the work of another search for the same problem.
    fn add(&mut self, other: &Statistics) {
        self.cells = other.cells;
        self.variables = other.variables;
        self.clauses = other.clauses;
        self.decisions += other.decisions;
        self.conflicts += other.conflicts;
        self.propagations += other.propagations;
        self.learned += other.learned;
        self.checks += other.checks;
        self.check_nodes += other.check_nodes;
        self.refutations += other.refutations;
        self.counted += other.counted;
    }
}

/// How an enumeration ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    pub count: u64,
    pub verdict: Verdict,
    pub statistics: Statistics,
    /// The strategy in words, for `--stats`.
    pub strategy: String,
}

/// Gives every instance to `sink`, until that breaks. A broken stream is [`Verdict::Limit`].
pub fn enumerate(
    problem: &Problem,
    options: &EnumerateOptions,
    sink: &mut dyn FnMut(&Found) -> ControlFlow<()>,
) -> Result<Summary, FinderError> {
    match translate_within(problem, options)? {
        Ok(translation) => enumerate_translation(problem, &translation, options, sink),
        Err(summary) => Ok(summary),
    }
}

/// The translation, or the summary of a search that was cut short before it began.
fn translate_within(
    problem: &Problem,
    options: &EnumerateOptions,
) -> Result<Result<Translation, Summary>, FinderError> {
    let limits = Limits { deadline: options.deadline, interrupt: options.interrupt.clone() };
    let translate_options = TranslateOptions { limits, ..TranslateOptions::default() };
    match translate(problem, &translate_options) {
        Err(FinderError::Stopped) => {
            let interrupt = options.interrupt.as_ref();
            let interrupted = interrupt.is_some_and(|f| f.load(std::sync::atomic::Ordering::Relaxed));
            let verdict = if interrupted { Verdict::Interrupted } else { Verdict::Timeout };
            let statistics = Statistics::default();
            Ok(Err(Summary { count: 0, verdict, statistics, strategy: "not begun".into() }))
        }
        other => other.map(Ok),
    }
}

/// [`enumerate`] for a problem that is translated already.
pub fn enumerate_translation(
    problem: &Problem,
    translation: &Translation,
    options: &EnumerateOptions,
    sink: &mut dyn FnMut(&Found) -> ControlFlow<()>,
) -> Result<Summary, FinderError> {
    run::enumerate(problem, translation, options, sink)
}

/// Counts the instances. Quicker than [`enumerate`]: it need not visit each of them.
pub fn count(problem: &Problem, options: &EnumerateOptions) -> Result<Summary, FinderError> {
    match translate_within(problem, options)? {
        Ok(translation) => run::count(problem, &translation, options),
        Err(summary) => Ok(summary),
    }
}

#[cfg(test)]
mod tests;
