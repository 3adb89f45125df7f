//! Circular doubly linked lists with a sentinel, of anonymous elements (compared by identity) or nulls.

use std::rc::Rc;
use tera_explore::dedicated::{self, equal};
use tera_explore::{Candidate, Finitization, Visited};

#[derive(Candidate, Debug)]
pub struct LinkedList {
    pub size: usize,
    pub header: *mut Entry,
}

#[derive(Candidate, Debug)]
pub struct Entry {
    pub element: Option<Rc<Element>>,
    pub next: *mut Entry,
    pub previous: *mut Entry,
}

/// An object of which nothing is known but which it is.
#[derive(Candidate, Debug)]
pub struct Element;

pub fn space(n: usize) -> Finitization<LinkedList> {
    Finitization::of(n).objects("Entry", n + 1)
}

pub fn rep_ok(list: LinkedListRef) -> bool {
    let Some(header) = list.header() else { return false };
    if header.element().is_some() {
        return false;
    }
    let mut seen = Visited::new();
    let mut entry = header;
    loop {
        let Some(next) = entry.next() else { return false };
        if next.previous() != Some(entry) || !seen.insert(next) {
            return false;
        }
        if next == header {
            return list.size() == seen.len() - 1;
        }
        entry = next;
    }
}

/// The same predicate from dedicated generators.
pub fn rep_ok_dedicated(list: LinkedListRef) -> bool {
    let Some(Some(header)) = list.header_field().find(|header| header.is_some()) else { return false };
    if !header.element_field().require(|element| element.is_none()) {
        return false;
    }
    let Some(entries) = dedicated::ring(header, |entry: EntryRef<'_>| entry.next_field()) else {
        return false;
    };
    let mut entry = header;
    for _ in 0..entries.len() {
        let Some(next) = entry.next() else { return false };
        if !next.previous_field().require(equal(Some(entry))) {
            return false;
        }
        entry = next;
    }
    list.size_field().require(equal(entries.len() - 1))
}
