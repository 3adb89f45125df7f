//! Raw pointers, `AtomicPtr` and `NonNull`: they own nothing unless nobody else does.

use std::ptr::NonNull;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;

use crate::concretize::Block;
use crate::describe::{Describer, Mapped, Shape, Wrap};
use crate::plan::Plan;
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

/// Writes the pointer to an object at `place`. An object that nobody owns is made now.
///
/// # Safety
/// `place` holds a pointer to `T`, raw, atomic or `NonNull`.
unsafe fn fix<T: OneTuple>(
    place: *mut (),
    c: &mut Concretizer<'_>,
    plan: &Plan,
    tuple: usize,
) -> Result<(), Stop> {
    let pointer = match c.target::<T>(plan, tuple)? {
        Some(pointer) => pointer,
        None => {
            let pointer = Box::into_raw(Box::new(T::from_tuple(c, plan, tuple)?));
            if c.has_identity(plan, tuple) {
                c.set_block(tuple, Block::Raw, pointer);
            }
            // SAFETY: the block is never moved.
            unsafe { T::placed(pointer, c, plan, tuple) };
            pointer
        }
    };
    // SAFETY: the caller's promise.
    unsafe { place.cast::<*mut T>().write(pointer) };
    Ok(())
}

/// Writes the pointer at `place` when its object has an address.
///
/// # Safety
/// As for [`fix`], until [`Concretizer::finish`].
#[inline]
unsafe fn link<T: OneTuple>(place: *mut (), c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
    // SAFETY: the caller's promise. A stop is a fault that has been noted.
    unsafe {
        match plan.unowned {
            true => _ = fix::<T>(place, c, plan, tuple),
            false => c.later(place, plan, tuple, fix::<T>),
        }
    }
}

/// Adds the tuple of what the pointer leads to, when that has been found through its owner.
#[inline]
fn follow<T: OneTuple>(pointer: *const T, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
    match plan.unowned {
        true => {
            // SAFETY: it may be followed.
            let tuple =
                a.may_follow(pointer, plan).then(|| unsafe { (*pointer).to_tuple(a, plan, Place::Heap) });
            if let Some(tuple) = tuple.flatten() {
                a.insert(plan, at, tuple);
            }
        }
        false => a.later(pointer, plan, at),
    }
}

macro_rules! raw {
    ($($pointer:ty, $wrap:ident, $null:expr, $this:ident, $get:expr;)*) => {$(
        impl<T: OneTuple> Mapped for $pointer {
            fn shape(d: &mut Describer) -> Shape {
                T::shape(d).wrap(Wrap::$wrap)
            }
        }

        impl<T: OneTuple> Concretize for $pointer {
            #[inline]
            fn concretize(_: &mut Concretizer<'_>, _: &Plan, _: usize) -> Result<Self, Stop> {
                Ok($null)
            }

            unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                // Several values are a fault, which stops the concretization.
                if let Ok(Some(tuple)) = c.at_most_one(plan, at) {
                    // SAFETY: the caller's promise.
                    unsafe { Self::survey_tuple(this, c, plan, tuple) }
                }
            }

            #[inline]
            unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
                // SAFETY: the value does not move before `finish`.
                unsafe { link::<T>(this.cast(), c, plan, tuple) }
            }
        }

        impl<T: OneTuple> Abstraction for $pointer {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                let $this = self;
                let pointer: *const T = $get;
                if !pointer.is_null() {
                    follow::<T>(pointer, a, plan, at);
                }
            }
        }
    )*};
}

raw! {
    *mut T, RawMut, std::ptr::null_mut(), this, *this;
    *const T, RawConst, std::ptr::null(), this, *this;
    AtomicPtr<T>, AtomicPtr, AtomicPtr::default(), this, this.load(Relaxed);
}

impl<T: OneTuple> Mapped for NonNull<T> {
    const ONE_TUPLE: bool = true;

    fn shape(d: &mut Describer) -> Shape {
        T::shape(d).wrap(Wrap::NonNull)
    }
}

impl<T: OneTuple> Concretize for NonNull<T> {
    fn from_tuple(_: &mut Concretizer<'_>, _: &Plan, _: usize) -> Result<Self, Stop> {
        Ok(NonNull::dangling())
    }

    unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
        // SAFETY: the value does not move before `finish`.
        unsafe { link::<T>(this.cast(), c, plan, tuple) }
    }
}

impl<T: OneTuple> Abstraction for NonNull<T> {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        follow::<T>(self.as_ptr(), a, plan, at);
    }

    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
        let pointer = self.as_ptr().cast_const();
        match a.may_follow(pointer, plan) {
            // SAFETY: it may be followed.
            true => unsafe { (*pointer).to_tuple(a, plan, Place::Heap) },
            false => None,
        }
    }
}

impl<T: OneTuple> OneTuple for NonNull<T> {}
