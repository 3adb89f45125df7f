//! The structures of the papers: types, predicates, generators.
#![allow(dead_code, reason = "every test file uses a part of this")]

pub mod binomial_heap;
pub mod disj_set;
pub mod heap_array;
pub mod linked_list;
pub mod search_tree;
pub mod sorted_list;
pub mod tree_map;
pub mod udita;
