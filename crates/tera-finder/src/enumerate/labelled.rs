//! How many labelled instances there are, by a way of its own: a model counter, or else an enumeration
//! that breaks no symmetry.

use num_bigint::BigUint;
use tera_rel::Problem;
use tera_sat::enumerate::{Enumerator, EnumeratorOptions};
use tera_sat::{Limits, Var};

use super::{EnumerateOptions, Symmetry, count};
use crate::{FinderError, Translation, Verdict};

/// Steps of the counter after which the instances are enumerated, if they are not too many.
const BUDGET: u64 = 30_000_000;

/// A number of labelled instances and how it was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Labelled {
    pub count: BigUint,
    /// [`Verdict::Limit`] when neither way gets through.
    pub verdict: Verdict,
    pub by: &'static str,
}

/// Counts all instances, isomorphic ones included. They are enumerated when the counter gives up, unless
/// they are `expected` to be more than `most`.
pub fn count_labelled(
    problem: &Problem,
    options: &EnumerateOptions,
    expected: &BigUint,
    most: u64,
) -> Result<Labelled, FinderError> {
    let translation = match super::translate_within(problem, options)? {
        Ok(translation) => translation,
        Err(summary) => {
            return Ok(Labelled { count: BigUint::ZERO, verdict: summary.verdict, by: "nothing" });
        }
    };
    if let Some(count) = by_counter(&translation, options) {
        return Ok(Labelled { count, verdict: Verdict::Exhausted, by: "a model counter" });
    }
    let by = "an enumeration without symmetry breaking";
    if *expected > BigUint::from(most) {
        return Ok(Labelled { count: BigUint::ZERO, verdict: Verdict::Limit, by });
    }
    let plain = EnumerateOptions { symmetry: Symmetry::None, want_group: false, ..options.clone() };
    let summary = count(problem, &plain)?;
    Ok(Labelled { count: summary.count.into(), verdict: summary.verdict, by })
}

fn by_counter(translation: &Translation, options: &EnumerateOptions) -> Option<BigUint> {
    let n_cells = translation.cells.len() as u32;
    let solver = Enumerator::new(
        &translation.cnf,
        EnumeratorOptions {
            order: (0..n_cells).map(|cell| Var(cell).lit(true)).collect(),
            n_visible: translation.n_visible,
            ..EnumeratorOptions::default()
        },
    );
    if solver.is_exhausted() {
        return Some(BigUint::ZERO);
    }
    let limits = Limits { deadline: options.deadline, interrupt: options.interrupt.clone() };
    solver.counter()?.count(&[], BUDGET, &limits).ok()
}
