//! Intervals of bits: the tuples that share a prefix.

use tera_rel::TupleSet;

/// The bits `start..start + len` of at most 64.
#[inline]
fn row(words: &[u64], start: usize, len: usize) -> u64 {
    let (word, bit) = (start / 64, start % 64);
    let Some(first) = words.get(word) else { return 0 };
    let mut row = first >> bit;
    if bit + len > 64 {
        row |= words.get(word + 1).map_or(0, |next| next << (64 - bit));
    }
    if len < 64 { row & ((1 << len) - 1) } else { row }
}

/// The first tuple in `start..start + len`, relative to `start`, and whether there are more.
#[inline]
pub fn first_of_several(set: &TupleSet, start: usize, len: usize) -> (Option<usize>, bool) {
    if len <= 64
        && let Some(words) = set.raw_words()
    {
        let row = row(words, start, len);
        return ((row != 0).then(|| row.trailing_zeros() as usize), row & row.wrapping_sub(1) != 0);
    }
    two_of_many(set, start, len)
}

#[cold]
fn two_of_many(set: &TupleSet, start: usize, len: usize) -> (Option<usize>, bool) {
    let mut tuples = all_in(set, start, len);
    (tuples.next(), tuples.next().is_some())
}

/// The first tuple in `start..start + len`, relative to `start`.
#[inline]
pub fn first_in(set: &TupleSet, start: usize, len: usize) -> Option<usize> {
    let Some(words) = set.raw_words() else {
        return set.next_index(start).map(|i| i - start).filter(|&i| i < len);
    };
    if len <= 64 {
        let row = row(words, start, len);
        return (row != 0).then(|| row.trailing_zeros() as usize);
    }
    let (mut word, bit) = (start / 64, start % 64);
    let end = start + len;
    let mut current = words.get(word)? & (u64::MAX << bit);
    loop {
        if current != 0 {
            let found = word * 64 + current.trailing_zeros() as usize;
            return (found < end).then(|| found - start);
        }
        word += 1;
        if word * 64 >= end {
            return None;
        }
        current = *words.get(word)?;
    }
}

/// The tuples in `start..start + len`, relative to `start`, ascending.
pub fn all_in(set: &TupleSet, start: usize, len: usize) -> impl Iterator<Item = usize> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        if from >= len {
            return None;
        }
        let found = from + first_in(set, start + from, len - from)?;
        from = found + 1;
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn intervals_agree_with_a_scan(
            tuples in prop::collection::btree_set(0usize..400, 0..40),
            start in 0usize..300,
            len in 0usize..100,
        ) {
            let mut set = TupleSet::empty(2, 20);
            for &t in &tuples {
                set.insert_index(t);
            }
            let expected: Vec<usize> =
                tuples.iter().filter(|t| (start..start + len).contains(t)).map(|t| t - start).collect();
            prop_assert_eq!(first_in(&set, start, len), expected.first().copied());
            let several = expected.len() > 1;
            prop_assert_eq!(first_of_several(&set, start, len), (expected.first().copied(), several));
            prop_assert_eq!(all_in(&set, start, len).collect::<Vec<_>>(), expected);
        }
    }
}
