//! Sets of tuples of one arity over a universe of `n` atoms. A tuple is its row-major index in
//! `n^arity`: `(a, b, c)` is `(a*n + b)*n + c`. The order of tuples is the order of indices.

use bitvec::prelude::*;

use crate::universe::AtomId;

/// A set of tuples. Two sets are equal when they have the same arity, universe size and tuples.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TupleSet {
    arity: u32,
    n_atoms: u32,
    bits: BitVec<u64>,
}

impl TupleSet {
    /// The empty set. `n_atoms^arity` must fit into memory as bits; the caller checks with
    /// [`TupleSet::capacity`].
    pub fn empty(arity: usize, n_atoms: usize) -> TupleSet {
        let capacity = Self::capacity(arity, n_atoms).expect("capacity was checked");
        TupleSet { arity: arity as u32, n_atoms: n_atoms as u32, bits: bitvec![u64, Lsb0; 0; capacity] }
    }

    /// `n_atoms^arity`, or `None` when it is above 2^32.
    pub fn capacity(arity: usize, n_atoms: usize) -> Option<usize> {
        n_atoms.checked_pow(arity as u32).filter(|&c| c <= 1 << 32)
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
        self.bits.count_ones()
    }

    pub fn is_empty(&self) -> bool {
        self.bits.not_any()
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

    pub fn insert_index(&mut self, index: usize) {
        self.bits.set(index, true);
    }

    pub fn remove_index(&mut self, index: usize) {
        self.bits.set(index, false);
    }

    pub fn contains(&self, tuple: &[AtomId]) -> bool {
        self.contains_index(self.index(tuple))
    }

    pub fn contains_index(&self, index: usize) -> bool {
        self.bits[index]
    }

    /// Indices of the tuples, ascending.
    pub fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.bits.iter_ones()
    }

    /// The tuples in order.
    pub fn tuples(&self) -> impl Iterator<Item = Vec<AtomId>> + '_ {
        self.indices().map(|i| self.tuple(i))
    }

    pub fn clear(&mut self) {
        self.bits.fill(false);
    }

    pub fn is_subset(&self, other: &TupleSet) -> bool {
        self.same_shape(other);
        self.words().zip(other.words()).all(|(a, b)| a & !b == 0)
    }

    pub fn union_with(&mut self, other: &TupleSet) {
        self.same_shape(other);
        self.bits |= &other.bits;
    }

    pub fn intersect_with(&mut self, other: &TupleSet) {
        self.same_shape(other);
        self.bits &= &other.bits;
    }

    pub fn subtract(&mut self, other: &TupleSet) {
        self.same_shape(other);
        for (a, b) in self.bits.as_raw_mut_slice().iter_mut().zip(other.bits.as_raw_slice()) {
            *a &= !b;
        }
    }

    /// Every atom `a` replaced by `image[a]`, a permutation.
    pub fn renamed(&self, image: &[AtomId]) -> TupleSet {
        let mut result = TupleSet::empty(self.arity(), self.n_atoms());
        for index in self.indices() {
            let (mut rest, mut target, mut place) = (index, 0, 1);
            for _ in 0..self.arity() {
                target += image[rest % self.n_atoms()].0 as usize * place;
                rest /= self.n_atoms();
                place *= self.n_atoms();
            }
            result.insert_index(target);
        }
        result
    }

    /// The Cartesian product; arities add up.
    pub fn product(&self, other: &TupleSet) -> TupleSet {
        let mut result = TupleSet::empty(self.arity() + other.arity(), self.n_atoms());
        let width = other.bits.len();
        for left in self.indices() {
            for right in other.indices() {
                result.insert_index(left * width + right);
            }
        }
        result
    }

    /// The bits, tuple `i` at bit `i % 64` of word `i / 64`; those behind the last tuple are zero.
    pub fn raw_words(&self) -> &[u64] {
        self.bits.as_raw_slice()
    }

    /// Makes this the same set as `other` without allocating; both have the same shape.
    pub fn copy_from(&mut self, other: &TupleSet) {
        self.same_shape(other);
        self.bits.as_raw_mut_slice().copy_from_slice(other.bits.as_raw_slice());
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        self.bits.as_raw_slice().iter().copied()
    }

    fn same_shape(&self, other: &TupleSet) {
        debug_assert_eq!((self.arity, self.n_atoms), (other.arity, other.n_atoms));
    }
}

impl std::fmt::Debug for TupleSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.tuples().map(|t| t.iter().map(|a| a.0).collect::<Vec<_>>())).finish()
    }
}
