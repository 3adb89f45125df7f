//! Specifications as texts, and counting of their instances without the finder.
#![allow(dead_code, reason = "every test file uses a part of this")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tera_model::{Failure, Loader, LowerOptions, Lowered, Spec, Target};
use tera_rel::{Instance, brute_force, canonical_form};
use tera_syntax::{Diagnostic, Sources};

/// Files in memory.
#[derive(Default)]
pub struct Files(pub BTreeMap<String, String>);

impl Files {
    pub fn new(files: &[(&str, &str)]) -> Files {
        Files(files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect())
    }
}

impl Loader for Files {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        Ok(self.0.get(path.to_str().unwrap_or("")).cloned())
    }
}

/// Runs `f` on a stack that deep trees need.
pub fn deep<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(tera_model::STACK_SIZE)
            .spawn_scoped(scope, f)
            .expect("a thread")
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

pub fn load_files(files: &[(&str, &str)]) -> Result<Box<Spec>, Failure> {
    tera_model::load(Path::new(files[0].0), &[], &Files::new(files))
}

pub fn load(text: &str) -> Box<Spec> {
    load_files(&[("a.als", text)]).unwrap_or_else(|failure| panic!("{}", show(&failure)))
}

pub fn show(failure: &Failure) -> String {
    tera_syntax::report::render(&failure.diagnostics, &failure.sources, false)
}

pub fn lower(spec: &Spec, target: &Target, options: &LowerOptions) -> Lowered {
    spec.lower(target, options).unwrap_or_else(|failure| panic!("{}", show(&failure)))
}

/// All instances up to isomorphism.
pub fn classes(lowered: &Lowered) -> usize {
    let mut seen = BTreeSet::new();
    brute_force(&lowered.problem, &mut |instance: &Instance| {
        let canonical = canonical_form(&lowered.problem, instance);
        seen.insert(format!("{:?}", canonical.instance.values));
    })
    .expect("an instance can be judged");
    seen.len()
}

/// The first command of `text` has this many classes.
pub fn check(text: &str, expected: usize) {
    let spec = load(text);
    let lowered = lower(&spec, &Target::Command(0), &LowerOptions::default());
    assert_eq!(classes(&lowered), expected, "{text}");
}

/// Where a diagnostic stands, as `line:column text`, and its message.
pub fn place(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let (line, column) = sources.line_column(diagnostic.span.file, diagnostic.span.start);
    format!("{line}:{column} `{}` {}", sources.snippet(diagnostic.span), diagnostic.message)
}
