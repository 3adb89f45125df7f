//! Every view of the saved instances in `samples/`.

use std::path::PathBuf;

use tera_rel::{AtomId, Instance, TupleSet};
use tera_view::{GraphOptions, JsonWriter, Picture, Saved, TextWriter, XmlInfo};

const SAMPLES: [&str; 13] = [
    "book", "bst", "circ", "dll", "dll2", "dllbad", "graph", "list", "list1", "parents", "poset", "rbt",
    "river",
];

fn sample(name: &str) -> Saved {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/samples/{name}.json"));
    let text = std::fs::read_to_string(path).expect("the sample is there");
    tera_view::read_saved(&text).expect("the sample is well-formed").remove(0)
}

fn text(saved: &Saved) -> String {
    let mut out = String::new();
    TextWriter::new(&saved.universe, &saved.schema).write(&mut out, "", &saved.instance);
    out.lines().map(|l| format!("{}\n", l.strip_prefix("  ").unwrap_or(l))).collect()
}

fn json(saved: &Saved) -> String {
    let mut writer = JsonWriter::new(&saved.universe, &saved.schema);
    String::from_utf8(writer.line(0, None, "", &saved.instance).to_vec()).expect("JSON is UTF-8")
}

fn check_text(name: &str, expected: &str) {
    assert_eq!(text(&sample(name)), expected, "{name}");
}

#[test]
fn chains_and_trees_are_one_line() {
    check_text("list", "List → Node0(3) → Node1(3) → Node2(1)\n");
    check_text("list1", "List → ∅\n");
    check_text("dll", "List → Node0(0) ⇄ Node1(1) ⇄ Node2(2) ⇄ Node3(3)\n");
    check_text("circ", "List → Node0 ⇄ Node1 ⇄ Node2 ⇄ Node3 ⇄ Node0 ↺\n");
    check_text("bst", "Tree → Node0(0) {left → Node1(1) {right → Node2(2) {right → Node3(3)}}}\n");
    check_text(
        "rbt",
        "Tree(7) → Node0(0, Black) {left ⇄ Node1(1, Red) {left ⇄ Node3(3, Red), right ⇄ Node4(4, Black) \
         {right ⇄ Node6(6, Black)}}, right ⇄ Node2(2, Black) {left ⇄ Node5(5, Red)}}\n",
    );
}

#[test]
fn anything_else_is_a_table() {
    check_text(
        "graph",
        "Node   adj\nNode0  Node1, Node2\nNode1  Node0, Node3\nNode2  Node3\nNode3  Node0, Node3\nNode4  ∅\n",
    );
    check_text(
        "book",
        "Book = Book0, Book1\n\
         Book.addr  Book0  Name0  Name1\n           Book0  Name1  Addr0\n           Book1  Name1  Addr0\n\
         Target = Name0, Name1, Addr0\nName = Name0, Name1\nAddr = Addr0\nMarked = Name1\nb = Book0\nn = Name0\n",
    );
}

/// All values of `rels` in `saved`, each relation any partial function of the first three Nodes.
fn for_all_functions(saved: &mut Saved, rels: &[&str], check: &mut dyn FnMut(&Saved)) {
    let Some((first, rest)) = rels.split_first() else { return check(saved) };
    let rel = saved.schema.fields.iter().find(|f| f.label == *first).expect("the field is there").rel;
    let atom = |name: &str| saved.universe.atoms().find(|(_, a)| a.name == name).expect("an atom").0;
    let owners: Vec<AtomId> = match *first {
        "header" | "root" => vec![atom(if *first == "root" { "Tree$0" } else { "List$0" })],
        _ => ["Node$0", "Node$1", "Node$2"].map(atom).to_vec(),
    };
    let targets = ["Node$0", "Node$1", "Node$2"].map(atom);
    let n = saved.universe.len();
    for code in 0..4usize.pow(owners.len() as u32) {
        let mut value = TupleSet::empty(2, n);
        for (i, owner) in owners.iter().enumerate() {
            if let Some(target) = targets.get(code / 4usize.pow(i as u32) % 4) {
                value.insert(&[*owner, *target]);
            }
        }
        saved.instance.values[rel.0 as usize] = value;
        for_all_functions(saved, rest, check);
    }
}

#[test]
fn different_instances_never_read_the_same() {
    for (name, rels) in [("dll", ["header", "next", "prev"]), ("bst", ["root", "left", "right"])] {
        let mut saved = sample(name);
        let node = saved.schema.sigs.iter().find(|s| s.label == "Node").expect("Node").rel;
        let atoms: Vec<AtomId> = saved
            .universe
            .atoms()
            .filter(|(_, a)| a.name.starts_with("Node$"))
            .map(|a| a.0)
            .take(3)
            .collect();
        saved.instance.values[node.0 as usize] = TupleSet::unary(saved.universe.len(), atoms);
        for label in ["elem", "key"] {
            if let Some(field) = saved.schema.fields.iter().find(|f| f.label == label) {
                saved.instance.values[field.rel.0 as usize].clear();
            }
        }
        let mut seen: std::collections::HashMap<String, Instance> = std::collections::HashMap::new();
        let mut count = 0;
        for_all_functions(&mut saved, &rels, &mut |saved| {
            let other = seen.insert(text(saved), saved.instance.clone());
            assert!(other.is_none(), "{name}: {} stands for two instances", text(saved));
            count += 1;
        });
        assert_eq!(count, 4 * 64 * 64);
    }
}

#[test]
fn json_reads_back_as_it_was_written() {
    for name in SAMPLES {
        let saved = sample(name);
        let schema = tera_view::schema_json(&saved.universe, &saved.schema);
        let mut writer = JsonWriter::new(&saved.universe, &saved.schema);
        let extra = format!(",\"schema\":{schema}");
        let line = String::from_utf8(writer.line(0, None, &extra, &saved.instance).to_vec()).expect("UTF-8");
        let again = tera_view::read_saved(&line).expect("tera reads what it writes").remove(0);
        assert_eq!(again.instance, saved.instance, "{name}");
        assert_eq!(again.universe, saved.universe, "{name}");
        assert_eq!(tera_view::schema_json(&again.universe, &again.schema), schema, "{name}");
    }
}

#[test]
fn one_writer_gives_the_same_lines_as_a_fresh_one_for_each_instance() {
    let mut saved = sample("dll");
    let mut writer = JsonWriter::new(&saved.universe, &saved.schema);
    for_all_functions(&mut saved, &["header", "prev"], &mut |saved| {
        let line = String::from_utf8(writer.line(0, None, "", &saved.instance).to_vec()).expect("UTF-8");
        assert_eq!(line, json(saved));
        serde_json::from_str::<serde_json::Value>(&line).expect("a line is JSON");
    });
}

#[test]
fn lines_of_bits_are_the_lines_of_the_instances() {
    let saved = sample("dll");
    let n = saved.universe.len();
    // Every relation has cells; `header`, `prev` may have tuples in every instance besides.
    for lower_mask in [0usize, 0b1001_0010_0100_1001] {
        let mut cells = vec![];
        let mut lowers: Vec<TupleSet> = Vec::new();
        for (r, value) in saved.instance.values.iter().enumerate() {
            let mut lower = TupleSet::empty(value.arity(), n);
            for tuple in 0..n.pow(value.arity() as u32) {
                if value.contains_index(tuple) && lower_mask >> (tuple % 16) & 1 != 0 {
                    lower.insert_index(tuple);
                } else if value.arity() < 2 || tuple % 3 != 2 || value.contains_index(tuple) {
                    cells.push((tera_rel::RelId(r as u32), tuple));
                }
            }
            lowers.push(lower);
        }
        let writer = || JsonWriter::new(&saved.universe, &saved.schema);
        let mut of_bits = writer().with_cells(&lowers, cells.iter().copied());
        let mut bits = vec![0u64; cells.len().div_ceil(64)];
        let mut state = 1u64;
        for round in 0..500 {
            let mut instance = Instance { values: lowers.clone() };
            for (i, (rel, tuple)) in cells.iter().enumerate() {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Some rounds change only the last relations.
                let set = state >> 61 == 0 && (round % 3 == 0 || i * 2 > cells.len());
                bits[i / 64] = bits[i / 64] & !(1 << (i % 64)) | (set as u64) << (i % 64);
                if set {
                    instance.values[rel.0 as usize].insert_index(*tuple);
                }
            }
            let expected = writer().line(round, Some(1), "", &instance).to_vec();
            assert_eq!(of_bits.line_of_bits(round, Some(1), "", &bits), expected);
        }
    }
}

#[test]
fn json_without_a_schema_is_read_by_its_names() {
    let saved = sample("graph");
    let again = tera_view::read_saved(&json(&saved)).expect("the keys suffice").remove(0);
    assert_eq!(text(&again), text(&saved));
}

#[test]
fn xml_reads_back_with_the_same_values() {
    for name in SAMPLES {
        let saved = sample(name);
        let info = XmlInfo { command: "Run \"x\" & <y>".into(), ..XmlInfo::default() };
        let document = tera_view::xml(&saved.view(), &info);
        let again = tera_view::read_saved(&document).expect("tera reads what it writes").remove(0);
        // Parameters become Skolem constants there, and signatures are listed parents first.
        let sorted = |saved: &Saved| {
            let mut lines = Vec::new();
            let name = |a: &AtomId| saved.universe.atom(*a).name.clone();
            let mut add = |label: &str, value: &TupleSet| {
                for tuple in value.tuples() {
                    let names: Vec<String> = tuple.iter().map(name).collect();
                    lines.push(format!("{} {}", label.trim_start_matches('$'), names.join(" ")));
                }
            };
            for s in saved.schema.sigs.iter().filter(|s| s.label != "Int") {
                add(&s.label, saved.instance.value(s.rel));
            }
            for f in &saved.schema.fields {
                add(&f.label, saved.instance.value(f.rel));
            }
            for p in saved.schema.params.iter().chain(&saved.schema.skolems) {
                add(&p.label, saved.instance.value(p.rel));
            }
            lines.sort();
            lines
        };
        assert_eq!(sorted(&again), sorted(&saved), "{name}");
    }
}

#[test]
fn an_instance_of_the_analyzer_is_read() {
    let document = r#"<alloy builddate="2021-11-03T15:25:43.736Z">
        <instance bitwidth="2" maxseq="1" command="Run show for 3" filename="a.als">
        <sig label="seq/Int" ID="0" parentID="1" builtin="yes"></sig>
        <sig label="Int" ID="1" parentID="2" builtin="yes"></sig>
        <sig label="this/Leaf" ID="4" parentID="5"><atom label="Leaf$1"/><atom label="Leaf$0"/></sig>
        <sig label="this/Tree" ID="5" parentID="2" abstract="yes"></sig>
        <sig label="this/Deep" ID="6"><atom label="Leaf$1"/><type ID="4"/></sig>
        <field label="size" ID="7" parentID="4">
           <tuple> <atom label="Leaf$1"/> <atom label="-2"/> </tuple>
           <types> <type ID="4"/> <type ID="1"/> </types>
        </field>
        <sig label="univ" ID="2" builtin="yes"></sig>
        <skolem label="$show_x" ID="8"><tuple><atom label="Leaf$0"/></tuple><types><type ID="4"/></types></skolem>
        </instance><source filename="a.als" content="sig A {}&#10;"/></alloy>"#;
    let saved = tera_view::read_saved(document).expect("well-formed").remove(0);
    let expected = r#""sigs":{"Tree":["Leaf$0","Leaf$1"],"Leaf":["Leaf$0","Leaf$1"],"Deep":["Leaf$1"]},"fields":{"Leaf.size":[["Leaf$1",-2]]},"params":{},"skolems":{"$show_x":[["Leaf$0"]]}"#;
    assert!(json(&saved).contains(expected), "{}", json(&saved));
    assert_eq!(saved.universe.ints().iter().map(|i| i.0).collect::<Vec<_>>(), [-2, -1, 0, 1]);
}

#[test]
fn files_that_are_no_instances_say_why() {
    let check = |text: &str, expected: &str| {
        let error = tera_view::read_saved(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    };
    check("", "no instance");
    check("{\"type\":\"summary\"}", "no instance");
    check("{\n\"sigs\": oops", "line 2");
    check("{\"sigs\":{\"A\":[true]}}", "`A` is not a list of atoms");
    check("{\"sigs\":{},\"fields\":{\"A.f\":[]}}", "`A.f`");
    check("{\"sigs\":{\"A\":[\"A$0\"]},\"fields\":{\"A.f\":[[\"A$0\",\"B$0\"]]}}", "`B$0`");
    check("{\"version\":999}", "version 999");
    check("<alloy></alloy>", "no <instance>");
    check("<alloy><instance", "not XML");
    check("<instance><sig/></instance>", "without label");
}

#[test]
fn pictures_have_every_node_once_and_nothing_outside_of_the_frame() {
    for name in SAMPLES {
        let saved = sample(name);
        let picture = Picture::new(&saved.view(), &GraphOptions::default());
        let svg = tera_view::svg(&picture);
        let number = |text: &str, key: &str| -> f64 {
            let start = text.find(&format!(" {key}=\"")).expect("the attribute is there") + key.len() + 3;
            text[start..].split('"').next().and_then(|v| v.parse().ok()).expect("a number")
        };
        let (width, height) = (number(&svg, "width"), number(&svg, "height"));
        let shift = svg.split("translate(").nth(1).expect("a panel").split(')').next().expect("closed");
        let (dx, dy) = shift
            .split_once(',')
            .map(|(x, y)| (x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap()))
            .unwrap();
        let mut boxes: Vec<(f64, f64, f64, f64)> = Vec::new();
        for line in svg.lines().filter(|l| l.starts_with("<rect x=") && l.contains("rx=\"6\"")) {
            let (x, y) = (number(line, "x") + dx, number(line, "y") + dy);
            let (w, h) = (number(line, "width"), number(line, "height"));
            assert!(x >= 0.0 && y >= 0.0 && x + w <= width && y + h <= height, "{name}: {line}");
            for (a, b, c, d) in &boxes {
                assert!(
                    x >= a + c || *a >= x + w || y >= b + d || *b >= y + h,
                    "{name}: nodes overlap: {line}"
                );
            }
            boxes.push((x, y, w, h));
        }
        let dot = tera_view::dot(&picture, name);
        let nodes = dot.lines().filter(|l| l.contains("fillcolor=\"#")).count();
        assert_eq!(nodes, boxes.len(), "{name}: DOT and SVG show the same nodes");
    }
}

#[test]
fn a_picture_of_two_states_marks_what_changed_and_keeps_places() {
    let (before, after) = (sample("dll"), sample("dll2"));
    let picture = Picture::before_after(&before.view(), &after.view(), &GraphOptions::default());
    let svg = tera_view::svg(&picture);
    let places = |name: &str| -> Vec<String> {
        let of = |l: &&str| l.ends_with(&format!(">{name}</text>"));
        svg.lines().filter(of).map(|l| l.split(" font-size").next().unwrap_or("").to_string()).collect()
    };
    assert_eq!(places("Node0").len(), 2);
    for name in ["Node0", "Node1", "Node3"] {
        assert_eq!(places(name)[0], places(name)[1], "{name} stands at the same place");
    }
    assert_eq!((places("Node2").len(), places("Node4").len()), (1, 1));
    let dot = tera_view::dot(&picture, "step");
    assert!(dot.contains("style=dashed") && dot.contains("#1a8f3c"), "{dot}");
    // The same state twice has no change.
    let same = Picture::before_after(&before.view(), &before.view(), &GraphOptions::default());
    assert!(!tera_view::dot(&same, "step").contains("penwidth=2"));
}

#[test]
fn hidden_things_are_gone_and_projection_gives_a_graph_per_atom() {
    let saved = sample("book");
    let dot = |hide: &[&str], project: &[&str]| {
        let options = GraphOptions {
            hide: hide.iter().map(|s| s.to_string()).collect(),
            project: project.iter().map(|s| s.to_string()).collect(),
        };
        options.check(&saved.schema).expect("the names exist");
        tera_view::dot(&Picture::new(&saved.view(), &options), "x")
    };
    assert!(dot(&[], &[]).contains("addr[Name0]"));
    assert!(!dot(&["addr"], &[]).contains("addr"));
    assert!(!dot(&["Book.addr"], &[]).contains("addr"));
    assert!(!dot(&["Book"], &[]).contains("Book0"));
    let projected = dot(&[], &["Book"]);
    assert!(projected.contains("label=\"Book0\"") && projected.contains("label=\"Book1\""));
    assert!(projected.contains("\"0:Name0\" -> \"0:Name1\" [label=\"addr\""), "{projected}");
    assert!(!projected.contains("\"1:Name0\" -> "), "{projected}");
    let unknown = GraphOptions { hide: vec!["bok".into()], project: vec![] };
    let error = unknown.check(&saved.schema).expect_err("no such name");
    assert!(error.message.contains("`bok`") && error.help.contains("Book"), "{error:?}");
}
