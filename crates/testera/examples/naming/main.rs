//! The third case study of the TestEra paper: the intentional naming system, looked at completely for two
//! attributes, two values and two levels.
//!
//! `cargo run --release --example naming`; with `-- two` also all 75,116,880 inputs of two services.

mod by_hand;
mod contracts;
mod naming;

use contracts::{ONE, SMALL_TWO, TWO, conformance, monotonicity, omission};
use naming::{Database, Lookup};

fn main() {
    let (published, corrected): (Lookup, Lookup) = (Database::lookup_published, Database::lookup);
    let mut reports = vec![
        omission(published),
        monotonicity("monotonicity", published),
        conformance("published", ONE, published),
        conformance("corrected", ONE, corrected),
        conformance("corrected, two services with small names", SMALL_TWO, corrected),
    ];
    if std::env::args().any(|argument| argument == "two") {
        reports.push(conformance("corrected, two services", TWO, corrected));
    }
    for report in reports {
        println!("{}", report.text());
    }
    let (cases, wrong) = by_hand::one_service(published);
    println!("by loops, one service: the published lookup is wrong in {wrong} of {cases} cases");
    let (cases, wrong) = by_hand::one_service(corrected);
    println!("by loops, one service: the corrected lookup is wrong in {wrong} of {cases} cases");
    let (cases, wrong) = by_hand::two_services(corrected);
    println!("by loops, two services: the corrected lookup is wrong in {wrong} of {cases} cases");
}
