//! Errors and warnings: where they stand and what they say.

mod support;

use support::*;
use tera_model::{LowerOptions, Target};

/// The diagnostics of loading and, if that works, of lowering the first command.
fn diagnostics(text: &str) -> Vec<String> {
    match load_files(&[("a.als", text)]) {
        Err(failure) => failure.diagnostics.iter().map(|d| place(&failure.sources, d)).collect(),
        Ok(spec) => {
            let mut all: Vec<String> = spec.warnings.iter().map(|d| place(&spec.sources, d)).collect();
            if !spec.commands.is_empty()
                && let Err(failure) = spec.lower(&Target::Command(0), &LowerOptions::default())
            {
                all.extend(failure.diagnostics.iter().map(|d| place(&failure.sources, d)));
            }
            all
        }
    }
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(diagnostics(text), expected, "{text}");
}

#[test]
fn unknown_names() {
    check("sig A {} run { some Q }", &["1:21 `Q` no field or signature is called `Q`"]);
    check("sig A { f: Q }", &["1:12 `Q` no signature or field of this signature is called `Q`"]);
    check("sig A extends B {}", &["1:15 `B` there is no signature called `B`"]);
    check("run ghost", &["1:5 `ghost` there is no predicate or function called `ghost`"]);
    check("open util/order[A] sig A {}", &["1:1 `open util/order[A]` the module `util/order` is not found"]);
}

#[test]
fn several_independent_errors_in_one_run() {
    check(
        "sig A {}\nfact { some x }\npred p { some y }\nassert q { z in A }",
        &[
            "2:13 `x` no field or signature is called `x`",
            "3:15 `y` no field or signature is called `y`",
            "4:12 `z` no field or signature is called `z`",
        ],
    );
}

#[test]
fn what_follows_from_an_error_is_silent() {
    check(
        "sig A { f: Q, g: set f }\nfact { some f and some g }",
        &["1:12 `Q` no signature or field of this signature is called `Q`"],
    );
    check("pred p[x: Q] { some x }\nfact { p[none] }", &["1:11 `Q` no field or signature is called `Q`"]);
}

#[test]
fn suggestions() {
    let help = |text: &str| {
        let failure = load_files(&[("a.als", text)]).map(|_| ()).expect_err(text);
        failure.diagnostics[0].help.clone().unwrap_or_default()
    };
    assert_eq!(
        help("sig Node { next: lone Node }\nfact { all n: Node | n not in n.^nxt }"),
        "did you mean `next` (a field of Node, line 1)?"
    );
    let opened =
        |name: &str, opening: &str| format!("`{name}` is declared in the standard library: {opening}");
    assert_eq!(help("sig A { is: Bool }"), opened("Bool", "`open util/boolean`"));
    assert_eq!(
        help("sig A {} fact { acyclic[A, A] }"),
        opened("acyclic", "`open tera/shape` or `open util/relation`")
    );
    assert_eq!(
        help("sig A {} fact { some afterLastIdx }"),
        opened("afterLastIdx", "`open util/seqrel[…]` or `open util/sequence[…]` or `open util/sequniv`")
    );
    assert_eq!(help("sig A extends acyclic {}"), "");
    assert_eq!(help("sig Node {}\nfact { some Nod }"), "did you mean `Node` (a signature, line 1)?");
    assert_eq!(
        help("sig A {} pred good[a: A] {}\nfact { all a: A | god[a] }"),
        "did you mean `good` (a predicate, line 1)?"
    );
}

#[test]
fn arities() {
    check(
        "sig A { f: set A } run { some A + f }",
        &["1:31 `A + f` `+` needs two relations of the same arity"],
    );
    check("sig A { f: set A } run { A in f }", &["1:26 `A in f` `in` needs two relations of the same arity"]);
    check("sig A {} run { some ^A }", &["1:22 `A` `^` applies to binary relations only"]);
    check("sig A {} run { A.A = A }", &["1:16 `A.A` these two cannot be joined: both are sets"]);
}

#[test]
fn formulas_and_values() {
    check("sig A {} run { A }", &["1:16 `A` a formula is expected here, this is a value"]);
    check("sig A {} run { A > 1 }", &["1:16 `A` an integer is expected here"]);
    check("sig A {} run { some A + (no A) }", &["1:21 `A + (no A)` `+` needs two values, a formula is none"]);
    check("sig A {} run { !A }", &["1:17 `A` a formula is expected here, this is a value"]);
}

#[test]
fn calls() {
    check(
        "sig A {} pred p[x, y: A] { x = y } run { p[A] }",
        &["1:42 `p[A]` the predicate `p` takes 2 arguments, but 1 are given"],
    );
    check(
        "sig A {} sig B {} pred p[x: A] { some x } run { p[B] }",
        &["1:49 `p[B]` this is no correct call of p[x: {A}]"],
    );
    check(
        "sig A { f: lone A } pred p[x: A] { some x.f implies p[x.f] } run { all a: A | p[a] }",
        &["1:53 `p[x.f]` `p` calls itself, directly or through others"],
    );
}

#[test]
fn ambiguity() {
    check(
        "sig A { r: set T } sig B { r: set T } sig T {} run { some r }",
        &["1:59 `r` this name is ambiguous here: several meanings fit"],
    );
}

#[test]
fn hierarchy() {
    check("sig A extends A {}", &["1:5 `A` the signature `A` is its own ancestor"]);
    check("sig A extends B {} sig B extends A {}", &["1:24 `B` the signature `B` is its own ancestor"]);
    check("sig A {} sig A {}", &["1:14 `A` there are two signatures called `A`"]);
    check(
        "sig A {} sig S in A {} sig T extends S {}",
        &["1:28 `T` `T` cannot extend the subset signature `S`; only `in` is possible"],
    );
    check(
        "sig A { f: A } sig B extends A { f: A }",
        &["1:34 `f` the signatures A and B overlap, but both have a field `f`"],
    );
}

#[test]
fn scopes() {
    check("sig A, B {} run {} for 2 A", &["1:24 `2 A` the command gives no scope for the signature `B`"]);
    check(
        "one sig A {} run {} for 2 A",
        &["1:25 `2 A` the signature `A` is `one`, so its scope is 1, not 2"],
    );
    check(
        "sig A {} sig S in A {} run {} for 3 but 1 S",
        &["1:41 `1 S` `S` is a subset signature: it has no atoms of its own and takes no scope"],
    );
    check(
        "enum E { X } run {} for exactly 2 E",
        &["1:25 `exactly 2 E` the enum `E` has its constants and takes no scope"],
    );
    check(
        "sig A {} run {} for 1000000000",
        &["1:21 `1000000000` this scope has 1000000000 atoms, at most 65536 can be handled"],
    );
}

#[test]
fn time_is_not_supported_yet_and_says_so() {
    check(
        "sig A { var f: set A } run { some f }",
        &["1:13 `f` temporal specifications are not supported yet"],
    );
    check(
        "sig A {} run { always some A }",
        &["1:16 `always some A` temporal operators are not supported yet"],
    );
}

#[test]
fn warnings() {
    check("sig A {} sig B {} run { some A & B }", &["1:30 `A & B` `&` of values that are always disjoint"]);
    check(
        "sig A {} sig B {} run { A in B }",
        &["1:25 `A in B` `in` between values that are always disjoint"],
    );
    check("sig A {} run { all x: A | some A }", &["1:20 `x` the variable `x` is never used"]);
    check(
        "sig A { f: lone B } sig B {} run { ^f = f }",
        &["1:36 `^f` this closure adds nothing: domain and range are disjoint"],
    );
    check("sig A {} run { sum[A] = 0 }", &["1:20 `A` this set holds no integers, so its sum is 0"]);
}

#[test]
fn private_names_say_whose_they_are() {
    let files =
        [("a.als", "open vault\nfact { some Coin }"), ("vault.als", "module vault\nprivate sig Coin {}")];
    let failure = load_files(&files).map(|_| ()).expect_err("private");
    assert_eq!(failure.diagnostics[0].help.as_deref(), Some("`Coin` is private to the module vault"));
}

#[test]
fn modules_that_open_each_other() {
    let files = [("a.als", "module a\nopen b"), ("b.als", "module b\nopen a")];
    let failure = load_files(&files).map(|_| ()).expect_err("a cycle");
    let places: Vec<String> = failure.diagnostics.iter().map(|d| place(&failure.sources, d)).collect();
    assert_eq!(places, ["2:1 `open a` the module `a` opens itself, directly or through others"]);
}

#[test]
fn what_a_specification_declares_is_limited_by_a_number() {
    let many = |n: usize, piece: &dyn Fn(usize) -> String| (0..n).map(piece).collect::<String>();
    let first = |text: String| diagnostics(&text).remove(0);
    let names = "this specification has more than 16384 names, facts and commands";
    for text in [
        many(16_385, &|i| format!("sig S{i} {{}} ")),
        format!("sig A {{ {} f: A }}", many(16_384, &|i| format!("f{i}: A, "))),
        format!("enum E {{ {} last }}", many(16_384, &|i| format!("e{i}, "))),
        many(17_000, &|i| format!("pred p{i} {{}} ")),
        many(17_000, &|_| "run {} ".into()),
        many(17_000, &|_| "fact {} ".into()),
        format!("sig {} Z {{ f, g: Z }}", many(8_000, &|i| format!("A{i}, "))),
    ] {
        let said = first(text);
        assert!(said.ends_with(names), "{said}");
    }
    let opens = first(many(1001, &|i| format!("open util/ordering[A] as o{i} ")) + "sig A {}");
    assert!(opens.ends_with("this specification has more than 1000 modules opened"), "{opens}");
}

#[test]
fn the_nesting_of_calls_is_limited_by_a_number() {
    let chain = |n: usize| {
        let preds: String = (0..n).map(|i| format!("pred p{i}[x: A] {{ p{}[x] }} ", i + 1)).collect();
        diagnostics(&format!("sig A {{}} {preds} pred p{n}[x: A] {{ some x }} run p0 for 1"))
    };
    assert_eq!(chain(249), Vec::<String>::new());
    let said = chain(251).remove(0);
    assert!(said.ends_with("calls nest more than 250 levels deep"), "{said}");
}
