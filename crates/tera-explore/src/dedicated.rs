//! Dedicated generators: checks that the search can also satisfy (Marinov et al. 2003, section 5).
//!
//! On a real value each of these is a plain check. In the search, a field that has not been read yet takes
//! only values for which the check can hold, so that candidates are built right instead of being refused.
//! The basic ones are tests for [`FieldRef::require`]; the structural ones walk along fields and return
//! the objects that they passed.
//!
//! What a predicate requires, it must need: return `false` when a check does not hold.

use crate::field::Field;
use crate::field_ref::FieldRef;
use crate::handle::Object;
use crate::sequence::SeqRef;
use crate::visited::Visited;

/// The value is this one.
pub fn equal<T: PartialEq>(to: T) -> impl Fn(T) -> bool {
    move |value| value == to
}

/// The value is below the bound.
pub fn less_than<T: PartialOrd>(bound: T) -> impl Fn(T) -> bool {
    move |value| value < bound
}

/// The value is at most the bound.
pub fn at_most<T: PartialOrd>(bound: T) -> impl Fn(T) -> bool {
    move |value| value <= bound
}

/// The value is above the bound.
pub fn greater_than<T: PartialOrd>(bound: T) -> impl Fn(T) -> bool {
    move |value| value > bound
}

/// The value is at least the bound.
pub fn at_least<T: PartialOrd>(bound: T) -> impl Fn(T) -> bool {
    move |value| value >= bound
}

/// The value is one of these.
pub fn is_in<T: PartialEq>(values: &[T]) -> impl Fn(T) -> bool + '_ {
    move |value| values.contains(&value)
}

/// The test does not hold.
pub fn not<T>(test: impl Fn(T) -> bool) -> impl Fn(T) -> bool {
    move |value| !test(value)
}

/// Both tests hold.
pub fn both<T: Copy>(first: impl Fn(T) -> bool, second: impl Fn(T) -> bool) -> impl Fn(T) -> bool {
    move |value| first(value) && second(value)
}

/// One of the tests holds.
pub fn either<T: Copy>(first: impl Fn(T) -> bool, second: impl Fn(T) -> bool) -> impl Fn(T) -> bool {
    move |value| first(value) || second(value)
}

/// The objects reachable along the fields from the one in `root` are a tree: none is reached twice.
///
/// ```ignore
/// let Some(nodes) = tree(t.root_field(), |node| [node.left_field(), node.right_field()]) else {
///     return false;
/// };
/// ```
pub fn tree<'a, F, R, const N: usize>(
    root: FieldRef<'a, F>,
    children: impl Fn(R) -> [FieldRef<'a, F>; N],
) -> Option<Visited>
where
    F: Field<View<'a> = Option<R>>,
    R: Object,
{
    Walk { seen: Visited::new(), path: Visited::new(), sharing: false }.from(root, &children)
}

/// The objects along `next` from the one in `head` end with null.
pub fn list<'a, F, R>(head: FieldRef<'a, F>, next: impl Fn(R) -> FieldRef<'a, F>) -> Option<Visited>
where
    F: Field<View<'a> = Option<R>>,
    R: Object,
{
    let mut seen = Visited::new();
    let mut field = head;
    while let Some(node) = field.find(|node| node.is_none_or(|node| !seen.contains(node)))? {
        seen.insert(node);
        field = next(node);
    }
    Some(seen)
}

/// The objects along `next` from `header` lead back to `header`.
pub fn ring<'a, F, R>(header: R, next: impl Fn(R) -> FieldRef<'a, F>) -> Option<Visited>
where
    F: Field<View<'a> = Option<R>>,
    R: Object,
{
    let mut seen = Visited::new();
    let mut node = header;
    loop {
        let found = next(node).find(|next| next.is_some_and(|next| !seen.contains(next)))??;
        seen.insert(found);
        if found == header {
            return Some(seen);
        }
        node = found;
    }
}

/// No object reachable along the fields from the one in `root` reaches itself.
pub fn acyclic<'a, F, R, const N: usize>(
    root: FieldRef<'a, F>,
    children: impl Fn(R) -> [FieldRef<'a, F>; N],
) -> Option<Visited>
where
    F: Field<View<'a> = Option<R>>,
    R: Object,
{
    Walk { seen: Visited::new(), path: Visited::new(), sharing: true }.from(root, &children)
}

/// A walk along fields, depth first.
struct Walk {
    seen: Visited,
    /// The objects on the way to the present one.
    path: Visited,
    /// Objects may be reached twice, if not by way of themselves.
    sharing: bool,
}

impl Walk {
    fn from<'a, F, R, const N: usize>(
        mut self,
        root: FieldRef<'a, F>,
        children: &impl Fn(R) -> [FieldRef<'a, F>; N],
    ) -> Option<Visited>
    where
        F: Field<View<'a> = Option<R>>,
        R: Object,
    {
        self.visit(root, children).then_some(self.seen)
    }

    fn visit<'a, F, R, const N: usize>(
        &mut self,
        field: FieldRef<'a, F>,
        children: &impl Fn(R) -> [FieldRef<'a, F>; N],
    ) -> bool
    where
        F: Field<View<'a> = Option<R>>,
        R: Object,
    {
        let barred = if self.sharing { &self.path } else { &self.seen };
        let node = match field.find(|node| node.is_none_or(|node| !barred.contains(node))) {
            None => return false,
            Some(None) => return true,
            Some(Some(node)) => node,
        };
        if !self.seen.insert(node) {
            return true;
        }
        self.path.insert(node);
        let all = children(node).into_iter().all(|child| self.visit(child, children));
        self.path.remove(node);
        all
    }
}

/// Fields visited one after the other hold nondecreasing values. A field is read when the next one comes,
/// so that the last one stays open.
#[derive(Debug)]
pub struct Sorted<'a, F: Field> {
    least: Option<F::View<'a>>,
    last: Option<FieldRef<'a, F>>,
}

impl<'a, F: Field> Sorted<'a, F>
where
    F::View<'a>: PartialOrd,
{
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Sorted { least: None, last: None }
    }

    /// None of them below this.
    pub fn from(least: F::View<'a>) -> Self {
        Sorted { least: Some(least), last: None }
    }

    /// The next field.
    #[inline]
    pub fn next(&mut self, field: FieldRef<'a, F>) -> bool {
        let least = self.last.replace(field).map(FieldRef::get).or(self.least);
        field.require(|value| least.is_none_or(|least| least <= value))
    }
}

/// So many fields visited one after the other hold increasing values. In the search, every value leaves
/// room for those to come, as far as the domain of the field goes. The last one stays open.
///
/// ```ignore
/// let mut keys = Increasing::of(nodes.len());
/// in_order(root, &mut |node| keys.next(node.key_field()))
/// ```
#[derive(Debug)]
pub struct Increasing<'a, F> {
    last: Option<FieldRef<'a, F>>,
    left: usize,
}

impl<'a, F: Field> Increasing<'a, F>
where
    F::View<'a>: PartialOrd,
{
    pub fn of(n: usize) -> Self {
        Increasing { last: None, left: n }
    }

    /// The next field.
    #[inline]
    pub fn next(&mut self, field: FieldRef<'a, F>) -> bool {
        let last = self.last.replace(field).map(FieldRef::get);
        self.left = self.left.saturating_sub(1);
        field.require_before(self.left, |value| last.is_none_or(|last| last < value))
    }
}

/// The elements are nondecreasing.
pub fn sorted<T: Field>(sequence: SeqRef<'_, T>) -> bool
where
    for<'a> T::View<'a>: PartialOrd,
{
    let mut sorted = Sorted::new();
    sequence.fields().all(|field| sorted.next(field))
}

/// No two elements are equal.
pub fn distinct<T: Field>(sequence: SeqRef<'_, T>) -> bool
where
    for<'a> T::View<'a>: PartialEq,
{
    (0..sequence.len())
        .all(|at| sequence.field(at).require(|value| (0..at).all(|before| sequence.at(before) != value)))
}

/// The elements are `lo`, `lo + 1`, ... in any order.
pub fn permutation<T: Field>(sequence: SeqRef<'_, T>, lo: i64) -> bool
where
    for<'a> T::View<'a>: PartialEq + TryInto<i64>,
{
    let n = sequence.len() as i64;
    (0..sequence.len()).all(|at| {
        sequence.field(at).require(|value| {
            value.try_into().is_ok_and(|number: i64| (lo..lo.saturating_add(n)).contains(&number))
                && (0..at).all(|before| sequence.at(before) != value)
        })
    })
}

/// The first `n` elements are a heap: none is above its parent at `(i - 1) / 2`.
pub fn heap_ordered<T: Field>(sequence: SeqRef<'_, T>, n: usize) -> bool
where
    for<'a> T::View<'a>: PartialOrd,
{
    n <= sequence.len()
        && (1..n).all(|at| {
            let parent = sequence.at((at - 1) / 2);
            sequence.field(at).require(|value| value <= parent)
        })
}
