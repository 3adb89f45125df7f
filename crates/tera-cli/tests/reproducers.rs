//! Every counterexample is emitted as a test of its own. Pasted, it compiles, fails as the input did, and
//! passes once the subject is right.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/subjects/contracts");

/// What must be said when a test fails, by contract.
const FAILURES: &[(&str, &str)] = &[
    ("wrong::boxes", "sorted[list] does not hold after the call"),
    ("wrong::numbers", "result = plus[a, b] does not hold after the call"),
    ("wrong::slices", "#result = #numbers does not hold after the call"),
    ("wrong::enums", "result = #(parts[expr] & Inc) does not hold after the call"),
    ("wrong::counted", "wellFormed[tree] does not hold after the call"),
    ("wrong::cycles", "result = #ring.at.*next does not hold after the call"),
    ("wrong::arenas", "does not hold after the call"),
    ("wrong::collections", "index.recent.elems = index.names.Bool does not hold after the call"),
    ("wrong::panics", "3 is too large"),
    ("wrong::does_not_panic", "no panic where one is specified"),
    ("wrong::generated", "a key that was there is lost"),
    ("wrong::explored", "popped the wrong one"),
    ("memory::dangling", "points to a block freed during the call"),
    ("memory::leaking", "is never freed"),
    ("memory::double_free", "is freed twice"),
];

fn tests(args: &[&str], pasted: &Path, fixed: bool) -> (bool, String) {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--features", "pasted", "--no-fail-fast", "--manifest-path"]);
    command.arg(Path::new(CRATE).join("Cargo.toml")).args(args).env("TERA_PASTED", pasted);
    if fixed {
        command.env("FIXED", "1");
    }
    let output = command.output().expect("cargo runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.success(), text.concat())
}

/// What the test of this name printed, by libtest's report of failures.
fn printed<'a>(output: &'a str, test: &str) -> &'a str {
    let begin =
        output.find(&format!("---- {test} stdout ----")).unwrap_or_else(|| panic!("{test}: {output}"));
    let rest = &output[begin + 5..];
    &rest[..rest.find("\n---- ").unwrap_or(rest.len())]
}

#[test]
fn pasted_reproducers_fail_the_same_way_and_pass_when_the_subject_is_right() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tera"));
    command.arg("check").arg(CRATE).args(["--format", "json", "--fresh"]);
    for (contract, _) in FAILURES {
        command.args(["--contract", contract]);
    }
    let output = command.env_remove("FIXED").output().expect("tera runs");
    let reports: Vec<Value> = String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(reports.len(), FAILURES.len(), "{}", String::from_utf8_lossy(&output.stderr));
    let dir = tempfile::tempdir().unwrap();
    let (mut wrong, mut memory) = (String::new(), String::new());
    let mut names = Vec::new();
    for report in &reports {
        assert_eq!(report["status"], "failed", "{report:#}");
        let name = report["name"].as_str().unwrap().trim_start_matches("tera_subjects::");
        let code = report["groups"][0]["detail"]["code"].as_str().unwrap_or_default();
        let test = code.lines().find_map(|line| line.strip_prefix("fn ")?.strip_suffix("() {"));
        let test = test.unwrap_or_else(|| panic!("{name}: {code:?}"));
        let (module, _) = name.split_once("::").unwrap();
        let (text, path) = match module {
            "memory" => (&mut memory, format!("pasted::{test}")),
            _ => (&mut wrong, format!("wrong::pasted::{test}")),
        };
        *text += code;
        *text += "\n\n";
        names.push((name.to_owned(), path));
    }
    std::fs::write(dir.path().join("wrong.rs"), &wrong).unwrap();
    std::fs::write(dir.path().join("memory.rs"), &memory).unwrap();
    let (passes, output) = tests(&["pasted"], dir.path(), false);
    assert!(!passes);
    assert!(output.contains("test result"), "the pasted tests compile:\n{wrong}\n{memory}\n{output}");
    for (name, path) in &names {
        let (_, expected) = FAILURES.iter().find(|(contract, _)| contract == name).unwrap();
        let printed = printed(&output, path);
        assert!(printed.contains(expected), "{name}: {expected:?} is not in\n{printed}\n{wrong}");
    }
    let (passes, output) = tests(&["pasted"], dir.path(), true);
    assert!(passes, "{wrong}\n{memory}\n{output}");
}
