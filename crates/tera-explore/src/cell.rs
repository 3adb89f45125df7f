//! Values in cells, locks and atomics: their views are those of what is inside.
//!
//! Views only read, and no reading calls code of the user that could change what is viewed. A cell that is
//! mutably borrowed, or a lock that is held, when it is viewed is refused by a panic; nobody may change it
//! while the view is in use.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize, Ordering,
};
use std::sync::{Mutex, OnceLock, RwLock, TryLockError};

use crate::build::Builder;
use crate::candidate::Candidate;
use crate::field::{Field, Structure};
use crate::pointer::Pointee;
use crate::shape::{Declare, Shape};

fn peek_cell<T>(cell: &RefCell<T>) -> &T {
    // SAFETY: see the module; a mutable borrow that exists already is refused.
    unsafe { cell.try_borrow_unguarded() }
        .expect("a structure is viewed while one of its cells is mutably borrowed")
}

fn peek_mutex<T>(lock: &Mutex<T>) -> &T {
    let guard = match lock.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => panic!("a structure is viewed while one of its locks is held"),
    };
    let value: *const T = &*guard;
    // SAFETY: see the module; the value lies in the lock, which outlives the guard.
    unsafe { &*value }
}

fn peek_rw_lock<T>(lock: &RwLock<T>) -> &T {
    let guard = match lock.try_read() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => panic!("a structure is viewed while one of its locks is held"),
    };
    let value: *const T = &*guard;
    // SAFETY: as above.
    unsafe { &*value }
}

/// A field that is laid out like what it holds.
macro_rules! like {
    ($t:ident) => {
        const WIDTH: usize = $t::WIDTH;
        const BY_FIRST_SLOT: bool = $t::BY_FIRST_SLOT;

        fn shape(declare: &mut Declare) -> Shape {
            $t::shape(declare)
        }
        #[inline]
        fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
            $t::read(candidate, slot)
        }
        #[inline]
        fn read_at(candidate: &Candidate, at: usize) -> Self::View<'_> {
            $t::read_at(candidate, at)
        }
        #[inline]
        fn read_as(candidate: &Candidate, slot: usize, first: i64) -> Self::View<'_> {
            $t::read_as(candidate, slot, first)
        }
        fn encode(view: Self::View<'_>) -> Option<i64> {
            $t::encode(view)
        }
    };
}

impl<T: Field> Field for Cell<T>
where
    T: Copy,
    for<'a> T: Field<View<'a> = T>,
{
    type View<'a> = T;
    like!(T);

    #[inline]
    fn view(value: &Self) -> T {
        value.get()
    }
    fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
        Cell::new(T::build(builder, slot))
    }
}

macro_rules! interior {
    ($cell:ident, $peek:path) => {
        impl<T: Field> Field for $cell<T> {
            type View<'a> = T::View<'a>;
            like!(T);

            #[inline]
            fn view(value: &Self) -> Self::View<'_> {
                T::view($peek(value))
            }
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                $cell::new(T::build(builder, slot))
            }
        }

        impl<T: Structure> Pointee for $cell<T> {
            type Class = T;
            #[inline]
            fn class(&self) -> &T {
                $peek(self)
            }
            fn wrap(value: T) -> Self {
                $cell::new(value)
            }
        }
    };
}
interior!(RefCell, peek_cell);
interior!(Mutex, peek_mutex);
interior!(RwLock, peek_rw_lock);

/// Set or not, as an option.
macro_rules! once {
    ($($cell:ident)*) => {$(
        impl<T: Field> Field for $cell<T> {
            const WIDTH: usize = T::OPTION_WIDTH;
            type View<'a> = Option<T::View<'a>>;
            const BY_FIRST_SLOT: bool = T::OPTION_WIDTH == 1;

            fn shape(declare: &mut Declare) -> Shape {
                T::option_shape(declare)
            }
            fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
                <Option<T> as Field>::read(candidate, slot)
            }
            fn read_as(candidate: &Candidate, slot: usize, first: i64) -> Self::View<'_> {
                <Option<T> as Field>::read_as(candidate, slot, first)
            }
            fn view(value: &Self) -> Self::View<'_> {
                value.get().map(T::view)
            }
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                T::build_option(builder, slot).map_or_else($cell::new, Into::into)
            }
            fn encode(view: Self::View<'_>) -> Option<i64> {
                T::encode_option(view)
            }
        }
    )*};
}
once!(OnceCell OnceLock);

macro_rules! atomic {
    ($($atomic:ident $t:ident)*) => {$(
        impl Field for $atomic {
            type View<'a> = $t;
            like!($t);

            fn view(value: &Self) -> $t {
                value.load(Ordering::Relaxed)
            }
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                $atomic::new($t::build(builder, slot))
            }
        }
    )*};
}
atomic!(AtomicBool bool AtomicI8 i8 AtomicI16 i16 AtomicI32 i32 AtomicI64 i64 AtomicIsize isize);
atomic!(AtomicU8 u8 AtomicU16 u16 AtomicU32 u32 AtomicU64 u64 AtomicUsize usize);
