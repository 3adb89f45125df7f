//! The function under test, as the checker sees it: named arguments of owned types, one call.

use tera_heap::{Abstraction, Abstractor, Concretize, Concretizer, Describer, Fault};

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// By value: it is gone after the call.
    Value,
    /// `&T`
    Shared,
    /// `&mut T`
    Mutable,
}

/// A function with the arguments it is tested on. `#[testera::check]` implements it.
pub trait Subject: Send + Sync {
    /// The owned types of the arguments, in a tuple.
    type Args: Arguments;
    /// What the call gives; `()` if nothing.
    type Output: Abstraction;
    const NAMES: &'static [&'static str];
    const PASSING: &'static [Passing];

    /// Calls the function.
    ///
    /// # Safety
    /// `args` points to live values; those passed by value are moved out and must not be used
    /// or dropped afterwards.
    unsafe fn call(&self, args: *mut Self::Args) -> Self::Output;
}

/// A tuple of arguments.
pub trait Arguments: Sized + 'static {
    const LEN: usize;

    fn describe(names: &[&str], describer: &mut Describer);

    /// Makes the arguments at `place`, in order; argument `i` is root `i`. When one cannot be made,
    /// those before it stay as they are.
    ///
    /// # Safety
    /// `place` is valid for writes.
    unsafe fn make(place: *mut Self, c: &mut Concretizer<'_>) -> Result<(), Fault>;

    /// Reads those arguments that `present` accepts.
    ///
    /// # Safety
    /// Those arguments are live values.
    unsafe fn read(place: *const Self, a: &mut Abstractor<'_>, present: impl Fn(usize) -> bool);

    /// Drops those arguments that `present` accepts.
    ///
    /// # Safety
    /// Those arguments are live values, not used afterwards.
    unsafe fn drop(place: *mut Self, present: impl Fn(usize) -> bool);
}

macro_rules! arguments {
    ($($len:literal: $($ty:ident $i:tt),+;)+) => {$(
        impl<$($ty: Concretize + Abstraction),+> Arguments for ($($ty,)+) {
            const LEN: usize = $len;

            fn describe(names: &[&str], describer: &mut Describer) {
                $(describer.root::<$ty>(names[$i]);)+
            }

            unsafe fn make(place: *mut Self, c: &mut Concretizer<'_>) -> Result<(), Fault> {
                // Safety: the caller's promise, component by component.
                unsafe {
                    $(c.root_at::<$ty>($i, &raw mut (*place).$i)?;)+
                }
                Ok(())
            }

            unsafe fn read(place: *const Self, a: &mut Abstractor<'_>, present: impl Fn(usize) -> bool) {
                // Safety: as above.
                unsafe {
                    $(if present($i) {
                        a.root::<$ty>($i, &(*place).$i);
                    })+
                }
            }

            unsafe fn drop(place: *mut Self, present: impl Fn(usize) -> bool) {
                // Safety: as above.
                unsafe {
                    $(if present($i) {
                        std::ptr::drop_in_place(&raw mut (*place).$i);
                    })+
                }
            }
        }
    )+};
}

arguments! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
    7: A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

/// A closure over a tuple of arguments, for contracts that are built by hand; the names are given
/// to the contract.
pub(crate) struct Closure<A, R, F> {
    f: F,
    types: std::marker::PhantomData<fn(A) -> R>,
}

impl<A: Arguments, R: Abstraction, F: Fn(&mut A) -> R + Send + Sync> Closure<A, R, F> {
    pub(crate) fn new(f: F) -> Closure<A, R, F> {
        Closure { f, types: std::marker::PhantomData }
    }
}

impl<A: Arguments, R: Abstraction, F: Fn(&mut A) -> R + Send + Sync> Subject for Closure<A, R, F> {
    type Args = A;
    type Output = R;
    const NAMES: &'static [&'static str] = &[];
    const PASSING: &'static [Passing] = &[Passing::Mutable; 8];

    unsafe fn call(&self, args: *mut A) -> R {
        // Safety: live values, exclusively ours.
        (self.f)(unsafe { &mut *args })
    }
}
