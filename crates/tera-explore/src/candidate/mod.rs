//! The candidate vector: one slot per field of every object there may be.
//!
//! A slot is unset until the predicate first reads it; then it takes the first value of its domain and goes
//! on the *trail*, the list of accessed fields in the order of first access. Backtracking moves the last
//! field of the trail to its next value and unsets those that have none. Values persist between runs of the
//! predicate, so that a read of a set slot is a load and a comparison.
//!
//! A datum of which the predicate only *requires* something is not chosen yet: its alternatives are fewer,
//! until it is read after all or the predicate has accepted. What is still open then is free, and all its
//! combinations are structures.
//!
//! Invariant (isomorph-freeness): of the objects of a pool, a link takes one that is on the trail already
//! or the first that is not. Two candidates with the same trail up to renaming are the same candidate.

mod claims;
mod complete;
mod overlay;
mod read;
mod trail;

use std::any::TypeId;
use std::cell::{Cell, RefCell};

use crate::shape::{Class, Shape, Values};
use claims::Claims;
use trail::Point;

/// No value yet. No domain contains it.
pub(crate) const UNSET: i64 = i64::MIN;

/// Words of links: object number above, base slot below.
pub(crate) const SHIFT: u32 = usize::BITS / 2;

/// Where the elements of a sequence are: side by side, or links to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements(usize);

/// Set if there are links.
const LINKED: usize = 1 << (SHIFT + 8);

impl Elements {
    /// Side by side from this slot on.
    #[inline(always)]
    pub(crate) fn at(slot: usize) -> Self {
        Elements(slot)
    }

    /// Where the elements begin, if they are not linked.
    #[inline(always)]
    pub(crate) fn inline(self) -> Option<usize> {
        (self.0 & LINKED == 0).then_some(self.0)
    }

    /// Where the elements, or the links to them, begin.
    pub(crate) fn start(self) -> usize {
        self.0 & !LINKED
    }
}

/// A field of the finitization: its domain, or its place among the links.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FieldId {
    Domain(usize),
    Link(usize),
}

/// What one slot may hold.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Data { domain: u32 },
    Link { pool: u32, field: u32, nullable: bool, owned: bool },
    Length { domain: u32, n_open: u32, claims: u32 },
    Variant { domain: u32, first: u32 },
    Constant,
}

/// What comes into being by the choice of a variant.
#[derive(Clone, Copy, Debug)]
struct Variant {
    n_open: u32,
    claims: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct PoolState {
    /// The word of every object.
    pub(crate) words: Vec<i64>,
    pub(crate) shape: Shape,
    /// How many slots an object has to be chosen before anything has been.
    n_open: usize,
    /// How many objects are on the trail.
    used: Cell<usize>,
    /// How many objects have an owner, and how many more owners there must be.
    owned: Cell<usize>,
    claimed: Cell<usize>,
    /// What a fresh object claims.
    claims: Claims,
    class: TypeId,
    width: usize,
    /// Objects that a subject may make, and how many it has made in this run.
    aside: Vec<i64>,
    n_allocated: Cell<usize>,
}

/// The candidate under examination, and the trail that leads to the next one.
#[derive(Debug)]
pub struct Candidate {
    values: Vec<Cell<i64>>,
    kinds: Vec<Kind>,
    pub(crate) pools: Vec<PoolState>,
    domains: Vec<Values>,
    /// The variants of all sums.
    variants: Vec<Variant>,
    /// What elements of sequences and variants claim; the first is nothing.
    claims: Vec<Claims>,
    /// The pool of every link field.
    pub(crate) links: Vec<usize>,
    /// Owning links share their targets like others.
    sharing: bool,
    /// Does a link that owns its target own this object?
    has_owner: Vec<Cell<bool>>,
    trail: RefCell<Vec<Point>>,
    wide: RefCell<Vec<(usize, Vec<u64>)>>,
    /// What this run of the predicate has left of the alternatives of each slot that is unset.
    masks: Vec<Cell<u64>>,
    /// The slots whose masks are not full, in the order in which this run restricted them first.
    restricted: RefCell<Vec<u32>>,
    /// Reachable slots that are unset.
    open: Cell<usize>,
    /// Alternatives prescribed for the first points of the trail.
    script: RefCell<Vec<u32>>,
    n_scripted: Cell<usize>,
    /// Slots overwritten by a subject during the present run, with what they held.
    overwritten: RefCell<Vec<(u32, i64)>>,
    /// A subject has made objects in the present run.
    allocated: Cell<bool>,
    root: usize,
    pub(crate) root_shape: Shape,
    n_objects: usize,
}

impl Candidate {
    pub(crate) fn new(
        root_shape: Shape,
        root_width: usize,
        domains: Vec<Values>,
        links: Vec<usize>,
        sharing: bool,
    ) -> Self {
        let mut candidate = Candidate {
            values: vec![Cell::new(0)],
            kinds: vec![Kind::Constant],
            pools: Vec::new(),
            domains,
            variants: Vec::new(),
            claims: vec![Claims::default()],
            links,
            sharing,
            has_owner: vec![Cell::new(false)],
            trail: RefCell::new(Vec::new()),
            wide: RefCell::new(Vec::new()),
            masks: vec![Cell::new(u64::MAX)],
            restricted: RefCell::new(Vec::new()),
            open: Cell::new(root_shape.n_open()),
            script: RefCell::new(Vec::new()),
            n_scripted: Cell::new(0),
            overwritten: RefCell::new(Vec::new()),
            allocated: Cell::new(false),
            root: 1,
            root_shape: root_shape.clone(),
            // Number 0 is for values that are no objects of a pool.
            n_objects: 1,
        };
        candidate.root = candidate.reserve(root_width);
        candidate.lay_out(&root_shape, candidate.root);
        candidate
    }

    /// Makes the objects of a pool. All pools are made before the first read.
    pub(crate) fn add_pool(&mut self, class: &Class, size: usize) {
        let Class { shape, width, type_id } = class;
        let words = (0..size).map(|_| self.add_object(shape, *width)).collect();
        self.pools.push(PoolState {
            words,
            shape: shape.clone(),
            n_open: shape.n_open(),
            used: Cell::new(0),
            owned: Cell::new(0),
            claimed: Cell::new(0),
            claims: self.claims_of(shape),
            class: *type_id,
            width: *width,
            aside: Vec::new(),
            n_allocated: Cell::new(0),
        });
    }

    /// The word of a further object.
    fn add_object(&mut self, shape: &Shape, width: usize) -> i64 {
        // An object without fields still needs a word of its own.
        let base = self.reserve(width.max(1));
        self.lay_out(shape, base);
        self.has_owner.push(Cell::new(false));
        self.n_objects += 1;
        (((self.n_objects - 1) << SHIFT) | base) as i64
    }

    /// The elements of the sequence at a slot.
    #[inline(always)]
    pub(crate) fn elements(&self, slot: usize) -> Elements {
        Elements(self.values[slot + 1].get() as usize)
    }

    /// The word of a linked element.
    #[inline(never)]
    pub(crate) fn linked(&self, elements: Elements, index: usize) -> usize {
        self.get(elements.start() + index) as usize
    }

    fn reserve(&mut self, width: usize) -> usize {
        let base = self.values.len();
        self.values.resize(base + width, Cell::new(UNSET));
        self.kinds.resize(base + width, Kind::Constant);
        self.masks.resize(base + width, Cell::new(u64::MAX));
        base
    }

    fn lay_out(&mut self, shape: &Shape, slot: usize) {
        match shape {
            Shape::Data { domain } => self.kinds[slot] = Kind::Data { domain: *domain as u32 },
            Shape::Link { field, nullable, owned } => {
                let pool = self.links[*field] as u32;
                let (field, nullable, owned) = (*field as u32, *nullable, *owned && !self.sharing);
                self.kinds[slot] = Kind::Link { pool, field, nullable, owned };
            }
            Shape::Sequence { domain, element, element_width, linked } => {
                let (n_open, claims) = (element.n_open() as u32, self.note_claims(element));
                self.kinds[slot] = Kind::Length { domain: *domain as u32, n_open, claims };
                let longest = self.domains[*domain].largest().max(0) as usize;
                let start = self.reserve(longest * element_width);
                self.values[slot + 1].set((start | if *linked { LINKED } else { 0 }) as i64);
                for at in 0..longest {
                    self.lay_out(element, start + at * element_width);
                }
            }
            Shape::Product(parts) => {
                for part in parts {
                    self.lay_out(&part.shape, slot + part.offset);
                }
            }
            Shape::Sum { domain, variants } => {
                let first = self.variants.len() as u32;
                for parts in variants {
                    let n_open = parts.iter().map(|part| part.shape.n_open() as u32).sum();
                    let claims = self.note_claims(&Shape::Product(parts.clone()));
                    self.variants.push(Variant { n_open, claims });
                }
                self.kinds[slot] = Kind::Variant { domain: *domain as u32, first };
                for part in variants.iter().flatten() {
                    self.lay_out(&part.shape, slot + part.offset);
                }
            }
        }
    }

    /// The place of the claims of a shape in the table.
    fn note_claims(&mut self, shape: &Shape) -> u32 {
        let claims = self.claims_of(shape);
        self.claims.iter().position(|known| *known == claims).unwrap_or_else(|| {
            self.claims.push(claims);
            self.claims.len() - 1
        }) as u32
    }

    /// What the root claims; after all pools have been made.
    pub(crate) fn claim_root(&self) {
        self.claim(&self.claims_of(&self.root_shape), 1, true);
    }

    /// Where the root value begins.
    pub(crate) fn root(&self) -> usize {
        self.root
    }

    pub(crate) fn n_slots(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn n_objects(&self) -> usize {
        self.n_objects
    }
}
