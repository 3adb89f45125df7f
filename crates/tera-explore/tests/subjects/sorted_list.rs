//! Circular doubly linked lists with a sentinel, nondecreasing values 1..=n.

use tera_explore::{Candidate, Finitization, Visited};

#[derive(Candidate, Debug)]
pub struct SortedList {
    pub size: usize,
    pub header: *mut Entry,
}

#[derive(Candidate, Debug)]
pub struct Entry {
    /// 0 in the sentinel.
    pub element: i32,
    pub next: *mut Entry,
    pub previous: *mut Entry,
}

pub fn space(n: usize) -> Finitization<SortedList> {
    Finitization::of(n).objects("Entry", n + 1)
}

pub fn rep_ok(list: SortedListRef) -> bool {
    let Some(header) = list.header() else { return false };
    if header.element() != 0 {
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
            break;
        }
        entry = next;
    }
    if list.size() != seen.len() - 1 {
        return false;
    }
    let (mut entry, mut least) = (header.next(), 1);
    while let Some(here) = entry
        && here != header
    {
        if here.element() < least {
            return false;
        }
        least = here.element();
        entry = here.next();
    }
    true
}
