//! Circular doubly linked lists with a sentinel: what `LinkedList` and `SortedList` have in common.

use tera_explore::dedicated::{self, equal};
use tera_explore::{Candidate, Field, Finitization, Visited};

#[derive(Candidate, Debug)]
pub struct Ring<T> {
    pub size: usize,
    pub header: *mut Entry<T>,
}

#[derive(Candidate, Debug)]
pub struct Entry<T> {
    pub element: T,
    pub next: *mut Entry<T>,
    pub previous: *mut Entry<T>,
}

pub fn space<T: Field>(n: usize) -> Finitization<Ring<T>> {
    Finitization::of(n).objects("Entry", n + 1)
}

/// The sentinel is blank, `next` leads round to it, `previous` back, `size` counts.
pub fn is_ring<'a, T: Field>(list: RingRef<'a, T>, blank: impl Fn(T::View<'a>) -> bool) -> bool {
    let Some(header) = list.header() else { return false };
    if !blank(header.element()) {
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

/// The same predicate from dedicated generators. First what follows from the shape, then the values: what
/// is read last changes most often.
pub fn is_ring_dedicated<'a, T: Field>(list: RingRef<'a, T>, blank: impl Fn(T::View<'a>) -> bool) -> bool {
    let Some(Some(header)) = list.header_field().find(|header| header.is_some()) else { return false };
    let Some(entries) = dedicated::ring(header, |entry: EntryRef<'a, T>| entry.next_field()) else {
        return false;
    };
    std::iter::once(header)
        .chain(self::entries(list))
        .all(|entry| entry.next().is_some_and(|next| next.previous_field().require(equal(Some(entry)))))
        && list.size_field().require(equal(entries.len() - 1))
        && header.element_field().require(blank)
}

/// The entries of a ring but the sentinel.
pub fn entries<'a, T: Field>(list: RingRef<'a, T>) -> impl Iterator<Item = EntryRef<'a, T>> {
    let header = list.header();
    let first = header.and_then(|header| header.next());
    std::iter::successors(first, |entry| entry.next()).take_while(move |entry| Some(*entry) != header)
}

/// The operations on links. All pointers of a ring are valid, from its making to its end.
impl<T> Ring<T> {
    pub fn first(&self) -> *mut Entry<T> {
        // SAFETY: see above, as in all that follows.
        unsafe { (*self.header).next }
    }

    /// Visits the entries from the first on.
    pub fn entries(&self) -> impl Iterator<Item = *mut Entry<T>> + use<T> {
        let header = self.header;
        std::iter::successors(Some(self.first()), |entry| Some(unsafe { (**entry).next }))
            .take_while(move |entry| *entry != header)
    }

    pub fn insert_before(&mut self, next: *mut Entry<T>, element: T) {
        unsafe {
            let previous = (*next).previous;
            let entry = Box::into_raw(Box::new(Entry { element, next, previous }));
            (*previous).next = entry;
            (*next).previous = entry;
        }
        self.size += 1;
    }

    /// Takes an entry out of the ring.
    pub fn unlink(&mut self, entry: *mut Entry<T>) -> Box<Entry<T>> {
        unsafe {
            let Entry { next, previous, .. } = *entry;
            (*previous).next = next;
            (*next).previous = previous;
            self.size -= 1;
            Box::from_raw(entry)
        }
    }

    /// Puts an entry that is in no ring before another.
    pub fn link_before(&mut self, next: *mut Entry<T>, entry: Box<Entry<T>>) {
        let entry = Box::into_raw(entry);
        unsafe {
            let previous = (*next).previous;
            ((*entry).next, (*entry).previous) = (next, previous);
            (*previous).next = entry;
            (*next).previous = entry;
        }
        self.size += 1;
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        for entry in self.entries().collect::<Vec<_>>() {
            drop(unsafe { Box::from_raw(entry) });
        }
        drop(unsafe { Box::from_raw(self.header) });
    }
}
