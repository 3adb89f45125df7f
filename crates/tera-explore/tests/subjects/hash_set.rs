//! Chained hash sets that double their table: 2^0, 2^1, ... buckets, at most one key a bucket on average,
//! and the hash kept in the entry.

use tera_explore::dedicated::{at_most, both, equal};
use tera_explore::{Candidate, Finitization, Visited};

use super::{bug, ensure};

#[derive(Candidate, Clone, Debug, PartialEq)]
pub struct HashSet {
    pub buckets: Vec<Option<Box<Entry>>>,
    pub size: usize,
}

#[derive(Candidate, Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: u32,
    pub hash: u32,
    pub next: Option<Box<Entry>>,
}

/// Keys 0..n, which have the hashes below.
pub fn space(n: usize) -> Finitization<HashSet> {
    let lengths: Vec<usize> = (0..).map(|power| 1 << power).take_while(|length| *length <= 2 * n).collect();
    let hashes = 0..2 * n;
    Finitization::of(n)
        .lengths("HashSet.buckets", lengths)
        .values("Entry.key", 0..n)
        .values("Entry.hash", hashes)
}

/// Of neighbours, some share a bucket and some do not.
fn hash(key: u32) -> u32 {
    key ^ key >> 1
}

pub fn rep_ok(set: HashSetRef) -> bool {
    let buckets = set.buckets();
    let mut seen = Visited::new();
    let mut keys = 0_u64;
    buckets.iter().enumerate().all(|(at, first)| {
        chain(first).all(|entry| {
            let (key, hash) = (entry.key(), entry.hash());
            let is_new = seen.insert(entry) && keys >> key & 1 == 0;
            keys |= 1 << key;
            is_new && hash == self::hash(key) && hash as usize % buckets.len() == at
        })
    }) && seen.len() <= buckets.len()
        && set.size() == seen.len()
}

fn chain(first: Option<EntryRef>) -> impl Iterator<Item = EntryRef> {
    std::iter::successors(first, |entry| entry.next())
}

/// The same predicate from dedicated generators: keys that belong into a bucket and are not taken, no more
/// entries than there is room for.
pub fn rep_ok_dedicated(set: HashSetRef) -> bool {
    let buckets = set.buckets();
    let (mut n, mut keys) = (0, 0_u64);
    for (at, mut place) in buckets.fields().enumerate() {
        let free =
            |keys: u64| move |key: u32| hash(key) as usize % buckets.len() == at && keys >> key & 1 == 0;
        while let Some(found) = place.find(|entry| entry.is_none() || n < buckets.len()) {
            let Some(entry) = found else { break };
            let Some(key) = entry.key_field().find(free(keys)) else { return false };
            if !entry.hash_field().require(equal(hash(key))) {
                return false;
            }
            keys |= 1 << key;
            n += 1;
            place = entry.next_field();
        }
    }
    set.size_field().require(both(equal(n), at_most(buckets.len())))
}

/// How many sets there are: for every table and every set of keys, the chains in any order.
pub fn direct(n: usize) -> u64 {
    let mut sum = 0;
    for length in (0..).map(|power| 1_u32 << power).take_while(|length| *length as usize <= 2 * n) {
        for keys in (0..1_u32 << n).filter(|keys| keys.count_ones() <= length) {
            let of =
                |at| (0..n as u32).filter(|key| keys >> key & 1 == 1 && hash(*key) % length == at).count();
            sum += (0..length).map(|at| (1..=of(at) as u64).product::<u64>()).product::<u64>();
        }
    }
    sum
}

impl HashSet {
    /// True if the key was not there.
    pub fn add(&mut self, key: u32) -> bool {
        if self.place(key).is_some() {
            return false;
        }
        if self.size == self.buckets.len() {
            self.grow();
        }
        let hash = hash(key);
        let at = hash as usize % self.buckets.len();
        let next = self.buckets[at].take();
        self.buckets[at] = Some(Box::new(Entry { key, hash, next: next.filter(|_| !bug(1)) }));
        self.size += 1;
        true
    }

    /// True if the key was there.
    pub fn remove(&mut self, key: u32) -> bool {
        let place = self.place(key);
        let Some(entry) = place.take() else { return false };
        *place = entry.next;
        self.size -= usize::from(!bug(2));
        true
    }

    /// Where the entry of a key is, or would be at the end of its chain.
    fn place(&mut self, key: u32) -> &mut Option<Box<Entry>> {
        let at = hash(key) as usize % self.buckets.len();
        let mut place = &mut self.buckets[at];
        while place.as_ref().is_some_and(|entry| entry.key != key && !(bug(3) && entry.next.is_none())) {
            place = &mut place.as_mut().expect("just seen").next;
        }
        place
    }

    /// Deals the entries out to twice as many buckets.
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.buckets);
        self.buckets.resize(old.len() * 2, None);
        for (at, mut next) in old.into_iter().enumerate() {
            while let Some(mut entry) = next.take() {
                next = entry.next.take();
                let at = if bug(4) { at } else { entry.hash as usize % self.buckets.len() };
                entry.next = self.buckets[at].take();
                self.buckets[at] = Some(entry);
            }
        }
    }

    pub fn keys(&self) -> Vec<u32> {
        let chain = |first| std::iter::successors(first, |entry: &&Entry| entry.next.as_deref());
        let entries = self.buckets.iter().flat_map(|bucket| chain(bucket.as_deref()));
        let mut keys: Vec<u32> = entries.map(|entry| entry.key).collect();
        keys.sort_unstable();
        keys
    }
}

pub const N_BUGS: usize = 4;

/// Calls `add` and `remove` on all sets with all keys 0..n; how many calls there are, or the first
/// violation.
pub fn check_methods(n: usize) -> Result<u64, String> {
    let mut calls = 0;
    for set in space(n).inputs(rep_ok_dedicated).expect("right settings") {
        for key in 0..n as u32 {
            let before = set.keys();
            let was_there = before.contains(&key);
            let mut expected: Vec<u32> = before.into_iter().filter(|other| *other != key).collect();
            let mut removed = set.clone();
            ensure!(removed.remove(key) == was_there, "remove tells whether {key} was in {set:?}");
            ensure!(removed.keys() == expected, "the keys without {key} of {set:?}");
            ensure!(rep_ok((&removed).into()), "{set:?} without {key}");

            expected.push(key);
            expected.sort_unstable();
            let mut added = set.clone();
            ensure!(added.add(key) != was_there, "add tells whether {key} was in {set:?}");
            ensure!(added.keys() == expected, "the keys with {key} of {set:?}");
            ensure!(rep_ok((&added).into()), "{set:?} with {key}");
            calls += 2;
        }
    }
    Ok(calls)
}
