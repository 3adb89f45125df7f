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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    Open,
    Null,
    Object(u32),
}

#[derive(Clone, Copy, Debug)]
struct Handle {
    kind: Kind,
    choice: Choice,
}

/// The state of a pool during a run.
#[derive(Clone, Debug)]
pub(crate) struct PoolState {
    size: usize,
    handles: Vec<Handle>,
    /// How many objects have been chosen.
    n_objects: usize,
    /// What handles must not be: an object, or null.
    excluded: Vec<(u32, Option<u32>)>,
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
    /// The fewest objects with which all handles can be given one.
    fn fewest(&self) -> usize {
        // The first handle that is an object, if it is an open `any`, needs an object like a `new`.
        let first = self.handles.iter().position(|handle| match handle.choice {
            Choice::Object(_) => true,
            Choice::Null => false,
            Choice::Open => handle.kind != Kind::AnyOrNull,
        });
        let needs_object =
            |at: usize, handle: &Handle| handle.choice == Choice::Open && (handle.kind == Kind::New || first == Some(at));
        let n_needing = self.handles.iter().enumerate().filter(|(at, handle)| needs_object(*at, handle)).count();
        if self.n_objects + n_needing <= self.size {
            // Certainly enough: no need to match.
            return self.n_objects + n_needing;
        }
        let (mut available, mut matched) = (0_usize, 0);
        for (at, handle) in self.handles.iter().enumerate().rev() {
            // From here towards the front, objects whose first handle is here serve the handles before.
            if needs_object(at, handle) && available > 0 {
                available -= 1;
                matched += 1;
            }
            if let Choice::Object(object) = handle.choice {
                let same = |other: &&Handle| other.choice == Choice::Object(object);
                let is_first = !self.handles[..at].iter().any(|other| same(&other));
                let of_new = self.handles.iter().filter(same).any(|other| other.kind == Kind::New);
                if is_first && !of_new {
                    available += 1;
                }
            }
        }
        self.n_objects + n_needing - matched
    }

    /// Can the handle be this, as far as the handles chosen already are concerned?
    fn is_consistent(&self, at: usize, choice: Choice) -> bool {
        let handle = self.handles[at];
        let excluded = match choice {
            Choice::Open => return true,
            Choice::Null => None,
            Choice::Object(object) => Some(object),
        };
        if self.excluded.contains(&(at as u32, excluded)) {
            return false;
        }
        if choice == Choice::Null {
            return handle.kind == Kind::AnyOrNull;
        }
        let before = handle.kind == Kind::New && self.handles[..at].iter().any(|other| other.choice == choice);
        let after =
            self.handles[at + 1..].iter().any(|other| other.kind == Kind::New && other.choice == choice);
        !before && !after
    }

    /// What the handle can be such that all others can still be something; objects in the order of their
    /// first use, a fresh one last.
    fn alternatives(&mut self, at: usize, found: &mut Vec<u32>) {
        found.clear();
        let n = self.n_objects as u32;
        for encoded in 0..=n + 1 {
            let choice = decode(encoded);
            if !self.is_consistent(at, choice) {
                continue;
            }
            self.handles[at].choice = choice;
            self.n_objects += usize::from(encoded == n + 1);
            if self.fewest() <= self.size {
                found.push(encoded);
            }
            self.n_objects = n as usize;
            self.handles[at].choice = Choice::Open;
        }
    }
}

/// 0 is null, `i + 1` object `i`.
fn decode(encoded: u32) -> Choice {
    if encoded == 0 { Choice::Null } else { Choice::Object(encoded - 1) }
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
            pools.pools.push(PoolState { size, handles: Vec::new(), n_objects: 0, excluded: Vec::new() });
        }
        let pool = &mut pools.pools[pools.n_used];
        pool.size = size;
        pool.handles.clear();
        pool.n_objects = 0;
        pool.excluded.clear();
        pools.n_used += 1;
        Pool(pools.n_used as u32 - 1)
    }

    /// A pool that never runs out of objects.
    pub fn unbounded_pool(&mut self) -> Pool {
        self.pool(usize::MAX)
    }

    fn give(&mut self, pool: u32, kind: Kind) -> Option<Sym> {
        let state = &mut self.pools.pools[pool as usize];
        state.handles.push(Handle { kind, choice: Choice::Open });
        (state.fewest() <= state.size).then(|| Sym { pool, handle: state.handles.len() as u32 - 1 })
    }

    fn decide(&mut self, sym: Sym) -> Choice {
        let state = &mut self.pools.pools[sym.pool as usize];
        let at = sym.handle as usize;
        let choice = state.handles[at].choice;
        if choice != Choice::Open {
            return choice;
        }
        let mut found = std::mem::take(&mut self.alternatives);
        state.alternatives(at, &mut found);
        let chosen = self.choose(found.len() as u64) as usize;
        let choice = decode(found[chosen]);
        self.alternatives = found;
        let state = &mut self.pools.pools[sym.pool as usize];
        if let Choice::Object(object) = choice {
            state.n_objects = state.n_objects.max(object as usize + 1);
        }
        state.handles[at].choice = choice;
        choice
    }

    fn exclude_object(&mut self, sym: Sym, value: Option<usize>) -> Option<()> {
        let state = &mut self.pools.pools[sym.pool as usize];
        let excluded = value.map(|object| object as u32);
        match (state.handles[sym.handle as usize].choice, excluded) {
            (Choice::Open, _) => {
                state.excluded.push((sym.handle, excluded));
                Some(())
            }
            (Choice::Null, None) => None,
            (Choice::Object(object), Some(other)) if object == other => None,
            _ => Some(()),
        }
    }
}

impl Pool {
    /// An object that differs from all that this pool has given before; drops the run if the pool has no
    /// more.
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
        match c.decide(self) {
            Choice::Object(object) => object as usize,
            Choice::Null | Choice::Open => unreachable!("neither new nor any is null"),
        }
    }

    /// Drops the run if it is this object; before the first use, the object is never tried.
    pub fn is_not(self, c: &mut Choices, object: usize) -> Option<()> {
        c.exclude_object(self, Some(object))
    }
}

impl SymOrNull {
    /// Null, or the number of the object; see [`Sym::get`].
    pub fn get(self, c: &mut Choices) -> Option<usize> {
        match c.decide(self.0) {
            Choice::Object(object) => Some(object as usize),
            Choice::Null | Choice::Open => None,
        }
    }

    /// Drops the run if it is this object, or null; before the first use, it is never tried.
    pub fn is_not(self, c: &mut Choices, object: Option<usize>) -> Option<()> {
        c.exclude_object(self.0, object)
    }
}
