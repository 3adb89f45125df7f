//! Objects in vectors, named by their positions.

use proptest::prelude::*;
use tera_heap::*;
use tera_rel::Problem;

use crate::support::{Natural, same};

#[derive(Heap, Debug, PartialEq, Clone, Default)]
#[heap(crate = tera_heap)]
struct Tree {
    #[heap(index = Node)]
    root: Option<usize>,
    #[heap(arena)]
    nodes: Vec<Node>,
    #[heap(index = Node, null = u32::MAX)]
    first_free: u32,
}

#[derive(Heap, Debug, PartialEq, Clone)]
#[heap(crate = tera_heap)]
struct Node {
    key: u8,
    #[heap(index = Node)]
    children: [Option<NodeId>; 2],
    #[heap(index = Node)]
    others: Vec<u16>,
}

#[derive(Heap, Debug, PartialEq, Clone, Copy)]
#[heap(crate = tera_heap)]
struct NodeId(usize);

fn tree() -> impl Strategy<Value = Tree> {
    (1..6usize).prop_flat_map(|n| {
        let index = 0..n;
        let child = || prop::option::of(index.clone().prop_map(NodeId));
        let node = (0..9u8, [child(), child()], prop::collection::vec(0..n as u16, 0..3))
            .prop_map(|(key, children, others)| Node { key, children, others });
        let free = prop::option::of(0..n as u32).prop_map(|free| free.unwrap_or(u32::MAX));
        (prop::option::of(0..n), prop::collection::vec(node, n), free)
            .prop_map(|(root, nodes, first_free)| Tree { root, nodes, first_free })
    })
}

proptest! {
    #[test]
    fn arenas_are_themselves(tree in tree()) {
        same(6, &tree);
    }
}

fn example() -> Tree {
    let node = |key, left: Option<usize>| Node { key, children: [left.map(NodeId), None], others: vec![] };
    // The entry in the middle is not in use.
    Tree { root: Some(2), nodes: vec![node(4, None), node(9, None), node(7, Some(0))], first_free: u32::MAX }
}

#[test]
fn indices_are_pointers() {
    assert_eq!(
        same(3, &example()),
        [
            "root = Tree0",
            "root = Tree0->Node0",
            "nodes = Tree0->0->Node1 Tree0->1->Node2 Tree0->2->Node0",
            "key = Node0->7 Node1->4 Node2->9",
            "children = Node0->0->Node1",
        ]
    );
}

/// The implied specification without the field `nodes`.
fn without_nodes() -> (Problem, tera_rel::Schema, TypeGraph) {
    let mut describer = Describer::new();
    describer.root::<Tree>("root");
    let graph = describer.finish();
    let (problem, mut schema) = natural(&graph, &Extent { objects: vec![4], ints: (0, 9), texts: vec![] });
    schema.fields.retain(|field| field.label != "nodes");
    (problem, schema, graph)
}

#[test]
fn a_specification_need_not_know_the_arena() {
    let (problem, schema, graph) = without_nodes();
    let binding = Binding::new(graph, &problem, &schema).unwrap();
    let mut instance = binding.start.clone();
    let mut seen = Seen::new();
    let example = example();
    let mut a = Abstractor::new(&binding, Before::Nothing, &mut instance, &mut seen);
    a.root(0, &example);
    assert!(a.finish().is_clean());
    let mut made = Made::new();
    let mut c = Concretizer::new(&binding, &instance, &mut made);
    let tree: Box<Tree> = c.root(0).unwrap();
    c.finish().unwrap();
    // Only what is reached, in the order in which it is reached.
    let node = |key, left: Option<usize>| Node { key, children: [left.map(NodeId), None], others: vec![] };
    assert_eq!(
        *tree,
        Tree { root: Some(0), nodes: vec![node(7, Some(1)), node(4, None)], first_free: u32::MAX }
    );
    let mut again = binding.start.clone();
    let mut a = Abstractor::new(&binding, Before::Instance(&instance), &mut again, &mut seen)
        .with_objects(&made, None);
    a.root(0, &*tree);
    assert!(a.finish().is_clean());
    assert_eq!(instance, again);
}

#[test]
fn the_position_is_the_identity() {
    let natural = Natural::of::<Tree>(5);
    let (instance, _) = natural.read(&example());
    let mut made = Made::new();
    let mut c = Concretizer::new(&natural.binding, &instance, &mut made);
    let mut tree: Box<Tree> = c.root(0).unwrap();
    c.finish().unwrap();
    // The vector moves, an element is added, another changes.
    tree.nodes.reserve(100);
    tree.nodes[0].key = 5;
    tree.nodes.push(Node { key: 1, children: [None, Some(NodeId(2))], others: vec![] });
    let mut after = natural.binding.start.clone();
    let mut seen = Seen::new();
    let mut a = Abstractor::new(&natural.binding, Before::Instance(&instance), &mut after, &mut seen)
        .with_objects(&made, None);
    a.root(0, &*tree);
    assert!(a.finish().is_clean());
    let text = natural.show(&after);
    assert!(text.contains(&"key = Node0->7 Node1->5 Node2->9 Node3->1".to_string()), "{text:?}");
    assert!(text.contains(&"children = Node0->0->Node1 Node3->1->Node0".to_string()), "{text:?}");
}

#[test]
fn an_index_outside_the_arena_is_dead() {
    let mut tree = example();
    tree.nodes[2].children[1] = Some(NodeId(7));
    let (_, outcome) = Natural::of::<Tree>(3).read(&tree);
    assert_eq!(
        outcome.dead.iter().map(|d| d.to_string()).collect::<Vec<_>>(),
        ["root.nodes[2].children[1] is an index outside its arena"]
    );
}

#[derive(Heap, Debug, PartialEq, Clone)]
#[heap(crate = tera_heap)]
struct Slots {
    #[heap(arena)]
    slots: Vec<Option<Linked>>,
    #[heap(index = Linked)]
    head: Option<u8>,
}

#[derive(Heap, Debug, PartialEq, Clone)]
#[heap(crate = tera_heap)]
struct Linked {
    #[heap(index = Linked)]
    next: Option<u8>,
}

#[test]
fn entries_may_be_vacant() {
    let slots = Slots {
        slots: vec![Some(Linked { next: None }), None, Some(Linked { next: Some(0) })],
        head: Some(2),
    };
    let text = same(2, &slots);
    assert_eq!(
        text,
        [
            "root = Slots0",
            "slots = Slots0->0->Linked0 Slots0->2->Linked1",
            "slots_len = Slots0->3",
            "head = Slots0->Linked1",
            "next = Linked1->Linked0"
        ]
    );
    let (_, outcome) = Natural::of::<Slots>(2).read(&Slots { head: Some(1), ..slots });
    assert_eq!(outcome.dead[0].to_string(), "root.head is the index of a vacant entry");
}
