//! One call on values that are there already, judged by a contract: what a pasted reproducer runs.
//!
//! ```text
//! Call::before: values --abstract--> pre-state, and which address is which atom
//! the call itself, by the test: its panic, abort or endless loop is the test's own
//! Call::after:  values --abstract--> post-state --> oracle --> Report
//! ```
//!
//! The values may be larger than the scope of the contract: the universe grows with them.

use serde_json::{Value, json};
use tera_heap::{Abstractor, DeadPointer, Outcome, Seen};
use tera_rel::Instance;

use crate::contract::Contract;
use crate::detail;
use crate::executor::{Guarded, describe_dead, panic_oracle};
use crate::memory::{self, Step};
use crate::oracle::{Oracle, first_widening, wider};
use crate::outcome::Failure;
use crate::prepare::{Mistake, Prepared};
use crate::report::{Group, Report, Status};
use crate::snapshot::Snapshot;
use crate::store::Store;
use crate::subject::Subject;

/// Judges calls on values that it did not make.
pub struct Judge {
    pub prepared: Prepared,
    pub oracle: Oracle,
    /// Pointers after the last call that must not be followed.
    dead: Vec<DeadPointer>,
}

/// How often the universe may grow for one state.
const MOST_GROWTHS: usize = 4;

impl Judge {
    pub fn new<S: Subject>(contract: &Contract) -> Result<Judge, Mistake> {
        let prepared = Prepared::new::<S>(contract)?;
        let oracle = Oracle::new(&prepared, first_widening(&prepared))?;
        Ok(Judge { prepared, oracle, dead: Vec::new() })
    }

    /// Reads the arguments before the call; `read` gives each to its root.
    pub fn before(&mut self, read: impl Fn(&mut Abstractor<'_>)) -> Result<Snapshot, Mistake> {
        let mut seen = Seen::new();
        let mut growths = 0;
        loop {
            let mut abstractor = self.oracle.states.capture(&mut self.oracle.state, &mut seen);
            read(&mut abstractor);
            let outcome = abstractor.finish();
            refuse(&outcome)?;
            if outcome.needs.is_empty() {
                return Ok(Snapshot::new(&self.oracle, &seen));
            }
            growths += 1;
            self.oracle = widened(&self.prepared, &self.oracle, &outcome, growths).map_err(Mistake)?;
        }
    }

    /// Reads the arguments that are left and the result, and judges.
    pub fn after<S: Subject>(
        &mut self,
        before: &Snapshot,
        output: &S::Output,
        read: impl Fn(&mut Abstractor<'_>),
        is_guarded: bool,
    ) -> Result<(), Failure> {
        let mut seen = Seen::new();
        let mut growths = 0;
        loop {
            let atoms = before.enter(&mut self.oracle);
            let Oracle { states, state, .. } = &mut self.oracle;
            let mut abstractor = states.leave_known(state, &before.known, &atoms, &mut seen);
            if is_guarded {
                abstractor = abstractor.with_liveness(&Guarded);
            }
            read(&mut abstractor);
            if self.prepared.graph.roots.len() > self.prepared.n_args {
                abstractor.root(self.prepared.n_args, output);
            }
            let outcome = abstractor.finish();
            if !outcome.dead.is_empty() {
                self.dead = outcome.dead;
                return Err(Failure::Memory(self.dead.iter().map(describe_dead).collect()));
            }
            if let Some(fault) = outcome.faults.first() {
                return Err(Failure::NoInstance(fault.message.clone()));
            }
            if outcome.needs.is_empty() {
                return self.oracle.verdict();
            }
            growths += 1;
            self.oracle =
                widened(&self.prepared, &self.oracle, &outcome, growths).map_err(Failure::NoInstance)?;
        }
    }

    /// Whether the contract wants a panic of the input whose pre-state was just read.
    pub fn is_to_panic(&self, contract: &Contract) -> Result<bool, Mistake> {
        let Some(formula) = &contract.panics_when else { return Ok(false) };
        let input = self.oracle.states.input_of(&self.oracle.state, &self.prepared.start());
        let input = input.ok_or_else(|| {
            Mistake(
                "error: the arguments are outside the scope of the contract, so `panics_when` cannot judge them"
                    .into(),
            )
        })?;
        let mut evaluator = panic_oracle(&self.prepared, formula)?;
        Ok(matches!(evaluator.first_violation(&input), Ok(None)))
    }

    /// What a report says of a failure of the call that was judged last.
    pub fn describe(&mut self, failure: &Failure, value: &mut Value) {
        if matches!(failure, Failure::Violated(_) | Failure::Memory(_) | Failure::NoInstance(_)) {
            detail::after(&self.prepared, &self.oracle, &self.dead, value);
        }
        if let Failure::Violated(violated) = failure {
            detail::conjuncts(&mut self.oracle, violated, value);
        }
    }
}

/// A call whose pre-state has been read.
pub struct Call {
    contract: Contract,
    judge: Judge,
    before: Snapshot,
    must_panic: bool,
}

impl Call {
    /// Reads the arguments before the call; `read` gives each to its root.
    pub fn before<S: Subject>(
        contract: Contract,
        read: impl Fn(&mut Abstractor<'_>),
    ) -> Result<Call, Box<Report>> {
        memory::disarm();
        let name = contract.name.clone();
        let call = Call::try_before::<S>(contract, read);
        if memory::is_watched() {
            memory::arm(Step::Call);
        }
        call.map_err(|mistake| Box::new(Report::mistake(&name, mistake.0)))
    }

    fn try_before<S: Subject>(
        contract: Contract,
        read: impl Fn(&mut Abstractor<'_>),
    ) -> Result<Call, Mistake> {
        let mut judge = Judge::new::<S>(&contract)?;
        let before = judge.before(read)?;
        let must_panic = judge.is_to_panic(&contract)?;
        Ok(Call { contract, judge, before, must_panic })
    }

    /// Runs the call. A panic is the test's own, unless the contract wants one: then it is caught, and
    /// the output is `None`.
    pub fn run<R>(&self, f: impl FnOnce() -> R) -> Option<R> {
        if !self.must_panic {
            return Some(f());
        }
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).ok()
    }

    /// Reads the arguments that are left and the result, and judges.
    pub fn after<S: Subject>(
        mut self,
        output: Option<&S::Output>,
        read: impl Fn(&mut Abstractor<'_>),
    ) -> Report {
        memory::disarm();
        let verdict = match (output, self.must_panic) {
            (Some(_), true) => Err(Failure::NoPanic),
            (None, _) => Ok(()),
            (Some(output), false) => self.judge.after::<S>(&self.before, output, read, memory::is_watched()),
        };
        self.report(verdict.err())
    }

    fn report(mut self, failure: Option<Failure>) -> Report {
        let mut report = Report::new(&self.contract.name);
        report.inputs = 1;
        report.is_replay = true;
        report.is_guarded = memory::is_watched();
        let Some(failure) = failure else {
            report.status = Status::Passed;
            report.passed = 1;
            return report;
        };
        let mut value = json!({ "failure": failure.to_json() });
        self.judge.describe(&failure, &mut value);
        let mut group = Group::new(failure, value);
        Store::new(&self.contract.name).write_picture(&mut group, "replay");
        report.status = Status::Failed;
        report.groups.push(group);
        report
    }
}

/// A pre-state that cannot be read is no input.
fn refuse(outcome: &Outcome) -> Result<(), Mistake> {
    let dead = outcome.dead.iter().map(ToString::to_string);
    let faults = outcome.faults.iter().map(|fault| fault.message.clone());
    match dead.chain(faults).next() {
        Some(text) => Err(Mistake(format!("error: the arguments are no input of the contract: {text}"))),
        None => Ok(()),
    }
}

fn widened(
    prepared: &Prepared,
    oracle: &Oracle,
    outcome: &Outcome,
    growths: usize,
) -> Result<Oracle, String> {
    let widen = wider(&oracle.widen, &outcome.needs, &prepared.graph)?;
    if growths > MOST_GROWTHS || widen == oracle.widen {
        return Err("the universe cannot be made wide enough".into());
    }
    let mut oracle = Oracle::new(prepared, widen).map_err(|mistake| mistake.0)?;
    oracle.state = Instance { values: Vec::new() };
    Ok(oracle)
}
