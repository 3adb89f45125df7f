//! Functions with bugs, on values of many shapes: every counterexample must fail the same way as the test it
//! is emitted as, and pass with `FIXED`.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::{Rc, Weak};

use testera::Heap;

use crate::is_fixed;

#[derive(Heap)]
struct List {
    header: Option<Box<Node>>,
}

#[derive(Heap)]
struct Node {
    elem: i32,
    next: Option<Box<Node>>,
}

/// Reverses, which sorts a list that is sorted the other way.
#[testera::check(
    "list.als",
    requires = "acyclic[list]",
    ensures = "sorted[list] and permutation[list]",
    scope = 3
)]
#[ignore = "fails on purpose"]
fn boxes(list: &mut List) {
    let mut elems = Vec::new();
    while let Some(node) = list.header.take() {
        elems.push(node.elem);
        list.header = node.next;
    }
    if is_fixed() {
        elems.sort_unstable_by(|a, b| b.cmp(a));
    }
    for elem in elems {
        list.header = Some(Box::new(Node { elem, next: list.header.take() }));
    }
}

/// Forgets the carry: an argument by value, and a result outside the scope of the inputs.
#[testera::check(ensures = "result = plus[a, b]", scope = "1, 0..9 Int")]
#[ignore = "fails on purpose"]
fn numbers(a: u8, b: u8) -> u8 {
    if is_fixed() { a + b } else { (a + b) % 10 }
}

/// Loses duplicates.
#[testera::check(ensures = "#result = #numbers", scope = 2)]
#[ignore = "fails on purpose"]
fn slices(numbers: &[u8]) -> Vec<u8> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    if !is_fixed() {
        sorted.dedup();
    }
    sorted
}

#[derive(Heap)]
enum Expr {
    Zero,
    Inc(Box<Expr>),
    Add(Box<Expr>, Box<Expr>),
}

impl Expr {
    fn value(&self) -> usize {
        match self {
            Expr::Zero => 0,
            Expr::Inc(inner) => inner.value() + 1,
            Expr::Add(left, right) if is_fixed() => left.value() + right.value(),
            Expr::Add(left, _) => left.value(),
        }
    }
}

#[testera::check(
    "abstract sig Expr {} sig Zero extends Expr {}
     sig Inc extends Expr { f0: Expr } sig Add extends Expr { f0, f1: Expr }
     fun parts[e: Expr]: set Expr { e.*(Inc <: f0 + Add <: f0 + Add <: f1) }",
    ensures = "result = #(parts[expr] & Inc)",
    scope = 4
)]
#[ignore = "fails on purpose"]
fn enums(expr: &Expr) -> usize {
    expr.value()
}

#[derive(Heap)]
struct Tree {
    root: Rc<RefCell<Branch>>,
}

#[derive(Heap)]
struct Branch {
    children: Vec<Rc<RefCell<Branch>>>,
    parent: Weak<RefCell<Branch>>,
}

/// Adds a child and forgets to tell it who its parent is.
#[testera::check(
    "sig Tree { root: Branch } sig Branch { children: set Branch, parent: lone Branch }
     pred wellFormed[t: Tree] {
       no t.root.parent
       all b: t.root.*children | b not in b.^children and b.children.parent in b
         and all c: b.children | c.parent = b
     }",
    requires = "wellFormed[tree]",
    ensures = "wellFormed[tree]",
    scope = 3
)]
#[ignore = "fails on purpose"]
fn counted(tree: &mut Tree) {
    let parent = if is_fixed() { Rc::downgrade(&tree.root) } else { Weak::new() };
    let child = Rc::new(RefCell::new(Branch { children: Vec::new(), parent }));
    tree.root.borrow_mut().children.push(child);
}

#[derive(Heap)]
struct Ring {
    at: Rc<Station>,
}

#[derive(Heap)]
struct Station {
    name: u8,
    next: RefCell<Option<Rc<Station>>>,
    twin: Cell<*const Station>,
}

/// Stations in a cycle, each with a raw pointer to its twin; the last one before the cycle closes is skipped.
#[testera::check(
    "sig Ring { at: Station } sig Station { name: Int, next: lone Station, twin: lone Station }",
    requires = "all s: ring.at.*next | some s.next and s.twin.twin = s",
    ensures = "result = #ring.at.*next",
    scope = "3, 0..3 Int"
)]
#[ignore = "fails on purpose"]
fn cycles(ring: &Ring) -> usize {
    let mut seen: Vec<*const Station> = Vec::new();
    let mut at = Some(ring.at.clone());
    while let Some(station) = at.filter(|station| !seen.contains(&Rc::as_ptr(station))) {
        seen.push(Rc::as_ptr(&station));
        at = station.next.borrow().clone();
    }
    if is_fixed() { seen.len() } else { seen.len().min(2) }
}

#[derive(Heap)]
struct Arena {
    #[heap(arena)]
    slots: Vec<Slot>,
    #[heap(index = Slot)]
    first: Option<usize>,
}

#[derive(Heap)]
struct Slot {
    used: bool,
    #[heap(index = Slot)]
    next: Option<usize>,
}

/// Marks all slots of the chain but the first.
#[testera::check(
    "open util/boolean
     sig Arena { slots: seq Slot, first: lone Slot } sig Slot { used: Bool, next: lone Slot }",
    requires = "arena.slots.elems = arena.first.*next and not arena.slots.hasDups and
                all s: arena.first.*next | s not in s.^next",
    ensures = "all s: arena.first.*next | s.used = True",
    scope = "3, 3 seq"
)]
#[ignore = "fails on purpose"]
fn arenas(arena: &mut Arena) {
    let mut at = if is_fixed() { arena.first } else { arena.first.and_then(|i| arena.slots[i].next) };
    while let Some(i) = at {
        arena.slots[i].used = true;
        at = arena.slots[i].next;
    }
}

#[derive(Heap)]
struct Index {
    names: BTreeMap<u8, bool>,
    recent: VecDeque<u8>,
    hidden: BTreeSet<char>,
    pair: Option<(u8, bool)>,
    bits: [bool; 2],
}

/// Takes a key out of the map and leaves it in the queue.
#[testera::check(
    "open util/boolean
     sig Index { names: Int -> lone Bool, recent: seq Int, hidden: set String, pair: Int -> lone Bool,
                 bits: Int -> lone Bool }
     fact { all i: Index | i.hidden in \"a\" }",
    requires = "index.recent.elems = index.names.Bool and not index.recent.hasDups",
    ensures = "index.recent.elems = index.names.Bool",
    scope = "1, 0..1 Int, 1 seq"
)]
#[ignore = "fails on purpose"]
fn collections(index: &mut Index, key: u8) {
    index.names.remove(&key);
    if is_fixed() {
        index.recent.retain(|other| *other != key);
    }
}

#[testera::check(ensures = "result in Int", scope = "1, 0..5 Int")]
#[ignore = "fails on purpose"]
fn panics(number: u8) -> u8 {
    assert!(number < 3 || is_fixed(), "{number} is too large");
    number
}

#[testera::check(panics_when = "number > 2", scope = "1, 0..5 Int")]
#[ignore = "fails on purpose"]
fn does_not_panic(number: u8) {
    assert!(number < 4 || !is_fixed() && number > 4, "too large");
    if is_fixed() {
        assert!(number < 3, "too large");
    }
}

/// A set as a sorted chain, for a predicate.
#[derive(Heap, testera::Candidate)]
struct Set {
    first: Option<Box<Key>>,
}

#[derive(Heap, testera::Candidate)]
struct Key {
    key: u8,
    next: Option<Box<Key>>,
}

fn is_set(set: SetRef) -> bool {
    let keys = std::iter::successors(set.first(), |key| key.next()).map(|key| i32::from(key.key()));
    keys.fold((true, -1), |(sorted, last), key| (sorted && last < key, key)).0
}

/// Cuts off what lies behind the removed key.
#[testera::check(requires = is_set, scope = 3)]
#[ignore = "fails on purpose"]
fn generated(set: &mut Set, key: u8) {
    fn keys(set: &Set) -> Vec<u8> {
        std::iter::successors(set.first.as_ref(), |key| key.next.as_ref()).map(|key| key.key).collect()
    }
    let before = keys(set);
    let mut place = &mut set.first;
    while place.as_ref().is_some_and(|here| here.key != key) {
        place = &mut place.as_mut().expect("just seen").next;
    }
    if let Some(here) = place.take()
        && is_fixed()
    {
        *place = here.next;
    }
    let lost = before.iter().any(|other| *other != key && !keys(set).contains(other));
    assert!(!lost, "a key that was there is lost");
}

/// A stack that gives back the first instead of the last.
#[testera::explore]
#[ignore = "fails on purpose"]
fn explored(c: &mut testera::Choices) {
    let mut stack = VecDeque::new();
    let mut last = Vec::new();
    for i in 0..c.int(0..=3) {
        if c.bool() {
            stack.push_back(i);
            last.push(i);
        } else {
            let popped = if is_fixed() { stack.pop_back() } else { stack.pop_front() };
            assert_eq!(popped, last.pop(), "popped the wrong one");
        }
    }
}

#[cfg(feature = "pasted")]
mod pasted {
    use super::*;

    include!(concat!(env!("TERA_PASTED"), "/wrong.rs"));
}
