//! Maps and sets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use crate::describe::{Describer, Mapped, Shape};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Abstractor, Among, Concretize, Concretizer, OneTuple, Place, Stop};

/// Objects that are told apart by what they hold can be equal, atoms cannot: an instance with equal keys is no value.
fn distinct(c: &mut Concretizer<'_>, plan: &Plan, wanted: usize, found: usize) -> Result<(), Stop> {
    match wanted == found {
        true => Ok(()),
        false => {
            let message = format!("{} holds atoms whose values are equal", c.binding.name(plan).label);
            Err(c.fault(message))
        }
    }
}

/// The entries of a map.
fn make_map<K: OneTuple, V: Concretize, C: FromIterator<(K, V)>>(
    c: &mut Concretizer<'_>,
    plan: &Plan,
    at: usize,
    len: fn(&C) -> usize,
) -> Result<C, Stop> {
    let (key, value) = (&plan.parts[0], &plan.parts[1]);
    let keys: Vec<usize> = match plan.extent {
        Some(rel) => c.extents(rel, at).collect(),
        None => c.columns(plan, at, plan.span / key.span).collect(),
    };
    let wanted = keys.len();
    let entries = keys
        .into_iter()
        .map(|k| Ok((K::from_tuple(c, key, k)?, V::concretize(c, value, at * key.span + k)?)))
        .collect::<Result<C, Stop>>()?;
    distinct(c, plan, wanted, len(&entries))?;
    Ok(entries)
}

fn read_map<'t, K: OneTuple, V: Abstraction>(
    entries: impl Iterator<Item = (&'t K, &'t V)>,
    a: &mut Abstractor<'_>,
    plan: &Plan,
    at: usize,
) {
    let (key, value) = (&plan.parts[0], &plan.parts[1]);
    let among = match plan.extent {
        Some(rel) => Among { rel, start: at * a.binding.n_atoms, len: a.binding.n_atoms, behind: 1 },
        None => Among { rel: plan.rel, start: at * plan.span, len: plan.span, behind: plan.span / key.span },
    };
    for (k, v) in entries {
        let Some(k) = k.to_tuple(a, key, Place::Among(among)) else { continue };
        if let Some(rel) = plan.extent {
            a.insert_in(rel, at * a.binding.n_atoms + k);
        }
        match value.leaf {
            // `HashMap<K, ()>`
            Leaf::Nothing => a.insert(plan, at, k),
            _ => v.abstraction(a, value, at * key.span + k),
        }
    }
}

/// # Safety
/// As for [`Concretize::survey`], for every value. Keys hold no pointers that are written late.
unsafe fn survey_map<'t, K: OneTuple, V: Concretize>(
    entries: impl Iterator<Item = (&'t K, &'t mut V)>,
    c: &mut Concretizer<'_>,
    plan: &Plan,
    at: usize,
) {
    // Entries come in another order than they were made in: find each by its key.
    let (key, value) = (&plan.parts[0], &plan.parts[1]);
    for (k, v) in entries {
        if let Some(k) = c.tuple_of(k, key) {
            // SAFETY: the caller's promise.
            unsafe { V::survey(v, c, value, at * key.span + k) }
        }
    }
}

macro_rules! keyed {
    ($(
        map $map:ident $(<$hasher:ident: $hasher_bound:path>)?, set $set:ident, key: $($bound:path),*;
    )*) => {$(
        impl<K: OneTuple $(+ $bound)*, V: Mapped $(, $hasher: $hasher_bound + Default + 'static)?> Mapped
            for $map<K, V $(, $hasher)?>
        {
            fn shape(d: &mut Describer) -> Shape {
                let name = concat!("std::collections::", stringify!($map), "::from_iter");
                Shape::Map(name, Box::new(K::shape(d)), Box::new(V::shape(d)))
            }
        }

        impl<K: OneTuple $(+ $bound)*, V: Concretize $(, $hasher: $hasher_bound + Default + 'static)?> Concretize
            for $map<K, V $(, $hasher)?>
        {
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                make_map(c, plan, at, Self::len)
            }

            unsafe fn survey(this: *mut Self, c: &mut Concretizer<'_>, plan: &Plan, at: usize) {
                // SAFETY: the caller's promise.
                unsafe { survey_map((*this).iter_mut(), c, plan, at) }
            }
        }

        impl<K: OneTuple $(+ $bound)*, V: Abstraction $(, $hasher: $hasher_bound + Default + 'static)?> Abstraction
            for $map<K, V $(, $hasher)?>
        {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                read_map(self.iter(), a, plan, at);
            }
        }

        impl<T: OneTuple $(+ $bound)* $(, $hasher: $hasher_bound + Default + 'static)?> Mapped
            for $set<T $(, $hasher)?>
        {
            fn shape(d: &mut Describer) -> Shape {
                let name = concat!("std::collections::", stringify!($set), "::from_iter");
                Shape::Set(name, Box::new(T::shape(d)))
            }
        }

        impl<T: OneTuple $(+ $bound)* $(, $hasher: $hasher_bound + Default + 'static)?> Concretize
            for $set<T $(, $hasher)?>
        {
            fn concretize(c: &mut Concretizer<'_>, plan: &Plan, at: usize) -> Result<Self, Stop> {
                let mut wanted = 0;
                let elements = c.all(plan, at).inspect(|_| wanted += 1);
                let set = elements.map(|tuple| T::from_tuple(c, plan, tuple)).collect::<Result<Self, Stop>>()?;
                distinct(c, plan, wanted, set.len())?;
                Ok(set)
            }

            // Elements cannot change after they were sorted or hashed.
            unsafe fn survey(_: *mut Self, _: &mut Concretizer<'_>, _: &Plan, _: usize) {}
        }

        impl<T: OneTuple $(+ $bound)* $(, $hasher: $hasher_bound + Default + 'static)?> Abstraction
            for $set<T $(, $hasher)?>
        {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                let among = Among { rel: plan.rel, start: at * plan.span, len: plan.span, behind: 1 };
                for element in self {
                    if let Some(tuple) = element.to_tuple(a, plan, Place::Among(among)) {
                        a.insert(plan, at, tuple);
                    }
                }
            }
        }
    )*};
}

keyed! {
    map BTreeMap, set BTreeSet, key: Ord;
    map HashMap<S: BuildHasher>, set HashSet, key: Hash, Eq;
}
