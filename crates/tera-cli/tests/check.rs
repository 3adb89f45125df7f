//! `tera check` as its users meet it, on the crate `tests/subjects/contracts`.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/subjects/contracts");

/// Contracts leave their reports in folders of their names, and cargo locks its own: one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// The lines of output as JSON.
    fn json(&self) -> Vec<Value> {
        let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.out.lines().map(line).collect()
    }

    #[track_caller]
    fn ends(&self, code: i32) -> &Ran {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }
}

fn tera(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tera"));
    command.arg("check").arg(CRATE).args(args).env("NO_COLOR", "1").stdin(Stdio::null());
    // What asks of this test must not ask of those that it runs.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TESTERA_")) {
        command.env_remove(name);
    }
    command
}

fn run(command: &mut Command) -> Ran {
    let output = command.output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn check(args: &[&str]) -> Ran {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    run(&mut tera(args))
}

/// The test binary of the crate's library, as cargo says.
fn binary() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--no-run", "--lib", "--message-format=json", "--manifest-path"])
        .arg(Path::new(CRATE).join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let is_it = |m: &Value| m["target"]["name"] == "tera_subjects" && m["profile"]["test"] == true;
    let found = messages.filter(is_it).find_map(|m| m["executable"].as_str().map(PathBuf::from));
    found.expect("the test binary of the library")
}

/// What contracts of this name leave behind.
fn store(name: &str) -> PathBuf {
    let binary = binary();
    let target = binary.ancestors().find(|dir| dir.join("testera").is_dir()).expect("a target folder");
    target.join("testera").join(name)
}

#[test]
fn exit_codes_say_what_came_out() {
    check(&["--contract", "passes"]).ends(0);
    check(&["--contract", "unbreakable"]).ends(0);
    check(&["--contract", "dies"]).ends(1);
    check(&["--contract", "no_inputs"]).ends(2);
    check(&["--contract", "misspelt"]).ends(2);
    check(&["--contract", "slow", "--timeout", "0.2", "--fresh"]).ends(3);
    check(&["--contract", "ends_the_test"]).ends(70);
    // Of several the gravest.
    check(&["--contract", "passes", "--contract", "misspelt", "--contract", "dies"]).ends(2);
    check(&["--contract", "no_such_contract"]).ends(2);
    check(&["--contract", "passes", "--shard", "0/3"]).ends(2);
    check(&["--contract", "passes", "--scope", "nonsense"]).ends(2);
}

#[test]
fn texts_say_what_happened_and_what_it_is_worth() {
    let says = |contract: &str, text: &str| {
        let ran = check(&["--contract", contract, "--fresh"]);
        assert!(
            ran.out.contains(text) || ran.err.contains(text),
            "{text:?} is not in\n{}\n{}",
            ran.out,
            ran.err
        );
    };
    says("passes", "16 inputs, all there are in scope");
    says("no_inputs", "vacuous: no input satisfies the precondition");
    says("unbreakable", "vacuous: no result of the call could violate a = a");
    says("misspelt", "did you mean `result`");
    says("dies", "hang: input 3 of 10 (smaller ones pass)");
    says("wrong::boxes", "sorted[list] does not hold after the call");
    says("ends_the_test", "ended without a report");
}

#[test]
fn all_counterexamples_are_collected_and_grouped_on_demand() {
    let ran = check(&["--contract", "dies", "--keep-going", "--format", "json"]);
    let report = &ran.ends(1).json()[0];
    assert_eq!((&report["inputs"], &report["passed"]), (&10.into(), &7.into()));
    let kinds: Vec<&str> =
        report["groups"].as_array().unwrap().iter().map(|g| g["failure"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["hang", "exit", "abort"]);
    let ran = check(&["--contract", "wrong::numbers", "--keep-going", "--workers", "3"]);
    assert!(ran.ends(1).out.contains("45 inputs fail in this way; this is the smallest"), "{}", ran.out);
}

#[test]
fn the_scope_can_be_replaced() {
    let ran = check(&["--contract", "passes", "--scope", "1, 0..9 Int", "--format", "json"]);
    let report = &ran.ends(0).json()[0];
    assert_eq!(report["inputs"], 100);
    assert_eq!(report["total"], 100);
}

#[test]
fn json_has_the_fields_that_are_described() {
    let ran = check(&["--contract", "wrong::boxes", "--format", "json", "--fresh"]);
    let report = &ran.ends(1).json()[0];
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/CHECK.md")).unwrap();
    let described = |fields: &Value| {
        for name in fields.as_object().expect("an object").keys() {
            assert!(page.contains(&format!("| `{name}` |")), "`{name}` is not described in CHECK.md");
        }
    };
    described(report);
    let group = &report["groups"][0];
    described(group);
    described(&group["detail"]);
    described(&group["detail"]["violated"][0]);
    assert_eq!(report["version"], 1);
    assert_eq!(report["name"], "tera_subjects::wrong::boxes");
    assert_eq!(report["status"], "failed");
    assert_eq!(group["failure"]["kind"], "violated");
    assert_eq!(group["violated"], serde_json::json!(["sorted[list]"]));
    assert_eq!(group["holds"], serde_json::json!(["permutation[list]"]));
    assert_eq!(group["detail"]["violated"][0]["values"], "1 <= 0 when n is Node0");
    let name = Path::new(group["picture"].as_str().unwrap()).file_name().unwrap().to_owned();
    let picture = store("tera_subjects.wrong.boxes").join(name);
    let picture = std::fs::read_to_string(picture).expect("the picture is where the report says");
    assert!(picture.contains("<svg"));
}

#[test]
fn junit_is_xml_with_a_case_for_each_contract() {
    let wanted = ["passes", "dies", "no_inputs", "misspelt", "wrong::boxes"];
    let args: Vec<&str> = wanted.iter().flat_map(|name| ["--contract", name]).collect();
    let ran = check(&[&args[..], &["--format", "junit"]].concat());
    let mut reader = quick_xml::Reader::from_str(&ran.ends(2).out);
    reader.config_mut().check_end_names = true;
    let (mut cases, mut elements) = (0, Vec::new());
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("{e}\n{}", ran.out)) {
            quick_xml::events::Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                cases += usize::from(name == "testcase");
                for attribute in start.attributes() {
                    attribute.expect("a well-formed attribute");
                }
                elements.push(name);
            }
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(cases, wanted.len());
    let count = |name: &str| elements.iter().filter(|element| *element == name).count();
    assert_eq!((count("failure"), count("error"), count("testsuite")), (2, 2, 1), "{}", ran.out);
}

#[test]
fn shards_together_are_the_whole() {
    let report = |args: &[&str]| {
        let args = [&["--contract", "wrong::numbers", "--keep-going", "--format", "json"], args].concat();
        check(&args).ends(1).json().remove(0)
    };
    let number = |report: &Value, key: &str| report[key].as_u64().unwrap();
    let whole = report(&[]);
    let mut sums = [0, 0];
    for i in 1..=3 {
        let part = report(&["--shard", &format!("{i}/3")]);
        assert!(number(&part, "inputs") < number(&whole, "inputs"));
        assert_eq!(part["exhausted"], false);
        sums[0] += number(&part, "inputs");
        sums[1] += number(&part, "passed");
    }
    assert_eq!(sums, [number(&whole, "inputs"), number(&whole, "passed")]);
    assert_eq!(sums, [100, 55]);
}

#[test]
fn contracts_are_listed_without_running_any() {
    let ran = check(&["--list", "--contract", "boxes"]);
    let source = std::fs::read_to_string(Path::new(CRATE).join("src/wrong.rs")).unwrap();
    let line = 1 + source.lines().position(|line| line.starts_with("#[testera::check(")).unwrap();
    let expected = format!("tera_subjects::wrong::boxes  tests/subjects/contracts/src/wrong.rs:{line}");
    assert_eq!(ran.ends(0).out.trim(), expected);
    let all = check(&["--list", "--format", "json"]);
    assert!(all.ends(0).json().iter().any(|c| c["name"] == "memory::dangling" && c["line"].is_u64()));
}

#[test]
fn contracts_are_explained_without_running_any() {
    let says = |contract: &str, texts: &[&str]| {
        let ran = check(&["--explain", contract]);
        ran.ends(0);
        for text in texts {
            assert!(ran.out.contains(text), "{text:?} is not in\n{}", ran.out);
        }
    };
    says(
        "wrong::boxes",
        &[
            "the finder",
            "at most 3 Node",
            "Int 0..3",
            "    inputs        85\n",
            "no x: Node | x in x.^next",
            "acyclic[list]",
            "permutation[list]",
            "Node.next (9 cells)",
        ],
    );
    says("wrong::generated", &["a predicate", "    inputs        60\n", "refused by    Key.key"]);
    says("wrong::explored", &["a program with choices", "depth first"]);
    assert!(
        check(&["--explain"]).ends(70).out.contains("trouble::passes"),
        "all of them, one that ends its test among them"
    );
}

/// Lines that the slow contract has written.
fn begun(log: &Path) -> Vec<String> {
    std::fs::read_to_string(log).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Starts `command`, kills it and nothing else in the middle of its run, and waits for the end of all it
/// had started.
fn kill_in_the_middle(command: &mut Command, log: &Path) {
    let mut child = command.env("SLOW_LOG", log).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while begun(log).len() < 60 {
        assert!(Instant::now() < patience && child.try_wait().unwrap().is_none(), "{:?}", begun(log));
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut n = begun(log).len();
    loop {
        std::thread::sleep(Duration::from_millis(100));
        let now = begun(log).len();
        if now == n {
            break;
        }
        n = now;
    }
    assert!(n < 100, "it was killed in the middle, and its workers with it");
}

/// The second run did the rest: all are counted, and few were begun twice.
fn was_resumed(report: &Value, log: &Path) {
    assert_eq!((&report["inputs"], &report["passed"]), (&100.into(), &90.into()), "{report}");
    assert_eq!(report["groups"][0]["count"], 10);
    assert_eq!(report["exhausted"], true);
    let mut lines = begun(log);
    // The smallest of the failures runs once more for its details.
    lines.retain(|line| !line.starts_with('7'));
    let n = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), 90);
    assert!(n <= 90 + 40, "{n} inputs were begun where 90 would do");
    let left: Vec<_> = std::fs::read_dir(store("tera_subjects.trouble.slow").join("workers"))
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    // By the one door …
    let by_tera = |args: &[&str]| tera(&[&["--contract", "slow", "--keep-going"], args].concat());
    run(&mut by_tera(&["--timeout", "0.01", "--fresh"]));
    let _ = std::fs::remove_file(store("tera_subjects.trouble.slow").join("progress.json"));
    let log = dir.path().join("tera");
    kill_in_the_middle(&mut by_tera(&[]), &log);
    let ran = run(by_tera(&["--format", "json"]).env("SLOW_LOG", &log));
    was_resumed(&ran.ends(1).json()[0], &log);
    // … and by the other.
    let binary = binary();
    let report = dir.path().join("report.json");
    let by_test = |log: &Path| {
        let mut command = Command::new(&binary);
        command.args(["--exact", "trouble::slow", "--ignored"]).current_dir(CRATE);
        command.env("CARGO_MANIFEST_DIR", CRATE).env("TESTERA_KEEP_GOING", "1").env("TESTERA_WORKERS", "2");
        command.env("SLOW_LOG", log).env("TESTERA_REPORT", &report);
        command
    };
    let log = dir.path().join("test");
    kill_in_the_middle(&mut by_test(&log), &log);
    run(&mut by_test(&log)).ends(101);
    was_resumed(&serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap(), &log);
}
