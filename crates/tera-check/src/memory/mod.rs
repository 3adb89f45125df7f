//! The memory guard: an allocator that hands out no address twice while an input runs, and knows
//! of every block whether it lives.
//!
//! `testera::guard_memory!()` makes [`GuardAlloc`] the global allocator of a test binary. It is the
//! system's allocator until a worker arms it for the steps of an input; then blocks come from an
//! arena, one behind the other, and freed blocks are filled with a pattern and kept. So an address
//! identifies an object for the whole input, a pointer can be asked whether it leads to a living
//! block, and double frees, writes into freed blocks and leaks come to light. When the input is
//! over and nothing of it lives, the arena begins again at its first byte: that is cheaper than
//! freeing.
//!
//! Invariant: blocks that outlive their input (a leak, or a lazily made static) are never handed
//! out again.

mod allocator;
mod arena;

pub use allocator::GuardAlloc;
pub use arena::{Block, Faults, State, Step};

use std::sync::{Mutex, MutexGuard, PoisonError};

use arena::ARENA;

/// Whether the program has [`GuardAlloc`] as its allocator.
pub fn is_installed() -> bool {
    allocator::is_installed()
}

/// Reserves the arena. `budget` is what one input may allocate, in bytes. Does nothing when the
/// guard is not installed or the system gives no room.
pub fn reserve(budget: u64) -> bool {
    is_installed() && ARENA.reserve(budget)
}

/// Allocations of this thread come from the arena from now on, as part of `step`.
#[inline]
pub fn arm(step: Step) {
    if ARENA.is_reserved() {
        ARENA.set_step(step);
        allocator::set_armed(true);
    }
}

/// Allocations of this thread come from the system again.
#[inline]
pub fn disarm() {
    allocator::set_armed(false);
}

/// Runs `f` disarmed: what tera allocates for itself in the middle of an input.
pub fn disarmed<R>(f: impl FnOnce() -> R) -> R {
    let before = allocator::set_armed(false);
    let result = f();
    allocator::set_armed(before);
    result
}

/// What the guard knows of the block around `address`; `None` for memory that is not its own.
pub fn block_at(address: usize) -> Option<Block> {
    ARENA.block_at(address)
}

/// How many blocks of the present input live.
#[inline]
pub fn live_blocks() -> usize {
    ARENA.live_blocks()
}

/// Ends the input: what went wrong with memory, and a fresh arena.
#[inline]
pub fn finish_input() -> Faults {
    disarm();
    ARENA.finish_input()
}

/// Whether this thread's memory is watched for a call that tera did not make itself: see [`Watch`].
pub fn is_watched() -> bool {
    WATCHED.get()
}

thread_local! {
    static WATCHED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

thread_local! {
    /// What the blocks held that were freed while the thread was watched.
    static FREED: std::cell::RefCell<Vec<(usize, Vec<u8>)>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Keeps what a block holds that is about to be freed.
///
/// # Safety
/// The block has this size.
#[cold]
unsafe fn remember(pointer: *mut u8, size: usize) {
    let is_live = block_at(pointer.addr()).is_some_and(|block| block.state == State::Live);
    if is_live {
        // Safety: the caller's promise.
        disarmed(|| {
            let bytes = unsafe { std::slice::from_raw_parts(pointer, size) }.to_vec();
            let _ = FREED.try_with(|freed| {
                if let Ok(mut freed) = freed.try_borrow_mut() {
                    freed.push((pointer.addr(), bytes));
                }
            });
        });
    }
}

/// Gives the blocks that were freed under watch their contents back: a value with dangling pointers is going
/// to be dropped by the unwinding of a test, and must not lead into the pattern.
pub fn restore_freed() {
    for (start, bytes) in FREED.with_borrow_mut(std::mem::take) {
        let start: *mut u8 = std::ptr::with_exposed_provenance_mut(start);
        // Safety: freed blocks of the arena stay where they are until the input ends.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len()) };
    }
}

/// There is one arena, so one thread at a time is watched.
static WATCH: Mutex<()> = Mutex::new(());

/// Watches the memory of the calling thread until it is dropped, and then panics if something went wrong:
/// what a worker does around an input, for a test of its own.
pub struct Watch {
    _exclusive: Option<MutexGuard<'static, ()>>,
}

impl Watch {
    /// Begins to watch. Without the guard as allocator there is nothing to watch with, and it says so.
    pub fn begin() -> Watch {
        let exclusive = WATCH.lock().unwrap_or_else(PoisonError::into_inner);
        if !reserve(crate::guard::Limits::default().memory) {
            println!("memory is not watched: `testera::guard_memory!();` in the test module turns it on");
            return Watch { _exclusive: None };
        }
        WATCHED.set(true);
        arm(Step::Input);
        Watch { _exclusive: Some(exclusive) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !WATCHED.replace(false) {
            return;
        }
        FREED.with_borrow_mut(Vec::clear);
        let faults = finish_input();
        let texts = faults.texts(|block| format!("a block of {} bytes", block.size), true);
        if !texts.is_empty() && !std::thread::panicking() {
            panic!("memory fault: {}", texts.join("; "));
        }
    }
}
