//! The parent's side: gives orders, counts, and turns deaths into verdicts.

use std::ops::ControlFlow;
use std::time::Instant;

use serde_json::{Value, json};

use super::cursor::{Slice, numbers};
use super::{Explored, Order};
use crate::collector::{Best, Collector, Found};
use crate::contract::Contract;
use crate::guard::{Command, Event, Phase, Worker};
use crate::options::Options;
use crate::outcome::Failure;
use crate::prepare::Mistake;
use crate::report::{Group, Report, Status, thousands};
use crate::reproducer;
use crate::store::{self, Store};

/// Runs that may kill their workers before the exploration is given up.
const MOST_DEATHS: usize = 1000;
/// Words of an order: fatal runs are part of it.
const WORDS: usize = 1 << 18;

pub struct Session<'a> {
    contract: &'a Contract,
    options: &'a Options,
    explored: &'a dyn Explored,
    store: Store,
    worker: Worker,
    begun: Instant,
    shown: Instant,
}

/// How an exploration ended.
#[derive(Default)]
struct End {
    exhausted: bool,
    late: bool,
    effort: String,
}

impl<'a> Session<'a> {
    pub fn new(
        contract: &'a Contract,
        options: &'a Options,
        explored: &'a dyn Explored,
    ) -> Result<Session<'a>, Mistake> {
        let store = Store::new(&contract.name);
        store.remove_files_of_the_dead();
        let command = match &contract.test {
            Some(test) => Command::this_test(test),
            None => Command::this_program(),
        };
        let worker = command.and_then(|mut command| {
            command.environment.push((crate::CONTRACT.into(), (&contract.name).into()));
            let name = format!("{}-explore", std::process::id());
            Worker::new(command, contract.limits, &store.dir.join("workers"), &name, WORDS)
        });
        let worker = worker.map_err(|error| Mistake(format!("error: no worker process: {error}")))?;
        let now = Instant::now();
        Ok(Session { contract, options, explored, store, worker, begun: now, shown: now })
    }

    pub fn run(mut self) -> Result<Report, Mistake> {
        let mut report = Report::new(&self.contract.name);
        report.is_guarded = crate::memory::is_installed();
        report.scope = self.explored.scope(self.contract);
        if let Some(group) = self.replay()? {
            report.status = Status::Failed;
            report.inputs = 1;
            report.groups.push(group);
            return Ok(self.finished(report));
        }
        let (mut collector, fatal) = self.resume();
        let order = Order { shard: self.options.shard, fatal, ..Order::default() };
        let end = self.explore(order, self.contract.keep_going, &mut collector)?;
        if !self.contract.keep_going && !collector.groups.is_empty() {
            self.look_for_a_simpler(&mut collector)?;
        }
        report.inputs = collector.run;
        report.passed = collector.passed();
        report.exhausted = end.exhausted && self.options.shard.is_none();
        report.total = report.exhausted.then_some(report.inputs);
        if !end.effort.is_empty() {
            report.scope = match report.scope.as_str() {
                "" => format!("the program's choices ({})", end.effort),
                scope => format!("{scope} ({})", end.effort),
            };
        }
        self.store.remove_numbered();
        self.store.remove("counterexamples.json");
        let mut stored = Vec::new();
        let mut found: Vec<&Found> = collector.groups.values().collect();
        found.sort_by(|a, b| a.best.cmp(&b.best));
        for found in found {
            stored.push(json!({ "number": found.best.number, "path": found.best.words }));
            report.groups.push(self.group(found)?);
        }
        report.status = match () {
            () if !report.groups.is_empty() => Status::Failed,
            () if end.late => Status::Undecided,
            () if report.inputs == 0 && self.options.shard.is_none() => Status::NoInputs,
            // A limit that the contract itself sets leaves nothing undecided.
            () => Status::Passed,
        };
        if !stored.is_empty() {
            let _ = self.store.write_json("counterexamples.json", &Value::Array(stored));
        }
        if !end.late {
            self.store.remove("progress.json");
        }
        Ok(self.finished(report))
    }

    fn finished(self, report: Report) -> Report {
        let dir = self.store.dir.join("workers");
        drop(self.worker);
        let _ = std::fs::remove_dir(dir);
        report
    }

    /// Follows one order to its end: the first failure, unless all are wanted.
    fn explore(&mut self, mut order: Order, all: bool, collector: &mut Collector) -> Result<End, Mistake> {
        let mut end = End::default();
        let fatal_before = order.fatal.len() as u64;
        order.skip = collector.watermark() - fatal_before.min(collector.watermark());
        // A run that killed its worker, until those before it are counted.
        let mut dead = None;
        loop {
            let is_late = |timeout| self.begun.elapsed() >= timeout;
            if self.options.timeout.is_some_and(is_late) {
                end.late = true;
                return Ok(end);
            }
            let first = collector.watermark();
            let answer = match dead.take() {
                Some((failure, path)) if order.most == Some(order.skip) => Answer::Died(failure, path),
                waiting => {
                    dead = waiting;
                    self.ask(&order)?
                }
            };
            match answer {
                Answer::Slice(slice) => {
                    let count = slice.runs - order.skip.min(slice.runs);
                    order.skip = slice.runs;
                    end.effort = slice.effort;
                    collector.sent(first, count);
                    let mut is_over = false;
                    if let Some((failure, path)) = slice.failure {
                        // A predicate that panics does so again.
                        is_over = !all || path.is_empty();
                        collector.add(first, failure, best(first + count - 1, path));
                    }
                    collector.finished(first, count);
                    match slice.done {
                        // A program that is not the same each time: what killed a worker did so.
                        Some(_) if dead.is_some() => order.most = Some(order.skip),
                        Some(exhausted) => {
                            end.exhausted = exhausted;
                            is_over = true;
                        }
                        None => {}
                    }
                    if is_over {
                        return Ok(end);
                    }
                }
                Answer::Died(failure, path) if order.most.is_none() && self.worker.behind() > order.skip => {
                    order.most = Some(self.worker.behind());
                    dead = Some((failure, path));
                    continue;
                }
                Answer::Died(failure, path) => {
                    (order.most, dead) = (None, None);
                    let choices = path.iter().map(|(choice, _)| *choice).collect();
                    let in_predicate = matches!(failure, Failure::Died { phase: Phase::Require, .. });
                    collector.sent(first, 1);
                    collector.add(first, failure, best(first, choices));
                    collector.finished(first, 1);
                    let is_known = order.fatal.contains(&path);
                    if !all || in_predicate || is_known || order.fatal.len() >= MOST_DEATHS {
                        return Ok(end);
                    }
                    order.fatal.push(path);
                }
            }
            if order.shorter.is_none() && order.scope.is_none() {
                self.save(&order, collector);
            }
        }
    }

    /// A simpler failure in the place of the first, if there is one.
    fn look_for_a_simpler(&mut self, collector: &mut Collector) -> Result<(), Mistake> {
        let Some(first) = collector.groups.values().next() else { return Ok(()) };
        for order in self.explored.simpler(self.contract, &first.best.words, first.best.number) {
            let mut found = Collector::default();
            self.explore(order, false, &mut found)?;
            if !found.groups.is_empty() {
                collector.groups = found.groups;
                return Ok(());
            }
        }
        Ok(())
    }

    fn ask(&mut self, order: &Order) -> Result<Answer, Mistake> {
        match self.event(order)? {
            Event::Reported(line) => {
                let value: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
                if let Some(message) = value["mistake"].as_str() {
                    return Err(Mistake(message.to_owned()));
                }
                let slice = Slice::from_json(&value);
                slice
                    .map(Answer::Slice)
                    .ok_or_else(|| Mistake(format!("error: an answer that cannot be read: {line}")))
            }
            Event::Died { death, phase, .. } => {
                let path = tera_explore::Watch::read(self.worker.trail());
                Ok(Answer::Died(Failure::Died { death, phase }, path))
            }
        }
    }

    fn event(&mut self, order: &Order) -> Result<Event, Mistake> {
        let words = order.to_words();
        let mut event = None;
        let ran = self.worker.run(&words, words.len(), 0, false, &mut |_, e| {
            event = Some(e);
            ControlFlow::Continue(())
        });
        ran.map_err(|error| Mistake(error.to_string()))?;
        event.ok_or_else(|| Mistake("error: a worker did not answer".into()))
    }

    /// Runs the counterexamples of the last run again; the first that still fails is the result.
    fn replay(&mut self) -> Result<Option<Group>, Mistake> {
        if self.options.fresh || self.contract.keep_going || self.options.shard.is_some() {
            return Ok(None);
        }
        let Some(stored) = self.store.read_json("counterexamples.json") else { return Ok(None) };
        for item in stored.as_array().into_iter().flatten() {
            let Some(path) = numbers(&item["path"]) else { continue };
            let (failure, _) = self.detail(&path)?;
            let Some(failure) = failure.filter(|failure| !matches!(failure, Failure::Skipped(_))) else {
                continue;
            };
            let number = item["number"].as_u64().unwrap_or_default();
            let best = Best { size: path.len(), key: Vec::new(), number, words: path };
            return Ok(Some(self.group(&Found { failure, count: 1, best })?));
        }
        Ok(None)
    }

    /// One run with all details, in a process of its own.
    fn detail(&mut self, path: &[u64]) -> Result<(Option<Failure>, Value), Mistake> {
        self.worker.restart();
        let order = Order { path: Some(path.to_vec()), ..Order::default() };
        let event = self.event(&order)?;
        self.worker.restart();
        match event {
            Event::Reported(line) => {
                let detail: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
                if let Some(message) = detail["mistake"].as_str() {
                    return Err(Mistake(message.to_owned()));
                }
                Ok((Failure::from_json(&detail["failure"]), detail))
            }
            Event::Died { death, phase, .. } => Ok((Some(Failure::Died { death, phase }), json!({}))),
        }
    }

    fn group(&mut self, found: &Found) -> Result<Group, Mistake> {
        let path = &found.best.words;
        let (failure, mut detail) = self.detail(path)?;
        if detail["before"].is_null() {
            let choices: Vec<String> = path.iter().map(u64::to_string).collect();
            detail["before"] = json!(format!("choices = {}", choices.join(", ")));
        }
        let code = detail["code"].as_str().filter(|code| !code.is_empty()).map(str::to_owned);
        let code = code.unwrap_or_else(|| reproducer::of_path(self.contract, path));
        detail["code"] = json!(reproducer::with_number(&code, found.best.number));
        let same = failure.as_ref().map(Failure::group) == Some(found.failure.group());
        let failure = failure.filter(|_| same).unwrap_or_else(|| found.failure.clone());
        let mut group = Group {
            count: found.count,
            number: found.best.number,
            size: found.best.size,
            is_unstable: !same && !path.is_empty(),
            ..Group::new(failure, detail)
        };
        self.store.write_picture(&mut group, &found.best.number.to_string());
        let _ = self.store.write_json(&format!("{}.json", group.number), &group.detail);
        Ok(group)
    }

    fn fingerprint(&self) -> String {
        let program = std::env::current_exe().and_then(std::fs::metadata);
        let program = program.map(|m| format!("{} {:?}", m.len(), m.modified().ok())).unwrap_or_default();
        let run = format!("{program} {:?} {:?}", self.options.shard, self.contract);
        store::fingerprint([run.as_str()])
    }

    /// How far an interrupted run had come, and which runs had killed workers.
    fn resume(&self) -> (Collector, Vec<Vec<(u64, u64)>>) {
        let state = if self.options.fresh { None } else { self.store.read_json("progress.json") };
        let state = state.filter(|state| state["fingerprint"].as_str() == Some(&self.fingerprint()));
        let resumed = state.and_then(|state| {
            Some((Collector::from_json(&state)?, super::cursor::fatal_from_json(&state["fatal"])?))
        });
        resumed.unwrap_or_default()
    }

    fn save(&mut self, order: &Order, collector: &Collector) {
        let mut state = collector.to_json();
        state["fingerprint"] = json!(self.fingerprint());
        state["fatal"] = json!(order.fatal);
        let _ = self.store.write_json("progress.json", &state);
        if self.options.progress && self.shown.elapsed().as_millis() >= 500 {
            self.shown = Instant::now();
            let rate = collector.run as f64 / self.begun.elapsed().as_secs_f64().max(0.001);
            eprint!(
                "\r\u{1b}[K{}: {} inputs, {}/s, {} failures",
                self.contract.name,
                thousands(collector.run),
                thousands(rate as u64),
                thousands(collector.failed())
            );
        }
    }
}

fn best(number: u64, path: Vec<u64>) -> Best {
    Best { size: path.len(), key: Vec::new(), number, words: path }
}

enum Answer {
    Slice(Slice),
    Died(Failure, Vec<(u64, u64)>),
}
