//! Unit propagation: binary clauses as implication lists, longer ones with two watched literals and
//! a blocking literal each.

use crate::Lit;

use super::clauses::ClauseRef;
use super::search::Enumerator;
use super::state::{FALSE, OPEN, Reason, State, TRUE};

#[derive(Clone, Copy)]
pub(super) struct Watch {
    pub(super) clause: ClauseRef,
    /// Some other literal of the clause: while it is true the clause need not be looked at.
    pub(super) blocker: Lit,
}

/// A clause whose literals are all false.
#[derive(Clone, Copy, Debug)]
pub(super) enum Conflict {
    Unit(Lit),
    Binary(Lit, Lit),
    Clause(ClauseRef),
    /// The one in `Enumerator::refutation`.
    Theory,
}

impl Enumerator {
    pub(super) fn propagate(&mut self) -> Option<Conflict> {
        if self.pending.is_some() {
            return self.pending.take();
        }
        let Enumerator { state, clauses, watches, binaries, stats, .. } = self;
        let start = state.head;
        let mut conflict = None;
        let mut visits = 0;
        // SAFETY, for all unchecked accesses here: literals are below twice the number of variables, which
        // is the length of all tables by literal; `clause` of a watch and the literals behind it lie in the
        // clauses, `i`, `kept` and `k` within their lists.
        let value = |state: &State, lit: Lit| unsafe { *state.values.get_unchecked(lit.index()) };
        'trail: while state.head < state.trail.len() {
            let p = state.trail[state.head];
            state.head += 1;
            for &q in &binaries[p.index()] {
                match value(state, q) {
                    TRUE => {}
                    OPEN => state.enqueue(q, Reason::binary(!p)),
                    _ => {
                        conflict = Some(Conflict::Binary(q, !p));
                        break 'trail;
                    }
                }
            }
            // Watches move between lists while this one is walked: take it out.
            let mut list = std::mem::take(&mut watches[p.index()]);
            let mut kept = 0;
            let mut i = 0;
            visits += list.len() as u64;
            'watch: while i < list.len() {
                let watch = unsafe { *list.get_unchecked(i) };
                i += 1;
                if value(state, watch.blocker) == TRUE {
                    unsafe { *list.get_unchecked_mut(kept) = watch };
                    kept += 1;
                    continue;
                }
                let lits = unsafe { clauses.lits_mut_unchecked(watch.clause) };
                let false_lit = (!p).0;
                if unsafe { *lits.get_unchecked(0) } == false_lit {
                    unsafe { std::ptr::swap(lits.as_mut_ptr(), lits.as_mut_ptr().add(1)) };
                }
                let first = Lit(unsafe { *lits.get_unchecked(0) });
                let watch = Watch { clause: watch.clause, blocker: first };
                let first_value = value(state, first);
                if first_value == TRUE {
                    unsafe { *list.get_unchecked_mut(kept) = watch };
                    kept += 1;
                    continue;
                }
                for k in 2..lits.len() {
                    let lit = Lit(unsafe { *lits.get_unchecked(k) });
                    if value(state, lit) != FALSE {
                        lits.swap(1, k);
                        watches[(!lit).index()].push(watch);
                        continue 'watch;
                    }
                }
                unsafe { *list.get_unchecked_mut(kept) = watch };
                kept += 1;
                if first_value == FALSE {
                    conflict = Some(Conflict::Clause(watch.clause));
                    list.copy_within(i.., kept);
                    kept += list.len() - i;
                    break;
                }
                state.enqueue(first, Reason::clause(watch.clause));
            }
            list.truncate(kept);
            watches[p.index()] = list;
            if conflict.is_some() {
                break;
            }
        }
        stats.propagations += (state.head - start) as u64;
        stats.visits += visits;
        conflict
    }
}
