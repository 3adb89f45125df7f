//! Clauses in one flat vector of words: a header, a measure of use, the literals.

use crate::Lit;

/// Where a clause starts in its [`Clauses`].
pub(super) type ClauseRef = u32;

const LEARNED: u32 = 1;
const DELETED: u32 = 2;
const HEADER: usize = 2;

#[derive(Clone, Default)]
pub(super) struct Clauses {
    words: Vec<u32>,
    pub(super) n_given: usize,
    pub(super) n_learned: usize,
    wasted: usize,
}

impl Clauses {
    pub(super) fn push(&mut self, lits: &[Lit], lbd: Option<u32>) -> ClauseRef {
        let clause = self.words.len() as u32;
        self.words.push((lits.len() as u32) << 2 | lbd.map_or(0, |_| LEARNED));
        self.words.push(lbd.unwrap_or(0).min(0xff) << 24);
        self.words.extend(lits.iter().map(|l| l.0));
        match lbd {
            Some(_) => self.n_learned += 1,
            None => self.n_given += 1,
        }
        clause
    }

    #[inline]
    pub(super) fn len(&self, clause: ClauseRef) -> usize {
        (self.words[clause as usize] >> 2) as usize
    }

    #[inline]
    pub(super) fn lit(&self, clause: ClauseRef, i: usize) -> Lit {
        Lit(self.words[clause as usize + HEADER + i])
    }

    /// The literals as raw words.
    ///
    /// # Safety
    /// `clause` must come from [`Clauses::push`], or be its new place after [`Clauses::compact`].
    #[inline]
    pub(super) unsafe fn lits_mut_unchecked(&mut self, clause: ClauseRef) -> &mut [u32] {
        debug_assert!((clause as usize) < self.words.len());
        // SAFETY: a clause's header is followed by as many words as it says.
        unsafe {
            let len = (*self.words.get_unchecked(clause as usize) >> 2) as usize;
            let start = clause as usize + HEADER;
            self.words.get_unchecked_mut(start..start + len)
        }
    }

    #[inline]
    pub(super) fn is_learned(&self, clause: ClauseRef) -> bool {
        self.words[clause as usize] & LEARNED != 0
    }

    #[inline]
    pub(super) fn is_deleted(&self, clause: ClauseRef) -> bool {
        self.words[clause as usize] & DELETED != 0
    }

    pub(super) fn delete(&mut self, clause: ClauseRef) {
        self.n_learned -= self.is_learned(clause) as usize;
        self.wasted += self.len(clause) + HEADER;
        self.words[clause as usize] |= DELETED;
    }

    pub(super) fn lbd(&self, clause: ClauseRef) -> u32 {
        self.words[clause as usize + 1] >> 24
    }

    /// How often the clause took part in a conflict since the last reduction.
    pub(super) fn uses(&self, clause: ClauseRef) -> u32 {
        self.words[clause as usize + 1] & 0xff_ffff
    }

    pub(super) fn bump(&mut self, clause: ClauseRef) {
        let word = &mut self.words[clause as usize + 1];
        if *word & 0xff_ffff != 0xff_ffff {
            *word += 1;
        }
    }

    pub(super) fn age(&mut self, clause: ClauseRef) {
        let word = &mut self.words[clause as usize + 1];
        *word = (*word & 0xff00_0000) | ((*word & 0xff_ffff) / 2);
    }

    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted > 1 << 14 && self.wasted * 3 > self.words.len()
    }

    /// Every clause that is not deleted, in order of age.
    pub(super) fn refs(&self) -> impl Iterator<Item = ClauseRef> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < self.words.len() {
                let clause = at as u32;
                at += HEADER + self.len(clause);
                if !self.is_deleted(clause) {
                    return Some(clause);
                }
            }
            None
        })
    }

    /// Squeezes out deleted clauses; `moved` is told every old and new place, ascending.
    pub(super) fn compact(&mut self, mut moved: impl FnMut(ClauseRef, ClauseRef)) {
        let (mut from, mut to) = (0, 0);
        while from < self.words.len() {
            let size = HEADER + self.len(from as u32);
            if !self.is_deleted(from as u32) {
                moved(from as u32, to as u32);
                self.words.copy_within(from..from + size, to);
                to += size;
            }
            from += size;
        }
        self.words.truncate(to);
        self.wasted = 0;
    }
}
