//! The loops of the instructions on words, four rows at a time.

use super::build::Span;
use super::code::{Access, Bitwise, Counted, Kind, Pack, Pair, Rows};

/// Up to so many atoms are looked at one by one without a branch: where a branch depends on the
/// instance, it is taken for the wrong one half of the time.
const FEW: usize = 16;

/// The positions of the bits of a word, ascending.
#[inline(always)]
pub fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// The result is `to[..n]`; what is written behind it means nothing.
#[inline(always)]
pub fn run_on_words(kind: Kind, low: &[u64], to: &mut [u64], n: usize, tables: &[u32]) {
    match kind {
        Kind::Zip(op, a, b) => match op {
            Bitwise::And => zip(low, to, n, tables, a, b, |x, y| x & y),
            Bitwise::AndNot => zip(low, to, n, tables, a, b, |x, y| x & !y),
            Bitwise::Or => zip(low, to, n, tables, a, b, |x, y| x | y),
            Bitwise::Xor => zip(low, to, n, tables, a, b, |x, y| x ^ y),
        },
        Kind::Gather(from) => {
            for (i, word) in to[..n].iter_mut().enumerate() {
                *word = low[from.get(tables, i)];
            }
        }
        Kind::Spread(table) => {
            for (word, entry) in to[..n].iter_mut().zip(&tables[table as usize..]) {
                *word = (low[(entry >> 6) as usize] >> (entry & 63) & 1).wrapping_neg();
            }
        }
        Kind::Turn { from, n: n_rows, table, mask, lo, step } => {
            to.fill(0);
            if n == 0 {
                return;
            }
            let table = &tables[table as usize..][..n_rows as usize];
            let (step, len) = (step as usize, mask.count_ones() as usize);
            for (i, entry) in table.iter().enumerate() {
                let word = low[from.get(tables, i)] & mask;
                let (row, bit) = ((entry >> 6) as usize, entry & 63);
                if step == 1 && len <= FEW {
                    let word = word >> (lo & 63);
                    for (k, quad) in quads_mut(&mut to[row..], len).enumerate() {
                        for (lane, to) in quad.iter_mut().enumerate() {
                            *to |= (word >> (k * LANES + lane) & 1) << bit;
                        }
                    }
                } else {
                    for atom in bits(word) {
                        to[row + (atom - lo as usize) * step] |= 1 << bit;
                    }
                }
            }
        }
        Kind::Join { left, right, width: 1, mask, lo } => {
            let len = mask.count_ones() as usize;
            for (i, word) in to[..n].iter_mut().enumerate() {
                let set = low[left.get(tables, i)] & mask;
                let at = right.get(tables, i);
                if len <= FEW {
                    let set = set >> (lo & 63);
                    let mut union = [0; LANES];
                    for (k, quad) in quads(&low[at..], len).enumerate() {
                        for lane in 0..LANES {
                            union[lane] |= quad[lane] & (set >> (k * LANES + lane) & 1).wrapping_neg();
                        }
                    }
                    *word = union.iter().fold(0, |all, lane| all | lane);
                } else {
                    let rows = bits(set).map(|atom| low[at + atom - lo as usize]);
                    *word = rows.fold(0, |union, row| union | row);
                }
            }
        }
        Kind::Join { left, right, width, mask, lo } => {
            let width = width as usize;
            to.fill(0);
            for i in 0..n.checked_div(width).unwrap_or(0) {
                let at = right.get(tables, i);
                for atom in bits(low[left.get(tables, i)] & mask) {
                    let row = at + (atom - lo as usize) * width;
                    let union = &mut to[i * width..(i + 1) * width];
                    union.iter_mut().zip(&low[row..row + width]).for_each(|(word, more)| *word |= more);
                }
            }
        }
        Kind::Closure { from, rows, lo } => {
            let rows = rows as usize;
            to[..n].copy_from_slice(&low[from as usize..from as usize + n]);
            if rows == n && n <= FEW {
                close_few(to, n, lo);
            } else if rows > 0 {
                to[..n].chunks_exact_mut(rows).for_each(|matrix| close(matrix, lo));
            }
        }
        Kind::Override { a, b, width } => {
            let width = width as usize;
            for i in 0..n.checked_div(width).unwrap_or(0) {
                let rows = i * width..(i + 1) * width;
                let is_there = rows.clone().any(|row| low[b.get(tables, row)] != 0);
                let from = if is_there { b } else { a };
                rows.for_each(|row| to[row] = low[from.get(tables, row)]);
            }
        }
        Kind::Only(from) => {
            map(&low[from as usize..], to, n, |set| if set & set.wrapping_sub(1) == 0 { set } else { 0 })
        }
        Kind::AtMost(from, all) => map(&low[from as usize..], to, n, |set| {
            let several = set & set.wrapping_sub(1) != 0;
            if set == 0 {
                all
            } else if several {
                0
            } else {
                set
            }
        }),
        Kind::Test(counted, pack, a, rows) => {
            let to = &mut to[..n];
            let count = |at: usize| low[at..at + rows as usize].iter().map(|w| w.count_ones()).sum::<u32>();
            match counted {
                Counted::No if rows == 1 => test_single(to, pack, (a, a), low, tables, |x, _| x == 0),
                Counted::No => test_blocks(to, pack, (a, a), tables, |at, _| {
                    low[at..at + rows as usize].iter().all(|&w| w == 0)
                }),
                Counted::Lone => test_blocks(to, pack, (a, a), tables, |at, _| count(at) <= 1),
                Counted::One => test_blocks(to, pack, (a, a), tables, |at, _| count(at) == 1),
            }
        }
        Kind::TestPair(pair, pack, a, b, rows) => {
            let (to, ab) = (&mut to[..n], (a, b));
            match pair {
                Pair::Subset => test_pair(to, pack, ab, rows, low, tables, |x, y| x & !y == 0, true),
                Pair::Equal => test_pair(to, pack, ab, rows, low, tables, |x, y| x == y, true),
                Pair::Disjoint => test_pair(to, pack, ab, rows, low, tables, |x, y| x & y == 0, true),
                Pair::Meet => test_pair(to, pack, ab, rows, low, tables, |x, y| x & y == 0, false),
            }
        }
        Kind::Chain { elements, first, next, lo, rows } => {
            let next = &low[next as usize..(next + rows) as usize];
            let is_chain = is_chain(low[elements as usize], low[first as usize], next, lo);
            to[0] = if is_chain { u64::MAX } else { 0 };
        }
        _ => unreachable!("the result is an integer"),
    }
}

/// So many values are worked on at once. Behind every value there is room for more of them.
const LANES: usize = 4;

#[inline(always)]
fn padded(n: usize) -> usize {
    n.next_multiple_of(LANES)
}

/// What `n` words or integers take up: whole quads, also from an address in their midst.
pub fn room(n: usize) -> usize {
    padded(n) + LANES
}

#[inline(always)]
fn quads<T>(words: &[T], n: usize) -> impl Iterator<Item = &[T; LANES]> {
    words[..padded(n)].as_chunks().0.iter()
}

#[inline(always)]
fn quads_mut<T>(words: &mut [T], n: usize) -> impl Iterator<Item = &mut [T; LANES]> {
    words[..padded(n)].as_chunks_mut().0.iter_mut()
}

#[inline(always)]
fn map(from: &[u64], to: &mut [u64], n: usize, f: impl Fn(u64) -> u64) {
    for (to, from) in quads_mut(to, n).zip(quads(from, n)) {
        *to = from.map(&f);
    }
}

#[inline(always)]
fn zip(
    low: &[u64],
    to: &mut [u64],
    n: usize,
    tables: &[u32],
    a: Access,
    b: Access,
    f: impl Fn(u64, u64) -> u64,
) {
    match (a, b) {
        (Access::At(a), Access::At(b)) => {
            let sources = quads(&low[a as usize..], n).zip(quads(&low[b as usize..], n));
            for (to, (x, y)) in quads_mut(to, n).zip(sources) {
                for lane in 0..LANES {
                    to[lane] = f(x[lane], y[lane]);
                }
            }
        }
        (Access::At(a), Access::One(b)) => {
            let y = low[b as usize];
            for (to, x) in quads_mut(to, n).zip(quads(&low[a as usize..], n)) {
                *to = x.map(|x| f(x, y));
            }
        }
        _ => {
            for (i, word) in to[..n].iter_mut().enumerate() {
                *word = f(low[a.get(tables, i)], low[b.get(tables, i)]);
            }
        }
    }
}

/// Bit `j` says whether `f` holds of the `j`-th of `len` pairs.
#[inline(always)]
fn packed<T: Copy>(len: usize, a: &[T], b: &[T], f: impl Fn(T, T) -> bool) -> u64 {
    let mut truths = 0;
    for (k, (x, y)) in quads(a, len).zip(quads(b, len)).enumerate() {
        truths |= quad(|lane| f(x[lane], y[lane])) << (k * LANES);
    }
    truths & Span { lo: 0, len: len as u32 }.mask()
}

/// The same with one value on one side.
#[inline(always)]
fn packed_with_one<T: Copy>(len: usize, a: &[T], f: impl Fn(T) -> bool) -> u64 {
    let mut truths = 0;
    for (k, x) in quads(a, len).enumerate() {
        truths |= quad(|lane| f(x[lane])) << (k * LANES);
    }
    truths & Span { lo: 0, len: len as u32 }.mask()
}

#[inline(always)]
fn quad(f: impl Fn(usize) -> bool) -> u64 {
    u64::from(f(0)) | u64::from(f(1)) << 1 | u64::from(f(2)) << 2 | u64::from(f(3)) << 3
}

/// A test of pairs of single values, words or integers.
#[inline(always)]
pub fn test_single<T: Copy>(
    to: &mut [u64],
    pack: Pack,
    (a, b): (Rows, Rows),
    values: &[T],
    tables: &[u32],
    holds: impl Fn(T, T) -> bool,
) {
    let len = pack.len as usize;
    let places = |d: usize| (a.at.get(tables, d), b.at.get(tables, d));
    let shift = pack.lo & 63;
    match (a.step, b.step) {
        _ if pack.closed => {
            let (x, y) = places(0);
            to[0] = if holds(values[x], values[y]) { u64::MAX } else { 0 };
        }
        (0, 1) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                let one = values[x];
                *word = packed_with_one(len, &values[y..], |y| holds(one, y)) << shift;
            }
        }
        (1, 0) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                let one = values[y];
                *word = packed_with_one(len, &values[x..], |x| holds(x, one)) << shift;
            }
        }
        (1, 1) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                *word = packed(len, &values[x..], &values[y..], &holds) << shift;
            }
        }
        (i, j) => {
            for (d, word) in to.iter_mut().enumerate() {
                let (x, y) = places(d);
                let mut truths = 0;
                for k in 0..len {
                    let truth = holds(values[x + k * i as usize], values[y + k * j as usize]);
                    truths |= u64::from(truth) << k;
                }
                *word = truths << shift;
            }
        }
    }
}

/// A test of pairs of blocks of rows: whether all rows hold, or not all.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the operands of one instruction")]
fn test_pair(
    to: &mut [u64],
    pack: Pack,
    (a, b): (Rows, Rows),
    rows: u32,
    low: &[u64],
    tables: &[u32],
    holds: impl Fn(u64, u64) -> bool,
    wanted: bool,
) {
    if rows == 1 {
        return test_single(to, pack, (a, b), low, tables, |x, y| holds(x, y) == wanted);
    }
    let block = |at: usize| &low[at..at + rows as usize];
    test_blocks(to, pack, (a, b), tables, |x, y| {
        block(x).iter().zip(block(y)).all(|(&x, &y)| holds(x, y)) == wanted
    });
}

#[inline(always)]
fn test_blocks(
    to: &mut [u64],
    pack: Pack,
    (a, b): (Rows, Rows),
    tables: &[u32],
    holds: impl Fn(usize, usize) -> bool,
) {
    for (d, word) in to.iter_mut().enumerate() {
        let (mut x, mut y) = (a.at.get(tables, d), b.at.get(tables, d));
        if pack.closed {
            *word = if holds(x, y) { u64::MAX } else { 0 };
            continue;
        }
        let mut truths = 0;
        for j in 0..pack.len {
            truths |= u64::from(holds(x, y)) << j;
            x += a.step as usize;
            y += b.step as usize;
        }
        *word = truths << (pack.lo & 63);
    }
}

/// Warshall's algorithm, a row at a time; rows without a successor lead nowhere.
#[inline(always)]
fn close(rows: &mut [u64], lo: u32) {
    for via in 0..rows.len() {
        let beyond = rows[via];
        if beyond != 0 {
            for row in rows.iter_mut() {
                *row |= beyond & (*row >> (lo as usize + via) & 1).wrapping_neg();
            }
        }
    }
}

/// The same for a few rows without branches.
#[inline(always)]
fn close_few(rows: &mut [u64], n: usize, lo: u32) {
    for via in 0..n {
        let beyond = rows[via];
        for quad in quads_mut(rows, n) {
            *quad = quad.map(|row| row | beyond & (row >> (lo as usize + via) & 1).wrapping_neg());
        }
    }
}

/// Whether `next`, by rows from atom `lo` on, is one chain through all `elements` from `first`.
fn is_chain(elements: u64, first: u64, next: &[u64], lo: u32) -> bool {
    let mut seen = 0;
    let mut here = first;
    while here != 0 {
        if here & (here - 1) != 0 || here & !elements != 0 || here & seen != 0 {
            return false;
        }
        seen |= here;
        let row = (here.trailing_zeros() as usize).wrapping_sub(lo as usize);
        here = next.get(row).copied().unwrap_or(0);
    }
    let is_idle = |(row, &successors): (usize, &u64)| successors == 0 || seen >> (lo as usize + row) & 1 == 1;
    first != 0 && seen == elements && next.iter().enumerate().all(is_idle)
}
