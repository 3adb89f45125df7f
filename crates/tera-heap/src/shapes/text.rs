//! Texts are `String` constants; over an uninterpreted signature they are the names of its atoms.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use crate::describe::{Describer, Mapped, Shape};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

/// A `&'static str` for each text that was ever asked for: the texts of a specification are few.
fn leaked(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    match texts.get(text) {
        Some(known) => known,
        None => {
            let new: &'static str = Box::leak(text.into());
            texts.insert(new);
            new
        }
    }
}

fn owned(text: &str) -> Cow<'static, str> {
    Cow::Owned(text.into())
}

macro_rules! texts {
    ($($ty:ty, $make:literal, $from:expr;)*) => {$(
        impl Mapped for $ty {
            const ONE_TUPLE: bool = true;

            fn shape(_: &mut Describer) -> Shape {
                Shape::Text { make: $make }
            }
        }

        impl Concretize for $ty {
            fn from_tuple(c: &mut Concretizer<'_>, plan: &Plan, tuple: usize) -> Result<$ty, Stop> {
                match (plan.leaf, c.text(tuple)) {
                    (Leaf::Text | Leaf::Nth(_), Some(text)) => Ok($from(text)),
                    _ => Err(c.no_value::<$ty>(plan, tuple)),
                }
            }
        }

        impl Abstraction for $ty {
            fn to_tuple(&self, a: &mut Abstractor<'_>, plan: &Plan, _: Place) -> Option<usize> {
                if !a.may_read(self.as_ptr(), self.len(), plan) {
                    return None;
                }
                match plan.leaf {
                    Leaf::Nth(pool) => a.named(pool, self),
                    _ => a.text(self),
                }
            }
        }

        impl OneTuple for $ty {}
    )*};
}

texts! {
    String, "String::from", String::from;
    Box<str>, "Box::from", Box::from;
    Rc<str>, "Rc::from", Rc::from;
    Arc<str>, "Arc::from", Arc::from;
    Cow<'static, str>, "std::borrow::Cow::from", owned;
    &'static str, "", leaked;
}
