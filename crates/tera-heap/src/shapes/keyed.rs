//! Maps and sets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use crate::describe::{Describer, Mapped, Shape};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Abstractor, Concretize, Concretizer, OneTuple, Place, Stop};

/// The entries of a map, in any collection of pairs.
pub(super) fn make_map<K: OneTuple, V: Concretize, C: FromIterator<(K, V)>>(
    c: &mut Concretizer<'_>,
    plan: &Plan,
    at: usize,
) -> Result<C, Stop> {
    let (key, value) = (&plan.parts[0], &plan.parts[1]);
    let keys: Vec<usize> = match plan.extent {
        Some(rel) => c.extents(rel, at).collect(),
        None => c.columns(plan, at, plan.span / key.span).collect(),
    };
    keys.into_iter()
        .map(|k| Ok((K::from_tuple(c, key, k)?, V::concretize(c, value, at * key.span + k)?)))
        .collect()
}

pub(super) fn read_map<'t, K: OneTuple, V: Abstraction>(
    entries: impl Iterator<Item = (&'t K, &'t V)>,
    a: &mut Abstractor<'_>,
    plan: &Plan,
    at: usize,
) {
    let (key, value) = (&plan.parts[0], &plan.parts[1]);
    for (k, v) in entries {
        let Some(k) = k.to_tuple(a, key, Place::Heap) else { continue };
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
                make_map(c, plan, at)
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
                c.all(plan, at).map(|tuple| T::from_tuple(c, plan, tuple)).collect()
            }

            // Elements cannot change after they were sorted or hashed.
            unsafe fn survey(_: *mut Self, _: &mut Concretizer<'_>, _: &Plan, _: usize) {}
        }

        impl<T: OneTuple $(+ $bound)* $(, $hasher: $hasher_bound + Default + 'static)?> Abstraction
            for $set<T $(, $hasher)?>
        {
            fn abstraction(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
                for element in self {
                    if let Some(tuple) = element.to_tuple(a, plan, Place::Heap) {
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
