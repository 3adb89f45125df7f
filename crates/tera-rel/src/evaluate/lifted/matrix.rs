//! Matrices of 8 × 8 bits in one word: row `i` is byte `i`, column `j` bit `j` of every byte.
//!
//! What holds of rows is *marked* in the highest bit of each; see Warren, *Hacker's Delight*, for
//! arithmetic on the bytes of a word and for the transposition.

/// The first column.
pub const FIRST: u64 = 0x0101_0101_0101_0101;
/// The last column: where marks are.
const MARKS: u64 = FIRST << 7;

/// The first `rows` rows of the first `columns` columns.
pub fn rectangle(rows: u32, columns: u32) -> u64 {
    let all = FIRST * (0xff >> (8 - columns.min(8)));
    if rows < 8 { all & ((1 << (8 * rows)) - 1) } else { all }
}

#[inline(always)]
pub fn row(matrix: u64, i: u32) -> u64 {
    matrix >> (8 * i) & 0xff
}

/// The same row eight times.
#[inline(always)]
pub fn repeated(row: u64) -> u64 {
    row * FIRST
}

/// Marks of the rows without a bit.
#[inline(always)]
pub fn empty(matrix: u64) -> u64 {
    !(((matrix & !MARKS) + !MARKS) | matrix) & MARKS
}

/// Marks of the rows with at most one bit.
#[inline(always)]
pub fn lone(matrix: u64) -> u64 {
    let less_one = ((matrix | MARKS) - FIRST) ^ (!matrix & MARKS);
    empty(matrix & less_one)
}

/// Marks of the rows with one bit.
#[inline(always)]
pub fn one(matrix: u64) -> u64 {
    lone(matrix) & !empty(matrix)
}

/// Marks of the rows in which the first number is at least the second; numbers have seven bits.
#[inline(always)]
pub fn at_least(a: u64, b: u64) -> u64 {
    ((a | MARKS) - b) & MARKS
}

#[inline(always)]
pub fn complement(marks: u64) -> u64 {
    marks ^ MARKS
}

/// Full rows where the marks are.
#[inline(always)]
pub fn filled(marks: u64) -> u64 {
    (marks >> 7) * 0xff
}

/// The marks as one row: bit `i` for row `i`.
#[inline(always)]
pub fn gathered(marks: u64) -> u64 {
    (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Full rows where the row has bits: the inverse of [`gathered`].
#[inline(always)]
pub fn spread(row: u64) -> u64 {
    filled(complement(empty(repeated(row) & 0x8040_2010_0804_0201)))
}

/// The number of bits in each row.
#[inline(always)]
pub fn counts(matrix: u64) -> u64 {
    let pairs = matrix - (matrix >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

#[inline(always)]
pub fn transpose(matrix: u64) -> u64 {
    let mut m = matrix;
    let t = (m ^ (m >> 7)) & 0x00aa_00aa_00aa_00aa;
    m ^= t ^ (t << 7);
    let t = (m ^ (m >> 14)) & 0x0000_cccc_0000_cccc;
    m ^= t ^ (t << 14);
    let t = (m ^ (m >> 28)) & 0x0000_0000_f0f0_f0f0;
    m ^ t ^ (t << 28)
}

/// The union of the rows that a row names.
#[inline(always)]
pub fn image(row: u64, matrix: u64) -> u64 {
    let mut rows = spread(row) & matrix;
    rows |= rows >> 32;
    rows |= rows >> 16;
    (rows | rows >> 8) & 0xff
}

/// The boolean product: for each row on the left the union of the rows that it names.
#[inline(always)]
pub fn product(a: u64, b: u64) -> u64 {
    (0..8).fold(0, |all, via| all | column(a, via) & repeated(row(b, via)))
}

/// Full rows where the matrix has a bit in this column.
#[inline(always)]
fn column(matrix: u64, j: u32) -> u64 {
    (matrix >> j & FIRST) * 0xff
}

/// The transitive closure by Warshall's algorithm.
#[inline(always)]
pub fn closure(matrix: u64) -> u64 {
    (0..8).fold(matrix, |m, via| m | column(m, via) & repeated(row(m, via)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrix(f: impl Fn(u32, u32) -> bool) -> u64 {
        (0..64).fold(0, |m, i| m | u64::from(f(i / 8, i % 8)) << i)
    }

    fn has(m: u64, i: u32, j: u32) -> bool {
        m >> (8 * i + j) & 1 == 1
    }

    fn marks(f: impl Fn(u32) -> bool) -> u64 {
        matrix(|i, j| j == 7 && f(i))
    }

    /// Words with few bits, and with many.
    fn words() -> impl Strategy<Value = u64> {
        (any::<u64>(), any::<u64>(), any::<u64>(), 0..4).prop_map(|(a, b, c, kind)| match kind {
            0 => a,
            1 => a & b,
            2 => a & b & c,
            _ => a | b,
        })
    }

    proptest! {
        #[test]
        fn each_operation_is_what_it_says_bit_by_bit(a in words(), b in words()) {
            let count = |i| row(a, i).count_ones();
            prop_assert_eq!(empty(a), marks(|i| count(i) == 0));
            prop_assert_eq!(lone(a), marks(|i| count(i) <= 1));
            prop_assert_eq!(one(a), marks(|i| count(i) == 1));
            prop_assert_eq!(complement(empty(a)), marks(|i| count(i) != 0));
            prop_assert_eq!(filled(empty(a)), matrix(|i, _| count(i) == 0));
            prop_assert_eq!(gathered(empty(a)), matrix(|i, j| i == 0 && count(j) == 0));
            prop_assert_eq!(spread(row(a, 2)), matrix(|i, _| has(a, 2, i)));
            prop_assert_eq!(repeated(row(a, 7)), matrix(|_, j| has(a, 7, j)));
            prop_assert_eq!(transpose(a), matrix(|i, j| has(a, j, i)));
            let through = |i, j| (0..8).any(|via| has(a, i, via) && has(b, via, j));
            prop_assert_eq!(product(a, b), matrix(through));
            prop_assert_eq!(image(row(a, 1), b), matrix(|i, j| i == 0 && through(1, j)));
            prop_assert!((0..8).all(|i| u64::from(count(i)) == row(counts(a), i)));
            let (x, y) = (a & !MARKS, b & !MARKS);
            prop_assert_eq!(at_least(x, y), marks(|i| row(x, i) >= row(y, i)));
            let closed = closure(a);
            prop_assert_eq!(closed, closed | product(closed, closed), "transitive");
            let steps = (0..8).fold(a, |m, _| m | product(m, a));
            prop_assert_eq!(closed, steps, "the least");
            for (rows, columns) in [(0, 3), (1, 8), (3, 0), (5, 6), (8, 8)] {
                prop_assert_eq!(rectangle(rows, columns), matrix(|i, j| i < rows && j < columns));
            }
        }
    }
}
