//! Fields that have not been read yet: to read, to require something of, or to write in the search.

use std::fmt;

use crate::candidate::Candidate;
use crate::field::Field;
use crate::handle::{Handle, Place};

/// One field of one object, not yet read: what [`FieldRef::require`] and the dedicated generators take.
pub struct FieldRef<'a, F> {
    handle: Handle<'a, F>,
}

impl<F> Clone for FieldRef<'_, F> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<F> Copy for FieldRef<'_, F> {}
impl<F> fmt::Debug for FieldRef<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field {:?}", self.handle)
    }
}

impl<'a, F: Field> FieldRef<'a, F> {
    #[inline]
    pub fn candidate(candidate: &'a Candidate, slot: usize) -> Self {
        FieldRef { handle: Handle::inline(candidate, slot) }
    }

    #[inline]
    pub fn real(value: &'a F) -> Self {
        FieldRef { handle: Handle::real(value) }
    }

    /// Reads the field.
    #[inline]
    pub fn get(self) -> F::View<'a> {
        match self.handle.place() {
            Place::Candidate(candidate, _) => F::read_at(candidate, self.handle.address()),
            Place::Real(value) => F::view(value),
        }
    }

    /// The field as far as it is known: nothing if it has not been read in this search. For preconditions
    /// that judge no more than the subject has read.
    #[inline]
    pub fn peek(self) -> Option<F::View<'a>> {
        match self.handle.place() {
            Place::Candidate(candidate, slot) if F::BY_FIRST_SLOT => {
                candidate.peek(slot).map(|first| F::read_as(candidate, slot, first))
            }
            _ => Some(self.get()),
        }
    }

    /// Changes the field until the end of the run, for subjects that run inside the search. A field that is
    /// written before it is read is never chosen.
    ///
    /// Panics on a real value, which a view cannot change, and on fields that take more than one slot.
    pub fn set(self, value: F::View<'a>) {
        match (self.handle.place(), F::encode(value)) {
            (Place::Candidate(candidate, slot), Some(value)) => candidate.set(slot, value),
            (Place::Candidate(..), None) => panic!("only scalars and pointers can be changed through a view"),
            (Place::Real(_), _) => panic!("a view of a real value only reads it"),
        }
    }

    /// Does the test hold of the field? In the search, other values are never tried: so only ask for what
    /// the predicate cannot do without, and return `false` when it does not hold.
    ///
    /// A number, a character or an enum is not chosen yet: if the predicate does not read it later on, all
    /// values that pass are structures of one and the same run. So require first and read last.
    ///
    /// Other fields that the test reads are chosen before this one. Fields that take more than one slot
    /// (structs, tuples) are read and tested.
    #[inline]
    pub fn require(self, mut test: impl FnMut(F::View<'a>) -> bool) -> bool {
        match self.handle.place() {
            Place::Candidate(candidate, slot) if F::BY_FIRST_SLOT => {
                candidate.restrict(slot, |first| test(F::read_as(candidate, slot, first)))
            }
            _ => test(self.get()),
        }
    }

    /// [`FieldRef::require`], and the value, which is chosen now.
    #[inline]
    pub fn find(self, mut test: impl FnMut(F::View<'a>) -> bool) -> Option<F::View<'a>> {
        match self.handle.place() {
            Place::Candidate(candidate, slot) if F::BY_FIRST_SLOT => {
                let first = candidate.get_where(slot, |first| test(F::read_as(candidate, slot, first)))?;
                Some(F::read_as(candidate, slot, first))
            }
            _ => Some(self.get()).filter(|&value| test(value)),
        }
    }

    /// [`FieldRef::require`] among the values that leave at least `room` larger ones in the domain of the
    /// field. On real values there is no domain, and always room.
    #[inline]
    pub(crate) fn require_before(self, room: usize, mut test: impl FnMut(F::View<'a>) -> bool) -> bool {
        match self.handle.place() {
            Place::Candidate(candidate, slot) if F::BY_FIRST_SLOT => candidate.restrict(slot, |first| {
                candidate.has_room_above(slot, first, room) && test(F::read_as(candidate, slot, first))
            }),
            _ => self.require(test),
        }
    }
}
