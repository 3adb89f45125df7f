//! Sequences: a length, and that many elements side by side.

use std::collections::VecDeque;
use std::fmt;
use std::ptr::NonNull;

use crate::build::Builder;
use crate::candidate::{Candidate, Elements};
use crate::field::Field;
use crate::field_ref::FieldRef;
use crate::shape::{Declare, Default, Part, Shape};

/// The view of a `Vec`, a `VecDeque`, a boxed slice or an array.
pub struct SeqRef<'a, T> {
    place: SeqPlace<'a, T>,
    length: usize,
}

enum SeqPlace<'a, T> {
    /// Where the elements begin, or links to them; see [`Candidate::elements`].
    Candidate {
        candidate: &'a Candidate,
        elements: Elements,
    },
    Real(&'a [T]),
    RealQueue(&'a VecDeque<T>),
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
    fn real(elements: &'a [T]) -> Self {
        SeqRef { place: SeqPlace::Real(elements), length: elements.len() }
    }

    fn real_queue(elements: &'a VecDeque<T>) -> Self {
        SeqRef { place: SeqPlace::RealQueue(elements), length: elements.len() }
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

    /// Where an element is: in a candidate, as [`Field::read_at`] takes it, or real. Small, so that loops
    /// over sequences are compiled as one.
    #[inline(always)]
    #[track_caller]
    fn locate(self, index: usize) -> Result<(&'a Candidate, usize), &'a T> {
        if index >= self.length {
            beyond(index, self.length);
        }
        match self.place {
            SeqPlace::Candidate { candidate, elements } => match elements.inline() {
                Some(start) => Ok((candidate, start + index * T::WIDTH)),
                None => Ok((candidate, candidate.linked(elements, index))),
            },
            SeqPlace::Real(elements) => Err(&elements[index]),
            SeqPlace::RealQueue(elements) => Err(of_queue(elements, index)),
        }
    }

    /// The element at an index, which is below the length.
    #[inline(always)]
    #[track_caller]
    pub fn at(self, index: usize) -> T::View<'a> {
        match self.locate(index) {
            Ok((candidate, at)) => T::read_at(candidate, at),
            Err(value) => T::view(value),
        }
    }

    /// The element at an index, which is below the length, as a field.
    #[inline]
    #[track_caller]
    pub fn field(self, index: usize) -> FieldRef<'a, T> {
        match self.locate(index) {
            Ok((candidate, at)) => FieldRef::candidate(candidate, at),
            Err(value) => FieldRef::real(value),
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

#[cold]
#[track_caller]
fn beyond(index: usize, length: usize) -> ! {
    panic!("index {index} of a sequence of {length}");
}

#[inline(never)]
fn of_queue<T>(queue: &VecDeque<T>, index: usize) -> &T {
    &queue[index]
}

/// The elements of a candidate, in memory that stays where it is.
fn build_elements<T: Field>(builder: &mut Builder<'_>, slot: usize) -> Vec<T> {
    let candidate = builder.candidate();
    let length = candidate.get(slot) as usize;
    let elements = candidate.elements(slot);
    if let Some(start) = elements.inline() {
        return (0..length).map(|index| T::build(builder, start + index * T::WIDTH)).collect();
    }
    let mut values: Vec<T> = Vec::with_capacity(length);
    for (index, place) in values.spare_capacity_mut()[..length].iter_mut().enumerate() {
        builder.element(candidate.linked(elements, index), NonNull::from(place).cast::<T>());
    }
    // SAFETY: each of them has been written.
    unsafe { values.set_len(length) };
    values
}

macro_rules! sequence {
    ($sequence:ty, $view:path) => {
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
                let elements = candidate.elements(slot);
                SeqRef { place: SeqPlace::Candidate { candidate, elements }, length: first as usize }
            }
            #[inline]
            fn view(value: &Self) -> Self::View<'_> {
                $view(value)
            }
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                build_elements(builder, slot).into()
            }
        }
    };
}
sequence!(Vec<T>, SeqRef::real);
sequence!(Box<[T]>, SeqRef::real);
sequence!(VecDeque<T>, SeqRef::real_queue);

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
        let elements = Elements::at(slot);
        SeqRef { place: SeqPlace::Candidate { candidate, elements }, length: N }
    }
    #[inline]
    fn view(value: &Self) -> Self::View<'_> {
        SeqRef::real(value)
    }
    fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
        std::array::from_fn(|index| T::build(builder, slot + index * T::WIDTH))
    }
}
