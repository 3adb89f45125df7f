//! A predicate as the source of inputs: every structure that satisfies it, with every value of the further
//! arguments.

use std::marker::PhantomData;

use serde_json::{Value, json};
use tera_explore::{Field, Finitization, Search, Verdict};
use tera_heap::Abstractor;

use super::{Cursor, Explored, Order, Step};
use crate::contract::Contract;
use crate::detail;
use crate::guard::{self, Phase, Watched};
use crate::memory;
use crate::outcome::Failure;
use crate::plan::Lines;
use crate::prepare::Mistake;
use crate::replay::Judge;
use crate::report::thousands;
use crate::subject::{Arguments, Passing, Subject};

/// What is done with the arguments.
pub trait Body<A>: Send + Sync {
    fn begin<'a>(&'a self, contract: &'a Contract) -> Result<Box<dyn Calls<A> + 'a>, Mistake>;
}

/// Calls, one after the other.
pub trait Calls<A> {
    fn call(&mut self, args: A, watched: Watched) -> Result<(), Failure>;

    /// The same call with what a report says of it.
    fn detail(&mut self, args: A, value: &mut Value, watched: Watched) -> Result<(), Failure>;
}

/// Inputs by a predicate of the first argument `F`; `R` are the others, `A` all of them.
pub struct Predicate<F, R, A, P, B> {
    requires: P,
    join: fn(F, R) -> A,
    body: B,
}

/// The predicate as a source; `join` makes the arguments.
pub fn predicate<F: Field, R: Field, A: 'static>(
    requires: impl for<'v> Fn(F::View<'v>) -> bool + Send + Sync,
    join: fn(F, R) -> A,
    body: impl Body<A>,
) -> impl Explored {
    Predicate { requires, join, body }
}

impl<F, R, A, P, B> Predicate<F, R, A, P, B>
where
    F: Field,
    R: Field,
    P: for<'v> Fn(F::View<'v>) -> bool + Send + Sync,
    B: Body<A>,
{
    fn cursor<'a>(
        &'a self,
        contract: &'a Contract,
        order: &Order,
        watched: Watched,
    ) -> Result<PredicateCursor<'a, F, R, A, P>, Mistake> {
        let scope = order.scope.unwrap_or_else(|| scope_of(contract));
        let mistake = |error| Mistake(format!("error: the inputs cannot be searched for: {error}"));
        let of_first = Finitization::<F>::of(scope);
        let firsts = match order.shard {
            None => of_first.search().map_err(mistake)?,
            Some((i, n)) => {
                let requires = |view: F::View<'_>| (self.requires)(view);
                of_first.search_shard(requires, i as usize, n as usize).map_err(mistake)?
            }
        };
        Ok(PredicateCursor {
            requires: &self.requires,
            join: self.join,
            calls: self.body.begin(contract)?,
            firsts,
            scope,
            rests: Finitization::of(scope),
            rest: None,
            fatal: order.fatal.iter().map(|path| path.iter().map(|&(choice, _)| choice).collect()).collect(),
            watched,
            of: PhantomData,
        })
    }
}

/// The order in whose search the path lies.
fn of_path(path: &[u64]) -> Order {
    Order { scope: path.first().map(|&scope| scope as usize), ..Order::default() }
}

/// The scope of a contract whose inputs come from a predicate: a number.
fn scope_of(contract: &Contract) -> usize {
    contract.scope.as_deref().and_then(|scope| scope.trim().parse().ok()).unwrap_or(3)
}

impl<F, R, A, P, B> Explored for Predicate<F, R, A, P, B>
where
    F: Field,
    R: Field,
    A: 'static,
    P: for<'v> Fn(F::View<'v>) -> bool + Send + Sync,
    B: Body<A>,
{
    fn start<'a>(
        &'a self,
        contract: &'a Contract,
        order: &Order,
        watched: Watched,
    ) -> Result<Box<dyn Cursor + 'a>, Mistake> {
        if let Some(scope) = &contract.scope
            && scope.trim().parse::<usize>().is_err()
        {
            return Err(Mistake(format!("error: the scope of a predicate is a number, not `{scope}`")));
        }
        let mut cursor = self.cursor(contract, order, watched)?;
        for _ in 0..order.skip {
            let Some(args) = cursor.next_input() else { break };
            // A destructor that panics did so when the input was run.
            let _ = guard::catch(|| drop(args));
        }
        Ok(Box::new(cursor))
    }

    fn detail(
        &self,
        contract: &Contract,
        path: &[u64],
        watched: Watched,
    ) -> Result<(Option<Failure>, Value), Mistake> {
        let mut cursor = self.cursor(contract, &of_path(path), watched)?;
        let mut value = json!({});
        let Some(args) = cursor.at(path) else {
            return Ok((Some(Failure::Skipped("the predicate refuses this input".into())), value));
        };
        value["before"] = json!(cursor.description());
        let failure = cursor.calls.detail(args, &mut value, watched).err();
        Ok((failure, value))
    }

    fn replay(&self, contract: &Contract, path: &[u64]) {
        let watched = Watched::here();
        let cursor = self.cursor(contract, &of_path(path), watched);
        let mut cursor = cursor.unwrap_or_else(|mistake| panic!("{}", mistake.0));
        let args = cursor.at(path).expect("the predicate accepts this input");
        println!("{}", cursor.description());
        let mut value = json!({});
        if let Err(failure) = cursor.calls.detail(args, &mut value, watched) {
            let text = value["violated"][0]["text"].as_str().unwrap_or_default();
            panic!("{}: {}{text}", failure.headline(), failure.explanation());
        }
    }

    fn scope(&self, contract: &Contract) -> String {
        scope_of(contract).to_string()
    }

    fn explain(&self, contract: &Contract, lines: &mut Lines) -> Result<(), Mistake> {
        let scope = scope_of(contract);
        lines.line("engine", "a predicate: the search follows the fields that it reads");
        lines.line("scope", &format!("{scope}: at most {scope} objects of each type, numbers 0..={scope}, unless the type says otherwise"));
        lines.line(
            "order",
            "the field that was read last moves on first; fields that were not read are enumerated",
        );
        let mistake = |error| Mistake(format!("error: the inputs cannot be searched for: {error}"));
        let mut firsts = Finitization::<F>::of(scope).search().map_err(mistake)?.explained();
        firsts = firsts.timeout(std::time::Duration::from_secs(2));
        let mut rests = Finitization::<R>::of(scope).search().map_err(mistake)?;
        let mut n_rests = 0_u64;
        while rests.next(&mut |_: R::View<'_>| true) {
            n_rests += 1;
        }
        let mut n = 0_u64;
        while firsts.next(&mut |view: F::View<'_>| (self.requires)(view)) {
            n += u64::from(firsts.value().is_some());
        }
        let summary = firsts.summary();
        let so_far = if summary.verdict == Verdict::Exhausted { "" } else { ", so far (after 2 s)" };
        lines.line("inputs", &format!("{}{so_far}", thousands(n * n_rests)));
        lines.line(
            "search",
            &format!(
                "{} structures of {} candidates",
                thousands(summary.structures),
                thousands(summary.candidates)
            ),
        );
        let fields = firsts.explanation().into_iter().take(8);
        let fields: Vec<String> =
            fields.map(|(name, n)| format!("{name}: {} candidates", thousands(n))).collect();
        lines.list("refused by", &fields);
        Ok(())
    }

    fn simpler(&self, contract: &Contract, path: &[u64], _number: u64) -> Vec<Order> {
        let scope = path.first().map_or(0, |&scope| scope as usize).min(scope_of(contract));
        (0..scope).map(|scope| Order { scope: Some(scope), ..Order::default() }).collect()
    }
}

struct PredicateCursor<'a, F, R, A, P> {
    requires: &'a P,
    join: fn(F, R) -> A,
    calls: Box<dyn Calls<A> + 'a>,
    firsts: Search<F>,
    scope: usize,
    rests: Finitization<R>,
    rest: Option<Search<R>>,
    fatal: Vec<Vec<u64>>,
    watched: Watched,
    of: PhantomData<A>,
}

impl<F, R, A, P> PredicateCursor<'_, F, R, A, P>
where
    F: Field,
    R: Field,
    P: for<'v> Fn(F::View<'v>) -> bool,
{
    /// Moves to the next input; false if there is none.
    fn advance(&mut self) -> bool {
        loop {
            if let Some(rest) = &mut self.rest
                && rest.next(&mut |_: R::View<'_>| true)
            {
                return true;
            }
            self.watched.phase(Phase::Require);
            let (requires, watched) = (self.requires, self.watched);
            let mut requires = |view: F::View<'_>| {
                watched.begin();
                requires(view)
            };
            if !self.firsts.next(&mut requires) {
                return false;
            }
            self.rest = self.rests.search().ok();
            if self.rest.is_none() {
                return false;
            }
        }
    }

    /// The scope, how many choices the first argument took, its choices, and those of the rest.
    fn path(&self) -> Vec<u64> {
        let first = self.firsts.path();
        let rest = self.rest.as_ref().map(Search::path).unwrap_or_default();
        [vec![self.scope as u64, first.len() as u64], first, rest].concat()
    }

    fn args(&self) -> Option<A> {
        memory::arm(memory::Step::Input);
        let values = self.firsts.value().zip(self.rest.as_ref().and_then(Search::value));
        memory::disarm();
        values.map(|(first, rest)| (self.join)(first, rest))
    }

    /// The next input that kills no worker.
    fn next_input(&mut self) -> Option<A> {
        while self.advance() {
            if self.fatal.contains(&self.path()) {
                continue;
            }
            // What the type cannot hold is no input.
            if let Some(args) = self.args() {
                return Some(args);
            }
        }
        None
    }

    fn at(&mut self, path: &[u64]) -> Option<A> {
        let [_, len, choices @ ..] = path else { return None };
        let (first, rest) = choices.split_at_checked(*len as usize)?;
        let requires = self.requires;
        self.watched.phase(Phase::Require);
        self.watched.begin();
        if !self.firsts.at(first, &mut |view: F::View<'_>| requires(view)) {
            return None;
        }
        let mut search = self.rests.search().ok()?;
        let found = search.at(rest, &mut |_: R::View<'_>| true);
        self.rest = Some(search);
        if found { self.args() } else { None }
    }

    fn description(&self) -> String {
        let rest = self.rest.as_ref().map(Search::description).unwrap_or_default();
        let rest = if rest == "{}" || rest.is_empty() { String::new() } else { format!("\nand {rest}") };
        self.firsts.description() + &rest
    }
}

impl<F, R, A, P> Cursor for PredicateCursor<'_, F, R, A, P>
where
    F: Field,
    R: Field,
    P: for<'v> Fn(F::View<'v>) -> bool,
{
    fn step(&mut self) -> Step {
        let args = match guard::catch(|| self.next_input()) {
            Ok(Some(args)) => args,
            Ok(None) => {
                return Step::Done { exhausted: self.firsts.summary().verdict == Verdict::Exhausted };
            }
            Err(panic) => {
                let message = format!("{} (in the precondition)", panic.message);
                return Step::Failed(Failure::Panic { message, location: panic.location }, Vec::new());
            }
        };
        let path = self.path();
        self.watched.path(&path);
        self.watched.begin();
        match self.calls.call(args, self.watched) {
            Ok(()) => Step::Passed,
            Err(failure) => Step::Failed(failure, path),
        }
    }

    fn effort(&self) -> String {
        let summary = self.firsts.summary();
        format!("{} structures of {} candidates", summary.structures, summary.candidates)
    }
}

/// A function that judges by its own assertions.
pub struct Plain<A> {
    call: fn(A),
    show: Option<Show<A>>,
    signature: &'static Signature,
}

/// What the arguments of a function are called and how they are passed.
pub struct Signature {
    pub names: &'static [&'static str],
    pub passing: &'static [Passing],
}

/// What a report says of arguments that the mapping knows.
pub type Show<A> = fn(&Contract, &'static Signature, &A, &mut Value);

impl<A> Plain<A> {
    pub fn new(call: fn(A), signature: &'static Signature, show: Option<Show<A>>) -> Plain<A> {
        Plain { call, show, signature }
    }
}

impl<A> Body<A> for Plain<A> {
    fn begin<'a>(&'a self, contract: &'a Contract) -> Result<Box<dyn Calls<A> + 'a>, Mistake> {
        let is_guarded = memory::reserve(contract.limits.memory);
        Ok(Box::new(PlainCalls { plain: self, contract, is_guarded }))
    }
}

struct PlainCalls<'a, A> {
    plain: &'a Plain<A>,
    contract: &'a Contract,
    is_guarded: bool,
}

impl<A> Calls<A> for PlainCalls<'_, A> {
    fn call(&mut self, args: A, watched: Watched) -> Result<(), Failure> {
        watched.phase(Phase::Call);
        memory::arm(memory::Step::Call);
        let called = guard::catch(|| (self.plain.call)(args));
        memory::disarm();
        let faults = memory::finish_input();
        called.map_err(super::program::failure)?;
        let texts =
            faults.texts(|block| format!("a block of {} bytes", block.size), !self.contract.allow_leaks);
        if self.is_guarded && !texts.is_empty() { Err(Failure::Memory(texts)) } else { Ok(()) }
    }

    fn detail(&mut self, args: A, value: &mut Value, watched: Watched) -> Result<(), Failure> {
        if let Some(show) = self.plain.show {
            show(self.contract, self.plain.signature, &args, value);
        }
        self.call(args, watched)
    }
}

/// A function with a postcondition in relations.
pub struct Judged<S> {
    subject: S,
}

impl<S: Subject> Judged<S> {
    pub fn new(subject: S) -> Judged<S> {
        Judged { subject }
    }
}

impl<S: Subject> Body<S::Args> for Judged<S> {
    fn begin<'a>(&'a self, contract: &'a Contract) -> Result<Box<dyn Calls<S::Args> + 'a>, Mistake> {
        let is_guarded = memory::reserve(contract.limits.memory);
        Ok(Box::new(JudgedCalls {
            subject: &self.subject,
            judge: Judge::new::<S>(contract)?,
            contract,
            is_guarded,
        }))
    }
}

struct JudgedCalls<'a, S> {
    subject: &'a S,
    judge: Judge,
    contract: &'a Contract,
    is_guarded: bool,
}

impl<S: Subject> JudgedCalls<'_, S> {
    fn run(&mut self, args: S::Args, value: Option<&mut Value>, watched: Watched) -> Result<(), Failure> {
        let mut args = std::mem::ManuallyDrop::new(args);
        let place: *mut S::Args = &mut *args;
        // Safety: the arguments are there, and those passed by value until the call.
        let all = |a: &mut Abstractor<'_>| unsafe { S::Args::read(place, a, |_| true) };
        let is_left = |i: usize| S::PASSING[i] != Passing::Value;
        let left = |a: &mut Abstractor<'_>| unsafe { S::Args::read(place, a, is_left) };
        watched.phase(Phase::Abstract);
        let no_instance = |mistake: Mistake| Failure::NoInstance(mistake.0);
        let before = self.judge.before(all).map_err(no_instance)?;
        let must_panic = self.judge.is_to_panic(self.contract).map_err(no_instance)?;
        if let Some(value) = value {
            detail::captured(self.contract, &self.judge.prepared, &self.judge.oracle, value);
        }
        watched.phase(Phase::Call);
        memory::arm(memory::Step::Call);
        // Safety: as above.
        let called = guard::catch(|| unsafe { self.subject.call(place) });
        memory::disarm();
        let output = match (called, must_panic) {
            (Ok(_), true) => return Err(Failure::NoPanic),
            (Err(_), true) => None,
            (Err(panic), false) => return Err(super::program::failure(panic)),
            (Ok(output), false) => Some(output),
        };
        if let Some(output) = output {
            watched.phase(Phase::Judge);
            let output = std::mem::ManuallyDrop::new(output);
            self.judge.after::<S>(&before, &output, left, self.is_guarded)?;
            drop(std::mem::ManuallyDrop::into_inner(output));
        }
        watched.phase(Phase::Drop);
        memory::arm(memory::Step::Drop);
        // Safety: nothing uses them any more.
        let dropped = guard::catch(|| unsafe { S::Args::drop(place, is_left) });
        memory::disarm();
        dropped.map_err(super::program::failure)
    }

    fn with_memory(&mut self, verdict: Result<(), Failure>) -> Result<(), Failure> {
        let faults = memory::finish_input();
        verdict?;
        let texts =
            faults.texts(|block| format!("a block of {} bytes", block.size), !self.contract.allow_leaks);
        if self.is_guarded && !texts.is_empty() { Err(Failure::Memory(texts)) } else { Ok(()) }
    }
}

impl<S: Subject> Calls<S::Args> for JudgedCalls<'_, S> {
    fn call(&mut self, args: S::Args, watched: Watched) -> Result<(), Failure> {
        let verdict = self.run(args, None, watched);
        self.with_memory(verdict)
    }

    fn detail(&mut self, args: S::Args, value: &mut Value, watched: Watched) -> Result<(), Failure> {
        let verdict = self.run(args, Some(value), watched);
        let verdict = self.with_memory(verdict);
        if let Err(failure) = &verdict {
            self.judge.describe(failure, value);
        }
        verdict
    }
}

/// Finds out at compile time whether the mapping knows some arguments.
pub struct Probe<A>(pub PhantomData<A>);

/// It does.
pub trait ViaHeap<A> {
    fn show(&self) -> Option<Show<A>>;
}

impl<A: Arguments> ViaHeap<A> for Probe<A> {
    fn show(&self) -> Option<Show<A>> {
        Some(show::<A>)
    }
}

/// It does not.
pub trait ViaNothing<A> {
    fn show(&self) -> Option<Show<A>> {
        None
    }
}

impl<A> ViaNothing<A> for &Probe<A> {}

/// The arguments as an instance of their own declarations.
fn show<A: Arguments>(contract: &Contract, signature: &'static Signature, args: &A, value: &mut Value) {
    let types = Contract {
        names: signature.names.iter().map(|&name| name.to_owned()).collect(),
        scope: Some("1".into()),
        panics_when: None,
        ..contract.clone()
    };
    let Ok(mut judge) = Judge::new::<Types<A>>(&types) else { return };
    judge.prepared.passing = signature.passing;
    // Safety: they are borrowed.
    let read = |a: &mut Abstractor<'_>| unsafe { A::read(args, a, |_| true) };
    if judge.before(read).is_ok() {
        detail::captured(contract, &judge.prepared, &judge.oracle, value);
    }
}

/// A subject that has arguments and does nothing.
struct Types<A>(PhantomData<fn(A)>);

impl<A: Arguments> Subject for Types<A> {
    type Args = A;
    type Output = ();
    const NAMES: &'static [&'static str] = &[];
    const PASSING: &'static [Passing] = &[Passing::Value; 8];

    unsafe fn call(&self, _: *mut A) {}
}
