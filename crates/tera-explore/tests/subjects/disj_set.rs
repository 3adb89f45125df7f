//! Disjoint sets: an array of records with a parent and a rank; `size` is its length.

use tera_explore::{Candidate, Finitization};

#[derive(Candidate, Debug, PartialEq)]
pub struct DisjSet {
    pub records: Vec<Record>,
    pub size: usize,
}

#[derive(Candidate, Debug, PartialEq)]
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
