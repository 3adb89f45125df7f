//! Lex-leader clauses beside the exact check: every transposition of neighbouring atoms of a sort must
//! not make the cells better, in the plan's order of cells and with its preferred values.
//!
//! A canonical instance satisfies them, so the instances and their order stay what they are; the first
//! images that the check would refute are refuted by propagation. That makes block designs 4 to 14 times
//! quicker, groups of order 8 twice, loops, trees with keys and families of sets by a tenth to a quarter.
//! It costs a third where there is nothing else to propagate (arrays), and a tenth where there is little
//! (digraphs, tournaments, acyclic digraphs): hence the clauses are added only where the problem has
//! several times as many of its own.
//!
//! VSIDS, sound here too, is not chosen for classes: without these clauses it is 2 to 10 times quicker on
//! designs, but with them no more than a tenth, and twice as slow on trees with keys.

use rustc_hash::FxHashMap;
use tera_rel::Problem;
use tera_sat::{Cnf, Lit, Var};

use super::plan::Plan;
use crate::Cell;
use crate::lex_leader::{PREFIX, Transposition, at_least};

/// The clauses, over the first `n_vars` variables and new ones.
pub(super) fn leaders(problem: &Problem, cells: &[Cell], n_vars: usize, plan: &Plan) -> Cnf {
    let mut cnf = Cnf::new(n_vars);
    let n_atoms = problem.universe.len() as u64;
    let arity = |cell: Cell| problem.relation(cell.rel).arity();
    let mut number: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    // By atom: the places of the cells it occurs in, ascending.
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); n_atoms as usize];
    let mut preferred = vec![Lit(0); cells.len()];
    for (place, &(cell, prefer)) in plan.order.iter().enumerate() {
        preferred[cell as usize] = Var(cell).lit(prefer);
        let tuple = cells[cell as usize].tuple;
        number.insert((cells[cell as usize].rel.0, tuple), cell);
        let mut rest = tuple;
        for _ in 0..arity(cells[cell as usize]) {
            let of_atom = &mut places[(rest % n_atoms) as usize];
            if of_atom.last() != Some(&(place as u32)) {
                of_atom.push(place as u32);
            }
            rest /= n_atoms;
        }
    }
    let sort = |atom: u32| plan.movable[atom as usize].map(|movable| movable.sort);
    let mut last: Vec<Option<usize>> = vec![None; plan.sorts.len()];
    let mut compared: Vec<(Lit, Lit)> = Vec::with_capacity(PREFIX);
    for (depth, &atom) in plan.atoms.iter().enumerate() {
        let Some(sort) = sort(atom.0) else { continue };
        let Some(before) = last[sort as usize].replace(depth) else { continue };
        let before = plan.atoms[before];
        let moved = Transposition { n_atoms, a: before, b: atom };
        compared.clear();
        let mut both = [&places[before.0 as usize][..], &places[atom.0 as usize][..]];
        while let Some(place) = take_first(&mut both) {
            let (cell, _) = plan.order[place as usize];
            let Cell { rel, tuple } = cells[cell as usize];
            // The bounds are symmetric: what moves an open cell moves it to an open cell.
            let image = moved.image(tuple, arity(cells[cell as usize]));
            let Some(&other) = number.get(&(rel.0, image)) else { break };
            let pair = (preferred[cell as usize], preferred[other as usize]);
            // Of a pair of cells that change places only the first comparison says something.
            if other == cell || compared.contains(&(pair.1, pair.0)) {
                continue;
            }
            compared.push(pair);
            if compared.len() == PREFIX {
                break;
            }
        }
        at_least(&compared, &mut cnf);
    }
    cnf
}

/// The least number at the head of either list, taken off both.
fn take_first(lists: &mut [&[u32]; 2]) -> Option<u32> {
    let first = lists.iter().filter_map(|list| list.first().copied()).min()?;
    for list in lists {
        if list.first() == Some(&first) {
            *list = &list[1..];
        }
    }
    Some(first)
}
