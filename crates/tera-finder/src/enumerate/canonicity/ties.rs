//! Ties: partial images that equal the instance as far as it is known, kept from one check to those
//! below it.
//!
//! Ties of one check stand together, in the order in which a check meets them: by falling root, and
//! those that share images of the first atoms side by side. A level holds what one check left; the
//! lowest holds every image of every root. A level lives for as long as the assignment it was made
//! under.

use super::super::mask::Mask;
use super::Canonicity;

/// Images of the atoms from `root` to before `depth`, and candidates for that at `depth`, which are
/// equal up to a comparison that has no value for any of them.
#[derive(Clone, Copy)]
pub(super) struct Tie<M> {
    /// Where the images are.
    pub(super) images: u32,
    pub(super) compare: u32,
    /// The place compared, and the line of its image, or [`NO_LINE`].
    pub(super) place: u32,
    pub(super) line: u32,
    pub(super) root: u16,
    pub(super) depth: u16,
    pub(super) candidates: M,
}

pub(super) const NO_LINE: u32 = u32::MAX;

pub(super) const NOT_STORED: u32 = u32::MAX;

/// What one check left.
#[derive(Clone, Copy, Default)]
pub(super) struct Level {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) n_generators: usize,
    n_images: usize,
    /// The length of the assignment.
    length: usize,
}

#[derive(Clone, Default)]
pub(super) struct Ties<M> {
    ties: Vec<Tie<M>>,
    images: Vec<u16>,
    levels: Vec<Level>,
}

impl<M: Mask> Ties<M> {
    pub(super) fn is_new(&self) -> bool {
        self.levels.is_empty()
    }

    pub(super) fn top(&self) -> Level {
        self.levels.last().copied().unwrap_or_default()
    }

    pub(super) fn get(&self, i: usize) -> Tie<M> {
        self.ties[i]
    }

    pub(super) fn images(&self, tie: &Tie<M>) -> &[u16] {
        &self.images[tie.images as usize..][..(tie.depth - tie.root) as usize]
    }

    /// Where the next tie and its images will be.
    pub(super) fn ends(&self) -> (usize, usize) {
        (self.ties.len(), self.images.len())
    }

    pub(super) fn truncate(&mut self, (ties, images): (usize, usize)) {
        self.ties.truncate(ties);
        self.images.truncate(images);
    }

    /// What was pushed since `ends` is what a check left.
    pub(super) fn push_level(&mut self, length: usize, ends: (usize, usize), n_generators: usize) {
        let end = self.ties.len();
        self.levels.push(Level { start: ends.0, end, n_generators, n_images: self.images.len(), length });
    }

    /// Keeps a tie for the checks below as it is.
    #[inline]
    pub(super) fn keep(&mut self, tie: Tie<M>) {
        self.ties.push(tie);
    }

    /// Keeps a tie with these images, which are at `stored` already, or will be.
    pub(super) fn put_off(&mut self, tie: Tie<M>, images: &[u32], stored: &mut u32) {
        if *stored == NOT_STORED {
            *stored = self.images.len() as u32;
            self.images.extend(images.iter().map(|&image| image as u16));
        }
        self.ties.push(Tie { images: *stored, ..tie });
    }

    /// Drops the levels of longer assignments.
    #[inline]
    pub(super) fn forget(&mut self, length: usize) {
        if self.levels.last().is_some_and(|level| level.length > length) {
            self.drop_levels(length);
        }
    }

    #[cold]
    fn drop_levels(&mut self, length: usize) {
        while self.levels.last().is_some_and(|level| level.length > length) {
            self.levels.pop();
        }
        let Level { end, n_images, .. } = self.top();
        self.truncate((end, n_images));
    }
}

impl<M: Mask> Canonicity<M> {
    /// The level below all checks: every image of every root.
    pub(super) fn begin_ties(&mut self) {
        let n_sorts = self.free.len();
        for root in (0..self.image.len()).rev() {
            let (sort, local) = (self.layout.depth_sort[root] as usize, self.layout.depth_local[root]);
            let mut candidates = self.rest[root * n_sorts + sort];
            candidates.unset(local);
            if !candidates.is_empty() {
                let compare = self.layout.ranges[root].0;
                let (root, depth) = (root as u16, root as u16);
                self.ties.keep(Tie { images: 0, compare, place: 0, line: NO_LINE, root, depth, candidates });
            }
        }
        self.ties.push_level(0, (0, 0), 0);
    }

    /// The candidates of tie `i` that no automorphism found meanwhile maps to something refused.
    pub(super) fn still_open(&mut self, i: usize) -> Option<M> {
        let tie = self.ties.get(i);
        let last = self.last.replace(i).map(|i| self.ties.get(i));
        if self.n_generators == 0 {
            return Some(tie.candidates);
        }
        let root = tie.root as usize;
        let (sort, local) = (self.layout.depth_sort[root] as usize, self.layout.depth_local[root] as usize);
        let orbit = self.orbits[sort][local];
        let own = |at: usize, ties: &Ties<M>| M::bit(ties.images[tie.images as usize + at - root] as u32);
        if tie.depth > tie.root && !own(root, &self.ties).and(orbit).is_empty() {
            return None;
        }
        let at = match last {
            Some(last) if last.root == tie.root => self.leave(&last, &tie),
            _ => root,
        };
        if at < tie.depth as usize {
            return own(at, &self.ties).and(self.refused[at]).is_empty().then_some(tie.candidates);
        }
        let mut candidates = tie.candidates.and_not(self.refused[at]);
        if at == root {
            candidates = candidates.and_not(orbit);
        }
        (!candidates.is_empty()).then_some(candidates)
    }

    /// From the ties of one image to those of another: the first depth at which they differ. There the
    /// old image is refused, and with it all that are equivalent.
    fn leave(&mut self, last: &Tie<M>, next: &Tie<M>) -> usize {
        let root = next.root as usize;
        let (a, b) = (self.ties.images(last), self.ties.images(next));
        let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let left = a.get(shared).copied();
        let at = root + shared;
        self.refused[at + 1..].fill(M::default());
        if let Some(image) = left {
            let n_sorts = self.free.len();
            self.free.copy_from_slice(&self.rest[root * n_sorts..(root + 1) * n_sorts]);
            for (depth, &image) in (root..at).zip(self.ties.images(next)) {
                self.free[self.layout.depth_sort[depth] as usize].unset(image as u32);
            }
            let sort = self.layout.depth_sort[at] as usize;
            self.refused[at] = self.refused[at].or(self.equivalent(sort, image as u32));
        }
        at
    }
}
