//! A program with choices as the source of runs.

use std::marker::PhantomData;

use serde_json::{Value, json};
use tera_explore::{Choices, Explore, Outcome, Runs, Verdict, Watch};

use super::{Cursor, Explored, Order, Step};
use crate::contract::Contract;
use crate::guard::{self, Phase, Watched};
use crate::outcome::Failure;
use crate::plan::Lines;
use crate::prepare::Mistake;

/// The program, and the order and limits of its exploration.
pub struct Program<P, O, S> {
    program: P,
    settings: S,
    outcome: PhantomData<fn() -> O>,
}

impl<P, O, S> Program<P, O, S>
where
    P: Fn(&mut Choices) -> O + Clone + Send + Sync,
    O: Outcome,
    S: Fn(Explore<P>) -> Explore<P> + Send + Sync,
{
    pub fn new(program: P, settings: S) -> Self {
        Program { program, settings, outcome: PhantomData }
    }

    fn explore(&self) -> Explore<P> {
        (self.settings)(Explore::new(self.program.clone()))
    }
}

impl<P, O, S> Explored for Program<P, O, S>
where
    P: Fn(&mut Choices) -> O + Clone + Send + Sync,
    O: Outcome,
    S: Fn(Explore<P>) -> Explore<P> + Send + Sync,
{
    fn start<'a>(
        &'a self,
        _contract: &'a Contract,
        order: &Order,
        watched: Watched,
    ) -> Result<Box<dyn Cursor + 'a>, Mistake> {
        let mut explore = match order.shorter {
            None => self.explore(),
            Some((depth, runs)) => {
                Explore::new(self.program.clone()).breadth_first().max_depth(depth).max_runs(runs)
            }
        };
        if let Some((i, n)) = order.shard {
            explore = explore.shard(i as usize, n as usize);
        }
        let watch = Watch { pulse: watched.pulse, words: watched.trail };
        let runs = explore.watched(watch).without(order.fatal.clone()).runs();
        let n_fatal = order.fatal.len();
        let mut cursor = ProgramCursor { runs, watched, failed: n_fatal };
        // The runs before are made again: only so the program comes to the present one.
        for _ in 0..order.skip {
            if let Step::Done { .. } = cursor.step() {
                break;
            }
        }
        Ok(Box::new(cursor))
    }

    fn detail(
        &self,
        _contract: &Contract,
        path: &[u64],
        watched: Watched,
    ) -> Result<(Option<Failure>, Value), Mistake> {
        let watch = Watch { pulse: watched.pulse, words: watched.trail };
        watched.phase(Phase::Call);
        let explore = Explore::new(self.program.clone()).watched(watch);
        let failure = guard::catch(|| explore.replay(path).is_some()).err().map(failure);
        let choices: Vec<String> = path.iter().map(u64::to_string).collect();
        Ok((failure, json!({ "before": format!("choices = {}", choices.join(", ")) })))
    }

    fn replay(&self, _contract: &Contract, path: &[u64]) {
        Explore::new(self.program.clone()).replay(path);
    }

    fn scope(&self, _contract: &Contract) -> String {
        String::new()
    }

    fn explain(&self, _contract: &Contract, lines: &mut Lines) -> Result<(), Mistake> {
        lines.line("engine", "a program with choices: every run of it");
        lines.line("inputs", "as many as there are runs; known when all were made");
        lines.line("order", &self.explore().order());
        Ok(())
    }

    fn simpler(&self, _contract: &Contract, path: &[u64], number: u64) -> Vec<Order> {
        // Do not search much longer than it took to fail.
        let most = number.saturating_mul(2).saturating_add(1000);
        let shorter = path.len().checked_sub(1).map(|depth| (depth, most));
        shorter.map(|shorter| Order { shorter: Some(shorter), ..Order::default() }).into_iter().collect()
    }
}

struct ProgramCursor<P> {
    runs: Runs<P>,
    watched: Watched,
    /// Runs that panicked, and those that are left out because they kill.
    failed: usize,
}

impl<P, O> Cursor for ProgramCursor<P>
where
    P: Fn(&mut Choices) -> O,
    O: Outcome,
{
    fn step(&mut self) -> Step {
        self.watched.phase(Phase::Call);
        match guard::catch(|| self.runs.next().is_some()) {
            Ok(true) => Step::Passed,
            Ok(false) => Step::Done { exhausted: self.runs.summary().verdict == Verdict::Exhausted },
            Err(panic) => {
                self.failed += 1;
                Step::Failed(failure(panic), self.runs.path())
            }
        }
    }

    fn effort(&self) -> String {
        let summary = self.runs.summary();
        let dropped = (summary.runs - summary.kept).saturating_sub(self.failed as _);
        if dropped == 0 { String::new() } else { format!("{dropped} runs dropped by the program") }
    }
}

/// A violated `c.assert` says itself where it stands.
pub fn failure(panic: guard::Panic) -> Failure {
    let stands = panic.message.strip_prefix("assertion at ").and_then(|rest| rest.split_once(' '));
    let location = match stands {
        Some((location, _)) => location.to_owned(),
        None => panic.location,
    };
    Failure::Panic { message: panic.message, location }
}
