//! Disjoint sets: an array of records with a parent and a rank; `size` is its length.

use tera_explore::dedicated::equal;
use tera_explore::{Candidate, Choices, Finitization};

use super::{bug, ensure};

#[derive(Candidate, Clone, Debug, PartialEq)]
pub struct DisjSet {
    pub records: Vec<Record>,
    pub size: usize,
}

#[derive(Candidate, Clone, Debug, PartialEq)]
pub struct Record {
    pub parent: usize,
    pub rank: usize,
}

pub fn space(n: usize) -> Finitization<DisjSet> {
    Finitization::of(n).values("Record.parent", 0..n).values("Record.rank", 0..n)
}

/// Parents in range, ranks that rise towards the root, no more roots than records of rank 0.
pub fn rep_ok(set: DisjSetRef) -> bool {
    let records = set.records();
    if set.size() != records.len() {
        return false;
    }
    let (mut roots, mut rank_zero) = (0, 0);
    for (at, record) in records.iter().enumerate() {
        let parent = record.parent();
        if parent >= records.len() {
            return false;
        }
        let rank = record.rank();
        rank_zero += usize::from(rank == 0);
        if parent == at {
            roots += 1;
        } else if rank >= records.at(parent).rank() {
            return false;
        }
    }
    roots <= rank_zero
}

impl DisjSet {
    /// The root of an element, with its path compressed; none if there is no such element.
    pub fn find(&mut self, element: usize) -> Option<usize> {
        let mut root = element;
        while self.records.get(root)?.parent != root {
            root = self.records[root].parent;
        }
        let mut at = element;
        while at != root && !bug(1) {
            at = std::mem::replace(&mut self.records[at].parent, root);
        }
        Some(root)
    }

    /// Joins the sets of two elements by rank; false if there is nothing to join.
    pub fn union(&mut self, first: usize, second: usize) -> bool {
        let (Some(first), Some(second)) = (self.find(first), self.find(second)) else { return false };
        if first == second && !bug(2) {
            return false;
        }
        let (low, high) = if self.records[first].rank < self.records[second].rank || bug(3) {
            (first, second)
        } else {
            (second, first)
        };
        if self.records[low].rank == self.records[high].rank && !bug(4) {
            self.records[high].rank += 1;
        }
        self.records[low].parent = high;
        true
    }

    /// For every element the least element of its set: what a partition is, whatever the trees.
    pub fn partition(&self) -> Vec<usize> {
        let root = |mut at: usize| {
            while self.records[at].parent != at {
                at = self.records[at].parent;
            }
            at
        };
        (0..self.size).map(|at| (0..self.size).find(|other| root(*other) == root(at)).unwrap_or(at)).collect()
    }
}

/// The same predicate: ranks first, then parents that have a higher rank.
pub fn rep_ok_dedicated(set: DisjSetRef) -> bool {
    let records = set.records();
    if !set.size_field().require(equal(records.len())) {
        return false;
    }
    let (mut zeros, mut highest, mut n_highest) = (0, 0, 0);
    for record in records.iter() {
        let rank = record.rank();
        zeros += usize::from(rank == 0);
        if rank > highest {
            (highest, n_highest) = (rank, 0);
        }
        n_highest += usize::from(rank == highest);
    }
    // Records of the highest rank can only be roots.
    let mut spare = match zeros.checked_sub(n_highest) {
        Some(spare) => spare,
        None => return false,
    };
    let mut lower = records.len() - n_highest;
    for (at, record) in records.iter().enumerate() {
        let rank = record.rank();
        let root = rank == highest || spare > 0;
        let is_parent = |parent: usize| {
            parent < records.len() && if parent == at { root } else { records.at(parent).rank() > rank }
        };
        lower -= usize::from(rank != highest);
        if rank == highest || spare == 0 || spare > lower {
            // Whether it is a root matters to no record that is still to come.
            if !record.parent_field().require(is_parent) {
                return false;
            }
        } else {
            let Some(parent) = record.parent_field().find(is_parent) else { return false };
            spare -= usize::from(parent == at);
        }
    }
    true
}

/// Sets by value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat {
    pub size: u8,
    pub parent: [u8; 8],
    pub rank: [u8; 8],
}

/// The same sets from choices.
#[inline]
pub fn generate(c: &mut Choices, n: usize) -> Option<Flat> {
    let size = c.int(0..=n);
    let mut set = Flat { size: size as u8, parent: [0; 8], rank: [0; 8] };
    // above[r]: the records whose rank is above r.
    let mut above = [0_u32; 8];
    let mut zeros = 0;
    for at in 0..size {
        let rank = c.int(0..n as u8);
        set.rank[at] = rank;
        zeros += i32::from(rank == 0);
        above[..usize::from(rank)].iter_mut().for_each(|above| *above |= 1 << at);
    }
    let highest = set.rank[..size].iter().copied().max().unwrap_or(0);
    let mut spare = zeros - set.rank[..size].iter().filter(|rank| **rank == highest).count() as i32;
    c.assume(spare >= 0)?;
    for at in 0..size {
        let rank = usize::from(set.rank[at]);
        let mut parents = above[rank];
        if spare > 0 || rank == usize::from(highest) {
            parents |= 1 << at;
        }
        for _ in 0..c.choose(u64::from(parents.count_ones())) {
            parents &= parents - 1;
        }
        let parent = parents.trailing_zeros() as u8;
        set.parent[at] = parent;
        spare -= i32::from(usize::from(parent) == at && rank != usize::from(highest));
    }
    Some(set)
}

pub const N_BUGS: usize = 4;

/// Calls `find` and `union` on all sets with all elements 0..n; how many calls there are, or the first
/// violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let mut calls = 0;
    for set in space(n).inputs(rep_ok_dedicated).expect("right settings") {
        let before = set.partition();
        for first in 0..n {
            let mut found = set.clone();
            let root = found.find(first);
            ensure!(root.is_some() == (first < set.size), "find of {first} in {set:?} gives {root:?}");
            ensure!(found.partition() == before && rep_ok((&found).into()), "find of {first} in {set:?}");
            if let Some(root) = root {
                let parents = (found.records[root].parent, found.records[first].parent);
                ensure!(parents == (root, root), "find of {first} compresses its path in {set:?}");
            }
            calls += 1;
            for second in 0..n {
                let mut joined = set.clone();
                let changed = joined.union(first, second);
                calls += 1;
                let both = first < set.size && second < set.size;
                let apart = both && before[first] != before[second];
                ensure!(changed == apart, "union of {first} and {second} tells whether it joins in {set:?}");
                let mut expected = before.clone();
                if both {
                    let (low, high) = (before[first].min(before[second]), before[first].max(before[second]));
                    expected.iter_mut().filter(|class| **class == high).for_each(|class| *class = low);
                }
                // A rank may grow beyond the scope, and the count of rank 0 shrink: the shape remains.
                let rises = joined.records.iter().enumerate().all(|(at, record)| {
                    record.parent == at || record.rank < joined.records[record.parent].rank
                });
                ensure!(rises, "union of {first} and {second} keeps the ranks of {set:?}");
                ensure!(joined.partition() == expected, "union of {first} and {second} in {set:?}");
            }
        }
    }
    Ok(calls)
}
