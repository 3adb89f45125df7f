//! Every count of the papers that takes seconds, from predicates and from programs with choices. The
//! larger scopes are in the benchmark.

mod subjects;

use std::rc::Rc;

use subjects::linked_list::{Element, LinkedList};
use subjects::sorted_list::{self, SortedList, SortedListRef};
use subjects::{binomial_heap, disj_set, heap_array, linked_list, search_tree, tree_map, udita};
use tera_explore::{Candidate, Choices, Explore, Finitization, Object, Visited};

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

#[derive(Candidate)]
struct ListCall {
    list: LinkedList,
    element: Option<Rc<Element>>,
}

/// Inputs of add and remove (a list and an element), and of reverse (a list), up to renaming of elements.
#[test]
fn inputs_of_the_methods_of_linked_lists() {
    for (at, total) in [15, 50, 169, 627, 2584].into_iter().enumerate() {
        let space = Finitization::<ListCall>::of(at + 1).objects("Entry", at + 2);
        let calls = space.count(|call: ListCallRef| linked_list::rep_ok(call.list())).unwrap();
        let lists = linked_list::space(at + 1).count(linked_list::rep_ok).unwrap();
        assert_eq!(2 * calls.structures + lists.structures, total);
    }
}

#[derive(Candidate)]
struct Merge {
    first: SortedList,
    second: SortedList,
}

/// The lists before sorting: any values but in the sentinel.
fn is_list(list: SortedListRef) -> bool {
    sorted_list::is_ring(list) && {
        let entries =
            std::iter::successors(list.header().and_then(|header| header.next()), |entry| entry.next());
        entries.take_while(|entry| Some(*entry) != list.header()).all(|entry| entry.element() > 0)
    }
}

/// Insert and remove (a list and a value), sort (a list in any order), merge (two lists of one pool).
#[test]
fn inputs_of_the_methods_of_sorted_lists() {
    for (at, total) in [7, 36, 188, 1066, 7427].into_iter().enumerate() {
        let n = at + 1;
        let sorted = sorted_list::space(n).count(sorted_list::rep_ok).unwrap().structures;
        let unsorted = sorted_list::space(n).count(is_list).unwrap().structures;
        let disjoint = |merge: MergeRef| {
            let mut seen = Visited::new();
            let apart = |list: SortedListRef, seen: &mut Visited| {
                let mut entry = list.header();
                for _ in 0..=list.size() {
                    if !entry.is_some_and(|entry| seen.insert(entry)) {
                        return false;
                    }
                    entry = entry.and_then(|entry| entry.next());
                }
                true
            };
            sorted_list::rep_ok(merge.first())
                && apart(merge.first(), &mut seen)
                && sorted_list::rep_ok(merge.second())
                && apart(merge.second(), &mut seen)
        };
        let merges = Finitization::<Merge>::of(n).objects("Entry", n + 1).count(disjoint).unwrap().structures;
        assert_eq!(2 * n as u64 * sorted + unsorted + merges, total, "{n}");
    }
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

/// Chained hash sets by their closed form: for every set of keys, each bucket's chain in any order.
#[test]
fn a_structure_of_no_paper() {
    #[derive(Candidate)]
    struct Set {
        buckets: [Option<Box<Entry>>; 3],
    }
    #[derive(Candidate)]
    struct Entry {
        key: usize,
        next: Option<Box<Entry>>,
    }
    fn rep_ok(set: SetRef) -> bool {
        set.buckets().iter().enumerate().all(|(at, first)| {
            let mut keys = 0_u32;
            std::iter::successors(first, |entry| entry.next()).all(|entry| {
                let key = entry.key();
                let new = key % 3 == at && keys >> key & 1 == 0;
                keys |= 1 << key;
                new
            })
        })
    }
    for n in 1..=5 {
        let factorial = |k: u64| (1..=k).product::<u64>();
        let expected: u64 = (0..1_u32 << n)
            .map(|keys| {
                (0..3)
                    .map(|at| {
                        factorial((0..n).filter(|key| keys >> key & 1 == 1 && key % 3 == at).count() as u64)
                    })
                    .product::<u64>()
            })
            .sum();
        let found = Finitization::<Set>::of(n).values("Entry.key", 0..n).count(rep_ok).unwrap();
        assert_eq!(found.structures, expected, "{n}");
    }
}
