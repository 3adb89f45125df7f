//! The search for one problem: solver, canonicity check and cubes, set up once and copied for each
//! thread.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tera_rel::Problem;
use tera_sat::enumerate::{Enumerator, EnumeratorOptions, Outcome};
use tera_sat::{Lit, Var};

use super::canonicity::Canonicity;
use super::cubes::Cubes;
use super::judge::{Judge, Part, Receiver, Setting};
use super::mask::Mask;
use super::plan::Plan;
use super::{EnumerateOptions, Statistics, Symmetry};
use crate::{FinderError, Translation};

/// Cubes for each part that shares them, at the least.
const CUBES_PER_PART: usize = 64;
const MAX_CUBES: usize = 200_000;

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
            ..EnumeratorOptions::default()
        };
        let solver = Enumerator::new(&translation.cnf, solver_options);
        let mut canonicity = None;
        if !plan.sorts.is_empty() && options.symmetry == Symmetry::Exact {
            let mut check = Canonicity::<M>::new(problem, &translation.cells[..n_visible], plan)?;
            let root = |cell: u32| solver.root_value(Var(cell));
            check.skip_redundant(&solver.equivalences(), root);
            canonicity = Some(check);
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
            let nobody = |_: &[u64], _: &[u32]| std::ops::ControlFlow::Continue(());
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
        let mut judge = Judge::new(setting, self.canonicity.as_mut(), part, receiver);
        let outcome = self.solver.run(&mut judge);
        self.checks += judge.checks;
        (outcome, judge.receiver)
    }

    pub(super) fn models(&self) -> u64 {
        self.solver.statistics().models
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
        }
    }
}
