//! Objects: where they are, which they are, and what a subject in the search may do to them.

use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::candidate::{Candidate, SHIFT};
use crate::field::Structure;

/// Where an object is: in a candidate, or a real one behind a reference.
pub struct Handle<'a, T> {
    candidate: Option<&'a Candidate>,
    /// The word of a link, or the address of the value.
    at: NonNull<()>,
    object: PhantomData<&'a T>,
}

impl<T> Clone for Handle<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<'_, T> {}
// A panic in the middle of a run leaves the candidate as the fields on its trail say.
impl<T> std::panic::UnwindSafe for Handle<'_, T> {}
impl<T> std::panic::RefUnwindSafe for Handle<'_, T> {}

/// The two kinds of places that a [`Handle`] can be.
pub enum Place<'a, T> {
    /// The base slot in a candidate.
    Candidate(&'a Candidate, usize),
    Real(&'a T),
}

impl<'a, T> Handle<'a, T> {
    #[inline]
    pub fn real(value: &'a T) -> Self {
        Handle { candidate: None, at: NonNull::from(value).cast(), object: PhantomData }
    }

    /// The object of a link; null is none.
    #[inline(always)]
    pub(crate) fn of_word(candidate: &'a Candidate, word: i64) -> Option<Self> {
        let at = NonNull::new(std::ptr::without_provenance_mut(word as usize))?;
        Some(Handle { candidate: Some(candidate), at, object: PhantomData })
    }

    /// A value that lies inside another one.
    #[inline]
    pub fn inline(candidate: &'a Candidate, slot: usize) -> Self {
        Handle::of_word(candidate, slot as i64).expect("slots begin at one")
    }

    #[inline(always)]
    pub fn place(self) -> Place<'a, T> {
        match self.candidate {
            Some(candidate) => Place::Candidate(candidate, self.at.addr().get() & ((1 << SHIFT) - 1)),
            // SAFETY: made from a reference of this lifetime by `real`, and never changed.
            None => Place::Real(unsafe { self.at.cast::<T>().as_ref() }),
        }
    }

    /// The number of the object in its candidate, from 1; none for what is no object of a pool.
    #[inline]
    pub fn number(self) -> Option<usize> {
        self.candidate.map(|_| self.at.addr().get() >> SHIFT).filter(|number| *number != 0)
    }

    /// The candidate that the object is part of.
    #[inline]
    pub fn owner(self) -> Option<&'a Candidate> {
        self.candidate
    }

    /// The word of a link, or the address of a real value.
    #[inline]
    pub fn address(self) -> usize {
        self.at.addr().get()
    }
}

impl<T> PartialEq for Handle<'_, T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}
impl<T> Eq for Handle<'_, T> {}
impl<T> Hash for Handle<'_, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.at.hash(state);
    }
}
impl<T> fmt::Debug for Handle<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            Some(number) => write!(f, "object {number}"),
            None => write!(f, "object at {:p}", self.at),
        }
    }
}

/// A view of a struct: something with an identity.
pub trait Object: Copy + Eq {
    /// The address of the object, unique among the objects of a structure.
    fn address(self) -> usize;
    /// The number of the object in its candidate, from 1; none for a real one.
    fn number(self) -> Option<usize>;
}

/// An object that lives so long.
pub trait Within<'a>: Object {
    /// The candidate that the object is part of; none for a real one.
    fn candidate(self) -> Option<&'a Candidate>;
}

/// Takes back what a subject has written and made in this run, to judge the state before. Does nothing on a
/// real value.
pub fn undo<'a>(object: impl Within<'a>) {
    if let Some(candidate) = object.candidate() {
        candidate.undo();
    }
}

/// A new object for a subject that runs inside the search: all its fields are zero, null and empty. It is
/// gone after the run, as is all that the subject writes by [`FieldRef::set`].
///
/// Panics beside a real value, which a view cannot change.
pub fn allocate<'a, T: Structure>(beside: impl Within<'a>) -> T::Ref<'a> {
    let Some(candidate) = beside.candidate() else { panic!("a view of a real value only reads it") };
    let word = candidate.allocate(TypeId::of::<T>(), T::NAME);
    T::view_at(Handle::of_word(candidate, word).expect("a word of an object is not null"))
}
