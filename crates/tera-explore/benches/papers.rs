//! The programs of the papers at the scopes of issue and paper: structures, candidates, seconds.
//!
//! `cargo bench -p tera-explore [-- WORD]` runs all, or those whose name contains the word. A count that
//! differs from the known one is a failure, whatever the speed.

#[path = "../tests/subjects/mod.rs"]
mod subjects;

use subjects::{binomial_heap, disj_set, heap_array, search_tree, sorted_list, tree_map};

/// One line of the report: what ran, the count it must give, the seconds it may take.
struct Row {
    name: &'static str,
    structures: u64,
    bar: f64,
    run: fn() -> (u64, u64),
}

macro_rules! plain {
    ($name:literal, $subject:ident, $n:literal, $structures:literal, $bar:literal) => {
        Row {
            name: $name,
            structures: $structures,
            bar: $bar,
            run: || {
                let summary = $subject::space($n).count($subject::rep_ok).unwrap();
                (summary.structures, summary.candidates)
            },
        }
    };
}

/// The seconds are half of what the original took on a machine of this kind.
const ROWS: &[Row] = &[
    plain!("search trees 10, plain", search_tree, 10, 223_191, 24.6),
    plain!("heap arrays 10, plain", heap_array, 10, 111_511_015, 18.7),
    plain!("red-black trees 11, plain", tree_map, 11, 51_242, 11.4),
    plain!("binomial heaps 10, plain", binomial_heap, 10, 117_157_172, 32.1),
    plain!("sorted lists 13, plain", sorted_list, 13, 10_400_600, 16.3),
    plain!("disjoint sets 6, plain", disj_set, 6, 2_967_087, 3.4),
];

/// Processor time, which other processes do not disturb.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{:36} {:>12} {:>13} {:>8} {:>8} {:>6}", "", "structures", "candidates", "seconds", "bar", "ns");
    let mut failed = false;
    for row in ROWS.iter().filter(|row| words.iter().all(|word| row.name.contains(word.as_str()))) {
        let start = cpu_seconds();
        let (structures, candidates) = (row.run)();
        let seconds = cpu_seconds() - start;
        let verdict = match (structures == row.structures, seconds <= row.bar) {
            (false, _) => "WRONG COUNT",
            (true, false) => "slow",
            (true, true) => "",
        };
        failed |= structures != row.structures;
        let ns = seconds * 1e9 / candidates as f64;
        println!(
            "{:36} {structures:>12} {candidates:>13} {seconds:>8.3} {:>8.2} {ns:>6.1} {verdict}",
            row.name, row.bar
        );
    }
    assert!(!failed, "a count differs");
}
