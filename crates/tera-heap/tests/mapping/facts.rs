//! Ownership facts: what they say, how many instances they leave, and that all of these are values.

use std::cell::RefCell;
use std::rc::Rc;

use tera_heap::*;
use tera_rel::{Problem, brute_force};

/// The implied specification with every signature exact, and its facts.
fn with_facts<T: Mapped>(objects: Vec<usize>, ints: (i64, i64)) -> (Problem, Binding, Vec<String>) {
    let mut describer = Describer::new();
    describer.root::<T>("root");
    let graph = describer.finish();
    let (mut problem, schema) = natural(&graph, &Extent { objects, ints, texts: vec![] });
    for sig in &schema.sigs {
        let relation = &mut problem.relations[sig.rel.0 as usize];
        relation.lower = relation.upper.clone();
    }
    let binding = Binding::new(graph, &problem, &schema).unwrap();
    let facts = ownership_facts(&binding, &mut problem);
    let texts = facts.iter().map(|fact| fact.text.clone()).collect();
    problem.conjuncts.extend(facts.iter().map(|fact| fact.formula));
    (problem, binding, texts)
}

/// Counts the instances that the facts leave; those with a root must be values.
fn count<T: Concretize>(problem: &Problem, binding: &Binding) -> usize {
    let mut n = 0;
    let mut made = Made::new();
    brute_force(problem, &mut |instance| {
        n += 1;
        let root = instance.value(binding.roots[0].rel);
        if !root.is_empty() {
            let mut c = Concretizer::new(binding, instance, &mut made);
            let value: Box<T> = c.root(0).unwrap_or_else(|fault| panic!("{fault}: {instance:?}"));
            c.finish().unwrap();
            drop(value);
        }
    })
    .unwrap();
    n
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct List {
    header: Option<Box<Node>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Node {
    elem: u8,
    next: Option<Box<Node>>,
}

#[test]
fn boxes_are_owned_once_and_acyclic() {
    let (problem, binding, texts) = with_facts::<List>(vec![1, 2, 0], (-1, 1));
    assert_eq!(
        texts,
        [
            "all x: Node | lone header.x and (no header.x or no next.x) and lone next.x",
            "no x: Node | x in x.^next",
            "all x: List | lone x.header",
            "all x: Node | one x.elem",
            "all i: Node.elem | i >= 0 and i <= 255",
            "all x: Node | lone x.next",
        ]
    );
    // Two nodes, numbered; the header leads to none, to the first or to the second; `next` is empty
    // or one edge, which does not lead to where the header does: 3 + 2 + 2. Two numbers each, and
    // the list is the argument or is not.
    assert_eq!(count::<List>(&problem, &binding), 7 * 4 * 2);
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Shared {
    next: Option<Rc<Shared>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Cyclic {
    next: Option<Rc<RefCell<Cyclic>>>,
}

#[test]
fn counted_pointers_are_acyclic_unless_a_cell_can_close_a_cycle() {
    let (problem, binding, texts) = with_facts::<Rc<Shared>>(vec![2, 0], (0, 0));
    assert_eq!(texts, ["no x: Shared | x in x.^next", "all x: Shared | lone x.next"]);
    // No edge, or one of two; the root is any set, of which only one object is a value.
    assert_eq!(count_lone_root::<Rc<Shared>>(problem, &binding), 3 * 3);

    let (problem, binding, texts) = with_facts::<Rc<RefCell<Cyclic>>>(vec![2, 0], (0, 0));
    assert_eq!(texts, ["all x: Cyclic | lone x.next"]);
    assert_eq!(count_lone_root::<Rc<RefCell<Cyclic>>>(problem, &binding), 9 * 3);
}

fn count_lone_root<T: Concretize>(mut problem: Problem, binding: &Binding) -> usize {
    use tera_rel::{Node, SizeTest};
    let root = problem.arena.add(Node::Relation(binding.roots[0].rel));
    let lone = problem.arena.add(Node::Size(SizeTest::Lone, root));
    problem.conjuncts.push(lone);
    count::<T>(&problem, binding)
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Boxes {
    items: Vec<Item>,
    pair: [u8; 2],
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Item {
    link: *mut Item,
}

#[test]
fn sequences_have_the_positions_from_zero_and_elements_one_place() {
    let (problem, binding, texts) = with_facts::<Boxes>(vec![1, 2, 0], (0, 1));
    assert_eq!(
        texts,
        [
            "all x: Item | lone items.x",
            "all x: Boxes | all i: x.items.univ | i >= 0 and (i = 0 or minus[i, 1] in x.items.univ) and \
             all i: x.items.univ | lone i.(x.items)",
            "all x: Boxes | x.pair.univ in {i: Int | 0 <= i and i < 2} and #x.pair.univ = 2",
            "all x: Item | lone x.link",
        ]
    );
    // Sequences of distinct items out of two: 1 + 2 + 2; four pairs; links are any partial function;
    // the box is the argument or is not.
    assert_eq!(count::<Boxes>(&problem, &binding), 5 * 4 * 9 * 2);
}
