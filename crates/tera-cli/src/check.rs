//! `tera check`: tests the contracts of a Rust crate.
//!
//! Cargo builds the test binaries; the contracts in them are found by their marks, without running
//! anything. Each contract is then run as the test it is, told by the environment what the command
//! line asks for ([`tera_check::Options`]), and leaves its report in a file.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tera_check::mark::Mark;
use tera_check::{Report, Status};
use tera_view::xml_escape;

use crate::args::parse_seconds;
use crate::console::{Out, plural};
use crate::exit::{Exit, Stop};

#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The crate: its folder or its Cargo.toml
    #[arg(default_value = ".")]
    pub path: PathBuf,
    /// Only contracts of this name: the whole path, or its last parts (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub contract: Vec<String>,
    /// Replaces the scopes of the contracts: `4`, or `3, exactly 4 Node, -2..2 Int`
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,
    /// Collect all counterexamples and group them by their reason
    #[arg(long)]
    pub keep_going: bool,
    /// Worker processes for each contract
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub workers: u32,
    /// Only the Ith of N parts of the inputs, I from 1
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Stop each contract after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub timeout: Option<f64>,
    /// Replay nothing, and do not resume a run that was interrupted
    #[arg(long)]
    pub fresh: bool,
    /// Say which contracts there are and run none
    #[arg(long)]
    pub list: bool,
    /// Say what the contracts would be checked on, and run none: engine, scope, universe, what the types say,
    /// how many inputs there are, in which order they come (of this contract, or of all)
    #[arg(long, value_name = "NAME", num_args = 0..=1)]
    pub explain: Option<Option<String>>,
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// Build with optimizations
    #[arg(long)]
    pub release: bool,
    /// Only this package (may be repeated)
    #[arg(short, long, value_name = "SPEC")]
    pub package: Vec<String>,
    /// All packages of the workspace
    #[arg(long)]
    pub workspace: bool,
    /// Features to build with, separated by commas
    #[arg(long, value_name = "FEATURES")]
    pub features: Option<String>,
    #[arg(long)]
    pub all_features: bool,
    #[arg(long)]
    pub no_default_features: bool,
    /// The target triple to build for
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,
    /// The cargo profile to build with
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CheckFormat {
    Text,
    /// One report per line
    Json,
    Junit,
}

/// A contract and where it is.
struct Found {
    mark: Mark,
    program: PathBuf,
    /// The folder of the package: where its tests run.
    package: PathBuf,
}

pub fn run(mut args: CheckArgs) -> Result<Exit, Stop> {
    args.contract.extend(args.explain.clone().flatten());
    let mut out = Out::new();
    let (found, n_binaries) = find(&args)?;
    if args.list {
        for contract in &found {
            out.line(&match args.format {
                CheckFormat::Json => json!({
                    "name": contract.mark.path, "spec": contract.mark.spec,
                    "file": contract.mark.file, "line": contract.mark.line,
                })
                .to_string(),
                _ => format!("{}  {}:{}", contract.mark.path, contract.mark.file, contract.mark.line),
            })?;
        }
        out.flush()?;
        return Ok(Exit::Expected);
    }
    if found.is_empty() {
        let binaries = plural(n_binaries as u64, "test binary", "test binaries");
        let wanted = match args.contract.as_slice() {
            [] => "no contract".to_owned(),
            names => format!("no contract is called {}", names.join(" or ")),
        };
        return Err(Stop::message(format!(
            "{wanted} in {binaries}; a contract is a function under `#[testera::check(…)]` in a test module"
        )));
    }
    let mut exit = Exit::Expected;
    let mut reports = Vec::new();
    for contract in &found {
        let report = check(&args, contract)?;
        exit = exit.max(exit_of(report.status));
        match args.format {
            CheckFormat::Text => out.text(&report.text())?,
            CheckFormat::Json => out.json(&report.to_json())?,
            CheckFormat::Junit => {}
        }
        out.flush()?;
        reports.push(report);
    }
    match args.format {
        CheckFormat::Text if reports.len() > 1 && args.explain.is_none() => out.line(&summary(&reports))?,
        CheckFormat::Junit => out.text(&junit(&reports))?,
        _ => {}
    }
    out.flush()?;
    Ok(exit)
}

/// Builds the test binaries and finds the contracts in them.
fn find(args: &CheckArgs) -> Result<(Vec<Found>, usize), Stop> {
    let manifest = if args.path.is_dir() { args.path.join("Cargo.toml") } else { args.path.clone() };
    if !manifest.is_file() {
        return Err(Stop::message(format!("{}: there is no crate", args.path.display())));
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--no-run", "--message-format=json-render-diagnostics", "--manifest-path"]);
    command.arg(&manifest);
    for package in &args.package {
        command.args(["--package", package]);
    }
    for (flag, is_set) in [
        ("--workspace", args.workspace),
        ("--release", args.release),
        ("--all-features", args.all_features),
        ("--no-default-features", args.no_default_features),
    ] {
        if is_set {
            command.arg(flag);
        }
    }
    for (flag, value) in
        [("--features", &args.features), ("--target", &args.target), ("--profile", &args.profile)]
    {
        if let Some(value) = value {
            command.args([flag, value]);
        }
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Stop::message(format!("cargo cannot be started: {error}")))?;
    if !output.status.success() {
        // Cargo has said why.
        return Err(Stop::Exit(Exit::Mistake));
    }
    let mut found = Vec::new();
    let mut n_binaries = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        let Some(program) = message["executable"].as_str().map(PathBuf::from) else { continue };
        if message["profile"]["test"] != json!(true) {
            continue;
        }
        n_binaries += 1;
        let package = message["manifest_path"].as_str().map(Path::new).and_then(Path::parent);
        let package = package.unwrap_or(Path::new(".")).to_path_buf();
        let bytes = std::fs::read(&program)
            .map_err(|error| Stop::message(format!("{}: {error}", program.display())))?;
        for mark in Mark::find(&bytes) {
            if args.contract.is_empty() || args.contract.iter().any(|name| is_called(&mark.path, name)) {
                found.push(Found { mark, program: program.clone(), package: package.clone() });
            }
        }
    }
    found.sort_by(|a, b| (&a.mark, &a.program).cmp(&(&b.mark, &b.program)));
    Ok((found, n_binaries))
}

/// Whether `name` is the path or its last parts.
fn is_called(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

/// Runs one contract as the test it is.
fn check(args: &CheckArgs, contract: &Found) -> Result<Report, Stop> {
    let name = &contract.mark.path;
    let file = std::env::temp_dir().join(format!("tera-check-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let mut command = Command::new(&contract.program);
    command
        .args(["--exact", contract.mark.test(), "--nocapture", "--include-ignored", "--test-threads=1"])
        .current_dir(&contract.package)
        .env("CARGO_MANIFEST_DIR", &contract.package)
        .env("TESTERA_REPORT", &file)
        .env("TESTERA_WORKERS", args.workers.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let flag = |set: bool| if set { "1" } else { "" };
    command.env("TESTERA_KEEP_GOING", flag(args.keep_going)).env("TESTERA_FRESH", flag(args.fresh));
    command.env("TESTERA_EXPLAIN", flag(args.explain.is_some()));
    let is_terminal = std::io::stderr().is_terminal();
    command.env("TESTERA_PROGRESS", flag(is_terminal));
    command.stderr(if is_terminal { Stdio::inherit() } else { Stdio::null() });
    for (variable, value) in [
        ("TESTERA_SCOPE", args.scope.clone()),
        ("TESTERA_SHARD", args.shard.clone()),
        ("TESTERA_TIMEOUT", args.timeout.map(|seconds| seconds.to_string())),
    ] {
        match value {
            Some(value) => command.env(variable, value),
            None => command.env_remove(variable),
        };
    }
    let status = command
        .status()
        .map_err(|error| Stop::message(format!("{}: {error}", contract.program.display())))?;
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    let report = serde_json::from_str(&text).ok().as_ref().and_then(Report::from_json);
    Ok(report.unwrap_or_else(|| {
        Report::internal(name, format!("{name}: the test ended without a report ({status})"))
    }))
}

fn exit_of(status: Status) -> Exit {
    match status.exit_code() {
        0 => Exit::Expected,
        1 => Exit::Unexpected,
        2 => Exit::Mistake,
        3 => Exit::Undecided,
        _ => Exit::Internal,
    }
}

fn summary(reports: &[Report]) -> String {
    let passed = reports.iter().filter(|report| report.is_ok()).count();
    let contracts = plural(reports.len() as u64, "contract", "contracts");
    format!("{contracts}, {passed} passed, {} not", reports.len() - passed)
}

/// The format that build servers read.
fn junit(reports: &[Report]) -> String {
    let count = |wanted: &[Status]| reports.iter().filter(|r| wanted.contains(&r.status)).count();
    let seconds: f64 = reports.iter().map(|report| report.seconds).sum();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tera check\" tests=\"{}\" \
         failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\">\n",
        reports.len(),
        count(&[Status::Failed]),
        count(&[Status::NoInputs, Status::Mistake, Status::Internal]),
        count(&[Status::Undecided]),
    );
    for report in reports {
        let (class, name) = report.name.rsplit_once("::").unwrap_or(("", &report.name));
        text += &format!(
            "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\">",
            xml_escape(class),
            xml_escape(name),
            report.seconds
        );
        let element = match report.status {
            Status::Passed | Status::Explained => None,
            Status::Failed => Some("failure"),
            Status::Undecided => Some("skipped"),
            Status::NoInputs | Status::Mistake | Status::Internal => Some("error"),
        };
        if let Some(element) = element {
            text += &format!(
                "\n    <{element} message=\"{}\">{}</{element}>\n  ",
                xml_escape(report.status.name()),
                report.text().lines().map(xml_escape).collect::<Vec<String>>().join("\n")
            );
        }
        text += "</testcase>\n";
    }
    text + "</testsuite>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_is_called_by_its_path_or_its_last_parts() {
        for (name, expected) in [
            ("list::tests::merge_sort", true),
            ("merge_sort", true),
            ("tests::merge_sort", true),
            ("sort", false),
            ("list", false),
        ] {
            assert_eq!(is_called("list::tests::merge_sort", name), expected, "{name}");
        }
    }
}
