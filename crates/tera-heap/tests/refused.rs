//! Types that cannot be mapped: what the compiler says, and where.
//!
//! One test, since each case is a crate that is compiled.

#[test]
#[ignore = "compiles a crate per case: minutes the first time, run by .ci/run"]
fn what_cannot_be_mapped_is_an_error_at_the_field() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/refused/*.rs");
}
