//! Heaps in an array: the first `size` entries are a heap, the others are -1.

use tera_explore::dedicated::{at_most, equal};
use tera_explore::{Candidate, Choices, Finitization};

use super::{bug, ensure};

#[derive(Candidate, Clone, Debug, PartialEq)]
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

impl HeapArray {
    /// Adds an entry; a full array grows.
    pub fn insert(&mut self, value: i32) {
        if self.size == self.array.len() && !bug(1) {
            self.array.push(-1);
        }
        let mut at = self.size;
        while at > usize::from(bug(2)) && self.array[(at - 1) / 2] < value {
            self.array[at] = self.array[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        self.array[at] = value;
        self.size += 1;
    }

    /// Takes the largest entry out.
    pub fn extract_max(&mut self) -> Option<i32> {
        let last = self.size.checked_sub(1)?;
        self.size = last;
        let max = self.array[0];
        let value = std::mem::replace(&mut self.array[last], if bug(4) { 0 } else { -1 });
        if last == 0 {
            return Some(max);
        }
        let mut at = 0;
        loop {
            let larger = [2 * at + 1, 2 * at + 2]
                .into_iter()
                .filter(|child| *child < last)
                .max_by_key(|child| if bug(3) { 0 } else { self.array[*child] });
            match larger {
                Some(child) if self.array[child] > value => {
                    self.array[at] = self.array[child];
                    at = child;
                }
                _ => break,
            }
        }
        self.array[at] = value;
        Some(max)
    }

    pub fn entries(&self) -> Vec<i32> {
        let mut entries = self.array[..self.size].to_vec();
        entries.sort_unstable();
        entries
    }
}

/// The same predicate from dedicated generators.
pub fn rep_ok_dedicated(heap: HeapArrayRef) -> bool {
    let array = heap.array();
    let Some(size) = heap.size_field().find(at_most(array.len())) else { return false };
    (size == 0 || array.field(0).require(|value| value >= 0))
        && (1..size).all(|at| {
            let parent = array.at((at - 1) / 2);
            array.field(at).require(|value| 0 <= value && value <= parent)
        })
        && (size..array.len()).all(|at| array.field(at).require(equal(-1)))
}

/// A heap by value, for generators that must not allocate; entries beyond `len` mean nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat {
    pub len: u8,
    pub size: u8,
    pub array: [i8; 16],
}

/// The same heaps from choices, in place.
#[inline]
pub fn generate(c: &mut Choices, heap: &mut Flat, n: usize) -> Option<()> {
    let len = c.int(0..=n);
    let size = c.int(0..=len);
    (heap.len, heap.size) = (len as u8, size as u8);
    for at in 0..size {
        let above = if at == 0 { n as i8 } else { heap.array[(at - 1) / 2] };
        heap.array[at] = c.int(0..=above);
    }
    heap.array[size..len].fill(-1);
    Some(())
}

/// All heaps by plain recursion: the limit to aim at.
pub fn direct(n: usize, visit: &mut impl FnMut(&Flat)) {
    fn fill(heap: &mut Flat, at: usize, n: i8, visit: &mut impl FnMut(&Flat)) {
        if at == heap.size as usize {
            return visit(heap);
        }
        let above = if at == 0 { n } else { heap.array[(at - 1) / 2] };
        for value in 0..=above {
            heap.array[at] = value;
            fill(heap, at + 1, n, visit);
        }
        heap.array[at] = -1;
    }
    for len in 0..=n as u8 {
        for size in 0..=len {
            fill(&mut Flat { len, size, array: [-1; 16] }, 0, n as i8, visit);
        }
    }
}

pub const N_BUGS: usize = 4;

/// Calls `insert` with 0..=n + 1 and `extract_max` on all heaps; how many calls there are, or the first
/// violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let mut calls = 0;
    for heap in space(n).inputs(rep_ok_dedicated).expect("right settings") {
        let before = heap.entries();
        for value in 0..=n as i32 + 1 {
            let mut grown = heap.clone();
            grown.insert(value);
            let mut expected = [&before[..], &[value]].concat();
            expected.sort_unstable();
            ensure!(grown.entries() == expected, "insert of {value} into {heap:?}");
            ensure!(rep_ok((&grown).into()), "insert of {value} into {heap:?} gives {grown:?}");
            calls += 1;
        }
        let mut shrunk = heap.clone();
        let max = shrunk.extract_max();
        ensure!(max == before.last().copied(), "extract_max of {heap:?} gives {max:?}");
        ensure!(shrunk.entries() == before[..before.len().saturating_sub(1)], "the rest of {heap:?}");
        ensure!(rep_ok((&shrunk).into()), "extract_max of {heap:?} leaves {shrunk:?}");
        calls += 1;
    }
    Ok(calls)
}
