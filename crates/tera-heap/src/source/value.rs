//! The expression of a value: options, collections, tuples and pointers, outermost first.
//!
//! A pointer that owns nothing, or that closes a cycle, is left empty here and becomes a
//! [`Link`]; a shared object is made before and cloned here.

use crate::bits::{all_in, first_in};
use crate::concretize::Fault;
use crate::describe::{Null, Seq, Shape, Wrap};
use crate::plan::{Leaf, Plan};

use super::link::{Around, Link};
use super::literal::{number_of, path_of};
use super::place::{Place, outside_option};
use super::read::{object_of, shape_is_collection, split};
use super::{Printer, Text, fault};

impl<'a> Printer<'a> {
    /// The expression of everything behind the prefix; `place` is where it is going to be.
    pub(super) fn value(&mut self, shape: &'a Shape, plan: &'a Plan, at: usize, place: &Place) -> Text {
        match shape {
            Shape::Skip(text) => Ok(text.to_string()),
            Shape::Unit(text) => {
                if let Some(path) = path_of(text) {
                    self.uses.insert(path);
                }
                Ok(text.to_string())
            }
            Shape::Option(inner) => match self.first(plan, at) {
                None => Ok("None".into()),
                Some(tuple) => {
                    let value = self.tuple(
                        inner,
                        plan,
                        tuple,
                        &place.then(".as_mut().unwrap()", 1),
                        &[Around::Some],
                    )?;
                    Ok(value.map_or("None".into(), |value| format!("Some({value})")))
                }
            },
            Shape::Seq(seq, element) => self.sequence(*seq, element, plan, at, place),
            Shape::Set(name, element) => {
                let tuples = self.all(plan, at);
                let values = self.elements(tuples, |this, tuple| this.plain(element, plan, tuple, place))?;
                Ok(format!("{}([{values}])", self.short(name)))
            }
            Shape::Map(name, key, value) => {
                let n = self.binding.n_atoms;
                let keys = match plan.extent {
                    Some(rel) => all_in(self.instance.value(rel), at * n, n).collect(),
                    None => self.columns(plan, at, plan.span / plan.parts[0].span),
                };
                let entries = self.elements(keys, |this, k| {
                    let key = this.plain(key, &plan.parts[0], k, place)?;
                    let place = place.then(&format!(".get_mut(&{key}).unwrap()"), 1);
                    let value = this.value(value, &plan.parts[1], at * plan.parts[0].span + k, &place)?;
                    Ok(format!("({key}, {value})"))
                })?;
                Ok(format!("{}([{entries}])", self.short(name)))
            }
            Shape::Wrap(wrap, inner) if shape_is_collection(inner) => {
                let inside = self.value(inner, plan, at, &self.inside(*wrap, place))?;
                Ok(self.wrapped(*wrap, &inside))
            }
            Shape::Wrap(wrap, inner) if plan.leaf == Leaf::Flag => {
                let inside = self.value(inner, plan, at, &self.inside(*wrap, place))?;
                Ok(self.wrapped(*wrap, &inside))
            }
            Shape::Bool if plan.leaf == Leaf::Flag => Ok(self.first(plan, at).is_some().to_string()),
            Shape::Index { rust, target, numbering }
                if shape.may_be_empty() && self.first(plan, at).is_none() =>
            {
                let null = match numbering.null {
                    Null::Number(number) => Some(number),
                    _ => self.end_of_arena(*target).map(|end| end as i128 + numbering.first),
                };
                match null {
                    Some(null) => Ok(number_of(rust, &null.to_string())),
                    None => Err(fault(format!("{} has no number", self.binding.name(plan).label))),
                }
            }
            Shape::Wrap(wrap, _) if wrap.is_link() && self.first(plan, at).is_none() => Ok(self.null(*wrap)),
            _ => {
                let Some(tuple) = self.first(plan, at) else {
                    return Err(fault(format!("{} has no value", self.binding.name(plan).label)));
                };
                match self.tuple(shape, plan, tuple, place, &[])? {
                    Some(value) => Ok(value),
                    None => Err(fault(format!(
                        "{} is part of a cycle that no expression can build",
                        self.binding.name(plan).label
                    ))),
                }
            }
        }
    }

    fn elements(&mut self, items: Vec<usize>, mut print: impl FnMut(&mut Self, usize) -> Text) -> Text {
        let values = items.into_iter().map(|item| print(self, item)).collect::<Result<Vec<_>, _>>()?;
        Ok(values.join(", "))
    }

    fn sequence(&mut self, seq: Seq, element: &'a Shape, plan: &'a Plan, at: usize, place: &Place) -> Text {
        let inner = &plan.parts[0];
        let n = self.binding.n_atoms;
        let mut values = Vec::new();
        match plan.leaf {
            Leaf::Hidden => {
                let mut i = 0;
                while let Some(&Some(atom)) = self.arenas.last().and_then(|arena| arena.atoms.get(i)) {
                    values.push(self.plain(element, inner, atom, &place.then(&format!("[{i}]"), 0))?);
                    i += 1;
                }
            }
            Leaf::Unordered => {
                for (i, tuple) in self.all(inner, at).into_iter().enumerate() {
                    values.push(self.plain(element, inner, tuple, &place.then(&format!("[{i}]"), 0))?);
                }
            }
            _ => {
                let position = |this: &Self, column| this.binding.ints.value(column).unwrap_or(0) as usize;
                let len = match seq {
                    Seq::Array(len) => len,
                    _ => {
                        let columns = self.columns(plan, at, inner.span);
                        let shown = columns.iter().map(|&c| position(self, c) + 1).max().unwrap_or(0);
                        let said = plan.extent.and_then(|rel| first_in(self.instance.value(rel), at * n, n));
                        said.map_or(shown, |atom| position(self, atom))
                    }
                };
                for i in 0..len {
                    let atom = self.binding.ints.atom(i as i64);
                    let Some(atom) = atom.map(|a| a.0 as usize) else {
                        return Err(fault(format!("there is no Int {i}")));
                    };
                    values.push(self.value(
                        element,
                        inner,
                        at * n + atom,
                        &place.then(&format!("[{i}]"), 0),
                    )?);
                }
            }
        }
        let values = values.join(", ");
        Ok(match seq {
            Seq::Vec | Seq::Arena => format!("vec![{values}]"),
            Seq::BoxedSlice => format!("vec![{values}].into_boxed_slice()"),
            Seq::Array(_) => format!("[{values}]"),
            Seq::VecDeque => {
                self.uses.insert("std::collections::VecDeque");
                format!("VecDeque::from(vec![{values}])")
            }
            Seq::Other(make) => format!("{}(vec![{values}])", self.short(make)),
        })
    }

    /// A tuple where nothing can be written later.
    pub(super) fn plain(&mut self, shape: &'a Shape, plan: &'a Plan, tuple: usize, place: &Place) -> Text {
        match self.tuple(shape, plan, tuple, place, &[])? {
            Some(value) => Ok(value),
            None => Err(fault(format!(
                "{} is part of a cycle that no expression can build",
                self.binding.name(plan).label
            ))),
        }
    }

    /// The expression of one tuple; `None` when it has to be written later.
    fn tuple(
        &mut self,
        shape: &'a Shape,
        plan: &'a Plan,
        tuple: usize,
        place: &Place,
        around: &[Around],
    ) -> Result<Option<String>, Fault> {
        match shape {
            Shape::Wrap(wrap, inner) if wrap.is_link() && object_of(inner).is_some() => {
                let place = match around.contains(&Around::Some) {
                    true => outside_option(place),
                    false => place.clone(),
                };
                self.links.push(Link {
                    place,
                    around: around.to_vec(),
                    wrap: *wrap,
                    atom: tuple,
                    pointee: (**inner).clone(),
                });
                Ok(match (around.contains(&Around::Some), wrap) {
                    (true, _) => None,
                    (false, Wrap::NonNull) => {
                        self.uses.insert("std::ptr::NonNull");
                        Some("NonNull::dangling()".into())
                    }
                    (false, _) => Some(self.null(*wrap)),
                })
            }
            Shape::Wrap(wrap @ (Wrap::Rc | Wrap::Arc), inner) if object_of(inner).is_some() => {
                let count = self.counts.get(&tuple).copied().unwrap_or_default();
                if count.owners < 2 && !count.weak && !count.raw {
                    let inside = self.plain(inner, plan, tuple, &place.deref())?;
                    return Ok(Some(self.wrapped(*wrap, &inside)));
                }
                if self.open.contains(&tuple) {
                    let place = outside_option(place);
                    let (wrap, pointee) = (*wrap, (**inner).clone());
                    self.links.push(Link { place, around: around.to_vec(), wrap, atom: tuple, pointee });
                    return Ok(None);
                }
                let name = self.named(inner, plan, tuple, *wrap)?;
                Ok(Some(format!("{}::clone(&{name})", if *wrap == Wrap::Arc { "Arc" } else { "Rc" })))
            }
            Shape::Wrap(wrap, inner) => {
                let mut around = around.to_vec();
                if *wrap == Wrap::Cell {
                    around.push(Around::Cell);
                } else {
                    around.clear();
                }
                let inside = self.inside(*wrap, place);
                let value = self.tuple(inner, plan, tuple, &inside, &around)?;
                Ok(value.map(|value| self.wrapped(*wrap, &value)))
            }
            Shape::Option(inner) => {
                let value =
                    self.tuple(inner, plan, tuple, &place.then(".as_mut().unwrap()", 1), &[Around::Some])?;
                Ok(Some(value.map_or("None".into(), |value| format!("Some({value})"))))
            }
            Shape::Tuple(parts) => {
                let columns = split(plan, tuple);
                let mut values = Vec::new();
                for (i, (part, inner)) in parts.iter().zip(plan.parts.iter()).enumerate() {
                    values.push(self.plain(part, inner, columns[i], &place.then(&format!(".{i}"), 0))?);
                }
                let comma = if values.len() == 1 { "," } else { "" };
                Ok(Some(format!("({}{comma})", values.join(", "))))
            }
            Shape::Object(ty) => self.object(*ty, tuple, place).map(Some),
            _ => self.scalar(shape, plan, tuple).map(Some),
        }
    }
}
