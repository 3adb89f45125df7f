//! The third case study of the TestEra paper: the intentional naming system, looked at completely
//! for two attributes, two values and two levels.
//!
//! `cargo run --release --example naming`

mod naming;

fn main() {
    let found = naming::look_at();
    println!("{} names, {} queries", found.names, found.queries);
    println!(
        "one service: the published lookup is wrong in {} of {} cases, the corrected one in {}",
        found.published_wrong, found.cases, found.corrected_wrong
    );
    println!(
        "two services: the corrected lookup is wrong in {} of {} cases",
        found.corrected_wrong_of_two, found.cases_of_two
    );
    println!("omitted attributes are no wildcards: {}", found.omitted_is_no_wildcard);
    println!("addition is not monotonic: {}", found.addition_is_not_monotonic);
}
