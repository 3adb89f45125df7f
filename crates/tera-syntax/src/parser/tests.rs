use crate::{FileId, Interner, MAX_DEPTH, MAX_NESTING, parse, parse_expression, parse_scope, print};

/// The tree of an expression, as text with all parentheses.
fn tree(text: &str) -> String {
    let mut interner = Interner::default();
    let (file, root, diagnostics) = parse_expression(FileId(0), text, &mut interner);
    assert_eq!(diagnostics, [], "{text}");
    print::expr(&file, root.unwrap(), &interner)
}

fn check(text: &str, expected: &str) {
    assert_eq!(tree(text), expected, "{text}");
    assert_eq!(tree(expected), expected, "what is printed is read as the same tree");
}

fn check_file(text: &str, expected: &str) {
    let mut interner = Interner::default();
    let (file, diagnostics) = parse(FileId(0), text, false, &mut interner);
    assert_eq!(diagnostics, [], "{text}");
    let printed = print::file(&file, &interner);
    assert_eq!(printed.trim_end(), expected, "{text}");
    let (file, diagnostics) = parse(FileId(0), &printed, false, &mut interner);
    assert_eq!(diagnostics, [], "{printed}");
    assert_eq!(print::file(&file, &interner), printed);
}

fn errors(text: &str) -> Vec<crate::Diagnostic> {
    parse(FileId(0), text, false, &mut Interner::default()).1
}

/// One error at the text between the marks `«` and `»`, whose message or help has `word`.
fn check_error(marked: &str, word: &str) {
    let start = marked.find('«').unwrap();
    let end = marked.find('»').unwrap() - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let errors = errors(&text);
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    let error = &errors[0];
    assert_eq!((error.span.start as usize, error.span.end as usize), (start, end), "{text}: {error:?}");
    let told = format!("{} {}", error.message, error.help.as_deref().unwrap_or(""));
    assert!(told.contains(word), "{text}: {told}");
}

#[test]
fn every_operator_binds_as_in_the_analyzer() {
    check("a or b iff c => d and e until not f = g", "a or (b iff (c => (d and (e until (not (f = g))))))");
    check(
        "a = b + #c ++ d & e -> f <: g :> h.~i'",
        "a = (b + (# (c ++ (d & (e  ->  (f <: (g :> (h.(~ (i'))))))))))",
    );
    check("no a + b", "no (a + b)");
    check("some a << b + c", "some (a << (b + c))");
    check("a ; b or c ; d", "a ; ((b or c) ; d)");
    check("always a and b", "(always a) and b");
    check("1 fun/add 2 fun/mul 3", "1 fun/add (2 fun/mul 3)");
}

#[test]
fn operators_associate_as_in_the_analyzer() {
    check("a - b - c", "(a - b) - c");
    check("a -> b -> c", "a  ->  (b  ->  c)");
    check("a => b => c", "a => (b => c)");
    check("a iff b iff c", "(a iff b) iff c");
    check("a.b.c[d].e", "(((a.b).c)[d]).e");
    check("a.b[c]", "(a.b)[c]");
    check("a until b until c", "(a until b) until c");
}

#[test]
fn spellings_of_one_operator_make_one_tree() {
    for text in ["a !in b", "a not in b", "a ! in b"] {
        check(text, "a not in b");
    }
    check("a =< b && c <= d || e", "((a <= b) and (c <= d)) or e");
    check("a <=> b implies c", "a iff (b => c)");
    check("a::b", "a.b");
    check("!a", "not a");
    check("sum a", "sum[a]");
    check("a.sum", "sum[a]");
    check("int[a] + int a + a.int", "((int[a]) + (int[a])) + (int[a])");
    check("a’", "a'");
}

#[test]
fn a_minus_before_digits_is_a_part_of_the_number_only_where_an_operand_begins() {
    check("a = -5", "a = (-5)");
    check("a -5", "a - 5");
    check("a.b[-1] - -2", "((a.b)[(-1)]) - (-2)");
    check("a' - 1", "(a') - 1");
}

#[test]
fn arrows_take_multiplicities_on_both_sides() {
    check("a one -> lone b", "a one -> lone b");
    check("a -> (b some -> c)", "a  ->  (b some ->  c)");
    check("a set -> set b", "a  ->  b");
}

#[test]
fn an_else_belongs_to_the_nearest_implication() {
    check("a => b => c else d", "a => (b => c else d)");
    check("a => b else c => d else e", "a => b else (c => d else e)");
    check("a or b => c else d", "a or (b => c else d)");
}

#[test]
fn a_quantifier_reaches_as_far_right_as_it_can() {
    check("a and all x: A | x in b and c", "a and (all x: A | (x in b) and c)");
    check("not some x: A | p or q", "not (some x: A | p or q)");
    check("#let x = a | x + b", "# (let x = a | x + b)");
    check("all x, y: A, disj z: some B { p q }", "all x, y: A, disj z: (some B) | { p q }");
    check("some x: A | a ; b", "some x: A | a ; b");
    check("no x: a.b | no x", "no x: (a.b) | no x");
    check("sum x: A | x.f", "sum x: A | x.f");
    check("let a = b, c = d | a", "let a = b, c = d | a");
}

#[test]
fn words_that_quantify_also_test() {
    check("some a & b", "some (a & b)");
    check("lone none and one a", "(lone none) and (one a)");
    check("{ x: one A | some x }", "{ x: (one A) | some x }");
    check("f[some a, b]", "f[(some a), b]");
}

#[test]
fn braces_hold_blocks_or_comprehensions() {
    check("{ a b }", "{ a b }");
    check("{ a }", "{ a }");
    check("{}", "{ }");
    check("{ a, b: A }", "{ a, b: A }");
    check("{ disj a, b: A | c }", "{ disj a, b: A | c }");
    check("{ disj[a, b] }", "{ (disj[a, b]) }");
    check("{ some a - b }", "{ (some (a - b)) }");
}

#[test]
fn names_may_be_qualified_with_blanks_around_the_slashes() {
    check("util / ordering / first", "util/ordering/first");
    check("this/A.(seq/first)", "this/A.seq/first");
    check("a.(seq/Int)", "a.seq/Int");
    check("@f.@g", "@f.@g");
    check("pred / totalOrder[a, b, c]", "pred/totalOrder[a, b, c]");
    check("fun / max + fun/next", "fun/max + fun/next");
    check("a.disj", "a.disj");
    check("A$.fields", "A$.fields");
}

#[test]
fn a_back_tick_marks_the_pre_state_of_a_name() {
    check("l.next`.elem` = 1", "((l.(next`)).(elem`)) = 1");
}

#[test]
fn literals_are_numbers_and_strings() {
    check("0x0F + 0b1_1", "15 + 3");
    check(r#""a \"b\" \\ \n""#, r#""a \"b\" \\ \n""#);
}

#[test]
fn signatures_with_everything() {
    check_file(
        "private abstract one sig A, B extends C { , f, g: lone D, , var private h: disj E, k = f.g, } { no f }",
        "private abstract one sig A, B extends C { f, g: (lone D), var private h: disj E, k = (f.g) } { (no f) }",
    );
    check_file("var sig A in B + this/C {}", "var sig A in B + this/C {  }");
    check_file("sig A = B + C { disj a, b: set C }", "sig A = B + C { disj a, b: (set C) }");
    check_file("private enum E { A, B }", "private enum E { A, B }");
}

#[test]
fn modules_and_opens() {
    check_file(
        "module a/b[exactly t, u] private open util / ordering [t, seq/Int, Int] as o open c",
        "module a/b[exactly t, u]\nprivate open util/ordering[t, seq/Int, Int] as o\nopen c",
    );
}

#[test]
fn facts_and_assertions_may_be_named_by_strings() {
    check_file(
        "fact \"no loops\" { a } fact f {} assert { b }",
        "fact \"no loops\" { a }\nfact f { }\nassert { b }",
    );
}

#[test]
fn predicates_functions_and_macros() {
    check_file(
        "pred A.p(x: B) { x } private fun f[]: set A { A } fun g: one A -> B { h }",
        "pred A.p[x: B] { x }\nprivate fun f: (set A) { A }\nfun g: (one (A  ->  B)) { h }",
    );
    check_file(
        "let m = a  let n[x, y] { x } private let o(x) = x one sig A {}",
        "let m = a\nlet n[x, y] = { x }\nprivate let o[x] = x\none sig A {  }",
    );
}

#[test]
fn commands_with_labels_scopes_and_expectations() {
    check_file(
        "run p for 3 but exactly 2 A, 5 int expect 1 l: check { a } for 2..4 A, 3.. B, 1..2:1 steps run q",
        "run p for 3, exactly 2 A, 5 Int expect 1\n\
         check l { a } for 2..4 A, 3.. B, 1..2:1 steps\nrun q",
    );
    check_file("run a for 3 b: run c for 3 B", "run a for 3\nrun b c for 3 B");
    check_file(
        "run first p => check second { q } for 1 => run r",
        "run first p\n=> check second { q } for 1\n=> run r",
    );
    check_file(
        "run {} for -2..7 Int, 4 seq, 2 String expect 5 upto iso",
        "run { } for -2..7 Int, 4 seq, 2 String expect 5 upto iso",
    );
    check_file("check p for 3 but 1..5 steps, 2:1 A", "check p for 3, 1..5 steps, 2:1 A");
}

#[test]
fn a_scope_alone_is_read_with_but_or_a_comma() {
    for text in ["3 but exactly 2 A", "3, exactly 2 A", "for 3 but exactly 2 A"] {
        let (scope, diagnostics) = parse_scope(FileId(0), text, &mut Interner::default());
        assert_eq!(diagnostics, [], "{text}");
        assert_eq!((scope.overall, scope.entries.len(), scope.entries[0].exactly), (Some(3), 1, true));
    }
    let (_, diagnostics) = parse_scope(FileId(0), "3 A B", &mut Interner::default());
    assert_eq!(diagnostics.len(), 1);
}

#[test]
fn errors_tell_what_was_expected_and_how_to_mend_it() {
    check_error("fact { some a + «}»", "expected an expression");
    check_error("fact { all x: A «x» in A }", "`|` or `{`");
    check_error("sig A { «after»: B }", "reserved");
    check_error("fact { a =«=» b }", "one `=`");
    check_error("fact { a in «set» b }", "parentheses");
    check_error("fact { a = «sum» x: A | x.f }", "parentheses");
    check_error("fact { all x: A { a } «and» b }", "parentheses");
    check_error("fact { a => all x: A { b } «else» c }", "parentheses");
    check_error("fact { «all» A }", "`all x: A | …`");
    check_error("pred p[«b'»: A] {}", "rename");
    check_error("fact { all «b'»: A | c }", "rename");
    check_error("sig A {} «module» m", "first line");
    check_error("sig A {} «open» m", "before all other");
    check_error("one «lone» sig A {}", "at most one");
    check_error("sig «A/B» {}", "cannot contain `/`");
    check_error("sig A { «part» x: B }", "no longer");
    check_error("«sgi» A {}", "did you mean `sig`");
    check_error("run {} for «3 univ»", "all signatures");
    check_error("run {} for «exactly 3 Int»", "delete `exactly`");
    check_error("run {} for «5..2 A»", "empty");
    check_error("run {} for «-1 A»", "negative");
    check_error("run {} for 4 Int, «5 Int»", "twice");
    check_error("fact { «99999999999» }", "too large");
    check_error("fact { «-» a }", "minus[0, e]");
    check_error("fact { a «%» b }", "rem[a, b]");
    check_error("fact { f[(«]» }", "expected an expression");
}

#[test]
fn spans_are_right_behind_letters_of_other_scripts() {
    check_error("sig Größe {} fact { Größe in «]» } sig B {}", "expected an expression");
}

#[test]
fn independent_errors_are_told_together() {
    let text = "sig A { f lone A }\nfact { some }\nsig B {}\npred p { a or }\nrun p for x\n";
    let lines: Vec<usize> =
        errors(text).iter().map(|e| text[..e.span.start as usize].matches('\n').count() + 1).collect();
    assert_eq!(lines, [1, 2, 4, 5]);
}

#[test]
fn an_open_brace_does_not_swallow_what_follows() {
    let mut interner = Interner::default();
    let text = "fact { some a\nsig B {}\nrun {} for 3";
    let (file, errors) = parse(FileId(0), text, false, &mut interner);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(file.paragraphs.len(), 2);
}

#[test]
fn nesting_is_limited_by_a_number() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("fact {{ {}some a{} }} sig B {{}}", open.repeat(n), close.repeat(n))
    };
    let nests: [(&str, &str, usize); 9] = [
        ("(", ")", 1),
        ("{", "}", 1),
        ("not ", "", 1),
        ("all x: A | ", "", 1),
        ("some a => ", "", 1),
        ("f[", "]", 1),
        ("a.(", ")", 2),
        ("let x = a | ", "", 1),
        ("some {x: A | ", "}", 2),
    ];
    for (open, close, per_level) in nests {
        let fits = MAX_NESTING as usize / per_level - 10;
        assert_eq!(errors(&deep(open, close, fits)), [], "{open} fits");
        let errors = errors(&deep(open, close, 10_000));
        assert_eq!(errors.len(), 1, "{open}: {errors:?}");
        assert!(errors[0].message.contains("levels deep"), "{open}: {}", errors[0].message);
    }
}

#[test]
fn long_chains_are_limited_by_a_number() {
    for link in [" + a", ".a", "[a]", " and a", "'"] {
        let text = |n: usize| format!("fact {{ a{} }}", link.repeat(n));
        assert_eq!(errors(&text(MAX_DEPTH as usize - 10)), [], "{link} fits");
        let errors = errors(&text(3 * MAX_DEPTH as usize));
        assert_eq!(errors.len(), 1, "{link}: {errors:?}");
        assert!(errors[0].message.contains("levels deep"), "{link}");
    }
    let wide = format!("fact {{ {} }}", "some a ".repeat(50_000));
    assert_eq!(errors(&wide), [], "a wide block is not deep");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Pieces of text that together reach every rule.
    const WORDS: &[&str] = &[
        "a",
        "b",
        "A",
        "x",
        "sig",
        "one",
        "some",
        "lone",
        "no",
        "all",
        "sum",
        "set",
        "seq",
        "disj",
        "let",
        "fact",
        "pred",
        "fun",
        "assert",
        "run",
        "check",
        "enum",
        "open",
        "module",
        "abstract",
        "private",
        "var",
        "extends",
        "in",
        "for",
        "but",
        "exactly",
        "expect",
        "as",
        "else",
        "and",
        "or",
        "not",
        "iff",
        "implies",
        "until",
        "always",
        "Int",
        "int",
        "univ",
        "iden",
        "none",
        "this",
        "String",
        "steps",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "|",
        ":",
        ",",
        ".",
        "..",
        "/",
        "->",
        "+",
        "-",
        "&",
        "=",
        "!",
        "<",
        ">=",
        "=>",
        "<=>",
        "#",
        "~",
        "^",
        "*",
        "++",
        "<:",
        ":>",
        "<<",
        ">>>",
        ";",
        "'",
        "`",
        "@",
        "0",
        "3",
        "0x0f",
        "\"s\"",
        "$",
        "ä",
        "%",
        "\"",
        "/*",
        "*/",
        "//",
        "\n",
        "{ x: A | ",
        "all x: A | ",
        "fun/add",
        "pred/totalOrder[",
        "run {} for 3 but ",
        "sig B { f: ",
    ];

    fn soup() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(WORDS), 0..60).prop_map(|words| words.join(" "))
    }

    /// Text that parses, printed, parses to the same tree; text that does not has errors inside it.
    fn check_any(text: &str) {
        let mut interner = Interner::default();
        let (file, diagnostics) = parse(FileId(0), text, false, &mut interner);
        for diagnostic in &diagnostics {
            let range = diagnostic.span.start as usize..diagnostic.span.end as usize;
            assert!(text.get(range).is_some(), "{text:?}: {diagnostic:?}");
        }
        let printed = print::file(&file, &interner);
        let (again, errors) = parse(FileId(0), &printed, false, &mut interner);
        assert_eq!(errors, [], "from {text:?}: {printed}");
        assert_eq!(print::file(&again, &interner), printed, "from {text:?}");
    }

    /// A formula with every operator, from a recipe of small numbers.
    fn formula() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "a",
            "b.c",
            "A",
            "1",
            "none",
            "x'",
            "@f",
            "f[a, b]",
            "{ y: A | some y }",
        ]);
        leaf.prop_map(str::to_string).prop_recursive(6, 60, 3, |inner| {
            let binary = prop::sample::select(vec![
                "+",
                "-",
                "&",
                "->",
                "one -> lone",
                ".",
                "<:",
                ":>",
                "++",
                "=",
                "in",
                "!in",
                "<",
                "and",
                "or",
                "=>",
                "iff",
                "until",
                ";",
                "fun/mul",
                "<<",
            ]);
            let unary = prop::sample::select(vec![
                "not ",
                "some ",
                "no ",
                "#",
                "~",
                "^",
                "*",
                "always ",
                "all x: A | ",
                "let z = a | ",
                "sum ",
                "seq ",
            ]);
            prop_oneof![
                (inner.clone(), binary, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
                (unary, inner.clone()).prop_map(|(op, a)| format!("{op}{a}")),
                inner.clone().prop_map(|a| format!("({a})")),
                (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| format!("{c} => {a} else {b}")),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC*") {
            check_any(&text);
        }

        #[test]
        fn no_mixture_of_words_makes_the_parser_panic(text in soup()) {
            check_any(&text);
        }

        #[test]
        fn what_parses_prints_as_the_same_tree(formula in formula()) {
            check_any(&format!("fact {{ {formula} }} run {{ {formula} }} for 3"));
        }
    }
}
