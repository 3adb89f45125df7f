//! Structures per CPU second for each family of `models/speed`, every one visited and the count verified,
//! beside the time of `--count` (which need not visit each), the classic loop (solve, block, repeat) on
//! the same clauses and, for some families, a direct generator written by hand.
//!
//! `cargo bench -p tera-tests --bench families [-- NAME…]`. The classic loop breaks no symmetry and is
//! stopped after two seconds for each solver: its rate is that of its first labelled instances, which
//! is its best, since every blocking clause makes the next solve slower.

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use common::{load, lower, root};
use tera_finder::{EnumerateOptions, TranslateOptions, Translation, count, enumerate, translate};
use tera_model::{LowerOptions, Target};
use tera_sat::{Batsat, Limits, Lit, SatResult, Solver, Var, Varisat};

/// CPU time of this process: another's work does not count.
fn cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing; on failure it stays zero.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

const CLASSIC_LIMIT: Duration = Duration::from_secs(2);

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let table = std::fs::read_to_string(root().join("models/speed/limits.tsv")).expect("the table of limits");
    println!(
        "{:<18}{:>3}{:>11}{:>10}{:>10}{:>10}{:>13}{:>12}{:>12}{:>14}{:>9}",
        "family",
        "",
        "classes",
        "translate",
        "count",
        "visit",
        "visited/s",
        "varisat/s",
        "batsat/s",
        "by hand/s",
        "distance"
    );
    let mut wrong = 0;
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [file, command, classes, ..] = columns[..] else { panic!("a row of the table: {line}") };
        if !wanted.is_empty() && !wanted.iter().any(|w| file.starts_with(w.as_str())) {
            continue;
        }
        let command: usize = command.parse().expect("a command");
        let classes: u64 = classes.parse().expect("a count");
        wrong += row(file, command, classes) as u32;
    }
    if wrong > 0 {
        println!("{wrong} counts are wrong");
        std::process::exit(1);
    }
}

/// Prints one row; true if its count is wrong.
fn row(file: &str, command: usize, expected: u64) -> bool {
    let spec = load(&root().join("models/speed").join(file)).unwrap_or_else(|error| panic!("{error}"));
    let lowered = lower(&spec, &Target::Command(command), &LowerOptions::default())
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    let start = cpu();
    let translation = translate(&lowered.problem, &TranslateOptions::default()).expect("a translation");
    let translating = cpu() - start;
    let start = cpu();
    let summary = count(&lowered.problem, &EnumerateOptions::default()).expect("a count");
    let searching = (cpu() - start).saturating_sub(translating);
    let start = cpu();
    let mut visited = 0u64;
    let mut visit = |found: &tera_finder::Found| {
        black_box(found.bits);
        visited += 1;
        ControlFlow::Continue(())
    };
    enumerate(&lowered.problem, &EnumerateOptions::default(), &mut visit).expect("an enumeration");
    let visiting = (cpu() - start).saturating_sub(translating);
    let (by_hand, distance) = match by_hand(file, command) {
        Some((made, time)) if made == expected => {
            (rate(made, time), format!("{:.0}x", visiting.as_secs_f64() / time.as_secs_f64().max(1e-9)))
        }
        Some((made, _)) => (format!("{made}?"), "-".into()),
        None => ("-".into(), "-".into()),
    };
    let is_wrong = summary.count != expected || visited != expected;
    println!(
        "{file:<18}{command:>3}{:>11}{:>9.4}s{:>9.4}s{:>9.4}s{:>13}{:>12}{:>12}{by_hand:>14}{distance:>9}{}",
        summary.count,
        translating.as_secs_f64(),
        searching.as_secs_f64(),
        visiting.as_secs_f64(),
        rate(visited, visiting),
        classic(&translation, Varisat::default()),
        classic(&translation, Batsat::default()),
        if is_wrong { format!("   WRONG: {expected} expected, {visited} visited") } else { String::new() },
    );
    is_wrong
}

fn rate(n: u64, time: Duration) -> String {
    format!("{:.0}", n as f64 / time.as_secs_f64().max(1e-9))
}

/// Instances a second of solve, block, repeat, within the limit.
fn classic(translation: &Translation, mut solver: impl Solver) -> String {
    let start = cpu();
    let limits = Limits { deadline: Some(Instant::now() + CLASSIC_LIMIT), interrupt: None };
    solver.add(&translation.cnf);
    let mut n = 0;
    let mut blocking: Vec<Lit> = Vec::new();
    while let SatResult::Sat(model) = solver.solve(&[], &limits) {
        n += 1;
        blocking.clear();
        let visible = model[..translation.n_visible].iter().enumerate();
        blocking.extend(visible.map(|(i, &value)| Var(i as u32).lit(!value)));
        solver.add_clause(&blocking);
    }
    rate(n, cpu() - start)
}

/// How many structures a direct generator makes for a row, and in what time.
fn by_hand(file: &str, command: usize) -> Option<(u64, Duration)> {
    let start = cpu();
    let n = match file {
        "heaparray.als" => heap_arrays(command + 3),
        "sortedlist.als" => sorted_lists(2 * command + 3),
        "list.als" => lists(command + 3),
        "bst.als" => search_trees(command + 3),
        "tree.als" => rooted_trees([9, 12, 15][command]),
        _ => return None,
    };
    Some((n, cpu() - start))
}

/// Capacity, size, and entries in the order of a heap.
fn heap_arrays(n: usize) -> u64 {
    fn fill(heap: &mut [usize], at: usize, size: usize, n: usize) -> u64 {
        if at == size {
            black_box(&heap);
            return 1;
        }
        let most = if at == 0 { n } else { heap[(at - 1) / 2] };
        (0..=most)
            .map(|value| {
                heap[at] = value;
                fill(heap, at + 1, size, n)
            })
            .sum()
    }
    let mut heap = vec![0; n];
    (0..=n).map(|capacity| (0..=capacity).map(|size| fill(&mut heap, 0, size, n)).sum::<u64>()).sum()
}

fn sorted_lists(n: usize) -> u64 {
    fn extend(list: &mut Vec<usize>, n: usize) -> u64 {
        black_box(&list);
        let mut made = 1;
        if list.len() < n {
            for value in list.last().copied().unwrap_or(0)..n {
                list.push(value);
                made += extend(list, n);
                list.pop();
            }
        }
        made
    }
    extend(&mut Vec::new(), n)
}

fn lists(n: usize) -> u64 {
    let mut list = vec![0u8; n];
    let mut made = 0;
    loop {
        black_box(&list);
        made += 1;
        let Some(last) = list.iter().rposition(|&v| v < 2) else { return made };
        list[last] += 1;
        list[last + 1..].fill(0);
    }
}

/// Trees of up to `n` nodes with increasing keys out of `n`: every way to fill the keys `low..high`,
/// a subtree being a slice of an array of children.
fn search_trees(n: usize) -> u64 {
    /// Nodes in the order of a walk: the key, and whether there is a left and a right child.
    type Nodes = Vec<(usize, bool, bool)>;

    /// Gives every tree over keys of `low..high` to `done`.
    fn trees(low: usize, high: usize, nodes: &mut Nodes, done: &mut dyn FnMut(&mut Nodes)) {
        done(nodes);
        for key in low..high {
            let at = nodes.len();
            nodes.push((key, false, false));
            trees(low, key, nodes, &mut |nodes| {
                nodes[at].1 = nodes.len() > at + 1;
                let before = nodes.len();
                trees(key + 1, high, nodes, &mut |nodes| {
                    nodes[at].2 = nodes.len() > before;
                    done(nodes);
                });
                nodes.truncate(before);
            });
            nodes.truncate(at);
        }
    }
    let mut made = 0;
    trees(0, n, &mut Vec::new(), &mut |nodes| {
        black_box(&nodes);
        made += 1;
    });
    made
}

/// Level sequences in decreasing order (Beyer and Hedetniemi 1980).
fn rooted_trees(n: usize) -> u64 {
    let mut levels: Vec<usize> = (1..=n).collect();
    let mut made = 1;
    loop {
        black_box(&levels);
        let Some(p) = levels.iter().rposition(|&level| level > 2) else { return made };
        let q = levels[..p].iter().rposition(|&level| level == levels[p] - 1).expect("a parent");
        for i in p..n {
            levels[i] = levels[i - (p - q)];
        }
        made += 1;
    }
}
