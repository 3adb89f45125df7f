//! Points of the language, each by the number of nonisomorphic instances of a small specification,
//! counted by brute force over all valuations.

mod support;

use support::{check, deep};

#[test]
fn an_abstract_signature_is_the_union_of_its_children() {
    check("abstract sig A {} sig B, C extends A {} run {} for 3", 10);
    check("sig A {} sig B, C extends A {} run {} for 2", 1 + 3 + 6);
}

#[test]
fn exact_children_take_atoms_of_their_own() {
    check("sig A {} sig B extends A {} run {} for exactly 3 A, exactly 1 B", 1);
    check("sig A { f: lone A } sig B extends A {} run {} for exactly 2 A, exactly 1 B", 9);
    check("abstract sig A {} one sig B, C extends A {} run {} for 4", 1);
}

#[test]
fn a_child_scope_below_that_of_its_parent_is_a_bound() {
    check("sig A {} sig B extends A {} run {} for 3 A, 1 B", 1 + 2 + 2 + 2);
}

#[test]
fn subset_signatures_have_no_atoms_of_their_own() {
    check("sig A {} sig S, T in A {} run {} for 1", 1 + 4);
    check("abstract sig A {} sig B, C, D extends A {} sig S in B + C {} run {} for 2 A", 21);
    check("sig A {} sig B {} sig S = A + B {} run { #S = 2 } for 2", 3);
}

#[test]
fn fields_have_the_multiplicity_they_say() {
    check("sig A { f: lone A } run {} for exactly 2 A", 6);
    check("sig A { f: A } run {} for exactly 2 A", 3);
    check("sig A { f: some A } run {} for exactly 2 A", 6);
    check("sig A { f: set A } run {} for exactly 2 A", 10);
    check("one sig T { f: X -> lone Y } sig X, Y {} run {} for exactly 2 X, exactly 2 Y", 4);
    check("one sig T { f: X one -> some Y } sig X, Y {} run {} for exactly 2 X, exactly 2 Y", 1);
}

#[test]
fn fields_may_depend_on_this_and_on_each_other() {
    check("sig A { e: set A - this } run {} for exactly 2 A", 3);
    check("sig A { e: set A, s: lone e } run {} for exactly 1 A", 3);
    check("sig A { e: set A, two = e.@e } run {} for exactly 2 A", 10);
}

#[test]
fn disjoint_fields_on_either_side() {
    check("sig T { disj a, b: set P } sig P {} run {} for exactly 1 T, exactly 2 P", 6);
    check("sig S { who: disj G } sig G {} run {} for exactly 2 S, exactly 2 G", 1);
}

#[test]
fn appended_facts_speak_of_this() {
    check("sig A { e: set A } { this in e } run {} for exactly 2 A", 3);
    check("sig A { e: set A } { some @e } run {} for exactly 2 A", 9);
}

#[test]
fn overloaded_fields_are_told_apart_by_type() {
    check(
        "sig C { likes: set F } sig B { likes: lone C } sig F {}
         run { some c: C, b: B | c in b.likes and some c.likes } for 1 C, 1 B, 2 F",
        1 + 2,
    );
}

#[test]
fn a_field_called_next_is_found_beside_that_of_the_integers() {
    check("sig N { next: lone N } run { all n: N | n not in n.^next } for 2", 4);
    check(
        "sig N { next: lone N } one sig L { h: lone N }
         run { N in L.h.*next and all n: L.h.*next | n not in n.^next } for 2",
        1 + 1 + 1,
    );
}

#[test]
fn predicates_by_receiver_box_and_dot() {
    check(
        "sig A { f: set A }
         pred A.loop { this in this.f }
         fun both[x, y: A]: set A { x.f & y.f }
         run { all a: A | a.loop and a.both[a] = both[a, a] } for exactly 2 A",
        3,
    );
}

#[test]
fn parameters_are_part_of_the_instance() {
    check("sig A { f: lone A } pred p[x: A, y: A] { x.f = y } run p for 2", 7);
    check("sig A {} pred p[x: set A] { lone x } run p for 2 A", 1 + 2 + 2);
    check("sig A {} pred p[disj x, y: A] {} run p for exactly 2 A", 1);
    check("sig A {} pred p[r: A -> lone A] { some r } run p for exactly 1 A", 1);
}

#[test]
fn quantifiers_over_pairs_sets_and_nothing() {
    check("sig A { f: set A } run { one x, y: A | x -> y in f } for exactly 2 A", 2);
    check("sig A { f: set A } run { lone x: A | some x.f } for exactly 1 A", 2);
    check("sig A { f: set A } run { no disj x, y: A | x -> y in f } for exactly 2 A", 3);
}

#[test]
fn numbers_stay_numbers() {
    // In 4 bits: 8 and 9 are different numbers, though neither is an atom.
    check("run { plus[7, 1] = plus[7, 2] }", 0);
    check("run { plus[plus[7, 1], -1] = 7 }", 1);
    check("run { let n = plus[7, 1] | n = 8 and n > 7 and minus[n, 1] = 7 }", 1);
    check("fun twice[n: Int]: Int { plus[n, n] } run { twice[5] = 10 and twice[twice[5]] = 20 }", 1);
    check("run { (some univ => 9 else 2) = 9 }", 1);
}

#[test]
fn a_number_without_an_atom_is_no_set() {
    check("one sig A { v: lone Int } run { A.v = 3 } for 2 Int", 0);
    check("one sig A { v: lone Int } run { A.v = plus[1, 1] } for 2 Int", 0);
    check("one sig A { v: lone Int } run { A.v = plus[1, 0] } for 2 Int", 1);
}

#[test]
fn infix_plus_is_union() {
    check("run { 1 + 2 != 3 and 1 + 2 > 2 and 1 + 2 =< 3 }", 1);
    check("one sig A { v: set Int } run { A.v = 0 + 1 } for 2 Int", 1);
    check("one sig A { v: set Int } run { A.v - 1 = 0 and #A.v = 2 } for 2 Int", 1);
}

#[test]
fn integers_are_in_univ() {
    check("run { #univ = 16 and Int in univ and #iden = 16 }", 1);
    check("run { #univ = 4 } for 2 Int", 1);
    check("sig A {} run { #*(none -> none) = 5 } for exactly 1 A, 2 Int", 1);
}

#[test]
fn sequences_are_initial_segments() {
    check("sig E {} one sig Q { s: seq E } run {} for exactly 1 E, 2 seq", 3);
    check("sig E {} one sig Q { s: seq E } run {} for 5 but exactly 1 E, 2 Int", 2);
}

#[test]
fn ordered_signatures_have_one_order() {
    check("open util/ordering[T] sig T {} run {} for 3", 1);
    check("open util/ordering[T] sig T {} sig S extends T {} run { first in S } for exactly 2 T", 2);
    // Two blocks that are told apart: the order may interleave them.
    check("open util/ordering[T] abstract sig T {} one sig A, B extends T {} run {} for 2", 2);
    check("enum E { X, Y, Z } one sig P { at: E } run { P.at in X.next + Z.prev } for 3", 1);
}

#[test]
fn a_file_beside_the_model_wins_over_the_embedded_one() {
    let files = [
        ("dir/a.als", "open util/ordering[T]\nsig T {}\nrun { some own } for 1 but exactly 1 T"),
        ("dir/util/ordering.als", "module util/ordering[t]\nsig Mine { own: t }"),
    ];
    let spec = support::load_files(&files).unwrap_or_else(|failure| panic!("{}", support::show(&failure)));
    let lowered = support::lower(&spec, &tera_model::Target::Command(0), &Default::default());
    assert_eq!(support::classes(&lowered), 1);
}

#[test]
fn modules_are_one_per_list_of_arguments() {
    let files = [
        (
            "a.als",
            "open m[X] as p open m[X] as q open m[Y] as r\nsig X, Y {}\nrun { p/S = q/S and some r/S } for 1",
        ),
        ("m.als", "module m[t]\nsig S { f: lone t }"),
    ];
    let spec = support::load_files(&files).unwrap_or_else(|failure| panic!("{}", support::show(&failure)));
    let lowered = support::lower(&spec, &tera_model::Target::Command(0), &Default::default());
    // Two copies of S, with or without X and Y: r/S is there.
    let of_s = |n_target: usize| 1 + n_target; // S present: f empty or not
    let p = |x: usize| 1 + of_s(x);
    let r = of_s;
    let expected: usize = [0, 1].iter().flat_map(|&x| [0, 1].map(|y| p(x) * r(y))).sum();
    assert_eq!(support::classes(&lowered), expected);
}

#[test]
fn module_names_tell_where_to_look() {
    let files = [
        ("x/deep/down/a.als", "module deep/down/a\nopen deep/other/b\nrun { no B } for 1"),
        ("x/deep/other/b.als", "module deep/other/b\nopen deep/down/c\nsig B { c: C }"),
        ("x/deep/down/c.als", "module deep/down/c\nsig C {}"),
    ];
    let spec = support::load_files(&files).unwrap_or_else(|failure| panic!("{}", support::show(&failure)));
    let lowered = support::lower(&spec, &tera_model::Target::Command(0), &Default::default());
    assert_eq!(support::classes(&lowered), 2);
}

#[test]
fn macros_are_untyped_and_may_be_partial() {
    check(
        "sig A { f: lone A } sig B { g: lone A }
         let has[x, r] { some x.r }
         let swap[h, r, x] { h[x, r] }
         run { has[A, f] and swap[has, g, B] } for exactly 1 A, exactly 1 B",
        1,
    );
}

#[test]
fn meta_atoms_list_the_fields() {
    check(
        "sig A { f: lone A, g: set A } run { #A$.fields = 2 and A$f in A$.fields and A$.value = A } for 1",
        5,
    );
    check("sig A { f: lone A } run { all x: A$.fields | some x.value } for exactly 1 A", 1);
}

#[test]
fn strings_are_those_mentioned() {
    check("one sig A { s: lone String } fact { A.s != \"x\" } run { A.s != \"y\" }", 1);
    check("one sig A { s: lone String } run {} for exactly 2 String", 3);
}

#[test]
fn a_range_may_bound_the_integers() {
    check("one sig A { v: Int } run {} for 3, -1..4 Int", 6);
}

#[test]
fn long_chains_and_deep_trees_are_no_danger() {
    let chain = vec!["A"; 3000].join(" + ");
    let nested = format!("{}some A{}", "(".repeat(150), ")".repeat(150));
    let text = format!("sig A {{}} run {{ some {chain} and {nested} }} for 1");
    deep(|| check(&text, 1));
}

#[test]
fn nested_calls_are_lowered_once() {
    // Without sharing this would be two to the power of sixty.
    let mut text = String::from("sig A { f: lone A } pred p0[x: A] { some x.f }\n");
    for i in 1..60 {
        text += &format!("pred p{i}[x: A] {{ p{}[x] and p{0}[x.f] or p{0}[x] }}\n", i - 1);
    }
    text += "run { some x: A | p59[x] } for exactly 1 A";
    check(&text, 1);
}
