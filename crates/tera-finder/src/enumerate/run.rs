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
use super::plan::{Plan, plan};
use super::search::Search;
use super::{EnumerateOptions, Found, Statistics, Summary, Symmetry};
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
    let plan = plan(problem, &translation.cells, translation.n_visible, options.strategy);
    let widest = plan.sorts.iter().copied().max().unwrap_or(0) as usize;
    let run = Run { problem, translation, options, plan: &plan, wants_bits };
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
    plan: &'a Plan,
    wants_bits: bool,
}

/// Enters every `n`th cube.
struct Shard<'s, 'f> {
    i: usize,
    n: usize,
    sink: &'s mut Sink<'f>,
}

impl Receiver for Shard<'_, '_> {
    fn enter(&mut self, cube: usize) -> bool {
        cube % self.n == self.i
    }

    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()> {
        (self.sink)(bits, orbit_lengths)
    }
}

impl Run<'_> {
    fn go<M: Mask + Send + Sync>(&self, sink: &mut Sink) -> Result<Summary, FinderError> {
        let Run { problem, translation, options, plan, wants_bits } = *self;
        let threads = options.threads.clamp(1, 256);
        let stop = Arc::new(AtomicBool::new(false));
        let interrupt = if threads > 1 { Some(stop.clone()) } else { options.interrupt.clone() };
        let mut search = Search::<M>::new(problem, translation, options, plan, wants_bits, interrupt)?;
        let shard = options.shard.map(|(i, n)| (i.max(1) as usize - 1, n.max(1) as usize));
        let (outcome, count, statistics) = if threads > 1 {
            let cubes = search.cubes(shard.map_or(threads, |(_, n)| n));
            let is_mine = |cube: usize| shard.is_none_or(|(i, n)| cube % n == i);
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
            (outcome, search.models(), search.statistics())
        } else {
            let (outcome, _) = search.run(Part::Whole, sink);
            (outcome, search.models(), search.statistics())
        };
        let is_interrupted =
            options.interrupt.as_ref().is_some_and(|f| f.load(std::sync::atomic::Ordering::Relaxed));
        Ok(Summary {
            count,
            verdict: match outcome {
                Outcome::Exhausted => Verdict::Exhausted,
                Outcome::Stopped | Outcome::Budget => Verdict::Limit,
                Outcome::Timeout => Verdict::Timeout,
                Outcome::Interrupted if threads > 1 && !is_interrupted => Verdict::Timeout,
                Outcome::Interrupted => Verdict::Interrupted,
            },
            statistics,
            strategy: plan.description.clone(),
        })
    }
}
