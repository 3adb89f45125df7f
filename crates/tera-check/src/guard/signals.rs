//! Says why a worker dies: a handler on a stack of its own notes a stack overflow or the address
//! of a segmentation fault in the shared page, then lets the signal do its work.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use super::shared::{Cause, Notes};

static NOTES: AtomicPtr<Notes> = AtomicPtr::new(std::ptr::null_mut());
/// The lowest address of the subject's stack, or 0.
static STACK_LOW: AtomicUsize = AtomicUsize::new(0);

/// How far below (guard pages, large frames) and above the end of the stack a fault counts as an
/// overflow.
const BELOW: usize = 1 << 20;
const ABOVE: usize = 64 << 10;

/// Installs the handlers for the calling thread, which runs the subject. `stack` is the size the
/// thread was given; a local of the caller tells where the stack begins.
///
/// # Safety
/// `notes` must stay valid until the process ends.
pub unsafe fn install(notes: *const Notes, stack: usize) {
    let here = 0u8;
    let top = std::ptr::addr_of!(here) as usize;
    STACK_LOW.store(top.saturating_sub(stack), Relaxed);
    NOTES.store(notes.cast_mut(), Relaxed);
    // Safety: plain system calls with valid arguments; the alternate stack is leaked on purpose.
    unsafe {
        let size = (64 << 10).max(libc::SIGSTKSZ);
        let alternate = Box::leak(vec![0u8; size].into_boxed_slice());
        let stack = libc::stack_t { ss_sp: alternate.as_mut_ptr().cast(), ss_flags: 0, ss_size: size };
        libc::sigaltstack(&stack, std::ptr::null_mut());
        for signal in [libc::SIGSEGV, libc::SIGBUS] {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
        // Aborts, illegal instructions and the like speak for themselves in the exit status.
        for signal in [libc::SIGABRT, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP] {
            libc::signal(signal, libc::SIG_DFL);
        }
        // No core file for each input that crashes.
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
    }
}

extern "C" fn on_fault(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    let notes = NOTES.load(Relaxed);
    // Safety: only atomics of a live mapping and async-signal-safe calls.
    unsafe {
        let address = (*info).si_addr() as usize;
        if let Some(notes) = notes.as_ref() {
            let low = STACK_LOW.load(Relaxed);
            let overflow = low != 0 && (low.saturating_sub(BELOW)..low + ABOVE).contains(&address);
            let cause = if overflow { Cause::StackOverflow } else { Cause::Segfault };
            notes.address.store(address as u64, Relaxed);
            notes.cause.store(cause as u32, Relaxed);
        }
        // The handler was reset to the default (SA_RESETHAND): the signal now ends the process.
        libc::raise(signal);
    }
}
