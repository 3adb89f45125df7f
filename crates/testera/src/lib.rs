//! Specification-based testing for Rust.
//!
//! Say what a function requires and ensures, in relations over the very structs it works on; tera
//! makes *every* input that satisfies the precondition up to a bound, no two the same, runs the
//! function on each, and judges each result. What is wrong is shown with the smallest input that
//! shows it.
//!
//! ```ignore
//! #[cfg_attr(test, derive(testera::Heap))]
//! struct List { header: Option<Box<Node>> }
//! #[cfg_attr(test, derive(testera::Heap))]
//! struct Node { elem: i32, next: Option<Box<Node>> }
//!
//! #[cfg(test)]
//! mod tests {
//!     use super::*;
//!
//!     #[testera::check("list.als", requires = "acyclic[list]",
//!                      ensures = "sorted[list] and permutation[list]", scope = 5)]
//!     fn merge_sort(list: &mut List) {
//!         list.merge_sort();
//!     }
//! }
//! ```
//!
//! - [`macro@Heap`] maps structs and enums to signatures; [`heap`] has the traits behind it.
//! - [`macro@check`] makes a function with arguments a test that supplies them all; [`Contract`] is
//!   the same by hand.
//! - [`guard_memory!`] watches the memory of unsafe structures while inputs run.

pub use tera_check::{
    Arguments, Contract, Failure, Group, Options, Passing, Report, Status, Subject, thousands,
};
pub use tera_derive::{check, explore, replay};
/// Inputs from Rust programs: choices, pools, and predicates over views (`#[derive(Candidate)]`).
pub use tera_explore as explore;
pub use tera_explore::{Candidate, Choices};
/// The mapping between instances and values: the traits that `#[derive(Heap)]` implements.
pub use tera_heap as heap;
pub use tera_heap::Heap;

#[doc(hidden)]
pub use tera_check::Call;
#[doc(hidden)]
pub use tera_check::explored;
#[doc(hidden)]
pub use tera_check::memory::GuardAlloc;
/// Watches the memory of this thread until it is dropped; a fault is a panic then. Reproducers of memory
/// faults begin with it: `let _memory = testera::Watch::begin();`. It wants [`guard_memory!`].
pub use tera_check::memory::Watch;

/// Makes the memory guard the allocator of this test binary: addresses are not reused while an
/// input runs, and leaks, double frees, dangling pointers and writes to freed blocks are found.
///
/// Once per binary, in the test module: an allocator is the program's to choose.
#[macro_export]
macro_rules! guard_memory {
    () => {
        #[global_allocator]
        static TESTERA_GUARD: $crate::GuardAlloc = $crate::GuardAlloc;
    };
}

/// What `testera::replay!` comes to: reads the arguments before the call.
#[doc(hidden)]
pub fn begin_replay<S: Subject>(contract: Contract, read: impl Fn(&mut heap::Abstractor<'_>)) -> Call {
    Call::before::<S>(contract, read).unwrap_or_else(|report| fail(&report))
}

/// Reads what is there after the call, and fails the test if the contract does not hold.
#[doc(hidden)]
pub fn end_replay<S: Subject>(
    call: Call,
    output: Option<&S::Output>,
    read: impl Fn(&mut heap::Abstractor<'_>),
) {
    let report = call.after::<S>(output, read);
    if !report.is_ok() {
        fail(&report);
    }
}

/// The report is the message; a panic's own would only stand in front of it.
fn fail(report: &Report) -> ! {
    print!("{}", report.text());
    tera_check::memory::restore_freed();
    std::panic::resume_unwind(Box::new("the contract does not hold"))
}

/// What a test, or a replay, runs a contract on.
#[doc(hidden)]
pub enum Given<'a, A> {
    /// All inputs.
    Nothing,
    /// The run with these choices.
    Path(&'a [u64]),
    Values(A),
}

impl<'a, A> Given<'a, A> {
    pub fn path(&self) -> Option<&'a [u64]> {
        match self {
            Given::Path(path) => Some(path),
            _ => None,
        }
    }
}

/// What `#[testera::check]` calls: checks the contract, and fails the test with the report.
#[doc(hidden)]
pub fn run_test<S: Subject>(contract: Contract, subject: S, path: Option<&[u64]>) {
    assert!(path.is_none(), "inputs of a specification have no path: replay their values");
    finish(&contract.check_subject(&subject));
}

/// What explorations call: makes all runs, or the one that has this path.
#[doc(hidden)]
pub fn run_explored(contract: Contract, explored: &dyn explored::Explored, path: Option<&[u64]>) {
    match path {
        Some(path) => explored.replay(&contract, path),
        None => finish(&explored::run(contract, explored)),
    }
}

fn finish(report: &Report) {
    if !report.is_ok() {
        fail(report);
    }
    print!("{}", report.text());
}
