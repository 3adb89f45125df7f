//! Sets of atoms of one sort as machine words: one word for sorts of up to 64 atoms, more for wider
//! ones.

/// A set of small numbers.
pub(super) trait Mask: Copy + PartialEq + Default {
    const CAPACITY: usize;
    fn bit(i: u32) -> Self;
    fn and(self, other: Self) -> Self;
    fn and_not(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn is_empty(self) -> bool;
    fn lowest(self) -> u32;
    fn len(self) -> u32;
    fn set(&mut self, i: u32);
    fn unset(&mut self, i: u32);
}

impl Mask for u64 {
    const CAPACITY: usize = 64;

    #[inline]
    fn bit(i: u32) -> u64 {
        1 << i
    }

    #[inline]
    fn and(self, other: u64) -> u64 {
        self & other
    }

    #[inline]
    fn and_not(self, other: u64) -> u64 {
        self & !other
    }

    #[inline]
    fn or(self, other: u64) -> u64 {
        self | other
    }

    #[inline]
    fn is_empty(self) -> bool {
        self == 0
    }

    #[inline]
    fn lowest(self) -> u32 {
        self.trailing_zeros()
    }

    fn len(self) -> u32 {
        self.count_ones()
    }

    #[inline]
    fn set(&mut self, i: u32) {
        *self |= 1 << i;
    }

    #[inline]
    fn unset(&mut self, i: u32) {
        *self &= !(1 << i);
    }
}

/// `64 * N` numbers.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Default for Wide<N> {
    fn default() -> Wide<N> {
        Wide([0; N])
    }
}

impl<const N: usize> Wide<N> {
    fn zip(self, other: Wide<N>, f: impl Fn(u64, u64) -> u64) -> Wide<N> {
        Wide(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

impl<const N: usize> Mask for Wide<N> {
    const CAPACITY: usize = 64 * N;

    fn bit(i: u32) -> Wide<N> {
        let mut mask = Wide::default();
        mask.set(i);
        mask
    }

    fn and(self, other: Wide<N>) -> Wide<N> {
        self.zip(other, |a, b| a & b)
    }

    fn and_not(self, other: Wide<N>) -> Wide<N> {
        self.zip(other, |a, b| a & !b)
    }

    fn or(self, other: Wide<N>) -> Wide<N> {
        self.zip(other, |a, b| a | b)
    }

    fn is_empty(self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    fn lowest(self) -> u32 {
        let word = self.0.iter().position(|&word| word != 0).expect("not empty");
        word as u32 * 64 + self.0[word].trailing_zeros()
    }

    fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn set(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    fn unset(&mut self, i: u32) {
        self.0[i as usize / 64] &= !(1 << (i % 64));
    }
}
