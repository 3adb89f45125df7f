//! Sets of tuples of one arity over a universe of `n` atoms. A tuple is its row-major index in
//! `n^arity`: `(a, b, c)` is `(a*n + b)*n + c`. The order of tuples is the order of indices.
//!
//! Small index ranges are bitsets, large ones (a ternary relation over a wide Int scope) sorted
//! lists. Which of the two depends on arity and universe alone, so equal sets are equal values.

use bitvec::prelude::*;

use crate::universe::AtomId;

/// A set of tuples. Two sets are equal when they have the same arity, universe size and tuples.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TupleSet {
    arity: u32,
    n_atoms: u32,
    indices: Indices,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Indices {
    Dense(Bits),
    /// Ascending.
    Sparse(Vec<usize>),
}

/// Bits `0..len`; those behind are zero.
///
/// Owned words, searched and counted as a slice of bits: the judge reads millions of tuple sets a
/// second by whole words, and finding the words of a `BitVec` each time costs it a few percent.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Bits {
    words: Box<[u64]>,
    len: usize,
}

impl Bits {
    fn as_slice(&self) -> &BitSlice<u64> {
        &self.words.view_bits::<Lsb0>()[..self.len]
    }
}

/// Index ranges up to this are bitsets.
const MAX_DENSE: usize = 1 << 17;

impl TupleSet {
    /// The empty set. Panics if `n_atoms^arity` is too large; the caller checks with
    /// [`TupleSet::capacity`].
    pub fn empty(arity: usize, n_atoms: usize) -> TupleSet {
        let capacity = Self::capacity(arity, n_atoms).expect("capacity was checked");
        let indices = if capacity <= MAX_DENSE {
            Indices::Dense(Bits { words: vec![0; capacity.div_ceil(64)].into(), len: capacity })
        } else {
            Indices::Sparse(Vec::new())
        };
        TupleSet { arity: arity as u32, n_atoms: n_atoms as u32, indices }
    }

    /// `n_atoms^arity`, or `None` when it is above 2^60.
    pub fn capacity(arity: usize, n_atoms: usize) -> Option<usize> {
        n_atoms.checked_pow(arity as u32).filter(|&c| c <= 1 << 60)
    }

    pub fn from_tuples<'a>(
        arity: usize,
        n_atoms: usize,
        tuples: impl IntoIterator<Item = &'a [AtomId]>,
    ) -> TupleSet {
        let mut set = TupleSet::empty(arity, n_atoms);
        for tuple in tuples {
            set.insert(tuple);
        }
        set
    }

    /// The unary set of `atoms`.
    pub fn unary(n_atoms: usize, atoms: impl IntoIterator<Item = AtomId>) -> TupleSet {
        let mut set = TupleSet::empty(1, n_atoms);
        for atom in atoms {
            set.insert_index(atom.0 as usize);
        }
        set
    }

    pub fn arity(&self) -> usize {
        self.arity as usize
    }

    pub fn n_atoms(&self) -> usize {
        self.n_atoms as usize
    }

    pub fn len(&self) -> usize {
        match &self.indices {
            Indices::Dense(bits) => bits.as_slice().count_ones(),
            Indices::Sparse(list) => list.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        match &self.indices {
            Indices::Dense(bits) => bits.as_slice().not_any(),
            Indices::Sparse(list) => list.is_empty(),
        }
    }

    pub fn index(&self, tuple: &[AtomId]) -> usize {
        debug_assert_eq!(tuple.len(), self.arity());
        tuple.iter().fold(0, |i, a| i * self.n_atoms() + a.0 as usize)
    }

    /// The atoms of the tuple with this index, first column first.
    pub fn tuple(&self, mut index: usize) -> Vec<AtomId> {
        let mut tuple = vec![AtomId(0); self.arity()];
        for slot in tuple.iter_mut().rev() {
            *slot = AtomId((index % self.n_atoms()) as u32);
            index /= self.n_atoms();
        }
        tuple
    }

    pub fn insert(&mut self, tuple: &[AtomId]) {
        let index = self.index(tuple);
        self.insert_index(index);
    }

    /// Cheapest in ascending order.
    #[inline]
    pub fn insert_index(&mut self, index: usize) {
        match &mut self.indices {
            Indices::Dense(bits) => {
                assert!(index < bits.len, "a tuple of the universe");
                bits.words[index / 64] |= 1 << (index % 64);
            }
            Indices::Sparse(list) => insert_sorted(list, index),
        }
    }

    #[inline]
    pub fn remove_index(&mut self, index: usize) {
        match &mut self.indices {
            Indices::Dense(bits) => {
                assert!(index < bits.len, "a tuple of the universe");
                bits.words[index / 64] &= !(1 << (index % 64));
            }
            Indices::Sparse(list) => {
                if let Ok(at) = list.binary_search(&index) {
                    list.remove(at);
                }
            }
        }
    }

    pub fn contains(&self, tuple: &[AtomId]) -> bool {
        self.contains_index(self.index(tuple))
    }

    #[inline]
    pub fn contains_index(&self, index: usize) -> bool {
        match &self.indices {
            Indices::Dense(bits) => {
                assert!(index < bits.len, "a tuple of the universe");
                bits.words[index / 64] >> (index % 64) & 1 != 0
            }
            Indices::Sparse(list) => list.binary_search(&index).is_ok(),
        }
    }

    /// Indices of the tuples, ascending.
    pub fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        let (words, list): (&[u64], &[usize]) = match &self.indices {
            Indices::Dense(bits) => (&bits.words, &[]),
            Indices::Sparse(list) => (&[], list),
        };
        ones(words).chain(list.iter().copied())
    }

    /// The tuples in order.
    pub fn tuples(&self) -> impl Iterator<Item = Vec<AtomId>> + '_ {
        self.indices().map(|i| self.tuple(i))
    }

    pub fn clear(&mut self) {
        match &mut self.indices {
            Indices::Dense(bits) => bits.words.fill(0),
            Indices::Sparse(list) => list.clear(),
        }
    }

    pub fn is_subset(&self, other: &TupleSet) -> bool {
        self.same_shape(other);
        match (&self.indices, &other.indices) {
            (Indices::Dense(a), Indices::Dense(b)) => a.words.iter().zip(&b.words).all(|(a, b)| a & !b == 0),
            _ => self.len() <= other.len() && self.indices().all(|i| other.contains_index(i)),
        }
    }

    pub fn union_with(&mut self, other: &TupleSet) {
        self.combine(other, |a, b| a | b);
    }

    pub fn intersect_with(&mut self, other: &TupleSet) {
        self.combine(other, |a, b| a & b);
    }

    pub fn subtract(&mut self, other: &TupleSet) {
        self.combine(other, |a, b| a & !b);
    }

    /// Replaces every word, or every membership as the lowest bit, by `f` of the two.
    fn combine(&mut self, other: &TupleSet, f: impl Fn(u64, u64) -> u64) {
        self.same_shape(other);
        match (&mut self.indices, &other.indices) {
            (Indices::Dense(a), Indices::Dense(b)) => {
                for (a, b) in a.words.iter_mut().zip(&b.words) {
                    *a = f(*a, *b);
                }
            }
            (Indices::Sparse(a), Indices::Sparse(b)) => {
                let mut result = Vec::with_capacity(a.len() + b.len());
                let (mut i, mut j) = (0, 0);
                while i < a.len() || j < b.len() {
                    let x = a.get(i).copied().unwrap_or(usize::MAX);
                    let y = b.get(j).copied().unwrap_or(usize::MAX);
                    let next = x.min(y);
                    if f((x == next) as u64, (y == next) as u64) & 1 == 1 {
                        result.push(next);
                    }
                    i += (x == next) as usize;
                    j += (y == next) as usize;
                }
                *a = result;
            }
            _ => unreachable!("sets of one shape"),
        }
    }

    /// Every atom `a` replaced by `image[a]`, a permutation.
    pub fn renamed(&self, image: &[AtomId]) -> TupleSet {
        let mut images = Vec::with_capacity(self.len());
        for index in self.indices() {
            let (mut rest, mut target, mut place) = (index, 0, 1);
            for _ in 0..self.arity() {
                target += image[rest % self.n_atoms()].0 as usize * place;
                rest /= self.n_atoms();
                place *= self.n_atoms();
            }
            images.push(target);
        }
        images.sort_unstable();
        let mut result = TupleSet::empty(self.arity(), self.n_atoms());
        images.into_iter().for_each(|i| result.insert_index(i));
        result
    }

    /// The Cartesian product; arities add up.
    pub fn product(&self, other: &TupleSet) -> TupleSet {
        let mut result = TupleSet::empty(self.arity() + other.arity(), self.n_atoms());
        let width = self.n_atoms().pow(other.arity() as u32);
        for left in self.indices() {
            for right in other.indices() {
                result.insert_index(left * width + right);
            }
        }
        result
    }

    /// The bits, tuple `i` at bit `i % 64` of word `i / 64`, those behind the last tuple zero; `None`
    /// if the set is kept as a list. Unary sets of up to 2^17 atoms are bits always.
    #[inline]
    pub fn raw_words(&self) -> Option<&[u64]> {
        match &self.indices {
            Indices::Dense(bits) => Some(&bits.words),
            Indices::Sparse(_) => None,
        }
    }

    /// The first tuple from `index` on.
    pub fn next_index(&self, index: usize) -> Option<usize> {
        match &self.indices {
            Indices::Dense(bits) => bits.as_slice().get(index..)?.first_one().map(|i| index + i),
            Indices::Sparse(list) => list.get(list.partition_point(|&i| i < index)).copied(),
        }
    }

    /// Makes this the same set as `other` without allocating, if it is kept as bits; both have the
    /// same shape.
    #[inline]
    pub fn copy_from(&mut self, other: &TupleSet) {
        self.same_shape(other);
        match (&mut self.indices, &other.indices) {
            (Indices::Dense(a), Indices::Dense(b)) => {
                a.words.copy_from_slice(&b.words);
            }
            (Indices::Sparse(a), Indices::Sparse(b)) => a.clone_from(b),
            _ => unreachable!("sets of one shape"),
        }
    }

    fn same_shape(&self, other: &TupleSet) {
        debug_assert_eq!((self.arity, self.n_atoms), (other.arity, other.n_atoms));
    }
}

#[cold]
fn insert_sorted(list: &mut Vec<usize>, index: usize) {
    match list.last() {
        Some(&last) if last >= index => {
            if let Err(at) = list.binary_search(&index) {
                list.insert(at, index);
            }
        }
        _ => list.push(index),
    }
}

/// Positions of the ones, ascending.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(i * 64 + bit)
        })
    })
}

impl std::fmt::Debug for TupleSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.tuples().map(|t| t.iter().map(|a| a.0).collect::<Vec<_>>())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use std::collections::BTreeSet;

    /// Random operations on sets of this shape against a `BTreeSet`.
    fn check(arity: usize, n_atoms: usize) {
        let mut random = Random::new(arity as u64);
        let capacity = TupleSet::capacity(arity, n_atoms).unwrap();
        let mut sets: Vec<(TupleSet, BTreeSet<usize>)> =
            (0..3).map(|_| (TupleSet::empty(arity, n_atoms), BTreeSet::new())).collect();
        for _ in 0..3000 {
            let index = random.below(40) * (capacity / 40);
            let (a, b) = (random.below(3), random.below(3));
            let (other, model) = sets[b].clone();
            let set = &mut sets[a];
            match random.below(12) {
                0..=6 => {
                    set.0.insert_index(index);
                    set.1.insert(index);
                }
                7 | 8 => {
                    set.0.remove_index(index);
                    set.1.remove(&index);
                }
                9 => {
                    set.0.union_with(&other);
                    set.1.extend(model.iter().copied());
                }
                10 => {
                    set.0.intersect_with(&other);
                    set.1.retain(|i| model.contains(i));
                }
                _ => {
                    set.0.subtract(&other);
                    set.1.retain(|i| !model.contains(i));
                }
            }
            assert!(set.0.indices().eq(set.1.iter().copied()));
            assert_eq!(set.0.len(), set.1.len());
            assert_eq!(set.0.is_empty(), set.1.is_empty());
            assert_eq!(set.0.contains_index(index), set.1.contains(&index));
            assert_eq!(set.0.next_index(index), set.1.range(index..).next().copied());
            assert_eq!(set.0.is_subset(&other), set.1.is_subset(&model));
        }
    }

    #[test]
    fn dense_and_sparse_sets_are_sets() {
        check(2, 20);
        check(3, 300);
    }

    #[test]
    fn tuples_and_indices_go_there_and_back() {
        for (arity, n_atoms) in [(1, 5), (3, 4), (4, 270)] {
            let mut set = TupleSet::empty(arity, n_atoms);
            let tuple: Vec<AtomId> =
                (0..arity as u32).map(|i| AtomId((i * 7 + 3) % n_atoms as u32)).collect();
            set.insert(&tuple);
            assert!(set.contains(&tuple));
            assert_eq!(set.tuples().collect::<Vec<_>>(), [tuple]);
        }
    }

    #[test]
    fn products_multiply_and_renaming_is_a_group_action() {
        let a = TupleSet::unary(200, [AtomId(1), AtomId(150)]);
        let b = a.product(&a).product(&a);
        assert_eq!(b.len(), 8);
        let mut swap: Vec<AtomId> = (0..200).map(AtomId).collect();
        swap.swap(1, 7);
        assert!(b.renamed(&swap).contains(&[AtomId(7), AtomId(150), AtomId(7)]));
        assert_eq!(b.renamed(&swap).renamed(&swap), b);
    }
}
