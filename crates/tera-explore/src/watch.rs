//! What a run has chosen so far, noted where another process sees it: so a run that takes its process down
//! is still known by its choices.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::choices::Point;

/// Where the choices of the present run are noted: their number, then alternative and number of alternatives
/// of each, as far as there is room.
#[derive(Clone, Copy)]
pub struct Watch {
    /// Is changed when a run begins.
    pub pulse: &'static AtomicU64,
    pub words: &'static [AtomicU64],
}

impl Watch {
    #[inline]
    pub(crate) fn begin(&self, trail: &[Point]) {
        for (depth, point) in trail.iter().enumerate() {
            self.note(depth, *point);
        }
        self.words[0].store(trail.len() as u64, Relaxed);
        self.pulse.store(self.pulse.load(Relaxed) + 1, Relaxed);
    }

    pub(crate) fn note(&self, depth: usize, point: Point) {
        let at = 1 + 2 * depth;
        if let [value, n, ..] = &self.words[at.min(self.words.len())..] {
            value.store(point.value, Relaxed);
            n.store(point.n, Relaxed);
            self.words[0].store(depth as u64 + 1, Relaxed);
        }
    }

    /// The choices that were noted in such words, each with the number of its alternatives.
    pub fn read(words: &[AtomicU64]) -> Vec<(u64, u64)> {
        let Some((len, rest)) = words.split_first() else { return Vec::new() };
        let pairs = rest.chunks_exact(2).map(|pair| (pair[0].load(Relaxed), pair[1].load(Relaxed)));
        pairs.take(len.load(Relaxed) as usize).collect()
    }
}
