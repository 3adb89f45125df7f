//! Instance → value ("a2j" of TestEra).
//!
//! One recursive descent along what the types own: a struct literal per object, a box around a
//! finished value. An object behind `Rc` or `Arc` gets its block first, so that cycles find it.
//! Pointers that own nothing (raw, `NonNull`, `Weak`) start as null and are written by
//! [`Concretizer::finish`], when every object has its final place; a raw pointer to an object that
//! nobody owns makes the object, in a block of its own, as `Box::into_raw` would: at once where no
//! object of its type has an owner.
//!
//! Invariant: a typed value is never made before everything in it is, so an error on the way
//! leaks at most memory.

use std::any::TypeId;
use std::fmt;

use tera_rel::{AtomId, Instance, RelId, TupleSet};

use crate::bits::{all_in, first_in, first_of_several};
use crate::describe::{Mapped, Shape, TypeIx};
use crate::plan::{Binding, Leaf, Plan, TypePlan};

/// A type whose values can be made from an instance.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from an instance",
    label = "the mapping cannot make a `{Self}`",
    note = "if it is your type: put `#[derive(Heap)]` on it",
    note = "if the specification does not speak of it: put `#[heap(skip)]` on the field (filled with `Default::default()`, or with `#[heap(skip = expression)]`)",
    note = "if it is a foreign type: implement `Mapped`, `Concretize` and `Abstraction` for it, or for a newtype around it"
)]
pub trait Concretize: Mapped {
    /// The value whose tuples in `plan.rel` start with the prefix `at`. Collections override it.
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
        let tuple = c.one(plan, at)?;
        Self::from_tuple(c, plan, tuple)
    }

    /// The value of one tuple (its columns as one row-major index). [`OneTuple`] types override it.
    fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<Self, Stop> {
        let _ = tuple;
        Err(c.not_one_tuple(plan))
    }

    /// Told when the value of `tuple` has reached an address of its own (a box, a counted
    /// pointer). Objects note it; wrappers pass it on to what they hold.
    ///
    /// # Safety
    /// `this` points to a live value.
    unsafe fn placed(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
        let _ = (this, c, plan, tuple);
    }

    /// Notes inline objects with their addresses and pointers that are still to be written
    /// ([`Concretizer::later`]), once the owner has its final place. Only called where
    /// `plan.links`. Containers pass it on to their elements.
    ///
    /// # Safety
    /// `this` points to a live value that will not move before [`Concretizer::finish`].
    unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
        if let Some(tuple) = c.first(plan, at) {
            // SAFETY: the caller's promise.
            unsafe { Self::survey_tuple(this, c, plan, tuple) }
        }
    }

    /// The same for a value made by `from_tuple`.
    ///
    /// # Safety
    /// As for [`Concretize::survey`].
    unsafe fn survey_tuple(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) {
        let _ = (this, c, plan, tuple);
    }
}

/// A type whose every value is exactly one tuple: scalars, objects, pointers to them, tuples of
/// them. Options, sets, tuples and the keys of maps hold nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in an `Option`, a set, a tuple or as the key of a map",
    label = "`{Self}` is not always exactly one value: it may be empty, or have several",
    note = "an `Option` of a collection, for instance, looks the same empty and absent",
    note = "put what is inside into a struct of its own with `#[derive(Heap)]`, or `#[heap(skip)]` the field"
)]
pub trait OneTuple: Concretize + crate::Abstraction {}

/// A struct or enum with identity; implemented by `#[derive(Heap)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an object of the mapping",
    label = "no `#[derive(Heap)]` on `{Self}`"
)]
pub trait Heap: OneTuple {
    /// Builds the variant (0 for a struct) from its fields.
    fn make(c: &mut Concretizer<'_>, variant: usize, fields: &[Plan], at: usize) -> Result<Self, Stop>;

    /// Which variant this is.
    fn variant(&self) -> usize;

    /// Adds the tuples of the fields, which start with `at`.
    fn visit(&self, a: &mut crate::Abstractor<'_>, fields: &[Plan], at: usize);

    /// Surveys the fields.
    ///
    /// # Safety
    /// As for [`Concretize::survey`].
    unsafe fn survey_fields(this: *mut Self, c: &mut Concretizer<'_>, fields: &[Plan], at: usize);
}

/// Concretization stopped; the reason is in [`Made::fault`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop;

/// Why an instance is no value of the Rust types, or a value no instance of the specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

/// How the memory of an object is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    None,
    /// A block of its own that raw pointers own.
    Raw,
    Rc,
    Arc,
}

/// What is known of one atom while a value is built.
#[derive(Clone, Copy, Debug)]
struct Storage {
    /// The input that the rest is about.
    round: u32,
    /// Whether the object has been begun; objects are made once.
    begun: bool,
    block: Block,
    /// What the block holds: the type between the pointer and the object.
    pointee: TypeId,
    start: *mut (),
    /// The object itself.
    address: *mut (),
}

impl Storage {
    fn blank() -> Storage {
        Storage {
            round: 0,
            begun: false,
            block: Block::None,
            pointee: TypeId::of::<()>(),
            start: std::ptr::null_mut(),
            address: std::ptr::null_mut(),
        }
    }
}

type Survey = unsafe fn(*mut (), &mut Concretizer<'_>, &[Plan], usize);

/// An object at its final address.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub address: *mut (),
    pub ty: TypeIx,
    pub atom: u32,
    survey: Survey,
}

type Fix = unsafe fn(*mut (), &mut Concretizer<'_>, &Plan, usize) -> Result<(), Stop>;

/// A pointer still to be written.
struct Slot {
    place: *mut (),
    plan: *const Plan,
    tuple: usize,
    fix: Fix,
}

/// An extra count that keeps a counted block alive. `release` gives it back, or, unless forced,
/// keeps it and returns false when no other count is left.
struct Anchor {
    pointer: *const (),
    release: Release,
}

type Release = unsafe fn(*const (), bool) -> bool;

/// What was made for one input: the correspondence of objects and atoms. Reused from input to
/// input, so that a run allocates nothing but the values themselves.
#[derive(Default)]
pub struct Made {
    objects: Vec<Placed>,
    storage: Vec<Storage>,
    /// Numbers the inputs, so that nothing has to be cleared between them.
    round: u32,
    slots: Vec<Slot>,
    roots: Vec<(*mut (), Root, usize)>,
    /// Of blocks that may not be finished yet.
    anchors: Vec<Anchor>,
    /// Of finished blocks that only `Weak` pointers lead to.
    kept: Vec<Anchor>,
    pub(crate) arenas: Vec<crate::arena::Arena>,
    pub(crate) arena: Option<u32>,
    fault: Option<Fault>,
    pub(crate) deep: crate::deep::Deep,
}

type Root = unsafe fn(*mut (), &mut Concretizer<'_>, &Plan, usize);

impl Made {
    pub fn new() -> Made {
        Made::default()
    }

    /// The objects with an address of their own. Inline objects are among them only when the types
    /// have pointers that could lead to them.
    pub fn objects(&self) -> &[Placed] {
        &self.objects
    }

    /// Gives up what tera itself kept alive for the last input: objects that only `Weak`
    /// pointers lead to, and its notes about arenas. Not to be called when the call may have
    /// corrupted memory; then [`Made::forget`].
    pub fn release(&mut self) {
        self.arenas.clear();
        for anchor in self.kept.drain(..) {
            // SAFETY: the count was taken when the block was made, and is given back once.
            unsafe { (anchor.release)(anchor.pointer, true) };
        }
    }

    /// Leaks what [`Made::release`] would give up.
    pub fn forget(&mut self) {
        self.kept.clear();
    }

    fn reset(&mut self, n_atoms: usize) {
        self.release();
        // Left over from a concretization that stopped: those blocks are leaked.
        self.anchors.clear();
        self.objects.clear();
        self.slots.clear();
        self.roots.clear();
        self.arenas.clear();
        self.arena = None;
        self.fault = None;
        self.deep.clear();
        if self.storage.len() < n_atoms {
            self.storage.resize(n_atoms, Storage::blank());
        }
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.storage.fill(Storage::blank());
            self.round = 1;
        }
    }

    #[inline]
    fn storage(&mut self, atom: usize) -> &mut Storage {
        let storage = &mut self.storage[atom];
        if storage.round != self.round {
            *storage = Storage { round: self.round, ..Storage::blank() };
        }
        storage
    }

    /// Why the last concretization stopped.
    pub fn fault(&mut self) -> Fault {
        self.fault.take().unwrap_or_else(|| Fault { message: "concretization stopped".into() })
    }
}

/// Makes the values of one instance.
pub struct Concretizer<'a> {
    pub binding: &'a Binding,
    pub instance: &'a Instance,
    pub(crate) made: &'a mut Made,
}

impl<'a> Concretizer<'a> {
    pub fn new(binding: &'a Binding, instance: &'a Instance, made: &'a mut Made) -> Concretizer<'a> {
        made.reset(binding.n_atoms);
        Concretizer { binding, instance, made }
    }

    /// The value of a root, in a box that must not be moved out of before [`Concretizer::finish`].
    pub fn root<T: Concretize>(&mut self, root: usize) -> Result<Box<T>, Fault> {
        let binding = self.binding;
        let Some(plan) = binding.roots.get(root) else {
            return Err(Fault { message: format!("there is no root {root}") });
        };
        self.made.arena = None;
        let mut value = match T::concretize(self, plan, 0) {
            Ok(value) => Box::new(value),
            Err(Stop) => return Err(self.made.fault()),
        };
        if self.fill_blocks() == Err(Stop) {
            // Its counted pointers lead to blocks that nobody filled.
            std::mem::forget(value);
            return Err(self.made.fault());
        }
        self.keep(&raw mut *value, root);
        Ok(value)
    }

    /// As [`Concretizer::root`], at a place of the caller's.
    ///
    /// # Safety
    /// `place` is valid for writes and stays so until [`Concretizer::finish`]. What it held
    /// before is overwritten without being dropped.
    pub unsafe fn root_at<T: Concretize>(&mut self, root: usize, place: *mut T) -> Result<(), Fault> {
        let binding = self.binding;
        let Some(plan) = binding.roots.get(root) else {
            return Err(Fault { message: format!("there is no root {root}") });
        };
        self.made.arena = None;
        match T::concretize(self, plan, 0) {
            // SAFETY: the caller's promise.
            Ok(value) => unsafe { place.write(value) },
            Err(Stop) => return Err(self.made.fault()),
        }
        // On a stop the value is forgotten: nobody may look at the place.
        if self.fill_blocks() == Err(Stop) {
            return Err(self.made.fault());
        }
        self.keep(place, root);
        Ok(())
    }

    fn keep<T: Concretize>(&mut self, place: *mut T, root: usize) {
        unsafe fn survey<T: Concretize>(place: *mut (), c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
            // SAFETY: `place` came from a `*mut T` in `keep`.
            unsafe { T::survey(place.cast(), c, plan, at) }
        }
        if self.binding.roots[root].links {
            self.made.roots.push((place.cast(), survey::<T>, root));
        }
    }

    /// Writes the pointers that had to wait. The roots must be where they were made.
    pub fn finish(&mut self) -> Result<(), Fault> {
        if self.binding.links {
            self.link()?;
        }
        for anchor in self.made.anchors.drain(..) {
            // SAFETY: the block is finished; the count is given back once.
            if !unsafe { (anchor.release)(anchor.pointer, false) } {
                self.made.kept.push(anchor);
            }
        }
        Ok(())
    }

    fn link(&mut self) -> Result<(), Fault> {
        let binding = self.binding;
        for (place, survey, root) in std::mem::take(&mut self.made.roots) {
            // SAFETY: roots stay in their place until now.
            unsafe { survey(place, self, &binding.roots[root], 0) };
            self.surveyed()?;
        }
        let (mut surveyed, mut fixed) = (0, 0);
        loop {
            while let Some(&Placed { address, ty, atom, survey }) = self.made.objects.get(surveyed) {
                surveyed += 1;
                let fields = self.fields(ty, atom as usize);
                // SAFETY: placed objects do not move.
                unsafe { survey(address, self, fields, atom as usize) };
                self.surveyed()?;
            }
            let Some(&Slot { place, plan, tuple, fix }) = self.made.slots.get(fixed) else { break };
            fixed += 1;
            // SAFETY: the slot lies in a value that has not moved since its survey, and plans
            // live as long as the binding.
            if unsafe { fix(place, self, &*plan, tuple) } == Err(Stop) || self.fill_blocks() == Err(Stop) {
                return Err(self.made.fault());
            }
        }
        Ok(())
    }

    /// Goes on after a survey, which may have made objects, or stopped.
    #[inline]
    fn surveyed(&mut self) -> Result<(), Fault> {
        match self.made.fault.is_some() || self.fill_blocks() == Err(Stop) {
            true => Err(self.made.fault()),
            false => Ok(()),
        }
    }

    fn fields(&self, ty: TypeIx, atom: usize) -> &'a [Plan] {
        let ty = self.binding.ty(ty);
        match self.variant_of(ty, atom) {
            Some(variant) => &ty.variants[variant].fields,
            None => &[],
        }
    }

    #[inline]
    fn variant_of(&self, ty: &TypePlan, atom: usize) -> Option<usize> {
        match ty.variants.len() {
            1 => Some(0),
            _ => ty.variants.iter().position(|v| match v.constant {
                Some(constant) => constant.0 as usize == atom,
                None => self.set(v.rel).contains_index(atom),
            }),
        }
    }

    #[inline]
    fn set(&self, rel: RelId) -> &'a TupleSet {
        &self.instance.values[rel.0 as usize]
    }

    /// The first tuple of `plan` behind the prefix.
    #[inline]
    pub fn first(&self, plan: &Plan, at: usize) -> Option<usize> {
        first_in(self.set(plan.rel), at * plan.span, plan.span)
    }

    /// The tuples of `plan` behind the prefix, ascending.
    pub fn all(&self, plan: &Plan, at: usize) -> impl Iterator<Item = usize> + use<'a> {
        all_in(self.set(plan.rel), at * plan.span, plan.span)
    }

    /// The values of the next column behind the prefix, where each has `span` tuples.
    pub fn columns(&self, plan: &Plan, at: usize, span: usize) -> impl Iterator<Item = usize> + use<'a> {
        let set = self.set(plan.rel);
        let (start, end) = (at * plan.span, (at + 1) * plan.span);
        let mut from = start;
        std::iter::from_fn(move || {
            let tuple = from + first_in(set, from, end.checked_sub(from).filter(|&len| len > 0)?)?;
            let column = (tuple - start) / span;
            from = start + (column + 1) * span;
            Some(column)
        })
    }

    /// The prefix of the element at a position of a sequence.
    #[inline]
    pub fn position_prefix(&mut self, plan: &Plan, at: usize, i: usize) -> Result<usize, Stop> {
        match self.int_atom(i as i64) {
            Some(atom) => Ok(at * self.binding.n_atoms + atom),
            None => {
                let message =
                    format!("{} has a position {i}, but there is no such Int", self.binding.name(plan).label);
                Err(self.fault(message))
            }
        }
    }

    /// The atoms of the unary field `rel` (see [`Plan::extent`]) of an object.
    pub fn extents(&self, rel: RelId, at: usize) -> impl Iterator<Item = usize> + use<'a> {
        let n = self.binding.n_atoms;
        all_in(self.set(rel), at * n, n)
    }

    /// The tuple of a value that was made before; for the keys of maps.
    pub(crate) fn tuple_of<T: crate::Abstraction>(&self, value: &T, plan: &Plan) -> Option<usize> {
        let mut instance = self.instance.clone();
        let mut seen = crate::Seen::new();
        let before = crate::Before::Instance(self.instance);
        let mut a = crate::Abstractor::new(self.binding, before, &mut instance, &mut seen)
            .with_objects(self.made, None);
        value.to_tuple(&mut a, plan, crate::Place::Heap)
    }

    /// The one tuple of `plan` behind the prefix.
    #[inline]
    pub fn one(&mut self, plan: &Plan, at: usize) -> Result<usize, Stop> {
        match self.at_most_one(plan, at)? {
            Some(tuple) => Ok(tuple),
            None => Err(self.missing(plan, at)),
        }
    }

    /// The tuple of `plan` behind the prefix, if there is one.
    #[inline]
    pub fn at_most_one(&mut self, plan: &Plan, at: usize) -> Result<Option<usize>, Stop> {
        let set = self.set(plan.rel);
        let start = at * plan.span;
        let (first, several) = first_of_several(set, start, plan.span);
        if several { Err(self.several(plan, at)) } else { Ok(first) }
    }

    #[cold]
    fn several(&mut self, plan: &Plan, at: usize) -> Stop {
        let message = format!(
            "{} has several values for {}, but its Rust type holds one",
            self.binding.name(plan).label,
            self.prefix(plan, at)
        );
        self.fault(message)
    }

    /// The integer atom `value`, if it is in the scope.
    #[inline]
    pub fn int_atom(&self, value: i64) -> Option<usize> {
        self.binding.ints.atom(value).map(|a| a.0 as usize)
    }

    #[inline]
    pub fn int_value(&self, atom: usize) -> Option<i64> {
        self.binding.ints.value(atom)
    }

    /// The rank of an atom in an uninterpreted signature.
    pub fn rank(&self, pool: u32, atom: usize) -> Option<i64> {
        let pool = self.binding.pools.get(pool as usize)?;
        pool.binary_search(&AtomId(atom as u32)).ok().map(|k| k as i64)
    }

    /// The text that an atom stands for.
    pub fn text(&self, atom: usize) -> Option<&'a str> {
        self.binding.atoms.get(atom).map(|name| name.trim_matches('"'))
    }

    /// Whether the tuple is an object that can be shared: not a number, nor a constant.
    #[inline]
    pub(crate) fn has_identity(&self, plan: &Plan, tuple: usize) -> bool {
        match plan.leaf {
            Leaf::Object(ix) => {
                let ty = self.binding.ty(ix);
                self.variant_of(ty, tuple).is_some_and(|v| ty.variants[v].constant.is_none())
            }
            _ => false,
        }
    }

    /// The fields of an object, as described and as bound.
    pub(crate) fn fields_of(
        &self,
        ty: TypeIx,
        atom: usize,
    ) -> impl Iterator<Item = (&'a Shape, &'a Plan)> + use<'a> {
        let (desc, plan) = (self.binding.graph.ty(ty), self.binding.ty(ty));
        let variant = self.variant_of(plan, atom);
        let fields =
            variant.into_iter().flat_map(move |v| &desc.variants[v].fields).map(|field| &field.shape);
        fields.zip(self.fields(ty, atom))
    }

    /// Makes the object of `atom` as a value; [`Concretize::from_tuple`] of every object type.
    #[inline]
    pub fn object<T: Heap>(&mut self, plan: &Plan, atom: usize) -> Result<T, Stop> {
        let Leaf::Object(ix) = plan.leaf else { return Err(self.not_one_tuple(plan)) };
        let ty = self.binding.ty(ix);
        let Some(variant) = self.variant_of(ty, atom) else {
            let message = format!(
                "{} is in none of the variants of {}",
                self.binding.atom_name(atom),
                self.binding.graph.ty(ix).rust
            );
            return Err(self.fault(message));
        };
        let fields = &ty.variants[variant].fields;
        if !fields.is_empty() {
            let storage = self.made.storage(atom);
            if storage.begun {
                let message = format!(
                    "{} is owned twice (the second time by {}), or owns itself",
                    self.binding.atom_name(atom),
                    self.binding.name(plan).label
                );
                return Err(self.fault(message));
            }
            storage.begun = true;
        }
        T::make(self, variant, fields, atom)
    }

    /// Notes the address of an object: [`Concretize::placed`] of every object type.
    #[inline]
    pub fn place<T: Heap>(&mut self, this: *mut T, plan: &Plan, atom: usize) {
        unsafe fn survey<T: Heap>(this: *mut (), c: &mut Concretizer<'_>, fields: &[Plan], at: usize) {
            // SAFETY: `this` came from a `*mut T` in `place`.
            unsafe { T::survey_fields(this.cast(), c, fields, at) }
        }
        let Leaf::Object(ty) = plan.leaf else { return };
        self.made.storage(atom).address = this.cast();
        self.made.objects.push(Placed { address: this.cast(), ty, atom: atom as u32, survey: survey::<T> });
    }

    /// Leaves a pointer at `place` to be written by `fix` when all objects have their places.
    ///
    /// # Safety
    /// `place` stays valid for writes until [`Concretizer::finish`], and `fix` may be called with
    /// it; `plan` is a plan of the binding.
    pub unsafe fn later<T>(&mut self, place: *mut T, plan: &Plan, tuple: usize, fix: Fix) {
        self.made.slots.push(Slot { place: place.cast(), plan, tuple, fix });
    }

    /// The block that holds the object of `atom`, if it has one of this kind and type.
    pub(crate) fn block<T: 'static>(
        &mut self,
        plan: &Plan,
        atom: usize,
        kind: Block,
    ) -> Result<Option<*mut T>, Stop> {
        let storage = *self.made.storage(atom);
        if storage.block == kind && storage.pointee == TypeId::of::<T>() {
            return Ok(Some(storage.start.cast()));
        }
        if storage.block == Block::None && !storage.begun {
            return Ok(None);
        }
        let message = format!(
            "{} would have to be held in two ways: {} wants a counted pointer to {}",
            self.binding.atom_name(atom),
            self.binding.name(plan).label,
            std::any::type_name::<T>()
        );
        Err(self.fault(message))
    }

    pub(crate) fn set_block<T: 'static>(&mut self, atom: usize, kind: Block, start: *mut T) {
        let storage = self.made.storage(atom);
        storage.block = kind;
        storage.pointee = TypeId::of::<T>();
        storage.start = start.cast();
    }

    /// Where a pointer of pointee type `T` to `atom` must point: to the object itself, or to the
    /// block around it.
    pub(crate) fn target<T: 'static>(&mut self, plan: &Plan, atom: usize) -> Result<Option<*mut T>, Stop> {
        let storage = *self.made.storage(atom);
        if storage.block != Block::None && storage.pointee == TypeId::of::<T>() {
            return Ok(Some(storage.start.cast()));
        }
        if storage.address.is_null() {
            return Ok(None);
        }
        let Leaf::Object(ix) = plan.leaf else { return Ok(None) };
        if self.binding.graph.ty(ix).id == TypeId::of::<T>() {
            return Ok(Some(storage.address.cast()));
        }
        let message = format!(
            "{} points to {} as {}, but that is not how it is held",
            self.binding.name(plan).label,
            self.binding.atom_name(atom),
            std::any::type_name::<T>()
        );
        Err(self.fault(message))
    }

    pub(crate) fn anchor(&mut self, pointer: *const (), release: Release) {
        self.made.anchors.push(Anchor { pointer, release });
    }

    /// Stops with this reason.
    #[cold]
    pub fn fault(&mut self, message: impl Into<String>) -> Stop {
        self.made.fault.get_or_insert(Fault { message: message.into() });
        Stop
    }

    /// Stops because `atom` stands for no value of `T`.
    #[cold]
    pub fn no_value<T>(&mut self, plan: &Plan, atom: usize) -> Stop {
        let message = format!(
            "{} has the value {}, which is no {}",
            self.binding.name(plan).label,
            self.binding.atom_name(atom),
            std::any::type_name::<T>()
        );
        self.fault(message)
    }

    #[cold]
    pub(crate) fn missing(&mut self, plan: &Plan, at: usize) -> Stop {
        let message = format!(
            "{} has no value for {}, but its Rust type needs one",
            self.binding.name(plan).label,
            self.prefix(plan, at)
        );
        self.fault(message)
    }

    #[cold]
    pub(crate) fn not_one_tuple(&mut self, plan: &Plan) -> Stop {
        let message = format!("{}: a collection where one value is wanted", self.binding.name(plan).label);
        self.fault(message)
    }

    /// The names of the columns of a prefix.
    fn prefix(&self, plan: &Plan, mut at: usize) -> String {
        let n = self.binding.n_atoms;
        let arity = self.set(plan.rel).arity();
        let mut names = Vec::new();
        for _ in plan.rest as usize..arity {
            names.push(self.binding.atom_name(at % n).to_string());
            at /= n;
        }
        names.reverse();
        if names.is_empty() { "the argument".into() } else { names.join("->") }
    }
}
