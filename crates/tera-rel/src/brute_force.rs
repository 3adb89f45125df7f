//! The brute-force finder: every valuation between the bounds, judged by the evaluator. The oracle
//! for completeness where the bounds leave few cells.

use crate::evaluate::{EvalError, Evaluator};
use crate::formula::RelId;
use crate::problem::{Instance, Problem, Role};

/// Calls `visit` for every instance of `problem`, in the order of the binary numbers that its cells
/// make. Instances that differ only in auxiliary relations are one: the first is shown.
///
/// Panics above 30 cells.
pub fn brute_force(problem: &Problem, visit: &mut dyn FnMut(&Instance)) -> Result<(), EvalError> {
    let cells_of = |role: Role| -> Vec<(RelId, usize)> {
        let mut cells = Vec::new();
        for (i, relation) in problem.relations.iter().enumerate().filter(|(_, r)| r.role == role) {
            let open = relation.upper.indices().filter(|&t| !relation.lower.contains_index(t));
            cells.extend(open.map(|tuple| (RelId(i as u32), tuple)));
        }
        cells
    };
    let (visible, auxiliary) = (cells_of(Role::Visible), cells_of(Role::Auxiliary));
    assert!(visible.len() + auxiliary.len() <= 30, "brute force over {} cells", visible.len());
    let lower = Instance { values: problem.relations.iter().map(|r| r.lower.clone()).collect() };
    let mut evaluator = Evaluator::new(problem);
    for number in 0..1u32 << visible.len() {
        let mut instance = lower.clone();
        fill(&mut instance, &visible, number);
        for witness in 0..1u32 << auxiliary.len() {
            let mut instance = instance.clone();
            fill(&mut instance, &auxiliary, witness);
            if evaluator.first_violation(&instance)?.is_none() {
                visit(&instance);
                break;
            }
        }
    }
    Ok(())
}

fn fill(instance: &mut Instance, cells: &[(RelId, usize)], number: u32) {
    for (i, &(rel, tuple)) in cells.iter().enumerate() {
        if number >> i & 1 == 1 {
            instance.values[rel.0 as usize].insert_index(tuple);
        }
    }
}
