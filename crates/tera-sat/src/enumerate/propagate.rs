//! Unit propagation: binary clauses as implication lists, longer ones with two watched literals and
//! a blocking literal each.

use crate::Lit;

use super::clauses::ClauseRef;
use super::search::Enumerator;
use super::state::{FALSE, OPEN, Reason, TRUE};

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
        'trail: while state.head < state.trail.len() {
            let p = state.trail[state.head];
            state.head += 1;
            for &q in &binaries[p.index()] {
                match state.values[q.index()] {
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
                let watch = list[i];
                i += 1;
                if state.values[watch.blocker.index()] == TRUE {
                    list[kept] = watch;
                    kept += 1;
                    continue;
                }
                let lits = clauses.lits_mut(watch.clause);
                let false_lit = (!p).0;
                if lits[0] == false_lit {
                    lits.swap(0, 1);
                }
                let first = Lit(lits[0]);
                let watch = Watch { clause: watch.clause, blocker: first };
                let first_value = state.values[first.index()];
                if first_value == TRUE {
                    list[kept] = watch;
                    kept += 1;
                    continue;
                }
                for k in 2..lits.len() {
                    let lit = Lit(lits[k]);
                    if state.values[lit.index()] != FALSE {
                        lits.swap(1, k);
                        watches[(!lit).index()].push(watch);
                        continue 'watch;
                    }
                }
                list[kept] = watch;
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
