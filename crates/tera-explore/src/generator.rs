//! Generators: programs with choices as values that compose.
//!
//! Everything follows from one method. A function or closure `Fn(&mut Choices) -> Option<T>` is a
//! generator; so is a pair of generators, and what the adapters below make.

use std::ops::{RangeBounds, RangeInclusive};

use crate::choices::{Choices, Int};

/// Something that makes a value by choices; `None` drops the run.
///
/// ```
/// use tera_explore::{Generator, int};
///
/// #[derive(Debug, PartialEq)]
/// enum Tree { Leaf, Node(Box<Tree>, Box<Tree>) }
///
/// // Binary trees with exactly n inner nodes: a recursive generator is a recursive function.
/// fn tree(n: usize) -> impl Generator<Value = Tree> {
///     move |c: &mut tera_explore::Choices| {
///         if n == 0 {
///             return Some(Tree::Leaf);
///         }
///         let left = c.int(0..n);
///         let (left, right) = (tree(left), tree(n - 1 - left)).generate(c)?;
///         Some(Tree::Node(Box::new(left), Box::new(right)))
///     }
/// }
/// assert_eq!(tree(5).runs().count(), 42);
///
/// let lists = int(0..=2).list(0..=3).filter(|list| list.is_sorted());
/// assert_eq!(lists.runs().count(), 1 + 3 + 6 + 10);
/// ```
pub trait Generator {
    type Value;

    fn generate(&self, c: &mut Choices) -> Option<Self::Value>;

    /// Applies a function to the values.
    fn map<T, F: Fn(Self::Value) -> T>(self, f: F) -> Map<Self, F>
    where
        Self: Sized,
    {
        Map { inner: self, f }
    }

    /// Keeps the values for which the predicate holds.
    fn filter<F: Fn(&Self::Value) -> bool>(self, keep: F) -> Filter<Self, F>
    where
        Self: Sized,
    {
        Filter { inner: self, keep }
    }

    /// Uses a value to say what to generate next.
    fn then<G: Generator, F: Fn(Self::Value) -> G>(self, next: F) -> Then<Self, F>
    where
        Self: Sized,
    {
        Then { inner: self, next }
    }

    /// Lists whose length is in the range, shorter ones first.
    fn list(self, lengths: RangeInclusive<usize>) -> List<Self>
    where
        Self: Sized,
    {
        List { element: self, lengths }
    }

    /// `None`, then all `Some`.
    fn optional(self) -> Optional<Self>
    where
        Self: Sized,
    {
        Optional { inner: self }
    }

    /// A generator behind a pointer, so that generators of different types can stand in one list.
    fn boxed<'a>(self) -> Box<dyn Generator<Value = Self::Value> + 'a>
    where
        Self: Sized + 'a,
    {
        Box::new(self)
    }

    /// All values, depth-first.
    fn runs(self) -> impl Iterator<Item = Self::Value>
    where
        Self: Sized,
    {
        crate::Explore::new(move |c: &mut Choices| self.generate(c)).runs()
    }
}

impl<T, F: Fn(&mut Choices) -> Option<T>> Generator for F {
    type Value = T;
    #[inline]
    fn generate(&self, c: &mut Choices) -> Option<T> {
        self(c)
    }
}

impl<T> Generator for Box<dyn Generator<Value = T> + '_> {
    type Value = T;
    fn generate(&self, c: &mut Choices) -> Option<T> {
        (**self).generate(c)
    }
}

macro_rules! tuple {
    ($($g:ident $at:tt),*) => {
        impl<$($g: Generator),*> Generator for ($($g,)*) {
            type Value = ($($g::Value,)*);
            #[inline]
            fn generate(&self, c: &mut Choices) -> Option<Self::Value> {
                Some(($(self.$at.generate(c)?,)*))
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

/// An integer of a range. (Ranges themselves are iterators, whose `map` and `filter` would clash.)
pub fn int<T: Int>(range: impl RangeBounds<T>) -> impl Generator<Value = T> {
    let bounds = (range.start_bound().cloned(), range.end_bound().cloned());
    move |c: &mut Choices| c.try_int(bounds)
}

/// One of the elements.
pub fn element_of<T: Clone>(elements: impl Into<Vec<T>>) -> impl Generator<Value = T> {
    let elements = elements.into();
    move |c: &mut Choices| {
        let n = elements.len() as u64;
        (n > 0).then(|| elements[c.choose(n) as usize].clone())
    }
}

/// A value of one of the generators, those of the first one first.
pub fn one_of<G: Generator>(generators: impl Into<Vec<G>>) -> impl Generator<Value = G::Value> {
    let generators = generators.into();
    move |c: &mut Choices| {
        let n = generators.len() as u64;
        if n == 0 {
            return None;
        }
        generators[c.choose(n) as usize].generate(c)
    }
}

/// Always this value.
pub fn just<T: Clone>(value: T) -> impl Generator<Value = T> {
    move |_: &mut Choices| Some(value.clone())
}

/// Values of recursive shape with a budget: `grow` makes the values of one size, usually by calling itself
/// for smaller ones; every size up to `max` is asked for, smaller ones first.
pub fn sized<T>(max: usize, grow: impl Fn(&mut Choices, usize) -> Option<T>) -> impl Generator<Value = T> {
    move |c: &mut Choices| {
        let size = c.int(0..=max);
        grow(c, size)
    }
}

/// See [`Generator::map`].
pub struct Map<G, F> {
    inner: G,
    f: F,
}

impl<G: Generator, T, F: Fn(G::Value) -> T> Generator for Map<G, F> {
    type Value = T;
    fn generate(&self, c: &mut Choices) -> Option<T> {
        self.inner.generate(c).map(&self.f)
    }
}

/// See [`Generator::filter`].
pub struct Filter<G, F> {
    inner: G,
    keep: F,
}

impl<G: Generator, F: Fn(&G::Value) -> bool> Generator for Filter<G, F> {
    type Value = G::Value;
    fn generate(&self, c: &mut Choices) -> Option<G::Value> {
        self.inner.generate(c).filter(&self.keep)
    }
}

/// See [`Generator::then`].
pub struct Then<G, F> {
    inner: G,
    next: F,
}

impl<G: Generator, H: Generator, F: Fn(G::Value) -> H> Generator for Then<G, F> {
    type Value = H::Value;
    fn generate(&self, c: &mut Choices) -> Option<H::Value> {
        let value = self.inner.generate(c)?;
        (self.next)(value).generate(c)
    }
}

/// See [`Generator::list`].
pub struct List<G> {
    element: G,
    lengths: RangeInclusive<usize>,
}

impl<G: Generator> Generator for List<G> {
    type Value = Vec<G::Value>;
    fn generate(&self, c: &mut Choices) -> Option<Vec<G::Value>> {
        let length = c.try_int(self.lengths.clone())?;
        (0..length).map(|_| self.element.generate(c)).collect()
    }
}

/// See [`Generator::optional`].
pub struct Optional<G> {
    inner: G,
}

impl<G: Generator> Generator for Optional<G> {
    type Value = Option<G::Value>;
    fn generate(&self, c: &mut Choices) -> Option<Option<G::Value>> {
        if c.bool() { self.inner.generate(c).map(Some) } else { Some(None) }
    }
}
