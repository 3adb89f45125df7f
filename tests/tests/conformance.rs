//! Every case of `tests/conformance/` has the outcome and the number of classes that Alloy 6 gives.
//!
//! The cases about overflow are run in both of the Analyzer's modes, all others in tera's own
//! exact mode. What the columns of `expected.tsv` mean stands in the README beside it.

mod common;

use common::{Outcome, classes, in_parallel, load, lower, outcome, root};
use tera_model::{LowerOptions, Target};
use tera_rel::Overflow;

struct Case {
    file: String,
    overflow: Overflow,
    /// `SAT`, `UNSAT` or `ERROR`
    outcome: String,
    /// Absent where none are stated.
    classes: Option<u64>,
}

fn cases() -> Vec<Case> {
    let path = root().join("tests/conformance/expected.tsv");
    let text = std::fs::read_to_string(path).expect("the table is there");
    let mut cases = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let case = |overflow, outcome: usize| Case {
            file: cells[0].to_string(),
            overflow,
            outcome: cells[outcome].to_string(),
            classes: cells[outcome + 1].parse().ok(),
        };
        if cells[0].contains("-ovf-") {
            cases.extend([case(Overflow::Forbid, 2), case(Overflow::Wrap, 4)]);
        } else {
            cases.push(case(Overflow::Exact, 2));
        }
    }
    cases
}

/// The outcome and, if it is wanted, the number of classes of the one command of a file.
fn run(case: &Case) -> (String, Option<u64>) {
    let attempt = || -> Result<(String, Option<u64>), String> {
        let spec = load(&root().join("tests/conformance/cases").join(&case.file))?;
        let options = LowerOptions { overflow: case.overflow, ..LowerOptions::default() };
        let lowered = lower(&spec, &Target::Command(0), &options)?;
        let name = match outcome(&lowered)? {
            Outcome::Sat => "SAT",
            Outcome::Unsat => "UNSAT",
        };
        let counted = match case.classes {
            Some(_) => Some(classes(&lowered, 200)?),
            None => None,
        };
        Ok((name.to_string(), counted))
    };
    // An instance that is none is a fault of its own kind.
    attempt().unwrap_or_else(|error| match error.starts_with("INSTANCE") {
        true => (error, None),
        false => ("ERROR".into(), None),
    })
}

fn disagreements(cases: &[Case]) -> Vec<String> {
    let told = in_parallel(cases, |case| {
        let (outcome, classes) = run(case);
        let agrees = outcome == case.outcome && classes == case.classes;
        (!agrees).then(|| {
            let wanted = (&case.outcome, case.classes);
            format!("{} ({:?}): wanted {wanted:?}, got {:?}", case.file, case.overflow, (outcome, classes))
        })
    });
    told.into_iter().flatten().collect()
}

#[test]
fn every_static_case_is_as_in_alloy_6() {
    let mut cases = cases();
    cases.retain(|case| !case.file.contains("temporal"));
    assert!(cases.len() > 380, "the table has its rows: {}", cases.len());
    let wrong = disagreements(&cases);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn a_temporal_case_is_refused_or_right() {
    let mut cases = cases();
    cases.retain(|case| case.file.contains("temporal"));
    for case in &cases {
        let (outcome, _) = common::with_stack(|| run(case));
        assert!(outcome == "ERROR" || outcome == case.outcome, "{}: {outcome}", case.file);
    }
}

#[test]
fn every_file_is_in_the_table() {
    let cases = cases();
    for directory in ["als", "md"] {
        let path = root().join("tests/conformance/cases");
        for entry in std::fs::read_dir(path).expect("the cases are there") {
            let name = entry.expect("a readable entry").file_name().into_string().expect("UTF-8");
            if name.ends_with(directory) {
                assert!(cases.iter().any(|case| case.file == name), "{name} has no row");
            }
        }
    }
}
