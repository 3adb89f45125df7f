//! Numbers, `bool`, `char`, and types without information.

use std::marker::{PhantomData, PhantomPinned};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use crate::describe::{Describer, Mapped, Shape, Wrap};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

macro_rules! integers {
    ($($int:ident)*) => {$(
        impl Mapped for $int {
            const ONE_TUPLE: bool = true;

            fn shape(_: &mut Describer) -> Shape {
                let max = i128::try_from($int::MAX).unwrap_or(i128::MAX);
                Shape::Int { rust: stringify!($int), min: $int::MIN as i128, max }
            }
        }

        impl Concretize for $int {
            #[inline]
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<$int, Stop> {
                match (plan.leaf, c.at_most_one(plan, at)?) {
                    (_, Some(tuple)) => $int::from_tuple(c, plan, tuple),
                    (Leaf::Position { ty, numbering }, None) => {
                        let Some(null) = c.null(plan, ty, numbering)? else { return Err(c.missing(plan, at)) };
                        $int::try_from(null).map_err(|_| c.fault(format!("{null} is no {}", stringify!($int))))
                    }
                    _ => Err(c.missing(plan, at)),
                }
            }

            #[inline]
            fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<$int, Stop> {
                let value = match plan.leaf {
                    Leaf::Int => c.int_value(tuple),
                    Leaf::Nth(pool) => c.rank(pool, tuple),
                    Leaf::Position { ty, numbering } => {
                        i64::try_from(i128::from(c.position(plan, ty, tuple)?) + numbering.first).ok()
                    }
                    _ => None,
                };
                match value.and_then(|value| $int::try_from(value).ok()) {
                    Some(value) => Ok(value),
                    None => Err(c.no_value::<$int>(plan, tuple)),
                }
            }
        }

        impl Abstraction for $int {
            #[inline]
            fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
                let value = i128::try_from(*self).unwrap_or(i128::MAX);
                match plan.leaf {
                    Leaf::Nth(pool) => a.nth(pool, value),
                    Leaf::Position { ty, numbering } => a.at_position(plan, ty, numbering, value),
                    _ => a.int(value),
                }
            }
        }

        impl OneTuple for $int {}
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// Integers behind a type of the standard library: `$get` reads one, `$make` is `None` where it has no such
/// value. `$min` is the least value.
macro_rules! integers_behind {
    ($($ty:ty, $rust:expr, $int:ident, $min:expr, $get:expr, $make:expr;)*) => {$(
        impl Mapped for $ty {
            const ONE_TUPLE: bool = true;

            fn shape(_: &mut Describer) -> Shape {
                let max = i128::try_from($int::MAX).unwrap_or(i128::MAX);
                Shape::Int { rust: $rust, min: $min, max }
            }
        }

        impl Concretize for $ty {
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<$ty, Stop> {
                let make: fn($int) -> Option<$ty> = $make;
                make($int::concretize(c, plan, at)?).ok_or_else(|| c.missing(plan, at))
            }

            fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<$ty, Stop> {
                let make: fn($int) -> Option<$ty> = $make;
                make($int::from_tuple(c, plan, tuple)?).ok_or_else(|| c.no_value::<$ty>(plan, tuple))
            }
        }

        impl Abstraction for $ty {
            fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, place: Place) -> Option<usize> {
                let get: fn(&$ty) -> $int = $get;
                get(self).to_tuple(a, plan, place)
            }
        }

        impl OneTuple for $ty {}
    )*};
}

macro_rules! nonzero_and_atomic {
    ($($int:ident $nonzero:ident [$($atomic:ident)?])*) => {
        integers_behind! {$(
            std::num::$nonzero, concat!("std::num::", stringify!($nonzero)), $int, if $int::MIN == 0 { 1 } else { $int::MIN as i128 }, |n| n.get(), std::num::$nonzero::new;
            $(std::sync::atomic::$atomic, concat!("std::sync::atomic::", stringify!($atomic)), $int, $int::MIN as i128, |n| n.load(Relaxed), |n| Some(n.into());)?
        )*}
    };
}

nonzero_and_atomic! {
    u8 NonZeroU8 [AtomicU8]
    u16 NonZeroU16 [AtomicU16]
    u32 NonZeroU32 [AtomicU32]
    u64 NonZeroU64 [AtomicU64]
    u128 NonZeroU128 []
    usize NonZeroUsize [AtomicUsize]
    i8 NonZeroI8 [AtomicI8]
    i16 NonZeroI16 [AtomicI16]
    i32 NonZeroI32 [AtomicI32]
    i64 NonZeroI64 [AtomicI64]
    i128 NonZeroI128 []
    isize NonZeroIsize [AtomicIsize]
}

impl Mapped for bool {
    const ONE_TUPLE: bool = true;

    fn shape(_: &mut Describer) -> Shape {
        Shape::Bool
    }
}

impl Concretize for bool {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<bool, Stop> {
        if plan.leaf == Leaf::Flag {
            return Ok(c.first(plan, at).is_some());
        }
        let tuple = c.one(plan, at)?;
        bool::from_tuple(c, plan, tuple)
    }

    fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<bool, Stop> {
        match plan.leaf {
            Leaf::Bool { yes, .. } if yes.0 as usize == tuple => Ok(true),
            Leaf::Bool { no, .. } if no.0 as usize == tuple => Ok(false),
            Leaf::Int if c.int_value(tuple) == Some(0) => Ok(false),
            Leaf::Int if c.int_value(tuple) == Some(1) => Ok(true),
            _ => Err(c.no_value::<bool>(plan, tuple)),
        }
    }
}

impl Abstraction for bool {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        let tuple = match plan.leaf {
            Leaf::Flag => self.then_some(0),
            _ => self.to_tuple(a, plan, Place::Inline(at)),
        };
        if let Some(tuple) = tuple {
            a.insert(plan, at, tuple);
        }
    }

    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
        match plan.leaf {
            Leaf::Bool { yes, no } => Some(if *self { yes } else { no }.0 as usize),
            _ => a.int(i128::from(*self)),
        }
    }
}

impl OneTuple for bool {}

impl Mapped for AtomicBool {
    const ONE_TUPLE: bool = true;

    fn shape(d: &mut Describer) -> Shape {
        bool::shape(d).wrap(Wrap::Newtype("std::sync::atomic::AtomicBool::new(", ")"))
    }
}

impl Concretize for AtomicBool {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<AtomicBool, Stop> {
        bool::concretize(c, plan, at).map(AtomicBool::new)
    }

    fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<AtomicBool, Stop> {
        bool::from_tuple(c, plan, tuple).map(AtomicBool::new)
    }
}

impl Abstraction for AtomicBool {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        self.load(Relaxed).abstraction(a, plan, at);
    }

    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, place: Place) -> Option<usize> {
        self.load(Relaxed).to_tuple(a, plan, place)
    }
}

impl OneTuple for AtomicBool {}

impl Mapped for char {
    const ONE_TUPLE: bool = true;

    fn shape(_: &mut Describer) -> Shape {
        Shape::Char
    }
}

impl Concretize for char {
    fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<char, Stop> {
        let value = match plan.leaf {
            Leaf::Int => c.int_value(tuple).and_then(|v| u32::try_from(v).ok()).and_then(char::from_u32),
            Leaf::Text => c.text(tuple).and_then(|text| {
                let mut chars = text.chars();
                chars.next().filter(|_| chars.next().is_none())
            }),
            // 'a' is the first atom of an uninterpreted signature.
            Leaf::Nth(pool) => {
                c.rank(pool, tuple).and_then(|k| u32::try_from(k).ok()).and_then(|k| char::from_u32(97 + k))
            }
            _ => None,
        };
        value.ok_or_else(|| c.no_value::<char>(plan, tuple))
    }
}

impl Abstraction for char {
    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
        match plan.leaf {
            Leaf::Int => a.int(i128::from(u32::from(*self))),
            Leaf::Nth(pool) => a.nth(pool, i128::from(u32::from(*self)) - 97),
            _ => a.text(self.encode_utf8(&mut [0; 4])),
        }
    }
}

impl OneTuple for char {}

/// Types with one value are one tuple without columns. [`Mapped::ONE_TUPLE`] does not say so: there is nothing to
/// look for in a relation.
macro_rules! units {
    ($([$($generic:ident)?] $ty:ty, $value:expr;)*) => {$(
        impl$(<$generic: 'static>)? Mapped for $ty {
            fn shape(_: &mut Describer) -> Shape {
                Shape::Unit(stringify!($value))
            }
        }

        impl$(<$generic: 'static>)? Concretize for $ty {
            fn concretize(_: &mut Concretizer<'_>, _: &Plan, _: usize) -> Result<Self, Stop> {
                Ok($value)
            }

            fn from_tuple(_: &mut Concretizer<'_>, _: &Plan, _: usize) -> Result<Self, Stop> {
                Ok($value)
            }

            unsafe fn survey(_: *mut Self, _: &mut Concretizer<'_>, _: &Plan, _: usize) {}
        }

        impl$(<$generic: 'static>)? Abstraction for $ty {
            fn abstraction(&self, _: &mut Abstractor<'_>, _: &Plan, _: usize) {}

            fn to_tuple(&self, _: &mut Abstractor<'_>, _: &Plan, _: Place) -> Option<usize> {
                Some(0)
            }
        }

        impl$(<$generic: 'static>)? OneTuple for $ty {}
    )*};
}

units! {
    [] (), ();
    [T] PhantomData<T>, PhantomData;
    [] PhantomPinned, PhantomPinned;
}
