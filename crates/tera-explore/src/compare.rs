//! Two engines, one set of structures: the comparison of what they generate, by canonical form.

use std::collections::BTreeMap;
use std::fmt;

/// The smallest structure on which two engines differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The engines with the number of times that each gave the structure.
    pub given: [(String, usize); 2],
    /// Its canonical form.
    pub form: String,
    /// How many structures they differ on.
    pub n_different: usize,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(left, n_left), (right, n_right)] = &self.given;
        let Difference { form, n_different, .. } = self;
        write!(f, "{left} gave it {n_left} times, {right} {n_right} times: {form}")?;
        write!(f, " (the smallest of {n_different} differences)")
    }
}

impl std::error::Error for Difference {}

/// Compares what two engines give, each structure by a text that is equal for isomorphic structures and
/// for these only. Both must give the same structures, and each once. Gives their number.
///
/// ```
/// use tera_explore::{Generator, compare, int};
///
/// let pairs = || (int(0..3), int(0..3)).runs().map(|(a, b)| format!("{a}{b}"));
/// assert_eq!(compare("pairs", pairs(), "the same", pairs()), Ok(9));
/// let difference = compare("pairs", pairs(), "others", pairs().filter(|it| it != "12" && it != "21")).unwrap_err();
/// assert_eq!((difference.form.as_str(), difference.n_different), ("12", 2));
/// ```
pub fn compare(
    left: &str,
    left_forms: impl IntoIterator<Item = String>,
    right: &str,
    right_forms: impl IntoIterator<Item = String>,
) -> Result<usize, Difference> {
    let mut given: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    left_forms.into_iter().for_each(|form| given.entry(form).or_default()[0] += 1);
    right_forms.into_iter().for_each(|form| given.entry(form).or_default()[1] += 1);
    let different = || given.iter().filter(|(_, times)| **times != [1, 1]);
    match different().min_by_key(|(form, _)| (form.len(), (*form).clone())) {
        None => Ok(given.len()),
        Some((form, [n_left, n_right])) => Err(Difference {
            given: [(left.to_string(), *n_left), (right.to_string(), *n_right)],
            form: form.clone(),
            n_different: different().count(),
        }),
    }
}
