//! Raw pointers under the memory guard, with bugs: see `src/wrong.rs`.

use std::ptr::NonNull;

use testera::Heap;

testera::guard_memory!();

fn is_fixed() -> bool {
    tera_subjects::is_fixed()
}

type Link = Option<NonNull<Node>>;

#[derive(Heap)]
struct List {
    head: Link,
    tail: Link,
}

#[derive(Heap)]
struct Node {
    next: Link,
    prev: Link,
}

impl List {
    /// Takes the first node out.
    fn pop(&mut self) -> Option<Box<Node>> {
        // Safety: the nodes of the list are live and its own.
        let node = unsafe { Box::from_raw(self.head?.as_ptr()) };
        self.head = node.next;
        Some(node)
    }
}

impl Drop for List {
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}

/// Leaves `prev` of the second node, or `tail`, where the first one was.
#[testera::check(
    "sig List { head, tail: lone Node } sig Node { next, prev: lone Node }",
    requires = "no list.head.prev and list.tail = { n: list.head.*next | no n.next } and
                (all n: list.head.*next | n not in n.^next and n.next.prev = (some n.next implies n else none))",
    ensures = "no list.head.prev",
    scope = 3
)]
#[ignore = "fails on purpose"]
fn dangling(list: &mut List) {
    drop(list.pop());
    if is_fixed() {
        match list.head {
            // Safety: as above.
            Some(mut head) => unsafe { head.as_mut().prev = None },
            None => list.tail = None,
        }
    }
}

/// Never frees a node that was taken out.
#[testera::check(
    "sig Stack { top: lone Cell } sig Cell { below: lone Cell }",
    requires = "all c: stack.top.*below | c not in c.^below",
    ensures = "stack.top = stack.top`.below`",
    scope = 3
)]
#[ignore = "fails on purpose"]
fn leaking(stack: &mut Stack) {
    let Some(top) = std::ptr::NonNull::new(stack.top) else { return };
    // Safety: cells are boxed, live, and the stack's own.
    unsafe {
        stack.top = (*top.as_ptr()).below;
        if is_fixed() {
            drop(Box::from_raw(top.as_ptr()));
        }
    }
}

#[derive(Heap)]
struct Stack {
    top: *mut Cell,
}

#[derive(Heap)]
struct Cell {
    below: *mut Cell,
}

impl Drop for Stack {
    fn drop(&mut self) {
        while !self.top.is_null() {
            // Safety: as above.
            self.top = unsafe { Box::from_raw(self.top) }.below;
        }
    }
}

/// Takes the top cell off and frees it twice.
#[testera::check(
    "sig Stack { top: lone Cell } sig Cell { below: lone Cell }",
    requires = "all c: stack.top.*below | c not in c.^below",
    scope = 2
)]
#[ignore = "fails on purpose"]
fn double_free(stack: &mut Stack) {
    let top = stack.top;
    if top.is_null() {
        return;
    }
    // Safety: once it is as in `leaking`; twice it is not, that is the point.
    unsafe {
        stack.top = (*top).below;
        drop(Box::from_raw(top));
        if !is_fixed() {
            drop(Box::from_raw(top));
        }
    }
}

#[cfg(feature = "pasted")]
mod pasted {
    use super::*;

    include!(concat!(env!("TERA_PASTED"), "/memory.rs"));
}
