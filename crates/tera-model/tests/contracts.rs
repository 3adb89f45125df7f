//! Contracts: inputs from the precondition, verdicts of the postcondition over two states.

mod support;

use support::*;
use tera_model::LowerOptions;
use tera_model::contract::{ContractParam, ContractText, Widen};
use tera_rel::{Evaluator, Instance, TupleSet};

const LIST: &str = "sig Node { next: lone Node }
sig List { header: lone Node }
pred acyclic[l: List] { all n: l.header.*next | n not in n.^next }
pred same[l: List] { l.header.*next = l.header`.*(next`) }";

fn param(name: &str, bound: &str) -> ContractParam {
    ContractParam { name: name.into(), bound: bound.into(), is_result: false, changes: false }
}

fn options() -> LowerOptions {
    LowerOptions { scope: Some("2, exactly 1 List".into()), korat_ints: true, ..LowerOptions::default() }
}

fn text(requires: &str, ensures: &str) -> ContractText {
    ContractText { requires: requires.into(), ensures: ensures.into(), invariant: String::new() }
}

#[test]
fn inputs_are_what_the_arguments_reach() {
    let spec = load(LIST);
    let lowered = spec
        .lower_precondition(&[param("list", "List")], &text("acyclic[list]", ""), &options())
        .unwrap_or_else(|failure| panic!("{}", show(&failure)));
    // Lists of length 0, 1 and 2; nothing beside them.
    assert_eq!(classes(&lowered), 3);
}

/// Judges the postcondition where `next` of the first node is before and after as given.
fn judge(ensures: &str, spec: &str, before: bool, after: bool) -> Vec<bool> {
    let spec = load(spec);
    let post = spec
        .lower_postcondition(&[param("list", "List")], &text("", ensures), &options(), &Widen::default())
        .unwrap_or_else(|failure| panic!("{}", show(&failure)));
    let universe = &post.problem.universe;
    let atom = |name: &str| universe.atoms().find(|(_, a)| a.name == name).expect("an atom").0;
    let (node0, node1, list) = (atom("Node$0"), atom("Node$1"), atom("List$0"));
    let n = universe.len();
    let mut instance = Instance { values: post.problem.relations.iter().map(|r| r.lower.clone()).collect() };
    for (schema, linked) in [(&post.before, before), (&post.after, after)] {
        for sig in &schema.sigs {
            let atoms = if sig.label == "Node" { vec![node0, node1] } else { vec![list] };
            instance.values[sig.rel.0 as usize] = TupleSet::unary(n, atoms);
        }
        for field in &schema.fields {
            let value = &mut instance.values[field.rel.0 as usize];
            match field.label.as_str() {
                "header" => value.insert(&[list, node0]),
                _ if linked => value.insert(&[node0, node1]),
                _ => {}
            }
        }
        instance.values[schema.params[0].rel.0 as usize] = TupleSet::unary(n, [list]);
    }
    let mut evaluator = Evaluator::new(&post.problem);
    evaluator.load(&instance);
    (0..post.problem.conjuncts.len()).map(|i| evaluator.conjunct(i).expect("a verdict")).collect()
}

#[test]
fn a_back_tick_is_the_state_before() {
    assert_eq!(judge("same[list]", LIST, true, true), [true]);
    assert_eq!(judge("same[list]", LIST, true, false), [false]);
    assert_eq!(judge("some list.header.next", LIST, false, true), [true]);
    assert_eq!(judge("some list.header.(next`)", LIST, false, true), [false]);
}

#[test]
fn conjuncts_are_judged_apart() {
    assert_eq!(judge("some list.header.next and no list.header`.next`", LIST, false, true), [true, true]);
    assert_eq!(judge("some list.header.next and no list.header`.next`", LIST, true, true), [true, false]);
}

#[test]
fn with_var_fields_a_prime_is_the_state_after() {
    let spec = "sig Node { var next: lone Node }
sig List { var header: lone Node }
pred long[l: List] { some l.header.next }";
    assert_eq!(judge("long[list] and after long[list]", spec, true, false), [true, false]);
    assert_eq!(judge("some list.header'.next'", spec, false, true), [true]);
    assert_eq!(judge("list.header.next = none and some (Node <: next)'", spec, false, true), [true, true]);
}

#[test]
fn errors_point_into_the_text_of_the_contract() {
    let spec = load(LIST);
    let failure = spec
        .lower_precondition(&[param("list", "List")], &text("some list.headr", ""), &options())
        .map(|_| ())
        .expect_err("headr is no field");
    let places: Vec<String> = failure.diagnostics.iter().map(|d| place(&failure.sources, d)).collect();
    assert_eq!(places, ["1:11 `headr` no field or signature is called `headr`"]);
    assert!(show(&failure).contains("did you mean `header`"));
}

#[test]
fn conjuncts_are_called_by_what_they_say() {
    let spec = load(LIST);
    let post = spec
        .lower_postcondition(
            &[param("list", "List")],
            &text("", "acyclic[list] and some list"),
            &options(),
            &Widen { objects: vec![("Node".into(), 2)], ..Widen::default() },
        )
        .unwrap_or_else(|failure| panic!("{}", show(&failure)));
    let texts: Vec<&str> = post.origins.iter().map(|o| o.text.as_str()).collect();
    assert_eq!(texts, ["acyclic[list]", "some list"]);
    assert_eq!(post.problem.universe.len(), 5);
}
