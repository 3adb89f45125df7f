//! What must not be followed, and what has no atom.

use std::collections::HashSet;
use std::sync::Mutex;

use tera_heap::*;

use crate::support::Natural;

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct List {
    head: *mut Node,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Node {
    value: i64,
    next: *mut Node,
    boxed: Option<Box<Node>>,
}

fn node(value: i64, next: *mut Node) -> *mut Node {
    Box::into_raw(Box::new(Node { value, next, boxed: None }))
}

/// Knows which blocks are dead; does not look at them.
struct Known {
    freed: HashSet<usize>,
    unknown: HashSet<usize>,
}

impl Liveness for Known {
    fn status(&self, address: *const (), _: usize) -> Status {
        match address as usize {
            a if self.freed.contains(&a) => Status::Freed,
            a if self.unknown.contains(&a) => Status::Unknown,
            _ => Status::Live,
        }
    }
}

fn outcome(list: &List, freed: &[*mut Node], unknown: &[*mut Node]) -> (Vec<String>, Outcome) {
    let natural = Natural::of::<List>(4);
    let mut instance = natural.binding.start.clone();
    let mut seen = Seen::new();
    let set = |pointers: &[*mut Node]| pointers.iter().map(|&p| p as usize).collect();
    let known = Known { freed: set(freed), unknown: set(unknown) };
    let mut a =
        Abstractor::new(&natural.binding, Before::Nothing, &mut instance, &mut seen).with_liveness(&known);
    a.root(0, list);
    let outcome = a.finish();
    (natural.show(&instance), outcome)
}

#[test]
fn a_freed_block_is_reported_with_its_path_and_never_read() {
    // The freed "block" is no memory at all: reading it would crash.
    let freed = 0x5000_0000_0010 as *mut Node;
    let second = node(2, freed);
    let list = List { head: node(1, second) };
    let (text, outcome) = outcome(&list, &[freed], &[]);
    assert_eq!(outcome.dead.len(), 1);
    assert_eq!(outcome.dead[0].to_string(), "root.head.next.next points to a freed block");
    assert_eq!(outcome.dead[0].address, freed as usize);
    assert_eq!(
        text,
        ["root = List0", "head = List0->Node0", "value = Node0->1 Node1->2", "next = Node0->Node1"]
    );
}

#[test]
fn owning_pointers_are_asked_too() {
    let dead = 0x5000_0000_0010 as *mut Node;
    let first = node(1, std::ptr::null_mut());
    // SAFETY: the box is never used: abstraction must not read it, and the node is leaked.
    unsafe { (&raw mut (*first).boxed).cast::<*mut Node>().write(dead) };
    let (_, outcome) = outcome(&List { head: first }, &[], &[dead]);
    assert_eq!(outcome.dead[0].to_string(), "root.head.boxed points to no block");
}

#[test]
fn small_and_crooked_addresses_are_dead_without_a_guard() {
    let natural = Natural::of::<List>(2);
    let (_, outcome) = natural.read(&List { head: 24 as *mut Node });
    assert_eq!(outcome.dead[0].to_string(), "root.head points to no block");
    let first = node(1, std::ptr::null_mut());
    // SAFETY: still inside the block.
    let crooked = unsafe { first.byte_add(1) };
    let (_, outcome) = natural.read(&List { head: crooked });
    assert_eq!(outcome.dead[0].to_string(), "root.head is not aligned");
    // A usual way to say null.
    let (text, outcome) = natural.read(&List { head: std::ptr::NonNull::dangling().as_ptr() });
    assert!(outcome.is_clean());
    assert_eq!(text_of(&natural, &text), ["root = List0"]);
}

fn text_of(natural: &Natural, instance: &tera_rel::Instance) -> Vec<String> {
    natural.show(instance)
}

#[test]
fn what_has_no_atom_is_counted() {
    let mut head = std::ptr::null_mut();
    for value in [5, 11, -7, 3] {
        head = node(value, head);
    }
    let natural = Natural::of::<List>(2);
    let (_, outcome) = natural.read(&List { head });
    assert_eq!(outcome.needs.ints, Some((-7, 11)));
    let node_type = natural.binding.graph.types.iter().position(|ty| ty.sig == "Node").unwrap();
    assert_eq!(outcome.needs.objects, [(TypeIx(node_type as u32), 2)]);
    assert!(outcome.dead.is_empty());
}

#[test]
fn a_hundred_thousand_nodes_are_counted_without_a_deep_stack() {
    let natural = Natural::of::<List>(2);
    let mut head = std::ptr::null_mut();
    for _ in 0..50_000 {
        head = node(1, head);
    }
    // Half of them by raw pointers, half by boxes.
    let mut boxed = None;
    for _ in 0..50_000 {
        boxed = Some(Box::new(Node { value: 1, next: std::ptr::null_mut(), boxed }));
    }
    // SAFETY: just made.
    unsafe { (*head).boxed = boxed };
    let (_, outcome) = natural.read(&List { head });
    assert_eq!(outcome.needs.objects.iter().map(|n| n.1).sum::<usize>(), 99_998);
    // Dropping the boxes one inside the other would recurse: they are leaked with the rest.
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Locked {
    inside: Mutex<u8>,
}

#[test]
fn a_lock_that_is_still_held_is_said() {
    let natural = Natural::of::<Locked>(1);
    let value = Locked { inside: Mutex::new(1) };
    let guard = value.inside.lock().unwrap();
    let (_, outcome) = natural.read(&value);
    drop(guard);
    assert_eq!(outcome.faults[0].message, "root.inside is still locked after the call");
}
