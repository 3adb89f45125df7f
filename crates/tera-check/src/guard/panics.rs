//! What a panic said and where, kept instead of printed.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

/// A panic that was caught.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Panic {
    pub message: String,
    /// `src/list.rs:10:5`
    pub location: String,
}

thread_local! {
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
    static CATCHING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Puts a hook in front of the present one that keeps panics inside [`catch`] quiet and remembers
/// them; `tell` hears of them too (a panic may still end in an abort).
pub fn install_hook(tell: impl Fn(&Panic) + Send + Sync + 'static) {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !CATCHING.get() {
            return before(info);
        }
        crate::memory::disarmed(|| {
            let payload = info.payload();
            let message = payload
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "a panic whose payload is not a text".to_owned());
            let location = info.location().map(ToString::to_string).unwrap_or_default();
            let panic = Panic { message, location };
            tell(&panic);
            LAST.with_borrow_mut(|last| *last = Some(panic));
        });
    }));
}

/// Runs `f`; a panic becomes a value.
#[inline]
pub fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Panic> {
    let outer = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(f));
    CATCHING.set(outer);
    result.map_err(|payload| {
        // A payload may panic when dropped; what it says was taken by the hook.
        std::mem::forget(payload);
        LAST.with_borrow_mut(Option::take).unwrap_or_default()
    })
}
