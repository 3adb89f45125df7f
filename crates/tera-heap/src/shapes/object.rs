//! Structs and enums of the standard library that are objects, as the derive would make them.

use std::cmp::Ordering;
use std::ops::Range;

use crate::describe::{Describer, FieldDesc, Mapped, Shape, Style, VariantDesc};
use crate::plan::Plan;
use crate::{Abstraction, Abstractor, Concretize, Concretizer, Heap, OneTuple, Place, Stop};

/// Each variant has its number, how Rust builds it and its fields: number, member, name in the specification,
/// type and a variable.
macro_rules! objects {
    ($([$($generic:ident)*] $ty:ty, $sig:literal, $is_enum:literal, {$(
        $number:literal $variant_sig:literal $($variant:ident)::+, $path:literal $style:ident
        { $($i:literal $member:tt $label:literal $field:ty: $local:ident),* }
    )*})*) => {$(
        impl<$($generic: Mapped),*> Mapped for $ty {
            const ONE_TUPLE: bool = true;

            fn shape(d: &mut Describer) -> Shape {
                #[allow(unused_variables, reason = "no field has a type where all variants are constants")]
                d.object::<Self>(|d| {
                    let variants = vec![$(VariantDesc {
                        sig: $variant_sig,
                        path: $path,
                        style: Style::$style,
                        fields: vec![$(FieldDesc {
                            label: $label,
                            rust: stringify!($member),
                            place: "",
                            shape: <$field>::shape(d),
                        }),*],
                    }),*];
                    ($sig, $is_enum, variants)
                })
            }
        }

        impl<$($generic: Concretize + Abstraction),*> Concretize for $ty {
            fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Self, Stop> {
                c.object::<Self>(plan, tuple)
            }

            unsafe fn placed(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
                c.place(this, plan, tuple);
            }

            unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
                c.place(this, plan, tuple);
            }
        }

        impl<$($generic: Concretize + Abstraction),*> Abstraction for $ty {
            fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, place: Place) -> Option<usize> {
                a.object(self, plan, place)
            }
        }

        impl<$($generic: Concretize + Abstraction),*> OneTuple for $ty {}

        #[allow(unused_variables, reason = "constants have no fields")]
        impl<$($generic: Concretize + Abstraction),*> Heap for $ty {
            fn make(c: &mut Concretizer<'_>, variant: usize, fields: &[Plan], at: usize) -> Result<Self, Stop> {
                match variant {
                    $($number => Ok($($variant)::+ { $($member: <$field>::concretize(c, &fields[$i], at)?),* }),)*
                    _ => Err(c.fault(format!("{} has no variant {variant}", $sig))),
                }
            }

            fn variant(&self) -> usize {
                match self {
                    $($($variant)::+ { .. } => $number),*
                }
            }

            fn visit(&self, a: &mut Abstractor<'_>, fields: &[Plan], at: usize) {
                match self {
                    $($($variant)::+ { $($member: $local),* } => {
                        $($local.abstraction(a, &fields[$i], at);)*
                    })*
                }
            }

            unsafe fn survey_fields(this: *mut Self, c: &mut Concretizer<'_>, fields: &[Plan], at: usize) {
                // SAFETY: the caller's promise; nobody else looks at the value now.
                match unsafe { &mut *this } {
                    $($($variant)::+ { $($member: $local),* } => {
                        $(if fields[$i].links {
                            // SAFETY: as above.
                            unsafe { <$field>::survey($local, c, &fields[$i], at) }
                        })*
                    })*
                }
            }
        }
    )*};
}

objects! {
    [] Ordering, "Ordering", true, {
        0 "Less" Ordering::Less, "std::cmp::Ordering::Less" Unit {}
        1 "Equal" Ordering::Equal, "std::cmp::Ordering::Equal" Unit {}
        2 "Greater" Ordering::Greater, "std::cmp::Ordering::Greater" Unit {}
    }
    [T E] Result<T, E>, "Result", true, {
        0 "Ok" Result::Ok, "Ok" Tuple { 0 0 "f0" T: value }
        1 "Err" Result::Err, "Err" Tuple { 0 0 "f0" E: error }
    }
    [T] Range<T>, "Range", false, {
        0 "Range" Range, "std::ops::Range" Named { 0 start "start" T: start, 1 end "end" T: end }
    }
}
