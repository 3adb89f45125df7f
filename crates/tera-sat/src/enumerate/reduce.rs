//! Forgetting: when too many clauses were learned, the half that took part in the fewest conflicts
//! goes.

use super::clauses::ClauseRef;
use super::held::HeldBy;
use super::search::Enumerator;
use super::state::{Reason, ReasonKind};

impl Enumerator {
    pub(super) fn reduce(&mut self) {
        self.stats.reductions += 1;
        let mut candidates: Vec<ClauseRef> =
            self.clauses.refs().filter(|&c| self.clauses.is_learned(c)).collect();
        candidates.retain(|&c| self.clauses.lbd(c) > 2 && !self.is_locked(c));
        // The most useful first; among equals the youngest.
        candidates.sort_by_key(|&c| {
            (std::cmp::Reverse(self.clauses.uses(c)), self.clauses.lbd(c), std::cmp::Reverse(c))
        });
        for &clause in &candidates[candidates.len() / 2..] {
            self.clauses.delete(clause);
        }
        for &clause in &candidates[..candidates.len() / 2] {
            self.clauses.age(clause);
        }
        let clauses = &self.clauses;
        for list in &mut self.watches {
            list.retain(|watch| !clauses.is_deleted(watch.clause));
        }
        if self.clauses.is_wasteful() {
            self.compact();
        }
    }

    fn is_locked(&self, clause: ClauseRef) -> bool {
        // Propagation may have the implied literal at either watched place.
        let is_reason = (0..2).any(|i| {
            let lit = self.clauses.lit(clause, i);
            self.state.value(lit) == Some(true)
                && matches!(self.state.vars[lit.var().index()].reason.kind(), ReasonKind::Clause(c) if c == clause)
        });
        is_reason || self.held.iter().any(|held| held.by == HeldBy::Clause(clause))
    }

    fn compact(&mut self) {
        let mut moves: Vec<(ClauseRef, ClauseRef)> = Vec::new();
        self.clauses.compact(|from, to| moves.push((from, to)));
        let new = |old: ClauseRef| {
            let i = moves.binary_search_by_key(&old, |m| m.0).expect("kept clauses only");
            moves[i].1
        };
        for list in &mut self.watches {
            for watch in list {
                watch.clause = new(watch.clause);
            }
        }
        for &lit in &self.state.trail {
            let info = &mut self.state.vars[lit.var().index()];
            if let ReasonKind::Clause(clause) = info.reason.kind() {
                info.reason = Reason::clause(new(clause));
            }
        }
        self.held.relocate(new);
    }
}
