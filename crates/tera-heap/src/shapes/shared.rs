//! `Rc`, `Arc` and their `Weak`s.
//!
//! The block of a shared object is made before the object, so that a cycle finds it, and holds an
//! extra count until everything is finished.

use std::mem::{ManuallyDrop, MaybeUninit};

use crate::concretize::Block;
use crate::describe::{Describer, Mapped, Shape, Wrap};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

macro_rules! counted {
    ($strong:ident, $weak:ident, $weak_wrap:ident, $path:path, $weak_path:path) => {
        const _: () = {
            use $path;
            use $weak_path as Weak;

            impl<T: Mapped> Mapped for $strong<T> {
                const ONE_TUPLE: bool = T::ONE_TUPLE;

                fn shape(d: &mut Describer) -> Shape {
                    T::shape(d).wrap(Wrap::$strong)
                }
            }

            /// Gives back the extra count of a block.
            ///
            /// # Safety
            /// `pointer` came from `into_raw` of a finished block, and the count is still held.
            unsafe fn release<T>(pointer: *const (), force: bool) -> bool {
                // SAFETY: the caller's promise.
                let strong = unsafe { ManuallyDrop::new($strong::from_raw(pointer.cast::<T>())) };
                if !force && $strong::strong_count(&strong) == 1 {
                    return false;
                }
                drop(ManuallyDrop::into_inner(strong));
                true
            }

            /// The block of the object `tuple`, made now if it is not there.
            fn block<T: Concretize>(
                c: &mut Concretizer<'_>,
                plan: &Plan,
                tuple: usize,
            ) -> Result<*const T, Stop> {
                if let Some(block) = c.block::<T>(plan, tuple, Block::$strong)? {
                    return Ok(block);
                }
                let block = $strong::into_raw($strong::<MaybeUninit<T>>::new_uninit());
                let start: *mut T = block.cast::<T>().cast_mut();
                c.set_block(tuple, Block::$strong, start);
                c.shared::<T>(start, plan, tuple)?;
                c.anchor(start.cast(), release::<T>);
                Ok(start)
            }

            impl<T: Concretize> Concretize for $strong<T> {
                fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                    if T::ONE_TUPLE {
                        let tuple = c.one(plan, at)?;
                        return $strong::from_tuple(c, plan, tuple);
                    }
                    T::concretize(c, plan, at).map($strong::new)
                }

                fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Self, Stop> {
                    if !c.has_identity(plan, tuple) {
                        return T::from_tuple(c, plan, tuple).map($strong::new);
                    }
                    let block = block::<T>(c, plan, tuple)?;
                    // SAFETY: the block holds a count of its own until everything is finished.
                    unsafe {
                        $strong::increment_strong_count(block);
                        Ok($strong::from_raw(block))
                    }
                }

                unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                    // Shared objects have been placed and are surveyed by themselves.
                    if !T::ONE_TUPLE || !matches!(plan.leaf, Leaf::Object(_)) {
                        // SAFETY: the value was made for this pointer alone.
                        unsafe { T::survey($strong::as_ptr(&*this).cast_mut(), c, plan, at) }
                    }
                }

                unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                    if !matches!(plan.leaf, Leaf::Object(_)) {
                        // SAFETY: the value was made for this pointer alone.
                        unsafe { T::survey_tuple($strong::as_ptr(&*this).cast_mut(), c, plan, at) }
                    }
                }
            }

            impl<T: Abstraction> Abstraction for $strong<T> {
                fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                    if T::ONE_TUPLE {
                        if let Some(tuple) = self.to_tuple(a, plan, Place::Heap) {
                            a.insert(plan, at, tuple);
                        }
                    } else if a.may_follow($strong::as_ptr(self), plan) {
                        T::abstraction(self, a, plan, at);
                    }
                }

                fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
                    match a.may_follow($strong::as_ptr(self), plan) {
                        true => T::to_tuple(self, a, plan, Place::Heap),
                        false => None,
                    }
                }
            }

            impl<T: OneTuple> OneTuple for $strong<T> {}

            impl<T: OneTuple> Mapped for Weak<T> {
                fn shape(d: &mut Describer) -> Shape {
                    T::shape(d).wrap(Wrap::$weak_wrap)
                }
            }

            unsafe fn fix<T: OneTuple>(
                place: *mut (),
                c: &mut Concretizer<'_>,
                plan: &Plan,
                tuple: usize,
            ) -> Result<(), Stop> {
                let block = block::<T>(c, plan, tuple)?;
                // SAFETY: `place` is a `Weak` that points nowhere yet; the block is alive.
                unsafe {
                    let strong = ManuallyDrop::new($strong::from_raw(block));
                    *place.cast::<Weak<T>>() = $strong::downgrade(&strong);
                }
                Ok(())
            }

            impl<T: OneTuple> Concretize for Weak<T> {
                fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                    c.at_most_one(plan, at)?;
                    Ok(Weak::new())
                }

                unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                    // SAFETY: the value does not move before `finish`.
                    unsafe { c.later(this, plan, at, fix::<T>) }
                }
            }

            impl<T: OneTuple> Abstraction for Weak<T> {
                fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                    let pointer = Weak::as_ptr(self);
                    // A `Weak::new()` has no block; a block whose object is gone is as good as null.
                    if self.ptr_eq(&Weak::new()) || !a.may_follow(pointer, plan) {
                        return;
                    }
                    if self.strong_count() > 0 {
                        a.later(pointer, plan, at);
                    }
                }
            }
        };
    };
}

/// Pointers that may be empty already: a present one that leads nowhere is read as an absent one.
macro_rules! optional {
    ($($pointer:ty, $null:expr;)*) => {$(
        impl<T: OneTuple> Mapped for Option<$pointer> {
            fn shape(d: &mut Describer) -> Shape {
                Shape::Option(Box::new(<$pointer>::shape(d)))
            }
        }

        impl<T: OneTuple> Concretize for Option<$pointer> {
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                Ok(c.at_most_one(plan, at)?.map(|_| $null))
            }

            unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                // SAFETY: the caller's promise; nobody else looks at the value now.
                if let Some(inner) = unsafe { &mut *this } {
                    // SAFETY: as above.
                    unsafe { <$pointer>::survey_tuple(inner, c, plan, at) }
                }
            }
        }

        impl<T: OneTuple> Abstraction for Option<$pointer> {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                if let Some(inner) = self {
                    inner.abstraction(a, plan, at);
                }
            }
        }
    )*};
}

optional! {
    std::rc::Weak<T>, std::rc::Weak::new();
    std::sync::Weak<T>, std::sync::Weak::new();
    *mut T, std::ptr::null_mut();
    *const T, std::ptr::null();
}

counted!(Rc, RcWeak, RcWeak, std::rc::Rc, std::rc::Weak);
counted!(Arc, ArcWeak, ArcWeak, std::sync::Arc, std::sync::Weak);
