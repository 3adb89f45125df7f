//! The global allocator: the system's, and the arena's for a thread that is armed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::arena::ARENA;

/// The allocator that `testera::guard_memory!()` installs.
pub struct GuardAlloc;

static INSTALLED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static ARMED: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn is_installed() -> bool {
    // Any allocation passes through the allocator, if it is ours.
    drop(std::hint::black_box(Box::new(0u64)));
    INSTALLED.load(Relaxed)
}

/// Returns what was before.
#[inline]
pub(super) fn set_armed(armed: bool) -> bool {
    ARMED.replace(armed)
}

// Safety: blocks come from the system's allocator or from the arena, and go back where they came
// from, which their address tells. The arena's blocks have the wanted alignment and size and do
// not overlap. `realloc` and `alloc_zeroed` are the trait's own, by way of these two, except for
// blocks of the system.
unsafe impl GlobalAlloc for GuardAlloc {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ARMED.get() {
            return ARENA.allocate(layout);
        }
        if !INSTALLED.load(Relaxed) {
            INSTALLED.store(true, Relaxed);
        }
        // Safety: the caller's contract.
        unsafe { System.alloc(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ARENA.contains(pointer.addr()) {
            if super::is_watched() {
                // Safety: the caller frees a block of this size.
                unsafe { super::remember(pointer, layout.size()) };
            }
            return ARENA.free(pointer);
        }
        // Safety: the caller's contract; not ours, so the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !ARMED.get() {
            // Safety: the caller's contract.
            return unsafe { System.alloc_zeroed(layout) };
        }
        let block = ARENA.allocate(layout);
        if !block.is_null() {
            // Safety: a fresh block of this size.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !ARMED.get() && !ARENA.contains(pointer.addr()) {
            // Safety: the caller's contract; the system's block.
            return unsafe { System.realloc(pointer, layout, new_size) };
        }
        // Safety: the caller's contract; the sizes of both blocks hold the bytes copied.
        unsafe {
            let block = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !block.is_null() {
                std::ptr::copy_nonoverlapping(pointer, block, layout.size().min(new_size));
                self.dealloc(pointer, layout);
            }
            block
        }
    }
}
