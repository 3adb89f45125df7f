//! The first example of the TestEra paper: a merge sort, and one whose comparisons are reversed.
//!
//! `cargo run --release --example merge_sort`

mod list;

use list::List;
use testera::{Contract, Report};

/// Lists of these scopes, sorted by `sort`.
fn check(name: &str, scope: &str, sort: fn(&mut List)) -> Report {
    Contract::new(name)
        .beside(file!(), env!("CARGO_MANIFEST_DIR"))
        .spec("list.als")
        .requires("acyclic[list]")
        .ensures("acyclic[list] and sorted[list] and permutation[list]")
        .scope(scope)
        .keep_going()
        .arguments(&["list"])
        .check(move |(list,): &mut (List,)| sort(list))
}

fn main() {
    let three = "3, exactly 3 Node, 0..2 Int";
    let up_to_three = "3, 0..2 Int";
    for report in [
        check("merge_sort", three, List::merge_sort),
        check("merge_sort reversed", three, List::merge_sort_reversed),
        check("merge_sort reversed, small", up_to_three, List::merge_sort_reversed),
    ] {
        println!("{}", report.text());
    }
}
