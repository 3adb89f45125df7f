//! `Cell`, `RefCell`, `UnsafeCell`, `Mutex`, `RwLock`: nothing to the specification. `OnceCell` and `OnceLock`
//! are options.

use std::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock, TryLockError};

use super::wrapper::wrappers;
use crate::describe::{Describer, Mapped, Shape, Wrap};
use crate::plan::Plan;
use crate::{Abstraction, Abstractor, Concretize, Concretizer, Stop};

wrappers! {
    Cell<T>, Wrap::Cell, Cell::new, this, (*this).as_ptr(), _a, _plan, Some(this.as_ptr());
    // A borrow that was leaked does not hide the value.
    RefCell<T>, Wrap::RefCell, RefCell::new, this, (*this).as_ptr(), _a, _plan, Some(this.as_ptr());
    UnsafeCell<T>, Wrap::UnsafeCell, UnsafeCell::new, this, (*this).get(), _a, _plan, Some(this.get());
    Mutex<T>, Wrap::Mutex, Mutex::new, this, (*this).get_mut().unwrap_or_else(PoisonError::into_inner), a, plan,
    match this.try_lock() {
        Ok(guard) => Some(&raw const *guard),
        Err(TryLockError::Poisoned(guard)) => Some(&raw const **guard.get_ref()),
        Err(TryLockError::WouldBlock) => still_locked(a, plan),
    };
    RwLock<T>, Wrap::RwLock, RwLock::new, this, (*this).get_mut().unwrap_or_else(PoisonError::into_inner), a, plan,
    match this.try_read() {
        Ok(guard) => Some(&raw const *guard),
        Err(TryLockError::Poisoned(guard)) => Some(&raw const **guard.get_ref()),
        Err(TryLockError::WouldBlock) => still_locked(a, plan),
    };
}

fn still_locked<T>(a: &mut Abstractor<'_>, plan: &Plan) -> Option<*const T> {
    let message = format!("{} is still locked after the call", a.path(plan));
    a.fault(message);
    None
}

/// What `Option<T>` holds, these hold.
macro_rules! once {
    ($($cell:ident)*) => {$(
        impl<T: 'static> Mapped for $cell<T>
        where
            Option<T>: Mapped,
        {
            fn shape(d: &mut Describer) -> Shape {
                Option::<T>::shape(d).wrap(Wrap::$cell)
            }
        }

        impl<T: Concretize> Concretize for $cell<T>
        where
            Option<T>: Concretize,
        {
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                Option::<T>::concretize(c, plan, at).map(|value| value.map_or_else($cell::new, $cell::from))
            }

            unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
                // SAFETY: the caller's promise; nobody else looks at the value now.
                if let Some(inner) = unsafe { (*this).get_mut() } {
                    // SAFETY: as above.
                    unsafe { T::survey_tuple(inner, c, plan, tuple) }
                }
            }
        }

        impl<T: Abstraction> Abstraction for $cell<T>
        where
            Option<T>: Abstraction,
        {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                if let Some(inner) = self.get() {
                    inner.abstraction(a, plan, at);
                }
            }
        }
    )*};
}

once!(OnceCell OnceLock);
