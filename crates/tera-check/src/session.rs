//! One contract from beginning to end, in the parent: generate, hand out, collect, explain.
//!
//! The calling thread generates; a thread per worker process takes batches, which never mix
//! sizes. Without `keep_going` the run ends at the first failure, after the inputs that could
//! still be smaller; so the counterexample does not depend on the number of workers.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tera_finder::Verdict;

use crate::collector::{Best, Collector, Found};
use crate::contract::Contract;
use crate::detail;
use crate::guard::{Command, Event, Worker};
use crate::inputs::{self, Input, Reading, Request};
use crate::options::Options;
use crate::outcome::Failure;
use crate::prepare::{Mistake, Prepared};
use crate::report::{Group, Report, Status, thousands};
use crate::reproducer;
use crate::store::{self, Store};
use crate::subject::Subject;

/// Inputs of one batch, all of one size.
struct Batch {
    first: u64,
    size: usize,
    unsorted: bool,
    words: Vec<u64>,
}

/// Inputs of the first batch, and of the largest; in between they double as long as a batch is done
/// within [`BATCH_TIME`]. (The size of a batch changes no result.)
const FIRST_BATCH: usize = 4;
const LARGEST_BATCH: usize = 8192;
const BATCH_TIME: Duration = Duration::from_millis(50);
/// Words of a batch.
const MOST_WORDS: usize = 1 << 17;
/// In an unsorted class, how many inputs behind a failure are searched for a simpler one.
const SEARCHED: u64 = 100_000;
/// How often the state is written, for a run that is killed.
const SAVE_EVERY: Duration = Duration::from_millis(100);
const SHOW_EVERY: Duration = Duration::from_millis(500);
/// Instances that are counted to say how many inputs there are.
const COUNTED: u64 = 1_000_000;

pub struct Session<'a> {
    contract: &'a Contract,
    options: &'a Options,
    prepared: Prepared,
    reading: Reading,
    store: Store,
    fingerprint: String,
    collector: Mutex<Collector>,
    /// Inputs from this number on need not be run.
    stop: AtomicU64,
    /// Inputs of the next batch.
    batch_size: AtomicUsize,
    saved: Mutex<Instant>,
    shown: Mutex<Instant>,
    is_guarded: bool,
    begun: Instant,
}

impl<'a> Session<'a> {
    pub fn new<S: Subject>(contract: &'a Contract, options: &'a Options) -> Result<Session<'a>, Mistake> {
        let prepared = Prepared::new::<S>(contract)?;
        let reading = Reading::new(&prepared.lowered, &prepared.layout);
        let fingerprint = fingerprint(contract, &prepared, options);
        Ok(Session {
            contract,
            options,
            reading,
            store: Store::new(&contract.name),
            fingerprint,
            collector: Mutex::default(),
            stop: AtomicU64::new(u64::MAX),
            batch_size: AtomicUsize::new(FIRST_BATCH),
            saved: Mutex::new(Instant::now()),
            shown: Mutex::new(Instant::now()),
            is_guarded: crate::memory::is_installed(),
            begun: Instant::now(),
            prepared,
        })
    }

    pub fn run(mut self) -> Result<Report, Mistake> {
        let mut report = Report::new(&self.contract.name);
        report.scope = self.prepared.lowered.scope.clone();
        report.is_guarded = self.is_guarded;
        if let Some(group) = self.replay()? {
            report.status = Status::Failed;
            report.inputs = 1;
            report.groups.push(group);
            report.total = self.count();
            return Ok(report);
        }
        self.resume();
        let verdict = self.run_all()?;
        let collector = std::mem::take(&mut *self.lock());
        if let Some(error) = collector.error {
            if error.kind() == std::io::ErrorKind::InvalidInput {
                return Err(Mistake(error.to_string()));
            }
            let error = error.to_string();
            return Ok(Report::internal(&self.contract.name, error));
        }
        report.inputs = collector.run;
        report.passed = collector.passed();
        report.skipped = collector.skipped;
        report.skip_reason.clone_from(&collector.skip_reason);
        let is_cut = self.stop.load(Relaxed) != u64::MAX;
        report.exhausted = verdict == Verdict::Exhausted && !is_cut && self.options.shard.is_none();
        report.status = match verdict {
            _ if !collector.groups.is_empty() => Status::Failed,
            Verdict::Exhausted if report.inputs == report.skipped && self.options.shard.is_none() => {
                Status::NoInputs
            }
            Verdict::Exhausted => Status::Passed,
            _ => Status::Undecided,
        };
        report.total = if report.exhausted { Some(report.inputs) } else { None };
        self.store.remove_numbered();
        self.store.remove("counterexamples.json");
        if report.status == Status::Failed {
            report.total = report.total.or_else(|| self.count());
            self.explain(&collector, &mut report)?;
        } else if report.status == Status::Passed {
            self.warn_if_vacuous(&mut report);
        }
        match report.status {
            // The same command goes on from here.
            Status::Undecided => self.write_progress(&collector),
            _ => self.store.remove("progress.json"),
        }
        Ok(report)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Collector> {
        self.collector.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request(&self) -> Request<'_> {
        Request {
            lowered: &self.prepared.lowered,
            layout: &self.prepared.layout,
            shard: self.options.shard,
            deadline: self.options.timeout.map(|timeout| self.begun + timeout),
        }
    }

    fn worker(&self, name: &str) -> Result<Worker, Mistake> {
        let command = match &self.contract.test {
            Some(test) => Command::this_test(test),
            None => Command::this_program(),
        };
        let stride = self.prepared.layout.words();
        let dir = self.store.dir.join("workers");
        let made = command.and_then(|mut command| {
            command.environment.push((crate::CONTRACT.into(), (&self.contract.name).into()));
            // Several runs of one contract may go on at once.
            let name = format!("{}-{name}", std::process::id());
            Worker::new(command, self.contract.limits, &dir, &name, MOST_WORDS.max(stride))
        });
        made.map_err(|error| Mistake(format!("error: no worker process: {error}")))
    }

    /// Generates all inputs and runs them.
    fn run_all(&self) -> Result<Verdict, Mistake> {
        self.store.remove_files_of_the_dead();
        let n_workers = self.options.workers;
        let workers = (0..n_workers).map(|i| self.worker(&i.to_string()));
        let workers = workers.collect::<Result<Vec<Worker>, Mistake>>()?;
        let (sender, receiver) = sync_channel(2 * n_workers);
        let receiver = Mutex::new(receiver);
        let verdict = std::thread::scope(|scope| {
            for worker in workers {
                let receiver = &receiver;
                scope.spawn(move || self.drive(worker, receiver));
            }
            self.generate(sender)
        });
        let in_flight = self.lock().is_in_flight();
        let verdict = verdict.map(|verdict| if in_flight { Verdict::Timeout } else { verdict });
        let _ = std::fs::remove_dir(self.store.dir.join("workers"));
        verdict
    }

    fn generate(&self, sender: SyncSender<Batch>) -> Result<Verdict, Mistake> {
        let stride = self.prepared.layout.words();
        let begun = self.lock().resumed();
        let mut handout = Handout { session: self, sender, batch: None };
        let verdict = inputs::generate(&self.request(), &mut |input| match begun.contains(input.number) {
            true => handout.flush(),
            false => handout.put(input, stride),
        });
        let flushed = handout.flush();
        let verdict =
            verdict.map_err(|error| Mistake(format!("error: the inputs cannot be generated: {error:?}")))?;
        Ok(if flushed.is_break() { Verdict::Limit } else { verdict })
    }

    /// A worker's thread: one batch after the other.
    fn drive(&self, mut worker: Worker, batches: &Mutex<Receiver<Batch>>) {
        let stride = self.prepared.layout.words();
        loop {
            let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(batch) = batch else { return };
            let count = (batch.words.len() / stride) as u64;
            if self.is_late() {
                // It stays in flight: the next run begins with it.
                continue;
            }
            if batch.first < self.stop.load(Relaxed) {
                let begun = Instant::now();
                let ran = worker.run(&batch.words, stride, 0, false, &mut |index, event| {
                    self.found(&batch, index, event, stride)
                });
                if let Err(error) = ran {
                    self.lock().error.get_or_insert(error);
                    self.stop.store(0, Relaxed);
                }
                self.lock().finished(batch.first, count);
                self.size_batches(count as usize, begun.elapsed());
                self.save();
            } else {
                self.lock().finished(batch.first, 0);
            }
        }
    }

    /// Whether the time that was given is over.
    fn is_late(&self) -> bool {
        self.options.timeout.is_some_and(|timeout| self.begun.elapsed() >= timeout)
    }

    /// Batches grow as long as they are done soon, so that little is lost with a run that is killed.
    fn size_batches(&self, count: usize, elapsed: Duration) {
        let size = match elapsed {
            elapsed if elapsed * 2 <= BATCH_TIME => count * 2,
            elapsed if elapsed <= BATCH_TIME => count,
            _ => count / 2,
        };
        self.batch_size.store(size.clamp(1, LARGEST_BATCH), Relaxed);
    }

    fn found(&self, batch: &Batch, index: usize, event: Event, stride: usize) -> ControlFlow<()> {
        let failure = failure_of(event);
        let number = batch.first + index as u64;
        let words = &batch.words[index * stride..(index + 1) * stride];
        let is_fault = !matches!(failure, Failure::Skipped(_));
        let mut collector = self.lock();
        let best = match collector.may_be_smallest(&failure, batch.size) {
            true => Best { size: batch.size, key: self.reading.key(words), number, words: words.to_vec() },
            false => Best { size: batch.size, key: Vec::new(), number, words: Vec::new() },
        };
        collector.add(batch.first, failure, best);
        drop(collector);
        if is_fault && !self.contract.keep_going {
            // A sorted class has its smallest failure first.
            let searched = if batch.unsorted { SEARCHED } else { 1 };
            self.stop.fetch_min(number + searched, Relaxed);
        }
        if number + 1 >= self.stop.load(Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Runs the counterexamples of the last run again; the first that still fails is the result. Those
    /// that the precondition does not allow any more are no inputs.
    fn replay(&self) -> Result<Option<Group>, Mistake> {
        if self.options.fresh || self.contract.keep_going || self.options.shard.is_some() {
            return Ok(None);
        }
        let Some(stored) = self.store.read_json("counterexamples.json") else { return Ok(None) };
        let (problem, layout) = (&self.prepared.lowered.problem, &self.prepared.layout);
        for item in stored.as_array().into_iter().flatten() {
            let Some(words) = store::input_from_json(problem, layout, &item["input"]) else { continue };
            // The specification may have changed since. A fault of the finder is told by the run itself.
            if matches!(inputs::admits(&self.request(), &words), Ok(false)) {
                continue;
            }
            let mut failed = None;
            let number = item["number"].as_u64().unwrap_or_default();
            let size = item["size"].as_u64().unwrap_or_default() as usize;
            let mut worker = self.worker("replay")?;
            let ran = worker.run(&words, layout.words(), 0, false, &mut |_, event| {
                failed = Some(failure_of(event));
                ControlFlow::Continue(())
            });
            ran.map_err(|error| Mistake(error.to_string()))?;
            if let Some(failure) = failed.filter(|failure| !matches!(failure, Failure::Skipped(_))) {
                let best = Best { size, key: Vec::new(), number, words };
                return Ok(Some(self.group(&mut worker, &Found { failure, count: 1, best })?));
            }
        }
        Ok(None)
    }

    fn resume(&mut self) {
        let state = if self.options.fresh { None } else { self.store.read_json("progress.json") };
        if let Some(state) = state
            && state["fingerprint"].as_str() == Some(&self.fingerprint)
            && let Some(collector) = Collector::from_json(&state)
        {
            self.collector = Mutex::new(collector);
            if let Some(stop) = state["stop"].as_u64() {
                self.stop = AtomicU64::new(stop);
            }
        }
    }

    /// Writes how far the run is, if that was not done lately.
    fn save(&self) {
        if is_time(&self.shown, SHOW_EVERY) && self.options.progress {
            self.show_progress();
        }
        if !is_time(&self.saved, SAVE_EVERY) {
            return;
        }
        // Not while another worker writes: the later state is the better one.
        let collector = self.lock();
        self.write_progress(&collector);
    }

    fn write_progress(&self, collector: &Collector) {
        let mut state = collector.to_json();
        state["fingerprint"] = json!(self.fingerprint);
        state["stop"] = json!(Some(self.stop.load(Relaxed)).filter(|&stop| stop != u64::MAX));
        let _ = self.store.write_json("progress.json", &state);
    }

    fn count(&self) -> Option<u64> {
        inputs::count(&self.request(), COUNTED)
    }

    /// Turns what was found into groups with all that can be said about their smallest input.
    fn explain(&self, collector: &Collector, report: &mut Report) -> Result<(), Mistake> {
        let mut found: Vec<&Found> = collector.groups.values().collect();
        found.sort_by(|a, b| a.best.cmp(&b.best));
        if !self.contract.keep_going {
            found.truncate(1);
        }
        let mut stored = Vec::new();
        let mut worker = self.worker("detail")?;
        for found in found {
            let mut group = self.group(&mut worker, found)?;
            if !self.contract.keep_going {
                // The run ended early: how many more there are is not known.
                group.count = 1;
            }
            stored.push(json!({
                "number": group.number,
                "size": group.size,
                "input": store::input_to_json(
                    &self.prepared.lowered.problem, &self.prepared.layout, &found.best.words),
            }));
            report.groups.push(group);
        }
        let _ = self.store.write_json("counterexamples.json", &Value::Array(stored));
        Ok(())
    }

    /// Runs the input once more, in a process of its own and with all details.
    fn group(&self, worker: &mut Worker, found: &Found) -> Result<Group, Mistake> {
        let stride = self.prepared.layout.words();
        worker.restart();
        let mut event = None;
        worker
            .run(&found.best.words, stride, 0, true, &mut |_, e| {
                event = Some(e);
                ControlFlow::Continue(())
            })
            .map_err(|error| Mistake(error.to_string()))?;
        let (failure, detail) = match event {
            Some(Event::Reported(line)) => {
                let detail: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
                (Failure::from_json(&detail["failure"]), detail)
            }
            Some(died) => {
                let mut detail = json!({});
                let input = self.prepared.layout.decode(&self.prepared.start(), &found.best.words);
                detail::before(self.contract, &self.prepared, &input, &mut detail);
                (Some(failure_of(died)), detail)
            }
            None => (None, Value::Null),
        };
        let same = failure.as_ref().map(Failure::group) == Some(found.failure.group());
        let failure = if same { failure.expect("same as the first") } else { found.failure.clone() };
        let mut detail = detail;
        if let Some(code) = detail["code"].as_str() {
            detail["code"] = json!(reproducer::with_number(code, found.best.number));
        }
        let mut group = Group {
            count: found.count,
            number: found.best.number,
            size: found.best.size,
            is_unstable: !same,
            ..Group::new(failure, detail)
        };
        self.store.write_picture(&mut group, &found.best.number.to_string());
        let _ = self.store.write_json(&format!("{}.json", group.number), &group.detail);
        Ok(group)
    }

    /// A postcondition that no output could break says nothing.
    fn warn_if_vacuous(&self, report: &mut Report) {
        match crate::vacuity::unbreakable(&self.prepared) {
            None => {}
            Some(all) if all.is_empty() => report.warnings.push(
                "the contract has no postcondition: only panics, crashes and endless loops can fail it"
                    .into(),
            ),
            Some(formulas) => report
                .warnings
                .push(format!("vacuous: no result of the call could violate {}", formulas.join(" and "))),
        }
    }

    /// One line that says how far the run is.
    fn show_progress(&self) {
        let (run, failed) = {
            let collector = self.lock();
            (collector.run, collector.failed())
        };
        let seconds = self.begun.elapsed().as_secs_f64().max(0.001);
        let rate = thousands((run as f64 / seconds) as u64);
        let _ = write!(
            std::io::stderr(),
            "\r\u{1b}[K{}: {} inputs, {rate}/s, {} failures",
            self.contract.name,
            thousands(run),
            thousands(failed)
        );
    }
}

/// Fills batches and sends them.
struct Handout<'a> {
    session: &'a Session<'a>,
    sender: SyncSender<Batch>,
    batch: Option<Batch>,
}

impl Handout<'_> {
    fn put(&mut self, input: &Input<'_>, stride: usize) -> ControlFlow<()> {
        if self.batch.as_ref().is_some_and(|b| (b.size, b.unsorted) != (input.size, input.unsorted)) {
            self.flush()?;
        }
        let stop = self.session.stop.load(Relaxed);
        if input.number >= stop {
            return ControlFlow::Break(());
        }
        let most = self.session.batch_size.load(Relaxed).min(MOST_WORDS / stride).max(1);
        let batch = self.batch.get_or_insert_with(|| Batch {
            first: input.number,
            size: input.size,
            unsorted: input.unsorted,
            words: Vec::with_capacity(most * stride),
        });
        batch.words.extend_from_slice(input.words);
        if batch.words.len() >= most * stride {
            self.flush()?;
        }
        ControlFlow::Continue(())
    }

    fn flush(&mut self) -> ControlFlow<()> {
        let Some(batch) = self.batch.take() else { return ControlFlow::Continue(()) };
        let count = batch.words.len() / self.session.prepared.layout.words();
        self.session.lock().sent(batch.first, count as u64);
        if self.sender.send(batch).is_err() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Whether `period` has passed since this was true.
fn is_time(since: &Mutex<Instant>, period: Duration) -> bool {
    let mut since = since.lock().unwrap_or_else(PoisonError::into_inner);
    let is_time = since.elapsed() >= period;
    if is_time {
        *since = Instant::now();
    }
    is_time
}

fn failure_of(event: Event) -> Failure {
    match event {
        Event::Reported(line) => (serde_json::from_str(&line).ok().as_ref())
            .and_then(Failure::from_json)
            .unwrap_or(Failure::NoInstance(format!("a report that cannot be read: {line}"))),
        Event::Died { death, phase, .. } => Failure::Died { death, phase },
    }
}

/// Everything that makes two runs the same.
fn fingerprint(contract: &Contract, prepared: &Prepared, options: &Options) -> String {
    let program = std::env::current_exe().and_then(std::fs::metadata);
    let program = program.map(|m| format!("{} {:?}", m.len(), m.modified().ok())).unwrap_or_default();
    let run = format!("{program} {:?} {} {:?}", options.shard, prepared.lowered.scope, contract);
    let sources = prepared.spec.sources.iter().map(|source| source.text.as_str());
    store::fingerprint(sources.chain([run.as_str()]))
}
