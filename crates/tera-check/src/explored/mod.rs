//! Inputs from Rust programs under the same guard as those of a specification: a program with choices
//! ([`Program`]) or a predicate ([`Predicate`]).
//!
//! Here the worker finds the inputs itself, because finding them runs the user's code. The parent asks it to
//! go on for a while (an [`Order`]); the worker answers with what it counted and at most one failure, and
//! notes the way to the run in progress where the parent sees it when the worker dies. The next worker is
//! told which runs are fatal, or how many inputs are behind us.
//!
//! Invariant: a run is known by its path, the alternatives it chose; the order of runs depends on the program
//! alone.

mod cursor;
mod predicate;
mod program;
mod session;

use serde_json::Value;

pub use predicate::{Judged, Plain, Probe, Signature, ViaHeap, ViaNothing, predicate};
pub use program::Program;

use crate::contract::Contract;
use crate::guard::Watched;
use crate::outcome::Failure;
use crate::plan::Lines;
use crate::prepare::Mistake;
use crate::report::Report;

/// What a worker is asked to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Order {
    /// Go on behind so many inputs.
    pub skip: u64,
    /// Stop when so many are behind.
    pub most: Option<u64>,
    /// Not the scope of the contract but this one.
    pub scope: Option<usize>,
    /// Fewest choices first, at most so many choices and runs, in search of a shorter failure.
    pub shorter: Option<(usize, u64)>,
    /// Only part `i` of `n`.
    pub shard: Option<(u32, u32)>,
    /// Runs that killed a worker, each choice with its number of alternatives.
    pub fatal: Vec<Vec<(u64, u64)>>,
    /// Nothing but this run, with all details.
    pub path: Option<Vec<u64>>,
}

/// What became of one run.
pub enum Step {
    Passed,
    Failed(Failure, Vec<u64>),
    /// There are no more.
    Done {
        /// Whether these were all.
        exhausted: bool,
    },
}

/// Runs in their order.
pub trait Cursor {
    /// Makes the next run.
    fn step(&mut self) -> Step;

    /// What there is to say about the search: runs that were dropped, candidates that were tried.
    fn effort(&self) -> String {
        String::new()
    }
}

/// A source of inputs together with what is done with each.
pub trait Explored: Send + Sync {
    fn start<'a>(
        &'a self,
        contract: &'a Contract,
        order: &Order,
        watch: Watched,
    ) -> Result<Box<dyn Cursor + 'a>, Mistake>;

    /// One run with all details: the failure, and what a report says of the input.
    fn detail(
        &self,
        contract: &Contract,
        path: &[u64],
        watch: Watched,
    ) -> Result<(Option<Failure>, Value), Mistake>;

    /// One run in the open, as the test of its own that a reproducer is: panics if it fails.
    fn replay(&self, contract: &Contract, path: &[u64]);

    /// The scope in words, if there is one.
    fn scope(&self, contract: &Contract) -> String;

    /// What is known before the first run.
    fn explain(&self, contract: &Contract, lines: &mut Lines) -> Result<(), Mistake>;

    /// Where failures that are simpler than this one may be, the simplest first.
    fn simpler(&self, contract: &Contract, path: &[u64], number: u64) -> Vec<Order>;
}

/// Explores a contract in its workers; or is such a worker.
pub fn run(contract: Contract, explored: &dyn Explored) -> Report {
    let options = match crate::options(&contract) {
        Ok(options) => options,
        Err(report) => return *report,
    };
    let contract = options.apply(contract);
    if let Some(report) = crate::as_worker(&contract, || cursor::Runs::new(&contract, explored)) {
        return report;
    }
    crate::with_report(&contract, &options, || {
        if options.explain {
            let mut lines = Lines::new(&contract.name, &contract.place);
            explored.explain(&contract, &mut lines)?;
            return Ok(Report::explained(&contract.name, lines.text));
        }
        session::Session::new(&contract, &options, explored)?.run()
    })
}
