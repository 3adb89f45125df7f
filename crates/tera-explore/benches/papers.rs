//! The programs of the papers at the scopes of issue and paper: structures, candidates, seconds.
//!
//! `cargo bench -p tera-explore [-- WORD]` runs all, or those whose name contains the word. A count that
//! differs from the known one is a failure, whatever the speed.

#[path = "../tests/subjects/mod.rs"]
mod subjects;

use tera_explore::{Choices, Explore, Summary};

use subjects::{binomial_heap, disj_set, heap_array, search_tree, sorted_list, tree_map, udita};

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

macro_rules! dedicated {
    ($name:literal, $subject:ident, $n:literal, $structures:literal, $bar:literal) => {
        Row {
            name: $name,
            structures: $structures,
            bar: $bar,
            run: || {
                let summary = $subject::space($n).count($subject::rep_ok_dedicated).unwrap();
                (summary.structures, summary.candidates)
            },
        }
    };
}

macro_rules! program {
    ($name:literal, $structures:literal, $bar:literal, $program:expr) => {
        Row { name: $name, structures: $structures, bar: $bar, run: || runs($program) }
    };
}

fn runs<T>(program: impl FnMut(&mut Choices) -> Option<T>) -> (u64, u64) {
    let Summary { kept, runs, .. } = Explore::new(program).for_each(|value| {
        std::hint::black_box(&value);
    });
    (kept, runs)
}

/// The bar for plain predicates is half of what the original took on a machine of this kind; a twentieth of
/// it (heap arrays and binomial heaps a tenth) with dedicated generators or with choices, whichever is faster.
const ROWS: &[Row] = &[
    plain!("search trees 10, plain", search_tree, 10, 223_191, 24.6),
    plain!("heap arrays 10, plain", heap_array, 10, 111_511_015, 18.7),
    plain!("red-black trees 11, plain", tree_map, 11, 51_242, 11.4),
    plain!("binomial heaps 10, plain", binomial_heap, 10, 117_157_172, 32.1),
    plain!("sorted lists 13, plain", sorted_list, 13, 10_400_600, 16.3),
    plain!("disjoint sets 6, plain", disj_set, 6, 2_967_087, 3.4),
    dedicated!("search trees 10, dedicated", search_tree, 10, 223_191, 2.46),
    dedicated!("heap arrays 10, dedicated", heap_array, 10, 111_511_015, 3.75),
    dedicated!("red-black trees 11, dedicated", tree_map, 11, 51_242, 1.14),
    dedicated!("binomial heaps 10, dedicated", binomial_heap, 10, 117_157_172, 6.42),
    dedicated!("sorted lists 13, dedicated", sorted_list, 13, 10_400_600, 1.63),
    dedicated!("disjoint sets 6, dedicated", disj_set, 6, 2_967_087, 0.34),
    program!("search trees 10, choices", 223_191, 2.46, |c| search_tree::generate(c, 10)),
    program!("heap arrays 10, choices", 111_511_015, 3.75, {
        let mut heap = heap_array::Flat { len: 0, size: 0, array: [-1; 16] };
        move |c| heap_array::generate(c, &mut heap, 10)
    }),
    program!("red-black trees 11, choices", 51_242, 1.14, |c| tree_map::generate(c, 11)),
    program!("binomial heaps 10, choices", 117_157_172, 6.42, {
        let mut heap = binomial_heap::shape(0);
        move |c| binomial_heap::generate(c, &mut heap, 10)
    }),
    program!("sorted lists 13, choices", 10_400_600, 1.63, |c| sorted_list::generate(c, 13)),
    program!("disjoint sets 6, choices", 2_967_087, 0.34, |c| disj_set::generate(c, 6)),
    Row {
        name: "heap arrays 10, by hand",
        structures: 111_511_015,
        bar: 3.75,
        run: || {
            let mut n = 0;
            heap_array::direct(10, &mut |heap| {
                std::hint::black_box(heap);
                n += 1;
            });
            (n, n)
        },
    },
    Row {
        name: "binomial heaps 10, by hand",
        structures: 117_157_172,
        bar: 6.42,
        run: || {
            let mut n = 0;
            binomial_heap::direct(10, &mut |heap| {
                std::hint::black_box(heap);
                n += 1;
            });
            (n, n)
        },
    },
    Row {
        name: "search trees 10, by hand",
        structures: 223_191,
        bar: 2.46,
        run: || {
            let mut n = 0;
            search_tree::direct(10, &mut |tree| {
                std::hint::black_box(tree);
                n += 1;
            });
            (n, n)
        },
    },
    program!("DAG 4, UDITA", 2_352, 2.0, |c| udita::dag(c, 4)),
    program!("DAG 5, UDITA", 769_894, 2.0, |c| udita::dag(c, 5)),
    program!("heap array 8, UDITA", 1_005_075, 2.0, |c| udita::heap_array(c, 8)),
    program!("queens 8, UDITA", 92, 2.0, |c| udita::n_queens(c, 8)),
    program!("red-black tree 8, UDITA", 64, 2.0, |c| udita::red_black_tree(c, 8)),
    program!("search tree 6, UDITA", 60_984, 2.0, |c| udita::search_tree(c, 6)),
    program!("sorted list 8, UDITA", 12_870, 2.0, |c| udita::sorted_list(c, 8)),
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
    println!(
        "{:36} {:>12} {:>13} {:>8} {:>8} {:>8}",
        "", "structures", "candidates", "seconds", "bar", "ns each"
    );
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
        let ns = seconds * 1e9 / structures as f64;
        println!(
            "{:36} {structures:>12} {candidates:>13} {seconds:>8.3} {:>8.2} {ns:>8.1} {verdict}",
            row.name, row.bar
        );
    }
    assert!(!failed, "a count differs");
}
