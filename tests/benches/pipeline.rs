//! What each step of the way costs: parse, resolve, lower, translate, encode, solve, enumerate, apart,
//! on the specifications under `models/`. `cargo bench -p tera-tests [-- NAME…]`
//!
//! Times are the best of a few runs, in milliseconds of wall-clock time: measure on a quiet machine.
//! A count that is not the expected one fails the run, however fast it was.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tera_finder::{EnumerateOptions, SolveOptions, TranslateOptions, Verdict};
use tera_model::{Loader, LowerOptions, Target};

/// Steps are repeated until they took this long together, at most so many times.
const ENOUGH: Duration = Duration::from_millis(200);
const MAX_RUNS: usize = 20;

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The last result of `step` and its best time in milliseconds.
fn time<T>(mut step: impl FnMut() -> T) -> (T, f64) {
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    for run in 1.. {
        let start = Instant::now();
        let result = step();
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
        if begin.elapsed() >= ENOUGH || run == MAX_RUNS {
            return (result, best);
        }
    }
    unreachable!("the last run returns")
}

/// A command of a file, and how many classes it has, if that is known.
struct Row {
    path: PathBuf,
    command: usize,
    classes: Option<u64>,
}

fn rows(models: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(models)
        .expect("models/")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "als"))
        .collect();
    files.sort();
    for path in files {
        let Ok(spec) = tera_model::load(&path, &[], &Disk) else { continue };
        for (command, info) in spec.commands.iter().enumerate() {
            let classes = info.expect.filter(|e| e.upto_iso).map(|e| e.value as u64);
            rows.push(Row { path: path.clone(), command, classes });
        }
    }
    let table = std::fs::read_to_string(models.join("speed/limits.tsv")).expect("models/speed/limits.tsv");
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        rows.push(Row {
            path: models.join("speed").join(fields[0]),
            command: fields[1].parse().expect("a command"),
            classes: fields[2].parse().ok(),
        });
    }
    rows
}

/// Prints a line for `row`; whether its count is right.
fn measure(row: &Row) -> bool {
    let name = format!("{} {}", row.path.file_stem().expect("a name").to_string_lossy(), row.command);
    let text = std::fs::read_to_string(&row.path).expect("the file was listed");
    let (_, parse) = time(|| {
        let mut sources = tera_syntax::Sources::default();
        let file = sources.add("bench.als", text.clone());
        tera_syntax::parse(file, &text, false, &mut tera_syntax::Interner::default())
    });
    let (spec, load) = time(|| tera_model::load(&row.path, &[], &Disk));
    let Ok(spec) = spec else {
        println!("{name:<24} does not load");
        return false;
    };
    let (lowered, lower) = time(|| spec.lower(&Target::Command(row.command), &LowerOptions::default()));
    let Ok(lowered) = lowered else {
        println!("{name:<24} cannot be lowered");
        return false;
    };
    let problem = &lowered.problem;
    let options = TranslateOptions::default();
    let (grounding, ground) = time(|| tera_finder::ground(problem, &options));
    let (translation, translate) = time(|| tera_finder::translate(problem, &options));
    let (Ok(grounding), Ok(translation)) = (grounding, translation) else {
        println!("{name:<24} cannot be translated");
        return false;
    };
    let (_, solve) = time(|| tera_finder::solve(problem, &SolveOptions::default()));
    let deadline = Some(Instant::now() + Duration::from_secs(60));
    let options = EnumerateOptions { deadline, ..EnumerateOptions::default() };
    let (summary, count) = time(|| tera_finder::count(problem, &options));
    let (classes, right) = match summary {
        Ok(summary) if summary.verdict == Verdict::Exhausted => {
            (summary.count.to_string(), row.classes.is_none_or(|wanted| wanted == summary.count))
        }
        Ok(summary) => (format!("{}…", summary.count), true),
        Err(error) => (format!("{error:?}"), false),
    };
    let made = grounding.circuit.n_gates() as u64 + grounding.n_matrix_cells;
    println!(
        "{name:<24}{parse:>8.3}{:>9.3}{lower:>8.3}{ground:>10.3}{:>8.0}{:>9.3}{:>10.3}{:>11.3}{:>9}{:>9}  {classes}{}",
        (load - parse).max(0.0),
        ground * 1e6 / made.max(1) as f64,
        (translate - ground).max(0.0),
        (solve - translate).max(0.0),
        (count - translate).max(0.0),
        translation.cnf.n_vars(),
        translation.cnf.n_clauses(),
        if right { String::new() } else { format!(" BUT {:?} WAS EXPECTED", row.classes) },
    );
    right
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    println!(
        "{:<24}{:>8}{:>9}{:>8}{:>10}{:>8}{:>9}{:>10}{:>11}{:>9}{:>9}  classes",
        "ms",
        "parse",
        "resolve",
        "lower",
        "translate",
        "ns/item",
        "encode",
        "solve",
        "enumerate",
        "vars",
        "clauses"
    );
    let worker = std::thread::Builder::new().stack_size(tera_model::STACK_SIZE).spawn(move || {
        let wanted = |row: &Row| {
            let path = row.path.to_string_lossy();
            names.is_empty() || names.iter().any(|name| path.contains(name.as_str()))
        };
        rows(&models).iter().filter(|row| wanted(row)).filter(|row| !measure(row)).count()
    });
    let n_wrong = worker.expect("a thread").join().expect("no panic");
    if n_wrong > 0 {
        eprintln!("{n_wrong} rows failed");
        std::process::exit(1);
    }
}
