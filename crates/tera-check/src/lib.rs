//! Contracts, oracle, guarded execution, counterexamples, reproducers.
//!
//! ```text
//! Contract + Subject --prepare--> problem of the inputs --inputs--> bits, smallest first
//!   parent (session): batches ──▶ workers (guard, executor): concretize, call, abstract, judge
//!   failures ──▶ collector ──▶ detail of the smallest ──▶ Report
//! ```

mod collector;
mod contract;
mod detail;
mod executor;
mod explain;
pub mod explored;
pub mod guard;
pub mod inputs;
pub mod mark;
pub mod memory;
mod options;
mod oracle;
mod outcome;
mod plan;
mod prepare;
mod reach;
mod replay;
mod report;
mod reproducer;
mod session;
mod snapshot;
mod store;
mod subject;
mod vacuity;

pub use contract::Contract;
pub use executor::Runner;
pub use options::Options;
pub use outcome::Failure;
pub use prepare::{Mistake, Prepared};
pub use replay::Call;
pub use report::{Group, Report, Status, thousands};
pub use subject::{Arguments, Passing, Subject};

use session::Session;
use store::Store;

/// The environment variable that tells a worker which contract it works for.
const CONTRACT: &str = "TESTERA_CONTRACT";

/// Checks a contract in this process and its workers; or is such a worker.
fn run<S: Subject>(contract: Contract, subject: &S) -> Report {
    let options = match options(&contract) {
        Ok(options) => options,
        Err(report) => return *report,
    };
    let contract = options.apply(contract);
    if let Some(report) = as_worker(&contract, || Runner::new(&contract, subject)) {
        return report;
    }
    with_report(&contract, &options, || {
        if options.explain {
            let text = plan::explain(&contract, &Prepared::new::<S>(&contract)?)?;
            return Ok(Report::explained(&contract.name, text));
        }
        Session::new::<S>(&contract, &options)?.run()
    })
}

/// What the surroundings ask; a mistake in it is a report like any other.
fn options(contract: &Contract) -> Result<Options, Box<Report>> {
    Options::from_env().map_err(|message| {
        let report = Report::mistake(&contract.name, message);
        if let Some(path) = std::env::var_os(options::REPORT) {
            let _ = std::fs::write(path, format!("{}\n", report.to_json()));
        }
        Box::new(report)
    })
}

/// In a worker of this contract: serves and ends the process. In one of another contract of the same
/// program: the report that the parent has already.
fn as_worker<E: guard::Executor>(
    contract: &Contract,
    make: impl FnOnce() -> Result<E, Mistake> + Send,
) -> Option<Report> {
    guard::worker_path()?;
    if std::env::var(CONTRACT).as_deref() == Ok(&contract.name) {
        guard::serve(contract.limits, || make().map_err(|mistake| mistake.0));
    }
    let stored = Store::new(&contract.name).read_json("report.json").as_ref().and_then(Report::from_json);
    Some(stored.unwrap_or_else(|| Report::internal(&contract.name, "a worker without a report".into())))
}

/// Makes the report and leaves it where it is looked for.
fn with_report(
    contract: &Contract,
    options: &Options,
    make: impl FnOnce() -> Result<Report, Mistake>,
) -> Report {
    if options.report.is_some() {
        // Whoever waits for the report is the one to end this run with.
        guard::die_with_parent();
    }
    let begun = std::time::Instant::now();
    let mut report = make().unwrap_or_else(|mistake| Report::mistake(&contract.name, mistake.0));
    report.seconds = begun.elapsed().as_secs_f64();
    let json = report.to_json();
    let _ = Store::new(&contract.name).write_json("report.json", &json);
    if let Some(path) = &options.report {
        let _ = std::fs::write(path, format!("{json}\n"));
    }
    report
}
