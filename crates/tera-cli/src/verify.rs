//! `--verify`: every instance is judged by the ground evaluator, which shares no code with the search.

use tera_model::Lowered;
use tera_rel::{Evaluator, Instance};

use crate::console::{Out, say};
use crate::exit::{Exit, Stop};

/// The judge of the instances of one problem.
pub struct Verifier<'a> {
    lowered: &'a Lowered,
    evaluator: Evaluator,
}

impl<'a> Verifier<'a> {
    pub fn new(lowered: &'a Lowered) -> Verifier<'a> {
        Verifier { lowered, evaluator: Evaluator::new(&lowered.problem) }
    }

    /// An instance that breaks a bound or a constraint is a fault of tera's.
    pub fn judge(&mut self, out: &mut Out, index: u64, instance: &Instance) -> Result<(), Stop> {
        let problem = &self.lowered.problem;
        let broken = |r: &usize| {
            let (relation, value) = (&problem.relations[*r], &instance.values[*r]);
            !relation.lower.is_subset(value) || !value.is_subset(&relation.upper)
        };
        let what = if let Some(r) = (0..problem.relations.len()).find(broken) {
            format!("is outside of the bounds of {}", problem.relations[r].name)
        } else {
            match self.evaluator.first_violation(instance) {
                Ok(None) => return Ok(()),
                Ok(Some(conjunct)) => format!("violates {}", self.lowered.origins[conjunct].text),
                Err(error) => format!("cannot be judged: {error:?}"),
            }
        };
        out.flush()?;
        say(&format!(
            "tera: internal error: instance {index} {what}\nPlease report this with the specification."
        ));
        Err(Stop::Exit(Exit::Internal))
    }
}
