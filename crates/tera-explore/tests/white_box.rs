//! A subject inside the search: fields that it never reads are never enumerated; and call sequences.

mod subjects;

use std::collections::BTreeSet;

use subjects::search_tree::{Node, NodeRef, SearchTree, SearchTreeRef, rep_ok, space};
use tera_explore::{Candidate, FieldRef, Finitization, Sequences, undo};

#[derive(Candidate)]
struct Removal {
    tree: SearchTree,
    key: i32,
}

/// `remove` of the paper, on a view: it changes the candidate for the time of the run (but for `size`, which
/// is its caller's). With `broken`, the
/// left subtree of a node with two children is lost.
fn remove(tree: SearchTreeRef, key: i32, broken: bool) -> bool {
    let mut parent: Option<NodeRef> = None;
    let mut current = tree.root();
    while let Some(node) = current {
        let info = node.info();
        if key == info {
            break;
        }
        parent = current;
        current = if key < info { node.left() } else { node.right() };
    }
    let Some(node) = current else { return false };
    let change = unlink(node, broken);
    match parent {
        None => tree.root_field().set(change),
        Some(parent) if parent.left() == current => parent.left_field().set(change),
        Some(parent) => parent.right_field().set(change),
    }
    true
}

/// What takes the place of the node.
fn unlink(node: NodeRef, broken: bool) -> Option<NodeRef> {
    let Some(left) = node.left() else { return node.right() };
    let Some(_) = node.right() else { return Some(left) };
    if broken {
        return node.right();
    }
    let Some(mut last) = left.right() else {
        node.info_field().set(left.info());
        node.left_field().set(left.left());
        return Some(node);
    };
    let mut before = left;
    while let Some(next) = last.right() {
        before = last;
        last = next;
    }
    node.info_field().set(last.info());
    before.right_field().set(last.left());
    Some(node)
}

/// The keys on the path to a key.
fn contains(tree: SearchTreeRef, key: i32) -> bool {
    let mut current = tree.root();
    while let Some(node) = current {
        let info = node.info();
        if info == key {
            return true;
        }
        current = if key < info { node.left() } else { node.right() };
    }
    false
}

fn inputs(n: usize) -> Finitization<Removal> {
    Finitization::of(n).values("Node.info", 1..=n).values("Removal.key", 1..=n)
}

/// What a subject does with an input, and whether its postcondition fails.
type Subject = fn(SearchTreeRef, i32) -> bool;

fn removal(tree: SearchTreeRef, key: i32) -> bool {
    remove(tree, key, false);
    contains(tree, key)
}

fn lookup(tree: SearchTreeRef, key: i32) -> bool {
    contains(tree, key);
    false
}

/// The precondition fully first, then the subject: every tree with every key.
fn black_box(n: usize, subject: Subject) -> u64 {
    let mut ran = 0;
    let counterexamples = inputs(n)
        .count(|input: RemovalRef| {
            rep_ok(input.tree()) && {
                let key = input.key();
                ran += 1;
                subject(input.tree(), key)
            }
        })
        .unwrap();
    assert_eq!(counterexamples.structures, 0);
    ran
}

/// The precondition only as far as the subject has read.
fn white_box(n: usize, subject: Subject) -> u64 {
    let mut ran = 0;
    let counterexamples = inputs(n)
        .count(|input: RemovalRef| {
            let key = input.key();
            // Walk the path first, so that the precondition has something to judge before the subject runs.
            contains(input.tree(), key);
            if in_order_so_far(input.tree().root_field(), 0, n as i32 + 1).is_none() {
                return false;
            }
            ran += 1;
            // What violates the postcondition is a counterexample if all of it satisfies the precondition.
            subject(input.tree(), key) && {
                undo(input.tree());
                rep_ok(input.tree())
            }
        })
        .unwrap();
    assert_eq!(counterexamples.structures, 0);
    ran
}

/// How many nodes are known below a link, if there can be keys between the bounds for all of them.
fn in_order_so_far(link: FieldRef<Option<Box<Node>>>, above: i32, below: i32) -> Option<i32> {
    let Some(Some(node)) = link.peek() else { return Some(0) };
    let info = node.info_field().peek().filter(|info| above < *info && *info < below);
    if info != node.info_field().peek() {
        return None;
    }
    let n = 1
        + in_order_so_far(node.left_field(), above, info.unwrap_or(below))?
        + in_order_so_far(node.right_field(), info.unwrap_or(above), below)?;
    (n < below - above).then_some(n)
}

#[test]
fn the_white_box_needs_far_fewer_inputs() {
    for (n, trees) in [(1, 2), (2, 5), (3, 15), (4, 51), (5, 188), (6, 731)] {
        let [black, white] =
            [black_box, white_box].map(|run| [lookup, removal].map(|subject| run(n, subject)));
        println!("{n}: inputs of lookup and removal: black box {black:?}, white box {white:?}");
        assert_eq!(black, [trees * n as u64; 2]);
        if n == 6 {
            assert!(white[0] * 3 < black[0] && white[1] < black[1], "{white:?} of {black:?}");
        }
    }
}

/// The negated contract as the predicate: what the search finds are the counterexamples.
#[test]
fn a_broken_subject_is_found_inside_the_search() {
    let loses_keys = |input: RemovalRef, broken| {
        let before = keys(input.tree());
        let key = input.key();
        remove(input.tree(), key, broken);
        let after = keys(input.tree());
        let expected: BTreeSet<i32> = before.into_iter().filter(|other| *other != key).collect();
        after != expected
    };
    let find = |broken: bool| {
        let mut search = inputs(3).search().unwrap();
        let found = search.next(&mut |input: RemovalRef| rep_ok(input.tree()) && loses_keys(input, broken));
        found.then(|| search.value().unwrap())
    };
    assert!(find(false).is_none());
    let counterexample = find(true).expect("the left subtree is lost");
    // The value is the input: what the subject changed has been taken back.
    assert_eq!((counterexample.tree.size, counterexample.key), (3, 2));
    assert!(rep_ok((&counterexample.tree).into()));
}

fn keys(tree: SearchTreeRef) -> BTreeSet<i32> {
    fn walk(node: Option<NodeRef>, keys: &mut BTreeSet<i32>) {
        if let Some(node) = node {
            keys.insert(node.info());
            walk(node.left(), keys);
            walk(node.right(), keys);
        }
    }
    let mut keys = BTreeSet::new();
    walk(tree.root(), &mut keys);
    keys
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Add(i32),
    Remove(i32),
}

/// Every search tree is told as calls of `add`, shortest first: a tree with k nodes takes k of them.
#[test]
fn every_tree_is_built_by_a_shortest_sequence_of_calls() {
    let n = 4;
    let calls: Vec<Call> = (1..=n).map(Call::Add).chain((1..=n).map(Call::Remove)).collect();
    let sequences = Sequences::new(SearchTree { root: None, size: 0 }, calls, |tree, call| match *call {
        Call::Add(key) => drop(tree.add(key)),
        Call::Remove(key) => drop(tree.remove(key)),
    });
    let mut n_trees = 0;
    for tree in space(n as usize).inputs(rep_ok).unwrap() {
        let calls = sequences.shortest(n as usize, |state| *state == tree).expect("reachable");
        assert_eq!(calls.len(), tree.size);
        assert!(calls.iter().all(|call| matches!(call, Call::Add(_))));
        let mut built = SearchTree { root: None, size: 0 };
        for call in calls {
            if let Call::Add(key) = call {
                built.add(key);
            }
        }
        assert_eq!(built, tree);
        n_trees += 1;
    }
    assert_eq!(n_trees, 51);
    // And nothing else is reachable.
    assert_eq!(sequences.states(2 * n as usize).len(), 51);
}

/// A fixed sequence: adding what is not there and removing it again changes nothing.
#[test]
fn add_then_remove_is_no_change() {
    for n in 0..5 {
        for tree in space(n).inputs(rep_ok).unwrap() {
            for key in 1..=n as i32 + 1 {
                let mut changed = tree.clone();
                if changed.add(key) {
                    assert!(changed.remove(key));
                    assert_eq!(changed, tree, "{key}");
                }
            }
        }
    }
}

#[test]
fn the_view_of_a_real_value_cannot_be_written() {
    let tree = SearchTree { root: Some(Box::new(Node { left: None, right: None, info: 1 })), size: 1 };
    let view = SearchTreeRef::from(&tree);
    let outcome = std::panic::catch_unwind(|| view.size_field().set(0));
    assert!(outcome.is_err());
}
