//! `Box` and `Option`.

use crate::describe::{Describer, Mapped, Shape, Wrap};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

impl<T: Mapped> Mapped for Box<T> {
    const ONE_TUPLE: bool = T::ONE_TUPLE;

    fn shape(d: &mut Describer) -> Shape {
        T::shape(d).wrap(Wrap::Box)
    }
}

impl<T: Concretize> Concretize for Box<T> {
    #[inline]
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Box<T>, Stop> {
        if T::ONE_TUPLE {
            let tuple = c.one(plan, at)?;
            return Box::from_tuple(c, plan, tuple);
        }
        T::concretize(c, plan, at).map(Box::new)
    }

    #[inline]
    fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Box<T>, Stop> {
        let mut value = c.boxed::<T>(plan, tuple)?;
        // SAFETY: a box stays where it is.
        unsafe { T::placed(&raw mut *value, c, plan, tuple) };
        Ok(value)
    }

    unsafe fn survey(this: *mut Box<T>, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
        // Objects in a box of their own have been placed and are surveyed by themselves.
        if !T::ONE_TUPLE || !matches!(plan.leaf, Leaf::Object(_)) {
            // SAFETY: the caller's promise.
            unsafe { T::survey(&raw mut **this, c, plan, at) }
        }
    }

    unsafe fn survey_tuple(this: *mut Box<T>, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
        if !matches!(plan.leaf, Leaf::Object(_)) {
            // SAFETY: the caller's promise.
            unsafe { T::survey_tuple(&raw mut **this, c, plan, tuple) }
        }
    }
}

impl<T: Abstraction> Abstraction for Box<T> {
    #[inline]
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        if T::ONE_TUPLE {
            if let Some(tuple) = self.to_tuple(a, plan, Place::Heap) {
                a.insert(plan, at, tuple);
            }
        } else if a.may_follow(pointer(self), plan) {
            T::abstraction(self, a, plan, at);
        }
    }

    #[inline]
    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
        match a.may_follow(pointer(self), plan) {
            true => T::to_tuple(self, a, plan, Place::Heap),
            false => None,
        }
    }
}

impl<T: OneTuple> OneTuple for Box<T> {}

/// The pointer of a box, without a reference to what may be dead.
#[allow(clippy::borrowed_box)]
fn pointer<T>(this: &Box<T>) -> *const T {
    // SAFETY: a box of a sized type is one pointer.
    unsafe { std::ptr::from_ref(this).cast::<*const T>().read() }
}

impl<T: OneTuple> Mapped for Option<T> {
    fn shape(d: &mut Describer) -> Shape {
        Shape::Option(Box::new(T::shape(d)))
    }
}

impl<T: OneTuple> Concretize for Option<T> {
    #[inline]
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Option<T>, Stop> {
        match c.at_most_one(plan, at)? {
            Some(tuple) => T::from_tuple(c, plan, tuple).map(Some),
            None => Ok(None),
        }
    }

    // For elements of arenas.
    fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Option<T>, Stop> {
        T::from_tuple(c, plan, tuple).map(Some)
    }

    unsafe fn survey_tuple(this: *mut Option<T>, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
        // SAFETY: the caller's promise; nobody else looks at the value now.
        if let Some(inner) = unsafe { &mut *this } {
            // SAFETY: as above.
            unsafe { T::survey_tuple(inner, c, plan, tuple) }
        }
    }
}

impl<T: OneTuple> Abstraction for Option<T> {
    #[inline]
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        if let Some(inner) = self {
            inner.abstraction(a, plan, at);
        }
    }

    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, place: Place) -> Option<usize> {
        self.as_ref()?.to_tuple(a, plan, place)
    }
}
