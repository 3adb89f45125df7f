//! Inputs without a specification: `#[testera::explore]` and `#[testera::check(requires = predicate)]`.

use testera::Choices;

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

#[testera::check(requires = is_search_tree, scope = 4)]
#[should_panic(expected = "Node0 { left: Node1, right: Node2, key: 2 }")]
fn a_broken_remove_is_shown_with_the_smallest_input(tree: &mut Tree, key: u8) {
    // Loses what is below the left child of a node with two children: four nodes are needed to see it.
    removes_only(tree, key, true);
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

#[testera::explore(max_depth = 12)]
#[should_panic(expected = "choices: 1, 1, 1")]
fn the_report_names_a_shortest_failing_run(c: &mut Choices) {
    let mut n = 0;
    while c.bool() {
        n += 1;
        assert!(n < 3, "three in a row");
    }
}

#[testera::explore(random = 7, max_runs = 100)]
fn random_runs_within_a_limit(c: &mut Choices) -> Option<()> {
    let (x, y) = (c.int(0..1_000_000_u32), c.int(0..1_000_000_u32));
    c.assume(x < y)?;
    c.assert(x != y)
}
