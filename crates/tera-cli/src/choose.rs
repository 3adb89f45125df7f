//! `--sample` and `--far`: a few instances out of many.
//!
//! A sample is drawn while the search runs (reservoir sampling, Vitter 1985): when the search ends
//! by itself, every set of that many classes is equally likely. Different instances are chosen among
//! the first ones of the search: each next one is farthest from those before, counted in tuples.

use std::collections::BTreeMap;

use tera_finder::{Found, Summary, Verdict};
use tera_rel::Instance;

use crate::console::thousands;
use crate::generate::GenArgs;

/// How many instances `--far` chooses from.
pub const FAR_POOL: u64 = 20_000;

/// Pseudo-random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform below `n`, which is not 0: what falls into the incomplete last round is drawn again.
    pub fn below(&mut self, n: u64) -> u64 {
        let rest = (u64::MAX % n + 1) % n;
        loop {
            let value = self.next();
            if value <= u64::MAX - rest {
                return value % n;
            }
        }
    }
}

/// A uniform sample of a stream whose length is not known.
pub struct Sample {
    size: usize,
    random: Random,
    seen: u64,
    kept: Vec<(u64, Instance)>,
}

impl Sample {
    pub fn new(size: usize, seed: u64) -> Sample {
        Sample { size, random: Random::new(seed), seen: 0, kept: Vec::new() }
    }

    pub fn take(&mut self, found: &Found) {
        let place = if self.kept.len() < self.size {
            self.kept.push((found.index, found.instance()));
            None
        } else {
            Some(self.random.below(self.seen + 1)).filter(|&p| p < self.size as u64)
        };
        if let Some(place) = place {
            let slot = &mut self.kept[place as usize];
            slot.0 = found.index;
            found.decode_into(&mut slot.1);
        }
        self.seen += 1;
    }

    /// The sample in the order of the search.
    pub fn finish(mut self) -> Vec<(u64, Instance)> {
        self.kept.sort_by_key(|k| k.0);
        self.kept
    }
}

/// Instances by their bits, to choose different ones from.
#[derive(Default)]
pub struct Pool {
    bits: Vec<(u64, Vec<u64>)>,
    lowers: Vec<tera_rel::TupleSet>,
    cells: Vec<tera_finder::Cell>,
}

impl Pool {
    pub fn take(&mut self, found: &Found) {
        if self.cells.is_empty() {
            self.cells = found.cells.to_vec();
            self.lowers = found.lowers.to_vec();
        }
        self.bits.push((found.index, found.bits.to_vec()));
    }

    /// The first instance, then again and again the one that is farthest from all chosen before; of
    /// equally far ones the first.
    pub fn finish(self, size: usize) -> Vec<(u64, Instance)> {
        let distance = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(x, y)| (x ^ y).count_ones()).sum::<u32>();
        let mut nearest = vec![u32::MAX; self.bits.len()];
        let mut chosen = BTreeMap::new();
        let mut order = Vec::new();
        for _ in 0..size.min(self.bits.len()) {
            let free = (0..nearest.len()).filter(|i| !chosen.contains_key(i));
            let Some(next) = free.max_by_key(|&i| (nearest[i], std::cmp::Reverse(i))) else { break };
            chosen.insert(next, ());
            order.push(next);
            for (i, near) in nearest.iter_mut().enumerate() {
                *near = (*near).min(distance(&self.bits[i].1, &self.bits[next].1));
            }
        }
        let decode = |i: usize| {
            let (index, bits) = &self.bits[i];
            let mut instance = Instance { values: self.lowers.clone() };
            for (c, cell) in self.cells.iter().enumerate() {
                if bits[c / 64] >> (c % 64) & 1 != 0
                    && let Some(value) = instance.values.get_mut(cell.rel.0 as usize)
                {
                    value.insert_index(cell.tuple as usize);
                }
            }
            (*index, instance)
        };
        order.into_iter().map(decode).collect()
    }
}

/// What is shown of the instances found.
pub enum Selection {
    All,
    Sample(Sample),
    Far(Pool),
}

impl Selection {
    pub fn new(args: &GenArgs) -> Selection {
        match (args.sample, args.far) {
            (Some(size), _) => Selection::Sample(Sample::new(size as usize, args.seed)),
            (None, true) => Selection::Far(Pool::default()),
            (None, false) => Selection::All,
        }
    }

    /// How many instances are shown, and how they were chosen from `found` ones.
    pub fn distribution(&self, args: &GenArgs, summary: &Summary) -> Option<(u64, String)> {
        let n = summary.count;
        let of = match summary.verdict {
            Verdict::Exhausted => format!("all {}", thousands(n)),
            _ => format!("the first {} of the search", thousands(n)),
        };
        match self {
            Selection::All => None,
            Selection::Sample(_) => {
                Some((n.min(args.sample.unwrap_or(0) as u64), format!("drawn uniformly from {of}")))
            }
            Selection::Far(_) => Some((n.min(far_size(args)), format!("chosen for difference from {of}"))),
        }
    }
}

/// How many instances `--far` shows.
pub fn far_size(args: &GenArgs) -> u64 {
    args.limit.unwrap_or(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_fair_and_repeatable() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..6000).map(|_| random.below(6)).collect::<Vec<u64>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        for face in 0..6 {
            let count = draw(7).iter().filter(|&&v| v == face).count();
            assert!((900..1100).contains(&count), "{face} came {count} times of 6000");
        }
    }
}
