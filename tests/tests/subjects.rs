//! The subjects of `tests/subjects/`: each correct version passes, each seeded bug is found.

use testera::{Contract, Failure, Report, Status};

#[path = "../subjects/arena_tree.rs"]
mod arena_tree;
#[path = "../subjects/index_heap.rs"]
mod index_heap;
#[path = "../subjects/linked_list.rs"]
mod linked_list;
#[path = "../subjects/rc_graph.rs"]
mod rc_graph;
#[path = "../subjects/trie.rs"]
mod trie;

testera::guard_memory!();

const SUBJECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/subjects");

fn contract(name: &str, spec: &str) -> Contract {
    Contract::new(format!("subjects::{name}")).spec(format!("{SUBJECTS}/{spec}.als"))
}

#[track_caller]
fn passes(report: &Report, inputs: u64) {
    assert_eq!(report.status, Status::Passed, "{}", report.text());
    assert_eq!(report.inputs, inputs, "{}", report.text());
    assert_eq!((report.skipped, report.warnings.len()), (0, 0), "{}", report.text());
    assert!(report.is_guarded && report.exhausted);
}

/// The one group of failures of a report.
#[track_caller]
fn fails(report: &Report) -> &testera::Group {
    assert_eq!(report.status, Status::Failed, "{}", report.text());
    assert_eq!((report.skipped, report.groups.len()), (0, 1), "{}", report.text());
    &report.groups[0]
}

/// The one fault of memory of a report.
#[track_caller]
fn memory_fault(report: &Report) -> &str {
    match &fails(report).failure {
        Failure::Memory(faults) => &faults[0],
        _ => panic!("{}", report.text()),
    }
}

mod linked {
    use super::linked_list::{Bug, List};
    use super::*;

    fn remove(name: &str, bug: Bug) -> Report {
        contract(name, "linked_list")
            .requires("wellFormed[list]")
            .ensures("wellFormed[list] and removedFirst[list, key]")
            .scope("3, 0..3 Int")
            .arguments(&["list", "key"])
            .check(move |(list, key): &mut (List, u8)| list.remove(*key, bug))
    }

    // 1 + 4 + 16 + 64 lists over 0..3, each with four keys.
    #[test]
    fn removal_from_a_linked_list_passes() {
        passes(&remove("linked::remove", Bug::None), 340);
    }

    #[test]
    fn appending_to_a_linked_list_passes() {
        let report = contract("linked::push_back", "linked_list")
            .requires("wellFormed[list]")
            .ensures("wellFormed[list] and appended[list, value]")
            .scope("3, 0..3 Int")
            .arguments(&["list", "value"])
            .check(|(list, value): &mut (List, u8)| list.push_back(*value));
        passes(&report, 340);
    }

    #[test]
    fn a_node_that_is_not_freed_is_a_leak() {
        let report = remove("linked::leak", Bug::Leaks);
        assert_eq!(memory_fault(&report), "Node0 (24 bytes) is never freed");
        assert_eq!(fails(&report).detail["before"].as_str().map(|t| t.contains("Node1")), Some(false));
    }

    #[test]
    fn a_dangling_prev_is_named_by_its_path() {
        let report = remove("linked::dangling", Bug::DanglingPrev);
        assert_eq!(
            memory_fault(&report),
            "after the call, list.head.prev points to a block freed during the call"
        );
        // It is drawn as well, to where the node was.
        let group = fails(&report);
        let after = group.detail["after"].as_str().expect("text");
        assert!(after.contains("Node1.prev → (freed Node0)"), "{after}");
        let picture =
            group.picture.as_ref().and_then(|path| std::fs::read_to_string(path).ok()).expect("drawn");
        let after = picture.split(">after<").nth(1).expect("two states");
        assert!(
            after.contains(">freed<") && after.contains(">Node0<") && after.contains(">prev<"),
            "{after}"
        );
    }

    #[test]
    fn a_stale_tail_is_a_dangling_pointer() {
        let report = remove("linked::tail", Bug::StaleTail);
        assert_eq!(
            memory_fault(&report),
            "after the call, list.tail points to a block freed during the call"
        );
    }
}

mod arena {
    use super::arena_tree::{Arena, Bug};
    use super::*;

    type Method = fn(&mut Arena, u8, Bug);

    fn run(name: &str, scope: &str, ensures: &str, method: Method, bug: Bug) -> Report {
        contract(name, "arena_tree")
            .requires("wellFormed[arena]")
            .ensures(format!("wellFormed[arena] and {ensures}"))
            .scope(scope)
            .arguments(&["arena", "key"])
            .check(move |(arena, key): &mut (Arena, u8)| method(arena, *key, bug))
    }

    const THREE: &str = "3, 0..3 Int";

    fn insert(name: &str, bug: Bug) -> Report {
        run(name, THREE, "inserted[arena, key]", Arena::insert, bug)
    }

    fn remove(name: &str, scope: &str, bug: Bug) -> Report {
        run(name, scope, "removed[arena, key]", Arena::remove, bug)
    }

    // With n of k slots in use: Catalan(n) trees of C(4, n) key sets, and one order of the free
    // list up to renaming; four keys each.
    const INPUTS: u64 = 4 * ((1) + (1 + 4) + (1 + 4 + 2 * 6) + (1 + 4 + 2 * 6 + 5 * 4));

    #[test]
    fn inserting_and_removing_in_an_arena_pass() {
        passes(&insert("arena::insert", Bug::None), INPUTS);
        passes(&remove("arena::remove", THREE, Bug::None), INPUTS);
    }

    #[test]
    fn seeded_bugs_of_the_arena_are_found() {
        fails(&remove("arena::forgets", THREE, Bug::ForgetsSlot));
        fails(&remove("arena::drops", THREE, Bug::DropsTail));
        fails(&insert("arena::keeps", Bug::KeepsHead));
        // The successor must have a right subtree and lie two levels below: five nodes.
        let report = remove("arena::loses", "5, 0..4 Int", Bug::LosesSubtree);
        assert_eq!(fails(&report).size, 6);
    }
}

mod counted {
    use super::rc_graph::{Bug, Tree};
    use super::*;

    fn move_below(name: &str, bug: Bug) -> Report {
        contract(name, "rc_graph")
            .requires("wellFormed[tree]")
            .ensures("wellFormed[tree] and moved[tree, child, target]")
            .scope("3, 0..2 Int")
            // A tree that was cut into a cycle is never freed.
            .allow_leaks()
            .arguments(&["tree", "child", "target"])
            .check(move |(tree, child, target): &mut (Tree, u8, u8)| {
                tree.move_below(*child, *target, bug);
            })
    }

    // Rooted trees with distinct labels of 0..2: C(3, n) n^(n-1), with nine pairs of arguments.
    #[test]
    fn moving_in_a_counted_tree_passes() {
        passes(&move_below("counted::move", Bug::None), 9 * (3 + 3 * 2 + 9));
    }

    #[test]
    fn seeded_bugs_of_the_counted_tree_are_found() {
        for (name, bug) in [
            ("counted::stale", Bug::StaleParent),
            ("counted::two owners", Bug::TwoOwners),
            ("counted::detaches", Bug::Detaches),
        ] {
            fails(&move_below(name, bug));
        }
    }
}

mod indexed {
    use super::index_heap::{Bug, Queue};
    use super::*;

    fn pop(name: &str, scope: &str, bug: Bug) -> Report {
        contract(name, "index_heap")
            .requires("wellFormed[queue]")
            .ensures("wellFormed[queue] and popped[queue]")
            .scope(scope)
            .arguments(&["queue"])
            .check(move |(queue,): &mut (Queue,)| queue.pop(bug))
    }

    const THREE: &str = "3, 0..2 Int, 3 seq";

    // Heaps of k of the priorities 0..2 (1, 3, 6, 14), with k different identifiers of three.
    #[test]
    fn popping_from_an_indexed_heap_passes() {
        passes(&pop("indexed::pop", THREE, Bug::None), 1 + 3 * 3 + 6 * 6 + 14 * 6);
    }

    #[test]
    fn seeded_bugs_of_the_indexed_heap_are_found() {
        fails(&pop("indexed::place", THREE, Bug::ForgetsPlace));
        fails(&pop("indexed::stale", THREE, Bug::StaleKey));
        // A right child is there to be looked at when three entries are left.
        assert_eq!(fails(&pop("indexed::left", "4, 0..3 Int, 4 seq", Bug::LeftOnly)).size, 5);
    }
}

mod tries {
    use super::trie::{Bug, Trie};
    use super::*;

    fn remove(name: &str, bug: Bug) -> Report {
        contract(name, "trie")
            .requires("wellFormed[trie] and #word < 3")
            .ensures("wellFormed[trie] and atMostOneLess[trie]")
            .scope("4, 0..2 Int, 2 seq")
            .arguments(&["trie", "word"])
            .check(move |(trie, word): &mut (Trie, Vec<bool>)| trie.remove(word, bug))
    }

    #[test]
    fn removal_from_a_trie_passes() {
        let report = remove("tries::remove", Bug::None);
        assert_eq!(report.status, Status::Passed, "{}", report.text());
    }

    #[test]
    fn seeded_bugs_of_the_trie_are_found() {
        for (name, bug) in [("tries::leaves", Bug::LeavesBranch), ("tries::takes", Bug::TakesLonger)] {
            fails(&remove(name, bug));
        }
    }
}
