//! Pointers: links to objects of a pool, and the real pointers that stand for them.
//!
//! `Box` owns: in the search its target is an object that no other box has. `Rc`, `Arc` and raw pointers
//! share. A null raw pointer, an empty `Weak` and `None` are the null of the candidate.
//!
//! Views of real values follow raw pointers: a value whose raw pointers dangle must not be viewed.

use std::ptr::NonNull;
use std::rc::{self, Rc};
use std::sync::{self, Arc};

use crate::build::{Builder, Keeper};
use crate::candidate::Candidate;
use crate::field::{Field, Structure};
use crate::handle::{Handle, Object};
use crate::shape::{Declare, Shape};

/// What a pointer may point to: a struct, or a struct in a `RefCell`, `Mutex` or `RwLock`.
#[diagnostic::on_unimplemented(
    message = "the search cannot make objects of type `{Self}` for pointers",
    label = "what this points to is no class of the search",
    note = "derive `Candidate` for `{Self}`, keep a scalar without a pointer, or skip the field with `#[candidate(skip)]`"
)]
pub trait Pointee: Sized + 'static {
    type Class: Structure;
    fn class(&self) -> &Self::Class;
    fn wrap(value: Self::Class) -> Self;
}

impl<T: Structure> Pointee for T {
    type Class = T;
    #[inline]
    fn class(&self) -> &T {
        self
    }
    fn wrap(value: T) -> T {
        value
    }
}

type Ref<'a, P> = <<P as Pointee>::Class as Structure>::Ref<'a>;

#[inline(always)]
fn link<P: Pointee>(candidate: &Candidate, word: i64) -> Option<Ref<'_, P>> {
    Handle::of_word(candidate, word).map(P::Class::view_at)
}

#[inline]
fn real<P: Pointee>(value: &P) -> Ref<'_, P> {
    P::Class::view_at(Handle::real(value.class()))
}

/// A pointer that is never null.
macro_rules! pointer {
    ($p:ident, $pointer:ty, $owned:expr, |$value:ident| $target:expr, |$builder:ident, $word:ident| $build:expr) => {
        impl<$p: Pointee> Field for $pointer {
            const WIDTH: usize = 1;
            const OPTION_WIDTH: usize = 1;
            type View<'a> = Ref<'a, $p>;
            const BY_FIRST_SLOT: bool = true;

            fn shape(declare: &mut Declare) -> Shape {
                declare.link::<$p::Class>(false, $owned)
            }
            #[inline(always)]
            fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
                Self::read_as(candidate, slot, candidate.get(slot))
            }
            #[inline(always)]
            fn read_as(candidate: &Candidate, _: usize, first: i64) -> Self::View<'_> {
                link::<$p>(candidate, first).expect("a pointer of a new object is read before it is written")
            }
            #[inline]
            fn view($value: &Self) -> Self::View<'_> {
                real::<$p>($target)
            }
            fn build($builder: &mut Builder<'_>, slot: usize) -> Self {
                let $word = $builder.candidate().get(slot);
                $build
            }
            fn option_shape(declare: &mut Declare) -> Shape {
                declare.link::<$p::Class>(true, $owned)
            }
            #[inline(always)]
            fn read_option(candidate: &Candidate, _: usize, first: i64) -> Option<Self::View<'_>> {
                link::<$p>(candidate, first)
            }
            fn encode(view: Self::View<'_>) -> Option<i64> {
                Some(view.address() as i64)
            }
            fn encode_option(view: Option<Self::View<'_>>) -> Option<i64> {
                Some(view.map_or(0, |view| view.address() as i64))
            }
            fn build_option(builder: &mut Builder<'_>, slot: usize) -> Option<Self> {
                (builder.candidate().get(slot) != 0).then(|| Self::build(builder, slot))
            }
        }
    };
}

pointer!(P, Box<P>, true, |value| &**value, |builder, word| builder.boxed::<P>(word));
pointer!(P, Rc<P>, false, |value| &**value, |builder, word| builder.rc::<P>(word));
pointer!(P, Arc<P>, false, |value| &**value, |builder, word| builder.arc::<P>(word));
// SAFETY: the pointers of a value that is viewed are valid (see the module).
pointer!(P, NonNull<P>, false, |value| unsafe { value.as_ref() }, |builder, word| {
    builder.object::<P>(word, Keeper::Box)
});

/// A pointer with a null of its own.
macro_rules! nullable {
    ($p:ident, $pointer:ty, |$value:ident| $target:expr, |$builder:ident, $word:ident| $build:expr) => {
        impl<$p: Pointee> Field for $pointer {
            const WIDTH: usize = 1;
            type View<'a> = Option<Ref<'a, $p>>;
            const BY_FIRST_SLOT: bool = true;

            fn shape(declare: &mut Declare) -> Shape {
                declare.link::<$p::Class>(true, false)
            }
            #[inline(always)]
            fn read(candidate: &Candidate, slot: usize) -> Self::View<'_> {
                link::<$p>(candidate, candidate.get(slot))
            }
            #[inline(always)]
            fn read_as(candidate: &Candidate, _: usize, first: i64) -> Self::View<'_> {
                link::<$p>(candidate, first)
            }
            #[inline]
            fn view($value: &Self) -> Self::View<'_> {
                // SAFETY: the pointers of a value that is viewed are valid (see the module); what a `Weak`
                // points to while it counts strong references lives as long as the structure.
                unsafe { $target }.map(real::<$p>)
            }
            fn build($builder: &mut Builder<'_>, slot: usize) -> Self {
                let $word = $builder.candidate().get(slot);
                $build
            }
            fn encode(view: Self::View<'_>) -> Option<i64> {
                Some(view.map_or(0, |view| view.address() as i64))
            }
        }
    };
}

nullable!(P, *mut P, |value| value.as_ref(), |builder, word| match word {
    0 => std::ptr::null_mut(),
    _ => builder.object::<P>(word, Keeper::Box).as_ptr(),
});
nullable!(P, *const P, |value| value.as_ref(), |builder, word| match word {
    0 => std::ptr::null(),
    _ => builder.object::<P>(word, Keeper::Box).as_ptr().cast_const(),
});
nullable!(P, rc::Weak<P>, |value| (value.strong_count() > 0).then(|| &*value.as_ptr()), |builder, word| {
    match word {
        0 => rc::Weak::new(),
        _ => builder.weak::<P>(word),
    }
});
nullable!(P, sync::Weak<P>, |value| (value.strong_count() > 0).then(|| &*value.as_ptr()), |builder, word| {
    match word {
        0 => sync::Weak::new(),
        _ => builder.sync_weak::<P>(word),
    }
});
