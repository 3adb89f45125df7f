//! Sequences: a length, and that many elements side by side.

use std::collections::VecDeque;
use std::fmt;
use std::ptr::NonNull;

use crate::build::Builder;
use crate::candidate::Candidate;
use crate::field::{Field, FieldRef};
use crate::shape::{Declare, Default, Part, Shape};

/// The view of a `Vec`, a `VecDeque`, a boxed slice or an array.
pub struct SeqRef<'a, T> {
    place: SeqPlace<'a, T>,
    length: usize,
}

enum SeqPlace<'a, T> {
    Candidate {
        candidate: &'a Candidate,
        start: usize,
    },
    /// The slots hold links to the elements.
    Linked {
        candidate: &'a Candidate,
        start: usize,
    },
    /// One after the other.
    Real(&'a [T], &'a [T]),
}

impl<T> Clone for SeqRef<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SeqRef<'_, T> {}
impl<T> Clone for SeqPlace<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SeqPlace<'_, T> {}
impl<T> fmt::Debug for SeqRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sequence of {}", self.length)
    }
}

impl<'a, T: Field> SeqRef<'a, T> {
    #[inline]
    fn real(first: &'a [T], second: &'a [T]) -> Self {
        SeqRef { place: SeqPlace::Real(first, second), length: first.len() + second.len() }
    }

    #[inline]
    pub fn len(self) -> usize {
        self.length
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// The element at an index, or nothing beyond the end.
    #[inline]
    pub fn get(self, index: usize) -> Option<T::View<'a>> {
        (index < self.length).then(|| self.field(index).get())
    }

    /// The element at an index, which is below the length.
    #[inline(always)]
    #[track_caller]
    pub fn at(self, index: usize) -> T::View<'a> {
        assert!(index < self.length, "index {index} of a sequence of {}", self.length);
        match self.place {
            SeqPlace::Candidate { candidate, start } => T::read(candidate, start + index * T::WIDTH),
            SeqPlace::Linked { candidate, start } => {
                T::read_at(candidate, candidate.get(start + index) as usize)
            }
            SeqPlace::Real(first, second) => T::view(element(first, second, index)),
        }
    }

    /// The element at an index, which is below the length, as a field.
    #[inline]
    #[track_caller]
    pub fn field(self, index: usize) -> FieldRef<'a, T> {
        assert!(index < self.length, "index {index} of a sequence of {}", self.length);
        match self.place {
            SeqPlace::Candidate { candidate, start } => {
                FieldRef::candidate(candidate, start + index * T::WIDTH)
            }
            SeqPlace::Linked { candidate, start } => {
                FieldRef::candidate(candidate, candidate.get(start + index) as usize)
            }
            SeqPlace::Real(first, second) => FieldRef::real(element(first, second, index)),
        }
    }

    /// The elements in order, each read when the iterator reaches it.
    #[inline]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = T::View<'a>> + ExactSizeIterator + Clone {
        (0..self.length).map(move |index| self.at(index))
    }

    /// The elements as fields.
    #[inline]
    pub fn fields(self) -> impl DoubleEndedIterator<Item = FieldRef<'a, T>> + ExactSizeIterator + Clone {
        (0..self.length).map(move |index| self.field(index))
    }
}

#[inline(always)]
fn element<'a, T>(first: &'a [T], second: &'a [T], index: usize) -> &'a T {
    first.get(index).unwrap_or_else(|| &second[index - first.len()])
}

/// The elements of a candidate, in memory that stays where it is.
fn build_elements<T: Field>(builder: &mut Builder<'_>, slot: usize) -> Vec<T> {
    let candidate = builder.candidate();
    let length = candidate.get(slot) as usize;
    let (start, linked) = candidate.elements(slot);
    if !linked {
        return (0..length).map(|index| T::build(builder, start + index * T::WIDTH)).collect();
    }
    let mut elements: Vec<T> = Vec::with_capacity(length);
    for (index, place) in elements.spare_capacity_mut()[..length].iter_mut().enumerate() {
        builder.element(candidate.get(start + index), NonNull::from(place).cast::<T>());
    }
    // SAFETY: each of them has been written.
    unsafe { elements.set_len(length) };
    elements
}

macro_rules! sequence {
    ($sequence:ty, |$value:ident| $slices:expr) => {
        impl<T: Field> Field for $sequence {
            const WIDTH: usize = 2;
            type View<'a> = SeqRef<'a, T>;
            const BY_FIRST_SLOT: bool = true;

            fn shape(declare: &mut Declare) -> Shape {
                let domain = declare.within(".len", |declare| declare.domain(Default::Scope, (0, 1 << 20)));
                let (element, linked) = declare.within("[]", Declare::elements::<T>);
                let element_width = if linked { 1 } else { T::WIDTH };
                Shape::Sequence { domain, element: Box::new(element), element_width, linked }
            }
            #[inline]
            fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
                Self::read_as(candidate, slot, candidate.get(slot))
            }
            #[inline]
            fn read_as(candidate: &Candidate, slot: usize, first: i64) -> Self::View<'_> {
                let length = first as usize;
                let place = match candidate.elements(slot) {
                    (start, false) => SeqPlace::Candidate { candidate, start },
                    (start, true) => SeqPlace::Linked { candidate, start },
                };
                SeqRef { place, length }
            }
            #[inline]
            fn view($value: &Self) -> Self::View<'_> {
                let (first, second): (&[T], &[T]) = $slices;
                SeqRef::real(first, second)
            }
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                build_elements(builder, slot).into()
            }
        }
    };
}
sequence!(Vec<T>, |value| (value, &[]));
sequence!(Box<[T]>, |value| (value, &[]));
sequence!(VecDeque<T>, |value| value.as_slices());

impl<T: Field, const N: usize> Field for [T; N] {
    const WIDTH: usize = N * T::WIDTH;
    type View<'a> = SeqRef<'a, T>;

    fn shape(declare: &mut Declare) -> Shape {
        let element = declare.within("[]", T::shape);
        let part = |index| Part { offset: index * T::WIDTH, name: "", shape: element.clone() };
        Shape::Product((0..N).map(part).collect())
    }
    #[inline]
    fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
        SeqRef { place: SeqPlace::Candidate { candidate, start: slot }, length: N }
    }
    #[inline]
    fn view(value: &Self) -> Self::View<'_> {
        SeqRef::real(value, &[])
    }
    fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
        std::array::from_fn(|index| T::build(builder, slot + index * T::WIDTH))
    }
}
