//! The shape of a type as the search sees it: slots, what each may hold, and which follow from which.
//!
//! A value of a type occupies a fixed number of *slots* in the candidate vector; the elements of a sequence
//! lie in an area of their own, so that all offsets inside an object are constants of its type. Slots hold
//! a datum, a link to an object, the length of a sequence or the variant of an enum.

use std::any::TypeId;
use std::collections::HashMap;

use crate::field::Field;

/// What the slots of one value hold.
#[derive(Clone, Debug)]
pub enum Shape {
    /// One slot with a value of a field domain.
    Data { domain: usize },
    /// One slot with an object of a pool, or null.
    Link { field: usize, nullable: bool, owned: bool },
    /// Two slots, the length and (constant) where the elements begin. Elements whose type contains itself
    /// are objects of a pool, and what is there is a link to each.
    Sequence { domain: usize, element: Box<Shape>, element_width: usize, linked: bool },
    /// The parts one after the other.
    Product(Vec<Part>),
    /// One slot with the variant, then the parts of all variants; only those of the present one exist.
    Sum { domain: usize, variants: Vec<Vec<Part>> },
}

/// One part of a product.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where it begins in its owner.
    pub offset: usize,
    /// The name of the field; empty for an element of an array.
    pub name: &'static str,
    pub shape: Shape,
}

/// The values of a field, in the order in which they are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// `lo, lo + 1, ...`, that many.
    Range {
        lo: i64,
        n: usize,
    },
    List(Vec<i64>),
}

impl Values {
    pub(crate) fn len(&self) -> usize {
        match self {
            Values::Range { n, .. } => *n,
            Values::List(values) => values.len(),
        }
    }

    #[inline]
    pub(crate) fn at(&self, ordinal: usize) -> i64 {
        match self {
            Values::Range { lo, .. } => lo.wrapping_add(ordinal as i64),
            Values::List(values) => values[ordinal],
        }
    }

    pub(crate) fn largest(&self) -> i64 {
        match self {
            Values::Range { n: 0, .. } => 0,
            Values::Range { lo, n } => lo + (*n as i64 - 1),
            Values::List(values) => values.iter().copied().max().unwrap_or(0),
        }
    }
}

/// The set of values that a field may take, and where it may be edited.
#[derive(Clone, Debug)]
pub struct Domain {
    /// `Node.info`; `Heap.array[]` for elements, `Heap.array.len` for lengths.
    pub path: String,
    pub values: Values,
    /// The values that the type can represent.
    pub type_range: (i128, i128),
    /// What the values are called, where numbers are not what they are.
    pub names: &'static [&'static str],
}

/// A set of objects of one class from which links draw.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) class: usize,
    /// How many objects; none given means the scope.
    pub(crate) size: Option<usize>,
    /// How many objects a subject may make in one run.
    pub(crate) n_aside: usize,
}

/// How many objects of a class a subject may make in one run, unless said otherwise.
const N_ASIDE: usize = 8;

impl Pool {
    pub(crate) fn new(name: &str, class: usize) -> Self {
        Pool { name: name.to_string(), class, size: None, n_aside: N_ASIDE }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) shape: Shape,
    pub(crate) width: usize,
    pub(crate) type_id: TypeId,
}

/// Where the default values of a field come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Default {
    /// `0..=scope`, within the type.
    Scope,
    /// Exactly these, whatever the scope.
    Fixed { lo: i64, n: usize },
}

/// Collects shapes, domains and classes while a type describes itself.
#[derive(Clone, Debug)]
pub struct Declare {
    pub(crate) scope: usize,
    pub(crate) domains: Vec<Domain>,
    pub(crate) classes: Vec<Class>,
    pub(crate) pools: Vec<Pool>,
    /// For each link field its path and the pool it draws from.
    pub(crate) links: Vec<(String, usize)>,
    by_type: HashMap<TypeId, usize>,
    path: String,
    /// Only asked whether the first of these types contains itself: the types that lie in each other.
    probe: Vec<TypeId>,
    contains_itself: bool,
}

impl Declare {
    pub(crate) fn new(scope: usize) -> Self {
        Declare {
            scope,
            domains: Vec::new(),
            classes: Vec::new(),
            pools: Vec::new(),
            links: Vec::new(),
            by_type: HashMap::new(),
            path: "root".to_string(),
            probe: Vec::new(),
            contains_itself: false,
        }
    }

    /// Describes what lies at `Owner.field`, in the place of the present path.
    pub fn at<R>(&mut self, path: &str, describe: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.path, path.to_string());
        let result = describe(self);
        self.path = outer;
        result
    }

    /// Describes a part of the present field: `[]`, `.len`.
    pub fn within<R>(&mut self, suffix: &str, describe: impl FnOnce(&mut Self) -> R) -> R {
        let path = format!("{}{suffix}", self.path);
        self.at(&path, describe)
    }

    /// The domain of the present path.
    pub fn domain(&mut self, default: Default, type_range: (i128, i128)) -> usize {
        if let Some(known) = self.domains.iter().position(|domain| domain.path == self.path) {
            return known;
        }
        let values = match default {
            Default::Scope => {
                let hi = (self.scope as i128).min(type_range.1);
                Values::Range { lo: 0, n: (hi + 1) as usize }
            }
            Default::Fixed { lo, n } => Values::Range { lo, n },
        };
        self.domains.push(Domain { path: self.path.clone(), values, type_range, names: &[] });
        self.domains.len() - 1
    }

    /// Names the values 0, 1, ... of a domain, for messages.
    pub fn name(&mut self, domain: usize, names: &'static [&'static str]) -> usize {
        self.domains[domain].names = names;
        domain
    }

    /// The elements of a sequence; and whether they are linked.
    pub(crate) fn elements<T: Field>(&mut self) -> (Shape, bool) {
        let id = TypeId::of::<T>();
        if self.probe.contains(&id) {
            self.contains_itself |= self.probe[0] == id;
            return (Shape::Product(Vec::new()), false);
        }
        if !self.probe.is_empty() {
            self.probe.push(id);
            let shape = T::shape(self);
            self.probe.pop();
            return (shape, false);
        }
        let mut probe = Declare::new(self.scope);
        probe.probe.push(id);
        T::shape(&mut probe);
        if probe.contains_itself { (self.link::<T>(false, true), true) } else { (T::shape(self), false) }
    }

    /// A link to objects of a class, which is described on first sight.
    pub fn link<T: Field>(&mut self, nullable: bool, owned: bool) -> Shape {
        if !self.probe.is_empty() {
            // Nothing lies in itself by way of a pointer.
            return Shape::Link { field: 0, nullable, owned };
        }
        let class = match self.by_type.get(&TypeId::of::<T>()) {
            Some(&class) => class,
            None => {
                let class = self.classes.len();
                self.by_type.insert(TypeId::of::<T>(), class);
                self.classes.push(Class {
                    shape: Shape::Product(Vec::new()),
                    width: T::WIDTH,
                    type_id: TypeId::of::<T>(),
                });
                self.pools.push(Pool::new(T::CLASS.unwrap_or(&self.path), class));
                self.classes[class].shape = T::shape(self);
                class
            }
        };
        let field = match self.links.iter().position(|(path, _)| *path == self.path) {
            Some(known) => known,
            None => {
                let pool =
                    self.pools.iter().position(|pool| pool.class == class).expect("made with the class");
                self.links.push((self.path.clone(), pool));
                self.links.len() - 1
            }
        };
        Shape::Link { field, nullable, owned }
    }
}

impl Shape {
    /// How many slots of a fresh value are there to be chosen before anything has been.
    pub(crate) fn n_open(&self) -> usize {
        match self {
            Shape::Data { .. } | Shape::Link { .. } | Shape::Sequence { .. } | Shape::Sum { .. } => 1,
            Shape::Product(parts) => parts.iter().map(|part| part.shape.n_open()).sum(),
        }
    }
}
