//! What the search needs to know of a field type: its shape, how to read it in a candidate and in a real
//! value, and how to make the real value of a candidate.
//!
//! The same accessor serves both readings: a field of a candidate is a slot, a field of a real value a
//! reference, and both give the same *view*: an integer is itself, a box the view of what it points to, an
//! optional box an `Option` of that.

use std::marker::PhantomData;
use std::num::NonZero;

use crate::build::Builder;
use crate::candidate::{Candidate, SHIFT};
use crate::handle::{Handle, Object};
use crate::shape::{Declare, Default, Part, Shape};

/// A type that can be a field of a structure. Implemented here for the types of the standard library and
/// by `#[derive(Candidate)]` for your own.
#[diagnostic::on_unimplemented(
    message = "the search cannot fill a field of type `{Self}`",
    label = "this type has no finitization",
    note = "derive `Candidate` for it, or skip the field with `#[candidate(skip)]` (its type then needs `Default`)"
)]
pub trait Field: Sized + 'static {
    /// How many slots a value takes.
    const WIDTH: usize;
    /// What it is called as an object of a pool, if it has a name.
    const CLASS: Option<&'static str> = None;
    /// How many slots an `Option` of it takes.
    const OPTION_WIDTH: usize = Self::WIDTH + 1;
    /// What reading the field gives.
    type View<'a>: Copy;

    /// Describes the slots.
    fn shape(declare: &mut Declare) -> Shape;
    /// The view of a field of a candidate.
    fn read(candidate: &Candidate, slot: usize) -> Self::View<'_>;
    /// The view of a place in a candidate: the word of an object, or a slot that belongs to none.
    #[inline(always)]
    fn read_at(candidate: &Candidate, at: usize) -> Self::View<'_> {
        Self::read(candidate, at & ((1 << SHIFT) - 1))
    }
    /// The view that a field would have if its first slot held this.
    fn read_as(candidate: &Candidate, slot: usize, first: i64) -> Self::View<'_> {
        let _ = first;
        Self::read(candidate, slot)
    }
    /// Is there nothing to know but the first slot, so that [`Field::read_as`] reads no other?
    const BY_FIRST_SLOT: bool = false;
    /// The view of a field of a real value.
    fn view(value: &Self) -> Self::View<'_>;
    /// The real value of a field of a candidate.
    fn build(builder: &mut Builder<'_>, slot: usize) -> Self;

    /// What the slot holds when the field has this view; none if the field cannot be written.
    fn encode(view: Self::View<'_>) -> Option<i64> {
        let _ = view;
        None
    }

    /// [`Field::shape`] of an `Option`.
    fn option_shape(declare: &mut Declare) -> Shape {
        let domain = declare.within("?", |declare| declare.domain(Default::Fixed { lo: 0, n: 2 }, (0, 1)));
        let domain = declare.name(domain, &["None", "Some"]);
        let some = Part { offset: 1, name: "", shape: Self::shape(declare) };
        Shape::Sum { domain, variants: vec![Vec::new(), vec![some]] }
    }
    /// [`Field::read_as`] of an `Option`.
    #[inline]
    fn read_option(candidate: &Candidate, slot: usize, first: i64) -> Option<Self::View<'_>> {
        (first != 0).then(|| Self::read(candidate, slot + 1))
    }
    /// [`Field::view`] of an `Option`.
    #[inline]
    fn view_option(value: &Option<Self>) -> Option<Self::View<'_>> {
        value.as_ref().map(Self::view)
    }
    /// [`Field::encode`] of an `Option`.
    fn encode_option(view: Option<Self::View<'_>>) -> Option<i64> {
        let _ = view;
        None
    }
    /// [`Field::build`] of an `Option`.
    fn build_option(builder: &mut Builder<'_>, slot: usize) -> Option<Self> {
        (builder.candidate().get(slot) != 0).then(|| Self::build(builder, slot + 1))
    }
}

/// A struct that derives `Candidate`, and its view.
#[diagnostic::on_unimplemented(
    message = "the search cannot make objects of type `{Self}` for pointers",
    label = "what this points to is no class of the search",
    note = "derive `Candidate` for `{Self}`, keep a scalar without a pointer, or skip the field with `#[candidate(skip)]`"
)]
pub trait Structure: Field {
    const NAME: &'static str;
    /// The view: `TreeRef` for a struct `Tree`.
    type Ref<'a>: Object;
    /// The view of an object.
    fn view_at(at: Handle<'_, Self>) -> Self::Ref<'_>;
}

impl<T: Field> Field for Option<T> {
    const WIDTH: usize = T::OPTION_WIDTH;
    type View<'a> = Option<T::View<'a>>;
    const BY_FIRST_SLOT: bool = T::OPTION_WIDTH == 1;

    fn shape(declare: &mut Declare) -> Shape {
        T::option_shape(declare)
    }
    #[inline]
    fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
        T::read_option(candidate, slot, candidate.get(slot))
    }
    #[inline]
    fn read_as(candidate: &Candidate, slot: usize, first: i64) -> Self::View<'_> {
        T::read_option(candidate, slot, first)
    }
    #[inline]
    fn view(value: &Self) -> Self::View<'_> {
        T::view_option(value)
    }
    fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
        T::build_option(builder, slot)
    }
    fn encode(view: Self::View<'_>) -> Option<i64> {
        T::encode_option(view)
    }
}

/// A value that one slot holds.
macro_rules! scalar {
    ($t:ty, $default:expr, $range:expr, $from:expr, $to:expr) => {
        impl Field for $t {
            const WIDTH: usize = 1;
            type View<'a> = $t;
            const BY_FIRST_SLOT: bool = true;

            fn shape(declare: &mut Declare) -> Shape {
                let domain = declare.domain($default, $range);
                Shape::Data {
                    domain: if $range == (0, 1) { declare.name(domain, &["false", "true"]) } else { domain },
                }
            }
            #[inline(always)]
            fn read(candidate: &Candidate, slot: usize) -> $t {
                $from(candidate.get(slot))
            }
            // A scalar is no object of its own.
            #[inline(always)]
            fn read_at(candidate: &Candidate, at: usize) -> $t {
                $from(candidate.get(at))
            }
            #[inline(always)]
            fn read_as(_: &Candidate, _: usize, first: i64) -> $t {
                $from(first)
            }
            #[inline(always)]
            fn view(value: &Self) -> $t {
                *value
            }
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                Self::read(builder.candidate(), slot)
            }
            #[inline]
            fn encode(view: $t) -> Option<i64> {
                Some($to(view))
            }
        }
    };
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        scalar!($t, Default::Scope, (<$t>::MIN as i128, <$t>::MAX as i128), |value: i64| value as $t, |view| view as i64);
    )*};
}
integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
scalar!(bool, Default::Fixed { lo: 0, n: 2 }, (0, 1), |value: i64| value != 0, i64::from);
// 'a', 'b', 'c': enough to tell characters apart; edit the domain for more.
scalar!(
    char,
    Default::Fixed { lo: 'a' as i64, n: 3 },
    (0, 0x10ffff),
    |value: i64| u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER),
    |view| i64::from(u32::from(view))
);

macro_rules! nonzero {
    ($($t:ty)*) => {$(
        scalar!(
            NonZero<$t>,
            Default::Scope,
            (1, <$t>::MAX as i128),
            |value: i64| NonZero::new(value as $t).unwrap_or(NonZero::<$t>::MIN),
            |view: NonZero<$t>| view.get() as i64
        );
    )*};
}
nonzero!(u8 u16 u32 u64 usize);

impl Field for () {
    const WIDTH: usize = 0;
    type View<'a> = ();
    fn shape(_: &mut Declare) -> Shape {
        Shape::Product(Vec::new())
    }
    fn read(_: &Candidate, _: usize) {}
    fn view((): &Self) {}
    fn build(_: &mut Builder<'_>, _: usize) {}
}

impl<T: 'static> Field for PhantomData<T> {
    const WIDTH: usize = 0;
    type View<'a> = ();
    fn shape(_: &mut Declare) -> Shape {
        Shape::Product(Vec::new())
    }
    fn read(_: &Candidate, _: usize) {}
    fn view(_: &Self) {}
    fn build(_: &mut Builder<'_>, _: usize) -> Self {
        PhantomData
    }
}

macro_rules! tuple {
    ($($t:ident $at:tt),*) => {
        impl<$($t: Field),*> Field for ($($t,)*) {
            const WIDTH: usize = 0 $(+ $t::WIDTH)*;
            type View<'a> = ($($t::View<'a>,)*);

            fn shape(declare: &mut Declare) -> Shape {
                let mut offset = 0;
                let mut parts = Vec::new();
                $(
                    let shape = declare.within(concat!(".", $at), |declare| $t::shape(declare));
                    parts.push(Part { offset, name: stringify!($at), shape });
                    #[allow(unused_assignments, reason = "the last column has none behind it")]
                    { offset += $t::WIDTH; }
                )*
                Shape::Product(parts)
            }
            #[allow(non_snake_case, unused_assignments)]
            fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
                let mut offset = slot;
                $(let $t = $t::read(candidate, offset); offset += $t::WIDTH;)*
                ($($t,)*)
            }
            fn view(value: &Self) -> Self::View<'_> {
                ($($t::view(&value.$at),)*)
            }
            #[allow(non_snake_case, unused_assignments)]
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                let mut offset = slot;
                $(let $t = $t::build(builder, offset); offset += $t::WIDTH;)*
                ($($t,)*)
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
