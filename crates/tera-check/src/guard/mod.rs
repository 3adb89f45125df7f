//! Guarded execution: whatever an input does to the process that runs it, the run goes on.
//!
//! A thread cannot be killed and `fork` under a test harness is unsafe, so the test executes its
//! own binary again: the same test, told by an environment variable that it is a *worker*. The
//! worker takes inputs in batches from a file mapped into both processes and notes there which
//! input it begins and what it is doing; that costs a few stores per input. The parent watches
//! the clock and the end of the process, turns a death into the verdict of the input that was
//! running, and starts the next worker after it.
//!
//! ```text
//! parent                                   worker
//!   writes words, "run 0 512"  ── socket ──▶  for each input: note it, Executor::run
//!   ◀── "fail 17 {…}" ───────────────────────  as they come
//!   ◀── "done" ──────────────────────────────
//! ```
//!
//! This module knows nothing of contracts: an input is some words, a report is a line of text.
//! On systems other than Unix there are no workers; only panics are caught there.

mod death;
mod panics;
#[cfg(unix)]
mod parent;
mod phase;
#[cfg(unix)]
mod shared;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod watched;
#[cfg(unix)]
mod worker;

pub use death::Death;
pub use panics::{Panic, catch, install_hook};
#[cfg(unix)]
pub use parent::{Command, Event, Worker};
pub use phase::Phase;
#[cfg(unix)]
pub use watched::Watched;
#[cfg(unix)]
pub use worker::{die_with_parent, serve, worker_path};

use std::time::Duration;

/// What an input may use up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Processor time of one input before it counts as a hang; ten times as much of the clock on
    /// the wall, so that a busy machine is not taken for one.
    pub time: Duration,
    /// Bytes that the worker may allocate.
    pub memory: u64,
    /// Bytes of stack.
    pub stack: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(2), memory: 1 << 30, stack: 8 << 20 }
    }
}

/// What a worker does with one input.
pub trait Executor {
    /// Runs one input. `None` when all is well, else a report: one line without a newline.
    /// `detail` asks for everything that a reader of the report may want.
    fn run(&mut self, input: &[u64], detail: bool, note: Note<'_>) -> Option<String>;
}

/// Where an executor notes what it is doing.
#[derive(Clone, Copy)]
pub struct Note<'a> {
    #[cfg(unix)]
    notes: Option<&'a shared::Notes>,
    clock: Option<&'a Clock>,
}

impl<'a> Note<'a> {
    /// For running an executor inside the process.
    pub fn silent() -> Note<'a> {
        Note {
            #[cfg(unix)]
            notes: None,
            clock: None,
        }
    }

    /// The same with the time spent in each phase.
    pub fn timed(clock: &'a Clock) -> Note<'a> {
        Note {
            #[cfg(unix)]
            notes: None,
            clock: Some(clock),
        }
    }
}

/// The time spent in each phase, for benchmarks.
pub struct Clock {
    present: std::cell::Cell<(Phase, std::time::Instant)>,
    spent: [std::cell::Cell<Duration>; 8],
}

impl Default for Clock {
    fn default() -> Clock {
        Clock {
            present: std::cell::Cell::new((Phase::Idle, std::time::Instant::now())),
            spent: Default::default(),
        }
    }
}

impl Clock {
    pub fn enter(&self, phase: Phase) {
        let now = std::time::Instant::now();
        let (before, since) = self.present.replace((phase, now));
        let spent = &self.spent[before as usize];
        spent.set(spent.get() + (now - since));
    }

    pub fn spent(&self, phase: Phase) -> Duration {
        self.spent[phase as usize].get()
    }
}

impl Note<'_> {
    #[inline]
    pub fn phase(self, phase: Phase) {
        #[cfg(unix)]
        if let Some(notes) = self.notes {
            notes.phase.store(phase as u32, std::sync::atomic::Ordering::Relaxed);
        }
        if let Some(clock) = self.clock {
            clock.enter(phase);
        }
    }
}
