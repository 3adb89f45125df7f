//! Types of others: a published crate, and another view of a standard collection, by hand.

use std::collections::BTreeMap;

use slab::Slab;
use tera_heap::*;

use crate::support::{Natural, there_and_back};

/// A slab is a map from numbers to objects. Keys are vacant where the specification has none.
struct Slots<T>(Slab<T>);

impl<T: Mapped> Mapped for Slots<T> {
    fn shape(d: &mut Describer) -> Shape {
        BTreeMap::<usize, T>::shape(d)
    }
}

impl<T: Concretize> Concretize for Slots<T> {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Slots<T>, Stop> {
        let entries = BTreeMap::<usize, T>::concretize(c, plan, at)?;
        Ok(Slots(entries.into_iter().collect()))
    }
}

impl<T: Abstraction> Abstraction for Slots<T> {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        let (key, value) = (&plan.parts[0], &plan.parts[1]);
        for (k, v) in &self.0 {
            // The objects themselves, not copies: they are visited by their address.
            if let Some(k) = k.to_tuple(a, key, Place::Heap) {
                v.abstraction(a, value, at * key.span + k);
            }
        }
    }
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Pool {
    jobs: Slots<Job>,
    queue: Sorted,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Job {
    cost: u8,
    then: Option<Box<Job>>,
}

/// A `BTreeMap` from cost to how often it occurs, seen as the set of its keys.
#[derive(PartialEq, Debug)]
struct Sorted(BTreeMap<u8, u32>);

impl Mapped for Sorted {
    fn shape(d: &mut Describer) -> Shape {
        Shape::Set("Sorted::from", Box::new(u8::shape(d)))
    }
}

impl Concretize for Sorted {
    fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Sorted, Stop> {
        let keys: Vec<usize> = c.all(plan, at).collect();
        keys.into_iter()
            .map(|key| Ok((u8::from_tuple(c, plan, key)?, 1)))
            .collect::<Result<_, _>>()
            .map(Sorted)
    }
}

impl Abstraction for Sorted {
    fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        for key in self.0.keys() {
            if let Some(key) = key.to_tuple(a, plan, Place::Heap) {
                a.insert(plan, at, key);
            }
        }
    }
}

#[test]
fn a_slab_of_objects_keeps_its_keys_and_a_map_its_view() {
    let mut slab = Slab::new();
    let job = |cost, then| Job { cost, then };
    let first = slab.insert(job(1, None));
    slab.insert(job(2, Some(Box::new(job(7, None)))));
    slab.insert(job(3, None));
    slab.remove(first);
    let pool = Pool { jobs: Slots(slab), queue: Sorted(BTreeMap::from([(4, 1), (2, 1)])) };
    let (text, again, _) = there_and_back(3, &pool);
    assert_eq!(
        text,
        [
            "root = Pool0",
            "jobs = Pool0->1->Job0 Pool0->2->Job1",
            "queue = Pool0->2 Pool0->4",
            "cost = Job0->2 Job1->3 Job2->7",
            "then = Job0->Job2",
        ]
    );
    assert_eq!(again.queue, pool.queue);
    assert_eq!(again.jobs.0.iter().map(|(k, job)| (k, job.cost)).collect::<Vec<_>>(), [(1, 2), (2, 3)]);
    // The abstract view forgets what it does not show.
    let twice = Pool { jobs: Slots(Slab::new()), queue: Sorted(BTreeMap::from([(4, 9)])) };
    assert_eq!(Natural::of::<Pool>(1).show(&Natural::of::<Pool>(1).read(&twice).0)[1], "queue = Pool0->4");
}
