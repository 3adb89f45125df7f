//! Circular doubly linked lists with a sentinel, of anonymous elements (compared by identity) or nulls.

use std::rc::Rc;
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
