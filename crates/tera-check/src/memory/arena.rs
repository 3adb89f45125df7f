//! The arena: blocks one behind the other, and a table of them in the order of their addresses.
//!
//! Eight bytes in front of each block hold its place in the table. Only the armed thread
//! allocates; any thread may free, so the states are atomic.

use std::alloc::Layout;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize};

/// When a block was allocated or freed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Step {
    /// While tera built the input.
    Input = 0,
    /// By the subject.
    Call = 1,
    /// While the values were dropped.
    Drop = 2,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Live,
    Freed(Step),
}

/// A block as the guard remembers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    pub start: usize,
    pub size: usize,
    pub allocated: Step,
    pub state: State,
}

/// What went wrong with the memory of one input.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Faults {
    /// Blocks that were freed twice.
    pub double_frees: Vec<Block>,
    /// Addresses given to `dealloc` that begin no block.
    pub wild_frees: Vec<usize>,
    /// Freed blocks that were written to afterwards.
    pub writes_after_free: Vec<Block>,
    /// Blocks that nobody freed.
    pub live: Vec<Block>,
}

impl Faults {
    pub fn is_clean(&self) -> bool {
        *self == Faults::default()
    }

    /// One sentence for each.
    pub fn texts(&self, name: impl Fn(&Block) -> String, leaks: bool) -> Vec<String> {
        let mut texts = Vec::new();
        texts.extend(self.double_frees.iter().map(|b| format!("{} is freed twice", name(b))));
        texts.extend(self.wild_frees.iter().map(|a| format!("{a:#x} is freed, but no block begins there")));
        texts.extend(
            self.writes_after_free.iter().map(|b| format!("{} is written to after it was freed", name(b))),
        );
        if leaks {
            texts.extend(self.live.iter().map(|b| format!("{} is never freed", name(b))));
        }
        texts
    }
}

struct Entry {
    start: usize,
    size: usize,
    /// 0 live, else 1 + the step that freed it
    state: AtomicU8,
    allocated: u8,
}

pub(super) struct Arena {
    base: AtomicUsize,
    end: AtomicUsize,
    /// The next free byte, and where the present input began.
    next: AtomicUsize,
    begin: AtomicUsize,
    table: AtomicUsize,
    n_entries: AtomicUsize,
    n_live: AtomicUsize,
    step: AtomicU8,
    budget: AtomicUsize,
    /// Bad frees of the present input: counts, and the first few.
    n_double: AtomicU32,
    double: [AtomicUsize; KEPT],
    n_wild: AtomicU32,
    wild: [AtomicUsize; KEPT],
}

pub(super) static ARENA: Arena = Arena {
    base: AtomicUsize::new(0),
    end: AtomicUsize::new(0),
    next: AtomicUsize::new(0),
    begin: AtomicUsize::new(0),
    table: AtomicUsize::new(0),
    n_entries: AtomicUsize::new(0),
    n_live: AtomicUsize::new(0),
    step: AtomicU8::new(0),
    budget: AtomicUsize::new(0),
    n_double: AtomicU32::new(0),
    double: [const { AtomicUsize::new(0) }; KEPT],
    n_wild: AtomicU32::new(0),
    wild: [const { AtomicUsize::new(0) }; KEPT],
};

/// How many bad frees of one input are described.
const KEPT: usize = 4;
/// Blocks of one input.
const MAX_ENTRIES: usize = 1 << 22;
/// Address space, not memory: pages are only taken when touched.
const RESERVED: usize = 1 << 36;
/// What freed blocks are filled with: as an address it is never valid on 64-bit machines.
const POISON: u8 = 0xDD;
/// In place of the table index of a block that outlived its input.
const RETIRED: usize = usize::MAX;

impl Arena {
    pub(super) fn is_reserved(&self) -> bool {
        self.base.load(Relaxed) != 0
    }

    pub(super) fn reserve(&self, budget: u64) -> bool {
        if self.is_reserved() {
            return true;
        }
        self.budget.store(budget as usize, Relaxed);
        let mut size = RESERVED;
        let base = loop {
            match map(size) {
                Some(base) => break base,
                None if size > budget as usize => size /= 2,
                None => return false,
            }
        };
        let Some(table) = map(MAX_ENTRIES * size_of::<Entry>()) else { return false };
        self.table.store(table, Relaxed);
        self.end.store(base + size, Relaxed);
        self.next.store(base, Relaxed);
        self.begin.store(base, Relaxed);
        self.base.store(base, Relaxed);
        true
    }

    pub(super) fn set_step(&self, step: Step) {
        self.step.store(step as u8, Relaxed);
    }

    pub(super) fn live_blocks(&self) -> usize {
        self.n_live.load(Relaxed)
    }

    #[inline]
    pub(super) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.base.load(Relaxed))
            < self.end.load(Relaxed).wrapping_sub(self.base.load(Relaxed))
    }

    fn entries(&self) -> &[Entry] {
        // Safety: the first `n_entries` entries of the table were written.
        unsafe {
            std::slice::from_raw_parts(
                std::ptr::with_exposed_provenance(self.table.load(Relaxed)),
                self.n_entries.load(Relaxed),
            )
        }
    }

    /// A new block, or null when the budget is used up. Armed thread only.
    #[inline]
    pub(super) fn allocate(&self, layout: Layout) -> *mut u8 {
        let align = layout.align().max(8);
        let start = (self.next.load(Relaxed) + 8).next_multiple_of(align);
        let index = self.n_entries.load(Relaxed);
        let end = start.saturating_add(layout.size());
        let limit = self.begin.load(Relaxed).saturating_add(self.budget.load(Relaxed));
        if end > limit.min(self.end.load(Relaxed)) || index == MAX_ENTRIES {
            return std::ptr::null_mut();
        }
        // Safety: `start - 8 .. end` lies in the arena behind all other blocks, the entry in the
        // table behind all others; nobody else allocates.
        unsafe {
            let block: *mut u8 = std::ptr::with_exposed_provenance_mut(start);
            block.sub(8).cast::<usize>().write(index);
            let table: *mut Entry = std::ptr::with_exposed_provenance_mut(self.table.load(Relaxed));
            table.add(index).write(Entry {
                start,
                size: layout.size(),
                state: AtomicU8::new(0),
                allocated: self.step.load(Relaxed),
            });
            // An empty block still has an address of its own.
            self.next.store(end.max(start + 1), Relaxed);
            self.n_entries.store(index + 1, Relaxed);
            self.n_live.fetch_add(1, Relaxed);
            block
        }
    }

    /// Frees a block of the arena, or notes why it cannot.
    #[inline]
    pub(super) fn free(&self, pointer: *mut u8) {
        let start = pointer.addr();
        let entry = if start.is_multiple_of(8) && start > self.base.load(Relaxed) {
            // Safety: inside the arena, aligned; the word belongs to the arena whatever it holds.
            match unsafe { pointer.sub(8).cast::<usize>().read() } {
                RETIRED => return,
                index => self.entries().get(index).filter(|e| e.start == start),
            }
        } else {
            None
        };
        let Some(entry) = entry else {
            return note(&self.n_wild, &self.wild, start);
        };
        let step = self.step.load(Relaxed) + 1;
        if entry.state.compare_exchange(0, step, Relaxed, Relaxed).is_err() {
            return note(&self.n_double, &self.double, start);
        }
        self.n_live.fetch_sub(1, Relaxed);
        // Safety: the block was live and is its former owner's no more.
        unsafe { pointer.write_bytes(POISON, entry.size) };
    }

    pub(super) fn block_at(&self, address: usize) -> Option<Block> {
        if !self.contains(address) {
            return None;
        }
        let entries = self.entries();
        let entry = &entries[entries.partition_point(|e| e.start <= address).checked_sub(1)?];
        (address < entry.start + entry.size.max(1)).then(|| entry.block())
    }

    /// Collects what went wrong and begins again, behind what still lives.
    pub(super) fn finish_input(&self) -> Faults {
        if self.n_entries.load(Relaxed) == 0 {
            return Faults::default();
        }
        let mut faults = Faults::default();
        self.collect(&mut faults);
        if faults.live.is_empty() {
            let begin = self.begin.load(Relaxed);
            give_back(begin, self.next.load(Relaxed));
            self.next.store(begin, Relaxed);
        } else {
            for block in &faults.live {
                let start: *mut u8 = std::ptr::with_exposed_provenance_mut(block.start);
                // Safety: the word in front of each block is the arena's own.
                unsafe { start.sub(8).cast::<usize>().write(RETIRED) };
            }
            self.begin.store(self.next.load(Relaxed), Relaxed);
        }
        self.n_entries.store(0, Relaxed);
        self.n_live.store(0, Relaxed);
        self.n_double.store(0, Relaxed);
        self.n_wild.store(0, Relaxed);
        faults
    }

    fn collect(&self, faults: &mut Faults) {
        for entry in self.entries() {
            if entry.state.load(Relaxed) == 0 {
                faults.live.push(entry.block());
            } else if !entry.is_poisoned() {
                faults.writes_after_free.push(entry.block());
            }
        }
        for address in noted(&self.n_double, &self.double) {
            faults.double_frees.extend(self.block_at(address));
        }
        faults.wild_frees.extend(noted(&self.n_wild, &self.wild));
    }
}

impl Entry {
    fn block(&self) -> Block {
        let step = |n| match n {
            0 => Step::Input,
            1 => Step::Call,
            _ => Step::Drop,
        };
        let state = match self.state.load(Relaxed) {
            0 => State::Live,
            n => State::Freed(step(n - 1)),
        };
        Block { start: self.start, size: self.size, allocated: step(self.allocated), state }
    }

    fn is_poisoned(&self) -> bool {
        // Safety: the bytes of a block that was freed, inside the arena.
        let bytes = unsafe {
            std::slice::from_raw_parts::<u8>(std::ptr::with_exposed_provenance(self.start), self.size)
        };
        bytes.iter().all(|&b| b == POISON)
    }
}

fn note(count: &AtomicU32, kept: &[AtomicUsize; KEPT], address: usize) {
    let n = count.fetch_add(1, Relaxed) as usize;
    if let Some(slot) = kept.get(n) {
        slot.store(address, Relaxed);
    }
}

fn noted(count: &AtomicU32, kept: &[AtomicUsize; KEPT]) -> Vec<usize> {
    kept.iter().take(count.load(Relaxed) as usize).map(|slot| slot.load(Relaxed)).collect()
}

#[cfg(unix)]
fn map(size: usize) -> Option<usize> {
    #[cfg(target_os = "linux")]
    let lazily = libc::MAP_NORESERVE;
    #[cfg(not(target_os = "linux"))]
    let lazily = 0;
    // Safety: a fresh private mapping.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANON | lazily,
            -1,
            0,
        )
    };
    (base != libc::MAP_FAILED).then(|| base.expose_provenance())
}

#[cfg(not(unix))]
fn map(_size: usize) -> Option<usize> {
    None
}

/// After an input that used much: the pages go back to the system.
fn give_back(begin: usize, end: usize) {
    const MUCH: usize = 16 << 20;
    #[cfg(unix)]
    if end - begin > MUCH {
        let first = begin.next_multiple_of(65536);
        // Safety: pages inside the arena that hold nothing any more.
        unsafe {
            let start: *mut libc::c_void = std::ptr::with_exposed_provenance_mut(first);
            libc::madvise(start, end.saturating_sub(first), libc::MADV_DONTNEED);
        }
    }
    #[cfg(not(unix))]
    let _ = (begin, end, MUCH);
}
