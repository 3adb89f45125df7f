//! Sequences: one more column in front, the position. A specification may also know a sequence as
//! a set; then its order is that of the atoms.
//!
//! Elements that may be empty (`Vec<Option<T>>`, `Vec<Vec<T>>`) do not show how many there are:
//! the field `f_len` does, if the specification has it, else the last element that is not empty.

use std::collections::{BinaryHeap, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use crate::describe::{Describer, Mapped, Seq, Shape};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Abstractor, Concretize, Concretizer, Stop};

/// How many elements there are behind the prefix.
fn length(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<usize, Stop> {
    if let Some(rel) = plan.extent
        && let Some(len) = c.extents(rel, at).next().and_then(|atom| c.int_value(atom))
    {
        return Ok(usize::try_from(len).unwrap_or(0));
    }
    let element = &plan.parts[0];
    let mut len = 0;
    for column in c.columns(plan, at, element.span) {
        match c.int_value(column).and_then(|i| usize::try_from(i).ok()) {
            Some(i) => len = len.max(i + 1),
            None => return Err(c.no_value::<usize>(plan, column)),
        }
    }
    Ok(len)
}

/// The elements, in any collection. `fixed` is the length of an array.
pub(super) fn make<T: Concretize, C: FromIterator<T>>(
    c: &mut Concretizer<'_>,
    plan: &Plan,
    at: usize,
    fixed: Option<usize>,
) -> Result<C, Stop> {
    let element = &plan.parts[0];
    match plan.leaf {
        Leaf::Unordered => c.all(element, at).map(|tuple| T::from_tuple(c, element, tuple)).collect(),
        Leaf::Hidden => c.arena_elements(plan, at),
        _ => {
            let len = match fixed {
                Some(len) => len,
                None => length(c, plan, at)?,
            };
            (0..len)
                .map(|i| {
                    let at = c.position_prefix(plan, at, i)?;
                    T::concretize(c, element, at)
                })
                .collect()
        }
    }
}

/// # Safety
/// As for [`Concretize::survey`], for every element.
pub(super) unsafe fn survey<'t, T: Concretize>(
    elements: impl Iterator<Item = &'t mut T>,
    c: &mut Concretizer<'_>,
    plan: &Plan,
    at: usize,
) {
    let element = &plan.parts[0];
    match plan.leaf {
        Leaf::Unordered | Leaf::Hidden => {
            let tuples: Vec<usize> = match plan.leaf {
                Leaf::Hidden => c.arena_atoms(plan, at),
                _ => c.all(element, at).collect(),
            };
            for (this, tuple) in elements.zip(tuples) {
                // SAFETY: the caller's promise.
                unsafe { T::survey_tuple(this, c, element, tuple) }
            }
        }
        _ => {
            for (i, this) in elements.enumerate() {
                if let Ok(at) = c.position_prefix(plan, at, i) {
                    // SAFETY: the caller's promise.
                    unsafe { T::survey(this, c, element, at) }
                }
            }
        }
    }
}

pub(super) fn read<'t, T: Abstraction>(
    elements: impl ExactSizeIterator<Item = &'t T>,
    a: &mut Abstractor<'_>,
    plan: &Plan,
    at: usize,
) {
    let element = &plan.parts[0];
    if plan.leaf == Leaf::Hidden {
        return;
    }
    let ordered = plan.leaf != Leaf::Unordered;
    if ordered
        && let Some(rel) = plan.extent
        && let Some(len) = a.int(elements.len() as i128)
    {
        a.insert_in(rel, at * a.binding.n_atoms + len);
    }
    if ordered && elements.len() > 0 && a.int(elements.len() as i128 - 1).is_none() {
        // Too long for the universe: it is noted, and there is no place for the rest.
        return;
    }
    for (i, this) in elements.enumerate() {
        a.at_index(i, |a| match ordered {
            true => {
                if let Some(position) = a.int(i as i128) {
                    this.abstraction(a, element, at * a.binding.n_atoms + position);
                }
            }
            false => {
                if let Some(tuple) = this.to_tuple(a, element, crate::Place::Heap) {
                    a.insert(element, at, tuple);
                }
            }
        });
    }
}

macro_rules! sequences {
    ($($ty:ident, $kind:expr, $elements:ident, $start:expr;)*) => {$(
        impl<T: Mapped> Mapped for $ty<T> {
            fn shape(d: &mut Describer) -> Shape {
                Shape::Seq($kind, Box::new(T::shape(d)))
            }
        }

        impl<T: Concretize> Concretize for $ty<T> {
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                make(c, plan, at, None)
            }

            unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                // SAFETY: the caller's promise; elements of a collection do not move with it.
                unsafe { survey((*this).iter_mut(), c, plan, at) }
            }
        }

        impl<T: Abstraction> Abstraction for $ty<T> {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                let $elements = self;
                let (start, len): (*const T, usize) = $start;
                if a.may_read(start, len, plan) && !a.arena_field(plan, at) {
                    read(self.iter(), a, plan, at);
                }
            }
        }
    )*};
}

sequences! {
    Vec, Seq::Vec, elements, (elements.as_ptr(), elements.len());
    VecDeque, Seq::VecDeque, elements, (elements.as_slices().0.as_ptr(), elements.as_slices().0.len());
    LinkedList, Seq::Other("std::collections::LinkedList::from_iter"), _elements, (std::ptr::null(), 0);
}

/// A heap is the sequence in which it would be popped, the greatest first: where its array has them is
/// nobody's business. Inputs are made of any sequence, so a specification says that it is sorted, or declares
/// a set.
impl<T: Mapped + Ord> Mapped for BinaryHeap<T> {
    fn shape(d: &mut Describer) -> Shape {
        Shape::Seq(Seq::Other("std::collections::BinaryHeap::from_iter"), Box::new(T::shape(d)))
    }
}

impl<T: Concretize + Ord> Concretize for BinaryHeap<T> {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
        make::<T, Vec<T>>(c, plan, at, None).map(BinaryHeap::from)
    }
}

impl<T: Abstraction + Ord> Abstraction for BinaryHeap<T> {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        let elements = self.as_slice();
        if a.may_read(elements.as_ptr(), elements.len(), plan) {
            let mut elements: Vec<&T> = elements.iter().collect();
            elements.sort_by(|x, y| y.cmp(x));
            read(elements.into_iter(), a, plan, at);
        }
    }
}

impl<T: Mapped> Mapped for Box<[T]> {
    fn shape(d: &mut Describer) -> Shape {
        Shape::Seq(Seq::BoxedSlice, Box::new(T::shape(d)))
    }
}

impl<T: Concretize> Concretize for Box<[T]> {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
        make(c, plan, at, None)
    }

    unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
        // SAFETY: the caller's promise.
        unsafe { survey((**this).iter_mut(), c, plan, at) }
    }
}

impl<T: Abstraction> Abstraction for Box<[T]> {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        if a.may_read(self.as_ptr(), self.len(), plan) {
            read(self.iter(), a, plan, at);
        }
    }
}

/// Slices behind counted pointers are made and read like boxed ones; who shares the slice is nothing to the
/// specification.
macro_rules! counted_slices {
    ($($counted:ident, $make:literal;)*) => {$(
        impl<T: Mapped> Mapped for $counted<[T]> {
            fn shape(d: &mut Describer) -> Shape {
                Shape::Seq(Seq::Other($make), Box::new(T::shape(d)))
            }
        }

        impl<T: Concretize> Concretize for $counted<[T]> {
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                make::<T, Vec<T>>(c, plan, at, None).map($counted::from)
            }

            unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                // SAFETY: the caller's promise, and no other pointer shares the slice yet.
                unsafe { survey((*$counted::as_ptr(&*this).cast_mut()).iter_mut(), c, plan, at) }
            }
        }

        impl<T: Abstraction> Abstraction for $counted<[T]> {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                if a.may_read($counted::as_ptr(self).cast::<T>(), self.len(), plan) {
                    read(self.iter(), a, plan, at);
                }
            }
        }
    )*};
}

counted_slices! {
    Rc, "std::rc::Rc::from";
    Arc, "std::sync::Arc::from";
}

impl<T: Mapped, const N: usize> Mapped for [T; N] {
    fn shape(d: &mut Describer) -> Shape {
        Shape::Seq(Seq::Array(N), Box::new(T::shape(d)))
    }
}

impl<T: Concretize, const N: usize> Concretize for [T; N] {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
        let elements: Vec<T> = make(c, plan, at, Some(N))?;
        <[T; N]>::try_from(elements).map_err(|elements| {
            let message =
                format!("{} holds {N} elements, not {}", c.binding.name(plan).label, elements.len());
            c.fault(message)
        })
    }

    unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
        // SAFETY: the caller's promise.
        unsafe { survey((*this).iter_mut(), c, plan, at) }
    }
}

impl<T: Abstraction, const N: usize> Abstraction for [T; N] {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        read(self.iter(), a, plan, at);
    }
}
