//! The expression of an object, with its arenas.
//!
//! An index is the position of its object in the innermost arena around that holds it; the arenas
//! of an object are printed after its other fields, as those may still make them grow.

use crate::bits::first_in;
use crate::concretize::Fault;
use crate::describe::{FieldDesc, Seq, Shape, Style, TypeIx};
use crate::plan::{Leaf, Plan};

use super::place::Place;
use super::{Printer, Text, fault};

/// The atoms of an arena by position.
pub(super) struct Positions {
    pub(super) ty: TypeIx,
    pub(super) atoms: Vec<Option<usize>>,
    pub(super) grows: bool,
}

impl<'a> Printer<'a> {
    pub(super) fn object(&mut self, ty: TypeIx, atom: usize, place: &Place) -> Text {
        let variant = self.variant(ty, atom)?;
        let desc = &self.binding.graph.ty(ty).variants[variant];
        let fields = self.fields(ty, atom);
        self.places.entry(atom).or_insert_with(|| place.clone());
        if !fields.is_empty() && !self.open.insert(atom) {
            return Err(fault(format!("{} owns itself", self.binding.atom_name(atom))));
        }
        let outer = self.arenas.len();
        self.open_arenas(&fields, atom);
        // Arenas last, as they are made.
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by_key(|&i| is_arena(&fields[i].0.shape));
        let mut values = vec![String::new(); fields.len()];
        for i in order {
            let (field, plan) = fields[i];
            let place = match self.binding.graph.ty(ty).is_enum {
                true => self.inside_enum(desc.path, field.rust, place),
                false => place.then(&format!(".{}", field.rust), 0),
            };
            values[i] = self.value(&field.shape, plan, atom, &place)?;
        }
        self.arenas.truncate(outer);
        self.open.remove(&atom);
        Ok(match desc.style {
            Style::Unit => desc.path.to_string(),
            Style::Tuple => format!("{}({})", desc.path, values.join(", ")),
            Style::Named if fields.is_empty() => format!("{} {{}}", desc.path),
            Style::Named => {
                let pairs: Vec<String> = fields
                    .iter()
                    .zip(values)
                    .map(|((field, _), value)| format!("{}: {value}", field.rust))
                    .collect();
                format!("{} {{ {} }}", desc.path, pairs.join(", "))
            }
        })
    }

    fn open_arenas(&mut self, fields: &[(&'a FieldDesc, &'a Plan)], at: usize) {
        for (desc, plan) in fields {
            if !is_arena(&desc.shape) {
                continue;
            }
            let Some(&Leaf::Object(ty)) = plan.parts.first().map(|part| &part.leaf) else { continue };
            let element = &plan.parts[0];
            let mut atoms = Vec::new();
            match plan.leaf {
                Leaf::Hidden => {}
                Leaf::Unordered => atoms.extend(self.all(element, at).into_iter().map(Some)),
                _ => {
                    for column in self.columns(plan, at, element.span) {
                        let i = self.binding.ints.value(column).unwrap_or(0) as usize;
                        if atoms.len() <= i {
                            atoms.resize(i + 1, None);
                        }
                        atoms[i] = self.first(element, at * self.binding.n_atoms + column);
                    }
                }
            }
            if let Some(rel) = plan.extent {
                let said =
                    first_in(self.instance.value(rel), at * self.binding.n_atoms, self.binding.n_atoms);
                let len = said.and_then(|atom| self.binding.ints.value(atom)).unwrap_or(0) as usize;
                atoms.resize(len.max(atoms.len()), None);
            }
            self.arenas.push(Positions { ty, atoms, grows: plan.leaf == Leaf::Hidden });
        }
    }

    /// How long the arena around is.
    pub(super) fn end_of_arena(&self, ty: TypeIx) -> Option<usize> {
        let arena = self.arenas.iter().rfind(|arena| arena.ty == ty && !arena.grows)?;
        Some(arena.atoms.len())
    }

    pub(super) fn position(&mut self, plan: &Plan, ty: TypeIx, atom: usize) -> Result<usize, Fault> {
        for arena in self.arenas.iter_mut().rev().filter(|arena| arena.ty == ty) {
            if let Some(i) = arena.atoms.iter().position(|&a| a == Some(atom)) {
                return Ok(i);
            }
            if arena.grows {
                arena.atoms.push(Some(atom));
                return Ok(arena.atoms.len() - 1);
            }
        }
        Err(fault(format!("{}: no arena around holds it", self.binding.name(plan).label)))
    }
}

fn is_arena(shape: &Shape) -> bool {
    match shape {
        Shape::Seq(Seq::Arena, _) => true,
        Shape::Wrap(_, inner) => is_arena(inner),
        _ => false,
    }
}
