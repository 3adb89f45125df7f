//! The trail: the fields that have been accessed, in the order of first access, and what each of them can
//! still be. A point keeps its alternatives as bits; more than 64 wait as words on a stack of their own.

use super::{Candidate, FieldId, Kind, UNSET, Variant};

/// One accessed field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
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

impl Candidate {
    /// Puts an unset slot on the trail, with its first alternative; `UNSET` if there is none.
    #[inline(never)]
    pub(super) fn choose(&self, slot: usize) -> i64 {
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
    pub(super) fn push(&self, slot: usize, kind: Kind, alternatives: u64) -> i64 {
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

    /// [`Candidate::push`] for words of alternatives: those after the first that has any wait on a stack.
    #[cold]
    pub(super) fn push_wide(&self, slot: usize, kind: Kind, mut words: Vec<u64>) -> i64 {
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
            Kind::Link { pool, owned, nullable, .. } => {
                let pool = &self.pools[pool as usize];
                if owned && ordinal != 0 {
                    self.own(pool, value, nullable, true);
                }
                if ordinal > pool.used.get() {
                    point.fresh = true;
                    pool.used.set(pool.used.get() + 1);
                    point.opened = pool.n_open as u32;
                    self.claim(&pool.claims, 1, true);
                }
            }
            Kind::Length { n_open, claims, .. } => {
                point.opened = n_open * value.max(0) as u32;
                self.claim(&self.claims[claims as usize], value.max(0) as usize, true);
            }
            Kind::Variant { first, .. } => {
                let Variant { n_open, claims } = self.variants[first as usize + value as usize];
                point.opened = n_open;
                self.claim(&self.claims[claims as usize], 1, true);
            }
        }
        self.open.set(self.open.get() + point.opened as usize);
        self.values[point.slot as usize].set(value);
        value
    }

    /// Gives the slot of a plain point the first of these alternatives.
    #[inline(always)]
    fn take_plain(&self, point: &mut Point, left: u64) {
        point.ordinal = left.trailing_zeros();
        point.rest = left & (left - 1);
        let value = self.decode(self.kinds[point.slot as usize], point.ordinal as usize);
        self.values[point.slot as usize].set(value);
    }

    /// Takes back what the present alternative of a point brought.
    #[inline]
    fn give_back(&self, point: &mut Point, kind: Kind) {
        self.open.set(self.open.get() - point.opened as usize);
        point.opened = 0;
        match kind {
            Kind::Data { .. } | Kind::Constant => {}
            Kind::Link { pool, owned, nullable, .. } => {
                let pool = &self.pools[pool as usize];
                if owned && point.ordinal != 0 {
                    self.own(pool, pool.words[point.ordinal as usize - 1], nullable, false);
                }
                if std::mem::take(&mut point.fresh) {
                    pool.used.set(pool.used.get() - 1);
                    self.claim(&pool.claims, 1, false);
                }
            }
            Kind::Length { claims, .. } if claims != 0 => {
                let length = self.decode(kind, point.ordinal as usize).max(0) as usize;
                self.claim(&self.claims[claims as usize], length, false);
            }
            Kind::Length { .. } => {}
            Kind::Variant { first, .. } => {
                let variant = self.decode(kind, point.ordinal as usize) as usize;
                let Variant { claims, .. } = self.variants[first as usize + variant];
                self.claim(&self.claims[claims as usize], 1, false);
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
            if point.plain && point.rest != 0 {
                self.take_plain(point, point.rest);
                return true;
            }
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
        for at in (floor..trail.len()).rev() {
            if !trail[at].plain {
                break;
            }
            let rest = trail[at].rest;
            if rest != 0 {
                self.take_plain(&mut trail[at], rest);
                for point in &mut trail[at + 1..] {
                    self.take_plain(point, point.all);
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
}
