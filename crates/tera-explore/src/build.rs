//! The real value of a candidate.
//!
//! Memory for an object is allocated when the first pointer to it is met, before its fields are built, so
//! that cycles and back pointers come out right whichever pointer is met first. A candidate that no value
//! of the type can be (two boxes with one target) has none.
//!
//! A build that fails leaks what it has made so far, because pointers to half-built objects are about.

use std::any::TypeId;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::rc::{self, Rc};
use std::sync::{self, Arc};

use crate::candidate::{Candidate, SHIFT};
use crate::field::Field;
use crate::pointer::Pointee;

/// What owns the memory of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keeper {
    /// A box, or raw pointers to what was one.
    Box,
    Rc,
    Arc,
}

struct Made {
    at: NonNull<()>,
    keeper: Keeper,
    pointee: TypeId,
    /// A box has taken it.
    owned: bool,
    /// Gives back the reference that the builder itself holds.
    release: Option<Release>,
}

type Release = unsafe fn(NonNull<()>);

/// Makes the real value of a candidate; see [`Field::build`].
pub struct Builder<'c> {
    candidate: &'c Candidate,
    made: Vec<Option<Made>>,
}

/// The payload of the unwinding that gives up.
struct NoSuchValue;

/// The value of a type that lies at a slot, if the type can hold it.
pub(crate) fn build<T: Field>(candidate: &Candidate, slot: usize) -> Option<T> {
    let mut builder = Builder { candidate, made: Vec::new() };
    builder.made.resize_with(candidate.n_objects(), || None);
    match catch_unwind(AssertUnwindSafe(|| T::build(&mut builder, slot))) {
        Ok(value) => {
            for made in builder.made.iter().flatten() {
                if let Some(release) = made.release {
                    // SAFETY: `release` was stored with the pointer and its type; it is called once.
                    unsafe { release(made.at) };
                }
            }
            Some(value)
        }
        Err(payload) if payload.is::<NoSuchValue>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

impl<'c> Builder<'c> {
    pub fn candidate(&self) -> &'c Candidate {
        self.candidate
    }

    /// Gives up: no value of the type is this candidate.
    pub fn fail(&self) -> ! {
        resume_unwind(Box::new(NoSuchValue))
    }

    /// The object of a link, made on first sight.
    pub(crate) fn object<P: Pointee>(&mut self, word: i64, keeper: Keeper) -> NonNull<P> {
        let number = word as usize >> SHIFT;
        if let Some(made) = &self.made[number] {
            if made.pointee != TypeId::of::<P>() || made.keeper != keeper {
                self.fail();
            }
            return made.at.cast();
        }
        let (at, release): (NonNull<P>, Option<Release>) = match keeper {
            Keeper::Box => (NonNull::from(Box::leak(Box::<P>::new_uninit())).cast(), None),
            Keeper::Rc => {
                let at = Rc::into_raw(Rc::<P>::new_uninit()).cast_mut().cast();
                (NonNull::new(at).expect("not null"), Some(release_rc::<P>))
            }
            Keeper::Arc => {
                let at = Arc::into_raw(Arc::<P>::new_uninit()).cast_mut().cast();
                (NonNull::new(at).expect("not null"), Some(release_arc::<P>))
            }
        };
        let pointee = TypeId::of::<P>();
        self.made[number] = Some(Made { at: at.cast(), keeper, pointee, owned: false, release });
        let base = word as usize & ((1 << SHIFT) - 1);
        let value = P::wrap(P::Class::build(self, base));
        // SAFETY: freshly allocated for a `P`, and written only here; nobody has read it yet.
        unsafe { at.cast::<MaybeUninit<P>>().as_mut().write(value) };
        at
    }

    /// An element of a sequence that is being made here, in its place.
    pub(crate) fn element<T: Field>(&mut self, word: usize, at: NonNull<T>) {
        let number = word >> SHIFT;
        if self.made[number].is_some() {
            // A pointer came first, and has been given another place.
            self.fail();
        }
        let (keeper, pointee) = (Keeper::Box, TypeId::of::<T>());
        self.made[number] = Some(Made { at: at.cast(), keeper, pointee, owned: true, release: None });
        let value = T::build(self, word & ((1 << SHIFT) - 1));
        // SAFETY: the caller's memory for a `T`, which nobody has read yet.
        unsafe { at.cast::<MaybeUninit<T>>().as_mut().write(value) };
    }

    pub(crate) fn boxed<P: Pointee>(&mut self, word: i64) -> Box<P> {
        let at = self.object::<P>(word, Keeper::Box);
        match &mut self.made[word as usize >> SHIFT] {
            Some(made) if !made.owned => made.owned = true,
            _ => self.fail(),
        }
        // SAFETY: allocated as a box, and no other box has it.
        unsafe { Box::from_raw(at.as_ptr()) }
    }

    pub(crate) fn rc<P: Pointee>(&mut self, word: i64) -> Rc<P> {
        let at = self.object::<P>(word, Keeper::Rc).as_ptr();
        // SAFETY: made by `Rc::into_raw`; the builder holds a reference of its own until the end.
        unsafe {
            Rc::increment_strong_count(at);
            Rc::from_raw(at)
        }
    }

    pub(crate) fn arc<P: Pointee>(&mut self, word: i64) -> Arc<P> {
        let at = self.object::<P>(word, Keeper::Arc).as_ptr();
        // SAFETY: as in `rc`.
        unsafe {
            Arc::increment_strong_count(at);
            Arc::from_raw(at)
        }
    }

    pub(crate) fn weak<P: Pointee>(&mut self, word: i64) -> rc::Weak<P> {
        let at = self.object::<P>(word, Keeper::Rc).as_ptr();
        // SAFETY: as in `rc`; the reference borrowed here is the builder's and stays its.
        Rc::downgrade(&ManuallyDrop::new(unsafe { Rc::from_raw(at) }))
    }

    pub(crate) fn sync_weak<P: Pointee>(&mut self, word: i64) -> sync::Weak<P> {
        let at = self.object::<P>(word, Keeper::Arc).as_ptr();
        // SAFETY: as in `weak`.
        Arc::downgrade(&ManuallyDrop::new(unsafe { Arc::from_raw(at) }))
    }
}

unsafe fn release_rc<P>(at: NonNull<()>) {
    // SAFETY: the caller passes the pointer that `Rc::into_raw` gave, once.
    drop(unsafe { Rc::from_raw(at.cast::<P>().as_ptr()) });
}

unsafe fn release_arc<P>(at: NonNull<()>) {
    // SAFETY: the caller passes the pointer that `Arc::into_raw` gave, once.
    drop(unsafe { Arc::from_raw(at.cast::<P>().as_ptr()) });
}
