//! The driver: runs a program once for every sequence of choices, in a chosen order, within limits.
//!
//! Depth-first order is the lexicographic order of the choices. Breadth-first and iterative deepening
//! order runs by their number of choices first, so they find a shortest failure; they give the same
//! sequence, the first with a queue of open prefixes in memory, the second by running again.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use crate::choices::{Choices, Cut, Point};
use crate::random::Random;
use crate::watch::Watch;

/// What a program may return: `()` and `true` keep the run, `None` and `false` drop it.
pub trait Outcome {
    type Value;
    fn kept(self) -> Option<Self::Value>;
}

impl Outcome for () {
    type Value = ();
    #[inline]
    fn kept(self) -> Option<()> {
        Some(())
    }
}

impl Outcome for bool {
    type Value = ();
    #[inline]
    fn kept(self) -> Option<()> {
        self.then_some(())
    }
}

impl<T> Outcome for Option<T> {
    type Value = T;
    #[inline]
    fn kept(self) -> Option<T> {
        self
    }
}

/// How an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every run was made.
    Exhausted,
    /// The limit on runs was reached, or a run was cut at the depth limit.
    Limit,
    Timeout,
}

/// What an exploration did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Runs that were kept.
    pub kept: u64,
    /// All runs, kept, dropped and failed; runs cut for the order of exploration do not count.
    pub runs: u64,
    pub verdict: Verdict,
}

/// A run that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The number of the run, from 0.
    pub run: u64,
    /// Its choices; [`replay`] makes the run again.
    pub path: Vec<u64>,
    pub message: String,
}

/// The outcome of [`Explore::check`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    pub summary: Summary,
    /// The first failing run.
    pub failure: Option<Failure>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Depth,
    Breadth,
    Deepening,
    Random(u64),
}

/// An exploration to be: a program, an order and limits.
///
/// ```
/// use tera_explore::Explore;
///
/// let words: Vec<String> = Explore::new(|c| {
///     let mut word = String::new();
///     for _ in 0..c.int(0..=2) {
///         word.push(c.pick(&['a', 'b']));
///     }
///     Some(word)
/// })
/// .breadth_first()
/// .runs()
/// .collect();
/// assert_eq!(words, ["", "a", "b", "aa", "ab", "ba", "bb"]);
/// ```
#[derive(Clone)]
pub struct Explore<P> {
    pub(crate) program: P,
    order: Order,
    pub(crate) max_depth: usize,
    pub(crate) max_runs: u64,
    timeout: Option<Duration>,
    pub(crate) shard: Option<(usize, usize)>,
    watch: Option<Watch>,
    /// Runs that are counted and not made, by their choices with the numbers of alternatives.
    fatal: Vec<Vec<Point>>,
}

impl<P, O> Explore<P>
where
    P: FnMut(&mut Choices) -> O,
    O: Outcome,
{
    /// All runs of the program, depth-first.
    pub fn new(program: P) -> Self {
        Explore {
            program,
            order: Order::Depth,
            max_depth: usize::MAX,
            max_runs: u64::MAX,
            timeout: None,
            shard: None,
            watch: None,
            fatal: Vec::new(),
        }
    }

    /// Notes the choices of every run while it makes them.
    pub fn watched(mut self, watch: Watch) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Does not make the runs with these choices ([`Watch::read`]) again, which have ended their process;
    /// they are counted as runs that were dropped.
    pub fn without(mut self, fatal: Vec<Vec<(u64, u64)>>) -> Self {
        let point = |(value, n)| Point { value, n };
        self.fatal = fatal.into_iter().map(|path| path.into_iter().map(point).collect()).collect();
        self
    }

    /// The order of the runs and their limits, in words.
    pub fn order(&self) -> String {
        let mut text = match self.order {
            Order::Depth => "depth first, in the order of the alternatives".to_owned(),
            Order::Breadth => "runs with fewer choices first, their beginnings kept in memory".to_owned(),
            Order::Deepening => "runs with fewer choices first, beginning anew for each number".to_owned(),
            Order::Random(seed) => format!("at random, from the seed {seed}"),
        };
        if self.max_depth != usize::MAX {
            text += &format!("; at most {} choices", self.max_depth);
        }
        if self.max_runs != u64::MAX {
            text += &format!("; at most {} runs", self.max_runs);
        }
        if let Some(timeout) = self.timeout {
            text += &format!("; at most {} s", timeout.as_secs_f64());
        }
        text
    }

    /// Makes the one run with these choices; a choice beyond them takes its first alternative. Panics if
    /// the run fails.
    pub fn replay(mut self, path: &[u64]) -> Option<O::Value> {
        let mut choices = Choices::new();
        choices.script = path.to_vec();
        choices.watch = self.watch;
        choices.rewind();
        let kept = (self.program)(&mut choices).kept();
        if let (None, Some(violation)) = (&kept, &choices.violation) {
            panic!("{}", violation.message);
        }
        kept
    }

    /// Runs in lexicographic order of their choices (the default).
    pub fn depth_first(mut self) -> Self {
        self.order = Order::Depth;
        self
    }

    /// Runs with fewer choices first; the open prefixes are kept in memory.
    pub fn breadth_first(mut self) -> Self {
        self.order = Order::Breadth;
        self
    }

    /// The order of [`Explore::breadth_first`] in constant memory: every depth starts anew.
    pub fn iterative_deepening(mut self) -> Self {
        self.order = Order::Deepening;
        self
    }

    /// Every choice at random. Such an exploration ends only by a limit, and may repeat runs.
    pub fn random(mut self, seed: u64) -> Self {
        self.order = Order::Random(seed);
        self
    }

    /// Runs that make more choices than this are cut.
    pub fn max_depth(mut self, choices: usize) -> Self {
        self.max_depth = choices;
        self
    }

    /// Ends after so many runs.
    pub fn max_runs(mut self, runs: u64) -> Self {
        self.max_runs = runs;
        self
    }

    /// Ends at the first run that would begin later than this after the start.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Only part `index` of `of` (from 1): the runs are dealt out by their first choices, so that the
    /// parts are disjoint, together are everything, and each is in order. Choices are made a few times more
    /// than there are runs, to find the prefixes. With [`Explore::random`], every part has its own seed.
    ///
    /// Panics unless `1 <= index <= of`.
    pub fn shard(mut self, index: usize, of: usize) -> Self {
        assert!(
            1 <= index && index <= of,
            "shard {index}/{of}: the index runs from 1 to the number of shards"
        );
        self.shard = Some((index, of));
        self
    }

    /// The runs one by one, as an iterator over what they return.
    ///
    /// A run that fails (an `assert`, a panic) makes `next` panic; see [`Explore::check`].
    pub fn runs(self) -> Runs<P> {
        self.runs_within(None)
    }

    /// The runs whose choices begin with one of the prefixes, in the order of the prefixes.
    pub(crate) fn runs_within(mut self, prefixes: Option<Vec<Vec<Point>>>) -> Runs<P> {
        let mut choices = Choices::new();
        choices.depth_limit = self.max_depth;
        choices.watch = self.watch;
        if let Order::Random(seed) = self.order {
            choices.random = Some(Random::new(seed));
        }
        if let Order::Deepening = self.order {
            choices.depth_limit = 0;
        }
        let mut prefixes = match (prefixes, self.shard, self.order) {
            (Some(prefixes), ..) => prefixes,
            (None, Some((index, _)), Order::Random(seed)) => {
                choices.random = Some(Random::new(seed ^ (index as u64).rotate_right(16)));
                vec![Vec::new()]
            }
            (None, Some((index, of)), _) => {
                let all = self.prefixes(of.saturating_mul(PREFIXES_PER_SHARD));
                all.into_iter().skip(index - 1).step_by(of).collect()
            }
            (None, None, _) => vec![Vec::new()],
        };
        if let Order::Breadth = self.order {
            prefixes.sort_by_key(Vec::len);
        }
        Runs {
            choices,
            floor: 0,
            state: State::Next,
            queue: prefixes.iter().cloned().collect(),
            prefixes,
            cut_deeper: false,
            cut: false,
            deadline: self.timeout.map(|timeout| Instant::now() + timeout),
            summary: Summary { kept: 0, runs: 0, verdict: Verdict::Limit },
            explore: self,
        }
    }

    /// Makes all runs and visits what they return.
    pub fn for_each(self, mut visit: impl FnMut(O::Value)) -> Summary {
        let mut runs = self.runs();
        for value in &mut runs {
            visit(value);
        }
        runs.summary()
    }

    /// Makes all runs up to the first that fails, by `assert` or by a panic.
    pub fn check(self) -> Report {
        let mut runs = self.runs();
        let outcome = catch_unwind(AssertUnwindSafe(|| runs.by_ref().for_each(drop)));
        let failure = outcome.err().map(|payload| Failure {
            run: runs.summary.runs - 1,
            path: runs.choices.path(),
            message: message_of(&*payload),
        });
        Report { summary: runs.summary(), failure }
    }
}

/// The text of a panic.
pub(crate) fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_string()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "the program panicked".to_string()
    }
}

/// How many prefixes a shard or a thread gets on average, so that their sizes even out.
pub(crate) const PREFIXES_PER_SHARD: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Take the next prefix from the queue.
    Next,
    /// A run was made: move on from it.
    Advance,
    Done,
}

/// The runs of an exploration, made as they are asked for.
pub struct Runs<P> {
    explore: Explore<P>,
    choices: Choices,
    /// The length of the prefix under exploration: choices below are fixed.
    floor: usize,
    state: State,
    queue: VecDeque<Vec<Point>>,
    /// What the queue held at first; every round of iterative deepening starts with it.
    prefixes: Vec<Vec<Point>>,
    /// Iterative deepening: some run at this depth was cut, so a deeper round has more.
    cut_deeper: bool,
    /// Some run was cut at the depth limit of the user.
    cut: bool,
    deadline: Option<Instant>,
    summary: Summary,
}

impl<P, O> Runs<P>
where
    P: FnMut(&mut Choices) -> O,
    O: Outcome,
{
    /// What was done so far; the verdict is [`Verdict::Exhausted`] once the iterator has ended for want of
    /// runs.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// The choices of the last run.
    pub fn path(&self) -> Vec<u64> {
        self.choices.path()
    }

    /// Positions the trail at the run to make next; false if there is none.
    fn prepare(&mut self) -> bool {
        if self.summary.runs >= self.explore.max_runs {
            self.summary.verdict = Verdict::Limit;
            return false;
        }
        if self
            .deadline
            .is_some_and(|deadline| self.summary.runs.is_multiple_of(64) && Instant::now() >= deadline)
        {
            self.summary.verdict = Verdict::Timeout;
            return false;
        }
        if self.state == State::Advance {
            let more = match self.explore.order {
                Order::Depth | Order::Deepening => self.choices.advance(self.floor),
                Order::Breadth => false,
                Order::Random(_) => {
                    self.choices.trail.truncate(self.floor);
                    true
                }
            };
            if more {
                return true;
            }
            self.state = State::Next;
        }
        if self.state == State::Next {
            if let Some(prefix) = self.queue.pop_front() {
                self.floor = prefix.len();
                self.choices.trail.clone_from(&prefix);
                if self.explore.order == Order::Breadth {
                    self.choices.depth_limit = self.floor;
                }
                self.state = State::Advance;
                return true;
            }
            if self.explore.order == Order::Deepening
                && self.cut_deeper
                && self.choices.depth_limit < self.explore.max_depth
            {
                self.choices.depth_limit += 1;
                self.cut_deeper = false;
                self.queue.extend(self.prefixes.iter().cloned());
                return self.prepare();
            }
            self.state = State::Done;
            let limited = self.cut || self.cut_deeper;
            self.summary.verdict = if limited { Verdict::Limit } else { Verdict::Exhausted };
        }
        false
    }

    /// Whether the run to come is one that must not be made; if so, its choices are the trail.
    #[cold]
    fn is_fatal(&mut self) -> bool {
        let trail = &self.choices.trail;
        let limit = self.choices.depth_limit;
        let is_it = |path: &&Vec<Point>| {
            let (begin, rest) = path.split_at(trail.len().min(path.len()));
            path.len() <= limit && begin == trail && rest.iter().all(|point| point.value == 0)
        };
        let fatal = match (&self.choices.random, &self.explore.fatal) {
            // What is drawn comes from a generator whose copy tells what would be drawn.
            (Some(random), fatal) => fatal.iter().find(|path| {
                let mut random = random.clone();
                path.iter().all(|point| random.below(point.n) == point.value)
            }),
            (None, fatal) => fatal.iter().find(is_it),
        };
        let Some(fatal) = fatal else { return false };
        if let Some(random) = &mut self.choices.random {
            fatal.iter().for_each(|point| {
                random.below(point.n);
            });
        }
        self.choices.trail.clone_from(fatal);
        true
    }

    /// A run was ended from inside a choice.
    fn note_cut(&mut self, cut: Cut) {
        let Cut::Depth(n) = cut else { return };
        self.summary.runs -= 1;
        match self.explore.order {
            Order::Breadth if self.choices.trail.len() < self.explore.max_depth => {
                let prefix = &self.choices.trail;
                self.queue.extend((0..n).map(|value| {
                    let mut longer = Vec::with_capacity(prefix.len() + 1);
                    longer.extend_from_slice(prefix);
                    longer.push(Point { value, n });
                    longer
                }));
            }
            Order::Deepening => self.cut_deeper = true,
            _ => self.cut = true,
        }
    }

    /// Runs until one is kept; panics and cuts pass through.
    #[inline]
    fn next_kept(&mut self) -> Option<O::Value> {
        while self.prepare() {
            if !self.explore.fatal.is_empty() && self.is_fatal() {
                self.summary.runs += 1;
                continue;
            }
            self.choices.rewind();
            self.summary.runs += 1;
            let outcome = (self.explore.program)(&mut self.choices);
            self.choices.finish();
            if self.explore.order == Order::Deepening && self.choices.trail.len() != self.choices.depth_limit
            {
                // A run belongs to the round of its own depth.
                self.summary.runs -= 1;
                self.cut_deeper |= self.choices.trail.len() > self.choices.depth_limit;
                continue;
            }
            if let Some(value) = outcome.kept() {
                self.summary.kept += 1;
                return Some(value);
            }
            if let Some(violation) = &self.choices.violation {
                panic!("{}", violation.message);
            }
        }
        None
    }
}

impl<P, O> Iterator for Runs<P>
where
    P: FnMut(&mut Choices) -> O,
    O: Outcome,
{
    type Item = O::Value;

    #[inline]
    fn next(&mut self) -> Option<O::Value> {
        loop {
            match catch_unwind(AssertUnwindSafe(|| self.next_kept())) {
                Ok(value) => return value,
                Err(payload) => match payload.downcast::<Cut>() {
                    Ok(cut) => self.note_cut(*cut),
                    Err(payload) => resume_unwind(payload),
                },
            }
        }
    }
}

/// Makes the one run with these choices; a choice beyond them takes its first alternative.
///
/// ```
/// let value = tera_explore::replay(&[2, 1], |c| (c.int(0..=9) * 10 + c.int(0..=9)).into());
/// assert_eq!(value, Some(21));
/// ```
pub fn replay<T>(path: &[u64], program: impl FnOnce(&mut Choices) -> Option<T>) -> Option<T> {
    let mut choices = Choices::new();
    choices.script = path.to_vec();
    program(&mut choices)
}
