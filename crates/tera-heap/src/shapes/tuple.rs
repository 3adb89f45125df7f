//! Tuples: the columns of each component in turn.

use crate::describe::{Describer, Mapped, Shape};
use crate::plan::Plan;
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

macro_rules! tuples {
    ($(($($T:ident $i:tt),+))*) => {$(
        impl<$($T: OneTuple),+> Mapped for ($($T,)+) {
            const ONE_TUPLE: bool = true;

            fn shape(d: &mut Describer) -> Shape {
                Shape::Tuple(vec![$($T::shape(d)),+])
            }
        }

        impl<$($T: OneTuple),+> Concretize for ($($T,)+) {
            fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Self, Stop> {
                let columns = split(plan, tuple);
                Ok(($($T::from_tuple(c, &plan.parts[$i], columns[$i])?,)+))
            }

            unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
                let columns = split(plan, tuple);
                // SAFETY: the caller's promise.
                unsafe { $($T::survey_tuple(&raw mut (*this).$i, c, &plan.parts[$i], columns[$i]);)+ }
            }
        }

        impl<$($T: OneTuple),+> Abstraction for ($($T,)+) {
            fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
                let mut tuple = 0;
                $(
                    let part = &plan.parts[$i];
                    tuple = tuple * part.span + self.$i.to_tuple(a, part, Place::Heap)?;
                )+
                Some(tuple)
            }
        }

        impl<$($T: OneTuple),+> OneTuple for ($($T,)+) {}
    )*};
}

/// The tuples of the components.
fn split(plan: &Plan, mut tuple: usize) -> [usize; 6] {
    let mut columns = [0; 6];
    for (part, column) in plan.parts.iter().zip(&mut columns).rev() {
        *column = tuple % part.span;
        tuple /= part.span;
    }
    columns
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}
