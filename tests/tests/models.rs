//! The specifications in `models/` load without a word, and give the counts that they state.

mod common;

use std::path::{Path, PathBuf};

use common::{Outcome, classes, in_parallel, load, lower, outcome, root, shown, specifications};
use tera_model::{LowerOptions, Target};
use tera_syntax::ast::CommandKind;

/// Counts above this are left to the benchmarks.
const MANY: u64 = 20_000;

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a readable file")
}

/// Fails with all complaints about any of the files.
fn check_each(paths: &[PathBuf], check: impl Fn(&Path) -> Vec<String> + Sync) {
    let told = in_parallel(paths, |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        check(path).into_iter().map(|complaint| format!("{name}: {complaint}")).collect::<Vec<_>>()
    });
    let told: Vec<String> = told.into_iter().flatten().collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn every_model_opens_with_its_purpose_and_draws_no_warning() {
    let directories =
        ["models", "models/counts", "models/speed", "models/modules", "stdlib/util", "stdlib/tera"];
    let paths: Vec<PathBuf> = directories.iter().flat_map(|directory| specifications(directory)).collect();
    check_each(&paths, |path| {
        let mut told = Vec::new();
        if !text(path).starts_with("// ") {
            told.push("does not open with a comment".into());
        }
        match load(path) {
            Ok(spec) => {
                told.extend(spec.warnings.iter().map(|w| shown(std::slice::from_ref(w), &spec.sources)));
                for (i, _) in spec.commands.iter().enumerate() {
                    match lower(&spec, &Target::Command(i), &LowerOptions::default()) {
                        Ok(lowered) if lowered.warnings.is_empty() => {}
                        Ok(lowered) => told.push(shown(&lowered.warnings, &spec.sources)),
                        Err(error) => told.push(error),
                    }
                }
            }
            Err(error) => told.push(error),
        }
        told
    });
}

#[test]
fn every_command_of_the_models_to_learn_from_is_as_expected() {
    check_each(&specifications("models"), |path| {
        let spec = match load(path) {
            Ok(spec) => spec,
            Err(error) => return vec![error],
        };
        let mut told = Vec::new();
        assert!(spec.commands.iter().any(|c| c.kind == CommandKind::Check), "{path:?} checks something");
        for (index, command) in spec.commands.iter().enumerate() {
            let place = format!("command {index} ({})", command.label);
            let Some(expect) = command.expect else {
                told.push(format!("{place} expects nothing"));
                continue;
            };
            let lowered = match lower(&spec, &Target::Command(index), &LowerOptions::default()) {
                Ok(lowered) => lowered,
                Err(error) => {
                    told.push(error);
                    continue;
                }
            };
            let got = if expect.upto_iso {
                classes(&lowered, 200).map(|n| n as i64)
            } else {
                outcome(&lowered).map(|outcome| i64::from(outcome == Outcome::Sat))
            };
            if got != Ok(expect.value) {
                told.push(format!("{place} expects {}, got {got:?}", expect.value));
            }
        }
        told
    });
}

#[test]
fn gen_counts_what_the_heads_of_the_models_say() {
    let paths = specifications("models");
    let stated = paths.iter().filter(|path| text(path).contains("\n// gen --scope ")).count();
    assert!(stated >= 10, "most models state counts: {stated}");
    check_each(&paths, |path| {
        let text = text(path);
        let lines = text.lines().filter_map(|line| line.strip_prefix("// gen --scope "));
        let mut told = Vec::new();
        for (scope, count) in lines.filter_map(|line| line.split_once(": ")) {
            let counted = count_of_gen(path, scope);
            if counted.as_ref().map(u64::to_string) != Ok(count.to_string()) {
                told.push(format!("gen --scope {scope} is said to give {count}, got {counted:?}"));
            }
        }
        told
    });
}

/// What `tera gen FILE --scope N` counts: the first `run` command, or the facts alone.
fn count_of_gen(path: &Path, scope: &str) -> Result<u64, String> {
    let spec = load(path)?;
    let first = spec.commands.iter().position(|c| c.kind == CommandKind::Run);
    let target = first.map_or(Target::Facts, Target::Command);
    let options =
        LowerOptions { scope: Some(scope.to_string()), korat_ints: true, ..LowerOptions::default() };
    let lowered = lower(&spec, &target, &options)?;
    classes(&lowered, 200)
}

/// Commands whose search is long though their count is small.
fn is_long(path: &Path, index: usize) -> bool {
    match path.file_stem().and_then(|name| name.to_str()) {
        Some("rbt") => index >= 8,
        Some("red_black_black_root") => index >= 8,
        _ => false,
    }
}

fn check_classes(directory: &str) {
    check_each(&specifications(directory), |path| {
        let text = text(path);
        let Some(line) = text.lines().find_map(|line| line.strip_prefix("// classes: ")) else {
            return vec!["states no classes".into()];
        };
        let spec = match load(path) {
            Ok(spec) => spec,
            Err(error) => return vec![error],
        };
        let counts: Vec<u64> = line.split(' ').map(|n| n.parse().expect("a number")).collect();
        assert_eq!(counts.len(), spec.commands.len(), "{path:?}: a number for each command");
        let mut told = Vec::new();
        for (index, &count) in counts.iter().enumerate() {
            if count > MANY || is_long(path, index) {
                continue;
            }
            let counted = lower(&spec, &Target::Command(index), &LowerOptions::default())
                .and_then(|lowered| classes(&lowered, 20));
            if counted != Ok(count) {
                told.push(format!("command {index} is said to give {count}, got {counted:?}"));
            }
        }
        told
    });
}

#[test]
fn the_sequences_and_benchmarks_of_the_literature_come_out() {
    check_classes("models/counts");
}

#[test]
fn the_specifications_to_measure_give_their_classes() {
    check_classes("models/speed");
    let table = text(&root().join("models/speed/limits.tsv"));
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let spec = text(&root().join("models/speed").join(cells[0]));
        let stated = spec.lines().find_map(|line| line.strip_prefix("// classes: ")).expect("classes");
        let index: usize = cells[1].parse().expect("a number");
        assert_eq!(stated.split(' ').nth(index), Some(cells[2]), "{line}");
    }
}
