//! The binary as its users meet it: what it prints, where, and with which exit code.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn tera_in(dir: &Path, args: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tera"))
        .args(args)
        .current_dir(dir)
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tera starts");
    // A program that does not read its input is no reason to fail.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("tera ends");
    let text = |bytes: Vec<u8>| timeless(&String::from_utf8(bytes).expect("output is UTF-8"));
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// A fresh directory with the list of the README and a few wrong files.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a directory"));
        place.write("list.als", LIST);
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, text).expect("the file is written");
        path
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).expect("the file is there")
    }

    fn tera(&self, args: &[&str]) -> Ran {
        tera_in(self.path(), args, "")
    }

    fn check(&self, args: &[&str], code: i32, out: &str) {
        let ran = self.tera(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), out), "tera {args:?}\n{}", ran.err);
    }

    /// Nothing but a message that holds `words`, and exit code 2.
    fn check_mistake(&self, args: &[&str], words: &[&str]) {
        let ran = self.tera(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "tera {args:?}\n{}", ran.err);
        for word in words {
            assert!(ran.err.contains(word), "tera {args:?} does not say `{word}`:\n{}", ran.err);
        }
    }
}

/// Numbers in front of ` ms` and ` s` become `T`.
fn timeless(text: &str) -> String {
    let mut out = String::new();
    for (i, line) in text.split('\n').enumerate() {
        let mut words: Vec<String> = line.split(' ').map(str::to_string).collect();
        for w in 1..words.len() {
            let unit = words[w].trim_end_matches(';');
            if (unit == "ms" || unit == "s") && words[w - 1].parse::<f64>().is_ok() {
                words[w - 1] = "T".into();
                words[w] = words[w].replace("ms", "s");
            }
        }
        out += if i > 0 { "\n" } else { "" };
        out += &words.join(" ");
    }
    out
}

const LIST: &str = "\
one sig List { header: lone Node }
sig Node { next: lone Node, elem: one Int }
fact shape {
  all n: Node | n not in n.^next
  Node = List.header.*next
}
pred sorted { all n: Node | some n.next implies n.elem <= n.next.elem }
run sorted for 2 but 0..1 Int
check { all n: Node | n.elem = 0 } for 2 but 0..1 Int
";

#[test]
fn gen_prints_every_instance_the_count_the_verdict_and_the_scope() {
    let place = Place::new();
    place.check(
        &["gen", "list.als", "--scope", "1"],
        0,
        "  0  List → Node0(0)\n  1  List → Node0(1)\n  2  List → ∅\n\
         3 instances, all there are: 1 List, at most 1 Node, Int 0..1; none isomorphic to another; T s\n",
    );
    place.check(
        &["gen", "list.als", "--scope", "4", "--limit", "1"],
        0,
        "  0  List → Node0(0) → Node1(0) → Node2(0) → Node3(0)\n\
         1 instance, stopped at the limit: 1 List, at most 4 Node, Int 0..4; T s\n",
    );
    place.check(&["gen", "-", "--count"], 0, "1 instance, all there are: no signatures; T s\n");
}

#[test]
fn gen_takes_the_named_predicate_and_its_parameters() {
    let place = Place::new();
    place.write("p.als", "sig A {}\npred p[x: A, y: set A] { x in y }\n");
    place.check(
        &["gen", "p.als", "--pred", "p", "--scope", "1"],
        0,
        "  0  A = A0\n     x = A0\n     y = A0\n\
         1 instance, all there are: at most 1 A; T s\n",
    );
    place.check_mistake(&["gen", "p.als", "--pred", "q"], &["`q`"]);
}

#[test]
fn growth_tells_how_many_classes_are_new() {
    let place = Place::new();
    let ran = place.tera(&["gen", "list.als", "--scope", "1..3", "--count", "--pred", "sorted"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // Sorted lists of up to n out of the n + 1 values 0..n: the sum of C(n + k, k).
    let rows: Vec<Vec<&str>> =
        ran.out.lines().skip(1).map(|l| l.split_whitespace().take(3).collect()).collect();
    assert_eq!(rows, [["1", "3", "3"], ["2", "10", "7"], ["3", "35", "25"]]);
    let new = place.tera(&["gen", "list.als", "--scope", "1..2", "--only-new", "--pred", "sorted"]);
    assert_eq!(new.out.matches("List →").count(), 10, "3 of scope 1 and 7 of scope 2:\n{}", new.out);
    place.check_mistake(&["gen", "list.als", "--only-new"], &["range of scopes"]);
    for option in ["--far", "--orbits", "--verify"] {
        place.check_mistake(&["gen", "list.als", "--scope", "1..3", option], &[option, "--scope 3"]);
    }
}

#[test]
fn a_new_instance_uses_an_atom_that_was_not_there() {
    let place = Place::new();
    let growth = |file: &str, options: &[&str]| -> Vec<[u64; 2]> {
        let ran = place.tera(&[&["gen", file, "--scope", "1..3"], options].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let cell = |cell: &str| cell.parse().expect("a number");
        let rows = ran.out.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<&str>>());
        rows.map(|row| [cell(row[1]), cell(row[2])]).collect()
    };
    // Sets of the integers from 0 to n: half of them hold n.
    place.write("ints.als", "sig S in Int {}\n");
    assert_eq!(growth("ints.als", &[]), [[4, 4], [8, 4], [16, 8]]);
    // Labelled instances that use only old atoms are those of the scope before.
    place.write("g.als", "sig A { f: lone A, g: lone Int }\n");
    for options in [&[][..], &["--labelled"]] {
        let rows = growth("g.als", options);
        for pair in rows.windows(2) {
            assert_eq!(pair[1][1], pair[1][0] - pair[0][0], "{options:?}: {rows:?}");
        }
    }
}

#[test]
fn run_executes_all_commands_and_the_gravest_counts() {
    let place = Place::new();
    let ran = place.tera(&["run", "list.als"]);
    assert_eq!(ran.code, Some(1), "a check fails: {}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("run sorted for 2 but 0..1 Int"), "{}", ran.out);
    assert!(lines[0].contains("sat  ") && lines[0].ends_with("list.als:8"), "{}", ran.out);
    assert!(lines.iter().any(|l| l.starts_with("check check$2") && l.contains("fails")), "{}", ran.out);
    assert_eq!(lines.last(), Some(&"2 commands, 1 as expected, 1 not as expected"));
    assert_eq!(place.tera(&["run", "list.als", "--command", "0"]).code, Some(0));
    assert_eq!(place.tera(&["run", "list.als", "--command", "sorted"]).code, Some(0));
    place.check_mistake(&["run", "list.als", "--command", "7"], &["no command 7", "0: sorted"]);
    place.check_mistake(&["run", "list.als", "--command", "nope"], &["`nope`", "0: sorted"]);
}

#[test]
fn expectations_decide_the_exit_code() {
    let place = Place::new();
    let check = |command: &str, code: i32| {
        place.write("e.als", &format!("sig A {{ f: set A }}\n{command}\n"));
        let ran = place.tera(&["run", "e.als"]);
        assert_eq!(ran.code, Some(code), "{command}\n{}{}", ran.out, ran.err);
    };
    check("run {} for 2", 0);
    check("run {} for 2 expect 1", 0);
    check("run {} for 2 expect 0", 1);
    check("run { some none } for 2", 0);
    check("run { some none } for 2 expect 1", 1);
    check("check { no none } for 2", 0);
    check("check { some none } for 2", 1);
    check("check { some none } for 2 expect 1", 0);
    // No atom; one atom with or without a loop; the ten digraphs on two.
    check("run {} for 2 expect 13 upto iso", 0);
    check("run {} for 2 expect 12 upto iso", 1);
    check("run {} for 2 expect 14 upto iso", 1);
}

#[test]
fn json_lines_have_the_promised_keys() {
    let place = Place::new();
    let json = |args: &[&str]| -> Vec<serde_json::Value> {
        let ran = place.tera(args);
        ran.out.lines().map(|l| serde_json::from_str(l).expect(l)).collect()
    };
    let lines = json(&["gen", "list.als", "--scope", "1", "--format", "json"]);
    assert_eq!(lines[0]["type"], "header");
    assert_eq!(lines[0]["version"], 1);
    assert_eq!(
        lines[1].to_string(),
        r#"{"type":"instance","index":0,"sigs":{"List":["List$0"],"Node":["Node$0"]},"fields":{"List.header":[["List$0","Node$0"]],"Node.next":[],"Node.elem":[["Node$0",0]]},"params":{},"skolems":{}}"#
    );
    assert_eq!(
        lines[4].to_string(),
        r#"{"type":"summary","count":3,"verdict":"exhausted","scope":"1 List, at most 1 Node, Int 0..1"}"#
    );
    let lines = json(&["run", "list.als", "--format", "json", "--count"]);
    let expected = r#"{"type":"command","index":0,"kind":"run","label":"sorted","scope":"1 List, at most 2 Node, Int 0..1","outcome":"sat","expect":null,"met":null,"classes":6,"verdict":"exhausted"}"#;
    assert_eq!(lines[0].to_string(), expected);
    place.write("bad.als", "sig A {}\nfact { some B }\n");
    let lines = json(&["run", "bad.als", "--format", "json"]);
    assert_eq!(lines.len(), 1);
    for (key, value) in [("type", "diagnostic"), ("severity", "error"), ("file", "bad.als")] {
        assert_eq!(lines[0][key], value);
    }
    assert_eq!((lines[0]["line"].as_u64(), lines[0]["column"].as_u64()), (Some(2), Some(13)));
}

#[test]
fn mistakes_are_said_with_their_place_and_exit_with_2() {
    let place = Place::new();
    place.write("nxt.als", &LIST.replace("n.^next", "n.^nxt"));
    place.check_mistake(&["gen", "nxt.als"], &["nxt.als:4:", "`nxt`", "`next`", "line 2"]);
    std::fs::create_dir(place.path().join("dir.als")).expect("a directory");
    place.check_mistake(&["gen", "dir.als"], &["dir.als", "is a directory"]);
    place.check_mistake(&["gen", "missing.als"], &["missing.als", "no such file"]);
    std::fs::write(place.path().join("latin.als"), b"// gr\xfcn\nsig A {}\n").expect("written");
    place.check_mistake(&["gen", "latin.als"], &["not UTF-8", "0xfc", "line 1"]);
    place.write("nul.als", "sig A {}\n\0");
    place.check_mistake(&["gen", "nul.als"], &["NUL", "line 2"]);
    place.write("deep.als", &format!("fact {{ {} no univ {} }}", "(".repeat(10_000), ")".repeat(10_000)));
    place.check_mistake(&["gen", "deep.als"], &["deep.als:1:", "deep"]);
    place.check_mistake(&["gen", "list.als", "--scope", "1000000000"], &["atoms"]);
    place.check_mistake(&["gen", "list.als", "--scope", "3 but 2 Nodes"], &["`Nodes`"]);
    place.check_mistake(&["gen", "list.als", "--scope", "3..1"], &["empty"]);
    place.check_mistake(&["gen", "list.als", "--shard", "4/3"], &["part 4 of 3"]);
    place.check_mistake(&["gen", "list.als", "--timeout", "0"], &["positive number"]);
    place.check_mistake(&["gen"], &["Usage"]);
    place.check_mistake(&["generate"], &["gen"]);
}

#[test]
fn denied_warnings_are_errors() {
    let place = Place::new();
    place.write("warn.als", "sig A {}\nsig B {}\nrun { no A & B } for 1\n");
    let ran = place.tera(&["run", "warn.als"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("warning: "), "{}", ran.err);
    place.check_mistake(&["run", "warn.als", "--deny", "warnings"], &["error: ", "warn.als:3:"]);
}

#[test]
fn directories_hold_one_whole_file_per_instance_and_can_be_resumed() {
    let place = Place::new();
    let args = ["gen", "list.als", "--scope", "3", "--format", "dot", "-o", "out"];
    let ran = place.tera(&args);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    let names = || -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(place.path().join("out"))
            .expect("the directory is there")
            .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let all = names();
    assert_eq!(all.len(), 35 + 2, "{all:?}");
    assert_eq!((all[0].as_str(), all[34].as_str()), ("00.dot", "34.dot"));
    assert!(place.read("out/summary.json").contains(r#""count":35,"verdict":"exhausted""#));
    // A second run must not mix with it; --resume writes exactly what is missing.
    place.check_mistake(&args, &["--resume"]);
    let (kept, gone) = (place.read("out/03.dot"), place.read("out/07.dot"));
    place.write("out/03.dot", "untouched");
    std::fs::remove_file(place.path().join("out/07.dot")).expect("it is there");
    let again = place.tera(&[&args[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("34 of them from before"), "{}", again.err);
    assert_eq!(names(), all);
    assert_eq!(place.read("out/03.dot"), "untouched");
    assert_eq!(place.read("out/07.dot"), gone);
    assert!(kept.starts_with("digraph"));
    // A number has one name, whatever the limit.
    let limited = ["gen", "list.als", "--scope", "3", "--format", "dot", "-o", "some", "--limit", "5"];
    assert_eq!(place.tera(&limited).code, Some(0));
    assert_eq!(place.tera(&[&limited[..8], &["--resume"]].concat()).code, Some(0));
    let files = std::fs::read_dir(place.path().join("some")).expect("the directory is there").count();
    assert_eq!(files, 35 + 2);
    place.check_mistake(&[&args[..4], &["-o", "out", "--resume"]].concat(), &["its files are \"dot\""]);
    // Another scope is another run.
    place.check_mistake(
        &["gen", "list.als", "--scope", "1", "--format", "dot", "-o", "out", "--resume"],
        &["different scopes"],
    );
}

#[test]
fn saved_instances_are_viewed_and_evaluated() {
    let place = Place::new();
    for format in ["json", "xml"] {
        let dir = format!("out-{format}");
        let ran = place.tera(&["gen", "list.als", "--scope", "3", "--format", format, "-o", &dir]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let file = format!("{dir}/01.{format}");
        let eval = |expression: &str, value: &str| {
            place.check(&["eval", "list.als", "--instance", &file, expression], 0, &format!("{value}\n"));
        };
        eval("#List.header.*next", "3");
        eval("List.header.next", "{Node1}");
        eval("next", "{Node0→Node1, Node1→Node2}");
        eval("all n: Node | some n.elem", "true");
        eval("plus[2, 3]", "5");
        let view = place.tera(&["view", &file]);
        assert!(view.out.ends_with("List → Node0(0) → Node1(0) → Node2(1)\n"), "{}{}", view.out, view.err);
        place.check_mistake(&["eval", "list.als", "--instance", &file, "#Nod"], &["`Nod`", "Node"]);
    }
    let stream = place.tera(&["gen", "list.als", "--scope", "1", "--format", "json"]).out;
    let ran = tera_in(place.path(), &["view", "-"], &stream);
    assert_eq!(ran.out, "  0  List → Node0(0)\n  1  List → Node0(1)\n  2  List → ∅\n");
    place.check_mistake(&["view", "list.als"], &["not JSON"]);
    place.check_mistake(&["view", "none.json"], &["none.json"]);
}

#[test]
fn shards_are_merged_only_when_they_belong_together_and_none_is_missing() {
    let place = Place::new();
    let shard = |name: &str, scope: &str, part: &str, count: bool| {
        let mut args = vec!["gen", "list.als", "--scope", scope, "--format", "json", "--shard", part];
        if count {
            args.push("--count");
        }
        let ran = place.tera(&args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        place.write(name, &ran.out);
    };
    for (name, part) in [("1", "1/3"), ("2", "2/3"), ("3", "3/3")] {
        shard(name, "3", part, false);
        shard(&format!("c{name}"), "3", part, true);
    }
    shard("other", "2", "2/3", false);
    let merged = place.tera(&["merge", "2", "1", "3"]);
    assert_eq!(merged.code, Some(0), "{}", merged.err);
    let bodies = |text: &str| -> Vec<String> {
        let mut all: Vec<String> =
            text.lines().filter_map(|l| l.split_once("\"sigs\":{")).map(|l| l.1.to_string()).collect();
        all.sort();
        all
    };
    let whole = place.tera(&["gen", "list.als", "--scope", "3", "--format", "json"]).out;
    assert_eq!(bodies(&merged.out), bodies(&whole), "each instance once");
    let indices: Vec<u64> = merged
        .out
        .lines()
        .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).expect(l)["index"].as_u64())
        .collect();
    assert_eq!(indices, (0..35).collect::<Vec<u64>>());
    let counts = place.tera(&["merge", "--count", "c1", "c2", "c3"]);
    assert!(counts.out.contains(r#""count":35,"verdict":"exhausted""#), "{}{}", counts.out, counts.err);
    place.check_mistake(&["merge", "1", "3"], &["missing", "2/3"]);
    place.check_mistake(&["merge", "1", "1", "3"], &["both part 1"]);
    place.check_mistake(&["merge", "1", "other", "3"], &["different scopes"]);
    let whole = place.read("2");
    let lines: Vec<&str> = whole.lines().collect();
    let damaged = [lines[1].replace("Node$0", "Node$1"), lines[2].to_string(), lines[1][..40].to_string()];
    for line in &damaged {
        place.write("damaged", &whole.replacen(lines[1], line, 1));
        place.check_mistake(&["merge", "1", "damaged", "3"], &["damaged", "checksum"]);
    }
    place.write("text", "  0  List\n");
    place.check_mistake(&["merge", "1", "text", "3"], &["text, line 1"]);
    let cut = whole;
    place.write("2", &cut[..cut.rfind("{\"type\":\"summary\"").expect("a summary")]);
    place.check_mistake(&["merge", "1", "2", "3"], &["no summary"]);
}

#[test]
fn orbits_certify_the_count_and_samples_repeat() {
    let place = Place::new();
    place.write("g.als", "sig A { f: set A }\nrun {} for exactly 3 A\n");
    let ran = place.tera(&["gen", "g.als", "--certify", "receipt.json"]);
    // 512 relations on three atoms fall into 104 classes.
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("certified: 104 classes with orbits of 512"), "{}", ran.out);
    let receipt: serde_json::Value = serde_json::from_str(&place.read("receipt.json")).expect("JSON");
    assert_eq!((receipt["classes"].as_u64(), receipt["agree"].as_bool()), (Some(104), Some(true)));
    let sample =
        |seed: &str| place.tera(&["gen", "g.als", "--sample", "3", "--seed", seed, "--format", "json"]);
    let (one, two, other) = (sample("1"), sample("1"), sample("2"));
    assert_eq!(one.out, two.out);
    assert_ne!(one.out, other.out);
    assert_eq!(one.out.matches("\"type\":\"instance\"").count(), 3);
    assert!(one.out.contains("drawn uniformly from all 104"), "{}", one.out);
    let far = place.tera(&["gen", "g.als", "--far", "--limit", "2", "--format", "json"]);
    // The empty relation and the full one differ most.
    let pairs: Vec<usize> = far
        .out
        .lines()
        .filter(|l| l.starts_with("{\"type\":\"instance\""))
        .map(|l| l.matches("[\"A$").count() - 1)
        .collect();
    assert_eq!(pairs.iter().max().zip(pairs.iter().min()), Some((&9, &0)), "{}", far.out);
}

#[test]
fn output_does_not_change_from_run_to_run_or_with_threads() {
    let place = Place::new();
    let args = ["gen", "list.als", "--scope", "3", "--format", "json"];
    let first = place.tera(&args).out;
    assert_eq!(place.tera(&args).out, first);
    assert_eq!(place.tera(&[&args[..], &["--threads", "3"]].concat()).out, first);
    let verified = place.tera(&[&args[..], &["--verify"]].concat());
    assert_eq!((verified.code, verified.out), (Some(0), first));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    use std::io::{BufRead, BufReader};
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tera"))
        .args(["gen", "list.als", "--scope", "6"])
        .current_dir(place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("tera starts");
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().expect("piped"));
    reader.read_line(&mut line).expect("a line");
    drop(reader);
    let output = child.wait_with_output().expect("tera ends");
    assert_eq!(line, "  0  List → Node0(0) → Node1(0) → Node2(0) → Node3(0) → Node4(0) → Node5(0)\n");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[cfg(unix)]
#[test]
fn what_kill_9_cut_off_is_resumed_to_the_same_files() {
    let place = Place::new();
    place.write("many.als", "sig A { f: set A }\nrun {} for exactly 4 A\n");
    let args = |out: &'static str| ["gen", "many.als", "--format", "dot", "-o", out];
    let contents = |out: &str| -> Vec<(String, String)> {
        let entries = std::fs::read_dir(place.path().join(out)).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut all: Vec<_> =
            names.map(|name| (name.clone(), place.read(&format!("{out}/{name}")))).collect();
        all.sort();
        all
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_tera"))
        .args(args("cut"))
        .current_dir(place.path())
        .stderr(Stdio::null())
        .spawn()
        .expect("tera starts");
    let some = place.path().join("cut/0020.dot");
    while !some.exists() && child.try_wait().expect("a child").is_none() {
        std::thread::yield_now();
    }
    child.kill().expect("a signal is sent");
    child.wait().expect("tera ends");
    let before = contents("cut").len();
    assert!(
        !place.path().join("cut/summary.json").exists(),
        "all {before} files were there before the signal"
    );
    let again = place.tera(&[&args("cut")[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(
        again.err.contains("3,044 instances") && again.err.contains("of them from before"),
        "{}",
        again.err
    );
    let whole = place.tera(&args("whole"));
    assert_eq!(whole.code, Some(0), "{}", whole.err);
    assert_eq!(contents("cut"), contents("whole"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_the_summary_and_exits_with_3() {
    use std::io::{BufRead, BufReader, Read};
    let place = Place::new();
    place.write("big.als", "sig A { f: set A }\nrun {} for exactly 9 A\n");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tera"))
        .args(["gen", "big.als", "--format", "json"])
        .current_dir(place.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("tera starts");
    let mut reader = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("the header");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("the rest");
    assert_eq!(child.wait().expect("tera ends").code(), Some(3));
    let last = rest.lines().last().expect("a summary");
    assert!(last.contains("\"type\":\"summary\"") && last.contains("\"verdict\":\"interrupted\""), "{last}");
}

#[test]
fn a_timeout_is_undecided() {
    let place = Place::new();
    place.write("big.als", "sig A { f: set A }\nrun {} for exactly 9 A\n");
    let ran = place.tera(&["gen", "big.als", "--count", "--timeout", "0.2"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.out.contains("not all: the time is over"), "{}", ran.out);
}

#[test]
fn help_names_the_exit_codes() {
    let place = Place::new();
    let ran = place.tera(&["--help"]);
    assert_eq!(ran.code, Some(0));
    for word in ["gen", "run", "check", "init", "eval", "view", "merge", "70 a fault"] {
        assert!(ran.out.contains(word), "{word}\n{}", ran.out);
    }
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_readme_tells_what_tera_prints() {
    let text = std::fs::read_to_string(root().join("README.md")).expect("the README is there");
    let mut checked = 0;
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("a block ends");
        for part in block.split("$ ").skip(1) {
            let (command, expected) = part.split_once('\n').expect("a command is a line");
            if expected.trim().is_empty() {
                continue;
            }
            let args: Vec<String> = words(command);
            assert_eq!(args[0], "tera");
            let args: Vec<&str> = args[1..].iter().map(String::as_str).collect();
            let ran = tera_in(&root(), &args, "");
            check_sketch(command, &ran.out, &timeless(expected));
            checked += 1;
        }
    }
    assert!(checked >= 4, "the README has examples with output");
}

/// The words of a command line with simple quotes.
fn words(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quote = None;
    for c in line.trim().chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            (' ', None) => all.push(String::new()),
            (c, _) => all.last_mut().expect("there is one").push(c),
        }
    }
    all.retain(|w| !w.is_empty());
    all
}

/// A line `…` stands for any lines; the seconds of the growth table are any.
fn check_sketch(command: &str, actual: &str, expected: &str) {
    let plain = |line: &str| -> String {
        let mut cells: Vec<&str> = line.split_whitespace().collect();
        if cells.len() == 4 && cells[3].starts_with("0.") {
            cells[3] = "T";
        }
        cells.join(" ")
    };
    let mut actual = actual.lines().map(plain);
    let mut any = false;
    for line in expected.lines() {
        if line.trim() == "…" {
            any = true;
        } else if any {
            any = false;
            assert!(actual.any(|l| l == plain(line)), "`{command}` does not print `{line}` where it should");
        } else {
            assert_eq!(actual.next(), Some(plain(line)), "`{command}`");
        }
    }
    assert_eq!(actual.next(), None, "`{command}` prints more");
}

#[test]
fn the_command_reference_is_what_help_prints() {
    let mut text = String::from(
        "# Commands and options\n\nWhat `tera help` prints (a test holds this page against it; \
         `UPDATE=1 cargo test -p tera-cli` writes it).\n",
    );
    let commands = ["gen", "run", "check", "init", "eval", "view", "merge"];
    for command in std::iter::once(None).chain(commands.map(Some)) {
        let args: Vec<&str> = ["help"].into_iter().chain(command).collect();
        let ran = tera_in(&root(), &args, "");
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let lines: Vec<&str> = ran.out.lines().map(str::trim_end).collect();
        let title = command.map_or("tera".to_string(), |c| format!("tera {c}"));
        text += &format!("\n## {title}\n```text\n{}\n```\n", lines.join("\n").trim_end());
    }
    let path = root().join("crates/tera-cli/COMMANDS.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the page is written");
    }
    let page = std::fs::read_to_string(&path).expect("the page is there");
    assert!(
        page == text,
        "COMMANDS.md is out of date: UPDATE=1 cargo test -p tera-cli the_command_reference"
    );
}
