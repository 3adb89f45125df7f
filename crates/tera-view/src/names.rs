//! The names of atoms for people: `Node$0` becomes `Node0`, the atom of a `one` signature its
//! signature's name.
//!
//! Invariant: different atoms have different names.

use std::collections::HashMap;

use tera_rel::{AtomId, AtomKind, Schema, Universe};

/// Names for people, by atom.
#[derive(Clone, Debug)]
pub struct Names(Vec<String>);

impl Names {
    pub fn new(universe: &Universe, schema: &Schema) -> Names {
        let single: Vec<&str> = schema.sigs.iter().filter(|s| s.is_one).map(|s| s.label.as_str()).collect();
        let short = |name: &str| match name.rsplit_once('$') {
            Some((sig, "0")) if single.contains(&sig) => sig.to_string(),
            Some((sig, number)) => format!("{sig}{number}"),
            None => name.to_string(),
        };
        let mut names: Vec<String> = universe
            .atoms()
            .map(|(_, a)| if a.kind == AtomKind::Object { short(&a.name) } else { a.name.clone() })
            .collect();
        // `A1$1` and `A$11` would both be `A11`: such atoms keep the Analyzer's names.
        let mut uses: HashMap<String, u32> = HashMap::new();
        for name in &names {
            *uses.entry(name.clone()).or_default() += 1;
        }
        for (id, atom) in universe.atoms() {
            if uses[&names[id.0 as usize]] > 1 {
                names[id.0 as usize] = atom.name.clone();
            }
        }
        Names(names)
    }

    pub fn of(&self, atom: AtomId) -> &str {
        &self.0[atom.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tera_rel::{RelId, SigInfo, SigKind};

    #[test]
    fn atoms_of_one_signatures_lose_their_number_and_clashing_names_keep_the_dollar() {
        let mut universe = Universe::new();
        for name in ["List$0", "A1$1", "A$11", "Node$3"] {
            universe.push(name, AtomKind::Object);
        }
        universe.push("-2", AtomKind::Int(-2));
        let mut schema = Schema::default();
        schema.sigs.push(SigInfo {
            label: "List".into(),
            rel: RelId(0),
            kind: SigKind::Top,
            is_abstract: false,
            is_one: true,
            is_lone: false,
            is_some: false,
            is_enum: false,
            is_private: false,
            is_var: false,
        });
        let names = Names::new(&universe, &schema);
        let all: Vec<&str> = (0..5).map(|i| names.of(AtomId(i))).collect();
        assert_eq!(all, ["List", "A1$1", "A$11", "Node3", "-2"]);
    }
}
