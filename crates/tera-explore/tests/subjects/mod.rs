//! The structures of the papers: types, predicates, generators, target methods with their contracts.
#![allow(dead_code, reason = "every test file uses a part of this")]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub mod binomial_heap;
pub mod disj_set;
pub mod fibonacci_heap;
pub mod hash_set;
pub mod heap_array;
pub mod linked_list;
pub mod ring;
pub mod search_tree;
pub mod sorted_list;
pub mod tree_map;
pub mod udita;

thread_local! {
    static BUG: Cell<usize> = const { Cell::new(0) };
}

/// Is this seeded bug (from 1) in force? The methods ask where a fault is to be found by their contract.
pub fn bug(number: usize) -> bool {
    BUG.get() == number
}

/// Does the check of a contract find this bug, by a violation or a panic?
pub fn finds(number: usize, check: impl FnOnce() -> Result<u64, String>) -> bool {
    BUG.set(number);
    let outcome = catch_unwind(AssertUnwindSafe(check));
    BUG.set(0);
    !matches!(outcome, Ok(Ok(_)))
}

/// Returns the text as an error unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)*) => {
        if !$condition {
            return Err(format!($($text)*));
        }
    };
}
pub(crate) use ensure;
