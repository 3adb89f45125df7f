//! What the workers of one run have found so far.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::outcome::Failure;

/// The inputs that failed in one way.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub failure: Failure,
    pub count: u64,
    pub best: Best,
}

/// The smallest of them: by size, then by how it reads, then by number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Best {
    pub size: usize,
    pub key: Vec<u32>,
    pub number: u64,
    pub words: Vec<u64>,
}

/// Counts, groups of failures, and which inputs are behind us.
#[derive(Default)]
pub struct Collector {
    pub groups: BTreeMap<String, Found>,
    pub skipped: u64,
    pub skip_reason: String,
    pub run: u64,
    /// First inputs of the batches that are on their way.
    in_flight: BTreeSet<u64>,
    /// The end of the last batch that was sent.
    sent: u64,
    /// A fault of tera or of the surroundings that ends the run.
    pub error: Option<String>,
}

impl Collector {
    pub fn sent(&mut self, first: u64, count: u64) {
        self.in_flight.insert(first);
        self.sent = first + count;
    }

    pub fn finished(&mut self, first: u64, count: u64) {
        self.in_flight.remove(&first);
        self.run += count;
    }

    /// All inputs below this number have been run.
    pub fn watermark(&self) -> u64 {
        self.in_flight.first().copied().unwrap_or(self.sent)
    }

    pub fn failed(&self) -> u64 {
        self.groups.values().map(|found| found.count).sum()
    }

    pub fn passed(&self) -> u64 {
        self.run.saturating_sub(self.failed() + self.skipped)
    }

    /// Notes a failure; `key` is asked for when the input may be the smallest of its group.
    pub fn add(
        &mut self,
        failure: Failure,
        size: usize,
        number: u64,
        words: &[u64],
        key: impl Fn() -> Vec<u32>,
    ) {
        if let Failure::Skipped(reason) = failure {
            self.skipped += 1;
            if self.skip_reason.is_empty() {
                self.skip_reason = reason;
            }
            return;
        }
        let best = || Best { size, key: key(), number, words: words.to_vec() };
        match self.groups.get_mut(&failure.group()) {
            None => {
                let found = Found { count: 1, best: best(), failure };
                self.groups.insert(found.failure.group(), found);
            }
            Some(found) => {
                found.count += 1;
                if size < found.best.size || (size == found.best.size && best() < found.best) {
                    found.best = best();
                    found.failure = failure;
                }
            }
        }
    }

    /// The smallest failure of all.
    pub fn smallest(&self) -> Option<&Found> {
        self.groups.values().min_by(|a, b| a.best.cmp(&b.best))
    }

    /// What an interrupted run leaves to the next.
    pub fn to_json(&self) -> Value {
        let groups: Vec<Value> = (self.groups.values())
            .map(|found| {
                json!({
                    "failure": found.failure.to_json(),
                    "count": found.count,
                    "size": found.best.size,
                    "key": found.best.key,
                    "number": found.best.number,
                    "words": found.best.words,
                })
            })
            .collect();
        json!({ "done": self.watermark(), "skipped": self.skipped, "skip_reason": self.skip_reason, "groups": groups })
    }

    pub fn from_json(value: &Value) -> Option<Collector> {
        let numbers =
            |value: &Value| -> Option<Vec<u64>> { value.as_array()?.iter().map(Value::as_u64).collect() };
        let done = value["done"].as_u64()?;
        let mut collector = Collector { run: done, sent: done, ..Collector::default() };
        collector.skipped = value["skipped"].as_u64()?;
        collector.skip_reason = value["skip_reason"].as_str()?.to_owned();
        for group in value["groups"].as_array()? {
            let failure = Failure::from_json(&group["failure"])?;
            let best = Best {
                size: group["size"].as_u64()? as usize,
                key: numbers(&group["key"])?.into_iter().map(|n| n as u32).collect(),
                number: group["number"].as_u64()?,
                words: numbers(&group["words"])?,
            };
            let found = Found { count: group["count"].as_u64()?, best, failure };
            collector.groups.insert(found.failure.group(), found);
        }
        Some(collector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_of_each_group_is_kept() {
        let mut collector = Collector::default();
        let violated = || Failure::Violated(vec![1]);
        collector.add(violated(), 3, 10, &[1], || vec![2]);
        collector.add(violated(), 3, 11, &[2], || vec![1]);
        collector.add(violated(), 4, 12, &[3], || vec![0]);
        collector.add(Failure::NoPanic, 2, 13, &[4], Vec::new);
        assert_eq!(collector.groups.len(), 2);
        assert_eq!(collector.failed(), 4);
        assert_eq!(collector.groups[&violated().group()].best.number, 11);
        assert_eq!(collector.smallest().unwrap().failure, Failure::NoPanic);
        let again = Collector::from_json(&collector.to_json()).unwrap();
        assert_eq!(again.groups, collector.groups);
    }

    #[test]
    fn the_watermark_is_the_first_batch_that_is_not_back() {
        let mut collector = Collector::default();
        for (first, n) in [(0, 10), (10, 10), (20, 5)] {
            collector.sent(first, n);
        }
        collector.finished(10, 10);
        assert_eq!(collector.watermark(), 0);
        collector.finished(0, 10);
        assert_eq!(collector.watermark(), 20);
        collector.finished(20, 5);
        assert_eq!(collector.watermark(), 25);
    }
}
