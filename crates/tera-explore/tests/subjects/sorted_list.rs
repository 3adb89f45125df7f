//! Lists with nondecreasing values 1..=n; 0 in the sentinel.

use std::mem::ManuallyDrop;

use tera_explore::dedicated::{Sorted, equal};
use tera_explore::{Candidate, Choices, Finitization, Visited};

use super::ring::{self, Entry, Ring, RingRef};
use super::{bug, ensure};

pub type SortedList = Ring<i32>;
pub type SortedListRef<'a> = RingRef<'a, i32>;

pub fn space(n: usize) -> Finitization<SortedList> {
    ring::space(n)
}

pub fn rep_ok(list: SortedListRef) -> bool {
    let mut least = 1;
    ring::is_ring(list, equal(0))
        && ring::entries(list).all(|entry| {
            let above = std::mem::replace(&mut least, entry.element());
            above <= least
        })
}

/// The same predicate from dedicated generators.
pub fn rep_ok_dedicated(list: SortedListRef) -> bool {
    let mut sorted = Sorted::from(1);
    ring::is_ring_dedicated(list, equal(0))
        && ring::entries(list).all(|entry| sorted.next(entry.element_field()))
}

/// A list before it is sorted.
fn is_list(list: SortedListRef) -> bool {
    ring::is_ring_dedicated(list, equal(0))
        && ring::entries(list).all(|entry| entry.element_field().require(|element| element > 0))
}

fn element(entry: *mut Entry<i32>) -> i32 {
    // SAFETY: asked of entries of a list only.
    unsafe { (*entry).element }
}

impl SortedList {
    /// Adds a value, behind those that are equal to it.
    pub fn insert(&mut self, value: i32) {
        let next = self.entries().find(|entry| element(*entry) > value && !bug(1));
        self.insert_before(next.unwrap_or(self.header), value);
    }

    /// Takes one occurrence of a value out; false if there is none.
    pub fn remove(&mut self, value: i32) -> bool {
        let found = self.entries().find(|entry| element(*entry) == value);
        found.map(|entry| self.unlink(entry)).is_some() || bug(2)
    }

    /// Sorts by insertion: every entry goes behind the last one before it that is not above it.
    pub fn sort(&mut self) {
        let entries: Vec<_> = self.entries().collect();
        for (at, entry) in entries.into_iter().enumerate() {
            let sorted = self.entries().take(if bug(3) { at.min(2) } else { at });
            let next = sorted.into_iter().find(|before| element(*before) > element(entry));
            if let Some(next) = next {
                let entry = self.unlink(entry);
                self.link_before(next, entry);
            }
        }
    }

    /// Takes over the entries of another list.
    pub fn merge(&mut self, other: &mut SortedList) {
        let mut next = self.first();
        for entry in other.entries().collect::<Vec<_>>() {
            while next != self.header && element(next) <= element(entry) {
                // SAFETY: an entry of this list.
                next = unsafe { (*next).next };
            }
            let entry = other.unlink(entry);
            self.link_before(if bug(4) { self.first() } else { next }, entry);
        }
    }

    pub fn values(&self) -> Vec<i32> {
        self.entries().map(element).collect()
    }
}

/// What is passed to `merge`: two lists of entries of one pool.
#[derive(Candidate)]
pub struct Merge {
    pub first: SortedList,
    pub second: SortedList,
}

fn merge_ok(merge: MergeRef) -> bool {
    let mut seen = Visited::new();
    let mut apart = |list: SortedListRef| {
        list.header().into_iter().chain(ring::entries(list)).all(|entry| seen.insert(entry))
    };
    // Shapes before values.
    ring::is_ring_dedicated(merge.first(), equal(0))
        && apart(merge.first())
        && ring::is_ring_dedicated(merge.second(), equal(0))
        && apart(merge.second())
        && [merge.first(), merge.second()].into_iter().all(rep_ok_dedicated)
}

pub const N_BUGS: usize = 4;

/// Calls `insert` and `remove` on all lists with all values, `sort` on all lists in any order, `merge` on
/// all pairs of lists; how many calls there are, or the first violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let mut calls = 0;
    let mut judge = |list: SortedList, before: &[i32], expected: &mut Vec<i32>, method: &str| {
        let list = ManuallyDrop::new(list);
        expected.sort_unstable();
        ensure!(rep_ok((&*list).into()), "{method} of {before:?} keeps a sorted list");
        ensure!(list.values() == *expected, "{method} of {before:?} has the right values");
        drop(ManuallyDrop::into_inner(list));
        calls += 1;
        Ok(())
    };
    let mut lists = space(n).search().expect("right settings");
    while lists.next(&mut rep_ok_dedicated) {
        for value in 1..=n as i32 {
            let mut list = lists.value().expect("raw pointers share");
            let before = list.values();
            list.insert(value);
            judge(list, &before, &mut [&before[..], &[value]].concat(), "insert")?;

            let mut list = lists.value().expect("raw pointers share");
            let (mut expected, at) = (before.clone(), before.iter().position(|other| *other == value));
            at.map(|at| expected.remove(at));
            ensure!(list.remove(value) == at.is_some(), "remove of {before:?} tells whether it was there");
            judge(list, &before, &mut expected, "remove")?;
        }
    }
    for mut list in space(n).inputs(is_list).expect("right settings") {
        let before = list.values();
        list.sort();
        judge(list, &before, &mut before.clone(), "sort")?;
    }
    let merges = Finitization::<Merge>::of(n).objects("Entry", n + 1);
    for Merge { mut first, mut second } in merges.inputs(merge_ok).expect("right settings") {
        let (before, other) = (first.values(), second.values());
        first.merge(&mut second);
        ensure!(rep_ok((&second).into()) && second.size == 0, "merge with {other:?} empties it");
        judge(first, &before, &mut [before.clone(), other].concat(), "merge")?;
    }
    Ok(calls)
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
