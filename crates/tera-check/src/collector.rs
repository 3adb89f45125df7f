//! What the workers of one run have found so far.

use std::collections::BTreeMap;

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

/// A failure of a batch that is not finished.
struct Failed {
    failure: Failure,
    best: Best,
}

/// Inputs that were run already.
pub struct Done {
    below: u64,
    ahead: BTreeMap<u64, u64>,
}

impl Done {
    pub fn contains(&self, number: u64) -> bool {
        let batch = self.ahead.range(..=number).next_back();
        number < self.below || batch.is_some_and(|(_, &end)| number < end)
    }
}

/// Counts, groups of failures, and which inputs are behind us.
///
/// Invariant: what is counted is what finished batches found, so a state that is saved and resumed
/// counts nothing twice.
#[derive(Default)]
pub struct Collector {
    pub groups: BTreeMap<String, Found>,
    pub skipped: u64,
    pub skip_reason: String,
    pub run: u64,
    /// The batches that are on their way, by their first inputs, and what they found so far.
    in_flight: BTreeMap<u64, Vec<Failed>>,
    /// The end of the last batch that was sent.
    sent: u64,
    /// Batches that are finished although one before them is not: first input and end.
    ahead: BTreeMap<u64, u64>,
    /// A fault of tera or of the surroundings that ends the run.
    pub error: Option<std::io::Error>,
}

impl Collector {
    pub fn sent(&mut self, first: u64, count: u64) {
        self.in_flight.insert(first, Vec::new());
        self.sent = first + count;
    }

    /// All `count` inputs of the batch were run, or none of them is worth it any more.
    pub fn finished(&mut self, first: u64, count: u64) {
        for failed in self.in_flight.remove(&first).unwrap_or_default() {
            self.count(failed);
        }
        self.run += count;
        if count > 0 {
            self.ahead.insert(first, first + count);
        }
        let watermark = self.watermark();
        self.ahead.retain(|_, end| *end > watermark);
    }

    /// All inputs below this number have been run.
    pub fn watermark(&self) -> u64 {
        self.in_flight.first_key_value().map_or(self.sent, |(&first, _)| first)
    }

    /// Whether batches were sent that did not come back.
    pub fn is_in_flight(&self) -> bool {
        !self.in_flight.is_empty()
    }

    /// What the run that this one resumes has done; asked before anything is sent.
    pub fn resumed(&self) -> Done {
        Done { below: self.watermark(), ahead: self.ahead.clone() }
    }

    pub fn failed(&self) -> u64 {
        self.groups.values().map(|found| found.count).sum()
    }

    pub fn passed(&self) -> u64 {
        self.run.saturating_sub(self.failed() + self.skipped)
    }

    /// Whether an input of this size, failing in this way, may be the smallest of its group.
    pub fn may_be_smallest(&self, failure: &Failure, size: usize) -> bool {
        self.groups.get(&failure.group()).is_none_or(|found| size <= found.best.size)
    }

    /// Notes a failure of an input of the batch that begins with `first`.
    pub fn add(&mut self, first: u64, failure: Failure, best: Best) {
        let failed = Failed { failure, best };
        match self.in_flight.get_mut(&first) {
            Some(batch) => batch.push(failed),
            None => self.count(failed),
        }
    }

    fn count(&mut self, failed: Failed) {
        let Failed { failure, best } = failed;
        if let Failure::Skipped(reason) = failure {
            self.skipped += 1;
            if self.skip_reason.is_empty() {
                self.skip_reason = reason;
            }
            return;
        }
        match self.groups.get_mut(&failure.group()) {
            None => {
                let found = Found { count: 1, best, failure };
                self.groups.insert(found.failure.group(), found);
            }
            Some(found) => {
                found.count += 1;
                if best < found.best {
                    found.best = best;
                    found.failure = failure;
                }
            }
        }
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
        let ahead: Vec<[u64; 2]> = self.ahead.iter().map(|(&first, &end)| [first, end]).collect();
        json!({ "done": self.watermark(), "ahead": ahead, "skipped": self.skipped, "skip_reason": self.skip_reason, "groups": groups })
    }

    pub fn from_json(value: &Value) -> Option<Collector> {
        let numbers =
            |value: &Value| -> Option<Vec<u64>> { value.as_array()?.iter().map(Value::as_u64).collect() };
        let done = value["done"].as_u64()?;
        let mut collector = Collector { run: done, sent: done, ..Collector::default() };
        for range in value["ahead"].as_array()? {
            let (first, end) = (range[0].as_u64()?, range[1].as_u64()?);
            collector.run += end.saturating_sub(first);
            collector.ahead.insert(first, end);
        }
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
        let best = |size, number, key| Best { size, key: vec![key], number, words: vec![number] };
        collector.sent(10, 3);
        collector.add(10, violated(), best(3, 10, 2));
        collector.add(10, violated(), best(3, 11, 1));
        collector.add(10, violated(), best(4, 12, 0));
        assert_eq!(collector.failed(), 0, "what an unfinished batch found will be found again");
        collector.finished(10, 3);
        collector.add(13, Failure::NoPanic, best(2, 13, 0));
        assert_eq!(collector.groups.len(), 2);
        assert_eq!(collector.failed(), 4);
        assert_eq!(collector.groups[&violated().group()].best.number, 11);
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
        let again = Collector::from_json(&collector.to_json()).unwrap();
        let done = again.resumed();
        assert_eq!(
            (0..30).filter(|&n| done.contains(n)).collect::<Vec<u64>>(),
            (10..20).collect::<Vec<u64>>()
        );
        assert_eq!(again.run, 10);
        collector.finished(0, 10);
        assert_eq!(collector.watermark(), 20);
        collector.finished(20, 5);
        assert_eq!(collector.watermark(), 25);
    }
}
