//! The notes of a worker for executors that find their inputs themselves: which run is in progress, chosen
//! how.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::Phase;
use super::shared::Shared;

static SHARED: OnceLock<&'static Shared> = OnceLock::new();

/// What is noted when this process is no worker.
static NOWHERE: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Where such an executor notes what it does.
#[derive(Clone, Copy)]
pub struct Watched {
    shared: Option<&'static Shared>,
    /// Changed when a run begins.
    pub pulse: &'static AtomicU64,
    /// The path of the run in progress: its length, then pairs of words.
    pub trail: &'static [AtomicU64],
}

pub(super) fn is_here(shared: &'static Shared) {
    let _ = SHARED.set(shared);
}

impl Watched {
    /// Of this process.
    pub fn here() -> Watched {
        match SHARED.get() {
            Some(shared) => {
                Watched { shared: Some(shared), pulse: &shared.notes().pulse, trail: shared.trail() }
            }
            None => Watched { shared: None, pulse: &NOWHERE[0], trail: &NOWHERE[1..] },
        }
    }

    #[inline]
    pub fn phase(&self, phase: Phase) {
        if let Some(shared) = self.shared {
            shared.notes().phase.store(phase as u32, Relaxed);
        }
    }

    /// A run begins, or a candidate is tried.
    #[inline]
    pub fn begin(&self) {
        self.pulse.store(self.pulse.load(Relaxed) + 1, Relaxed);
    }

    /// So many runs lie behind the one that begins.
    #[inline]
    pub fn behind(&self, runs: u64) {
        if let Some(shared) = self.shared {
            shared.notes().behind.store(runs, Relaxed);
        }
    }

    /// The run in progress has this path.
    pub fn path(&self, path: &[u64]) {
        for (word, choice) in self.trail[1..].chunks_exact(2).zip(path) {
            word[0].store(*choice, Relaxed);
        }
        self.trail[0].store(path.len() as u64, Relaxed);
    }
}
