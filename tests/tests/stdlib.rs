//! Every function of the standard library does what its module says.
//!
//! `tests/stdlib/NAME.als` states the laws of a module as checks and its known numbers as runs;
//! every name that a module declares occurs there. What has values is also held against values
//! computed here, in Rust: integers, properties of all relations over three atoms, sequences.

mod common;

use std::fmt::Write;

use common::{Outcome, classes, in_parallel, load, load_text, lower, outcome, root, specifications};
use tera_model::{LowerOptions, Target};

#[test]
fn the_laws_hold_and_the_numbers_are_right() {
    let told = in_parallel(&specifications("tests/stdlib"), |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let spec = load(path).unwrap_or_else(|error| panic!("{error}"));
        let mut told = Vec::new();
        for (index, command) in spec.commands.iter().enumerate() {
            let lowered = lower(&spec, &Target::Command(index), &LowerOptions::default());
            let expect = command.expect.expect("every command expects something");
            let got = lowered.and_then(|lowered| match expect.upto_iso {
                true => classes(&lowered, 100).map(|n| n as i64),
                false => outcome(&lowered).map(|outcome| i64::from(outcome == Outcome::Sat)),
            });
            if got != Ok(expect.value) {
                let (line, _) = spec.sources.line_column(command.span.file, command.span.start);
                told.push(format!("{name}:{line}: expects {}, got {got:?}", expect.value));
            }
        }
        told
    });
    let told: Vec<String> = told.into_iter().flatten().collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// The public names that a module declares.
fn declared(text: &str) -> Vec<&str> {
    let words = ["fun ", "pred ", "let ", "sig ", "one sig ", "lone sig ", "abstract sig "];
    let mut all = Vec::new();
    for line in text.lines() {
        let Some(rest) = words.iter().find_map(|word| line.strip_prefix(word)) else { continue };
        let end = rest.find(['[', ':', '{', '=']).unwrap_or(rest.len());
        let names = rest[..end].split(" extends ").next().and_then(|names| names.split(" in ").next());
        all.extend(names.into_iter().flat_map(|names| names.split(',')).map(str::trim));
    }
    all
}

#[test]
fn every_name_of_a_module_is_tested() {
    for directory in ["stdlib/util", "stdlib/tera"] {
        for path in specifications(directory) {
            let module = std::fs::read_to_string(&path).expect("a readable module");
            let laws = root().join("tests/stdlib").join(path.file_name().expect("a file"));
            let laws = std::fs::read_to_string(&laws).unwrap_or_else(|_| panic!("no laws for {path:?}"));
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let used: Vec<&str> = laws.split(|c| !is_part(c)).collect();
            let declared = declared(&module);
            assert!(!declared.is_empty(), "{path:?}");
            for name in declared {
                assert!(used.contains(&name), "{path:?}: `{name}` has no law");
            }
        }
    }
}

/// Each of `facts` holds in the specification that begins with `head`.
fn check_facts(head: &str, scope: &str, facts: &[String]) {
    common::with_stack(|| {
        for part in facts.chunks(200) {
            let mut text = format!("{head}\n");
            for fact in part {
                // One check for each, so that a failure names its fact.
                let _ = writeln!(text, "check {{ {fact} }} for {scope}");
            }
            let spec = load_text(&text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(spec.commands.len(), part.len());
            for (index, fact) in part.iter().enumerate() {
                let lowered = lower(&spec, &Target::Command(index), &LowerOptions::default());
                let lowered = lowered.unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(outcome(&lowered), Ok(Outcome::Unsat), "does not hold: {fact}");
            }
        }
    });
}

#[test]
fn integer_functions_compute_as_rust_does() {
    let mut facts = Vec::new();
    for a in -8i32..8 {
        let mut fact = format!("negate[{a}] = {} and signum[{a}] = {}", -a, a.signum());
        for b in -8i32..8 {
            let _ = write!(fact, " and plus[{a}, {b}] = {} and minus[{a}, {b}] = {}", a + b, a - b);
            let _ = write!(fact, " and mul[{a}, {b}] = {}", a * b);
            let _ = write!(fact, " and larger[{a}, {b}] = {} and smaller[{a}, {b}] = {}", a.max(b), a.min(b));
            if b != 0 {
                let _ = write!(fact, " and div[{a}, {b}] = {} and rem[{a}, {b}] = {}", a / b, a % b);
            }
            for (name, holds) in
                [("lt", a < b), ("gt", a > b), ("lte", a <= b), ("gte", a >= b), ("eq", a == b)]
            {
                let _ = write!(fact, " and {}{name}[{a}, {b}]", if holds { "" } else { "not " });
            }
        }
        facts.push(fact);
    }
    check_facts("", "4 Int", &facts);
}

type Edges = Vec<(usize, usize)>;

/// Pairs that can be reached in one or more steps.
fn closure(edges: &Edges) -> [[bool; 3]; 3] {
    let mut reach = [[false; 3]; 3];
    edges.iter().for_each(|&(a, b)| reach[a][b] = true);
    for k in 0..3 {
        for a in 0..3 {
            for b in 0..3 {
                reach[a][b] |= reach[a][k] && reach[k][b];
            }
        }
    }
    reach
}

#[test]
fn properties_of_all_relations_over_three_atoms_are_as_computed_here() {
    let nodes = 0..3usize;
    let mut facts = Vec::new();
    for code in 0..512usize {
        let pairs = (0..9).filter(|bit| code >> bit & 1 == 1).map(|bit| (bit / 3, bit % 3));
        let edges: Edges = pairs.collect();
        let has = |a: usize, b: usize| edges.contains(&(a, b));
        let reach = closure(&edges);
        let undirected = closure(&edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect());
        let all =
            |test: &dyn Fn(usize, usize) -> bool| nodes.clone().all(|a| nodes.clone().all(|b| test(a, b)));
        let out = |a: usize| nodes.clone().filter(|&b| has(a, b)).count();
        let into = |b: usize| nodes.clone().filter(|&a| has(a, b)).count();
        let reflexive = nodes.clone().all(|a| has(a, a));
        let symmetric = all(&|a, b| !has(a, b) || has(b, a));
        let antisymmetric = all(&|a, b| a == b || !has(a, b) || !has(b, a));
        let transitive = all(&|a, b| !has(a, b) || nodes.clone().all(|c| !has(b, c) || has(a, c)));
        let complete = all(&|a, b| a == b || has(a, b) || has(b, a));
        let acyclic = nodes.clone().all(|a| !reach[a][a]);
        let one_parent = nodes.clone().all(|b| into(b) <= 1);
        let roots = nodes.clone().filter(|&b| into(b) == 0).count();
        let strongly = all(&|a, b| a == b || reach[a][b]);
        let properties = [
            ("total[r, V]", nodes.clone().all(|a| out(a) >= 1)),
            ("functional[r, V]", nodes.clone().all(|a| out(a) <= 1)),
            ("function[r, V]", nodes.clone().all(|a| out(a) == 1)),
            ("surjective[r, V]", nodes.clone().all(|b| into(b) >= 1)),
            ("injective[r, V]", nodes.clone().all(|b| into(b) <= 1)),
            ("bijective[r, V]", nodes.clone().all(|b| into(b) == 1)),
            ("bijection[r, V, V]", nodes.clone().all(|a| into(a) == 1 && out(a) == 1)),
            ("reflexive[r, V]", reflexive),
            ("irreflexive[r]", nodes.clone().all(|a| !has(a, a))),
            ("symmetric[r]", symmetric),
            ("antisymmetric[r]", antisymmetric),
            ("transitive[r]", transitive),
            ("acyclic[r, V]", acyclic),
            ("complete[r, V]", complete),
            ("preorder[r, V]", reflexive && transitive),
            ("equivalence[r, V]", reflexive && transitive && symmetric),
            ("partialOrder[r, V]", reflexive && transitive && antisymmetric),
            ("totalOrder[r, V]", reflexive && transitive && antisymmetric && complete),
            ("undirected[r]", symmetric),
            ("noSelfLoops[r]", nodes.clone().all(|a| !has(a, a))),
            ("weaklyConnected[r]", all(&|a, b| a == b || undirected[a][b])),
            ("stronglyConnected[r]", strongly),
            ("rootedAt[r, A]", nodes.clone().all(|b| b == 0 || reach[0][b])),
            ("ring[r]", strongly && nodes.clone().all(|a| out(a) == 1)),
            ("dag[r]", acyclic),
            ("forest[r]", acyclic && one_parent),
            ("tree[r]", acyclic && one_parent && roots == 1),
            ("treeRootedAt[r, A]", acyclic && one_parent && nodes.clone().all(|b| b == 0 || reach[0][b])),
        ];
        let name = |n: usize| ["A", "B", "C"][n];
        let mut value = "none -> none".to_string();
        edges.iter().for_each(|&(a, b)| value += &format!(" + {} -> {}", name(a), name(b)));
        let told: Vec<String> = properties
            .iter()
            .map(|(text, holds)| format!("{}{text}", if *holds { "" } else { "not " }))
            .collect();
        facts.push(format!("let r = {value} | {}", told.join(" and ")));
    }
    let head = "open util/relation\nopen util/graph[V]\nabstract sig V {}\none sig A, B, C extends V {}";
    check_facts(head, "3", &facts);
}

#[test]
fn sequence_functions_compute_as_vectors_do() {
    // All sequences of up to three over two elements.
    let mut sequences: Vec<Vec<usize>> = vec![Vec::new()];
    for length in 1..=3u32 {
        sequences.extend((0..2usize.pow(length)).map(|n| (0..length).map(|i| n >> i & 1).collect()));
    }
    assert_eq!(sequences.len(), 15);
    let element = |e: usize| ["A", "B"][e];
    let literal = |items: &[usize]| {
        let pairs: Vec<String> =
            items.iter().enumerate().map(|(i, &e)| format!("{i} -> {}", element(e))).collect();
        if pairs.is_empty() { "(none -> none)".to_string() } else { format!("({})", pairs.join(" + ")) }
    };
    let optional = |n: Option<usize>| n.map_or("none".to_string(), |n| n.to_string());
    let mut facts = Vec::new();
    for s in &sequences {
        let mut fact = format!("let s = {} | ", literal(s));
        let mut say = |text: String| {
            let and = if fact.ends_with("| ") { "" } else { " and " };
            let _ = write!(fact, "{and}{text}");
        };
        let has_duplicates = (0..s.len()).any(|i| s[..i].contains(&s[i]));
        say("isSeq[s]".into());
        say(format!("#inds[s] = {}", s.len()));
        say(format!("{}hasDups[s]", if has_duplicates { "" } else { "not " }));
        say(format!("{}isEmpty[s]", if s.is_empty() { "" } else { "not " }));
        say(format!("lastIdx[s] = {}", optional(s.len().checked_sub(1))));
        say(format!("afterLastIdx[s] = {}", optional((s.len() < 3).then_some(s.len()))));
        let end = |e: Option<&usize>| e.map_or("none", |&e| element(e));
        say(format!("first[s] = {} and last[s] = {}", end(s.first()), end(s.last())));
        say(format!("rest[s] = {}", literal(s.get(1..).unwrap_or(&[]))));
        say(format!("butlast[s] = {}", literal(&s[..s.len().saturating_sub(1)])));
        for e in 0..2 {
            let name = element(e);
            say(format!("idxOf[s, {name}] = {}", optional(s.iter().position(|&x| x == e))));
            say(format!("lastIdxOf[s, {name}] = {}", optional(s.iter().rposition(|&x| x == e))));
            let mut longer = s.clone();
            longer.push(e);
            longer.truncate(3);
            say(format!("add[s, {name}] = {}", literal(&longer)));
            for i in 0..=s.len().min(2) {
                let mut inserted = s.clone();
                inserted.insert(i, e);
                inserted.truncate(3);
                say(format!("insert[s, {i}, {name}] = {}", literal(&inserted)));
            }
            for i in 0..s.len() {
                let mut set = s.clone();
                set[i] = e;
                say(format!("setAt[s, {i}, {name}] = {}", literal(&set)));
            }
        }
        for i in 0..s.len() {
            let mut deleted = s.clone();
            deleted.remove(i);
            say(format!("delete[s, {i}] = {}", literal(&deleted)));
            for j in i..s.len() {
                say(format!("subseq[s, {i}, {j}] = {}", literal(&s[i..=j])));
            }
        }
        for t in &sequences {
            let mut both = [s.as_slice(), t].concat();
            both.truncate(3);
            say(format!("append[s, {}] = {}", literal(t), literal(&both)));
        }
        facts.push(fact);
    }
    let head = "abstract sig E {}\none sig A, B extends E {}\none sig Q { q: seq E }";
    check_facts(head, "3 but 3 seq", &facts);
}
