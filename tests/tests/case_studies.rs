//! The case studies of the TestEra paper (Khurshid and Marinov 2004), with its figures where they
//! are reproducible (`models/` and the examples of `testera` tell the definitions).

use testera::{Contract, Report, Status};

#[path = "../../crates/testera/examples/merge_sort/list.rs"]
mod list;
#[path = "../../crates/testera/examples/red_black/tree.rs"]
mod tree;

use list::List;
use tree::{Bug, Tree};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/testera/examples");

/// `(violated formulas, formulas that hold, inputs)` of each way to fail, in order.
fn ways(report: &Report) -> Vec<(Vec<&str>, Vec<&str>, u64)> {
    (report.groups.iter())
        .map(|group| {
            let mut violated: Vec<&str> = group.violated.iter().map(String::as_str).collect();
            violated.dedup();
            (violated, group.holds.iter().map(String::as_str).collect(), group.count)
        })
        .collect()
}

fn merge_sort(name: &str, scope: &str, sort: fn(&mut List)) -> Report {
    Contract::new(format!("case studies::{name}"))
        .spec(format!("{EXAMPLES}/merge_sort/list.als"))
        .requires("acyclic[list]")
        .ensures("acyclic[list] and sorted[list] and permutation[list]")
        .scope(scope)
        .keep_going()
        .arguments(&["list"])
        .check(move |(list,): &mut (List,)| sort(list))
}

const THREE: &str = "3, exactly 3 Node, 0..2 Int";

#[test]
fn merge_sort_passes_all_27_lists_of_three_nodes() {
    let report = merge_sort("merge sort", THREE, List::merge_sort);
    assert_eq!((report.status, report.inputs, report.passed), (Status::Passed, 27, 27), "{}", report.text());
    assert!(report.exhausted && report.warnings.is_empty(), "{:?}", report.warnings);
}

#[test]
fn reversed_merge_sort_passes_the_three_constant_lists_only() {
    let report = merge_sort("reversed", THREE, List::merge_sort_reversed);
    assert_eq!((report.inputs, report.passed), (27, 3), "{}", report.text());
    assert_eq!(ways(&report), [(vec!["sorted[list]"], vec!["acyclic[list]", "permutation[list]"], 24)]);
}

#[test]
fn the_smallest_list_that_reversed_merge_sort_gets_wrong_is_0_1() {
    let report = merge_sort("reversed, small", "3, 0..2 Int", List::merge_sort_reversed);
    assert_eq!((report.inputs, report.passed), (40, 10), "{}", report.text());
    let detail = &report.groups[0].detail;
    assert_eq!(detail["before"], "list = List0 → Node0(0) → Node1(1)");
    assert_eq!(detail["after"], "list = List0 → Node1(1) → Node0(0)");
    assert_eq!(detail["violated"][0]["values"], "1 <= 0 when n is Node1");
    assert!(report.text().contains("list.als:14:50"), "{}", report.text());
}

#[test]
fn without_keep_going_the_smallest_is_the_only_one() {
    let report = Contract::new("case studies::reversed, smallest")
        .spec(format!("{EXAMPLES}/merge_sort/list.als"))
        .requires("acyclic[list]")
        .ensures("sorted[list] and permutation[list]")
        .scope("5")
        .arguments(&["list"])
        .check(|(list,): &mut (List,)| list.merge_sort_reversed());
    assert_eq!(report.status, Status::Failed);
    let [group] = report.groups.as_slice() else { panic!("{}", report.text()) };
    // The empty list, six of one node, 0 → 0.
    assert_eq!((group.number, group.size, report.total), (8, 3, Some(9331)));
    assert_eq!(group.detail["before"], "list = List0 → Node0(0) → Node1(1)");
}

fn remove(name: &str, bug: Bug) -> Report {
    Contract::new(format!("case studies::{name}"))
        .spec(format!("{EXAMPLES}/red_black/tree.als"))
        .requires("redBlack[tree]")
        .ensures("redBlack[tree] and removed[tree, key]")
        .scope("5, exactly 5 Node, 0..4 Int")
        .keep_going()
        .arguments(&["tree", "key"])
        .check(move |(tree, key): &mut (Tree, i32)| tree.remove(*key, bug))
}

#[test]
fn removal_from_red_black_trees_passes_all_70_inputs() {
    let report = remove("red-black", Bug::None);
    assert_eq!((report.status, report.inputs, report.passed), (Status::Passed, 70, 70), "{}", report.text());
}

#[test]
fn an_inverted_colour_test_of_the_one_child_case_passes_50() {
    let report = remove("red-black, one child", Bug::OneChild);
    assert_eq!((report.inputs, report.passed), (70, 50), "{}", report.text());
    let others = ["parents[tree]", "searchTree[tree]", "removed[tree, key]"];
    let mut ways = ways(&report);
    ways.sort();
    assert_eq!(
        ways,
        [
            (vec!["equalBlackCounts[tree]"], vec![others[0], others[1], "noRedRed[tree]", others[2]], 10),
            (vec!["noRedRed[tree]", "equalBlackCounts[tree]"], others.to_vec(), 10),
        ]
    );
}

#[test]
fn an_inverted_colour_test_of_the_childless_case_passes_54() {
    let report = remove("red-black, childless", Bug::Childless);
    assert_eq!((report.inputs, report.passed), (70, 54), "{}", report.text());
    let holds = vec!["parents[tree]", "searchTree[tree]", "noRedRed[tree]", "removed[tree, key]"];
    assert_eq!(ways(&report), [(vec!["equalBlackCounts[tree]"], holds, 16)]);
}

#[path = "../../crates/testera/examples/naming/naming.rs"]
mod naming;

#[test]
fn the_published_lookup_name_has_both_flaws_and_the_corrected_one_conforms() {
    let found = naming::look_at();
    assert_eq!((found.names, found.queries), (360, 1156));
    assert_eq!((found.cases, found.published_wrong, found.corrected_wrong), (416_160, 53_264, 0));
    // Each pair of names, with itself as well: 360 · 361 / 2.
    assert_eq!((found.cases_of_two, found.corrected_wrong_of_two), (64_980 * 1156, 0));
    assert_eq!(found.omitted_is_no_wildcard, "A1=V0{A1=V0}: `A1=V0{A1=*}` finds it, `A1=V0` does not");
    assert_eq!(
        found.addition_is_not_monotonic,
        "A1=V0 alone answers `A0=V0`; with A0=V0 beside it, it does not"
    );
}

#[path = "../../crates/testera/examples/meta/meta.rs"]
mod meta;

#[test]
fn tera_finds_what_it_should_for_specifications_that_are_instances() {
    // Names 1, labels C(4, 2), owners 3^2; with one atom each, owners 2.
    assert_eq!(meta::check_all(false, "exactly 2 Sig, exactly 2 Atom").0, 54);
    assert_eq!(meta::check_all(true, "exactly 2 Sig, exactly 2 Atom").0, 12);
    // k of 2 names, m of 4 labels, each atom with one of the k owners or none.
    let choose = |n: u64, k: u64| (1..=k).fold(1, |c, i| c * (n + 1 - i) / i);
    let expected: u64 =
        (0..=2).flat_map(|k| (0..=3).map(move |m| choose(2, k) * choose(4, m) * (k + 1).pow(m as u32))).sum();
    assert_eq!(meta::check_all(false, "3 Sig, 3 Atom").0, expected);
}
