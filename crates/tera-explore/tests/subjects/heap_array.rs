//! Heaps in an array: the first `size` entries are a heap, the others are -1.

use tera_explore::{Candidate, Finitization};

#[derive(Candidate, Debug, PartialEq)]
pub struct HeapArray {
    pub size: usize,
    pub array: Vec<i32>,
}

pub fn space(n: usize) -> Finitization<HeapArray> {
    Finitization::of(n).values("HeapArray.array[]", -1..=n as i32)
}

pub fn rep_ok(heap: HeapArrayRef) -> bool {
    let array = heap.array();
    let size = heap.size();
    if size > array.len() {
        return false;
    }
    for at in 0..size {
        let value = array.at(at);
        if value == -1 || at > 0 && value > array.at((at - 1) / 2) {
            return false;
        }
    }
    (size..array.len()).all(|at| array.at(at) == -1)
}
