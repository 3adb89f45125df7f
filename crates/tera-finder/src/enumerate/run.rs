//! One enumeration from end to end: the plan is made, the search run whole, in part, or by threads.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tera_rel::{Problem, TupleSet};
use tera_sat::enumerate::Outcome;

use super::canonicity::symmetries;
use super::judge::{Part, Receiver, Sink, group_order};
use super::mask::{Mask, Wide};
use super::parallel::{self, Team};
use super::plan::plan;
use super::search::Search;
use super::{EnumerateOptions, Found, Statistics, StrategyChoice, Summary, Symmetry};
use crate::{FinderError, Translation, Verdict};

pub(super) fn enumerate(
    problem: &Problem,
    translation: &Translation,
    options: &EnumerateOptions,
    sink: &mut dyn FnMut(&Found) -> ControlFlow<()>,
) -> Result<Summary, FinderError> {
    let lowers: Vec<TupleSet> = problem.relations.iter().map(|r| r.lower.clone()).collect();
    let symmetries = symmetries(&problem.sorts.iter().map(|sort| sort.len() as u32).collect::<Vec<_>>());
    let wants_group = options.want_group && options.symmetry == Symmetry::Exact;
    let mut count = 0;
    let mut receive = |bits: &[u64], orbit_lengths: &[u32]| {
        let order = wants_group.then(|| group_order(orbit_lengths));
        let found = Found {
            index: count,
            bits,
            cells: &translation.cells,
            lowers: &lowers,
            automorphisms: order.as_ref(),
            symmetries: &symmetries,
        };
        count += 1;
        if sink(&found).is_break() || options.limit == Some(count) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    choose_width(problem, translation, options, true, &mut receive)
}

pub(super) fn count(
    problem: &Problem,
    translation: &Translation,
    options: &EnumerateOptions,
) -> Result<Summary, FinderError> {
    let mut left = options.limit.unwrap_or(u64::MAX);
    let mut receive = |_: &[u64], _: &[u32]| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    choose_width(problem, translation, options, options.limit.is_some(), &mut receive)
}

fn choose_width(
    problem: &Problem,
    translation: &Translation,
    options: &EnumerateOptions,
    wants_bits: bool,
    sink: &mut Sink,
) -> Result<Summary, FinderError> {
    if options.limit == Some(0) {
        return Ok(Summary {
            count: 0,
            verdict: Verdict::Limit,
            statistics: Statistics::default(),
            strategy: "nothing was asked for".into(),
        });
    }
    let widest = problem.sorts.iter().map(Vec::len).max().unwrap_or(0);
    let run = Run { problem, translation, options, wants_bits };
    if widest <= u64::CAPACITY {
        run.go::<u64>(sink)
    } else if widest <= Wide::<4>::CAPACITY {
        run.go::<Wide<4>>(sink)
    } else if widest <= Wide::<64>::CAPACITY {
        run.go::<Wide<64>>(sink)
    } else {
        Err(FinderError::TooLarge(format!("{widest} interchangeable atoms")))
    }
}

struct Run<'a> {
    problem: &'a Problem,
    translation: &'a Translation,
    options: &'a EnumerateOptions,
    wants_bits: bool,
}

/// Which of `n` parts a cube belongs to: the cubes are dealt in rounds, and each round begins with
/// another part. Where all rounds begin with the same, and the search is as regular as a binary
/// counter, some parts get all the cubes in which the last cells are free.
fn part_of(cube: usize, n: usize) -> usize {
    /// 2^64 divided by the golden ratio: its multiples lie far from each other (Knuth).
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let round = (cube / n) as u64;
    (cube + (round.wrapping_mul(GOLDEN) >> 32) as usize) % n
}

/// Enters the cubes of one part.
struct Shard<'s, 'f> {
    i: usize,
    n: usize,
    sink: &'s mut Sink<'f>,
}

impl Receiver for Shard<'_, '_> {
    fn enter(&mut self, cube: usize) -> bool {
        part_of(cube, self.n) == self.i
    }

    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()> {
        (self.sink)(bits, orbit_lengths)
    }
}

impl Run<'_> {
    fn search<M: Mask>(
        &self,
        choice: StrategyChoice,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Result<(Search<M>, String), FinderError> {
        let Run { problem, translation, options, wants_bits } = *self;
        let plan = plan(problem, &translation.cells, translation.n_visible, choice);
        let search = Search::<M>::new(problem, translation, options, &plan, wants_bits, interrupt)?;
        let beside = if search.has_leaders { ", neighbours in order by clauses" } else { "" };
        let description = plan.description + beside;
        Ok((search, description))
    }

    /// The other strategies' trials: the one that gets farthest, with how far the first got.
    fn best_of_others<M: Mask>(&self, first: f64) -> Result<StrategyChoice, FinderError> {
        let mut best = (first, StrategyChoice::Structured);
        for choice in [StrategyChoice::Interleaved, StrategyChoice::Declared] {
            let (search, _) = self.search::<M>(choice, self.options.interrupt.clone())?;
            let (_, progress) = search.trial();
            // Twice as far, or it is not worth it.
            if progress > 2.0 * best.0 {
                best = (progress, choice);
            }
        }
        Ok(best.1)
    }

    fn go<M: Mask + Send + Sync>(&self, sink: &mut Sink) -> Result<Summary, FinderError> {
        let mut delivered = 0;
        let mut count_and_sink = |bits: &[u64], orbit_lengths: &[u32]| {
            delivered += 1;
            sink(bits, orbit_lengths)
        };
        let mut summary = self.divide::<M>(&mut count_and_sink)?;
        // Threads that only count do not call the sink.
        if self.options.threads <= 1 {
            summary.count = delivered;
        }
        summary.count = summary.count.saturating_add(summary.statistics.counted);
        Ok(summary)
    }

    fn divide<M: Mask + Send + Sync>(&self, sink: &mut Sink) -> Result<Summary, FinderError> {
        let Run { translation, options, wants_bits, .. } = *self;
        let threads = options.threads.clamp(1, 256);
        let stop = Arc::new(AtomicBool::new(false));
        let interrupt = if threads > 1 { Some(stop.clone()) } else { options.interrupt.clone() };
        let shard = options.shard.map(|(i, n)| (i.max(1) as usize - 1, n.max(1) as usize));
        let mut choice = options.strategy;
        if choice == StrategyChoice::Auto {
            choice = StrategyChoice::Structured;
            let (mut search, strategy) = self.search::<M>(choice, options.interrupt.clone())?;
            if threads == 1 && shard.is_none() {
                // The trial is the beginning of the search itself.
                if let Some((outcome, _)) = search.run_on_trial(&mut *sink) {
                    return Ok(self.summary(outcome, 0, search.statistics(), strategy));
                }
                choice = self.best_of_others::<M>(search.progress())?;
            } else {
                let (is_good, progress) = search.trial();
                if !is_good {
                    choice = self.best_of_others::<M>(progress)?;
                }
            }
        }
        let (mut search, strategy) = self.search::<M>(choice, interrupt)?;
        let (outcome, count, statistics) = if threads > 1 {
            let cubes = search.cubes(shard.map_or(threads, |(_, n)| n));
            let is_mine = |cube: usize| shard.is_none_or(|(i, n)| part_of(cube, n) == i);
            let team = Team {
                threads,
                cubes: &cubes,
                is_mine: &is_mine,
                wants_group: options.want_group,
                wants_bits,
                stop,
                interrupt: options.interrupt.clone(),
                n_words: translation.cells.len().div_ceil(64),
            };
            parallel::run(&search, &team, sink)
        } else if let Some((i, n)) = shard {
            let cubes = search.cubes(n);
            let (outcome, _) = search.run(Part::Of(&cubes), Shard { i, n, sink });
            (outcome, 0, search.statistics())
        } else {
            let (outcome, _) = search.run(Part::Whole, sink);
            (outcome, 0, search.statistics())
        };
        Ok(self.summary(outcome, count, statistics, strategy))
    }

    fn summary(&self, outcome: Outcome, count: u64, statistics: Statistics, strategy: String) -> Summary {
        let Run { options, .. } = *self;
        let threads = options.threads;
        let is_interrupted =
            options.interrupt.as_ref().is_some_and(|f| f.load(std::sync::atomic::Ordering::Relaxed));
        Summary {
            count,
            verdict: match outcome {
                Outcome::Exhausted => Verdict::Exhausted,
                Outcome::Stopped | Outcome::Budget => Verdict::Limit,
                Outcome::Timeout => Verdict::Timeout,
                Outcome::Interrupted if threads > 1 && !is_interrupted => Verdict::Timeout,
                Outcome::Interrupted => Verdict::Interrupted,
            },
            statistics,
            strategy,
        }
    }
}
