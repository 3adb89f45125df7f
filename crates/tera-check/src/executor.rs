//! One input from bits to verdict: concretize, call, abstract, judge, drop.
//!
//! Each step is noted before it begins, so that a death is told by its place. Values of an input
//! that failed may be corrupt: they are forgotten, not dropped. Dropping the others is a step of its
//! own, and guarded like the call.

use std::mem::MaybeUninit;

use tera_heap::{Concretizer, DeadPointer, Liveness, Outcome, Status};
use tera_rel::{Evaluator, Instance};

use crate::contract::Contract;
use crate::guard::{self, Executor, Note, Phase};
use crate::memory::{self, State, Step};
use crate::oracle::{Oracles, Scratch, wider};
use crate::outcome::Failure;
use crate::prepare::{Mistake, Prepared};
use crate::subject::{Arguments, Passing, Subject};

/// Runs the inputs of one contract.
pub struct Runner<'a, S: Subject> {
    pub contract: &'a Contract,
    subject: &'a S,
    pub prepared: Prepared,
    pub oracles: Oracles,
    /// Says whether an input is to panic.
    panics: Option<Evaluator>,
    args: Box<MaybeUninit<S::Args>>,
    scratch: Scratch,
    pub input: Instance,
    /// Its words.
    decoded: Vec<u64>,
    is_guarded: bool,
    /// Which oracle judged the last input, if it came to that.
    pub judged_by: usize,
    pub has_after: bool,
    /// Pointers of its values after the call that must not be followed.
    pub dead: Vec<DeadPointer>,
}

impl<'a, S: Subject> Runner<'a, S> {
    pub fn new(contract: &'a Contract, subject: &'a S) -> Result<Runner<'a, S>, Mistake> {
        let prepared = Prepared::new::<S>(contract)?;
        let oracles = Oracles::new(&prepared)?;
        let panics = match &contract.panics_when {
            None => None,
            Some(formula) => Some(panic_oracle(&prepared, formula)?),
        };
        Ok(Runner {
            contract,
            subject,
            oracles,
            panics,
            args: Box::new(MaybeUninit::uninit()),
            scratch: Scratch::default(),
            input: prepared.start(),
            decoded: vec![0; prepared.layout.words()],
            is_guarded: memory::reserve(contract.limits.memory),
            judged_by: 0,
            has_after: false,
            dead: Vec::new(),
            prepared,
        })
    }

    /// Makes `words` the present input: neighbours in the stream differ in a few tuples.
    pub fn decode(&mut self, words: &[u64]) {
        let cells = &self.prepared.layout.cells;
        for (w, (&word, present)) in words.iter().zip(&mut self.decoded).enumerate() {
            let mut changed = word ^ std::mem::replace(present, word);
            while changed != 0 {
                let bit = changed.trailing_zeros();
                let (rel, tuple) = cells[w * 64 + bit as usize];
                let value = &mut self.input.values[rel.0 as usize];
                if word >> bit & 1 == 1 {
                    value.insert_index(tuple as usize);
                } else {
                    value.remove_index(tuple as usize);
                }
                changed &= changed - 1;
            }
        }
    }

    /// Runs the present input.
    pub fn run_input(&mut self, note: Note<'_>) -> Result<(), Failure> {
        let must_panic = match &mut self.panics {
            None => false,
            Some(evaluator) => matches!(evaluator.first_violation(&self.input), Ok(None)),
        };
        self.has_after = false;
        self.dead.clear();
        note.phase(Phase::Concretize);
        memory::arm(Step::Input);
        let made = self.concretize();
        if let Err(failure) = made {
            memory::finish_input();
            return Err(failure);
        }
        note.phase(Phase::Call);
        memory::arm(Step::Call);
        let args = self.args.as_mut_ptr();
        // Safety: the arguments were just made; those passed by value are not touched again.
        let result = guard::catch(|| unsafe { call(self.subject, args) });
        memory::disarm();
        let result = match result {
            Ok(output) if must_panic => {
                std::mem::forget(output);
                Err(Failure::NoPanic)
            }
            Ok(output) => self.judge(&output, note).map(|()| Some(output)),
            Err(_) if must_panic => Ok(None),
            Err(panic) => Err(Failure::Panic { message: panic.message, location: panic.location }),
        };
        match result {
            Ok(output) => self.drop_values(output, note),
            Err(failure) => {
                self.scratch.made.forget();
                memory::finish_input();
                Err(failure)
            }
        }
    }

    fn concretize(&mut self) -> Result<(), Failure> {
        let oracle = self.oracles.first();
        let mut c = Concretizer::new(&oracle.states.input, &self.input, &mut self.scratch.made);
        // Safety: the place is ours and stays where it is.
        let made = unsafe { S::Args::make(self.args.as_mut_ptr(), &mut c) };
        made.and_then(|()| c.finish()).map_err(|fault| Failure::Skipped(fault.message))
    }

    fn judge(&mut self, output: &S::Output, note: Note<'_>) -> Result<(), Failure> {
        self.judged_by = 0;
        let mut widened = false;
        loop {
            note.phase(Phase::Abstract);
            let outcome = self.read(output);
            if !outcome.dead.is_empty() {
                self.dead = outcome.dead;
                return Err(Failure::Memory(self.dead.iter().map(describe_dead).collect()));
            }
            if let Some(fault) = outcome.faults.first() {
                return Err(Failure::NoInstance(fault.message.clone()));
            }
            if outcome.needs.is_empty() {
                break;
            }
            let from = &self.oracles.get(self.judged_by).widen;
            let widen = wider(from, &outcome.needs, &self.prepared.graph).map_err(Failure::NoInstance)?;
            if widened && widen == *from {
                return Err(Failure::NoInstance("the universe cannot be made wide enough".into()));
            }
            widened = true;
            self.judged_by = self
                .oracles
                .place(&self.prepared, widen)
                .map_err(|mistake| Failure::NoInstance(mistake.0))?;
        }
        note.phase(Phase::Judge);
        self.oracles.get(self.judged_by).verdict()
    }

    /// Reads the values after the call into the state of the present oracle.
    fn read(&mut self, output: &S::Output) -> Outcome {
        let oracle = self.oracles.get(self.judged_by);
        oracle.enter(&self.input, &self.decoded);
        let scratch = &mut self.scratch;
        let mut a = oracle.states.leave(&mut oracle.state, &scratch.made, &mut scratch.seen);
        if self.is_guarded {
            a = a.with_liveness(&Guarded);
        }
        // Safety: arguments that were not passed by value are still there.
        unsafe { S::Args::read(self.args.as_ptr(), &mut a, |i| S::PASSING[i] != Passing::Value) };
        if self.prepared.graph.roots.len() > self.prepared.n_args {
            a.root(self.prepared.n_args, output);
        }
        let outcome = a.finish();
        self.has_after = true;
        outcome
    }

    fn drop_values(&mut self, output: Option<S::Output>, note: Note<'_>) -> Result<(), Failure> {
        note.phase(Phase::Drop);
        memory::arm(Step::Drop);
        let args = self.args.as_mut_ptr();
        let made = &mut self.scratch.made;
        let dropped = guard::catch(|| {
            drop(output);
            // Safety: not used again; those passed by value are the callee's.
            unsafe { S::Args::drop(args, |i| S::PASSING[i] != Passing::Value) };
            made.release();
        });
        memory::disarm();
        if let Err(panic) = dropped {
            memory::finish_input();
            return Err(Failure::Panic {
                message: format!("{} (while dropping)", panic.message),
                location: panic.location,
            });
        }
        if !self.is_guarded {
            return Ok(());
        }
        let faults = memory::finish_input();
        if faults.is_clean() { Ok(()) } else { self.memory_faults(&faults) }
    }

    #[cold]
    fn memory_faults(&self, faults: &memory::Faults) -> Result<(), Failure> {
        let texts = faults.texts(|block| self.name_of(block), !self.contract.allow_leaks);
        if texts.is_empty() { Ok(()) } else { Err(Failure::Memory(texts)) }
    }

    /// What a block is to the reader: the object of the input that lies in it, or its size.
    fn name_of(&self, block: &memory::Block) -> String {
        let inside = block.start..block.start + block.size.max(1);
        let objects = self.scratch.made.objects();
        match objects.iter().find(|placed| inside.contains(&(placed.address as usize))) {
            Some(placed) => {
                let name = self.prepared.lowered.problem.universe.atom(tera_rel::AtomId(placed.atom));
                format!("{} ({} bytes)", name.name.replace('$', ""), block.size)
            }
            None if block.allocated == Step::Call => {
                format!("a block of {} bytes made by the call", block.size)
            }
            None => format!("a block of {} bytes", block.size),
        }
    }
}

/// Calls the subject, in a frame of its own: inlined into ours, a large local of it would be missing on the stack
/// before the input has begun.
///
/// # Safety
/// As [`Subject::call`].
#[inline(never)]
unsafe fn call<S: Subject>(subject: &S, args: *mut S::Args) -> S::Output {
    // Safety: the caller's promise.
    unsafe { subject.call(args) }
}

pub(crate) fn describe_dead(dead: &DeadPointer) -> String {
    match (dead.status, memory::block_at(dead.address).map(|block| block.state)) {
        (Status::Freed, Some(State::Freed(_))) => {
            format!("after the call, {} points to a block freed during the call", dead.path)
        }
        _ => format!("after the call, {dead}"),
    }
}

pub(crate) fn panic_oracle(prepared: &Prepared, formula: &str) -> Result<Evaluator, Mistake> {
    let text = tera_model::contract::ContractText { requires: formula.to_owned(), ..Default::default() };
    let lowered = prepared.spec.lower_precondition(&prepared.params, &text, &prepared.options)?;
    Ok(Evaluator::new(&lowered.problem))
}

/// What the memory guard knows of an address.
pub(crate) struct Guarded;

impl Liveness for Guarded {
    fn status(&self, address: *const (), size: usize) -> Status {
        match memory::block_at(address as usize) {
            None => Status::Unknown,
            Some(block) => match block.state {
                State::Live if address as usize + size <= block.start + block.size => Status::Live,
                State::Live => Status::Unknown,
                State::Freed(_) => Status::Freed,
            },
        }
    }
}

impl<S: Subject> Executor for Runner<'_, S> {
    #[inline]
    fn run(&mut self, input: &[u64], detail: bool, note: Note<'_>) -> Option<String> {
        self.decode(input);
        let mut verdict = self.run_input(note);
        // A block that outlives its first input only is a static made on the way, not a leak.
        if self.is_guarded && matches!(verdict, Err(Failure::Memory(_))) {
            verdict = self.run_input(note);
        }
        if detail {
            return Some(crate::detail::describe(self, verdict.err()).to_string());
        }
        verdict.err().map(|failure| failure.to_json().to_string())
    }
}
