//! `Cell`, `RefCell`, `UnsafeCell`, `Mutex`, `RwLock`: nothing to the specification.

use std::cell::{Cell, RefCell, UnsafeCell};
use std::sync::{Mutex, PoisonError, RwLock, TryLockError};

use crate::describe::{Describer, Mapped, Shape, Wrap};
use crate::plan::Plan;
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

macro_rules! cells {
    ($($cell:ident, $this:ident, $inside:expr, $a:ident, $plan:ident, $read:expr;)*) => {$(
        impl<T: Mapped> Mapped for $cell<T> {
            const ONE_TUPLE: bool = T::ONE_TUPLE;

            fn shape(d: &mut Describer) -> Shape {
                T::shape(d).wrap(Wrap::$cell)
            }
        }

        const _: () = {
            /// # Safety
            /// Nobody else looks at the value.
            #[inline]
            unsafe fn inside<T>($this: *mut $cell<T>) -> *mut T {
                // SAFETY: the caller's promise.
                unsafe { $inside }
            }

            /// The value, or nothing when it is locked.
            #[inline]
            fn read<T>($this: &$cell<T>, $a: &mut Abstractor<'_>, $plan: &Plan) -> Option<*const T> {
                $read
            }

            impl<T: Concretize> Concretize for $cell<T> {
                #[inline]
                fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                    T::concretize(c, plan, at).map($cell::new)
                }

                #[inline]
                fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Self, Stop> {
                    T::from_tuple(c, plan, tuple).map($cell::new)
                }

                #[inline]
                unsafe fn placed(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
                    // SAFETY: the caller's promise.
                    unsafe { T::placed(inside(this), c, plan, tuple) }
                }

                unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                    // SAFETY: the caller's promise.
                    unsafe { T::survey(inside(this), c, plan, at) }
                }

                unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                    // SAFETY: the caller's promise.
                    unsafe { T::survey_tuple(inside(this), c, plan, at) }
                }
            }

            impl<T: Abstraction> Abstraction for $cell<T> {
                #[inline]
                fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                    if let Some(inside) = read(self, a, plan) {
                        // SAFETY: no other thread runs, and nothing is written while values are read.
                        unsafe { (*inside).abstraction(a, plan, at) }
                    }
                }

                #[inline]
                fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, place: Place) -> Option<usize> {
                    // SAFETY: as above.
                    unsafe { (*read(self, a, plan)?).to_tuple(a, plan, place) }
                }
            }

            impl<T: OneTuple> OneTuple for $cell<T> {}
        };
    )*};
}

cells! {
    Cell, this, (*this).as_ptr(), _a, _plan, Some(this.as_ptr());
    // A borrow that was leaked does not hide the value.
    RefCell, this, (*this).as_ptr(), _a, _plan, Some(this.as_ptr());
    UnsafeCell, this, (*this).get(), _a, _plan, Some(this.get());
    Mutex, this, (*this).get_mut().unwrap_or_else(PoisonError::into_inner), a, plan, match this.try_lock() {
        Ok(guard) => Some(&raw const *guard),
        Err(TryLockError::Poisoned(guard)) => Some(&raw const **guard.get_ref()),
        Err(TryLockError::WouldBlock) => {
            let message = format!("{} is still locked after the call", a.path(plan));
            a.fault(message);
            None
        }
    };
    RwLock, this, (*this).get_mut().unwrap_or_else(PoisonError::into_inner), a, plan, match this.try_read() {
        Ok(guard) => Some(&raw const *guard),
        Err(TryLockError::Poisoned(guard)) => Some(&raw const **guard.get_ref()),
        Err(TryLockError::WouldBlock) => {
            let message = format!("{} is still locked after the call", a.path(plan));
            a.fault(message);
            None
        }
    };
}
