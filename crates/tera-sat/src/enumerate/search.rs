//! The search itself: decide, propagate, ask the theory, give the model, step back.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::{Cnf, Lit};

use super::clauses::Clauses;
use super::held::{Held, HeldBy, HeldLits};
use super::keep::Keep;
use super::order::Order;
use super::propagate::{Conflict, Watch};
use super::state::{Level, State};
use super::{
    EnumeratorOptions, EnumeratorStatistics, Heuristic, Judgement, Learning, Outcome, Point, Theory,
};

/// Decisions and conflicts between two looks at the clock.
const PATIENCE: u32 = 1 << 10;

/// One enumeration, from the first model to the last.
#[derive(Clone)]
pub struct Enumerator {
    pub(super) state: State,
    pub(super) clauses: Clauses,
    pub(super) watches: Vec<Vec<Watch>>,
    /// By literal: what it implies directly.
    pub(super) binaries: Vec<Vec<Lit>>,
    pub(super) order: Order,
    pub(super) held: HeldLits,
    /// A held clause that is false.
    pub(super) pending: Option<Conflict>,
    pub(super) learned: Vec<Lit>,
    pub(super) refutation: Vec<Lit>,
    pub(super) seen: Vec<bool>,
    pub(super) to_clear: Vec<crate::Var>,
    pub(super) stats: EnumeratorStatistics,
    heuristic: Heuristic,
    learning: Learning,
    /// How many learned clauses are kept.
    keep: Keep,
    deadline: Option<Instant>,
    interrupt: Option<Arc<AtomicBool>>,
    /// Conflicts and decisions still allowed.
    budget: u64,
    /// The count of propagations at which to stop.
    propagation_budget: u64,
    patience: u32,
    pub(super) exhausted: bool,
    pub(super) lbd_marks: Vec<u64>,
    lbd_stamp: u64,
    #[cfg(test)]
    pub(super) progress: super::progress::Measure,
}

impl Enumerator {
    /// The visible variables are the first of `cnf`, in any order.
    pub fn new(cnf: &Cnf, options: EnumeratorOptions) -> Enumerator {
        let n_vars = cnf.n_vars();
        let mut this = Enumerator {
            state: State::new(n_vars, options.n_visible),
            clauses: Clauses::default(),
            watches: (0..2 * n_vars).map(|_| Vec::new()).collect(),
            binaries: vec![Vec::new(); 2 * n_vars],
            order: Order::new(options.order, options.n_visible, n_vars),
            held: HeldLits::default(),
            pending: None,
            learned: Vec::new(),
            refutation: Vec::new(),
            seen: vec![false; n_vars],
            to_clear: Vec::new(),
            stats: EnumeratorStatistics::default(),
            heuristic: options.heuristic,
            learning: options.learning,
            keep: Keep::new(options.learning, options.max_learned),
            deadline: options.deadline,
            interrupt: options.interrupt,
            budget: u64::MAX,
            propagation_budget: u64::MAX,
            patience: PATIENCE,
            exhausted: false,
            lbd_marks: vec![0; n_vars + 1],
            lbd_stamp: 0,
            #[cfg(test)]
            progress: Vec::new(),
        };
        this.exhausted = !this.load(cnf, &options.assumptions);
        this.order.skip_known(&this.state);
        if this.heuristic == Heuristic::Vsids {
            this.order.use_vsids(&this.state);
        }
        this
    }

    pub fn statistics(&self) -> EnumeratorStatistics {
        self.stats
    }

    /// The share of the tree of decisions that is done, each decision halving what is below it.
    pub fn progress(&self) -> f64 {
        if self.exhausted { 1.0 } else { self.state.progress() }
    }

    /// The places of the order whose variables the root does not fix.
    pub fn open_places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.order.n_visible).filter(|&i| {
            let var = self.order.lits[i].var();
            self.state.value(var.lit(true)).is_none() || self.state.level(var) > 0
        })
    }

    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// How many clauses there are now, learned ones included.
    pub fn n_clauses(&self) -> usize {
        self.clauses.refs().count() + self.binaries.iter().map(Vec::len).sum::<usize>() / 2
    }

    /// Allows so many more decisions and conflicts before [`Outcome::Budget`].
    pub fn set_budget(&mut self, budget: u64) {
        self.budget = budget;
        self.propagation_budget = u64::MAX;
    }

    /// Like [`Enumerator::set_budget`], and so many more propagations.
    pub fn set_budgets(&mut self, budget: u64, propagations: u64) {
        self.budget = budget;
        self.propagation_budget = self.stats.propagations.saturating_add(propagations);
    }

    /// Searches on until the models are exhausted, the theory stops it, or a limit is reached.
    pub fn run<T: Theory>(&mut self, theory: &mut T) -> Outcome {
        if self.exhausted {
            return Outcome::Exhausted;
        }
        #[cfg(test)]
        self.progress.clear();
        loop {
            #[cfg(test)]
            self.assert_progress();
            if let Some(conflict) = self.propagate() {
                if !self.resolve(conflict) {
                    return self.end();
                }
                continue;
            }
            if let Some(outcome) = self.limit_reached() {
                return outcome;
            }
            if self.stats.models + self.stats.conflicts >= self.keep.window_end() {
                let Clauses { n_given, n_learned, .. } = self.clauses;
                let share = 100 * n_learned / (n_given + n_learned).max(1);
                self.keep.adapt(&self.stats, share as u64, theory.work());
                self.forget();
            }
            let from = self.state.levels.last().map_or(0, |level| level.next as usize);
            let next = self.order.next(&self.state, from);
            let point = match next {
                Some(place) if place < self.order.n_visible => Point::Decision(place),
                _ => Point::Total,
            };
            if !self.state.is_settled() || theory.is_watching() {
                self.stats.checks += 1;
                match theory.check(&mut self.state, point, &mut self.refutation) {
                    Judgement::Consistent => {
                        if point == Point::Total {
                            self.state.settle();
                        }
                    }
                    Judgement::Refuted => {
                        self.stats.refutations += 1;
                        self.order_again(next);
                        if !self.resolve(Conflict::Theory) {
                            return self.end();
                        }
                        continue;
                    }
                    Judgement::Skip => {
                        self.order_again(next);
                        if !self.flip_last_open(true) {
                            return self.end();
                        }
                        continue;
                    }
                }
            }
            if let Some(place) = next {
                let visible = place < self.order.n_visible;
                self.stats.decisions += 1;
                self.state.push_level(self.order.lits[place], place + 1, false, visible);
                continue;
            }
            self.stats.models += 1;
            let broken = theory.found(&mut self.state) == ControlFlow::Break(());
            if !self.flip_last_open(true) {
                self.exhausted = true;
            }
            if broken {
                return Outcome::Stopped;
            }
            if self.exhausted {
                return Outcome::Exhausted;
            }
        }
    }

    fn end(&mut self) -> Outcome {
        self.exhausted = true;
        Outcome::Exhausted
    }

    /// A variable taken from the heap but not decided goes back.
    fn order_again(&mut self, next: Option<usize>) {
        if let Some(place) = next
            && self.order.is_vsids()
            && place < self.order.n_visible
        {
            self.order.insert(place as u32);
        }
    }

    fn limit_reached(&mut self) -> Option<Outcome> {
        if self.budget == 0 || self.stats.propagations >= self.propagation_budget {
            return Some(Outcome::Budget);
        }
        self.budget -= 1;
        self.patience -= 1;
        if self.patience > 0 {
            return None;
        }
        self.patience = PATIENCE;
        if self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Outcome::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Outcome::Timeout)
    }

    /// Learns from a conflict and goes where it leads. False when nothing is left.
    fn resolve(&mut self, conflict: Conflict) -> bool {
        self.stats.conflicts += 1;
        self.state.conflicts += 1;
        self.budget = self.budget.saturating_sub(1);
        if self.learning == Learning::Never {
            return self.flip_last_open(false);
        }
        let Some(lesson) = self.analyze(conflict) else { return false };
        self.order.decay();
        if self.heuristic == Heuristic::Adaptive
            && !self.order.is_vsids()
            && self.stats.conflicts > 4 * self.stats.models + 20_000
        {
            self.order.use_vsids(&self.state);
        }
        let lit = self.learned[0];
        let by = self.keep_learned();
        let closed = self.state.highest_closed(lesson.level);
        if lesson.refutes_decision && closed == lesson.level {
            // Both values of this decision are done: go on with the other value of the one before it.
            self.held.hold(Held { lit, by, level: lesson.assert_level });
            self.cancel_to(lesson.level - 1);
            return self.flip_last_open(false);
        }
        let target = lesson.assert_level.max(closed);
        self.cancel_to(target);
        if target == lesson.level {
            // Only the level's own decision stays; what is held at this level may follow from the rest.
            let order = &mut self.order;
            self.state.cancel_propagations(|var| order.undone(var));
            self.held.cut(&self.state, target - 1);
        }
        if lesson.assert_level == target {
            // What it follows from may be held, and comes before it.
            self.pending = self.held.enqueue(&mut self.state);
        }
        if lesson.assert_level == target && self.pending.is_none() && self.state.value(lit).is_none() {
            self.state.enqueue_at(lit, by.reason(), target);
        } else {
            self.held.hold(Held { lit, by, level: lesson.assert_level });
            self.pending = self.held.enqueue(&mut self.state);
        }
        self.forget();
        true
    }

    /// Puts the lesson of `analyze` among the clauses.
    fn keep_learned(&mut self) -> HeldBy {
        self.stats.learned += 1;
        match self.learned[..] {
            [_] => HeldBy::Unit,
            [a, b] => {
                self.add_binary(a, b);
                HeldBy::Binary(b)
            }
            _ => {
                self.lbd_stamp += 1;
                let mut lbd = 0;
                for lit in &self.learned {
                    let mark = &mut self.lbd_marks[self.state.level(lit.var()) as usize];
                    lbd += (*mark != self.lbd_stamp) as u32;
                    *mark = self.lbd_stamp;
                }
                let clause = self.clauses.push(&self.learned, Some(lbd));
                self.watch(clause);
                HeldBy::Clause(clause)
            }
        }
    }

    fn forget(&mut self) {
        if self.clauses.n_learned > self.keep.limit() + self.state.levels.len() {
            self.reduce();
            self.keep.reduced_to(self.clauses.n_learned);
        }
    }

    /// Steps back to the last level that is not closed (and visible, after a model) and takes its
    /// other value. False when there is none.
    fn flip_last_open(&mut self, after_model: bool) -> bool {
        let mut level = self.state.last_open(self.state.current_level());
        while after_model && level > 0 && !self.state.levels[level as usize - 1].visible {
            level = self.state.last_open(level - 1);
        }
        if level == 0 {
            return false;
        }
        let decision = self.state.decision(level);
        let Level { next, visible, .. } = self.state.levels[level as usize - 1];
        self.cancel_to(level - 1);
        self.state.push_level(!decision, next as usize, true, visible);
        self.pending = self.held.enqueue(&mut self.state);
        true
    }

    fn cancel_to(&mut self, level: u32) {
        let order = &mut self.order;
        self.state.cancel_to(level, |var| order.undone(var));
        self.held.cut(&self.state, level);
    }
}
