//! Lists and trees by every kind of pointer.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use tera_heap::*;

use crate::support::{Natural, same, there_and_back};

#[derive(Heap, PartialEq, Debug, Default)]
#[heap(crate = tera_heap)]
struct List {
    header: Option<Box<Node>>,
}

#[derive(Heap, PartialEq, Debug)]
#[heap(crate = tera_heap)]
struct Node {
    elem: i32,
    next: Option<Box<Node>>,
}

fn list(elems: &[i32]) -> List {
    let mut header = None;
    for &elem in elems.iter().rev() {
        header = Some(Box::new(Node { elem, next: header }));
    }
    List { header }
}

#[test]
fn a_list_is_a_chain_of_atoms() {
    let text = same(3, &list(&[4, 0, 4]));
    assert_eq!(
        text,
        [
            "root = List0",
            "header = List0->Node0",
            "elem = Node0->4 Node1->0 Node2->4",
            "next = Node0->Node1 Node1->Node2",
        ]
    );
}

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Tree {
    root: Option<Box<TreeNode>>,
    size: usize,
}

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct TreeNode {
    key: i8,
    left: Option<Box<TreeNode>>,
    right: Option<Box<TreeNode>>,
    parent: *mut TreeNode,
}

fn insert(tree: &mut Tree, key: i8) {
    let mut parent: *mut TreeNode = std::ptr::null_mut();
    let mut link = &mut tree.root;
    while let Some(node) = link {
        parent = &raw mut **node;
        link = if key < node.key { &mut node.left } else { &mut node.right };
    }
    *link = Some(Box::new(TreeNode { key, left: None, right: None, parent }));
    tree.size += 1;
}

fn assert_parents(node: &Option<Box<TreeNode>>, parent: *const TreeNode) {
    if let Some(node) = node {
        assert_eq!(node.parent.cast_const(), parent);
        assert_parents(&node.left, &raw const **node);
        assert_parents(&node.right, &raw const **node);
    }
}

proptest! {
    #[test]
    fn lists_are_themselves(elems in prop::collection::vec(-2..=9i32, 0..9)) {
        same(9, &list(&elems));
    }

    #[test]
    fn raw_parents_lead_to_parents(keys in prop::collection::vec(-2..=9i8, 0..8)) {
        let mut tree = Tree { root: None, size: 0 };
        keys.iter().for_each(|&key| insert(&mut tree, key));
        let (_, again, _) = there_and_back(8, &tree);
        assert_parents(&again.root, std::ptr::null());
    }
}

type Link = Option<Rc<RefCell<Shared>>>;

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Shared {
    value: u8,
    a: Link,
    b: Link,
    back: Weak<RefCell<Shared>>,
    maybe: Option<Box<Cell<i64>>>,
}

/// A value and three edges.
type Row = (u8, Option<usize>, Option<usize>, Option<usize>);

/// A graph with edges `a`, `b` and `back` by number; 0 is the root.
fn graph(edges: &[Row]) -> Rc<RefCell<Shared>> {
    let nodes: Vec<Rc<RefCell<Shared>>> = edges
        .iter()
        .map(|&(value, ..)| {
            let maybe = (value % 2 == 0).then(|| Box::new(Cell::new(i64::from(value))));
            Rc::new(RefCell::new(Shared { value, a: None, b: None, back: Weak::new(), maybe }))
        })
        .collect();
    for (node, (_, a, b, back)) in nodes.iter().zip(edges) {
        let mut node = node.borrow_mut();
        node.a = a.map(|i| Rc::clone(&nodes[i % nodes.len()]));
        node.b = b.map(|i| Rc::clone(&nodes[i % nodes.len()]));
        if let Some(i) = back {
            node.back = Rc::downgrade(&nodes[i % nodes.len()]);
        }
    }
    // Only what the root reaches stays: as in a real program, cycles leak.
    Rc::clone(&nodes[0])
}

#[test]
fn shared_and_cyclic_graphs_keep_their_sharing() {
    let value = graph(&[(3, Some(1), Some(1), None), (4, Some(0), None, Some(0))]);
    let (text, again, _) = there_and_back(3, &value);
    assert_eq!(
        text,
        [
            "root = Shared0",
            "value = Shared0->3 Shared1->4",
            "a = Shared0->Shared1 Shared1->Shared0",
            "b = Shared0->Shared1",
            "back = Shared1->Shared0",
            "maybe = Shared1->4",
        ]
    );
    let a = again.borrow().a.clone().unwrap();
    assert!(Rc::ptr_eq(&a, again.borrow().b.as_ref().unwrap()));
    assert!(Rc::ptr_eq(&a.borrow().back.upgrade().unwrap(), &again));
    // Two edges and the handle here.
    assert_eq!(Rc::strong_count(&a), 3);
}

#[test]
fn an_object_that_only_a_weak_pointer_leads_to_lives_until_it_is_released() {
    let parent = graph(&[(1, None, None, None)]);
    let child = graph(&[(2, None, None, None)]);
    child.borrow_mut().back = Rc::downgrade(&parent);
    let (text, again, mut made) = there_and_back(2, &child);
    assert!(text.contains(&"back = Shared0->Shared1".to_string()), "{text:?}");
    let back = again.borrow().back.clone();
    assert_eq!(back.upgrade().map(|p| p.borrow().value), Some(1));
    made.release();
    assert!(back.upgrade().is_none());
}

proptest! {
    #[test]
    fn graphs_are_themselves(
        edges in prop::collection::vec(
            (0..9u8, prop::option::of(0..9usize), prop::option::of(0..9usize), prop::option::of(0..9usize)),
            1..7,
        )
    ) {
        there_and_back(9, &graph(&edges));
    }
}

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Deque {
    head: Option<NonNull<Entry>>,
    tail: Option<NonNull<Entry>>,
    len: usize,
}

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Entry {
    value: char,
    prev: Option<NonNull<Entry>>,
    next: Option<NonNull<Entry>>,
}

impl Deque {
    fn push_back(&mut self, value: char) {
        let entry = Box::new(Entry { value, prev: self.tail, next: None });
        let entry = NonNull::from(Box::leak(entry));
        match self.tail {
            // SAFETY: the entries of the deque are alive.
            Some(mut tail) => unsafe { tail.as_mut().next = Some(entry) },
            None => self.head = Some(entry),
        }
        self.tail = Some(entry);
        self.len += 1;
    }
}

impl Drop for Deque {
    fn drop(&mut self) {
        let mut next = self.head.take();
        while let Some(entry) = next {
            // SAFETY: made by `Box::leak`, and freed once.
            next = unsafe { Box::from_raw(entry.as_ptr()) }.next;
        }
    }
}

#[test]
fn raw_pointers_that_nobody_else_owns_make_their_objects() {
    let mut deque = Deque { head: None, tail: None, len: 0 };
    "aba".chars().for_each(|c| deque.push_back(c));
    let (text, again, _) = there_and_back(3, &deque);
    assert_eq!(
        text,
        [
            "root = Deque0",
            "head = Deque0->Entry0",
            "tail = Deque0->Entry1",
            "len = Deque0->3",
            "value = Entry0->\"a\" Entry1->\"a\" Entry2->\"b\"",
            "prev = Entry1->Entry2 Entry2->Entry0",
            "next = Entry0->Entry2 Entry2->Entry1",
        ]
    );
    assert_eq!(again.len, 3);
}

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Account {
    owner: Arc<Mutex<Person>>,
    limit: Mutex<Option<u16>>,
}

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Person {
    age: u8,
    at: Point,
}

#[derive(Heap, Debug, Clone, Copy, PartialEq)]
#[heap(crate = tera_heap)]
struct Point {
    x: i8,
    y: i8,
}

#[test]
fn locks_and_inline_structs_are_seen_through() {
    let person = Person { age: 7, at: Point { x: 1, y: 2 } };
    let account = Account { owner: Arc::new(Mutex::new(person)), limit: Mutex::new(Some(5)) };
    let (text, again, _) = there_and_back(2, &account);
    assert_eq!(
        text,
        [
            "root = Account0",
            "owner = Account0->Person0",
            "limit = Account0->5",
            "age = Person0->7",
            "at = Person0->Point0",
            "x = Point0->1",
            "y = Point0->2",
        ]
    );
    assert_eq!(again.owner.lock().unwrap().at, Point { x: 1, y: 2 });
}

#[derive(Heap, Debug, PartialEq)]
#[heap(crate = tera_heap)]
struct Meters(u8);

#[derive(Heap, Debug, PartialEq, Clone, Copy)]
#[heap(crate = tera_heap)]
enum Color {
    Red,
    Black,
}

#[derive(Heap, Debug, PartialEq)]
#[heap(crate = tera_heap)]
enum Expr {
    Zero,
    Literal(Meters),
    Negate(Box<Expr>),
    Sum { left: Box<Expr>, right: Box<Expr>, color: Color, fast: bool },
}

#[test]
fn variants_are_signatures_and_newtypes_are_nothing() {
    let leaf = || Box::new(Expr::Literal(Meters(2)));
    let value = Expr::Sum {
        left: Box::new(Expr::Negate(leaf())),
        right: Box::new(Expr::Zero),
        color: Color::Black,
        fast: true,
    };
    let text = same(4, &value);
    assert_eq!(
        text,
        [
            "root = Expr0",
            "f0 = Expr2->2",
            "f0 = Expr1->Expr2",
            "left = Expr0->Expr1",
            "right = Expr0->Zero0",
            "color = Expr0->Black0",
            "fast = Expr0->True0",
        ]
    );
}

#[derive(Heap, Debug, PartialEq)]
#[heap(crate = tera_heap)]
struct Pair<A, B> {
    first: A,
    second: Option<B>,
    #[heap(skip)]
    cache: Vec<String>,
    #[heap(skip = 17)]
    salt: u64,
    unit: (),
}

#[test]
fn generics_and_skipped_fields() {
    let value = Pair {
        first: Color::Red,
        second: Some(Box::new(Point { x: 0, y: 1 })),
        cache: vec![],
        salt: 17,
        unit: (),
    };
    let text = same(2, &value);
    assert_eq!(
        text,
        ["root = Pair0", "first = Pair0->Red0", "second = Pair0->Point0", "x = Point0->0", "y = Point0->1"]
    );
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Counted {
    next: Option<Rc<RefCell<Counted>>>,
}

#[test]
fn long_chains_need_no_deep_stack() {
    let small = std::thread::Builder::new().stack_size(192 << 10);
    small.spawn(long_chains).unwrap().join().unwrap();
}

fn long_chains() {
    const N: usize = 3_000;
    let natural = Natural::of::<List>(N);
    let long = list(&vec![1; N]);
    let (instance, outcome) = natural.read(&long);
    assert!(outcome.is_clean());
    let mut made = Made::new();
    let mut c = Concretizer::new(&natural.binding, &instance, &mut made);
    let again: Box<List> = c.root(0).unwrap();
    c.finish().unwrap();
    let mut second = natural.binding.start.clone();
    let mut seen = Seen::new();
    let mut a = Abstractor::new(&natural.binding, Before::Instance(&instance), &mut second, &mut seen)
        .with_objects(&made, None);
    a.root(0, &*again);
    assert!(a.finish().is_clean());
    assert!(instance == second);
    for list in [long, *again] {
        let mut next = list.header;
        while let Some(node) = next {
            next = node.next;
        }
    }

    let natural = Natural::of::<Counted>(N);
    let mut value = Counted { next: None };
    for _ in 1..N {
        value = Counted { next: Some(Rc::new(RefCell::new(value))) };
    }
    let (instance, outcome) = natural.read(&value);
    assert!(outcome.is_clean());
    let mut c = Concretizer::new(&natural.binding, &instance, &mut made);
    let again: Box<Counted> = c.root(0).unwrap();
    c.finish().unwrap();
    for counted in [value, *again] {
        let (mut next, mut n) = (counted.next, 1);
        while let Some(node) = next {
            next = node.borrow_mut().next.take();
            n += 1;
        }
        assert_eq!(n, N);
    }
}
