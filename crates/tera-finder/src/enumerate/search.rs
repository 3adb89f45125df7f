//! The search for one problem: solver, canonicity check and cubes, set up once and copied for each
//! thread.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tera_rel::Problem;
use tera_sat::enumerate::{Enumerator, EnumeratorOptions, Heuristic, Outcome};
use tera_sat::{Limits, Lit, Var};

use super::canonicity::Canonicity;
use super::counting::Counting;
use super::cubes::Cubes;
use super::judge::{Judge, Part, Receiver, Setting};
use super::leaders::leaders;
use super::mask::Mask;
use super::plan::Plan;
use super::{EnumerateOptions, Statistics, Symmetry};
use crate::{FinderError, Translation};

/// Lex-leader clauses are added to so many times as many clauses of the problem's own.
const OWN_CLAUSES: usize = 3;

/// Cubes for each part that shares them, at the least.
const CUBES_PER_PART: usize = 64;
const MAX_CUBES: usize = 200_000;

/// Decisions and conflicts, and propagations, after which the course of a search is judged. Unit tests
/// have tiny trials, so that many go badly.
const TRIAL_BUDGET: u64 = if cfg!(test) { 25 } else { 20_000 };
const TRIAL_PROPAGATIONS: u64 = 5_000_000;
/// Conflicts that a trial may have, beyond four for each instance.
const TRIAL_CONFLICTS: u64 = if cfg!(test) { 3 } else { 2_000 };

/// Instances kept back during a trial.
#[derive(Default)]
struct Kept {
    bits: Vec<u64>,
    /// For each instance, where its bits and its orbit lengths end.
    ends: Vec<(usize, usize)>,
    lengths: Vec<u32>,
}

struct Trial<R> {
    receiver: R,
    kept: Option<Kept>,
    is_broken: bool,
}

impl<R: Receiver> Trial<R> {
    /// Gives the receiver what was kept back; from now on nothing is.
    fn release(&mut self) {
        let Some(kept) = self.kept.take() else { return };
        let mut start = (0, 0);
        for &end in &kept.ends {
            let found = self.receiver.found(&kept.bits[start.0..end.0], &kept.lengths[start.1..end.1]);
            if found.is_break() {
                self.is_broken = true;
                return;
            }
            start = end;
        }
    }
}

impl<R: Receiver> Receiver for Trial<R> {
    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()> {
        match &mut self.kept {
            None => self.receiver.found(bits, orbit_lengths),
            Some(kept) => {
                kept.bits.extend_from_slice(bits);
                kept.lengths.extend_from_slice(orbit_lengths);
                kept.ends.push((kept.bits.len(), kept.lengths.len()));
                ControlFlow::Continue(())
            }
        }
    }
}

#[derive(Clone)]
pub(super) struct Search<M> {
    solver: Enumerator,
    canonicity: Option<Canonicity<M>>,
    order: Vec<Lit>,
    borders: Vec<u32>,
    /// Places before which the search may be cut.
    cuts: Vec<usize>,
    n_visible: usize,
    n_cells: usize,
    wants_bits: bool,
    sizes: (u64, u64),
    checks: u64,
    counting: Option<Counting>,
    counted: u64,
    /// Whether lex-leader clauses were added.
    pub(super) has_leaders: bool,
}

impl<M: Mask> Search<M> {
    pub(super) fn new(
        problem: &Problem,
        translation: &Translation,
        options: &EnumerateOptions,
        plan: &Plan,
        wants_bits: bool,
        interrupt: Option<Arc<AtomicBool>>,
    ) -> Result<Search<M>, FinderError> {
        let n_visible = translation.n_visible;
        let n_cells = translation.cells.len();
        let mut borders = vec![0; plan.order.len()];
        for &border in &plan.borders {
            borders[border as usize..].iter_mut().for_each(|n| *n += 1);
        }
        let visible = plan.order.iter().map(|&(cell, prefer)| Var(cell).lit(prefer));
        let auxiliary = (n_visible..n_cells).map(|cell| Var(cell as u32).lit(false));
        let order: Vec<Lit> = visible.chain(auxiliary).collect();
        let solver_options = EnumeratorOptions {
            order: order.clone(),
            n_visible,
            deadline: options.deadline,
            interrupt,
            // Where nobody sees the order of the instances, none is needed.
            heuristic: match options.symmetry {
                Symmetry::None if !wants_bits && options.shard.is_none() && options.threads <= 1 => {
                    Heuristic::Adaptive
                }
                _ => Heuristic::Static,
            },
            ..EnumeratorOptions::default()
        };
        let mut solver = Enumerator::new(&translation.cnf, solver_options);
        let mut counting = None;
        if !wants_bits && !options.want_group {
            let limits = Limits { deadline: options.deadline, interrupt: options.interrupt.clone() };
            counting = solver.counter().map(|counter| Counting::new(counter, limits));
        }
        let mut canonicity = None;
        let mut has_leaders = false;
        if !plan.sorts.is_empty() && options.symmetry == Symmetry::Exact {
            let cells = &translation.cells[..n_visible];
            let mut check = Canonicity::<M>::new(problem, cells, plan)?;
            let root = |cell: u32| solver.root_value(Var(cell));
            check.skip_redundant(&solver.equivalences(), root);
            canonicity = Some(check);
            // Last, since what these clauses imply is not symmetric.
            let leaders = leaders(problem, cells, translation.cnf.n_vars(), plan);
            let n_own = translation.cnf.n_clauses();
            has_leaders = options.lex_leaders.unwrap_or(n_own > OWN_CLAUSES * leaders.n_clauses());
            if has_leaders {
                solver.add(&leaders);
            }
        }
        let cuts = match canonicity {
            Some(_) => plan.borders.iter().map(|&b| b as usize).collect(),
            None => Vec::new(),
        };
        Ok(Search {
            solver,
            canonicity,
            order,
            borders,
            cuts,
            n_visible,
            n_cells,
            wants_bits,
            sizes: (translation.cnf.n_vars() as u64, translation.cnf.n_clauses() as u64),
            checks: 0,
            counting,
            counted: 0,
            has_leaders,
        })
    }

    /// The cubes of a cut that gives enough of them for `parts` parts; all parts get the same.
    pub(super) fn cubes(&self, parts: usize) -> Cubes {
        let wanted = parts * CUBES_PER_PART;
        let mut best = Cubes::whole();
        let open: Vec<usize> = self.solver.open_places().collect();
        let mut cuts = self.cuts.clone();
        if cuts.len() < 2 {
            // Nothing told by the shape: cut ever deeper.
            let mut i = 4;
            while i < open.len() {
                cuts.push(open[i]);
                i = (i + 1).max(i * 5 / 4);
            }
            cuts.sort_unstable();
        }
        for at in cuts {
            let mut cubes = Cubes::new(at);
            let mut search = self.clone();
            search.solver.set_budget(4 * MAX_CUBES as u64);
            let nobody = |_: &[u64], _: &[u32]| ControlFlow::Continue(());
            let (outcome, _) = search.run(Part::List(&mut cubes, MAX_CUBES), nobody);
            if outcome != Outcome::Exhausted || cubes.len() >= MAX_CUBES {
                break;
            }
            best = cubes;
            if best.len() >= wanted {
                break;
            }
        }
        best
    }

    /// Searches a part, and gives the receiver back.
    pub(super) fn run<R: Receiver>(&mut self, part: Part, receiver: R) -> (Outcome, R) {
        let setting = Setting {
            order: &self.order[..self.n_visible],
            borders: &self.borders,
            n_visible: self.n_visible,
            n_cells: self.n_cells,
            wants_bits: self.wants_bits,
        };
        let mut judge = Judge::new(setting, self.canonicity.as_mut(), self.counting.as_mut(), part, receiver);
        let outcome = self.solver.run(&mut judge);
        self.checks += judge.checks;
        self.counted += judge.counted;
        (outcome, judge.receiver)
    }

    /// Like [`Search::run`] for the whole, but only if a trial goes well: what it finds meanwhile is
    /// kept back. `None` if it goes badly; then nothing was received.
    pub(super) fn run_on_trial<R: Receiver>(&mut self, receiver: R) -> Option<(Outcome, R)> {
        let setting = Setting {
            order: &self.order[..self.n_visible],
            borders: &self.borders,
            n_visible: self.n_visible,
            n_cells: self.n_cells,
            wants_bits: self.wants_bits,
        };
        self.solver.set_budgets(TRIAL_BUDGET, TRIAL_PROPAGATIONS);
        let trial = Trial { receiver, kept: Some(Kept::default()), is_broken: false };
        let mut judge =
            Judge::new(setting, self.canonicity.as_mut(), self.counting.as_mut(), Part::Whole, trial);
        let mut outcome = self.solver.run(&mut judge);
        let work = self.solver.statistics();
        let is_bad = work.conflicts > 4 * (work.models + judge.counted) + TRIAL_CONFLICTS;
        if outcome == Outcome::Budget && is_bad {
            self.checks += judge.checks;
            return None;
        }
        judge.receiver.release();
        if outcome == Outcome::Budget {
            self.solver.set_budget(u64::MAX);
            outcome = if judge.receiver.is_broken { Outcome::Stopped } else { self.solver.run(&mut judge) };
        } else if judge.receiver.is_broken {
            outcome = Outcome::Stopped;
        }
        self.checks += judge.checks;
        self.counted += judge.counted;
        Some((outcome, judge.receiver.receiver))
    }

    /// Makes the trial alone: whether it goes well, and which share of the search it does.
    pub(super) fn trial(&self) -> (bool, f64) {
        let mut search = self.clone();
        search.solver.set_budgets(TRIAL_BUDGET, TRIAL_PROPAGATIONS);
        let (outcome, _) = search.run(Part::Whole, |_: &[u64], _: &[u32]| ControlFlow::Continue(()));
        let work = search.solver.statistics();
        let is_bad = work.conflicts > 4 * (work.models + search.counted) + TRIAL_CONFLICTS;
        (outcome != Outcome::Budget || !is_bad, search.solver.progress())
    }

    pub(super) fn progress(&self) -> f64 {
        self.solver.progress()
    }

    pub(super) fn statistics(&self) -> Statistics {
        let work = self.solver.statistics();
        Statistics {
            cells: self.n_cells as u64,
            variables: self.sizes.0,
            clauses: self.sizes.1,
            decisions: work.decisions,
            conflicts: work.conflicts,
            propagations: work.propagations,
            learned: work.learned,
            checks: self.checks,
            check_nodes: self.canonicity.as_ref().map_or(0, |c| c.nodes),
            refutations: work.refutations,
            counted: self.counted,
        }
    }
}
