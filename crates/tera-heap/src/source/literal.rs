//! The smallest pieces of text: literals, constructor calls and null pointers.
//!
//! The path of a type or constructor outside the prelude is imported, its name written short.

use crate::describe::{Shape, Wrap};
use crate::plan::{Leaf, Plan};

use super::{Printer, Text, fault};

impl Printer<'_> {
    pub(super) fn scalar(&mut self, shape: &Shape, plan: &Plan, tuple: usize) -> Text {
        let name = self.binding.atom_name(tuple).trim_matches('"');
        let rank = |pool: u32| {
            let atoms = &self.binding.pools[pool as usize];
            atoms.iter().position(|a| a.0 as usize == tuple).map(|k| k as i64)
        };
        let number = match plan.leaf {
            Leaf::Nth(pool) => rank(pool),
            Leaf::Position { ty, numbering } => {
                let number = self.position(plan, ty, tuple)? as i128 + numbering.first;
                let Shape::Index { rust, .. } = shape else { return Ok(number.to_string()) };
                return Ok(number_of(rust, &number.to_string()));
            }
            _ => self.binding.ints.value(tuple),
        };
        Ok(match shape {
            Shape::Bool => match plan.leaf {
                Leaf::Bool { yes, .. } => (yes.0 as usize == tuple).to_string(),
                _ => (number == Some(1)).to_string(),
            },
            Shape::Char => {
                let letter = match plan.leaf {
                    Leaf::Text => name.chars().next(),
                    Leaf::Nth(_) => number.and_then(|k| char::from_u32(97 + k as u32)),
                    _ => number.and_then(|k| char::from_u32(k as u32)),
                };
                format!("{:?}", letter.unwrap_or('?'))
            }
            Shape::Text { make: "" } => format!("{name:?}"),
            Shape::Text { make } => format!("{make}({name:?})"),
            _ => match (number, shape) {
                (Some(number), Shape::Int { rust, .. }) => number_of(rust, &number.to_string()),
                (Some(number), _) => number.to_string(),
                (None, _) => return Err(fault(format!("{name} is no number"))),
            },
        })
    }

    /// `HashMap::from_iter` for `std::collections::HashMap::from_iter`.
    pub(super) fn short(&mut self, path: &'static str) -> &'static str {
        let Some((ty, _)) = path.rsplit_once("::") else { return path };
        match ty.rsplit_once("::") {
            Some((module, _)) => {
                self.uses.insert(ty);
                &path[module.len() + 2..]
            }
            None => path,
        }
    }

    pub(super) fn wrapped(&mut self, wrap: Wrap, value: &str) -> String {
        let (name, path) = match wrap {
            Wrap::Box => ("Box", ""),
            Wrap::Rc => ("Rc", "std::rc::Rc"),
            Wrap::Arc => ("Arc", "std::sync::Arc"),
            Wrap::Cell => ("Cell", "std::cell::Cell"),
            Wrap::RefCell => ("RefCell", "std::cell::RefCell"),
            Wrap::UnsafeCell => ("UnsafeCell", "std::cell::UnsafeCell"),
            Wrap::Mutex => ("Mutex", "std::sync::Mutex"),
            Wrap::RwLock => ("RwLock", "std::sync::RwLock"),
            Wrap::Newtype(opening, closing) => return format!("{opening}{value}{closing}"),
            Wrap::Pinned => return format!("Box::pin({value})"),
            Wrap::OnceCell | Wrap::OnceLock => {
                let name = if wrap == Wrap::OnceCell { "OnceCell" } else { "OnceLock" };
                self.uses.insert(if wrap == Wrap::OnceCell {
                    "std::cell::OnceCell"
                } else {
                    "std::sync::OnceLock"
                });
                return match value.strip_prefix("Some(") {
                    Some(inside) => format!("{name}::from({inside}"),
                    None => format!("{name}::new()"),
                };
            }
            Wrap::AtomicPtr => {
                return format!("std::sync::atomic::AtomicPtr::new(Box::into_raw(Box::new({value})))");
            }
            Wrap::RcWeak | Wrap::ArcWeak | Wrap::RawMut | Wrap::RawConst | Wrap::NonNull => {
                // A pointer to what is no object: leaked, as it was made.
                return format!("Box::into_raw(Box::new({value}))");
            }
        };
        if !path.is_empty() {
            self.uses.insert(path);
        }
        format!("{name}::new({value})")
    }

    pub(super) fn null(&mut self, wrap: Wrap) -> String {
        match wrap {
            Wrap::RawConst => "std::ptr::null()".into(),
            Wrap::RcWeak => "std::rc::Weak::new()".into(),
            Wrap::ArcWeak => "std::sync::Weak::new()".into(),
            Wrap::AtomicPtr => "std::sync::atomic::AtomicPtr::default()".into(),
            _ => "std::ptr::null_mut()".into(),
        }
    }
}

/// A number of an integer type, or of one behind it.
pub(super) fn number_of(rust: &str, number: &str) -> String {
    match rust {
        rust if rust.contains("NonZero") => format!("{rust}::new({number}).unwrap()"),
        rust if rust.contains("Atomic") => format!("{rust}::new({number})"),
        _ => number.to_string(),
    }
}

pub(super) fn path_of(text: &str) -> Option<&'static str> {
    match text {
        "PhantomData" => Some("std::marker::PhantomData"),
        "PhantomPinned" => Some("std::marker::PhantomPinned"),
        _ => None,
    }
}
