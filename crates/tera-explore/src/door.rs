//! What the attributes call: a function under test in, a report out.
//!
//! `#[testera::explore]` makes a test of a program with choices ([`explore`]);
//! `#[testera::check(requires = rep_ok, scope = 6)]` makes one of a function whose first argument satisfies
//! a predicate ([`check`]). Both panic with the report if a run fails, which is how a test fails.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::choices::Choices;
use crate::explore::{Explore, Outcome, Verdict, message_of};
use crate::field::Field;
use crate::finitization::Finitization;

/// Every run of a program with choices; `settings` sets order and limits. Prints how many runs there were.
/// If one fails, the test fails with a run that makes as few choices as any failing run that is found.
pub fn explore<P, O>(name: &str, program: P, settings: impl Fn(Explore<P>) -> Explore<P>)
where
    P: Fn(&mut Choices) -> O + Clone,
    O: Outcome,
{
    let report = settings(Explore::new(program.clone())).check();
    let Some(failure) = report.failure else {
        let whole = match report.summary.verdict {
            Verdict::Exhausted => "all there are",
            Verdict::Limit => "not all: a limit was reached",
            Verdict::Timeout => "not all: the time was over",
        };
        let (runs, dropped) = (report.summary.runs, report.summary.runs - report.summary.kept);
        println!("{name}: {runs} runs ({dropped} dropped), {whole}");
        if report.summary.kept == 0 {
            println!("{name}: warning: no run was kept, so nothing was tested");
        }
        return;
    };
    // Fewer choices are easier to read; do not search much longer than it took to fail.
    let shorter = Explore::new(program)
        .breadth_first()
        .max_depth(failure.path.len().saturating_sub(1))
        .max_runs(failure.run.saturating_mul(2).saturating_add(1000))
        .check()
        .failure;
    let (run, failure) = (failure.run, shorter.unwrap_or(failure));
    let choices: Vec<_> = failure.path.iter().map(u64::to_string).collect();
    let choices = choices.join(", ");
    panic!(
        "{name}: run {run} fails ({run} before it pass)\n    {}\n    choices: {choices}\n    \
         replay: testera::explore::replay(&[{choices}], ...)",
        failure.message.replace('\n', "\n    "),
    );
}

/// Calls `subject` with every `first` that satisfies the predicate and every value of `rest`, up to the
/// scope. Prints how many inputs there were; fails with a smallest failing input.
pub fn check<A, R>(
    name: &str,
    scope: usize,
    requires: impl for<'a> Fn(A::View<'a>) -> bool,
    subject: impl Fn(&mut A, R),
) where
    A: Field,
    R: Field,
{
    let at_scope = run(scope, &requires, &subject);
    let Some(failure) = at_scope.failure else {
        println!(
            "{name}: {} inputs, all there are up to scope {scope} ({} structures of {} candidates)",
            at_scope.inputs, at_scope.structures, at_scope.candidates
        );
        if at_scope.inputs == 0 {
            panic!("{name}: no input satisfies the precondition, so nothing was tested");
        }
        return;
    };
    let smaller = (0..scope).find_map(|scope| run(scope, &requires, &subject).failure);
    let failure = smaller.unwrap_or(failure);
    panic!("{name}: an input fails\n    {}\n    {}", failure.input.replace('\n', "\n    "), failure.message);
}

/// What came of the inputs of one scope.
struct Outcomes {
    inputs: u64,
    structures: u64,
    candidates: u64,
    failure: Option<FailingInput>,
}

struct FailingInput {
    input: String,
    message: String,
}

fn run<A: Field, R: Field>(
    scope: usize,
    requires: &impl for<'a> Fn(A::View<'a>) -> bool,
    subject: &impl Fn(&mut A, R),
) -> Outcomes {
    let mut firsts = Finitization::<A>::of(scope).search().expect("the defaults of a scope are right");
    let rests = Finitization::<R>::of(scope);
    let mut outcomes = Outcomes { inputs: 0, structures: 0, candidates: 0, failure: None };
    while firsts.next(&mut |view: A::View<'_>| requires(view)) {
        let mut rest = rests.search().expect("the defaults of a scope are right");
        while rest.next(&mut |_: R::View<'_>| true) {
            let (Some(mut first), Some(others)) = (firsts.value(), rest.value()) else { continue };
            outcomes.inputs += 1;
            let called = catch_unwind(AssertUnwindSafe(|| subject(&mut first, others)));
            if let Err(payload) = called {
                let rest = rest.description();
                let rest = if rest == "{}" { String::new() } else { format!("\nand {rest}") };
                let input = firsts.description() + &rest;
                outcomes.failure = Some(FailingInput { input, message: message_of(&*payload) });
                return outcomes;
            }
        }
    }
    outcomes.structures = firsts.summary().structures;
    outcomes.candidates = firsts.summary().candidates;
    outcomes
}
