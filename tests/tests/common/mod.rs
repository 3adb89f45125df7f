//! Runs commands of specifications in this process, for the tests of the whole.
#![allow(dead_code, reason = "every test file uses a part of this")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tera_finder::{Answer, EnumerateOptions, SolveOptions, Verdict};
use tera_model::{Failure, Loader, LowerOptions, Lowered, STACK_SIZE, Spec, Target};
use tera_rel::{Evaluator, Instance};
use tera_syntax::{Diagnostic, Sources, report};

/// The top of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All `.als` and `.md` specifications in a directory, by name.
pub fn specifications(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(directory)).expect("the directory is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "als"));
    paths.sort();
    assert!(!paths.is_empty(), "no specifications in {directory}");
    paths
}

/// Reads modules from the disk.
pub struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// One text in memory, as the file `test.als`.
pub struct Memory<'a>(pub &'a str);

impl Loader for Memory<'_> {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        Ok((path == Path::new("test.als")).then(|| self.0.to_string()))
    }
}

/// Runs `work` on a thread with the stack that deep specifications may need.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        match thread.expect("a thread starts").join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Calls `work` for every item, on as many threads as the machine has processors; the results in
/// the order of the items.
pub fn in_parallel<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let worker = || {
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    results.lock().expect("no other thread panicked").push((index, result));
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, worker);
            thread.expect("a thread starts");
        }
    });
    let mut results = results.into_inner().expect("no thread panicked");
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

pub fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let lines: Vec<String> = diagnostics.iter().map(|d| report::line(d, sources)).collect();
    lines.join("\n")
}

pub fn load(path: &Path) -> Result<Box<Spec>, String> {
    tera_model::load(path, &[], &Disk).map_err(told)
}

pub fn load_text(text: &str) -> Result<Box<Spec>, String> {
    tera_model::load(Path::new("test.als"), &[], &Memory(text)).map_err(told)
}

fn told(failure: Failure) -> String {
    shown(&failure.diagnostics, &failure.sources)
}

pub fn lower(spec: &Spec, target: &Target, options: &LowerOptions) -> Result<Lowered, String> {
    spec.lower(target, options).map_err(told)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Of a check: a counterexample exists.
    Sat,
    Unsat,
}

pub fn outcome(lowered: &Lowered) -> Result<Outcome, String> {
    match tera_finder::solve(&lowered.problem, &SolveOptions::default()) {
        Ok(Answer::Sat(instance)) => {
            judge(lowered, &mut Evaluator::new(&lowered.problem), &instance)?;
            Ok(Outcome::Sat)
        }
        Ok(Answer::Unsat) => Ok(Outcome::Unsat),
        other => Err(format!("{other:?}")),
    }
}

/// The number of classes. All instances are seen, and the first `judged` of them held against the
/// evaluator, which shares no code with the search.
pub fn classes(lowered: &Lowered, judged: u64) -> Result<u64, String> {
    let mut evaluator = Evaluator::new(&lowered.problem);
    let mut verdict = Ok(());
    let mut sink = |found: &tera_finder::Found| {
        if found.index >= judged {
            return ControlFlow::Continue(());
        }
        verdict = judge(lowered, &mut evaluator, &found.instance());
        if verdict.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let summary = tera_finder::enumerate(&lowered.problem, &EnumerateOptions::default(), &mut sink)
        .map_err(|error| format!("{error:?}"))?;
    verdict?;
    assert_eq!(summary.verdict, Verdict::Exhausted);
    Ok(summary.count)
}

fn judge(lowered: &Lowered, evaluator: &mut Evaluator, instance: &Instance) -> Result<(), String> {
    match evaluator.first_violation(instance) {
        Ok(None) => Ok(()),
        Ok(Some(conjunct)) => {
            Err(format!("INSTANCE VIOLATES {}: {instance:?}", lowered.origins[conjunct].text))
        }
        Err(error) => Err(format!("INSTANCE CANNOT BE JUDGED: {error:?}")),
    }
}
