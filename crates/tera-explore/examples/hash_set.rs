//! A structure that is not in any paper, from nothing to tested in one page: a chained hash set.
//!
//! `cargo run -p tera-explore --example hash_set`

use std::collections::BTreeSet;

use tera_explore::{Candidate, Choices, Explore, Finitization, Visited};

#[derive(Candidate, Debug)]
struct HashSet {
    buckets: Vec<Option<Box<Entry>>>,
    len: usize,
}

#[derive(Candidate, Debug)]
struct Entry {
    key: u32,
    next: Option<Box<Entry>>,
}

/// Valid: every key lies in its bucket, once; `len` counts them. The same function judges candidates and
/// real sets.
fn rep_ok(set: HashSetRef) -> bool {
    let (buckets, mut seen) = (set.buckets(), Visited::new());
    for (at, first) in buckets.iter().enumerate() {
        let mut next = first;
        while let Some(entry) = next {
            if !seen.insert(entry) || entry.key() as usize % buckets.len() != at {
                return false;
            }
            // Not again further on in the chain.
            let mut later = entry.next();
            while let Some(other) = later {
                if other.key() == entry.key() {
                    return false;
                }
                later = other.next();
            }
            next = entry.next();
        }
    }
    set.len() == seen.len()
}

impl HashSet {
    fn insert(&mut self, key: u32) -> bool {
        let n = self.buckets.len();
        let mut place = &mut self.buckets[key as usize % n];
        while let Some(entry) = place {
            if entry.key == key {
                return false;
            }
            place = &mut entry.next;
        }
        *place = Some(Box::new(Entry { key, next: None }));
        self.len += 1;
        true
    }

    fn remove(&mut self, key: u32) -> bool {
        let n = self.buckets.len();
        let mut place = &mut self.buckets[key as usize % n];
        while place.as_ref().is_some_and(|entry| entry.key != key) {
            place = &mut place.as_mut().expect("just seen").next;
        }
        let Some(entry) = place.take() else { return false };
        *place = entry.next;
        self.len -= 1;
        true
    }

    fn keys(&self) -> BTreeSet<u32> {
        let chain = |first: &'_ Option<Box<Entry>>| {
            std::iter::successors(first.as_deref(), |entry| entry.next.as_deref())
                .map(|entry| entry.key)
                .collect::<Vec<_>>()
        };
        self.buckets.iter().flat_map(chain).collect()
    }
}

fn main() {
    // Three buckets, up to four entries, keys 0..6. Everything else has a default.
    let space =
        || Finitization::<HashSet>::of(4).lengths("HashSet.buckets", [3]).values("Entry.key", 0..6_u32);
    print!("the space of candidates:\n{}", space());

    let mut search = space().search().expect("the settings name fields that exist").explained();
    while search.next(&mut rep_ok) {
        if search.summary().structures % 40 == 7 {
            println!("\n{}", search.description());
        }
    }
    println!("\n{:?}", search.summary());
    println!("refused by what was read last: {:?}", search.explanation());

    // Every set, every key, both methods: the invariant holds and the keys are the expected ones.
    let mut calls = 0;
    for set in space().inputs(rep_ok).expect("as above") {
        for key in 0..6 {
            let mut keys = set.keys();
            let mut changed = copy(&set);
            assert_eq!(changed.insert(key), keys.insert(key));
            assert!(rep_ok((&changed).into()) && changed.keys() == keys);
            assert_eq!(changed.remove(key), keys.remove(&key));
            assert!(rep_ok((&changed).into()) && changed.keys() == keys);
            calls += 2;
        }
    }
    println!("{calls} calls keep the invariant");

    // The other way: sequences of calls by choices, compared with a model.
    let report = Explore::new(|c: &mut Choices| {
        let (mut set, mut model) = (HashSet { buckets: vec![None, None], len: 0 }, BTreeSet::new());
        for _ in 0..c.int(0..=4) {
            let key = c.int(0..3);
            if c.bool() {
                assert_eq!(set.insert(key), model.insert(key));
            } else {
                assert_eq!(set.remove(key), model.remove(&key));
            }
        }
        assert!(rep_ok((&set).into()) && set.keys() == model);
    })
    .check();
    println!("{} sequences of calls agree with the model", report.summary.runs);
    assert_eq!(report.failure, None);
}

fn copy(set: &HashSet) -> HashSet {
    fn chain(entry: &Option<Box<Entry>>) -> Option<Box<Entry>> {
        entry.as_ref().map(|entry| Box::new(Entry { key: entry.key, next: chain(&entry.next) }))
    }
    HashSet { buckets: set.buckets.iter().map(chain).collect(), len: set.len }
}
