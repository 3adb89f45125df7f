//! The target methods of the papers on every structure of small scopes, each call against its contract:
//! the invariant holds afterwards, and the contents are what they should be.

mod subjects;

use subjects::{disj_set, heap_array, search_tree};

#[test]
fn search_trees_add_and_remove() {
    for (at, inputs) in [4, 20, 90, 408, 1880].into_iter().enumerate() {
        let n = at + 1;
        let mut called = 0;
        for tree in search_tree::space(n).inputs(search_tree::rep_ok).unwrap() {
            for key in 1..=n as i32 {
                let before = tree.keys();
                let mut added = tree.clone();
                assert_eq!(added.add(key), !before.contains(&key));
                let mut expected = before.clone();
                expected.push(key);
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(added.keys(), expected);
                assert!(search_tree::rep_ok((&added).into()));

                let mut removed = tree.clone();
                assert_eq!(removed.remove(key), before.contains(&key));
                assert_eq!(removed.keys(), before.into_iter().filter(|it| *it != key).collect::<Vec<_>>());
                assert!(search_tree::rep_ok((&removed).into()));
                called += 2;
            }
        }
        assert_eq!(called, inputs);
    }
}

#[test]
fn disjoint_sets_find_and_union() {
    for (at, inputs) in [4, 30, 456, 18_280].into_iter().enumerate() {
        let n = at + 1;
        let mut called = 0;
        for set in disj_set::space(n).inputs(disj_set::rep_ok).unwrap() {
            let before = set.partition();
            for first in 0..n {
                let mut found = set.clone();
                let root = found.find(first);
                assert_eq!(root.is_some(), first < set.size);
                assert_eq!(found.partition(), before);
                assert!(disj_set::rep_ok((&found).into()));
                if let Some(root) = root {
                    assert_eq!((found.records[root].parent, found.records[first].parent), (root, root));
                }
                called += 1;
                for second in 0..n {
                    let mut joined = set.clone();
                    let changed = joined.union(first, second);
                    called += 1;
                    let both = first < set.size && second < set.size;
                    assert_eq!(changed, both && before[first] != before[second]);
                    let expected: Vec<usize> = match both {
                        false => before.clone(),
                        true => {
                            let (low, high) =
                                (before[first].min(before[second]), before[first].max(before[second]));
                            before.iter().map(|class| if *class == high { low } else { *class }).collect()
                        }
                    };
                    assert_eq!(joined.partition(), expected);
                    // A rank may grow beyond the scope, and the count of rank 0 shrink: the shape remains.
                    assert!(joined.records.iter().enumerate().all(|(at, record)| {
                        record.parent == at || record.rank < joined.records[record.parent].rank
                    }));
                }
            }
        }
        assert_eq!(called, inputs);
    }
}

#[test]
fn heap_arrays_insert_and_extract() {
    for (at, inputs) in [16, 75, 396, 2240, 15_352].into_iter().enumerate() {
        let n = at + 1;
        let mut called = 0;
        for heap in heap_array::space(n).inputs(heap_array::rep_ok).unwrap() {
            let before = heap.entries();
            for value in 0..=n as i32 + 1 {
                let mut grown = heap.clone();
                grown.insert(value);
                let mut expected = before.clone();
                expected.push(value);
                expected.sort_unstable();
                assert_eq!(grown.entries(), expected);
                assert!(heap_array::rep_ok((&grown).into()), "{grown:?}");
                called += 1;
            }
            let mut shrunk = heap.clone();
            assert_eq!(shrunk.extract_max(), before.last().copied());
            assert_eq!(shrunk.entries(), before[..before.len().saturating_sub(1)]);
            assert!(heap_array::rep_ok((&shrunk).into()), "{shrunk:?}");
            called += 1;
        }
        assert_eq!(called, inputs);
    }
}
