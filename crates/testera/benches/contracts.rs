//! Inputs per second and core of whole contracts, split per stage, beside the bare call.
//!
//! `cargo bench -p testera --bench contracts`. Everything runs in this process, as a worker does
//! it; a count that differs from the closed form is a failure. The stages are measured with a clock
//! that costs some 25 ns a reading; the rate is measured without it.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tera_check::guard::{Clock, Executor, Note, Phase};
use tera_check::inputs::{Input, Request, generate};
use tera_check::{Contract, Passing, Runner, Subject};

#[allow(dead_code, reason = "the erroneous sort of the case study is not measured")]
#[path = "../examples/merge_sort/list.rs"]
mod list;
#[path = "../examples/red_black/tree.rs"]
mod tree;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");

struct Sort;

impl Subject for Sort {
    type Args = (list::List,);
    type Output = ();
    const NAMES: &'static [&'static str] = &["list"];
    const PASSING: &'static [Passing] = &[Passing::Mutable];
    unsafe fn call(&self, args: *mut Self::Args) {
        unsafe { (*args).0.merge_sort() }
    }
}

struct Remove;

impl Subject for Remove {
    type Args = (tree::Tree, i32);
    type Output = ();
    const NAMES: &'static [&'static str] = &["tree", "key"];
    const PASSING: &'static [Passing] = &[Passing::Mutable, Passing::Value];
    unsafe fn call(&self, args: *mut Self::Args) {
        unsafe { (*args).0.remove((*args).1, tree::Bug::None) }
    }
}

/// Processor time of this process.
fn cpu() -> Duration {
    #[cfg(unix)]
    unsafe {
        let mut time = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

fn measure<S: Subject>(name: &str, contract: Contract, subject: &S, expected: u64) {
    let begun = Instant::now();
    let mut runner = Runner::new(&contract, subject).unwrap_or_else(|mistake| panic!("{}", mistake.0));
    let prepared = begun.elapsed();
    let layout = runner.prepared.layout.clone();
    let stride = layout.words();
    let mut words: Vec<u64> = Vec::new();
    let mut n = 0;
    let begun = cpu();
    {
        let request =
            Request { lowered: &runner.prepared.lowered, layout: &layout, shard: None, deadline: None };
        let verdict = generate(&request, &mut |input: &Input<'_>| {
            n += 1;
            words.extend_from_slice(input.words);
            ControlFlow::Continue(())
        });
        assert!(verdict.is_ok());
    }
    let generation = cpu() - begun;
    assert_eq!(n, expected, "inputs of {name}");
    let run = |runner: &mut Runner<'_, S>, clock: Option<&Clock>| {
        let begun = cpu();
        for input in words.chunks_exact(stride) {
            let note = match clock {
                Some(clock) => Note::timed(clock),
                None => Note::silent(),
            };
            if let Some(failure) = runner.run(input, false, note) {
                panic!("{name}: {failure}");
            }
            if let Some(clock) = clock {
                clock.enter(Phase::Idle);
            }
        }
        cpu() - begun
    };
    run(&mut runner, None);
    let execution = (0..3).map(|_| run(&mut runner, None)).min().unwrap_or_default();
    let clock = Clock::default();
    run(&mut runner, Some(&clock));
    let each = |spent: Duration| spent.as_secs_f64() * 1e9 / expected as f64;
    let total = generation + execution;
    println!(
        "{name}: {expected} inputs, {:.0} inputs/s/core; prepared in {:.1} ms\n  ns per input: \
         generate {:.0}, run {:.0} (decode {:.0}, concretize {:.0}, call {:.0}, abstract {:.0}, judge {:.0}, drop {:.0})",
        expected as f64 / total.as_secs_f64(),
        prepared.as_secs_f64() * 1e3,
        each(generation),
        each(execution),
        each(clock.spent(Phase::Idle)),
        each(clock.spent(Phase::Concretize)),
        each(clock.spent(Phase::Call)),
        each(clock.spent(Phase::Abstract)),
        each(clock.spent(Phase::Judge)),
        each(clock.spent(Phase::Drop)),
    );
}

fn main() {
    // Lists of 0..=6 nodes with values 0..=6.
    let sorted = Contract::new("benchmark list")
        .spec(format!("{EXAMPLES}/merge_sort/list.als"))
        .requires("acyclic[list]")
        .ensures("sorted[list] and permutation[list]")
        .scope("6");
    measure("merge sort, scope 6", sorted, &Sort, (0..=6).map(|k| 7u64.pow(k)).sum());
    // 35 trees of exactly seven nodes with the keys 0..6, each with seven keys to remove.
    let removed = Contract::new("benchmark tree")
        .spec(format!("{EXAMPLES}/red_black/tree.als"))
        .requires("redBlack[tree]")
        .ensures("redBlack[tree] and removed[tree, key]")
        .scope("7, exactly 7 Node, 0..6 Int");
    measure("red-black removal, 7 nodes", removed, &Remove, 35 * 7);
}
