//! Inputs without a specification: `#[testera::explore]` and `#[testera::check(requires = predicate)]`.

use testera::explored::{self, Plain, Program, Signature, predicate};
use testera::{Choices, Contract, Passing, Report, Status};

/// A set of small numbers as a search tree.
#[derive(testera::Candidate, Debug)]
struct Tree {
    root: Option<Box<Node>>,
}

#[derive(testera::Candidate, Debug)]
struct Node {
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
    key: u8,
}

fn is_search_tree(tree: TreeRef) -> bool {
    fn within(node: Option<NodeRef>, above: i32, below: i32) -> bool {
        node.is_none_or(|node| {
            let key = i32::from(node.key());
            above < key && key < below && within(node.left(), above, key) && within(node.right(), key, below)
        })
    }
    within(tree.root(), -1, i32::MAX)
}

impl Tree {
    fn keys(&self) -> Vec<u8> {
        fn walk(node: &Option<Box<Node>>, keys: &mut Vec<u8>) {
            if let Some(node) = node {
                walk(&node.left, keys);
                keys.push(node.key);
                walk(&node.right, keys);
            }
        }
        let mut keys = Vec::new();
        walk(&self.root, &mut keys);
        keys
    }

    fn remove(&mut self, key: u8, broken: bool) {
        fn remove(place: &mut Option<Box<Node>>, key: u8, broken: bool) {
            let Some(mut node) = place.take() else { return };
            if key < node.key {
                remove(&mut node.left, key, broken);
            } else if key > node.key {
                remove(&mut node.right, key, broken);
            } else {
                *place = match (node.left.take(), node.right.take()) {
                    (None, other) | (other, None) => other,
                    (Some(left), right) if broken => {
                        Some(Box::new(Node { left: None, right, key: left.key }))
                    }
                    (left, Some(mut right)) => {
                        let mut least = &mut right;
                        while least.left.is_some() {
                            least = least.left.as_mut().expect("just seen");
                        }
                        least.left = left;
                        Some(right)
                    }
                };
                return;
            }
            *place = Some(node);
        }
        remove(&mut self.root, key, broken);
    }
}

fn removes_only(tree: &mut Tree, key: u8, broken: bool) {
    let expected: Vec<u8> = tree.keys().into_iter().filter(|other| *other != key).collect();
    tree.remove(key, broken);
    assert_eq!(tree.keys(), expected);
    assert!(is_search_tree((&*tree).into()));
}

#[testera::check(requires = is_search_tree, scope = 4)]
fn remove_keeps_the_rest(tree: &mut Tree, key: u8) {
    removes_only(tree, key, false);
}

const SIGNATURE: Signature =
    Signature { names: &["tree", "key"], passing: &[Passing::Mutable, Passing::Value] };

/// A contract on search trees of this scope by hand, as the attribute makes it.
fn on_trees(name: &str, scope: &str, call: fn((Tree, u8))) -> Report {
    let contract = Contract::new(format!("exploration::{name}")).scope(scope).time(1.0).keep_going();
    let plain = Plain::<(Tree, u8)>::new(call, &SIGNATURE, None);
    let source = predicate::<Tree, (u8,), (Tree, u8)>(is_search_tree, |tree, (key,)| (tree, key), plain);
    explored::run(contract, &source)
}

#[test]
fn a_broken_remove_is_shown_with_the_smallest_input() {
    let contract = Contract::new("exploration::broken").scope("4");
    let plain =
        Plain::<(Tree, u8)>::new(|(mut tree, key)| removes_only(&mut tree, key, true), &SIGNATURE, None);
    let source = predicate::<Tree, (u8,), (Tree, u8)>(is_search_tree, |tree, (key,)| (tree, key), plain);
    let report = explored::run(contract, &source);
    assert_eq!(report.status, Status::Failed);
    // Loses what is below the left child of a node with two children: four nodes are needed to see it.
    assert!(report.text().contains("Node0 { left: Node1, right: Node2, key: 2 }"), "{}", report.text());
}

#[test]
fn every_way_to_die_is_the_verdict_of_its_structure() {
    // 1 empty tree, 3 of one node, 3 of two; two keys each would be 21 with three.
    let report = on_trees("deaths", "2", |(tree, key)| match (tree.keys().as_slice(), key) {
        ([0], 0) => panic!("one"),
        ([0], 1) => loop {
            std::hint::spin_loop();
        },
        ([0, 1], 2) => std::process::abort(),
        ([1], 2) => std::process::exit(0),
        ([2], 0) => {
            fn deep(n: u64) -> u64 {
                let frame = std::hint::black_box([n; 64]);
                if n == u64::MAX { 0 } else { deep(n + 1) + std::hint::black_box(frame)[7] }
            }
            deep(0);
        }
        _ => {}
    });
    let mut kinds: Vec<String> = report.groups.iter().map(|group| group.failure.headline()).collect();
    kinds.sort();
    assert_eq!(kinds, ["abort", "exit", "hang", "panic", "stack overflow"], "{}", report.text());
    let all = on_trees("deaths, none", "2", |_| ());
    assert_eq!((all.status, all.inputs), (Status::Passed, report.inputs), "{}", all.text());
    // Two trees of 0 and 1 die by abort.
    assert_eq!((report.failed(), report.passed), (6, report.inputs - 6), "{}", report.text());
}

#[test]
fn runs_of_a_program_die_alone() {
    let program = |c: &mut Choices| {
        let (kind, other) = (c.int(0..=5_u8), c.int(0..=2_u8));
        match kind {
            1 => panic!("one"),
            2 if other == 1 => loop {
                std::hint::spin_loop();
            },
            3 => std::process::abort(),
            4 if other > 0 => std::process::exit(0),
            _ => {}
        }
    };
    let contract = |name: &str| Contract::new(format!("exploration::{name}")).time(1.0).keep_going();
    let counts = |report: &Report| {
        let counts = report.groups.iter().map(|group| (group.failure.headline(), group.count));
        let mut counts: Vec<(String, u64)> = counts.collect();
        counts.sort();
        assert_eq!((report.inputs, report.passed), (18, 9), "{}", report.text());
        let expected = [("abort", 3), ("exit", 2), ("hang", 1), ("panic", 3)];
        assert_eq!(counts, expected.map(|(kind, count)| (kind.to_owned(), count)), "{}", report.text());
    };
    let report = explored::run(contract("deaths by choice"), &Program::new(program, |e| e));
    counts(&report);
    // The first of each, counted like any other run: three runs for each kind.
    let numbers: Vec<(String, u64)> =
        report.groups.iter().map(|group| (group.failure.headline(), group.number)).collect();
    let expected = [("panic", 3), ("hang", 7), ("abort", 9), ("exit", 13)];
    assert_eq!(numbers, expected.map(|(kind, number)| (kind.to_owned(), number)), "{}", report.text());
    counts(&explored::run(contract("deaths by breadth"), &Program::new(program, |e| e.breadth_first())));
}

#[test]
fn a_predicate_that_ends_the_process_is_told() {
    let contract = Contract::new("exploration::dying predicate").scope("2").keep_going();
    let plain = Plain::<(Tree,)>::new(|_| (), &SIGNATURE, None);
    let requires = |tree: TreeRef<'_>| tree.root().is_none_or(|_| std::process::abort());
    let source = predicate::<Tree, (), (Tree,)>(requires, |tree, ()| (tree,), plain);
    let report = explored::run(contract, &source);
    assert_eq!(report.status, Status::Failed);
    assert!(report.text().contains("abort in the precondition"), "{}", report.text());
}

/// The same trees for a specification: their precondition is a function, their postcondition relational.
mod with_a_specification {
    use testera::{Candidate, Heap};

    #[derive(Candidate, Heap)]
    struct Chain {
        first: Option<Box<Link>>,
    }

    #[derive(Candidate, Heap)]
    struct Link {
        value: u8,
        next: Option<Box<Link>>,
    }

    fn is_sorted(chain: ChainRef) -> bool {
        let mut values = std::iter::successors(chain.first(), |link| link.next()).map(|link| link.value());
        let mut last = 0;
        values.all(|value| std::mem::replace(&mut last, value) <= value)
    }

    #[testera::check(
        "sig Chain { first: lone Link } sig Link { value: Int, next: lone Link }
         pred sorted[c: Chain] { all l: c.first.*next | some l.next implies l.value <= l.next.value }",
        requires = is_sorted,
        ensures = "sorted[chain] and result = #chain.first.*next and new in chain.first.*next.value",
        scope = 3
    )]
    fn insert(chain: &mut Chain, new: u8) -> usize {
        let (mut place, mut n) = (&mut chain.first, 1);
        while place.as_ref().is_some_and(|link| link.value < new) {
            place = &mut place.as_mut().expect("just seen").next;
            n += 1;
        }
        let next = place.take();
        let link = place.insert(Box::new(Link { value: new, next }));
        let mut rest = &link.next;
        while let Some(link) = rest {
            rest = &link.next;
            n += 1;
        }
        n
    }
}

#[testera::check(requires = is_search_tree, scope = 3)]
fn a_shared_argument_will_do(tree: &Tree) {
    assert!(tree.keys().is_sorted_by(|a, b| a < b));
}

#[testera::explore]
fn a_stack_gives_back_what_it_was_given(c: &mut Choices) {
    let mut stack = Vec::new();
    let mut model = String::new();
    for _ in 0..c.int(0..=4) {
        if c.bool() {
            let letter = c.pick(&['a', 'b']);
            stack.push(letter);
            model.push(letter);
        } else {
            assert_eq!(stack.pop(), model.pop());
        }
    }
}

#[test]
fn the_report_names_a_shortest_failing_run() {
    let program = |c: &mut Choices| {
        let mut n = 0;
        while n < 12 && c.bool() {
            n += 1;
            assert!(n != 3 && n != 12, "three or twelve in a row");
        }
    };
    let contract = Contract::new("exploration::shortest");
    let report = explored::run(contract, &Program::new(program, |e| e.max_depth(12)));
    assert!(report.text().contains("choices = 1, 1, 1\n"), "{}", report.text());
}

#[testera::explore(random = 7, max_runs = 100)]
fn random_runs_within_a_limit(c: &mut Choices) -> Option<()> {
    let (x, y) = (c.int(0..1_000_000_u32), c.int(0..1_000_000_u32));
    c.assume(x < y)?;
    c.assert(x != y)
}
