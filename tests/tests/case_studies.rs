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

#[path = "../../crates/testera/examples/naming/by_hand.rs"]
mod by_hand;
#[path = "../../crates/testera/examples/naming/contracts.rs"]
mod contracts;
#[path = "../../crates/testera/examples/naming/naming.rs"]
mod naming;

use contracts::{ONE, SMALL_TWO};
use naming::{Database, Name, Query, Services};

#[test]
fn omitted_attributes_are_no_wildcards_in_the_published_lookup() {
    let report = contracts::omission(Database::lookup_published);
    assert_eq!(report.status, Status::Failed, "{}", report.text());
    // `A1=V0{A1=*}` finds `A1=V0{A1=V0}`, `A1=V0` finds nothing.
    let services = "services = Services0 → Name0 {a1 → Part0(V0) {a1 → Part1(V0)}}";
    let asked = "asked = Query0 {a1 → Wanted0(V0) {a1 → Wanted1(Any)}}";
    let detail = &report.groups[0].detail;
    assert_eq!(detail["before"], format!("{services}; {asked}"));
    assert_eq!(detail["violated"][0]["values"], "Name0 = nothing");
}

#[test]
fn an_added_service_keeps_another_from_being_found_by_the_published_lookup() {
    let report = contracts::monotonicity("monotonicity", Database::lookup_published);
    assert_eq!(report.status, Status::Failed, "{}", report.text());
    // `A0=V0` alone answers `A1=V0`; with `A1=V0` beside it, it does not.
    let detail = &report.groups[0].detail;
    let (asked, service) = ("asked = Query0 {a1 → Wanted0(V0)}", "service = Name0 {a0 → Part0(V0)}");
    assert_eq!(detail["before"], format!("{asked}; {service}; added = Name1 {{a1 → Part1(V0)}}"));
    let report = contracts::monotonicity("monotonicity of the corrected", Database::lookup);
    assert_eq!((report.status, report.exhausted), (Status::Passed, true), "{}", report.text());
}

#[test]
fn the_published_lookup_is_wrong_in_53_264_of_416_160_cases() {
    assert_eq!((by_hand::names().len(), by_hand::queries().len()), (360, 1156));
    let report = contracts::conformance("published", ONE, Database::lookup_published);
    assert_eq!((report.inputs, report.failed()), (416_160, 53_264), "{}", report.text());
    assert_eq!(by_hand::one_service(Database::lookup_published), (416_160, 53_264));
    // Either too many are found or too few.
    let sound = "sound[result, services, asked]";
    let complete = "complete[result, services, asked]";
    assert_eq!(ways(&report), [(vec![sound], vec![complete], 49_200), (vec![complete], vec![sound], 4_064)]);
}

#[testera::check(
    "../../crates/testera/examples/naming/naming.als",
    requires = "names[services] and query[asked]",
    ensures = "sound[result, services, asked] and complete[result, services, asked]",
    scope = "1, exactly 1 Name, 6 Part, 6 Wanted, 0 Int"
)]
fn the_corrected_lookup_conforms_for_one_service(services: &Services, asked: &Query) -> contracts::Answer {
    contracts::Answer { found: naming::find(&services.names, asked, Database::lookup) }
}

/// How many values it has, at most two levels of them.
fn size(name: &Name) -> usize {
    name.level().into_iter().flatten().map(|part| 1 + part.level().iter().flatten().count()).sum()
}

fn size_of_query(query: &Query) -> usize {
    query.level().into_iter().flatten().map(|wanted| 1 + wanted.level().iter().flatten().count()).sum()
}

#[test]
fn the_corrected_lookup_conforms_for_two_services() {
    let (cases, wrong) = by_hand::two_services(Database::lookup);
    assert_eq!((cases, wrong), (75_116_880, 0));
    // By the contract as far as the names are small; `two_services_whole` is the rest.
    let report = contracts::conformance("corrected, small", SMALL_TWO, Database::lookup);
    let (names, queries) = (by_hand::names(), by_hand::queries());
    let of_four = |i: usize| names[i..].iter().filter(|other| size(&names[i]) + size(other) <= 4).count();
    let pairs: usize = (0..names.len()).map(of_four).sum();
    let inputs = pairs * queries.iter().filter(|query| size_of_query(query) <= 3).count();
    assert_eq!((report.status, report.inputs), (Status::Passed, inputs as u64), "{}", report.text());
}

#[test]
#[ignore = "75,116,880 inputs take minutes: cargo test --release -p tera-tests --test case_studies -- --ignored"]
fn two_services_whole() {
    let report = contracts::conformance("corrected, two", contracts::TWO, Database::lookup);
    assert_eq!((report.status, report.inputs), (Status::Passed, 75_116_880), "{}", report.text());
}

#[path = "../../crates/testera/examples/meta/meta.rs"]
mod meta;

/// The names of signatures and atoms, and which atoms belong to which signature: the number of specifications of up
/// to `sigs` of 2 names and up to `atoms` of 4 labels.
fn specifications(sigs: u64, atoms: u64) -> u64 {
    let choose = |n: u64, k: u64| (1..=k).fold(1, |c, i| c * (n + 1 - i) / i);
    let of = |k: u64, m: u64| choose(2, k) * choose(4, m) * (k + 1).pow(m as u32);
    (0..=sigs.min(2)).flat_map(|k| (0..=atoms).map(move |m| of(k, m))).sum()
}

#[test]
fn tera_finds_what_it_should_for_specifications_that_are_instances() {
    let two = "1, exactly 2 Sig, exactly 2 Atom, 0..3 Int";
    let of_two = "wellFormed[spec] and #spec.sigs = 2 and #spec.atoms = 2";
    for (name, requires, scope, inputs) in [
        ("two", of_two.to_owned(), two, 54),
        ("one each", format!("{of_two} and eachOwnsOne[spec]"), two, 12),
        ("three", "wellFormed[spec]".into(), "1, 3 Sig, 3 Atom, 0..3 Int", specifications(3, 3)),
    ] {
        let report = meta::check(name, &requires, scope);
        assert_eq!((report.status, report.inputs), (Status::Passed, inputs), "{}", report.text());
        assert!(report.exhausted && report.warnings.is_empty(), "{:?}", report.warnings);
    }
}
