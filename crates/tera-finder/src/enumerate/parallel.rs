//! Several threads on one enumeration, with the bytes of one: every thread walks the same tree down to
//! the cubes and claims cubes in order; what it finds in them is handed on in that order.
//!
//! Invariant: a cube below the next unclaimed one is claimed, or has no instances. So the thread with
//! the lowest unfinished cube never waits, and buffers are bounded.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use tera_sat::enumerate::Outcome;

use super::Statistics;
use super::cubes::Cubes;
use super::judge::{Part, Receiver, Sink};
use super::mask::Mask;
use super::search::Search;

/// Words found but not handed on, over all threads, above which threads wait.
const MAX_BUFFERED: usize = 4 << 20;
/// Words after which the thread at the front hands on what it has.
const CHUNK: usize = 1 << 15;

/// What was found in a cube, or in a piece of one.
#[derive(Default)]
struct Batch {
    bits: Vec<u64>,
    /// Where the orbit lengths of each instance end; empty when they are not wanted.
    ends: Vec<usize>,
    lengths: Vec<u32>,
    count: u64,
}

#[derive(Default)]
struct Slot {
    cube: usize,
    batches: Vec<Batch>,
    is_done: bool,
}

#[derive(Default)]
struct Ledger {
    /// All cubes below are claimed or empty.
    next: usize,
    /// Claimed and not handed on whole, ascending.
    slots: VecDeque<Slot>,
    buffered: usize,
    running: usize,
    outcomes: Vec<Outcome>,
}

struct Shared {
    ledger: Mutex<Ledger>,
    changed: Condvar,
    stop: Arc<AtomicBool>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// One thread's hands.
struct Worker<'a> {
    shared: &'a Shared,
    is_mine: &'a (dyn Fn(usize) -> bool + Sync),
    cube: Option<usize>,
    batch: Batch,
    wants_bits: bool,
    wants_group: bool,
}

impl Worker<'_> {
    /// Hands on what was found so far in the present cube.
    fn flush(&mut self, is_done: bool) {
        let Some(cube) = self.cube else { return };
        let batch = std::mem::take(&mut self.batch);
        let size = batch.bits.len();
        let mut ledger = self.shared.lock();
        ledger.buffered += size;
        if let Some(slot) = ledger.slots.iter_mut().find(|slot| slot.cube == cube) {
            slot.batches.push(batch);
            slot.is_done = is_done;
        }
        self.shared.changed.notify_all();
        while ledger.buffered > MAX_BUFFERED
            && ledger.slots.front().is_some_and(|slot| slot.cube != cube)
            && !self.shared.stop.load(Ordering::Relaxed)
        {
            ledger = self
                .shared
                .changed
                .wait_timeout(ledger, Duration::from_millis(50))
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .0;
        }
    }
}

impl Receiver for Worker<'_> {
    fn enter(&mut self, cube: usize) -> bool {
        self.flush(true);
        self.cube = None;
        if !(self.is_mine)(cube) || self.shared.stop.load(Ordering::Relaxed) {
            return false;
        }
        let mut ledger = self.shared.lock();
        if cube < ledger.next {
            return false;
        }
        ledger.next = cube + 1;
        ledger.slots.push_back(Slot { cube, ..Slot::default() });
        self.cube = Some(cube);
        true
    }

    fn found(&mut self, bits: &[u64], orbit_lengths: &[u32]) -> ControlFlow<()> {
        self.batch.count += 1;
        if self.wants_bits {
            self.batch.bits.extend_from_slice(bits);
            if self.wants_group {
                self.batch.lengths.extend_from_slice(orbit_lengths);
                self.batch.ends.push(self.batch.lengths.len());
            }
            if self.batch.bits.len() >= CHUNK {
                self.flush(false);
            }
        }
        if self.shared.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// What the threads share from outside.
pub(super) struct Team<'a> {
    pub(super) threads: usize,
    pub(super) cubes: &'a Cubes,
    pub(super) is_mine: &'a (dyn Fn(usize) -> bool + Sync),
    pub(super) wants_group: bool,
    pub(super) wants_bits: bool,
    /// Ends all threads; the searches watch it.
    pub(super) stop: Arc<AtomicBool>,
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    pub(super) n_words: usize,
}

/// Runs copies of `search`, and gives what they find to `sink` in order. Returns how it ended, how
/// many instances were handed on, and the work of all.
pub(super) fn run<M: Mask + Send + Sync>(
    search: &Search<M>,
    team: &Team,
    sink: &mut Sink,
) -> (Outcome, u64, Statistics) {
    let shared = Shared {
        ledger: Mutex::new(Ledger { running: team.threads, ..Ledger::default() }),
        changed: Condvar::new(),
        stop: team.stop.clone(),
    };
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..team.threads)
            .map(|_| {
                let mut search = search.clone();
                let shared = &shared;
                scope.spawn(move || {
                    let worker = Worker {
                        shared,
                        is_mine: team.is_mine,
                        cube: None,
                        batch: Batch::default(),
                        wants_bits: team.wants_bits,
                        wants_group: team.wants_group,
                    };
                    let (outcome, mut worker) = search.run(Part::Of(team.cubes), worker);
                    worker.flush(outcome == Outcome::Exhausted);
                    let mut ledger = shared.lock();
                    ledger.running -= 1;
                    ledger.outcomes.push(outcome);
                    shared.changed.notify_all();
                    drop(ledger);
                    search.statistics()
                })
            })
            .collect();
        let (broken, count) = hand_on(&shared, team, sink);
        // An interrupt may end a thread at any place, between two cubes too, where it seems to be done.
        let interrupted = shared.stop.swap(true, Ordering::Relaxed);
        shared.changed.notify_all();
        let mut statistics = Statistics::default();
        for handle in handles {
            match handle.join() {
                Ok(part) => statistics.add(&part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let ledger = shared.lock();
        let outcome = if broken {
            Outcome::Stopped
        } else {
            let unlike = |o: &&Outcome| !matches!(o, Outcome::Exhausted | Outcome::Stopped);
            let whole = if interrupted { Outcome::Interrupted } else { Outcome::Exhausted };
            ledger.outcomes.iter().find(unlike).copied().unwrap_or(whole)
        };
        (outcome, count, statistics)
    })
}

/// Takes batches from the front for as long as there are any to come.
fn hand_on(shared: &Shared, team: &Team, sink: &mut Sink) -> (bool, u64) {
    let mut count = 0;
    let mut ledger = shared.lock();
    loop {
        if team.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            shared.stop.store(true, Ordering::Relaxed);
        }
        let Some(front) = ledger.slots.front_mut() else {
            if ledger.running == 0 {
                return (false, count);
            }
            ledger = wait(shared, ledger);
            continue;
        };
        let (batches, is_done) = (std::mem::take(&mut front.batches), front.is_done);
        if batches.is_empty() && !is_done {
            if ledger.running == 0 {
                // Cut short inside this cube: what comes behind it is not handed on.
                return (false, count);
            }
            ledger = wait(shared, ledger);
            continue;
        }
        if is_done {
            ledger.slots.pop_front();
        }
        ledger.buffered -= batches.iter().map(|batch| batch.bits.len()).sum::<usize>();
        drop(ledger);
        shared.changed.notify_all();
        for batch in &batches {
            if !team.wants_bits {
                count += batch.count;
                continue;
            }
            for i in 0..batch.count as usize {
                let bits = &batch.bits[i * team.n_words..][..team.n_words];
                let start = if i == 0 { 0 } else { batch.ends.get(i - 1).copied().unwrap_or(0) };
                let end = batch.ends.get(i).copied().unwrap_or(0);
                count += 1;
                if sink(bits, &batch.lengths[start..end]).is_break() {
                    return (true, count);
                }
            }
        }
        ledger = shared.lock();
    }
}

fn wait<'a>(shared: &'a Shared, ledger: MutexGuard<'a, Ledger>) -> MutexGuard<'a, Ledger> {
    let (ledger, _) = shared
        .changed
        .wait_timeout(ledger, Duration::from_millis(50))
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    ledger
}
