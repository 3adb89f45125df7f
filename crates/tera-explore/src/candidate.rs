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

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;

use crate::choices::Cut;
use crate::shape::{Shape, Values};

/// No value yet. No domain contains it.
pub(crate) const UNSET: i64 = i64::MIN;

/// Words of links: object number above, base slot below.
pub(crate) const SHIFT: u32 = usize::BITS / 2;

/// One accessed field.
#[derive(Clone, Copy, Debug)]
struct Point {
    slot: u32,
    /// Which alternative it has now.
    ordinal: u32,
    /// The alternatives still to come among the 64 that contain `ordinal`.
    rest: u64,
    /// The alternatives that it had when it was chosen, if it is not `wide`.
    all: u64,
    /// How many slots came into being by the present value.
    opened: u32,
    /// The present value is a link to an object that no earlier field has.
    fresh: bool,
    /// There are more words of alternatives on the `wide` stack.
    wide: bool,
    /// A datum, on which the existence of no other slot depends.
    plain: bool,
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
    Length { domain: u32, n_open: u32 },
    Variant { domain: u32, first: u32 },
    Constant,
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
}

/// The candidate under examination, and the trail that leads to the next one.
#[derive(Debug)]
pub struct Candidate {
    values: Vec<Cell<i64>>,
    kinds: Vec<Kind>,
    pub(crate) pools: Vec<PoolState>,
    domains: Vec<Values>,
    /// How many slots each variant of each sum opens.
    variant_open: Vec<u32>,
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
            variant_open: Vec::new(),
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
    pub(crate) fn add_pool(&mut self, shape: &Shape, width: usize, size: usize) {
        let mut words = Vec::with_capacity(size);
        for _ in 0..size {
            // An object without fields still needs a word of its own.
            let base = self.reserve(width.max(1));
            self.lay_out(shape, base);
            words.push(((self.n_objects << SHIFT) | base) as i64);
            self.n_objects += 1;
            self.has_owner.push(Cell::new(false));
        }
        let n_open = shape.n_open();
        self.pools.push(PoolState { words, shape: shape.clone(), n_open, used: Cell::new(0) });
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
            Shape::Sequence { domain, element, element_width } => {
                let n_open = element.n_open() as u32;
                self.kinds[slot] = Kind::Length { domain: *domain as u32, n_open };
                let longest = self.domains[*domain].largest().max(0) as usize;
                let start = self.reserve(longest * element_width);
                self.values[slot + 1].set(start as i64);
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
                let first = self.variant_open.len() as u32;
                for parts in variants {
                    self.variant_open.push(parts.iter().map(|part| part.shape.n_open() as u32).sum());
                }
                self.kinds[slot] = Kind::Variant { domain: *domain as u32, first };
                for part in variants.iter().flatten() {
                    self.lay_out(&part.shape, slot + part.offset);
                }
            }
        }
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

    /// Reads a slot, which is an access.
    #[inline(always)]
    pub fn get(&self, slot: usize) -> i64 {
        let value = self.values[slot].get();
        if value == UNSET { self.choose_any(slot) } else { value }
    }

    /// Chooses an unset slot; where there is nothing to choose, there is no such candidate.
    #[cold]
    #[inline(never)]
    fn choose_any(&self, slot: usize) -> i64 {
        let value = self.choose(slot);
        if value == UNSET {
            resume_unwind(Box::new(Cut::NoAlternative));
        }
        value
    }

    /// The value of a slot if it is set; not an access.
    #[inline]
    pub(crate) fn peek(&self, slot: usize) -> Option<i64> {
        let value = self.values[slot].get();
        (value != UNSET).then_some(value)
    }

    /// Reads a slot of which only values that pass the test matter: others are never tried.
    #[inline]
    pub fn get_where(&self, slot: usize, mut test: impl FnMut(i64) -> bool) -> Option<i64> {
        loop {
            if let Some(value) = self.peek(slot) {
                return test(value).then_some(value);
            }
            let (depth, kind) = (self.depth(), self.kinds[slot]);
            let n = self.n_alternatives(kind);
            let value = if n > 64 {
                let passing = self.passing_wide(kind, n, &mut test);
                if self.depth() != depth {
                    continue;
                }
                self.push_wide(slot, kind, passing)
            } else {
                let passing = self.passing(slot, kind, n, &mut test);
                if self.depth() != depth {
                    // The test has read other fields, which come first then.
                    continue;
                }
                self.push(slot, kind, passing)
            };
            return (value != UNSET).then_some(value);
        }
    }

    /// [`Candidate::get_where`] for those who need not know the value: it may be chosen later.
    #[inline]
    pub fn restrict(&self, slot: usize, mut test: impl FnMut(i64) -> bool) -> bool {
        let kind = self.kinds[slot];
        loop {
            if let Some(value) = self.peek(slot) {
                return test(value);
            }
            let (depth, n) = (self.depth(), self.n_alternatives(kind));
            if n > 64 || !matches!(kind, Kind::Data { .. }) {
                return self.get_where(slot, test).is_some();
            }
            let passing = self.passing(slot, kind, n, &mut test);
            if self.depth() != depth {
                continue;
            }
            if passing & passing.wrapping_sub(1) == 0 {
                // None, or nothing to choose.
                return self.push(slot, kind, passing) != UNSET;
            }
            if self.masks[slot].replace(passing) == u64::MAX {
                self.restricted.borrow_mut().push(slot as u32);
            }
            return true;
        }
    }

    /// The alternatives of an unset slot, of which there are at most 64, that pass the test.
    #[inline]
    fn passing(&self, slot: usize, kind: Kind, n: usize, test: &mut impl FnMut(i64) -> bool) -> u64 {
        let mut passing = 0;
        match kind {
            Kind::Data { domain } if let Values::Range { lo, .. } = self.domains[domain as usize] => {
                for ordinal in 0..n {
                    passing |= u64::from(test(lo.wrapping_add(ordinal as i64))) << ordinal;
                }
            }
            _ => {
                let mut left = self.admitted(kind, n);
                while left != 0 {
                    let ordinal = left.trailing_zeros();
                    passing |= u64::from(test(self.decode(kind, ordinal as usize))) << ordinal;
                    left &= left - 1;
                }
            }
        }
        passing & self.masks[slot].get()
    }

    /// Are there at least `room` larger values in the domain of the slot? Trivially so once it is set.
    pub(crate) fn has_room_above(&self, slot: usize, value: i64, room: usize) -> bool {
        match self.kinds[slot] {
            Kind::Data { domain } if self.peek(slot).is_none() => match &self.domains[domain as usize] {
                Values::Range { lo, n } => lo + *n as i64 - 1 - value >= room as i64,
                Values::List(values) => values.iter().filter(|other| **other > value).count() >= room,
            },
            _ => true,
        }
    }

    fn n_alternatives(&self, kind: Kind) -> usize {
        match kind {
            Kind::Data { domain } | Kind::Length { domain, .. } | Kind::Variant { domain, .. } => {
                self.domains[domain as usize].len()
            }
            Kind::Link { pool, .. } => {
                let pool = &self.pools[pool as usize];
                1 + (pool.used.get() + 1).min(pool.words.len())
            }
            Kind::Constant => 0,
        }
    }

    #[inline]
    fn decode(&self, kind: Kind, ordinal: usize) -> i64 {
        match kind {
            Kind::Data { domain } | Kind::Length { domain, .. } | Kind::Variant { domain, .. } => {
                self.domains[domain as usize].at(ordinal)
            }
            Kind::Link { pool, .. } => match ordinal {
                0 => 0,
                _ => self.pools[pool as usize].words[ordinal - 1],
            },
            Kind::Constant => 0,
        }
    }

    /// Is the alternative possible for the kind, before any test? What is owned has one owner.
    fn admits(&self, kind: Kind, ordinal: usize) -> bool {
        match kind {
            Kind::Link { nullable, .. } if ordinal == 0 => nullable,
            Kind::Link { owned: true, pool, .. } => {
                let word = self.pools[pool as usize].words[ordinal - 1] as usize;
                !self.has_owner[word >> SHIFT].get()
            }
            _ => true,
        }
    }

    /// The possible ones of at most 64 alternatives, as bits.
    #[inline]
    fn admitted(&self, kind: Kind, n: usize) -> u64 {
        let all = if n == 64 { u64::MAX } else { (1 << n) - 1 };
        match kind {
            Kind::Link { owned: true, .. } => (0..n)
                .filter(|ordinal| self.admits(kind, *ordinal))
                .fold(0, |bits, ordinal| bits | 1 << ordinal),
            Kind::Link { nullable: false, .. } => all & !1,
            _ => all,
        }
    }

    /// Puts an unset slot on the trail, with its first alternative; `UNSET` if there is none.
    #[inline(never)]
    fn choose(&self, slot: usize) -> i64 {
        let kind = self.kinds[slot];
        let n = self.n_alternatives(kind);
        if n > 64 {
            let all = self.passing_wide(kind, n, &mut |_| true);
            return self.push_wide(slot, kind, all);
        }
        self.push(slot, kind, self.admitted(kind, n) & self.masks[slot].get())
    }

    /// Puts an unset slot on the trail with these alternatives, of which it takes the first.
    #[inline]
    fn push(&self, slot: usize, kind: Kind, alternatives: u64) -> i64 {
        let mut trail = self.trail.borrow_mut();
        let alternatives = match self.scripted(trail.len()) {
            // A predicate that reads in another order than it did does not get what was meant for others.
            Some(ordinal) => alternatives & 1_u64.checked_shl(ordinal).unwrap_or(0),
            None => alternatives,
        };
        if alternatives == 0 {
            return UNSET;
        }
        trail.push(Point {
            slot: slot as u32,
            ordinal: alternatives.trailing_zeros(),
            rest: alternatives & (alternatives - 1),
            all: alternatives,
            opened: 0,
            fresh: false,
            wide: false,
            plain: matches!(kind, Kind::Data { .. }),
        });
        self.open.set(self.open.get() - 1);
        let last = trail.len() - 1;
        self.take(&mut trail[last], kind)
    }

    /// The alternative that is prescribed for the next point.
    #[inline]
    fn scripted(&self, depth: usize) -> Option<u32> {
        if depth >= self.n_scripted.get() { None } else { Some(self.script.borrow()[depth]) }
    }

    /// The alternatives, more than one word has bits, that pass the test.
    #[cold]
    fn passing_wide(&self, kind: Kind, n: usize, test: &mut dyn FnMut(i64) -> bool) -> Vec<u64> {
        let mut words = vec![0_u64; n.div_ceil(64)];
        for ordinal in 0..n {
            if self.admits(kind, ordinal) && test(self.decode(kind, ordinal)) {
                words[ordinal / 64] |= 1 << (ordinal % 64);
            }
        }
        words
    }

    /// [`Candidate::push`] for words of alternatives: those after the first that has any wait on a stack.
    #[cold]
    fn push_wide(&self, slot: usize, kind: Kind, mut words: Vec<u64>) -> i64 {
        let depth = self.depth();
        let mut trail = self.trail.borrow_mut();
        let mut at = words.iter().position(|word| *word != 0);
        if let Some(ordinal) = self.scripted(depth) {
            let (word, bit) = (ordinal as usize / 64, 1 << (ordinal % 64));
            let kept = words.get(word).is_some_and(|word| word & bit != 0);
            words.fill(0);
            at = kept.then(|| {
                words[word] = bit;
                word
            });
        }
        let Some(at) = at else { return UNSET };
        trail.push(Point {
            slot: slot as u32,
            ordinal: at as u32 * 64 + words[at].trailing_zeros(),
            rest: words[at] & (words[at] - 1),
            all: 0,
            opened: 0,
            fresh: false,
            wide: true,
            plain: false,
        });
        self.wide.borrow_mut().push((at, words));
        self.open.set(self.open.get() - 1);
        self.take(&mut trail[depth], kind)
    }

    /// Gives the slot of a point its present alternative.
    #[inline]
    fn take(&self, point: &mut Point, kind: Kind) -> i64 {
        let ordinal = point.ordinal as usize;
        let value = self.decode(kind, ordinal);
        match kind {
            Kind::Data { .. } | Kind::Constant => {}
            Kind::Link { pool, owned, .. } => {
                let pool = &self.pools[pool as usize];
                if owned && ordinal != 0 {
                    self.has_owner[value as usize >> SHIFT].set(true);
                }
                if ordinal > pool.used.get() {
                    point.fresh = true;
                    pool.used.set(pool.used.get() + 1);
                    point.opened = pool.n_open as u32;
                }
            }
            Kind::Length { n_open, .. } => point.opened = n_open * value.max(0) as u32,
            Kind::Variant { first, .. } => point.opened = self.variant_open[first as usize + value as usize],
        }
        self.open.set(self.open.get() + point.opened as usize);
        self.values[point.slot as usize].set(value);
        value
    }

    /// Takes back what the present alternative of a point brought.
    #[inline]
    fn give_back(&self, point: &mut Point, kind: Kind) {
        self.open.set(self.open.get() - point.opened as usize);
        point.opened = 0;
        if let Kind::Link { pool, owned, .. } = kind {
            let pool = &self.pools[pool as usize];
            if owned && point.ordinal != 0 {
                let word = pool.words[point.ordinal as usize - 1] as usize;
                self.has_owner[word >> SHIFT].set(false);
            }
            if std::mem::take(&mut point.fresh) {
                pool.used.set(pool.used.get() - 1);
            }
        }
    }

    /// How many fields are on the trail.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.trail.borrow().len()
    }

    /// The alternatives of the first fields of the trail.
    pub(crate) fn prefix(&self, depth: usize) -> Vec<u32> {
        self.trail.borrow().iter().take(depth).map(|point| point.ordinal).collect()
    }

    /// The field that was accessed last.
    pub(crate) fn last_field(&self) -> Option<FieldId> {
        let slot = self.trail.borrow().last()?.slot;
        match self.kinds[slot as usize] {
            Kind::Data { domain } | Kind::Length { domain, .. } | Kind::Variant { domain, .. } => {
                Some(FieldId::Domain(domain as usize))
            }
            Kind::Link { field, .. } => Some(FieldId::Link(field as usize)),
            Kind::Constant => None,
        }
    }

    /// Unsets the fields above `depth`.
    pub(crate) fn truncate(&self, depth: usize) {
        let mut trail = self.trail.borrow_mut();
        while trail.len() > depth {
            self.pop(&mut trail);
        }
    }

    fn pop(&self, trail: &mut Vec<Point>) {
        let Some(mut point) = trail.pop() else { return };
        let kind = self.kinds[point.slot as usize];
        self.give_back(&mut point, kind);
        self.values[point.slot as usize].set(UNSET);
        self.open.set(self.open.get() + 1);
        if point.wide {
            self.wide.borrow_mut().pop();
        }
    }

    /// Moves the last field above `floor` that has another value to its next one; false if there is none.
    #[inline]
    pub(crate) fn advance(&self, floor: usize) -> bool {
        let mut trail = self.trail.borrow_mut();
        while trail.len() > floor {
            let last = trail.len() - 1;
            let point = &mut trail[last];
            let mut base = point.ordinal & !63;
            if point.rest == 0 && point.wide {
                let mut wide = self.wide.borrow_mut();
                let (at, words) = wide.last_mut().expect("pushed with the point");
                while point.rest == 0 && *at + 1 < words.len() {
                    *at += 1;
                    point.rest = words[*at];
                }
                base = *at as u32 * 64;
            }
            if point.rest != 0 {
                let kind = self.kinds[point.slot as usize];
                self.give_back(point, kind);
                point.ordinal = base + point.rest.trailing_zeros();
                point.rest &= point.rest - 1;
                self.take(point, kind);
                return true;
            }
            self.pop(&mut trail);
        }
        false
    }

    /// Moves to the next combination of the fields above `floor`, which no predicate looks at; false if
    /// there is none. Afterwards the candidate may have to be completed.
    #[inline]
    pub(crate) fn advance_free(&self, floor: usize) -> bool {
        let mut trail = self.trail.borrow_mut();
        let set = |point: &mut Point, left: u64| {
            point.ordinal = left.trailing_zeros();
            point.rest = left & (left - 1);
            let value = self.decode(self.kinds[point.slot as usize], point.ordinal as usize);
            self.values[point.slot as usize].set(value);
        };
        for at in (floor..trail.len()).rev() {
            if !trail[at].plain {
                break;
            }
            let rest = trail[at].rest;
            if rest != 0 {
                set(&mut trail[at], rest);
                for point in &mut trail[at + 1..] {
                    set(point, point.all);
                }
                return true;
            }
        }
        drop(trail);
        self.advance(floor)
    }

    /// Starts anew, with these alternatives for the first fields.
    pub(crate) fn restart(&self, script: Vec<u32>) {
        self.truncate(0);
        self.n_scripted.set(script.len());
        *self.script.borrow_mut() = script;
    }

    /// Makes the candidate ready for a run of the predicate: nothing is required yet.
    #[inline]
    pub(crate) fn begin(&self) {
        let mut restricted = self.restricted.borrow_mut();
        if !restricted.is_empty() {
            restricted.drain(..).for_each(|slot| self.masks[slot as usize].set(u64::MAX));
        }
    }

    /// Chooses what is still open: the fields of which the predicate required something, in the order in
    /// which it did; then every reachable field that is unset, in the order of a breadth-first walk from
    /// the root. Afterwards the candidate is a whole structure.
    #[inline]
    pub(crate) fn complete(&self) {
        if self.open.get() == 0 {
            return;
        }
        for slot in self.restricted.borrow().iter() {
            self.get(*slot as usize);
        }
        if self.open.get() != 0 {
            self.walk();
        }
        debug_assert_eq!(self.open.get(), 0, "every reachable field is set after the walk");
    }

    #[cold]
    fn walk(&self) {
        let mut seen = vec![false; self.n_objects];
        let mut queue = Vec::new();
        self.walk_value(&self.root_shape, self.root, &mut seen, &mut queue);
        let mut at = 0;
        while at < queue.len() {
            let (pool, base): (usize, usize) = queue[at];
            self.walk_value(&self.pools[pool].shape, base, &mut seen, &mut queue);
            at += 1;
        }
    }

    fn walk_value(&self, shape: &Shape, slot: usize, seen: &mut [bool], queue: &mut Vec<(usize, usize)>) {
        match shape {
            Shape::Data { .. } => drop(self.get(slot)),
            Shape::Link { field, .. } => {
                let word = self.get(slot) as usize;
                if word != 0 && !std::mem::replace(&mut seen[word >> SHIFT], true) {
                    queue.push((self.links[*field], word & ((1 << SHIFT) - 1)));
                }
            }
            Shape::Sequence { element, element_width, .. } => {
                let length = self.get(slot).max(0) as usize;
                let start = self.get(slot + 1) as usize;
                for at in 0..length {
                    self.walk_value(element, start + at * element_width, seen, queue);
                }
            }
            Shape::Product(parts) => {
                for part in parts {
                    self.walk_value(&part.shape, slot + part.offset, seen, queue);
                }
            }
            Shape::Sum { variants, .. } => {
                let variant = self.get(slot) as usize;
                for part in &variants[variant] {
                    self.walk_value(&part.shape, slot + part.offset, seen, queue);
                }
            }
        }
    }

    /// Overwrites a slot until the end of the run. What is overwritten unread need never be chosen.
    pub fn set(&self, slot: usize, value: i64) {
        self.overwritten.borrow_mut().push((slot as u32, self.values[slot].replace(value)));
    }

    /// Takes back what the run has overwritten.
    #[inline]
    pub(crate) fn undo(&self) {
        let mut overwritten = self.overwritten.borrow_mut();
        while let Some((slot, value)) = overwritten.pop() {
            // A slot that was chosen after it was overwritten cannot be: it was set.
            self.values[slot as usize].set(value);
        }
    }
}
