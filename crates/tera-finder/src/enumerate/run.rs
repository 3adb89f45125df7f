//! One enumeration from end to end: plan, solver and judge put together.

use std::ops::ControlFlow;

use tera_rel::{Problem, TupleSet};
use tera_sat::Var;
use tera_sat::enumerate::{Enumerator, EnumeratorOptions, Outcome};

use super::canonicity::{Canonicity, symmetries};
use super::judge::{Judge, Receiver, group_order};
use super::mask::{Mask, Wide};
use super::plan::{Plan, plan};
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
    let mut count = 0;
    let mut broken = false;
    let receive = |bits: &[u64], orbit_lengths: &[u32]| {
        let wants_group = options.want_group && options.symmetry == Symmetry::Exact;
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
        if sink(&found).is_break() {
            broken = true;
            return ControlFlow::Break(());
        }
        if options.limit == Some(count) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if options.limit == Some(0) {
        return Ok(Summary {
            count: 0,
            verdict: Verdict::Limit,
            statistics: Statistics::default(),
            strategy: String::new(),
        });
    }
    search(problem, translation, options, true, receive)
}

pub(super) fn count(
    problem: &Problem,
    translation: &Translation,
    options: &EnumerateOptions,
) -> Result<Summary, FinderError> {
    let mut left = options.limit.unwrap_or(u64::MAX);
    let receive = |_: &[u64], _: &[u32]| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    search(problem, translation, options, false, receive)
}

fn search<R: Receiver>(
    problem: &Problem,
    translation: &Translation,
    options: &EnumerateOptions,
    wants_bits: bool,
    receiver: R,
) -> Result<Summary, FinderError> {
    let plan = plan(problem, &translation.cells, translation.n_visible, options.strategy);
    let widest = plan.sorts.iter().copied().max().unwrap_or(0) as usize;
    let parts = Parts { problem, translation, options, plan: &plan, wants_bits };
    if widest <= u64::CAPACITY {
        parts.search::<u64, R>(receiver)
    } else if widest <= Wide::<4>::CAPACITY {
        parts.search::<Wide<4>, R>(receiver)
    } else if widest <= Wide::<64>::CAPACITY {
        parts.search::<Wide<64>, R>(receiver)
    } else {
        Err(FinderError::TooLarge(format!("{widest} interchangeable atoms")))
    }
}

struct Parts<'a> {
    problem: &'a Problem,
    translation: &'a Translation,
    options: &'a EnumerateOptions,
    plan: &'a Plan,
    wants_bits: bool,
}

impl Parts<'_> {
    fn search<M: Mask, R: Receiver>(&self, receiver: R) -> Result<Summary, FinderError> {
        let Parts { problem, translation, options, plan, wants_bits } = *self;
        let n_visible = translation.n_visible;
        let n_cells = translation.cells.len();
        let mut canonicity = None;
        if !plan.sorts.is_empty() && options.symmetry == Symmetry::Exact {
            canonicity = Some(Canonicity::<M>::new(problem, &translation.cells[..n_visible], plan)?);
        }
        let mut borders = vec![0; plan.order.len()];
        for &border in &plan.borders {
            borders[border as usize..].iter_mut().for_each(|n| *n += 1);
        }
        let order = plan
            .order
            .iter()
            .map(|&(cell, prefer)| Var(cell).lit(prefer))
            .chain((n_visible..n_cells).map(|cell| Var(cell as u32).lit(false)))
            .collect();
        let solver_options = EnumeratorOptions {
            order,
            n_visible,
            deadline: options.deadline,
            interrupt: options.interrupt.clone(),
            ..EnumeratorOptions::default()
        };
        let mut solver = Enumerator::new(&translation.cnf, solver_options);
        let mut judge = Judge::new(canonicity.as_mut(), &borders, (n_visible, n_cells), wants_bits, receiver);
        let outcome = solver.run(&mut judge);
        let checks = judge.checks;
        let work = solver.statistics();
        Ok(Summary {
            count: work.models,
            verdict: match outcome {
                Outcome::Exhausted => Verdict::Exhausted,
                Outcome::Stopped | Outcome::Budget => Verdict::Limit,
                Outcome::Timeout => Verdict::Timeout,
                Outcome::Interrupted => Verdict::Interrupted,
            },
            statistics: Statistics {
                cells: n_cells as u64,
                variables: translation.cnf.n_vars() as u64,
                clauses: translation.cnf.n_clauses() as u64,
                decisions: work.decisions,
                conflicts: work.conflicts,
                propagations: work.propagations,
                learned: work.learned,
                checks,
                check_nodes: canonicity.map_or(0, |c| c.nodes),
                refutations: work.refutations,
            },
            strategy: plan.description.clone(),
        })
    }
}
