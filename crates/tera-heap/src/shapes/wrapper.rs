//! Types that hold one value and are nothing to the specification: what they share.

/// Implements the mapping for wrappers. Of each: its type, what it wraps and how the printer calls it; a function
/// that makes it; for a pointer `$this` to one, a pointer to what is inside; for a reference `$this` to one, what
/// is inside as a pointer, or nothing when it cannot be read now.
macro_rules! wrappers {
    ($($ty:ty, $wrap:expr, $make:expr, $this:ident, $inside:expr, $a:ident, $plan:ident, $read:expr;)*) => {$(
        const _: () = {
            use $crate::describe::{Describer, Mapped, Shape};
            use $crate::plan::Plan;
            use $crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

            impl<T: Mapped> Mapped for $ty {
                const ONE_TUPLE: bool = T::ONE_TUPLE;

                fn shape(d: &mut Describer) -> Shape {
                    T::shape(d).wrap($wrap)
                }
            }

            /// # Safety
            /// Nobody else looks at the value.
            #[inline]
            #[allow(unused_unsafe, reason = "a cast of the pointer is safe")]
            unsafe fn inside<T>($this: *mut $ty) -> *mut T {
                // SAFETY: the caller's promise.
                unsafe { $inside }
            }

            /// The value, or nothing when it is locked.
            #[inline]
            fn read<T>($this: &$ty, $a: &mut Abstractor<'_>, $plan: &Plan) -> Option<*const T> {
                $read
            }

            impl<T: Concretize> Concretize for $ty {
                #[inline]
                fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                    T::concretize(c, plan, at).map($make)
                }

                #[inline]
                fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Self, Stop> {
                    T::from_tuple(c, plan, tuple).map($make)
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

            impl<T: Abstraction> Abstraction for $ty {
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

            impl<T: OneTuple> OneTuple for $ty {}
        };
    )*};
}

pub(super) use wrappers;
