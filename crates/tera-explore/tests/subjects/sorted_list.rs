//! Circular doubly linked lists with a sentinel, nondecreasing values 1..=n.

use tera_explore::dedicated::{self, Sorted, equal};
use tera_explore::{Candidate, Choices, Finitization, Visited};

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
    if !is_ring(list) {
        return false;
    }
    let header = list.header();
    let (mut entry, mut least) = (header.and_then(|header| header.next()), 1);
    while let Some(here) = entry
        && entry != header
    {
        if here.element() < least {
            return false;
        }
        least = here.element();
        entry = here.next();
    }
    true
}

/// The shape: `next` leads round to the sentinel, `previous` back, `size` counts.
pub fn is_ring(list: SortedListRef) -> bool {
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
            return list.size() == seen.len() - 1;
        }
        entry = next;
    }
}

/// The same predicate from dedicated generators.
pub fn rep_ok_dedicated(list: SortedListRef) -> bool {
    let Some(Some(header)) = list.header_field().find(|header| header.is_some()) else { return false };
    let Some(entries) = dedicated::ring(header, |entry: EntryRef<'_>| entry.next_field()) else {
        return false;
    };
    // First what follows from the shape, then the values: what is read last changes most often.
    let chain = || std::iter::successors(Some(header), |entry| entry.next()).take(entries.len());
    if !chain()
        .all(|entry| entry.next().is_some_and(|next| next.previous_field().require(equal(Some(entry)))))
    {
        return false;
    }
    let mut sorted = Sorted::from(1);
    list.size_field().require(equal(entries.len() - 1))
        && header.element_field().require(equal(0))
        && chain().skip(1).all(|entry| sorted.next(entry.element_field()))
}

/// A list by value: entry 0 is the sentinel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat {
    pub size: u8,
    pub entries: [FlatEntry; 16],
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct FlatEntry {
    pub element: i8,
    pub next: u8,
    pub previous: u8,
}

/// The same lists from choices.
#[inline]
pub fn generate(c: &mut Choices, n: usize) -> Option<Flat> {
    let size = c.int(0..=n as u8);
    let mut list = Flat { size, entries: [FlatEntry::default(); 16] };
    let mut least = 1;
    for at in 1..=size {
        least = c.int(least..=n as i8);
        list.entries[usize::from(at)] = FlatEntry { element: least, next: 0, previous: at - 1 };
        list.entries[usize::from(at) - 1].next = at;
    }
    list.entries[0].previous = size;
    Some(list)
}
