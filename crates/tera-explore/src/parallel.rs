//! Exploration in parts: prefixes of choices, and threads that work through them.
//!
//! All runs that share their first choices are a subtree. The subtrees in lexicographic order, each
//! explored depth-first, are the whole exploration in its own order; so threads may take them as they come
//! and the results are put back in order, at most a window of subtrees ahead.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::choices::{Choices, Cut, Point};
use crate::explore::{Explore, Outcome, PREFIXES_PER_SHARD, Summary, Verdict};

/// Shortens the run on the trail to `depth` choices and moves to the next prefix of that depth.
fn advance_prefix(choices: &mut Choices, depth: usize) -> bool {
    choices.trail.truncate(depth);
    choices.advance(0)
}

impl<P, O> Explore<P>
where
    P: FnMut(&mut Choices) -> O,
    O: Outcome,
{
    /// All prefixes of one depth, with the whole runs that are shorter, in order: at least `target` of
    /// them if there are so many runs.
    pub(crate) fn prefixes(&mut self, target: usize) -> Vec<Vec<Point>> {
        let mut depth = 1;
        loop {
            let mut prefixes = Vec::new();
            let mut choices = Choices::new();
            choices.depth_limit = self.max_depth;
            let mut open = false;
            loop {
                choices.rewind();
                let outcome = catch_unwind(AssertUnwindSafe(|| drop((self.program)(&mut choices))));
                // A run that fails is a run; it will fail again in its turn.
                let cut = outcome.err().and_then(|payload| payload.downcast::<Cut>().ok());
                open |= choices.trail.len() > depth || matches!(cut.as_deref(), Some(Cut::Depth(_)));
                prefixes.push(choices.trail[..depth.min(choices.trail.len())].to_vec());
                if !advance_prefix(&mut choices, depth) {
                    break;
                }
            }
            if prefixes.len() >= target || !open || depth >= self.max_depth {
                return prefixes;
            }
            depth += 1;
        }
    }
}

struct Board<R> {
    /// The next part to take.
    next: usize,
    /// The next part to deliver.
    due: usize,
    finished: BTreeMap<usize, R>,
    /// A worker panicked: its payload.
    panic: Option<Box<dyn Any + Send>>,
}

/// Works on parts `0..n` on several threads and delivers the results on this one, in order. At most a few
/// parts per thread are finished ahead of their turn.
pub(crate) fn ordered<R: Send>(
    n: usize,
    threads: usize,
    work: impl Fn(usize) -> R + Sync,
    mut deliver: impl FnMut(R),
) {
    let board = Mutex::new(Board { next: 0, due: 0, finished: BTreeMap::new(), panic: None });
    let changed = Condvar::new();
    let lock = || board.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = || {
        loop {
            let part = {
                let mut seen = lock();
                while seen.next < n && seen.next >= seen.due + threads * 4 {
                    seen = changed.wait(seen).unwrap_or_else(PoisonError::into_inner);
                }
                if seen.next >= n {
                    return;
                }
                seen.next += 1;
                seen.next - 1
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| work(part)));
            let mut seen = lock();
            match outcome {
                Ok(result) => drop(seen.finished.insert(part, result)),
                Err(payload) => {
                    seen.next = n;
                    seen.panic.get_or_insert(payload);
                }
            }
            changed.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(worker);
        }
        for part in 0..n {
            let result = {
                let mut seen = lock();
                loop {
                    if let Some(payload) = seen.panic.take() {
                        drop(seen);
                        resume_unwind(payload);
                    }
                    if let Some(result) = seen.finished.remove(&part) {
                        seen.due = part + 1;
                        changed.notify_all();
                        break result;
                    }
                    seen = changed.wait(seen).unwrap_or_else(PoisonError::into_inner);
                }
            };
            let delivered = catch_unwind(AssertUnwindSafe(|| deliver(result)));
            if let Err(payload) = delivered {
                lock().next = n;
                changed.notify_all();
                resume_unwind(payload);
            }
        }
    });
}

impl<P, O> Explore<P>
where
    P: FnMut(&mut Choices) -> O + Clone + Send + Sync,
    O: Outcome,
    O::Value: Send,
{
    /// Like [`Explore::for_each`] on several threads: the same values in the same order, visited on this
    /// thread. Depth-first; the limit on time holds for each subtree of choices on its own.
    ///
    /// ```
    /// use tera_explore::Explore;
    ///
    /// let all = || Explore::new(|c| Some((c.int(0..100), c.int(0..100))));
    /// let mut parallel = Vec::new();
    /// all().for_each_parallel(4, |value| parallel.push(value));
    /// assert_eq!(parallel, all().runs().collect::<Vec<_>>());
    /// ```
    pub fn for_each_parallel(mut self, threads: usize, mut visit: impl FnMut(O::Value)) -> Summary {
        let threads = threads.max(1);
        let prefixes = match self.shard.take() {
            Some((index, of)) => {
                let all = self.prefixes(of.saturating_mul(PREFIXES_PER_SHARD));
                all.into_iter().skip(index - 1).step_by(of).collect()
            }
            None => self.prefixes(threads.saturating_mul(PREFIXES_PER_SHARD).saturating_mul(4)),
        };
        let mut total = Summary { kept: 0, runs: 0, verdict: Verdict::Exhausted };
        let explore = &self;
        let enough = AtomicBool::new(false);
        let work = |part: usize| {
            let prefixes = if enough.load(Ordering::Relaxed) { vec![] } else { vec![prefixes[part].clone()] };
            let mut runs = explore.clone().runs_within(Some(prefixes));
            let mut values = Vec::new();
            while let Some(value) = runs.next() {
                // Each with the number of its run in this part.
                values.push((runs.summary().runs, value));
            }
            (values, runs.summary())
        };
        ordered(prefixes.len(), threads, work, |(values, summary)| {
            let left = explore.max_runs - total.runs;
            for (run, value) in values {
                if run <= left {
                    total.kept += 1;
                    visit(value);
                }
            }
            if summary.runs >= left {
                enough.store(true, Ordering::Relaxed);
                total.verdict = Verdict::Limit;
            } else if summary.verdict != Verdict::Exhausted {
                total.verdict = summary.verdict;
            }
            total.runs += summary.runs.min(left);
        });
        total
    }
}
