//! Exploration in parts: prefixes of choices, and threads that work through them.
//!
//! All runs that share their first choices are a subtree. The subtrees in lexicographic order, each
//! explored depth-first, are the whole exploration in its own order; so threads may take them as they come
//! and the results are put back in order, at most a window of subtrees ahead.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex};

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

struct Board<T> {
    /// The next subtree to take.
    next: usize,
    /// The next subtree to deliver.
    due: usize,
    finished: BTreeMap<usize, (Vec<T>, Summary)>,
    /// A worker panicked: its payload.
    panic: Option<Box<dyn std::any::Any + Send>>,
}

impl<P, O> Explore<P>
where
    P: FnMut(&mut Choices) -> O + Clone + Send,
    O: Outcome,
    O::Value: Send,
{
    /// Like [`Explore::for_each`] on several threads: the same values in the same order, visited on this
    /// thread. Depth-first; limits on runs and time hold for each subtree of choices on its own.
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
        let mut prefixes = self.prefixes(threads.saturating_mul(PREFIXES_PER_SHARD).saturating_mul(4));
        if let Some((index, of)) = self.shard.take() {
            prefixes = self.prefixes(of.saturating_mul(PREFIXES_PER_SHARD));
            prefixes = prefixes.into_iter().skip(index - 1).step_by(of).collect();
        }
        let window = threads * 4;
        let board = Mutex::new(Board { next: 0, due: 0, finished: BTreeMap::new(), panic: None });
        let changed = Condvar::new();
        let mut total = Summary { kept: 0, runs: 0, verdict: Verdict::Exhausted };
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let explore = self.clone();
                let (board, changed, prefixes) = (&board, &changed, &prefixes);
                scope.spawn(move || work(&explore, prefixes, window, board, changed));
            }
            for at in 0..prefixes.len() {
                let (values, summary) = {
                    let mut seen = board.lock().expect("no panic while the board is locked");
                    loop {
                        if let Some(payload) = seen.panic.take() {
                            seen.next = usize::MAX;
                            changed.notify_all();
                            drop(seen);
                            resume_unwind(payload);
                        }
                        if let Some(done) = seen.finished.remove(&at) {
                            seen.due = at + 1;
                            changed.notify_all();
                            break done;
                        }
                        seen = changed.wait(seen).expect("no panic while the board is locked");
                    }
                };
                total.kept += summary.kept;
                total.runs += summary.runs;
                if summary.verdict != Verdict::Exhausted {
                    total.verdict = summary.verdict;
                }
                values.into_iter().for_each(&mut visit);
            }
        });
        total
    }
}

fn work<P, O>(
    explore: &Explore<P>,
    prefixes: &[Vec<Point>],
    window: usize,
    board: &Mutex<Board<O::Value>>,
    changed: &Condvar,
) where
    P: FnMut(&mut Choices) -> O + Clone,
    O: Outcome,
{
    loop {
        let at = {
            let mut seen = board.lock().expect("no panic while the board is locked");
            while seen.next < prefixes.len() && seen.next >= seen.due + window {
                seen = changed.wait(seen).expect("no panic while the board is locked");
            }
            if seen.next >= prefixes.len() {
                return;
            }
            seen.next += 1;
            seen.next - 1
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut runs = explore.clone().runs_within(Some(vec![prefixes[at].clone()]));
            let values: Vec<_> = runs.by_ref().collect();
            (values, runs.summary())
        }));
        let mut seen = board.lock().expect("no panic while the board is locked");
        match outcome {
            Ok(done) => drop(seen.finished.insert(at, done)),
            Err(payload) => {
                seen.next = usize::MAX;
                seen.panic.get_or_insert(payload);
            }
        }
        changed.notify_all();
    }
}
