//! Counts that check themselves: the orbits of the classes sum up to the labelled instances of the
//! same problem without fixed atoms; shards and threads give what one search gives.

mod common;

use std::ops::ControlFlow;

use common::{load, lower, root};
use num_bigint::BigUint;
use tera_finder::{EnumerateOptions, Symmetry, Verdict, count, enumerate};
use tera_model::{LowerOptions, Lowered, Target};

fn lowered(file: &str, scope: &str, unfixed: bool) -> Lowered {
    let spec = load(&root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let options = LowerOptions { scope: Some(scope.into()), unfixed, ..LowerOptions::default() };
    lower(&spec, &Target::Command(0), &options).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn permutations(lowered: &Lowered) -> BigUint {
    let sorts = lowered.problem.sorts.iter();
    sorts.flat_map(|sort| 2..=sort.len()).fold(BigUint::from(1u32), |product, i| product * i)
}

fn check_certificate(file: &str, scope: &str, expected_classes: Option<u64>) {
    let fixed = lowered(file, scope, false);
    let unfixed = lowered(file, scope, true);
    let options = EnumerateOptions { want_group: true, ..EnumerateOptions::default() };
    let mut orbits = BigUint::from(0u32);
    let classes = enumerate(&fixed.problem, &options, &mut |found| {
        orbits += found.orbit_size().expect("the group was asked for");
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(classes.verdict, Verdict::Exhausted);
    if let Some(expected) = expected_classes {
        assert_eq!(classes.count, expected, "{file} for {scope}");
    }
    let again = count(&unfixed.problem, &EnumerateOptions::default()).unwrap();
    assert_eq!(again.count, classes.count, "{file} for {scope}: classes without fixed atoms");
    let plain = EnumerateOptions { symmetry: Symmetry::None, ..EnumerateOptions::default() };
    let labelled = count(&unfixed.problem, &plain).unwrap();
    let orbits = orbits * permutations(&unfixed) / permutations(&fixed);
    assert_eq!(orbits, BigUint::from(labelled.count), "{file} for {scope}: {} classes", classes.count);
}

#[test]
fn orbits_sum_up_to_the_labelled_instances() {
    check_certificate("models/speed/dag.als", "exactly 4 N", Some(31));
    check_certificate("models/speed/poset.als", "exactly 5 N", Some(63));
    check_certificate("models/speed/digraph.als", "exactly 4 N", Some(3044));
    check_certificate("models/speed/graph.als", "exactly 5 V", Some(34));
    check_certificate("models/speed/tree.als", "exactly 6 N", Some(20));
    check_certificate("models/speed/function.als", "exactly 5 N", Some(47));
    check_certificate("models/speed/array.als", "exactly 2 A, exactly 2 B, exactly 2 C", Some(46));
    check_certificate("models/speed/list.als", "exactly 4 Node, 3 Int", Some(81));
    check_certificate("models/speed/bst.als", "4 Node, exactly 4 Key", Some(51));
    check_certificate("models/speed/rbt.als", "exactly 4 Node, exactly 4 Key, 5 Int", Some(8));
    check_certificate("models/speed/sortedlist.als", "exactly 3 Value, 3 Entry, 4 Link", Some(20));
    check_certificate("models/counts/partitions.als", "exactly 5 P", Some(7));
    check_certificate("models/file_system.als", "3", None);
    check_certificate("models/address_book.als", "2", None);
}

#[test]
fn shards_divide_the_classes_evenly() {
    let dags = lowered("models/speed/dag.als", "exactly 7 N", false);
    let part = |shard| {
        let options = EnumerateOptions { shard: Some(shard), ..EnumerateOptions::default() };
        count(&dags.problem, &options).unwrap().count
    };
    let parts: Vec<u64> = (1..=8).map(|i| part((i, 8))).collect();
    assert_eq!(parts.iter().sum::<u64>(), 243_668);
    let largest = parts.iter().max().expect("eight parts");
    assert!(largest * 8 * 2 <= 243_668 * 3, "the largest is above 1.5 times the mean: {parts:?}");
}

#[test]
fn threads_stream_what_one_thread_streams() {
    for (file, scope) in [
        ("models/speed/bst.als", "6 Node, exactly 6 Key"),
        ("models/speed/poset.als", "exactly 7 N"),
        ("models/speed/heaparray.als", "5 int"),
    ] {
        let lowered = lowered(file, scope, false);
        let stream = |threads| {
            let options = EnumerateOptions { threads, want_group: true, ..EnumerateOptions::default() };
            let mut all: Vec<(Vec<u64>, BigUint)> = Vec::new();
            enumerate(&lowered.problem, &options, &mut |found| {
                all.push((found.bits.to_vec(), found.automorphisms().expect("asked for").clone()));
                ControlFlow::Continue(())
            })
            .unwrap();
            all
        };
        let one = stream(1);
        assert!(one == stream(2) && one == stream(3), "{file} for {scope}");
        let limited = EnumerateOptions { threads: 2, limit: Some(10), ..EnumerateOptions::default() };
        let mut first: Vec<Vec<u64>> = Vec::new();
        let summary = enumerate(&lowered.problem, &limited, &mut |found| {
            first.push(found.bits.to_vec());
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!((summary.count, summary.verdict), (10, Verdict::Limit));
        assert!(first.iter().eq(one[..10].iter().map(|(bits, _)| bits)), "{file}: the first ten");
    }
}

/// How many images the exact check must refute by itself; the instances, in any division, are the same.
#[test]
fn lex_leader_clauses_save_work_and_change_nothing_else() {
    for (file, scope, is_chosen) in [
        ("models/counts/block_designs.als", "exactly 7 Point, exactly 14 Block, 5 Int", true),
        ("models/counts/loops.als", "exactly 6 N", true),
        ("models/speed/dag.als", "exactly 5 N", false),
        ("models/speed/array.als", "exactly 3 A, exactly 2 B, exactly 3 C", false),
    ] {
        let spec = load(&root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let options = LowerOptions { scope: Some(scope.into()), ..LowerOptions::default() };
        // The fourth block designs have the arguments for these numbers of points and blocks.
        let command = if file.contains("designs") { 3 } else { 0 };
        let lowered = lower(&spec, &Target::Command(command), &options).expect("it lowers");
        let stream = |options: &EnumerateOptions| {
            let mut all: Vec<Vec<u64>> = Vec::new();
            let summary = enumerate(&lowered.problem, options, &mut |found| {
                all.push(found.bits.to_vec());
                ControlFlow::Continue(())
            });
            (all, summary.unwrap())
        };
        let with = EnumerateOptions { lex_leaders: Some(true), ..EnumerateOptions::default() };
        let without = EnumerateOptions { lex_leaders: Some(false), ..EnumerateOptions::default() };
        let (instances, less) = stream(&with);
        let (plain, more) = stream(&without);
        assert!(instances == plain, "{file}: the instances or their order differ");
        let refutations = (less.statistics.refutations, more.statistics.refutations);
        assert!(10 * refutations.0 < 9 * refutations.1, "{file}: {refutations:?} refutations");
        let (_, chosen) = stream(&EnumerateOptions::default());
        assert_eq!(chosen.strategy.contains("neighbours"), is_chosen, "{file}: {}", chosen.strategy);
        assert!(stream(&EnumerateOptions { threads: 2, ..with.clone() }).0 == plain, "{file}: two threads");
        let mut parts = Vec::new();
        for i in 1..=3 {
            parts.extend(stream(&EnumerateOptions { shard: Some((i, 3)), ..with.clone() }).0);
        }
        parts.sort_unstable();
        let mut sorted = plain;
        sorted.sort_unstable();
        assert!(parts == sorted, "{file}: three shards");
    }
}
