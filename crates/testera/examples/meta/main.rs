//! The fourth case study of the TestEra paper: a model finder tested on specifications that it makes itself.
//!
//! `cargo run --release --example meta`

mod meta;

fn main() {
    let two = "1, exactly 2 Sig, exactly 2 Atom, 0..3 Int";
    for report in [
        meta::check("two of each", "wellFormed[spec] and #spec.sigs = 2 and #spec.atoms = 2", two),
        meta::check(
            "two of each, one owned by each",
            "wellFormed[spec] and #spec.sigs = 2 and #spec.atoms = 2 and eachOwnsOne[spec]",
            two,
        ),
        meta::check("up to three of each", "wellFormed[spec]", "1, 3 Sig, 3 Atom, 0..3 Int"),
    ] {
        println!("{}", report.text());
    }
}
