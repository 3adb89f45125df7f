//! How often each object is pointed to, and how: it decides which objects need a name.
//!
//! An object is entered at its first owner; what nobody owns is entered at the end.

use crate::describe::{Seq, Shape, Wrap};
use crate::plan::{Leaf, Plan};

use super::Printer;
use super::read::{shape_is_collection, split};

/// How often an object is pointed to, and how.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) owners: u32,
    pub(super) counted: bool,
    pub(super) weak: bool,
    pub(super) raw: bool,
    pub(super) arc: bool,
}

impl<'a> Printer<'a> {
    /// Counts the owners of everything behind the prefix.
    pub(super) fn count(&mut self, shape: &'a Shape, plan: &'a Plan, at: usize) {
        match shape {
            Shape::Option(inner) => self.count(inner, plan, at),
            Shape::Seq(Seq::Arena, _) if plan.leaf == Leaf::Hidden => {}
            Shape::Set(_, element) => {
                for tuple in self.all(plan, at) {
                    self.count_tuple(element, plan, tuple, Wrap::Box);
                }
            }
            Shape::Seq(_, element) if plan.leaf == Leaf::Unordered => {
                for tuple in self.all(&plan.parts[0], at) {
                    self.count_tuple(element, &plan.parts[0], tuple, Wrap::Box);
                }
            }
            Shape::Seq(_, element) => {
                for column in self.columns(plan, at, plan.parts[0].span) {
                    self.count(element, &plan.parts[0], at * self.binding.n_atoms + column);
                }
            }
            Shape::Map(_, key, value) => {
                for k in self.columns(plan, at, plan.span / plan.parts[0].span) {
                    self.count_tuple(key, &plan.parts[0], k, Wrap::Box);
                    self.count(value, &plan.parts[1], at * plan.parts[0].span + k);
                }
            }
            Shape::Wrap(_, inner) if shape_is_collection(inner) => self.count(inner, plan, at),
            Shape::Skip(_) | Shape::Unit(_) => {}
            _ => {
                if let Some(tuple) = self.first(plan, at) {
                    self.count_tuple(shape, plan, tuple, Wrap::Box);
                }
            }
        }
    }

    fn count_tuple(&mut self, shape: &'a Shape, plan: &'a Plan, tuple: usize, held: Wrap) {
        match shape {
            Shape::Wrap(wrap, inner) => {
                let held = if wrap.is_cell() || matches!(wrap, Wrap::Newtype(..)) { held } else { *wrap };
                self.count_tuple(inner, plan, tuple, held);
            }
            Shape::Option(inner) => self.count_tuple(inner, plan, tuple, held),
            Shape::Tuple(parts) => {
                for ((part, plan), column) in parts.iter().zip(plan.parts.iter()).zip(split(plan, tuple)) {
                    self.count_tuple(part, plan, column, held);
                }
            }
            Shape::Object(ty) => {
                let count = self.counts.entry(tuple).or_default();
                match held {
                    Wrap::RcWeak | Wrap::ArcWeak => {
                        count.weak = true;
                        count.arc = held == Wrap::ArcWeak;
                        return;
                    }
                    _ if held.is_link() => {
                        count.raw = true;
                        return;
                    }
                    Wrap::Rc | Wrap::Arc => {
                        count.counted = true;
                        count.arc = held == Wrap::Arc;
                    }
                    _ => {}
                }
                count.owners += 1;
                if count.owners == 1 {
                    for (desc, plan) in self.fields(*ty, tuple) {
                        self.count(&desc.shape, plan, tuple);
                    }
                }
            }
            Shape::Index { target, .. } => {
                // Through an arena that the specification does not know.
                let count = self.counts.entry(tuple).or_default();
                if count.owners == 0 {
                    count.owners = 1;
                    for (desc, plan) in self.fields(*target, tuple) {
                        self.count(&desc.shape, plan, tuple);
                    }
                }
            }
            _ => {}
        }
    }

    /// What only pointers that own nothing lead to is counted as well.
    pub(super) fn count_orphans(&mut self) {
        while let Some(atom) = self.counts.iter().find(|(_, c)| c.owners == 0).map(|(&atom, _)| atom) {
            let count = self.counts.entry(atom).or_default();
            count.owners = 1;
            count.counted = count.weak;
            if let Some(ty) = self.type_of(atom) {
                for (desc, plan) in self.fields(ty, atom) {
                    self.count(&desc.shape, plan, atom);
                }
            }
        }
    }
}
