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
pub mod guard;
pub mod inputs;
pub mod mark;
pub mod memory;
mod options;
mod oracle;
mod outcome;
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
    let options = match Options::from_env() {
        Ok(options) => options,
        Err(message) => return Report::mistake(&contract.name, message),
    };
    let contract = options.apply(contract);
    let store = Store::new(&contract.name);
    if guard::worker_path().is_some() {
        if std::env::var(CONTRACT).as_deref() == Ok(&contract.name) {
            guard::serve(contract.limits, || Runner::new(&contract, subject).map_err(|mistake| mistake.0));
        }
        // This program checks several contracts; an earlier one has its report already.
        let stored = store.read_json("report.json").as_ref().and_then(Report::from_json);
        return stored
            .unwrap_or_else(|| Report::internal(&contract.name, "a worker without a report".into()));
    }
    if options.report.is_some() {
        // Whoever waits for the report is the one to end this run with.
        guard::die_with_parent();
    }
    let begun = std::time::Instant::now();
    let session = Session::new::<S>(&contract, &options).and_then(Session::run);
    let mut report = session.unwrap_or_else(|mistake| Report::mistake(&contract.name, mistake.0));
    report.seconds = begun.elapsed().as_secs_f64();
    let json = report.to_json();
    let _ = store.write_json("report.json", &json);
    if let Some(path) = &options.report {
        let _ = std::fs::write(path, format!("{json}\n"));
    }
    report
}
