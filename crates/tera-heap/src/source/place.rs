//! Where a value is going to be, as text that a later statement can write to or point to.
//!
//! Going into a value makes the text longer. Two things no suffix says: a field of an enum is
//! opened by a pattern, and what is in a `Cell` is set through the cell.

use crate::describe::Wrap;

use super::Printer;

/// A place in a value: `list.header.as_mut().unwrap()`, to be dereferenced so many times.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) stars: usize,
    /// Behind a counted pointer and in no cell: not to be borrowed as mutable.
    pub(super) frozen: bool,
    /// The patterns that lead into enums, outermost first: `if let Kind::Leaf { 0: part0, .. } = &mut node.kind`.
    /// The last binds what `text` begins with, as a reference.
    pub(super) openings: Vec<String>,
}

impl Place {
    pub(super) fn then(&self, suffix: &str, stars: usize) -> Place {
        Place { text: format!("{}{suffix}", self.text), stars, ..self.clone() }
    }

    pub(super) fn deref(&self) -> Place {
        Place { stars: self.stars + 1, ..self.clone() }
    }

    pub(super) fn lvalue(&self) -> String {
        "*".repeat(self.stars) + &self.text
    }
}

impl Printer<'_> {
    /// Where the value inside a wrapper is.
    pub(super) fn inside(&self, wrap: Wrap, place: &Place) -> Place {
        match wrap {
            Wrap::Box => place.deref(),
            Wrap::Pinned => place.then(&format!(".as_mut(){UNCHECKED}"), 1),
            Wrap::OnceCell | Wrap::OnceLock => place.then(ONCE, 0),
            Wrap::Rc | Wrap::Arc => Place { frozen: true, ..place.deref() },
            Wrap::RefCell => thaw(place.then(".borrow_mut()", 1)),
            Wrap::Mutex => thaw(place.then(".lock().unwrap()", 1)),
            Wrap::RwLock => thaw(place.then(".write().unwrap()", 1)),
            Wrap::Cell => place.then(CELL, 0),
            Wrap::UnsafeCell => place.then(".get_mut()", 1),
            Wrap::Newtype(opening, _) => match opening.split_once("{ ") {
                Some((_, name)) => place.then(&format!(".{}", name.trim_end_matches(": ")), 0),
                // A function made it: what is inside has no name, but is what it dereferences to.
                None if opening.ends_with("::new(") => place.deref(),
                // `Id(` or, behind skipped fields, `Id(Default::default(), `.
                None => place.then(&format!(".{}", opening.matches(", ").count()), 0),
            },
            _ => place.clone(),
        }
    }

    /// A field of a variant can be named by a pattern only.
    pub(super) fn inside_enum(&mut self, path: &str, field: &str, place: &Place) -> Place {
        let number = self.numbers.entry("part").or_default();
        let part = format!("part{number}");
        *number += 1;
        let reference = if place.frozen { "&" } else { "&mut " };
        let mut openings = place.openings.clone();
        openings.push(format!("if let {path} {{ {field}: {part}, .. }} = {reference}{}", place.lvalue()));
        Place { text: part, stars: 1, frozen: place.frozen, openings }
    }
}

/// Stands at the end of a place inside a `Cell`.
pub(super) const CELL: &str = "\u{2}";
/// The same for a `OnceCell`.
pub(super) const ONCE: &str = "\u{3}";

fn thaw(place: Place) -> Place {
    Place { frozen: false, ..place }
}

/// The place of an option, given that of what is in it.
pub(super) fn outside_option(place: &Place) -> Place {
    let text = place.text.trim_end_matches(CELL);
    match text.strip_suffix(".as_mut().unwrap()") {
        Some(outer) => {
            // The result of a method, and what a pattern binds, are references.
            let is_bound = place.openings.last().is_some_and(|last| last.contains(&format!(": {outer}, ..")));
            let stars = usize::from(outer.ends_with(')') || is_bound);
            Place { text: outer.into(), stars, ..place.clone() }
        }
        None => Place { text: text.into(), ..place.clone() },
    }
}

/// The way into a pinned box, which is unsafe.
pub(super) const UNCHECKED: &str = ".get_unchecked_mut()";
