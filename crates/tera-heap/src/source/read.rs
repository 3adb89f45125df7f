//! What the instance says: the tuples behind a prefix, the variant and the fields of an object.
//!
//! A collection is read by prefix, everything else by tuple.

use crate::bits::{all_in, first_in};
use crate::concretize::Fault;
use crate::describe::{FieldDesc, Shape, TypeIx, Wrap};
use crate::plan::Plan;

use super::{Printer, fault};

impl<'a> Printer<'a> {
    pub(super) fn first(&self, plan: &Plan, at: usize) -> Option<usize> {
        first_in(self.instance.value(plan.rel), at * plan.span, plan.span)
    }

    pub(super) fn all(&self, plan: &Plan, at: usize) -> Vec<usize> {
        all_in(self.instance.value(plan.rel), at * plan.span, plan.span).collect()
    }

    /// The values of the next column behind the prefix.
    pub(super) fn columns(&self, plan: &Plan, at: usize, span: usize) -> Vec<usize> {
        let mut columns: Vec<usize> = self.all(plan, at).into_iter().map(|tuple| tuple / span).collect();
        columns.dedup();
        columns
    }

    pub(super) fn variant(&self, ty: TypeIx, atom: usize) -> Result<usize, Fault> {
        let plan = self.binding.ty(ty);
        let found = match plan.variants.len() {
            1 => Some(0),
            _ => plan.variants.iter().position(|v| self.instance.value(v.rel).contains_index(atom)),
        };
        found.ok_or_else(|| fault(format!("{} has no variant", self.binding.atom_name(atom))))
    }

    /// The fields of an object with their plans.
    pub(super) fn fields(&self, ty: TypeIx, atom: usize) -> Vec<(&'a FieldDesc, &'a Plan)> {
        let Ok(variant) = self.variant(ty, atom) else { return Vec::new() };
        let desc = &self.binding.graph.ty(ty).variants[variant];
        desc.fields.iter().zip(self.binding.ty(ty).variants[variant].fields.iter()).collect()
    }

    pub(super) fn type_of(&self, atom: usize) -> Option<TypeIx> {
        let has = |ty: &&crate::plan::TypePlan| {
            ty.variants.iter().any(|v| self.instance.value(v.rel).contains_index(atom))
        };
        self.binding.types.iter().find(has).map(|ty| ty.ix)
    }
}

/// Whether the values of a shape are read by prefix, not by tuple.
pub(super) fn shape_is_collection(shape: &Shape) -> bool {
    match shape {
        Shape::Option(_)
        | Shape::Seq(..)
        | Shape::Set(..)
        | Shape::Map(..)
        | Shape::Skip(_)
        | Shape::Unit(_) => true,
        Shape::Index { .. } => shape.may_be_empty(),
        Shape::Wrap(wrap, inner) => (wrap.is_link() && *wrap != Wrap::NonNull) || shape_is_collection(inner),
        _ => false,
    }
}

pub(super) fn object_of(shape: &Shape) -> Option<TypeIx> {
    match shape {
        Shape::Object(ty) => Some(*ty),
        Shape::Wrap(_, inner) => object_of(inner),
        _ => None,
    }
}

/// The tuples of the components of a tuple.
pub(super) fn split(plan: &Plan, mut tuple: usize) -> Vec<usize> {
    let mut columns: Vec<usize> = plan
        .parts
        .iter()
        .rev()
        .map(|part| {
            let column = tuple % part.span;
            tuple /= part.span;
            column
        })
        .collect();
    columns.reverse();
    columns
}
