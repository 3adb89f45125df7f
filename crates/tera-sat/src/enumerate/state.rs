//! The assignment: values, trail and levels.
//!
//! Invariant: the trail is a stack cut into levels. A literal's *true* level (`VarInfo::level`) is at
//! most the level of its place on the trail; it is lower only for held literals.

use crate::{Lit, Var};

use super::clauses::ClauseRef;

pub(super) const FALSE: u8 = 0;
pub(super) const TRUE: u8 = 1;
pub(super) const OPEN: u8 = 2;

/// Why a literal is true, in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reason(u32);

pub(super) enum ReasonKind {
    None,
    /// A clause of two literals; this is the false one.
    Binary(Lit),
    Clause(ClauseRef),
}

impl Reason {
    pub(super) const NONE: Reason = Reason(u32::MAX);

    #[inline]
    pub(super) fn binary(other: Lit) -> Reason {
        Reason(other.0 << 1 | 1)
    }

    #[inline]
    pub(super) fn clause(clause: ClauseRef) -> Reason {
        Reason(clause << 1)
    }

    #[inline]
    pub(super) fn kind(self) -> ReasonKind {
        if self == Reason::NONE {
            ReasonKind::None
        } else if self.0 & 1 != 0 {
            ReasonKind::Binary(Lit(self.0 >> 1))
        } else {
            ReasonKind::Clause(self.0 >> 1)
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct VarInfo {
    pub(super) level: u32,
    pub(super) reason: Reason,
}

#[derive(Clone, Copy)]
pub(super) struct Level {
    /// Where the level's decision is on the trail.
    pub(super) start: u32,
    /// The place in the order from which the next decision is looked for.
    pub(super) next: u32,
    /// The highest closed level up to this one, and the highest open one; 0 if there is none. Closed:
    /// its other value was tried, or was assumed away.
    highest_closed: u32,
    last_open: u32,
    pub(super) visible: bool,
}

/// What the search knows now; what a theory sees.
#[derive(Clone)]
pub struct State {
    /// By literal.
    pub(super) values: Vec<u8>,
    pub(super) trail: Vec<Lit>,
    /// How much of the trail has been propagated.
    pub(super) head: usize,
    pub(super) vars: Vec<VarInfo>,
    /// Level `i + 1`; level 0 has no decision.
    pub(super) levels: Vec<Level>,
    /// Shortest trail since the theory looked.
    low_water: usize,
    /// `levels.len()` when it was settled, and so valid while there are that many.
    settled: usize,
    pub(super) conflicts: u64,
    /// The visible variables are those below this, and how many of them have no value.
    n_visible: u32,
    open_visible: u32,
}

const UNSETTLED: usize = usize::MAX;

impl State {
    pub(super) fn new(n_vars: usize, n_visible: usize) -> State {
        State {
            values: vec![OPEN; 2 * n_vars],
            trail: Vec::with_capacity(n_vars),
            head: 0,
            vars: vec![VarInfo { level: 0, reason: Reason::NONE }; n_vars],
            levels: Vec::new(),
            low_water: 0,
            settled: UNSETTLED,
            conflicts: 0,
            n_visible: n_visible as u32,
            open_visible: n_visible as u32,
        }
    }

    pub(super) fn grow(&mut self, n_vars: usize) {
        self.values.resize(2 * n_vars, OPEN);
        self.vars.resize(n_vars, VarInfo { level: 0, reason: Reason::NONE });
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// The value of a literal, if it has one.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.index()] {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    /// The true literals, in the order in which they became true.
    #[inline]
    pub fn trail(&self) -> &[Lit] {
        &self.trail
    }

    /// The length to which the trail was cut, at the least, since the last call.
    pub fn take_low_water(&mut self) -> usize {
        std::mem::replace(&mut self.low_water, self.trail.len()).min(self.trail.len())
    }

    pub(super) fn progress(&self) -> f64 {
        let closed = |level: &u32| self.highest_closed(*level) == *level;
        (1..=self.current_level()).filter(closed).map(|level| 0.5f64.powi(level as i32)).sum()
    }

    /// How many visible variables have no value.
    pub fn n_open_visible(&self) -> usize {
        self.open_visible as usize
    }

    /// How many decisions are in force.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The theory accepts everything below this point: it is not asked again there.
    pub fn settle(&mut self) {
        // A watching theory is asked below a settled level too: that level stays.
        self.settled = self.settled.min(self.levels.len());
    }

    pub fn is_settled(&self) -> bool {
        self.settled != UNSETTLED
    }

    #[inline]
    pub(super) fn level(&self, var: Var) -> u32 {
        self.vars[var.index()].level
    }

    #[inline]
    pub(super) fn current_level(&self) -> u32 {
        self.levels.len() as u32
    }

    #[inline]
    pub(super) fn enqueue_at(&mut self, lit: Lit, reason: Reason, level: u32) {
        debug_assert_eq!(self.values[lit.index()], OPEN);
        // One look at the bounds for both signs.
        let signs = &mut self.values[lit.index() & !1..][..2];
        signs[lit.index() & 1] = TRUE;
        signs[lit.index() & 1 ^ 1] = FALSE;
        self.vars[lit.var().index()] = VarInfo { level, reason };
        self.open_visible -= (lit.var().0 < self.n_visible) as u32;
        self.trail.push(lit);
    }

    /// Whether all visible variables have values.
    #[inline]
    pub(super) fn is_total(&self) -> bool {
        self.open_visible == 0
    }

    #[inline]
    pub(super) fn enqueue(&mut self, lit: Lit, reason: Reason) {
        self.enqueue_at(lit, reason, self.levels.len() as u32);
    }

    pub(super) fn push_level(&mut self, decision: Lit, next: usize, closed: bool, visible: bool) {
        let this = self.current_level() + 1;
        self.levels.push(Level {
            start: self.trail.len() as u32,
            next: next as u32,
            highest_closed: if closed { this } else { self.highest_closed(this - 1) },
            last_open: if closed { self.last_open(this - 1) } else { this },
            visible,
        });
        self.enqueue(decision, Reason::NONE);
    }

    /// The literal that level `level` (from 1) decided.
    pub(super) fn decision(&self, level: u32) -> Lit {
        self.trail[self.levels[level as usize - 1].start as usize]
    }

    pub(super) fn highest_closed(&self, level: u32) -> u32 {
        if level == 0 { 0 } else { self.levels[level as usize - 1].highest_closed }
    }

    pub(super) fn last_open(&self, level: u32) -> u32 {
        if level == 0 { 0 } else { self.levels[level as usize - 1].last_open }
    }

    /// Forgets all levels above `level`.
    pub(super) fn cancel_to(&mut self, level: u32, mut undone: impl FnMut(Var)) {
        if (level as usize) < self.levels.len() {
            let length = self.levels[level as usize].start as usize;
            self.levels.truncate(level as usize);
            self.cut(length, &mut undone);
            if self.settled > self.levels.len() {
                self.settled = UNSETTLED;
            }
        }
    }

    /// Forgets what the current level propagated, not its decision.
    pub(super) fn cancel_propagations(&mut self, mut undone: impl FnMut(Var)) {
        let start = self.levels.last().expect("a level above the root").start as usize;
        self.cut(start + 1, &mut undone);
        // What the decision implies was undone too.
        self.head = start;
        if self.settled >= self.levels.len() {
            self.settled = UNSETTLED;
        }
    }

    fn cut(&mut self, length: usize, undone: &mut impl FnMut(Var)) {
        for i in length..self.trail.len() {
            let lit = self.trail[i];
            self.values[lit.index()] = OPEN;
            self.values[(!lit).index()] = OPEN;
            self.open_visible += (lit.var().0 < self.n_visible) as u32;
            undone(lit.var());
        }
        self.trail.truncate(length);
        self.head = self.head.min(length);
        self.low_water = self.low_water.min(length);
    }
}
