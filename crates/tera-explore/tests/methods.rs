//! The target methods of the papers on every structure of small scopes, each call against its contract: the
//! invariant holds afterwards, and the contents are what they should be. The larger scopes are in the
//! benchmark. And what such a test is worth: faults seeded into the methods, every one of which is found.

mod subjects;

use subjects::{
    binomial_heap, disj_set, fibonacci_heap, finds, hash_set, heap_array, linked_list, search_tree,
    sorted_list, tree_map,
};

/// All calls at scopes 1, 2, ... keep the contract, and there are as many as the paper counts; every seeded
/// fault is found at the scope given last.
macro_rules! check {
    ($subject:ident, $calls:expr, $scope:literal) => {
        for (at, calls) in $calls.into_iter().enumerate() {
            assert_eq!($subject::check_methods(at + 1), Ok(calls), "scope {}", at + 1);
        }
        for bug in 1..=$subject::N_BUGS {
            let found = (1..=$scope).find(|scope| finds(bug, || $subject::check_methods(*scope)));
            println!("{} bug {bug} is found at scope {found:?}", stringify!($subject));
            assert!(found.is_some(), "{} bug {bug} survives scope {}", stringify!($subject), $scope);
        }
    };
}

#[test]
fn search_trees() {
    check!(search_tree, [4, 20, 90, 408, 1880], 4);
}

#[test]
fn disjoint_sets() {
    check!(disj_set, [4, 30, 456, 18_280], 3);
}

#[test]
fn heap_arrays() {
    check!(heap_array, [16, 75, 396, 2240, 15_352], 4);
}

#[test]
fn binomial_heaps() {
    check!(binomial_heap, [12, 54, 336, 1800, 16_848], 4);
}

#[test]
fn linked_lists() {
    check!(linked_list, [15, 50, 169, 627, 2584], 3);
}

#[test]
fn sorted_lists() {
    check!(sorted_list, [7, 36, 188, 1066, 7427], 4);
}

#[test]
fn red_black_trees() {
    check!(tree_map, [6, 28, 96, 328, 1150, 3924, 12_754], 7);
}

#[test]
fn fibonacci_heaps() {
    let calls = [1, 2, 3].map(|n| fibonacci_heap::direct(n) * 3 * (n as u64 + 1));
    check!(fibonacci_heap, calls, 4);
}

#[test]
fn hash_sets() {
    let calls = [1, 2, 3, 4, 5].map(|n| hash_set::direct(n) * 2 * n as u64);
    check!(hash_set, calls, 3);
}
