//! Every count of the papers that takes seconds, from predicates and from programs with choices. The
//! larger scopes are in the benchmark.

mod subjects;

use subjects::{binomial_heap, disj_set, heap_array, linked_list, search_tree, sorted_list, tree_map, udita};
use tera_explore::{Choices, Explore, Object};

fn count<T>(program: impl FnMut(&mut Choices) -> Option<T>) -> u64 {
    Explore::new(program).runs().count() as u64
}

/// Counts, and how many runs at most: the paper's own delayed choice made that many.
fn udita<T>(program: impl Fn(&mut Choices, usize) -> Option<T>, cases: &[(usize, u64, u64)]) {
    for &(n, structures, explored) in cases {
        let mut runs = Explore::new(|c: &mut Choices| program(c, n)).runs();
        assert_eq!(runs.by_ref().count() as u64, structures, "{n}");
        assert!(runs.summary().runs <= explored, "{n}: {:?}", runs.summary());
    }
}

#[test]
fn udita_programs() {
    udita(udita::dag, &[(3, 34, 321), (4, 2352, 21_196)]);
    udita(udita::heap_array, &[(6, 13_139, 27_664), (7, 117_562, 227_494)]);
    udita(|c, n| udita::n_queens(c, n as i64), &[(6, 4, 746), (7, 40, 3073), (8, 92, 13_756)]);
    udita(udita::red_black_tree, &[(6, 20, 3588), (7, 35, 16_983), (8, 64, 80_470)]);
    udita(udita::search_tree, &[(4, 490, 1484), (5, 5292, 21_210), (6, 60_984, 305_052)]);
    udita(udita::sorted_list, &[(6, 924, 3967), (7, 3432, 18_026), (8, 12_870, 80_089)]);
}

#[test]
fn choices_give_what_predicates_give() {
    for (at, counts) in
        [[2, 4, 2, 3, 2], [5, 15, 6, 7, 5], [15, 66, 28, 16, 38], [51, 320, 120, 41, 914]].iter().enumerate()
    {
        let n = at + 1;
        let mut heap = heap_array::Flat { len: 0, size: 0, array: [-1; 16] };
        let mut binomial = binomial_heap::shape(0);
        let found = [
            count(|c| search_tree::generate(c, n)),
            count(|c| heap_array::generate(c, &mut heap, n)),
            count(|c| binomial_heap::generate(c, &mut binomial, n)),
            count(|c| tree_map::generate(c, n)),
            count(|c| disj_set::generate(c, n)),
        ];
        assert_eq!(found, *counts, "{n}");
        assert_eq!(count(|c| sorted_list::generate(c, n)), [2, 6, 20, 70][at]);
    }
}

/// What choices generate satisfies the predicate, each once.
#[test]
fn generated_values_satisfy_the_predicate() {
    for tree in Explore::new(|c: &mut Choices| tree_map::generate(c, 6)).runs() {
        // Parent pointers of a moved-out root would dangle below it only if the root moved; it is boxed.
        assert!(tree_map::rep_ok((&tree).into()), "{tree:?}");
    }
    let mut seen = std::collections::HashSet::new();
    for tree in Explore::new(|c: &mut Choices| search_tree::generate(c, 5)).runs() {
        assert!(search_tree::rep_ok((&tree).into()));
        assert!(seen.insert(tree));
    }
}

/// With dedicated generators, trees, lists and heaps take at most two candidates per structure.
#[test]
fn dedicated_generators_explore_little_more_than_they_yield() {
    let few = |name: &str, summary: tera_explore::SearchSummary| {
        assert!(summary.candidates <= 2 * summary.structures + 1, "{name}: {summary:?}");
    };
    few("search trees", search_tree::space(7).count(search_tree::rep_ok_dedicated).unwrap());
    few("red-black trees", tree_map::space(8).count(tree_map::rep_ok_dedicated).unwrap());
    few("heap arrays", heap_array::space(6).count(heap_array::rep_ok_dedicated).unwrap());
    few("binomial heaps", binomial_heap::space(6).count(binomial_heap::rep_ok_dedicated).unwrap());
    few("sorted lists", sorted_list::space(7).count(sorted_list::rep_ok_dedicated).unwrap());
    few("linked lists", linked_list::space(6).count(linked_list::rep_ok_dedicated).unwrap());
}

/// Plain predicates explore no more than the original did.
#[test]
fn plain_predicates_explore_no_more_than_the_original() {
    let at_most = |most: u64, structures: u64, summary: tera_explore::SearchSummary| {
        assert_eq!(summary.structures, structures);
        assert!(summary.candidates <= most, "{summary:?}");
    };
    at_most(471_708, 2950, search_tree::space(7).count(search_tree::rep_ok).unwrap());
    at_most(112_012, 911, tree_map::space(7).count(tree_map::rep_ok).unwrap());
    at_most(519_968, 117_562, heap_array::space(7).count(heap_array::rep_ok).unwrap());
    at_most(91_759, 12_870, sorted_list::space(8).count(sorted_list::rep_ok).unwrap());
    at_most(261_788, 107_416, binomial_heap::space(7).count(binomial_heap::rep_ok).unwrap());
}

/// What a handle of a structure says of itself does not depend on how it was reached.
#[test]
fn objects_have_one_identity() {
    linked_list::space(3)
        .for_each(linked_list::rep_ok, |list| {
            let header = list.header().expect("valid");
            let next = header.next().expect("valid");
            assert_eq!(next.previous(), Some(header));
            assert_eq!(next.previous().map(|it| it.number()), Some(header.number()));
        })
        .unwrap();
}
