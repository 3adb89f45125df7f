//! Contracts that say nothing: a postcondition that no result of the call could violate.

use tera_finder::{Answer, SolveOptions, solve};
use tera_rel::Node;

use crate::oracle::first_widening;
use crate::prepare::Prepared;

/// Conjuncts that hold in every pair of states within the bounds, or `None` when something can be
/// violated. Only what the solver proves is reported.
pub fn unbreakable(prepared: &Prepared) -> Option<Vec<String>> {
    let post = prepared
        .spec
        .lower_postcondition(&prepared.params, &prepared.text, &prepared.options, &first_widening(prepared))
        .ok()?;
    let options = SolveOptions {
        deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(2)),
        ..SolveOptions::default()
    };
    let mut problem = post.problem.clone();
    for i in 0..post.problem.conjuncts.len() {
        let negated = problem.arena.add(Node::Not(post.problem.conjuncts[i]));
        problem.conjuncts = vec![negated];
        if !matches!(solve(&problem, &options), Ok(Answer::Unsat)) {
            return None;
        }
    }
    Some(post.origins.iter().map(|origin| origin.text.clone()).collect())
}
