//! From an assignment of the primary variables back to an instance.

use tera_rel::{Instance, Problem, TupleSet};

use crate::translate::Cell;

/// The instance that `values` (one for each of `cells`, or more) describes.
pub fn interpret(problem: &Problem, cells: &[Cell], values: &[bool]) -> Instance {
    let mut instance: Vec<TupleSet> = problem.relations.iter().map(|r| r.lower.clone()).collect();
    for (cell, &value) in cells.iter().zip(values) {
        // Cells of Skolem relations lie beyond the relations of the problem.
        if value && let Some(set) = instance.get_mut(cell.rel.0 as usize) {
            set.insert_index(cell.tuple as usize);
        }
    }
    Instance { values: instance }
}
