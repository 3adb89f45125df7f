//! Symmetry-breaking clauses for one satisfiability question: lex-leader constraints (Crawford,
//! Ginsberg, Luks, Roy 1996) for the transpositions of neighbouring atoms of each sort.
//!
//! Of every isomorphism class at least one instance survives, which is all that "is there an
//! instance?" needs; the enumerator, which owes exactly one, has its own exact check, and like
//! constraints in its own order of cells beside it. Each conjunct
//! is symmetric on its own, so the clauses are sound for every subset of them: cores may use them.
//! Instances with the earlier atoms in use are preferred (`Node$0` before `Node$1`).

use rustc_hash::FxHashMap;
use tera_rel::{AtomId, Problem};
use tera_sat::{Cnf, Lit, Var};

use crate::translate::Cell;

/// How many cells a constraint compares at most. Kodkod's default; longer prefixes prune little
/// more and cost clauses.
pub(crate) const PREFIX: usize = 20;

/// Adds the clauses to `cnf`, whose variable `i` is `cells[i]`.
pub(crate) fn break_symmetry(problem: &Problem, cells: &[Cell], n_fixed: &[usize], cnf: &mut Cnf) {
    // Relations of the problem only: what skolemization added comes behind them.
    let visible = cells.iter().take_while(|c| (c.rel.0 as usize) < problem.relations.len()).count();
    let cells = &cells[..visible];
    let vars: FxHashMap<(u32, u64), Var> =
        cells.iter().enumerate().map(|(i, c)| ((c.rel.0, c.tuple), Var(i as u32))).collect();
    for (sort, &n_fixed) in problem.sorts.iter().zip(n_fixed) {
        for pair in sort[n_fixed.min(sort.len())..].windows(2) {
            let moved = Transposition { n_atoms: problem.universe.len() as u64, a: pair[0], b: pair[1] };
            let mut compared: Vec<(Lit, Lit)> = Vec::new();
            for (i, cell) in cells.iter().enumerate() {
                let image = moved.image(cell.tuple, problem.relation(cell.rel).arity());
                // Of a pair of cells that change places only the first comparison says something.
                if image <= cell.tuple {
                    continue;
                }
                // The bounds are symmetric: what moves an open cell moves it to an open cell.
                let Some(&other) = vars.get(&(cell.rel.0, image)) else { break };
                compared.push((Var(i as u32).pos(), other.pos()));
                if compared.len() == PREFIX {
                    break;
                }
            }
            at_least(&compared, cnf);
        }
    }
}

/// The left column is lexicographically at least the right one, true above false.
pub(crate) fn at_least(compared: &[(Lit, Lit)], cnf: &mut Cnf) {
    // What guards the next comparison: all cells so far are equal. None before the first.
    let mut guard: Vec<Lit> = Vec::with_capacity(3);
    for (i, &(left, right)) in compared.iter().enumerate() {
        let n_guards = guard.len();
        guard.extend([left, !right]);
        cnf.add(&guard);
        guard.truncate(n_guards);
        if i + 1 == compared.len() {
            break;
        }
        // Given left >= right, they are equal when left is false or right is true.
        let equal = cnf.fresh_var();
        for unequal in [left, !right] {
            guard.extend([unequal, equal.pos()]);
            cnf.add(&guard);
            guard.truncate(n_guards);
        }
        guard = vec![equal.neg()];
    }
}

pub(crate) struct Transposition {
    pub(crate) n_atoms: u64,
    pub(crate) a: AtomId,
    pub(crate) b: AtomId,
}

impl Transposition {
    /// The row-major index of the tuple with the two atoms exchanged.
    pub(crate) fn image(&self, tuple: u64, arity: usize) -> u64 {
        let (a, b) = (u64::from(self.a.0), u64::from(self.b.0));
        let (mut rest, mut place, mut image) = (tuple, 1, 0);
        // Digits of the index in base `n_atoms`, last column first.
        for _ in 0..arity {
            let digit = rest % self.n_atoms;
            let moved = if digit == a {
                b
            } else if digit == b {
                a
            } else {
                digit
            };
            image += moved * place;
            rest /= self.n_atoms;
            place *= self.n_atoms;
        }
        image
    }
}
