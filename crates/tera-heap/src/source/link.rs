//! Pointers that are set afterwards, and the names of the objects they lead to.
//!
//! A target has a name when it is shared or nothing owns it; of any other the address is taken
//! where it is, once all values are there.

use std::collections::BTreeMap;

use crate::concretize::Fault;
use crate::describe::{Shape, Wrap};
use crate::plan::Plan;

use super::place::{CELL, ONCE, Place, UNCHECKED};
use super::read::object_of;
use super::{Printer, Text, fault};

/// A pointer that is written when everything has its place.
pub(super) struct Link {
    pub(super) place: Place,
    /// From the outside in, what is around the pointer: `Option`, `Cell`.
    pub(super) around: Vec<Around>,
    pub(super) wrap: Wrap,
    pub(super) atom: usize,
    /// The shape between the pointer and the object.
    pub(super) pointee: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    Some,
    Cell,
}

/// An object that needs a name of its own.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) wrap: Wrap,
}

impl<'a> Printer<'a> {
    /// A variable name for an object: `node0`.
    fn fresh(&mut self, atom: usize) -> String {
        let sig = self.type_of(atom).map_or("Object", |ty| self.binding.graph.ty(ty).sig);
        loop {
            let number = self.numbers.entry(sig).or_default();
            let name = format!("{}{number}", snake(sig));
            *number += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The variable of a counted object, made now.
    pub(super) fn named(&mut self, inner: &'a Shape, plan: &'a Plan, atom: usize, wrap: Wrap) -> Text {
        if let Some(named) = self.names.get(&atom) {
            return Ok(named.name.clone());
        }
        let name = self.fresh(atom);
        let place = Place { text: name.clone(), stars: 1, frozen: true, ..Place::default() };
        let inside = self.plain(inner, plan, atom, &place)?;
        let value = self.wrapped(wrap, &inside);
        self.before.push(format!("let {name} = {value};"));
        self.names.insert(atom, Named { name: name.clone(), wrap });
        Ok(name)
    }

    /// Objects that only pointers that own nothing lead to.
    pub(super) fn orphans(&mut self) -> Result<(), Fault> {
        let mut next = 0;
        while let Some(link) = self.links.get(next) {
            next += 1;
            let (atom, wrap, pointee) = (link.atom, link.wrap, link.pointee.clone());
            if self.places.contains_key(&atom) || self.names.contains_key(&atom) {
                continue;
            }
            let Some(ty) = object_of(&pointee) else { continue };
            let name = self.fresh(atom);
            let weak = matches!(wrap, Wrap::RcWeak | Wrap::ArcWeak);
            let held = match wrap {
                Wrap::ArcWeak => Wrap::Arc,
                Wrap::RcWeak => Wrap::Rc,
                _ => Wrap::RawMut,
            };
            // The object itself; what is between it and the pointer is wrapped around it.
            let place = match weak {
                true => Place { text: name.clone(), stars: 1, frozen: true, ..Place::default() },
                false => Place { text: format!("(*{name})"), ..Place::default() },
            };
            let (opening, closing, place) = self.between(&pointee, place);
            let value = self.object(ty, atom, &place)?;
            let value = format!("{opening}{value}{closing}");
            let value = match weak {
                true => self.wrapped(held, &value),
                false => format!("Box::into_raw(Box::new({value}))"),
            };
            self.before.push(format!("let {name} = {value};"));
            self.names.insert(atom, Named { name, wrap: held });
        }
        Ok(())
    }

    /// The constructors of the cells around an object, and where the object then is.
    fn between(&mut self, shape: &Shape, place: Place) -> (String, String, Place) {
        match shape {
            Shape::Wrap(wrap, inner) => {
                let inside = self.inside(*wrap, &place);
                let mark = "\u{1}";
                let around = self.wrapped(*wrap, mark);
                let (before, after) = around.split_once(mark).unwrap_or(("", ""));
                let (opening, closing, place) = self.between(inner, inside);
                (format!("{before}{opening}"), format!("{closing}{after}"), place)
            }
            _ => (String::new(), String::new(), place),
        }
    }

    /// The assignments that write what had to wait.
    pub(super) fn write_links(&mut self) -> Result<(), Fault> {
        let links = std::mem::take(&mut self.links);
        let mut pointers: BTreeMap<usize, String> = BTreeMap::new();
        let mut assignments = Vec::new();
        let mut is_unsafe = false;
        for link in &links {
            if link.place.text.is_empty() || link.place.text.starts_with('.') {
                return Err(fault(format!(
                    "a pointer to {} has no place that a statement could write",
                    self.binding.atom_name(link.atom)
                )));
            }
            let target = match (self.names.get(&link.atom), link.wrap) {
                (Some(named), Wrap::RcWeak) => format!("Rc::downgrade(&{})", named.name),
                (Some(named), Wrap::ArcWeak) => format!("Arc::downgrade(&{})", named.name),
                (Some(named), Wrap::Rc) => format!("Rc::clone(&{})", named.name),
                (Some(named), Wrap::Arc) => format!("Arc::clone(&{})", named.name),
                (Some(named), _) if named.wrap == Wrap::RawMut => named.name.clone(),
                (_, Wrap::RcWeak | Wrap::ArcWeak | Wrap::Rc | Wrap::Arc) => {
                    return Err(fault(format!("{} has no name", self.binding.atom_name(link.atom))));
                }
                _ => match pointers.get(&link.atom) {
                    Some(name) => name.clone(),
                    None => {
                        let Some(place) = self.places.get(&link.atom).filter(|p| !p.text.is_empty()) else {
                            return Err(fault(format!(
                                "{} cannot be named",
                                self.binding.atom_name(link.atom)
                            )));
                        };
                        let mut address = match place.frozen {
                            true => format!("(&raw const {}).cast_mut()", place.lvalue()),
                            false => format!("&raw mut {}", place.lvalue()),
                        };
                        for opening in place.openings.iter().rev() {
                            address = format!("{opening} {{ {address} }} else {{ unreachable!() }}");
                        }
                        if address.contains(UNCHECKED) {
                            address = format!("unsafe {{ {address} }}");
                        }
                        let name = self.fresh(link.atom);
                        self.after.push(format!("let {name} = {address};"));
                        pointers.insert(link.atom, name.clone());
                        name
                    }
                },
            };
            let has_option = link.around.contains(&Around::Some);
            let value = match (link.wrap, has_option) {
                (Wrap::AtomicPtr, _) => format!("std::sync::atomic::AtomicPtr::new({target})"),
                _ if link.place.text.ends_with(ONCE) => target,
                (Wrap::NonNull, true) => {
                    self.uses.insert("std::ptr::NonNull");
                    format!("NonNull::new({target})")
                }
                (Wrap::NonNull, false) => {
                    self.uses.insert("std::ptr::NonNull");
                    format!("NonNull::new({target}).unwrap()")
                }
                (_, true) => format!("Some({target})"),
                (_, false) => target,
            };
            let text = &link.place.text;
            let statement = if let Some(once) = text.strip_suffix(ONCE) {
                format!("let _ = {once}.set({value});")
            } else if link.around.contains(&Around::Cell) || text.ends_with(CELL) {
                format!("{}.set({value});", text.trim_end_matches(CELL))
            } else {
                format!("{} = {value};", link.place.lvalue())
            };
            let opened = link.place.openings.iter().rev();
            let statement = opened.fold(statement, |inside, opening| format!("{opening} {{ {inside} }}"));
            is_unsafe |= statement.contains("(*") || statement.contains(UNCHECKED);
            assignments.push(statement);
        }
        if is_unsafe {
            self.after.push(format!("unsafe {{\n    {}\n}}", assignments.join("\n    ")));
        } else {
            self.after.append(&mut assignments);
        }
        Ok(())
    }
}

/// `tree_node` for `TreeNode`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for (i, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && i > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
