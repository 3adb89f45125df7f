//! The predicate-driven search yields exactly the structures of the papers.

mod subjects;

use subjects::{
    binomial_heap, disj_set, fibonacci_heap, hash_set, heap_array, linked_list, search_tree, sorted_list,
    tree_map,
};

/// Checks the number of structures at scopes 1, 2, ...
macro_rules! check {
    ($subject:ident, $counts:expr) => {
        for (at, &count) in $counts.iter().enumerate() {
            let n = at + 1;
            let owned = $subject::space(n).count($subject::rep_ok).unwrap();
            let shared = $subject::space(n).sharing().count($subject::rep_ok).unwrap();
            let dedicated = $subject::space(n).count($subject::rep_ok_dedicated).unwrap();
            assert_eq!(dedicated.structures, count, "{} {n}, dedicated", stringify!($subject));
            println!("{}", dedicated.candidates);
            println!("{} {n}: {owned:?} {}", stringify!($subject), shared.candidates);
            assert_eq!((owned.structures, shared.structures), (count, count), "{} {n}", stringify!($subject));
        }
    };
}

#[test]
fn search_trees() {
    check!(search_tree, [2, 5, 15, 51, 188, 731]);
    // The original explores as many candidates for the same predicate.
    let shared = search_tree::space(7).sharing().count(search_tree::rep_ok).unwrap();
    assert_eq!((shared.structures, shared.candidates), (2950, 471_708));
}

#[test]
fn disjoint_sets() {
    check!(disj_set, [2, 5, 38, 914]);
}

#[test]
fn heap_arrays() {
    check!(heap_array, [4, 15, 66, 320, 1919, 13139]);
}

#[test]
fn binomial_heaps() {
    check!(binomial_heap, [2, 6, 28, 120, 936, 7602]);
}

/// Lists of length 0..=n up to renaming of their elements: Bell(k + 1) of length k.
#[test]
fn linked_lists() {
    check!(linked_list, [3, 8, 23, 75, 278, 1155]);
}

#[test]
fn sorted_lists() {
    check!(sorted_list, [2, 6, 20, 70, 252, 924, 3432]);
}

#[test]
fn red_black_trees() {
    check!(tree_map, [3, 7, 16, 41, 115, 327, 911]);
}

#[test]
fn fibonacci_heaps() {
    check!(fibonacci_heap, [1, 2, 3, 4].map(fibonacci_heap::direct));
}

#[test]
fn hash_sets() {
    check!(hash_set, [1, 2, 3, 4, 5].map(hash_set::direct));
}
