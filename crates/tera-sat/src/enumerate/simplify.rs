//! Simplification before the search: failed literals among the primaries, then gate variables
//! resolved away where that makes the formula no larger (Eén and Biere 2005).
//!
//! Resolving a gate away keeps what unit propagation tells about the remaining variables, so a model
//! is still found as soon as all primaries are assigned and propagation is clean.

use crate::Lit;

use super::search::Enumerator;
use super::state::{FALSE, OPEN, Reason, TRUE};

/// Propagations that probing may spend, beyond a share of the size of the formula.
const PROBING_BUDGET: u64 = 50_000;
/// Occurrences above which a gate stays.
const MAX_OCCURRENCES: usize = 12;
const MAX_RESOLVENT: usize = 16;

impl Enumerator {
    /// Tries each primary literal; one that fails is false in all models. False if there are none.
    pub(super) fn probe(&mut self) -> bool {
        debug_assert!(self.state.levels.is_empty());
        let start = self.stats.propagations;
        let budget = PROBING_BUDGET + 8 * self.clauses.refs().count() as u64;
        loop {
            let known = self.state.trail.len();
            for i in 0..self.order.lits.len() {
                for lit in [self.order.lits[i], !self.order.lits[i]] {
                    if self.state.values[lit.index()] != OPEN || self.implies_nothing(lit) {
                        continue;
                    }
                    self.state.push_level(lit, 0, false, true);
                    let failed = self.propagate().is_some();
                    self.state.cancel_to(0, |_| ());
                    if failed {
                        self.state.enqueue(!lit, Reason::NONE);
                        if self.propagate().is_some() {
                            return false;
                        }
                    }
                    if self.stats.propagations - start > budget {
                        return true;
                    }
                }
            }
            if self.state.trail.len() == known {
                return true;
            }
        }
    }

    fn implies_nothing(&self, lit: Lit) -> bool {
        self.binaries[lit.index()].is_empty() && self.watches[lit.index()].is_empty()
    }
}

/// Clauses under elimination.
pub(super) struct Formula {
    pub(super) clauses: Vec<Vec<Lit>>,
    /// By literal: clauses that have or had it.
    occurrences: Vec<Vec<u32>>,
    marks: Vec<bool>,
}

impl Formula {
    pub(super) fn new(n_vars: usize, clauses: Vec<Vec<Lit>>) -> Formula {
        let mut this =
            Formula { clauses, occurrences: vec![Vec::new(); 2 * n_vars], marks: vec![false; 2 * n_vars] };
        for (i, clause) in this.clauses.iter().enumerate() {
            for lit in clause {
                this.occurrences[lit.index()].push(i as u32);
            }
        }
        this
    }

    /// Resolves away variables that are not `frozen`. Dead clauses become empty.
    pub(super) fn eliminate(&mut self, frozen: &[bool]) {
        let mut resolvents = Vec::new();
        for _ in 0..3 {
            let mut changed = false;
            for var in (0..frozen.len()).filter(|&v| !frozen[v]) {
                let [positive, negative] = [Lit(2 * var as u32), Lit(2 * var as u32 + 1)];
                for lit in [positive, negative] {
                    let clauses = &self.clauses;
                    self.occurrences[lit.index()].retain(|&c| clauses[c as usize].contains(&lit));
                }
                let (p, n) =
                    (self.occurrences[positive.index()].len(), self.occurrences[negative.index()].len());
                if p + n == 0 || p.min(n) > MAX_OCCURRENCES || p * n > 4 * (p + n) {
                    continue;
                }
                if self.resolve_all(positive, &mut resolvents) {
                    changed = true;
                    for lit in [positive, negative] {
                        for clause in std::mem::take(&mut self.occurrences[lit.index()]) {
                            self.clauses[clause as usize].clear();
                        }
                    }
                    for clause in resolvents.drain(..) {
                        let id = self.clauses.len() as u32;
                        for lit in &clause {
                            self.occurrences[lit.index()].push(id);
                        }
                        self.clauses.push(clause);
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// All resolvents on `lit`; false when they are more, or longer in sum, than what they replace.
    fn resolve_all(&mut self, lit: Lit, resolvents: &mut Vec<Vec<Lit>>) -> bool {
        resolvents.clear();
        let (with, without) = (&self.occurrences[lit.index()], &self.occurrences[(!lit).index()]);
        let size = |c: &u32| self.clauses[*c as usize].len();
        let old: usize = with.iter().map(size).sum::<usize>() + without.iter().map(size).sum::<usize>();
        let old_count = with.len() + without.len();
        let mut new = 0;
        for &a in with {
            for other in &self.clauses[a as usize] {
                self.marks[other.index()] = true;
            }
            let mut fits = true;
            for &b in without {
                let right = &self.clauses[b as usize];
                if right.iter().any(|&l| l != !lit && self.marks[(!l).index()]) {
                    continue;
                }
                let mut clause: Vec<Lit> = Vec::with_capacity(size(&a) + right.len());
                clause.extend(self.clauses[a as usize].iter().filter(|&&l| l != lit));
                clause.extend(right.iter().filter(|&&l| l != !lit && !self.marks[l.index()]));
                new += clause.len();
                fits = new <= old && resolvents.len() < old_count && clause.len() <= MAX_RESOLVENT;
                resolvents.push(clause);
                if !fits {
                    break;
                }
            }
            for other in &self.clauses[a as usize] {
                self.marks[other.index()] = false;
            }
            if !fits {
                return false;
            }
        }
        true
    }
}

impl Enumerator {
    /// The present clauses without what the root knows.
    pub(super) fn live_clauses(&self, clauses: &[Vec<Lit>]) -> Vec<Vec<Lit>> {
        let value = |lit: &Lit| self.state.values[lit.index()];
        clauses
            .iter()
            .filter(|clause| !clause.is_empty() && clause.iter().all(|l| value(l) != TRUE))
            .map(|clause| clause.iter().copied().filter(|l| value(l) != FALSE).collect())
            .collect()
    }
}
