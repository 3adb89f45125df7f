//! Cubes: the search cut at one place of the order. A cube is an assignment of all places before the
//! cut that the search reaches; the cubes, in the order of the search, are the units that shards and
//! threads divide among them.
//!
//! The list of cubes is made by one search that enters none of them. Another search may miss some of
//! these (a clause learned below may refute one that has no instances), and, the other way round,
//! may reach assignments that are not listed: those have no instances.

use tera_sat::Lit;
use tera_sat::enumerate::State;

/// The cubes of one cut, ascending in the order of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Cubes {
    /// The cut: all places before it are assigned.
    pub(super) at: usize,
    /// So many words each: a bit for every place, the first the highest; set where the place has the
    /// value that is not preferred.
    keys: Vec<u64>,
}

impl Cubes {
    pub(super) fn new(at: usize) -> Cubes {
        Cubes { at, keys: Vec::new() }
    }

    /// One cube that is everything.
    pub(super) fn whole() -> Cubes {
        Cubes { at: 0, keys: vec![0] }
    }

    fn words(&self) -> usize {
        self.at.div_ceil(64).max(1)
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len() / self.words()
    }

    /// The key of the present assignment.
    fn key(&self, order: &[Lit], state: &State, key: &mut Vec<u64>) {
        key.clear();
        key.resize(self.words(), 0);
        for (i, &lit) in order[..self.at].iter().enumerate() {
            if state.value(lit) == Some(false) {
                key[i / 64] |= 1 << (63 - i % 64);
            }
        }
    }

    /// Notes the present assignment.
    pub(super) fn push(&mut self, order: &[Lit], state: &State, key: &mut Vec<u64>) {
        self.key(order, state, key);
        self.keys.extend_from_slice(key);
    }

    /// The number of the present assignment, if it is listed.
    pub(super) fn find(&self, order: &[Lit], state: &State, key: &mut Vec<u64>) -> Option<usize> {
        self.key(order, state, key);
        let words = self.words();
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.keys[middle * words..][..words].cmp(key) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}
