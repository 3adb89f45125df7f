//! Sparse boolean matrices: the circuit of a relation's value. A matrix lists the tuples that may
//! be present, ascending by row-major index, each with the bit that says whether it is.
//!
//! Invariant: indices ascend strictly and no bit is constant false.

use crate::circuit::{Bit, Circuit};

/// A sparse vector of bits over tuple indices.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Matrix {
    cells: Vec<(u64, Bit)>,
}

impl Matrix {
    pub fn new() -> Matrix {
        Matrix::default()
    }

    pub fn with_capacity(n: usize) -> Matrix {
        Matrix { cells: Vec::with_capacity(n) }
    }

    /// The constant matrix that holds just `index`.
    pub fn singleton(index: u64) -> Matrix {
        Matrix { cells: vec![(index, Bit::TRUE)] }
    }

    /// Appends a cell; indices must come in ascending order.
    pub fn push(&mut self, index: u64, bit: Bit) {
        debug_assert!(self.cells.last().is_none_or(|&(last, _)| last < index));
        if bit != Bit::FALSE {
            self.cells.push((index, bit));
        }
    }

    pub fn cells(&self) -> &[(u64, Bit)] {
        &self.cells
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub fn bits(&self) -> impl Iterator<Item = Bit> + '_ {
        self.cells.iter().map(|&(_, bit)| bit)
    }

    pub fn get(&self, index: u64) -> Bit {
        match self.cells.binary_search_by_key(&index, |&(i, _)| i) {
            Ok(at) => self.cells[at].1,
            Err(_) => Bit::FALSE,
        }
    }

    /// Cells with indices in `lo..hi`.
    fn range(&self, lo: u64, hi: u64) -> &[(u64, Bit)] {
        let start = self.cells.partition_point(|&(i, _)| i < lo);
        let end = start + self.cells[start..].partition_point(|&(i, _)| i < hi);
        &self.cells[start..end]
    }
}

/// Steps through two matrices in parallel; a missing cell is false.
fn merge(a: &Matrix, b: &Matrix, mut f: impl FnMut(u64, Bit, Bit)) {
    let (a, b) = (&a.cells, &b.cells);
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if j == b.len() || (i < a.len() && a[i].0 < b[j].0) {
            f(a[i].0, a[i].1, Bit::FALSE);
            i += 1;
        } else if i == a.len() || b[j].0 < a[i].0 {
            f(b[j].0, Bit::FALSE, b[j].1);
            j += 1;
        } else {
            f(a[i].0, a[i].1, b[j].1);
            i += 1;
            j += 1;
        }
    }
}

/// More cells than this in one matrix are refused: see [`Circuit::is_exhausted`].
const MAX_CELLS: usize = 20_000_000;

/// Operations of the relational algebra. `n` is the number of atoms.
impl Circuit {
    pub fn union(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let mut result = Matrix::with_capacity(a.len() + b.len());
        merge(a, b, |i, x, y| result.push(i, self.or(x, y)));
        result
    }

    pub fn intersect(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let mut result = Matrix::with_capacity(a.len().min(b.len()));
        merge(a, b, |i, x, y| result.push(i, self.and(x, y)));
        result
    }

    pub fn difference(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let mut result = Matrix::with_capacity(a.len());
        merge(a, b, |i, x, y| result.push(i, self.and(x, !y)));
        result
    }

    pub fn choose(&mut self, cond: Bit, a: &Matrix, b: &Matrix) -> Matrix {
        let mut result = Matrix::with_capacity(a.len() + b.len());
        merge(a, b, |i, x, y| result.push(i, self.ite(cond, x, y)));
        result
    }

    /// Every cell of `a` and `guard`.
    pub fn guarded(&mut self, guard: Bit, a: &Matrix) -> Matrix {
        if guard == Bit::TRUE {
            return a.clone();
        }
        let mut result = Matrix::with_capacity(a.len());
        for &(i, x) in &a.cells {
            result.push(i, self.and(guard, x));
        }
        result
    }

    /// `width` is the number of possible tuples of `b`: `n^arity`.
    pub fn product(&mut self, a: &Matrix, b: &Matrix, width: u64) -> Matrix {
        if a.len().saturating_mul(b.len()) > MAX_CELLS {
            self.exhaust();
            return Matrix::new();
        }
        let mut result = Matrix::with_capacity(a.len() * b.len());
        for &(i, x) in &a.cells {
            for &(j, y) in &b.cells {
                result.push(i * width + j, self.and(x, y));
            }
        }
        result
    }

    /// The relational join; `width` is `n^(arity of b - 1)`.
    pub fn join(&mut self, a: &Matrix, b: &Matrix, n: u64, width: u64) -> Matrix {
        let mut result = Matrix::new();
        let mut terms: Vec<(u64, Bit)> = Vec::new();
        let mut alternatives: Vec<Bit> = Vec::new();
        let mut at = 0;
        while at < a.cells.len() {
            let prefix = a.cells[at].0 / n;
            let group = at;
            while at < a.cells.len() && a.cells[at].0 / n == prefix {
                at += 1;
            }
            terms.clear();
            for &(i, x) in &a.cells[group..at] {
                let row = i % n * width;
                for &(j, y) in b.range(row, row + width) {
                    let bit = self.and(x, y);
                    if bit != Bit::FALSE {
                        terms.push((j - row, bit));
                    }
                }
            }
            if terms.len().max(result.len()) > MAX_CELLS {
                self.exhaust();
                return Matrix::new();
            }
            if at - group > 1 {
                terms.sort_by_key(|&(j, _)| j);
            }
            let mut from = 0;
            while from < terms.len() {
                let j = terms[from].0;
                let end = from + terms[from..].partition_point(|t| t.0 == j);
                let bit = if end - from == 1 {
                    terms[from].1
                } else {
                    alternatives.clear();
                    alternatives.extend(terms[from..end].iter().map(|t| t.1));
                    self.or_many(&alternatives)
                };
                result.push(prefix * width + j, bit);
                from = end;
            }
        }
        result
    }

    pub fn transpose(&mut self, a: &Matrix, n: u64) -> Matrix {
        let mut cells: Vec<_> = a.cells.iter().map(|&(i, x)| (i % n * n + i / n, x)).collect();
        cells.sort_unstable_by_key(|&(i, _)| i);
        Matrix { cells }
    }

    /// The transitive closure, by squaring until paths as long as the number of atoms that occur
    /// on both sides are covered.
    pub fn closure(&mut self, a: &Matrix, n: u64) -> Matrix {
        let mut sources: Vec<u64> = a.cells.iter().map(|&(i, _)| i / n).collect();
        sources.dedup();
        let mut targets: Vec<u64> = a.cells.iter().map(|&(i, _)| i % n).collect();
        targets.sort_unstable();
        targets.dedup();
        let inner = sources.iter().filter(|s| targets.binary_search(s).is_ok()).count();
        // A simple path, or cycle, passes each inner atom at most once: at most `inner + 1` steps.
        let mut paths = a.clone();
        let mut covered = 1;
        while covered < inner + 1 {
            let twice = self.join(&paths, &paths, n, n);
            let next = self.union(&paths, &twice);
            if next == paths {
                break;
            }
            paths = next;
            covered *= 2;
        }
        paths
    }

    /// `b` where its row (first column) has a tuple, else `a`; `width` is `n^(arity - 1)`.
    pub fn override_with(&mut self, a: &Matrix, b: &Matrix, width: u64) -> Matrix {
        let kept = {
            let mut kept = Matrix::with_capacity(a.len());
            let mut row = u64::MAX;
            let mut free = Bit::TRUE;
            for &(i, x) in &a.cells {
                if i / width != row {
                    row = i / width;
                    let bits: Vec<Bit> =
                        b.range(row * width, (row + 1) * width).iter().map(|c| c.1).collect();
                    free = !self.or_many(&bits);
                }
                kept.push(i, self.and(x, free));
            }
            kept
        };
        self.union(&kept, b)
    }

    /// The tuples of `a` whose first atom is in `set`; `width` is `n^(arity of a - 1)`.
    pub fn restrict_domain(&mut self, set: &Matrix, a: &Matrix, width: u64) -> Matrix {
        let mut result = Matrix::with_capacity(a.len());
        for &(i, x) in &a.cells {
            let bit = self.and(set.get(i / width), x);
            result.push(i, bit);
        }
        result
    }

    /// The tuples of `a` whose last atom is in `set`.
    pub fn restrict_range(&mut self, a: &Matrix, set: &Matrix, n: u64) -> Matrix {
        let mut result = Matrix::with_capacity(a.len());
        for &(i, x) in &a.cells {
            let bit = self.and(x, set.get(i % n));
            result.push(i, bit);
        }
        result
    }

    pub fn subset(&mut self, a: &Matrix, b: &Matrix) -> Bit {
        let mut parts = Vec::with_capacity(a.len());
        merge(a, b, |_, x, y| {
            if x != Bit::FALSE {
                parts.push(self.implies(x, y));
            }
        });
        self.and_many(&parts)
    }

    pub fn equal(&mut self, a: &Matrix, b: &Matrix) -> Bit {
        let mut parts = Vec::with_capacity(2 * a.len());
        merge(a, b, |_, x, y| {
            parts.push(self.implies(x, y));
            parts.push(self.implies(y, x));
        });
        self.and_many(&parts)
    }

    pub fn some(&mut self, a: &Matrix) -> Bit {
        let bits: Vec<Bit> = a.bits().collect();
        self.or_many(&bits)
    }

    /// At most one cell. Pairwise up to six cells; above that, the sequential counter of Sinz
    /// (2005) with a fan-out of four, which adds a gate for every few cells instead of a clause
    /// for every pair.
    pub fn lone(&mut self, a: &Matrix) -> Bit {
        let bits: Vec<Bit> = a.bits().collect();
        self.at_most_one(&bits)
    }

    pub fn one(&mut self, a: &Matrix) -> Bit {
        let some = self.some(a);
        let lone = self.lone(a);
        self.and(some, lone)
    }

    pub fn at_most_one(&mut self, bits: &[Bit]) -> Bit {
        let mut parts = Vec::new();
        let mut rest: Vec<Bit> = bits.to_vec();
        const GROUP: usize = 12;
        while rest.len() > GROUP {
            // Groups of a few: pairwise inside, then at most one group.
            let mut heads = Vec::new();
            for group in rest.chunks(4) {
                self.pairwise(group, &mut parts);
                heads.push(self.or_many(group));
            }
            rest = heads;
        }
        self.pairwise(&rest, &mut parts);
        self.and_many(&parts)
    }

    fn pairwise(&mut self, bits: &[Bit], parts: &mut Vec<Bit>) {
        for (i, &a) in bits.iter().enumerate() {
            for &b in &bits[..i] {
                parts.push(!self.and(a, b));
            }
        }
    }
}
