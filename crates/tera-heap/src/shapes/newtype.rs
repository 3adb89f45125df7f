//! Newtypes of the standard library: nothing to the specification.

use std::cmp::Reverse;
use std::mem::ManuallyDrop;
use std::num::{Saturating, Wrapping};
use std::pin::Pin;

use super::wrapper::wrappers;
use crate::describe::{Describer, Mapped, Shape, Wrap};
use crate::plan::Plan;
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

wrappers! {
    Wrapping<T>, Wrap::Newtype("std::num::Wrapping(", ")"), Wrapping,
    this, &raw mut (*this).0, _a, _plan, Some(&raw const this.0);
    Saturating<T>, Wrap::Newtype("std::num::Saturating(", ")"), Saturating,
    this, &raw mut (*this).0, _a, _plan, Some(&raw const this.0);
    Reverse<T>, Wrap::Newtype("std::cmp::Reverse(", ")"), Reverse,
    this, &raw mut (*this).0, _a, _plan, Some(&raw const this.0);
    ManuallyDrop<T>, Wrap::Newtype("std::mem::ManuallyDrop::new(", ")"), ManuallyDrop::new,
    this, this.cast(), _a, _plan, Some(&raw const **this);
}

/// A pinned box is its box.
#[allow(clippy::borrowed_box)]
fn boxed<T>(this: &Pin<Box<T>>) -> &Box<T> {
    // SAFETY: `Pin` is transparent, and nothing is moved out of a shared reference.
    unsafe { &*std::ptr::from_ref(this).cast() }
}

impl<T: Mapped> Mapped for Pin<Box<T>> {
    const ONE_TUPLE: bool = T::ONE_TUPLE;

    fn shape(d: &mut Describer) -> Shape {
        T::shape(d).wrap(Wrap::Pinned)
    }
}

impl<T: Concretize> Concretize for Pin<Box<T>> {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
        Box::concretize(c, plan, at).map(Box::into_pin)
    }

    fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Self, Stop> {
        Box::from_tuple(c, plan, tuple).map(Box::into_pin)
    }

    unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
        // SAFETY: `Pin` is transparent, and a survey moves nothing.
        unsafe { Box::<T>::survey(this.cast(), c, plan, at) }
    }

    unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
        // SAFETY: as above.
        unsafe { Box::<T>::survey_tuple(this.cast(), c, plan, tuple) }
    }
}

impl<T: Abstraction> Abstraction for Pin<Box<T>> {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        boxed(self).abstraction(a, plan, at);
    }

    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, place: Place) -> Option<usize> {
        boxed(self).to_tuple(a, plan, place)
    }
}

impl<T: OneTuple> OneTuple for Pin<Box<T>> {}
