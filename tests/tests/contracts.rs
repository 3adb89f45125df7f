//! What contracts can say and what becomes of inputs, on small subjects.

use testera::{Contract, Failure, Heap, Report, Status};

#[derive(Heap, Debug)]
pub struct Counter {
    value: u8,
}

#[derive(Heap, Debug)]
pub struct Found {
    of: u8,
}

const COUNTER: &str = "sig Counter { value: Int }\n";

#[track_caller]
fn has(report: &Report, status: Status, text: &str) {
    assert_eq!(report.status, status, "{}", report.text());
    assert!(report.text().contains(text), "{text:?} is not in\n{}", report.text());
}

fn counter(name: &str) -> Contract {
    Contract::new(format!("contracts::{name}")).spec(COUNTER).scope("1, 0..3 Int").arguments(&["counter"])
}

mod by_attribute {
    use super::Counter;

    #[testera::check(
        "sig Counter { value: Int }\n",
        ensures = "counter.value = plus[counter.value`, 1]",
        scope = "1, 0..3 Int"
    )]
    fn a_method_by_mutable_reference(counter: &mut Counter) {
        counter.value += 1;
    }

    #[testera::check(
        "sig Counter { value: Int }\n",
        ensures = "result = plus[counter.value`, step]",
        scope = "1, 0..3 Int"
    )]
    fn arguments_by_value_and_a_result(counter: Counter, step: u8) -> u8 {
        counter.value + step
    }

    // The signatures are those of the Rust types.
    #[testera::check(ensures = "result = counter.value", scope = "1, 0..3 Int")]
    fn no_specification_but_the_types(counter: &Counter) -> u8 {
        counter.value
    }

    #[testera::check(
        "sig Counter { var value: Int }\n",
        ensures = "counter.value' = plus[counter.value, 1]",
        scope = "1, 0..3 Int"
    )]
    fn the_style_of_alloy_6(counter: &mut Counter) {
        counter.value += 1;
    }

    // Truth values, and signatures that stand for numbers: a call does not change them.
    #[testera::check(
        "open util/boolean\nsig Key {}\nsig Counter { value: Key }\n",
        ensures = "Bool = True + False and counter.value in Key and Key = Key`",
        scope = "1, exactly 2 Key"
    )]
    fn signatures_without_a_type_are_kept(counter: &mut Counter) {
        counter.value = 1 - counter.value;
    }

    #[testera::check(ensures = "#result = #numbers and all i: Int | #result.i = #numbers.i", scope = 3)]
    fn a_slice_and_a_vector(numbers: &[u8]) -> Vec<u8> {
        let mut sorted = numbers.to_vec();
        sorted.sort();
        sorted
    }

    #[testera::check(panics_when = "number > 2", scope = "1, 0..5 Int")]
    fn a_panic_that_is_expected(number: u8) {
        assert!(number <= 2);
    }
}

#[test]
fn a_panic_where_none_is_specified_and_none_where_one_is() {
    let check = |name: &str, formula: &str| {
        let contract =
            Contract::new(format!("contracts::{name}")).scope("1, 0..5 Int").arguments(&["number"]);
        contract
            .panics_when(formula)
            .keep_going()
            .check(|(number,): &mut (u8,)| assert!(*number <= 2, "too large"))
    };
    let report = check("panic", "number > 3");
    has(&report, Status::Failed, "too large");
    assert_eq!((report.inputs, report.passed), (6, 5));
    assert_eq!(check("no panic", "number > 1").groups[0].failure, Failure::NoPanic);
}

#[test]
fn every_way_to_die_is_a_verdict_and_the_run_goes_on() {
    let report = Contract::new("contracts::deaths")
        .scope("1, 0..6 Int")
        .arguments(&["kind"])
        .time(1.0)
        .keep_going()
        .check(|(kind,): &mut (u8,)| match kind {
            1 => panic!("one"),
            2 => loop {
                std::hint::spin_loop();
            },
            3 => std::process::abort(),
            4 => std::process::exit(0),
            5 => drop(std::hint::black_box(vec![1u8; 64 << 30])),
            _ => {}
        });
    assert_eq!((report.inputs, report.passed), (7, 2), "{}", report.text());
    let kinds: Vec<String> = report.groups.iter().map(|g| g.failure.headline()).collect();
    assert_eq!(kinds, ["panic", "hang", "abort", "exit", "out of memory"], "{}", report.text());
    assert!(report.groups.iter().all(|group| !group.is_unstable));
}

#[test]
fn a_frame_too_large_for_the_stack_is_its_input_s_verdict() {
    let report =
        Contract::new("contracts::frame").scope("1, 0..3 Int").arguments(&["n"]).check(|(n,): &mut (u8,)| {
            if *n == 1 {
                std::hint::black_box([0u8; 64 << 20]);
            }
        });
    has(&report, Status::Failed, "stack overflow: input");
}

#[test]
fn a_subject_that_decides_by_chance_is_said_to() {
    let report =
        counter("chance").ensures("counter.value = counter.value`").check(|(counter,): &mut (Counter,)| {
            // Only the first process of the run goes wrong.
            let flag =
                std::env::temp_dir().join(format!("tera-chance-{}", std::os::unix::process::parent_id()));
            if std::fs::OpenOptions::new().write(true).create_new(true).open(&flag).is_ok() {
                counter.value += 1;
            }
        });
    let _ = std::fs::remove_file(std::env::temp_dir().join(format!("tera-chance-{}", std::process::id())));
    has(&report, Status::Failed, "not deterministic");
}

#[test]
fn counterexamples_are_replayed_while_they_are_inputs() {
    let check = |requires: &str| {
        counter("replayed")
            .requires(requires)
            .check(|(counter,): &mut (Counter,)| assert!(counter.value != 2, "two"))
    };
    has(&check("some counter"), Status::Failed, "two");
    let again = check("counter.value > 0");
    has(&again, Status::Failed, "two");
    assert_eq!((again.inputs, again.passed), (1, 0), "{}", again.text());
    let report = check("counter.value != 2");
    assert_eq!((report.status, report.inputs), (Status::Passed, 3), "{}", report.text());
}

#[test]
fn contracts_that_say_nothing_are_vacuous() {
    let nothing = |_: &mut (Counter,)| ();
    let report = counter("no inputs").requires("counter.value < 0").check(nothing);
    has(&report, Status::NoInputs, "vacuous");
    let report =
        counter("unbreakable").ensures("counter in Counter or counter not in Counter").check(nothing);
    has(&report, Status::Passed, "vacuous: no result of the call could violate");
}

#[test]
fn mistakes_point_into_the_specification() {
    let nothing = |_: &mut (Counter,)| ();
    has(&counter("formula").ensures("counter.valeu = 1").check(nothing), Status::Mistake, "valeu");
    has(&counter("missing").spec("no/such.als").check(nothing), Status::Mistake, "no/such.als");
    has(
        &counter("field").spec("sig Counter {}\n").check(nothing),
        Status::Mistake,
        "the specification has no field `value`",
    );
    // The mapping of the result is looked at by the workers first.
    let text = Contract::new("contracts::result").spec("sig Counter { value: Int } sig Found {}\n");
    let report = text.ensures("no result.of").scope("1").arguments(&["counter"]);
    has(&report.check(|_: &mut (Counter,)| Found { of: 1 }), Status::Mistake, "error: ");
    has(&counter("names").arguments(&[]).check(nothing), Status::Mistake, "names 0 arguments");
}

#[test]
fn a_new_object_and_a_number_outside_the_scope_have_atoms_after_the_call() {
    #[derive(Heap, Debug)]
    struct Stack {
        top: Option<Box<Cell>>,
        total: i64,
    }
    #[derive(Heap, Debug)]
    struct Cell {
        value: i64,
        below: Option<Box<Cell>>,
    }
    let report = Contract::new("contracts::new objects")
        .spec("sig Stack { top: lone Cell, total: Int } sig Cell { value: Int, below: lone Cell }\n")
        .requires("stack.total = (sum c: stack.top.*below | c.value)")
        .ensures(
            "#stack.top.*below = plus[#stack.top`.*below`, 5] and stack.total = plus[stack.total`, 500] \
             and stack.total = (sum c: stack.top.*below | c.value)",
        )
        .scope("2, 0..6 Int")
        .arguments(&["stack"])
        .check(|(stack,): &mut (Stack,)| {
            for _ in 0..5 {
                stack.top = Some(Box::new(Cell { value: 100, below: stack.top.take() }));
                stack.total += 100;
            }
        });
    // 1 empty stack, 7 of one cell, 28 of two with a sum up to 6.
    assert_eq!((report.status, report.inputs), (Status::Passed, 36), "{}", report.text());
}
