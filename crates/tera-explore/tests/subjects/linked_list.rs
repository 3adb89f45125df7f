//! Lists of anonymous elements (compared by identity) or nulls.

use std::mem::ManuallyDrop;
use std::rc::Rc;

use tera_explore::{Candidate, Finitization};

use super::ring::{self, Ring, RingRef};
use super::{bug, ensure};

/// An object of which nothing is known but which it is.
#[derive(Candidate, Debug)]
pub struct Element;

pub type LinkedList = Ring<Option<Rc<Element>>>;
pub type LinkedListRef<'a> = RingRef<'a, Option<Rc<Element>>>;

pub fn space(n: usize) -> Finitization<LinkedList> {
    ring::space(n)
}

pub fn rep_ok(list: LinkedListRef) -> bool {
    ring::is_ring(list, |element| element.is_none())
}

pub fn rep_ok_dedicated(list: LinkedListRef) -> bool {
    ring::is_ring_dedicated(list, |element| element.is_none())
}

impl LinkedList {
    /// Adds an element at the end.
    pub fn add(&mut self, element: Option<Rc<Element>>) {
        let end = if bug(1) { self.first() } else { self.header };
        self.insert_before(end, element);
    }

    /// Takes the first occurrence of an element out; false if there is none.
    pub fn remove(&mut self, element: &Option<Rc<Element>>) -> bool {
        let is_it = |entry: &*mut ring::Entry<_>| {
            // SAFETY: an entry of this list.
            let found: &Option<Rc<Element>> = unsafe { &(**entry).element };
            match (found, element) {
                (Some(found), Some(element)) => Rc::ptr_eq(found, element),
                (None, None) => !bug(2),
                _ => false,
            }
        };
        let found = if bug(3) { self.entries().filter(is_it).last() } else { self.entries().find(is_it) };
        found.map(|entry| self.unlink(entry)).is_some()
    }

    pub fn reverse(&mut self) {
        let mut entry = self.header;
        // SAFETY: the pointers of a ring are valid, and every entry is met once.
        unsafe {
            loop {
                let next = (*entry).next;
                if !(bug(4) && next == self.header) {
                    (*entry).next = (*entry).previous;
                }
                (*entry).previous = next;
                entry = next;
                if entry == self.header {
                    break;
                }
            }
        }
    }

    /// What is in the list, by identity.
    pub fn contents(&self) -> Vec<Option<*const Element>> {
        // SAFETY: entries of this list.
        self.entries().map(|entry| unsafe { (*entry).element.as_ref() }.map(Rc::as_ptr)).collect()
    }
}

/// What is passed to `add` and `remove`.
#[derive(Candidate)]
pub struct Call {
    pub list: LinkedList,
    pub element: Option<Rc<Element>>,
}

pub const N_BUGS: usize = 4;

/// Calls `add`, `remove` and `reverse` on all inputs; how many there are, or the first violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let mut calls = 0;
    let mut inputs = Finitization::<Call>::of(n).objects("Entry", n + 1).search().expect("right settings");
    while inputs.next(&mut |call: CallRef| rep_ok_dedicated(call.list())) {
        let text = inputs.description();
        for is_add in [true, false] {
            let mut call = ManuallyDrop::new(inputs.value().expect("raw pointers share"));
            let Call { list, element } = &mut *call;
            let mut expected = list.contents();
            let identity = element.as_ref().map(Rc::as_ptr);
            if is_add {
                expected.push(identity);
                list.add(element.clone());
            } else {
                let at = expected.iter().position(|other| *other == identity);
                at.map(|at| expected.remove(at));
                ensure!(list.remove(element) == at.is_some(), "remove tells whether it was there: {text}");
            }
            let list = &call.list;
            ensure!(rep_ok(list.into()), "the list stays one (add: {is_add}): {text}");
            ensure!(call.list.contents() == expected, "the contents are right (add: {is_add}): {text}");
            drop(ManuallyDrop::into_inner(call));
            calls += 1;
        }
    }
    for list in space(n).inputs(rep_ok_dedicated).expect("right settings") {
        let mut list = ManuallyDrop::new(list);
        let mut expected = list.contents();
        expected.reverse();
        list.reverse();
        ensure!(rep_ok((&*list).into()), "the reversed list stays one: {expected:?}");
        ensure!(list.contents() == expected, "the list is reversed: {expected:?}");
        drop(ManuallyDrop::into_inner(list));
        calls += 1;
    }
    Ok(calls)
}
