//! The second example of the TestEra paper: removal from red-black trees with parent pointers, and
//! two versions of it with an inverted test of a colour.
//!
//! `cargo run --release --example red_black`

mod tree;

use testera::{Contract, Report};
use tree::{Bug, Tree};

/// All red-black trees of exactly five nodes with keys 0..4, and each key to remove.
fn check(name: &str, bug: Bug) -> Report {
    Contract::new(name)
        .beside(file!(), env!("CARGO_MANIFEST_DIR"))
        .spec("tree.als")
        .requires("redBlack[tree]")
        .ensures("redBlack[tree] and removed[tree, key]")
        .scope("5, exactly 5 Node, 0..4 Int")
        .keep_going()
        .arguments(&["tree", "key"])
        .check(move |(tree, key): &mut (Tree, i32)| tree.remove(*key, bug))
}

fn main() {
    for report in [
        check("remove", Bug::None),
        check("remove, colour test of the one-child case inverted", Bug::OneChild),
        check("remove, colour test of the childless case inverted", Bug::Childless),
    ] {
        println!("{}", report.text());
    }
}
