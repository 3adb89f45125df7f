//! Value → instance ("j2a" of TestEra).
//!
//! A queue of objects, so that depth costs no stack; whatever an object holds inline is visited
//! with it. Pointers that own nothing (raw, `NonNull`, `Weak`) wait until the queue is empty, so
//! that an object is found through its owner first; raw ones to a type whose objects nothing owns
//! ([`Plan::unowned`]) are followed at once, in the same order.
//!
//! Identity: an object with an address of its own is its address and type; an inline object is its
//! place, i.e. the prefix of its tuple. Objects of the pre-state keep their atoms, new ones take
//! unused atoms of their signature in the order in which they are found.
//!
//! Invariant: no pointer is followed that [`Liveness`] says is dead.

use std::fmt;

use tera_rel::{AtomId, Instance, RelId, TupleSet};

use crate::arena::{self, Arena, NOWHERE, SeenArena};
use crate::bits::{all_in, first_in};
use crate::concretize::{Fault, Heap, Made};
use crate::describe::{Mapped, TypeIx};
use crate::plan::{Binding, Leaf, Plan};

/// A type whose values can be read into an instance.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read into an instance",
    label = "the mapping cannot read a `{Self}`",
    note = "if it is your type: put `#[derive(Heap)]` on it",
    note = "if the specification does not speak of it: put `#[heap(skip)]` on the field",
    note = "if it is a foreign type: implement `Mapped`, `Concretize` and `Abstraction` for it, or for a newtype around it"
)]
pub trait Abstraction: Mapped {
    /// Adds the tuples of this value to `plan.rel`; all start with the prefix `at`. Collections
    /// override it.
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        if let Some(tuple) = self.to_tuple(a, plan, Place::Inline(at)) {
            a.insert(plan, at, tuple);
        }
    }

    /// The tuple that this value is; [`crate::OneTuple`] types override it. `None` when there is
    /// none: a null or dead pointer, a number outside the scope (which has been noted).
    fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, place: Place) -> Option<usize> {
        let _ = place;
        a.not_one_tuple(plan);
        None
    }
}

/// By what an object is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// It has an address of its own.
    Heap,
    /// It lies in its owner: the prefix of its tuple.
    Inline(usize),
    /// It is an element of an arena: the atom at its position in the pre-state.
    Kept(Option<u32>),
    /// It is told from others by what it holds: an element of a set, or the key of a map.
    Among(Among),
}

/// Where the pre-state has the elements of a set, or the keys of a map: in the `len` tuples of `rel` from
/// `start` on, before columns that have `behind` tuples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Among {
    pub rel: RelId,
    pub start: usize,
    pub len: usize,
    pub behind: usize,
}

/// What is known of a piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Live,
    /// It was freed.
    Freed,
    /// No allocation contains it.
    Unknown,
}

/// Tells which memory may be read; the guarded allocator implements it.
pub trait Liveness {
    /// Of `size` bytes from `address`.
    fn status(&self, address: *const (), size: usize) -> Status;
}

/// A pointer that must not be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadPointer {
    /// `list.head.next.prev`
    pub path: String,
    pub address: usize,
    pub status: Status,
    /// The object that holds the pointer; `None` if that is a root, or an object without an atom.
    pub holder: Option<AtomId>,
    /// The field or root, as the specification calls it.
    pub label: String,
    /// The object that was there.
    pub object: Option<AtomId>,
}

/// What a value holds and the universe has no atom for.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Needs {
    /// The least and greatest number without an atom.
    pub ints: Option<(i128, i128)>,
    pub texts: Vec<String>,
    /// Signatures and how many more objects of each there are.
    pub objects: Vec<(TypeIx, usize)>,
}

impl Needs {
    pub fn is_empty(&self) -> bool {
        *self == Needs::default()
    }
}

/// What abstraction found besides the instance.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub dead: Vec<DeadPointer>,
    pub needs: Needs,
    /// A lock that was held, a borrow, a collection in the wrong place: why the instance is no
    /// image of the value.
    pub faults: Vec<Fault>,
}

impl Outcome {
    pub fn is_clean(&self) -> bool {
        self.dead.is_empty() && self.needs.is_empty() && self.faults.is_empty()
    }
}

impl fmt::Display for DeadPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.status {
            Status::Freed if self.address == 0 => "is the index of a vacant entry",
            Status::Unknown if self.address == 0 => "is an index outside its arena",
            Status::Freed => "points to a freed block",
            Status::Unknown => "points to no block",
            Status::Live => "is not aligned",
        };
        write!(f, "{} {what}", self.path)
    }
}

/// More objects than any specification is checked with; the count stops here.
const MOST_OBJECTS: usize = 1 << 20;

type Visit = unsafe fn(*const (), &mut Abstractor<'_>, &[Plan], usize);

struct Item {
    this: *const (),
    visit: Visit,
    ty: TypeIx,
    variant: u32,
    /// `NO_ATOM` when the universe has none left: then only what is needed is counted.
    atom: u32,
    from: Step,
    arena: u32,
}

const NO_ATOM: u32 = u32::MAX;
const NO_ITEM: u32 = u32::MAX;

/// How an object was reached.
#[derive(Clone, Copy)]
struct Step {
    parent: u32,
    name: u32,
    index: Option<u32>,
}

type Resolve = unsafe fn(*const (), &mut Abstractor<'_>, &Plan) -> Option<usize>;

struct Pending {
    address: *const (),
    plan: *const Plan,
    at: usize,
    resolve: Resolve,
    from: Step,
    dry: bool,
    arena: u32,
}

/// The memory of an abstraction, reused from input to input.
#[derive(Default)]
pub struct Seen {
    table: Table,
    queue: Vec<Item>,
    pending: Vec<Pending>,
    /// Atoms of the pre-state and those given to new objects.
    used: Vec<u64>,
    /// Atoms whose object has been visited.
    visited: Vec<u64>,
    needed: Vec<usize>,
    pub(crate) arenas: Vec<SeenArena>,
    /// The arenas of the pre-state.
    pub(crate) positions: Vec<Arena>,
}

impl Seen {
    pub fn new() -> Seen {
        Seen::default()
    }

    /// Every object that has an address and an atom: `(address, type, atom)`.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        let round = self.table.round;
        let known = self.table.entries.iter().filter(move |e| e.round == round && e.atom != NO_ATOM);
        known.map(|e| (e.address, e.ty, e.atom))
    }

    /// The atoms of the arenas that were read, by position.
    pub(crate) fn arenas_by_position(&self) -> Vec<Arena> {
        let owner = |item: u32| self.queue.get(item as usize).map_or(NO_ATOM, |item| item.atom);
        self.arenas.iter().map(|arena| arena.by_position(owner)).collect()
    }
}

/// Where the pre-state is.
#[derive(Clone, Copy)]
pub enum Before<'a> {
    /// There is none: no object is known by its place.
    Nothing,
    /// In an instance of its own, over the same relations.
    Instance(&'a Instance),
    /// In the instance that is being written: for each relation, the one that holds its pre-state
    /// (itself where the specification says that it does not change).
    Relations(&'a [RelId]),
}

/// Reads values into one instance.
pub struct Abstractor<'a> {
    pub binding: &'a Binding,
    instance: &'a mut Instance,
    before: Before<'a>,
    live: Option<&'a dyn Liveness>,
    pub(crate) seen: &'a mut Seen,
    outcome: Outcome,
    /// The next item to visit, and the one being visited.
    head: usize,
    pub(crate) current: u32,
    pub(crate) index: Option<u32>,
    /// Whether the object being visited has no atom.
    dry: bool,
    pub(crate) arena: u32,
}

impl<'a> Abstractor<'a> {
    /// Adds to `instance`, which is over the relations of `binding` and holds what is known so far:
    /// [`Binding::start`], or the pre-state of a contract.
    pub fn new(
        binding: &'a Binding,
        before: Before<'a>,
        instance: &'a mut Instance,
        seen: &'a mut Seen,
    ) -> Abstractor<'a> {
        let words = binding.n_atoms.div_ceil(64);
        for bits in [&mut seen.used, &mut seen.visited] {
            bits.clear();
            bits.resize(words, 0);
        }
        for rel in binding.types.iter().flat_map(|ty| &ty.variants).map(|v| v.rel) {
            if let Some(set) = value_before(before, instance, rel) {
                match set.raw_words() {
                    Some(words) => seen.used.iter_mut().zip(words).for_each(|(used, word)| *used |= word),
                    None => set.indices().for_each(|atom| set_bit(&mut seen.used, atom)),
                }
            }
        }
        seen.table.clear();
        seen.queue.clear();
        seen.pending.clear();
        seen.arenas.clear();
        seen.positions.clear();
        seen.needed.clear();
        Abstractor::over(binding, before, instance, seen)
    }

    /// With what `seen` knows.
    fn over(
        binding: &'a Binding,
        before: Before<'a>,
        instance: &'a mut Instance,
        seen: &'a mut Seen,
    ) -> Abstractor<'a> {
        Abstractor {
            binding,
            instance,
            before,
            live: None,
            seen,
            outcome: Outcome::default(),
            head: 0,
            current: NO_ITEM,
            index: None,
            dry: false,
            arena: NOWHERE,
        }
    }

    /// Asks `live` before a pointer is followed.
    pub fn with_liveness(mut self, live: &'a dyn Liveness) -> Abstractor<'a> {
        self.live = Some(live);
        self
    }

    /// The objects of the pre-state with their atoms. `map`, if given, leads from the universe they
    /// were made in to that of this abstraction.
    pub fn with_objects(mut self, made: &Made, map: Option<&[AtomId]>) -> Abstractor<'a> {
        for placed in made.objects() {
            let atom = match map {
                Some(map) => map[placed.atom as usize].0,
                None => placed.atom,
            };
            self.know(placed.address as usize, placed.ty.0, atom);
        }
        arena::remember(&made.arenas, map, &mut self.seen.positions);
        self
    }

    #[inline]
    pub(crate) fn know(&mut self, address: usize, ty: u32, atom: u32) {
        self.seen.table.insert(address, ty, atom);
        set_bit(&mut self.seen.used, atom as usize);
    }

    /// Reads an argument or result.
    pub fn root<T: Abstraction>(&mut self, root: usize, value: &'a T) {
        let binding = self.binding;
        self.current = NO_ITEM;
        self.arena = NOWHERE;
        value.abstraction(self, &binding.roots[root], 0);
    }

    /// Visits everything the roots lead to.
    pub fn finish(mut self) -> Outcome {
        let binding = self.binding;
        let mut next_pending = 0;
        loop {
            while let Some(item) = self.seen.queue.get(self.head) {
                let (this, visit, variant, ty) = (item.this, item.visit, item.variant, item.ty);
                self.arena = item.arena;
                self.dry = item.atom == NO_ATOM;
                let at = if self.dry { 0 } else { item.atom as usize };
                self.current = self.head as u32;
                self.head += 1;
                let fields = &binding.ty(ty).variants[variant as usize].fields;
                // SAFETY: the object was reached through a live pointer, and nothing runs in
                // between that could free it.
                unsafe { visit(this, &mut self, fields, at) };
            }
            let Some(pending) = self.seen.pending.get(next_pending) else { break };
            next_pending += 1;
            let &Pending { address, plan, at, resolve, from, dry, arena } = pending;
            (self.current, self.index, self.dry, self.arena) = (from.parent, from.index, dry, arena);
            // SAFETY: the pointer was live when it was noted; plans live as long as the binding.
            unsafe {
                if let Some(tuple) = resolve(address, &mut self, &*plan) {
                    self.insert(&*plan, at, tuple);
                }
            }
            self.index = None;
        }
        for (ty, &count) in self.seen.needed.iter().enumerate() {
            if count > 0 {
                self.outcome.needs.objects.push((TypeIx(ty as u32), count));
            }
        }
        self.outcome
    }

    /// Adds a tuple behind a prefix.
    #[inline]
    pub fn insert(&mut self, plan: &Plan, at: usize, tuple: usize) {
        if !self.dry {
            self.instance.values[plan.rel.0 as usize].insert_index(at * plan.span + tuple);
        }
    }

    /// Adds a tuple of a relation that stands beside the field's: see [`Plan::extent`].
    #[inline]
    pub fn insert_in(&mut self, rel: RelId, index: usize) {
        if !self.dry {
            self.instance.values[rel.0 as usize].insert_index(index);
        }
    }

    /// The tuple that stood behind this prefix in the pre-state.
    pub fn before(&self, plan: &Plan, at: usize) -> Option<usize> {
        first_in(value_before(self.before, self.instance, plan.rel)?, at * plan.span, plan.span)
    }

    /// The atom of a number; notes that one is needed where there is none.
    #[inline]
    pub fn int(&mut self, value: i128) -> Option<usize> {
        let atom = i64::try_from(value).ok().and_then(|v| self.binding.ints.atom(v));
        if atom.is_none() {
            let (low, high) = self.outcome.needs.ints.unwrap_or((value, value));
            self.outcome.needs.ints = Some((low.min(value), high.max(value)));
        }
        atom.map(|a| a.0 as usize)
    }

    /// The atom of a text; notes that one is needed where there is none.
    pub fn text(&mut self, text: &str) -> Option<usize> {
        match self.binding.texts.binary_search_by(|(known, _)| known.as_str().cmp(text)) {
            Ok(i) => Some(self.binding.texts[i].1.0 as usize),
            Err(_) => {
                if !self.outcome.needs.texts.iter().any(|known| known == text) {
                    self.outcome.needs.texts.push(text.into());
                }
                None
            }
        }
    }

    /// The `k`-th atom of an uninterpreted signature.
    pub fn nth(&mut self, pool: u32, k: i128) -> Option<usize> {
        let atoms = self.binding.pools.get(pool as usize)?;
        let atom = usize::try_from(k).ok().and_then(|k| atoms.get(k));
        if atom.is_none() {
            self.fault(format!("{k} is not among the {} atoms of its signature", atoms.len()));
        }
        atom.map(|a| a.0 as usize)
    }

    /// With the position of an element for the paths of what is below it.
    #[inline]
    pub fn at_index(&mut self, index: usize, f: impl FnOnce(&mut Self)) {
        let outer = self.index.replace(index as u32);
        f(self);
        self.index = outer;
    }

    /// The atom of an object, which is visited later if it was not yet: `to_tuple` of every object
    /// type.
    pub fn object<T: Heap>(&mut self, this: &T, plan: &Plan, place: Place) -> Option<usize> {
        unsafe fn visit<T: Heap>(this: *const (), a: &mut Abstractor<'_>, fields: &[Plan], at: usize) {
            // SAFETY: `this` came from a `&T` in `object`.
            unsafe { (*this.cast::<T>()).visit(a, fields, at) }
        }
        let Leaf::Object(ix) = plan.leaf else {
            self.not_one_tuple(plan);
            return None;
        };
        let binding = self.binding;
        let variant = this.variant();
        let vplan = &binding.ty(ix).variants[variant];
        if let Some(atom) = vplan.constant {
            return Some(atom.0 as usize);
        }
        let address = std::ptr::from_ref(this) as usize;
        // Objects without a size share addresses: their place is all there is.
        let has_address = size_of::<T>() > 0;
        let known = match place {
            Place::Heap if has_address => self.seen.table.get(address, ix.0),
            Place::Inline(at) if !self.dry => self.before(plan, at).map(|atom| atom as u32),
            Place::Kept(atom) => atom,
            Place::Among(among) if !self.dry => self.alike(this, variant, ix, among),
            _ => None,
        };
        if let (Place::Heap, Some(atom)) = (place, known)
            && (atom == NO_ATOM || bit(&self.seen.visited, atom as usize))
        {
            return (atom != NO_ATOM).then_some(atom as usize);
        }
        // The atom of the pre-state, unless the object has become another variant or the atom was
        // taken meanwhile.
        let kept = known.filter(|&atom| {
            !bit(&self.seen.visited, atom as usize)
                && value_before(self.before, self.instance, vplan.rel)
                    .is_none_or(|atoms| atoms.contains_index(atom as usize))
        });
        let atom = match kept {
            Some(atom) => atom,
            None => match vplan.pool.iter().find(|atom| !bit(&self.seen.used, atom.0 as usize)) {
                Some(atom) => atom.0,
                None => {
                    if self.seen.needed.len() <= ix.0 as usize {
                        self.seen.needed.resize(ix.0 as usize + 1, 0);
                    }
                    self.seen.needed[ix.0 as usize] += 1;
                    NO_ATOM
                }
            },
        };
        if atom != NO_ATOM {
            set_bit(&mut self.seen.used, atom as usize);
            set_bit(&mut self.seen.visited, atom as usize);
            self.instance.values[vplan.rel.0 as usize].insert_index(atom as usize);
            for rel in &vplan.ancestors {
                self.instance.values[rel.0 as usize].insert_index(atom as usize);
            }
        }
        if has_address && (place == Place::Heap || plan.links) {
            self.seen.table.insert(address, ix.0, atom);
        }
        if !vplan.fields.is_empty() && self.seen.queue.len() < MOST_OBJECTS {
            self.seen.queue.push(Item {
                this: std::ptr::from_ref(this).cast(),
                visit: visit::<T>,
                ty: ix,
                variant: variant as u32,
                atom,
                from: Step { parent: self.current, name: plan.name, index: self.index },
                arena: self.arena,
            });
        }
        (atom != NO_ATOM).then_some(atom as usize)
    }

    /// The atom that held the same in the pre-state.
    #[cold]
    fn alike<T: Heap>(&self, this: &T, variant: usize, ix: TypeIx, among: Among) -> Option<u32> {
        let binding = self.binding;
        let vplan = &binding.ty(ix).variants[variant];
        let elements = value_before(self.before, self.instance, among.rel)?;
        let first = vplan.pool.first()?.0 as usize;
        // Read by itself, as if it were the first atom.
        let mut instance = binding.start.clone();
        let words = self.seen.used.len();
        let mut seen = Seen { table: self.seen.table.clone(), used: vec![0; words], ..Seen::new() };
        seen.visited = vec![0; words];
        let mut reader = Abstractor::over(binding, Before::Nothing, &mut instance, &mut seen);
        this.visit(&mut reader, &vplan.fields, first);
        let holds_the_same = |atom: usize| {
            vplan.fields.iter().filter(|field| field.leaf != Leaf::Nothing).all(|field| {
                let Some(known) = value_before(self.before, self.instance, field.rel) else { return false };
                let new = all_in(instance.value(field.rel), first * field.span, field.span);
                new.eq(all_in(known, atom * field.span, field.span))
            })
        };
        let is_free = |atom: usize| {
            !bit(&self.seen.visited, atom) && vplan.pool.binary_search(&AtomId(atom as u32)).is_ok()
        };
        let atoms = all_in(elements, among.start, among.len).map(|tuple| tuple / among.behind);
        atoms.filter(|&atom| is_free(atom)).find(|&atom| holds_the_same(atom)).map(|atom| atom as u32)
    }

    /// Whether the pointer may be followed; notes it if not.
    #[inline]
    pub fn may_follow<T>(&mut self, pointer: *const T, plan: &Plan) -> bool {
        if (pointer as usize) < 4096 {
            // `NonNull::dangling()` is a way to say null.
            return size_of::<T>() == 0
                || pointer as usize != align_of::<T>() && self.dead(pointer.cast(), Status::Unknown, plan);
        }
        match self.live {
            None => pointer.is_aligned() || self.dead(pointer.cast(), Status::Live, plan),
            Some(live) => self.ask(live, pointer, plan),
        }
    }

    fn ask<T>(&mut self, live: &dyn Liveness, pointer: *const T, plan: &Plan) -> bool {
        if !pointer.is_aligned() {
            return self.dead(pointer.cast(), Status::Live, plan);
        }
        match live.status(pointer.cast(), size_of::<T>()) {
            Status::Live => true,
            Status::Freed => self.dead(pointer.cast(), Status::Freed, plan),
            // On the stack or in a static: only what was reached before is known to be there.
            Status::Unknown => {
                let known = match plan.leaf {
                    Leaf::Object(ix) => self.seen.table.get(pointer as usize, ix.0).is_some(),
                    _ => false,
                };
                known || self.dead(pointer.cast(), Status::Unknown, plan)
            }
        }
    }

    /// Whether a buffer of `len` elements may be read.
    pub fn may_read<T>(&mut self, start: *const T, len: usize, plan: &Plan) -> bool {
        let bytes = len.saturating_mul(size_of::<T>());
        let Some(live) = self.live.filter(|_| bytes > 0) else { return true };
        match live.status(start.cast(), bytes) {
            Status::Live => true,
            status => self.dead(start.cast(), status, plan),
        }
    }

    #[cold]
    fn dead(&mut self, address: *const (), status: Status, plan: &Plan) -> bool {
        let object = match plan.leaf {
            Leaf::Object(ix) => self.seen.table.get(address as usize, ix.0).filter(|&atom| atom != NO_ATOM),
            _ => None,
        };
        self.note_dead(address as usize, status, object, plan);
        false
    }

    fn note_dead(&mut self, address: usize, status: Status, object: Option<u32>, plan: &Plan) {
        let holder = self.seen.queue.get(self.current as usize).map(|item| item.atom);
        self.outcome.dead.push(DeadPointer {
            path: self.path(plan),
            address,
            status,
            holder: holder.filter(|&atom| atom != NO_ATOM).map(AtomId),
            label: self.binding.name(plan).label.clone(),
            object: object.map(AtomId),
        });
    }

    /// Leaves a pointer that owns nothing until all owners have been followed; then adds the tuple
    /// of what it points to.
    pub fn later<T: Abstraction>(&mut self, pointer: *const T, plan: &Plan, at: usize) {
        unsafe fn resolve<T: Abstraction>(
            address: *const (),
            a: &mut Abstractor<'_>,
            plan: &Plan,
        ) -> Option<usize> {
            let pointer: *const T = address.cast();
            // SAFETY: `may_follow` has just been asked.
            a.may_follow(pointer, plan).then(|| unsafe { (*pointer).to_tuple(a, plan, Place::Heap) })?
        }
        self.seen.pending.push(Pending {
            address: pointer.cast(),
            plan,
            at,
            resolve: resolve::<T>,
            from: Step { parent: self.current, name: plan.name, index: self.index },
            dry: self.dry,
            arena: self.arena,
        });
    }

    /// The atom of an uninterpreted signature that has this name.
    pub fn named(&mut self, pool: u32, name: &str) -> Option<usize> {
        let atoms = self.binding.pools.get(pool as usize)?;
        let atom = atoms.iter().find(|a| self.binding.atom_name(a.0 as usize) == name);
        if atom.is_none() {
            self.fault(format!("`{name}` is the name of no atom of its signature"));
        }
        atom.map(|a| a.0 as usize)
    }

    /// The way to what is being visited: `list.head.next`.
    pub fn path(&self, plan: &Plan) -> String {
        let mut steps = vec![(plan.name, self.index)];
        let mut item = self.current;
        while item != NO_ITEM {
            let from = self.seen.queue[item as usize].from;
            steps.push((from.name, from.index));
            item = from.parent;
        }
        let mut path = String::new();
        // Long chains keep their ends.
        let skipped = steps.len().saturating_sub(24);
        for (i, (name, index)) in steps.into_iter().rev().enumerate() {
            if skipped > 0 && (12..12 + skipped).contains(&i) {
                if i == 12 {
                    path += ".…";
                }
                continue;
            }
            if i > 0 {
                path.push('.');
            }
            path += &self.binding.names[name as usize].rust;
            if let Some(index) = index {
                path += &format!("[{index}]");
            }
        }
        path
    }

    /// The atoms of an arena in the pre-state, by position.
    pub(crate) fn positions_before(&self, owner: usize, name: u32) -> Vec<u32> {
        let known = |arena: &&Arena| !self.dry && arena.owner as usize == owner && arena.name == name;
        self.seen.positions.iter().rfind(known).map_or(Vec::new(), |arena| arena.atoms.clone())
    }

    /// Whether every object so far has found an atom.
    pub(crate) fn has_room(&self) -> bool {
        self.seen.needed.is_empty()
    }

    #[cold]
    pub(crate) fn dead_index(&mut self, plan: &Plan, status: Status) {
        self.note_dead(0, status, None, plan);
    }

    /// Notes why the instance will be no image of the value.
    #[cold]
    pub fn fault(&mut self, message: impl Into<String>) {
        self.outcome.faults.push(Fault { message: message.into() });
    }

    #[cold]
    pub(crate) fn not_one_tuple(&mut self, plan: &Plan) {
        let message = format!("{}: a collection where one value is wanted", self.binding.name(plan).label);
        self.fault(message);
    }
}

#[inline]
fn value_before<'a>(before: Before<'a>, instance: &'a Instance, rel: RelId) -> Option<&'a TupleSet> {
    match before {
        Before::Nothing => None,
        Before::Instance(before) => Some(before.value(rel)),
        Before::Relations(of) => Some(instance.value(of[rel.0 as usize])),
    }
}

#[inline]
fn bit(bits: &[u64], i: usize) -> bool {
    bits[i / 64] >> (i % 64) & 1 != 0
}

#[inline]
fn set_bit(bits: &mut [u64], i: usize) {
    bits[i / 64] |= 1 << (i % 64);
}

/// `(address, type) → atom`, open addressing; clearing is free.
#[derive(Clone, Default)]
struct Table {
    entries: Vec<Entry>,
    round: u32,
    len: usize,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    address: usize,
    ty: u32,
    atom: u32,
    round: u32,
}

impl Table {
    fn clear(&mut self) {
        self.len = 0;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 || self.entries.is_empty() {
            self.entries = vec![Entry::default(); self.entries.len().max(64)];
            self.round = 1;
        }
    }

    #[inline]
    fn slot(&self, address: usize, ty: u32) -> usize {
        let mask = self.entries.len() - 1;
        let hash = (address as u64 ^ (u64::from(ty) << 56)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (hash >> 32) as usize & mask;
        loop {
            let entry = &self.entries[slot];
            if entry.round != self.round || (entry.address == address && entry.ty == ty) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[inline]
    fn get(&self, address: usize, ty: u32) -> Option<u32> {
        let entry = &self.entries[self.slot(address, ty)];
        (entry.round == self.round).then_some(entry.atom)
    }

    #[inline]
    fn insert(&mut self, address: usize, ty: u32, atom: u32) {
        if self.len * 2 >= self.entries.len() {
            self.grow();
        }
        let slot = self.slot(address, ty);
        if self.entries[slot].round != self.round {
            self.len += 1;
        }
        self.entries[slot] = Entry { address, ty, atom, round: self.round };
    }

    fn grow(&mut self) {
        let larger = vec![Entry::default(); (self.entries.len() * 2).max(64)];
        let round = self.round;
        for entry in std::mem::replace(&mut self.entries, larger) {
            if entry.round == round {
                let slot = self.slot(entry.address, entry.ty);
                self.entries[slot] = entry;
            }
        }
    }
}
