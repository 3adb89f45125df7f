//! A subject inside the search: fields that it never reads are never enumerated; and call sequences.

mod subjects;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use subjects::search_tree::{Node, NodeRef, SearchTree, SearchTreeRef, rep_ok, space};
use tera_explore::{Candidate, FieldRef, Finitization, Object, Sequences, allocate, undo};

/// What is passed to a method of a search tree.
#[derive(Candidate)]
struct Input {
    tree: SearchTree,
    key: i32,
}

fn inputs(n: usize) -> Finitization<Input> {
    Finitization::of(n).values("Node.info", 1..=n).values("Input.key", 1..=n)
}

/// Where a key is, or would be: the field on the path to it that leads to its node, or to none.
fn place_of(tree: SearchTreeRef, key: i32) -> FieldRef<Option<Box<Node>>> {
    let mut place = tree.root_field();
    while let Some(node) = place.get() {
        match key.cmp(&node.info()) {
            Ordering::Less => place = node.left_field(),
            Ordering::Equal => break,
            Ordering::Greater => place = node.right_field(),
        }
    }
    place
}

fn contains(tree: SearchTreeRef, key: i32) -> bool {
    place_of(tree, key).get().is_some()
}

/// `add` of the paper, on a view: it changes the candidate and makes a node of it, for the time of the run.
/// (Not its `size`, which is its caller's: nobody can know it who has not seen all nodes.) With `broken`, a
/// new largest key goes to the left of the one before.
fn add(tree: SearchTreeRef, key: i32, broken: bool) -> bool {
    let mut place = place_of(tree, key);
    if place.get().is_some() {
        return false;
    }
    let node = allocate::<Node>(tree);
    node.info_field().set(key);
    if broken
        && let Some(root) = tree.root()
        && root.info() < key
        && let Some(right) = root.right()
        && right.info() < key
    {
        place = right.left_field();
    }
    place.set(Some(node));
    true
}

/// `remove` of the paper, on a view. With `broken`, the left subtree of a node with two children is lost.
fn remove(tree: SearchTreeRef, key: i32, broken: bool) -> bool {
    let place = place_of(tree, key);
    let Some(node) = place.get() else { return false };
    place.set(unlink(node, broken));
    true
}

/// What takes the place of the node.
fn unlink(node: NodeRef, broken: bool) -> Option<NodeRef> {
    let Some(left) = node.left() else { return node.right() };
    let Some(_) = node.right() else { return Some(left) };
    if broken {
        return node.right();
    }
    let mut last = node.left_field();
    while let Some(next) = last.get()
        && next.right().is_some()
    {
        last = next.right_field();
    }
    let taken = last.get().expect("the left child or one below");
    node.info_field().set(taken.info());
    last.set(taken.left());
    Some(node)
}

/// What a subject does with an input, and whether its postcondition fails.
type Subject = fn(SearchTreeRef, i32) -> bool;

fn lookup(tree: SearchTreeRef, key: i32) -> bool {
    contains(tree, key);
    false
}

fn addition(tree: SearchTreeRef, key: i32) -> bool {
    add(tree, key, false);
    !contains(tree, key)
}

fn broken_addition(tree: SearchTreeRef, key: i32) -> bool {
    add(tree, key, true);
    !contains(tree, key)
}

fn removal(tree: SearchTreeRef, key: i32) -> bool {
    remove(tree, key, false);
    contains(tree, key)
}

/// The precondition fully first, then the subject: every tree with every key. How many inputs it was run on,
/// and how many of them are counterexamples.
fn black_box(n: usize, subject: Subject) -> (u64, u64) {
    let mut ran = 0;
    let counterexamples = inputs(n)
        .count(|input: InputRef| {
            rep_ok(input.tree()) && {
                let key = input.key();
                ran += 1;
                subject(input.tree(), key)
            }
        })
        .unwrap();
    (ran, counterexamples.structures)
}

/// The precondition only as far as the subject has read.
fn white_box(n: usize, subject: Subject) -> (u64, u64) {
    let mut ran = 0;
    let counterexamples = inputs(n)
        .count(|input: InputRef| {
            let (tree, key) = (input.tree(), input.key());
            // Walk the path first, so that the precondition has something to judge before the subject runs.
            contains(tree, key);
            if in_order_so_far(tree.root_field(), 0, n as i32 + 1).is_none() {
                return false;
            }
            ran += 1;
            // What violates the postcondition is a counterexample if all of it satisfies the precondition.
            let violated =
                subject(tree, key) || in_order_so_far(tree.root_field(), 0, n as i32 + 1).is_none();
            violated && {
                undo(tree);
                rep_ok(tree)
            }
        })
        .unwrap();
    (ran, counterexamples.structures)
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
        let black = [lookup, addition, removal].map(|subject: Subject| black_box(n, subject));
        let white = [lookup, addition, removal].map(|subject: Subject| white_box(n, subject));
        println!("{n}: inputs of lookup, addition, removal: black box {black:?}, white box {white:?}");
        assert_eq!(black, [(trees * n as u64, 0); 3]);
        assert!(white.iter().all(|(_, counterexamples)| *counterexamples == 0), "{white:?}");
        if n == 6 {
            let [lookup, addition, removal] = white.map(|(ran, _)| ran);
            let all = trees * 6;
            assert!(lookup * 3 < all && addition * 3 < all && removal < all, "{white:?}");
        }
    }
}

/// Both find the same counterexamples, of which the subject sees only what matters.
#[test]
fn both_boxes_find_the_same_counterexamples() {
    for n in 1..=5 {
        let ((_, black), (_, white)) = (black_box(n, broken_addition), white_box(n, broken_addition));
        assert_eq!(black, white, "{n}");
        assert_eq!(white > 0, n >= 3, "three keys are needed");
    }
}

/// What a subject makes in one run is not there in the next.
#[test]
fn new_objects_are_gone_after_the_run() {
    let mut addresses = BTreeSet::new();
    let fresh = |input: InputRef| {
        let node = allocate::<Node>(input.tree());
        assert_eq!((node.info(), node.left(), node.right()), (0, None, None));
        node.info_field().set(7);
        input.tree().root_field().set(Some(node));
        addresses.insert(node.address());
        input.tree().root().is_some_and(|root| root.info() == 7)
    };
    // The root was overwritten unread: what it is in the input is as free as all else.
    let all = inputs(2).count(|_| true).unwrap();
    let found = inputs(2).count(fresh).unwrap();
    assert_eq!((found.structures, found.candidates, addresses.len()), (all.structures, 1, 1));
}

#[test]
fn a_run_that_makes_too_many_objects_says_how_to_allow_more() {
    let twelve = |input: InputRef| {
        let nodes: Vec<NodeRef> = (0..12).map(|_| allocate::<Node>(input.tree())).collect();
        nodes.windows(2).all(|pair| pair[0] != pair[1])
    };
    let outcome = std::panic::catch_unwind(|| inputs(1).count(twelve));
    let message = *outcome.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("`Node`") && message.contains("Finitization::allocations"), "{message}");
    assert!(inputs(1).allocations("Node", 12).count(twelve).unwrap().structures > 0);
}

/// The negated contract as the predicate: what the search finds are the counterexamples.
#[test]
fn a_broken_subject_is_found_inside_the_search() {
    let loses_keys = |input: InputRef, broken| {
        let before = keys(input.tree());
        let key = input.key();
        remove(input.tree(), key, broken);
        let after = keys(input.tree());
        let expected: BTreeSet<i32> = before.into_iter().filter(|other| *other != key).collect();
        after != expected
    };
    let find = |broken: bool| {
        let mut search = inputs(3).search().unwrap();
        let found = search.next(&mut |input: InputRef| rep_ok(input.tree()) && loses_keys(input, broken));
        found.then(|| search.value().unwrap())
    };
    assert!(find(false).is_none());
    let counterexample = find(true).expect("the left subtree is lost");
    // The value is the input: what the subject changed has been taken back.
    assert_eq!((counterexample.tree.size, counterexample.key), (3, 2));
    assert!(rep_ok((&counterexample.tree).into()));

    // Told as calls: how the input comes about, then the call that breaks its word.
    let calls: Vec<Call> = (1..=3).map(Call::Add).collect();
    let sequences = Sequences::new(SearchTree { root: None, size: 0 }, calls, |tree, call| tree.apply(call));
    let told = sequences.shortest(3, |tree| *tree == counterexample.tree).expect("reachable");
    assert_eq!(told, [Call::Add(2), Call::Add(1), Call::Add(3)]);
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

impl SearchTree {
    fn apply(&mut self, call: &Call) {
        match *call {
            Call::Add(key) => drop(self.add(key)),
            Call::Remove(key) => drop(self.remove(key)),
        }
    }
}

/// Every search tree is told as calls of `add`, shortest first: a tree with k nodes takes k of them.
#[test]
fn every_tree_is_built_by_a_shortest_sequence_of_calls() {
    let n = 4;
    let calls: Vec<Call> = (1..=n).map(Call::Add).chain((1..=n).map(Call::Remove)).collect();
    let sequences = Sequences::new(SearchTree { root: None, size: 0 }, calls, |tree, call| tree.apply(call));
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
