//! The programs of the papers at the scopes of issue and paper: structures, candidates, seconds.
//!
//! `cargo bench -p tera-explore [-- WORD]` runs all, or those whose name contains the word. A count that
//! differs from the known one is a failure, whatever the speed.

#[path = "../tests/subjects/mod.rs"]
mod subjects;

use std::hint::black_box;

use tera_explore::{Choices, Explore, Summary};

use subjects::{
    binomial_heap, disj_set, fibonacci_heap, hash_set, heap_array, linked_list, search_tree, sorted_list,
    tree_map, udita,
};

/// One line of the report: what runs, the count it must give, the seconds it may take.
struct Row {
    name: String,
    structures: u64,
    bar: f64,
    /// Gives the numbers of structures and of candidates.
    run: Box<dyn Fn() -> (u64, u64)>,
}

fn row(name: String, structures: u64, bar: f64, run: impl Fn() -> (u64, u64) + 'static) -> Row {
    Row { name, structures, bar, run: Box::new(run) }
}

/// The predicate as the paper writes it, and from dedicated generators.
macro_rules! predicates {
    ($name:literal, $subject:ident, $n:literal, $structures:expr, $plain:expr, $dedicated:expr) => {
        [
            row(format!("{} {}, plain", $name, $n), $structures, $plain, || {
                let summary = $subject::space($n).count($subject::rep_ok).expect("right settings");
                (summary.structures, summary.candidates)
            }),
            row(format!("{} {}, dedicated", $name, $n), $structures, $dedicated, || {
                let summary = $subject::space($n).count($subject::rep_ok_dedicated).expect("right settings");
                (summary.structures, summary.candidates)
            }),
        ]
    };
}

/// All target methods on all structures: calls that keep their contract.
macro_rules! methods {
    ($name:literal, $subject:ident, $n:literal, $calls:expr) => {
        row(format!("{} {}, methods", $name, $n), $calls, f64::INFINITY, || {
            let calls = $subject::check_methods($n).expect("the methods keep their contracts");
            (calls, calls)
        })
    };
}

/// A program with choices.
fn program<T, P>(name: &str, structures: u64, bar: f64, program: impl Fn() -> P + 'static) -> Row
where
    P: FnMut(&mut Choices) -> Option<T>,
{
    row(name.to_string(), structures, bar, move || {
        let Summary { kept, runs, .. } = Explore::new(program()).for_each(|value| drop(black_box(value)));
        (kept, runs)
    })
}

/// A hand-written generator, which calls back for each structure.
fn direct(name: &str, structures: u64, bar: f64, generate: fn(&mut dyn FnMut())) -> Row {
    row(name.to_string(), structures, bar, move || {
        let mut n = 0;
        generate(&mut || n += 1);
        (n, n)
    })
}

/// The bar for plain predicates is half of what the original took on a machine of this kind; a twentieth of
/// it (heap arrays and binomial heaps a tenth) with dedicated generators or with choices.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(predicates!("search trees", search_tree, 10, 223_191, 24.6, 2.46));
    rows.extend(predicates!("heap arrays", heap_array, 10, 111_511_015, 18.7, 3.75));
    rows.extend(predicates!("red-black trees", tree_map, 11, 51_242, 11.4, 1.14));
    rows.extend(predicates!("binomial heaps", binomial_heap, 10, 117_157_172, 32.1, 6.42));
    rows.extend(predicates!("sorted lists", sorted_list, 13, 10_400_600, 16.3, 1.63));
    rows.extend(predicates!("disjoint sets", disj_set, 6, 2_967_087, 3.4, 0.34));
    // Bell numbers, and closed forms beside the predicates: no bars.
    let any = f64::INFINITY;
    rows.extend(predicates!("linked lists", linked_list, 10, 820_987, any, any));
    rows.extend(predicates!("Fibonacci heaps", fibonacci_heap, 5, fibonacci_heap::direct(5), any, any));
    rows.extend(predicates!("hash sets", hash_set, 8, hash_set::direct(8), any, any));
    rows.extend([
        program("search trees 10, choices", 223_191, 2.46, || |c: &mut _| search_tree::generate(c, 10)),
        program("heap arrays 10, choices", 111_511_015, 3.75, || {
            let mut heap = heap_array::Flat { len: 0, size: 0, array: [-1; 16] };
            move |c: &mut _| heap_array::generate(c, &mut heap, 10)
        }),
        program("red-black trees 11, choices", 51_242, 1.14, || |c: &mut _| tree_map::generate(c, 11)),
        program("binomial heaps 10, choices", 117_157_172, 6.42, || {
            let mut heap = binomial_heap::shape(0);
            move |c: &mut _| binomial_heap::generate(c, &mut heap, 10)
        }),
        program("sorted lists 13, choices", 10_400_600, 1.63, || |c: &mut _| sorted_list::generate(c, 13)),
        program("disjoint sets 6, choices", 2_967_087, 0.34, || |c: &mut _| disj_set::generate(c, 6)),
        direct("heap arrays 10, by hand", 111_511_015, 3.75, |found| {
            heap_array::direct(10, &mut |heap| {
                black_box(heap);
                found();
            });
        }),
        direct("binomial heaps 10, by hand", 117_157_172, 6.42, |found| {
            binomial_heap::direct(10, &mut |heap| {
                black_box(heap);
                found();
            });
        }),
        direct("search trees 10, by hand", 223_191, 2.46, |found| {
            search_tree::direct(10, &mut |tree| {
                black_box(tree);
                found();
            });
        }),
        program("DAG 4, UDITA", 2_352, 2.0, || |c: &mut _| udita::dag(c, 4)),
        program("DAG 5, UDITA", 769_894, 2.0, || |c: &mut _| udita::dag(c, 5)),
        program("heap array 8, UDITA", 1_005_075, 2.0, || |c: &mut _| udita::heap_array(c, 8)),
        program("queens 8, UDITA", 92, 2.0, || |c: &mut _| udita::n_queens(c, 8)),
        program("red-black tree 8, UDITA", 64, 2.0, || |c: &mut _| udita::red_black_tree(c, 8)),
        program("search tree 6, UDITA", 60_984, 2.0, || |c: &mut _| udita::search_tree(c, 6)),
        program("sorted list 8, UDITA", 12_870, 2.0, || |c: &mut _| udita::sorted_list(c, 8)),
        methods!("search trees", search_tree, 7, 41_300),
        methods!("disjoint sets", disj_set, 5, 1_246_380),
        methods!("heap arrays", heap_array, 7, 1_175_620),
        methods!("binomial heaps", binomial_heap, 7, 2_577_984),
        methods!("linked lists", linked_list, 7, 58_175),
        methods!("sorted lists", sorted_list, 7, 1_047_608),
        methods!("red-black trees", tree_map, 7, 12_754),
    ]);
    rows
}

/// Processor time, which other processes do not disturb.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to the struct that it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let columns = ["structures", "candidates", "seconds", "bar", "ns each"];
    println!(
        "{:30} {:>12} {:>13} {:>8} {:>6} {:>8}",
        "", columns[0], columns[1], columns[2], columns[3], columns[4]
    );
    let mut failed = false;
    for row in rows().iter().filter(|row| words.iter().all(|word| row.name.contains(word.as_str()))) {
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
        let bar = if row.bar.is_finite() { format!("{:.2}", row.bar) } else { "-".to_string() };
        println!(
            "{:30} {structures:>12} {candidates:>13} {seconds:>8.3} {bar:>6} {ns:>8.1} {verdict}",
            row.name
        );
    }
    assert!(!failed, "a count differs");
}
