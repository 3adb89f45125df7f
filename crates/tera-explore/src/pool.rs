//! Object pools with delayed choice (Gligoric et al. 2009, section 4.2).
//!
//! `new` gives an object that differs from all given before; `any` one that was given before, or another.
//! What is given is symbolic: which object it is is chosen at its first use, among those that the
//! constraints allow and only if all the others can still be objects within the bound. Objects are numbered
//! by first use, so that no two runs differ only by the names of objects.
//!
//! The constraints on handles h1, h2, ... in the order they were given: a `new` differs from every handle
//! before it; there are at most `size` objects. The fewest objects that any completion needs are computed
//! exactly (`fewest`): the chosen ones, and one for each open `new` that cannot be one of them. An open
//! `new` can be a chosen object that no `new` has and that no handle before it has; as the objects that
//! serve an earlier `new` include those that serve a later one, giving them out from the last `new` to the
//! first is a maximum matching. An open `any` needs no object of its own: it can be that of the first
//! handle, from which every later `new` differs. (The paper's pseudo-code lets a `new` take an object that
//! an `any` before it has; the definition does not, and the test against eager choice says so.)

use crate::choices::Choices;

/// A pool of objects of one run; see [`Choices::pool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pool(u32);

/// An object of a pool, chosen when it is first used. Copies are the same object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sym {
    pool: u32,
    handle: u32,
}

/// An object of a pool or null, chosen when it is first used. Copies are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SymOrNull(Sym);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    New,
    Any,
    AnyOrNull,
}

/// What a handle is, encoded: still open, null, or object `i` as `i + 1`.
type Choice = u32;
const OPEN: Choice = u32::MAX;
const NULL: Choice = 0;

#[derive(Clone, Copy, Debug)]
struct Handle {
    kind: Kind,
    choice: Choice,
    /// What it must not be, of the first 64 encodings; others are in [`PoolState::excluded`].
    excluded: u64,
}

/// The state of a pool during a run.
#[derive(Clone, Debug)]
pub(crate) struct PoolState {
    size: usize,
    handles: Vec<Handle>,
    /// How many objects have been chosen.
    n_objects: usize,
    /// What handles must not be, beyond the first 64 encodings.
    excluded: Vec<(u32, Choice)>,
    /// How many handles are open and need an object that may be their own.
    n_needing: usize,
    /// The first handle that is an object for certain.
    first: Option<u32>,
}

/// The pools of a run; their memory is used again in the next.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    pools: Vec<PoolState>,
    n_used: usize,
}

impl Pools {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.n_used = 0;
    }
}

impl PoolState {
    /// Does the handle, still open, need an object like a `new`? The first handle that is an object does.
    fn needs_object(&self, at: usize) -> bool {
        let handle = self.handles[at];
        handle.choice == OPEN && (handle.kind == Kind::New || self.first == Some(at as u32))
    }

    /// Counts anew after a change.
    fn count(&mut self) {
        self.first = self
            .handles
            .iter()
            .position(|handle| match handle.choice {
                NULL => false,
                OPEN => handle.kind != Kind::AnyOrNull,
                _ => true,
            })
            .map(|at| at as u32);
        self.n_needing = (0..self.handles.len()).filter(|at| self.needs_object(*at)).count();
    }

    /// Can all handles be given an object within the bound? Compares the fewest objects that they need.
    fn is_possible(&self) -> bool {
        if self.n_objects + self.n_needing <= self.size {
            // Enough even if every open handle takes one of its own.
            return true;
        }
        let (mut available, mut matched) = (0_usize, 0);
        for at in (0..self.handles.len()).rev() {
            // From the last handle to the first: objects that are first held here serve those before.
            let choice = self.handles[at].choice;
            if choice == OPEN {
                if available > 0 && self.needs_object(at) {
                    available -= 1;
                    matched += 1;
                }
            } else if choice != NULL {
                let is_first = !self.handles[..at].iter().any(|other| other.choice == choice);
                let of_new =
                    self.handles.iter().any(|other| other.choice == choice && other.kind == Kind::New);
                available += usize::from(is_first && !of_new);
            }
        }
        self.n_objects + self.n_needing - matched <= self.size
    }

    /// Would everything be possible if the handle were this?
    fn is_possible_with(&mut self, at: usize, choice: Choice) -> bool {
        let n_objects = self.n_objects;
        self.choose(at, choice);
        let possible = self.is_possible();
        self.handles[at].choice = OPEN;
        self.n_objects = n_objects;
        self.count();
        possible
    }

    fn choose(&mut self, at: usize, choice: Choice) {
        self.handles[at].choice = choice;
        self.n_objects = self.n_objects.max(choice as usize);
        self.count();
    }

    /// What the handle can be such that all others can still be something: null, the objects in the order
    /// of their first use, a fresh one.
    fn alternatives(&mut self, at: usize, found: &mut Vec<Choice>) {
        found.clear();
        let fresh = self.n_objects as Choice + 1;
        let Handle { kind, excluded, .. } = self.handles[at];
        // The encodings that other handles exclude, as far as 64 bits go.
        let mut taken = excluded;
        let bit = |choice: Choice| if choice < 64 { 1 << choice } else { 0 };
        if kind == Kind::New {
            for before in &self.handles[..at] {
                taken |= bit(before.choice);
            }
        }
        for after in &self.handles[at + 1..] {
            if after.kind == Kind::New {
                taken |= bit(after.choice);
            }
        }
        let first = if kind == Kind::AnyOrNull { NULL } else { NULL + 1 };
        let certain = self.n_objects + 1 + self.n_needing <= self.size;
        for choice in first..=fresh {
            let free = match choice {
                0..64 => taken >> choice & 1 == 0,
                _ => self.is_free(at, choice),
            };
            if free && (certain || self.is_possible_with(at, choice)) {
                found.push(choice);
            }
        }
    }

    /// Do the other handles allow this one to be this?
    fn is_free(&self, at: usize, choice: Choice) -> bool {
        let before = || {
            self.handles[at].kind == Kind::New
                && self.handles[..at].iter().any(|other| other.choice == choice)
        };
        let after =
            || self.handles[at + 1..].iter().any(|other| other.kind == Kind::New && other.choice == choice);
        !self.excluded.contains(&(at as u32, choice)) && !before() && !after()
    }
}

impl Choices {
    /// A pool with at most `size` objects.
    ///
    /// ```
    /// use tera_explore::Explore;
    ///
    /// // Three references into a pool: all ways in which they can be equal, up to renaming.
    /// let partitions: Vec<_> = Explore::new(|c| {
    ///     let pool = c.pool(3);
    ///     let objects = [pool.any(c)?, pool.any(c)?, pool.any(c)?];
    ///     Some(objects.map(|object| object.get(c)))
    /// })
    /// .runs()
    /// .collect();
    /// assert_eq!(partitions, [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]);
    /// ```
    pub fn pool(&mut self, size: usize) -> Pool {
        let pools = &mut self.pools;
        if pools.n_used == pools.pools.len() {
            pools.pools.push(PoolState {
                size,
                handles: Vec::new(),
                n_objects: 0,
                excluded: Vec::new(),
                n_needing: 0,
                first: None,
            });
        }
        let pool = &mut pools.pools[pools.n_used];
        pool.size = size;
        pool.handles.clear();
        pool.n_objects = 0;
        pool.excluded.clear();
        pool.n_needing = 0;
        pool.first = None;
        pools.n_used += 1;
        Pool(pools.n_used as u32 - 1)
    }

    /// A pool that never runs out of objects.
    pub fn unbounded_pool(&mut self) -> Pool {
        self.pool(usize::MAX)
    }

    fn give(&mut self, pool: u32, kind: Kind) -> Option<Sym> {
        let state = &mut self.pools.pools[pool as usize];
        let handle = state.handles.len() as u32;
        state.handles.push(Handle { kind, choice: OPEN, excluded: 0 });
        if kind != Kind::AnyOrNull && state.first.is_none() {
            state.first = Some(handle);
        }
        state.n_needing += usize::from(state.needs_object(handle as usize));
        state.is_possible().then_some(Sym { pool, handle })
    }

    fn decide(&mut self, sym: Sym) -> Choice {
        let at = sym.handle as usize;
        let state = &mut self.pools.pools[sym.pool as usize];
        let choice = state.handles[at].choice;
        if choice != OPEN {
            return choice;
        }
        let mut found = std::mem::take(&mut self.alternatives);
        state.alternatives(at, &mut found);
        let chosen = self.choose(found.len() as u64) as usize;
        let choice = found[chosen];
        self.alternatives = found;
        self.pools.pools[sym.pool as usize].choose(at, choice);
        choice
    }

    /// Decides without a choice, if the handle can be this.
    fn decide_to_be(&mut self, sym: Sym, value: Option<usize>) -> Option<()> {
        let at = sym.handle as usize;
        let wanted = value.map_or(NULL, |object| object as Choice + 1);
        let state = &mut self.pools.pools[sym.pool as usize];
        let choice = state.handles[at].choice;
        if choice != OPEN {
            return (choice == wanted).then_some(());
        }
        state.alternatives(at, &mut self.alternatives);
        self.alternatives.contains(&wanted).then(|| state.choose(at, wanted))
    }

    fn exclude_object(&mut self, sym: Sym, value: Option<usize>) -> Option<()> {
        let state = &mut self.pools.pools[sym.pool as usize];
        let excluded = value.map_or(NULL, |object| object as Choice + 1);
        let handle = &mut state.handles[sym.handle as usize];
        if handle.choice != OPEN {
            return (handle.choice != excluded).then_some(());
        }
        if excluded < 64 {
            handle.excluded |= 1 << excluded;
        } else {
            state.excluded.push((sym.handle, excluded));
        }
        Some(())
    }
}

impl Pool {
    /// An object that differs from all that this pool has given before; drops the run if the pool has no
    /// more.
    #[allow(clippy::new_ret_no_self, clippy::wrong_self_convention)] // The name it has in UDITA.
    pub fn new(self, c: &mut Choices) -> Option<Sym> {
        c.give(self.0, Kind::New)
    }

    /// An object that this pool has given before, or another; drops the run if the pool is empty.
    pub fn any(self, c: &mut Choices) -> Option<Sym> {
        c.give(self.0, Kind::Any)
    }

    /// Null, an object that this pool has given before, or another.
    pub fn any_or_null(self, c: &mut Choices) -> Option<SymOrNull> {
        c.give(self.0, Kind::AnyOrNull).map(SymOrNull)
    }

    /// How many objects have been used.
    pub fn n_used(self, c: &Choices) -> usize {
        c.pools.pools[self.0 as usize].n_objects
    }
}

impl Sym {
    /// The number of the object, chosen now if it was not before: objects are numbered from 0 in the order
    /// of their first use.
    pub fn get(self, c: &mut Choices) -> usize {
        // Neither `new` nor `any` is null.
        c.decide(self) as usize - 1
    }

    /// Drops the run unless it is this object; before the first use, no other is tried.
    pub fn is(self, c: &mut Choices, object: usize) -> Option<()> {
        c.decide_to_be(self, Some(object))
    }

    /// Drops the run if it is this object; before the first use, the object is never tried.
    pub fn is_not(self, c: &mut Choices, object: usize) -> Option<()> {
        c.exclude_object(self, Some(object))
    }
}

impl SymOrNull {
    /// Null, or the number of the object; see [`Sym::get`].
    pub fn get(self, c: &mut Choices) -> Option<usize> {
        (c.decide(self.0) as usize).checked_sub(1)
    }

    /// Drops the run unless it is this object, or null; before the first use, no other is tried.
    pub fn is(self, c: &mut Choices, object: Option<usize>) -> Option<()> {
        c.decide_to_be(self.0, object)
    }

    /// Drops the run if it is this object, or null; before the first use, it is never tried.
    pub fn is_not(self, c: &mut Choices, object: Option<usize>) -> Option<()> {
        c.exclude_object(self.0, object)
    }
}
