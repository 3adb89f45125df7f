//! The finite space of candidates: how many objects per class, which values per field.
//!
//! Every type has a default for a given scope, so that `Finitization::of(3)` is usually all there is to
//! say: at most 3 objects per class, integers and lengths 0..=3, booleans both, enums all variants.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

use crate::candidate::{Candidate, FieldId, UNSET};
use crate::choices::Int;
use crate::describe::Names;
use crate::field::Field;
use crate::search::Search;
use crate::shape::{Declare, Pool, Shape, Values};

/// Bounds per class and values per field for candidates of type `T`.
///
/// Fields are named `Struct.field`; the elements of a sequence `Struct.field[]`, its length
/// `Struct.field.len`, the root itself `root`. A name that does not exist is an error when the search
/// begins; it lists those that do.
#[derive(Clone, Debug)]
pub struct Finitization<T> {
    declare: Declare,
    root: Shape,
    sharing: bool,
    error: Option<FinitizationError>,
    of: PhantomData<fn() -> T>,
}

impl<T: Field> Finitization<T> {
    /// The defaults for a scope.
    pub fn of(scope: usize) -> Self {
        let mut declare = Declare::new(scope);
        let root = T::shape(&mut declare);
        Finitization { declare, root, sharing: false, error: None, of: PhantomData }
    }

    /// The values of a scalar field, in the order in which they are tried.
    pub fn values(mut self, field: &str, values: impl IntoValues) -> Self {
        let values = values.into_values();
        match self.declare.domains.iter_mut().find(|domain| domain.path == field) {
            Some(domain) => {
                let (lo, hi) = domain.type_range;
                let outside = |value: i64| !(lo..=hi).contains(&i128::from(value)) || value == UNSET;
                let wrong = match &values {
                    Values::Range { n: 0, .. } => None,
                    Values::Range { lo, n } => {
                        [*lo, lo.saturating_add(*n as i64 - 1)].into_iter().find(|v| outside(*v))
                    }
                    Values::List(values) => values.iter().copied().find(|v| outside(*v)),
                };
                match wrong {
                    Some(value) => {
                        self.fail(FinitizationError::OutOfRange { field: field.to_string(), value, lo, hi });
                    }
                    None => domain.values = values,
                }
            }
            None => self.fail(FinitizationError::UnknownField {
                field: field.to_string(),
                known: self.declare.domains.iter().map(|domain| domain.path.clone()).collect(),
            }),
        }
        self
    }

    /// The lengths of a sequence.
    pub fn lengths(self, field: &str, lengths: impl IntoValues) -> Self {
        self.values(&format!("{field}.len"), lengths)
    }

    /// How many objects a class (or a pool made by [`Finitization::pool`]) has at most.
    pub fn objects(self, class: &str, at_most: usize) -> Self {
        self.each_pool(class, |pool| pool.size = Some(at_most))
    }

    /// How many objects of a class a subject may make in one run inside the search (8 unless said
    /// otherwise); see [`allocate`](crate::allocate).
    pub fn allocations(self, class: &str, at_most: usize) -> Self {
        self.each_pool(class, |pool| pool.n_aside = at_most)
    }

    fn each_pool(mut self, class: &str, edit: impl Fn(&mut Pool)) -> Self {
        let mut found = false;
        for pool in self.declare.pools.iter_mut().filter(|pool| pool.name == class) {
            edit(pool);
            found = true;
        }
        if !found {
            self.fail(FinitizationError::UnknownClass {
                class: class.to_string(),
                known: self.declare.pools.iter().map(|pool| pool.name.clone()).collect(),
            });
        }
        self
    }

    /// Lets a field draw its objects from a pool of its own. Fields that name the same pool share it;
    /// fields that name none share the pool of their class.
    pub fn pool(mut self, field: &str, pool: &str, at_most: usize) -> Self {
        let Some(link) = self.declare.links.iter().position(|(path, _)| path == field) else {
            self.fail(FinitizationError::UnknownField {
                field: field.to_string(),
                known: self.declare.links.iter().map(|(path, _)| path.clone()).collect(),
            });
            return self;
        };
        let class = self.declare.pools[self.declare.links[link].1].class;
        let known = self.declare.pools.iter().position(|known| known.name == pool && known.class == class);
        let at = known.unwrap_or_else(|| {
            self.declare.pools.push(Pool::new(pool, class));
            self.declare.pools.len() - 1
        });
        self.declare.pools[at].size = Some(at_most);
        self.declare.links[link].1 = at;
        self
    }

    /// Lets boxes share their targets in candidates, as a predicate sees them that was written for another
    /// language. Candidates with shared boxes cannot be built; this is for measuring.
    pub fn sharing(mut self) -> Self {
        self.sharing = true;
        self
    }

    fn fail(&mut self, error: FinitizationError) {
        self.error.get_or_insert(error);
    }

    /// The search of this space; an error if one of the settings was wrong.
    pub fn search(&self) -> Result<Search<T>, FinitizationError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let domains: Vec<Values> = self.declare.domains.iter().map(|domain| domain.values.clone()).collect();
        let sizes = self.declare.pools.iter().map(|pool| pool.size.unwrap_or(self.declare.scope));
        let links = self.declare.links.iter().map(|(_, pool)| *pool).collect();
        let mut candidate = Candidate::new(self.root.clone(), T::WIDTH, domains, links, self.sharing);
        for (pool, size) in self.declare.pools.iter().zip(sizes) {
            candidate.add_pool(&self.declare.classes[pool.class], size);
        }
        let n_aside: Vec<usize> = self.declare.pools.iter().map(|pool| pool.n_aside).collect();
        candidate.set_aside(&n_aside);
        candidate.claim_root();
        if candidate.n_objects() >> 16 != 0 || candidate.n_slots() >> 24 != 0 {
            return Err(FinitizationError::TooLarge { slots: candidate.n_slots() });
        }
        Ok(Search::new(candidate, self.field_names(), Names::new(&self.declare)))
    }

    fn field_names(&self) -> Vec<(FieldId, String)> {
        let domains = self.declare.domains.iter().enumerate();
        let links = self.declare.links.iter().enumerate();
        domains
            .map(|(at, domain)| (FieldId::Domain(at), domain.path.clone()))
            .chain(links.map(|(at, (path, _))| (FieldId::Link(at), path.clone())))
            .collect()
    }
}

/// The space as the search sees it, one line per class and field.
impl<T> fmt::Display for Finitization<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for pool in &self.declare.pools {
            let size = pool.size.unwrap_or(self.declare.scope);
            writeln!(f, "{}: at most {size} objects", pool.name)?;
        }
        for domain in &self.declare.domains {
            match &domain.values {
                Values::Range { lo, n } => {
                    writeln!(
                        f,
                        "{}: {lo}..={}",
                        domain.path,
                        lo.saturating_add(*n as i64).saturating_sub(1)
                    )?;
                }
                Values::List(values) => writeln!(f, "{}: {values:?}", domain.path)?,
            }
        }
        for (path, pool) in &self.declare.links {
            writeln!(f, "{path}: objects of {}", self.declare.pools[*pool].name)?;
        }
        Ok(())
    }
}

/// A setting of a [`Finitization`] that cannot be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FinitizationError {
    UnknownField { field: String, known: Vec<String> },
    UnknownClass { class: String, known: Vec<String> },
    OutOfRange { field: String, value: i64, lo: i128, hi: i128 },
    TooLarge { slots: usize },
}

impl fmt::Display for FinitizationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FinitizationError::UnknownField { field, known } => {
                write!(f, "no field of the structure is called `{field}`; there are: {}", known.join(", "))
            }
            FinitizationError::UnknownClass { class, known } => {
                write!(
                    f,
                    "no class or pool of the structure is called `{class}`; there are: {}",
                    known.join(", ")
                )
            }
            FinitizationError::OutOfRange { field, value, lo, hi } => {
                write!(f, "the field `{field}` cannot hold {value}: its type goes from {lo} to {hi}")
            }
            FinitizationError::TooLarge { slots } => {
                write!(f, "the candidate would have {slots} fields; lower the bounds of classes or lengths")
            }
        }
    }
}

impl std::error::Error for FinitizationError {}

/// What can be the values of a field: a range, an array, a vector.
pub trait IntoValues {
    fn into_values(self) -> Values;
}

/// A scalar that a slot can hold.
pub trait Datum: Copy {
    fn to_slot(self) -> i64;
}

macro_rules! datum {
    ($($t:ty)*) => {$(
        impl Datum for $t {
            fn to_slot(self) -> i64 { self as i64 }
        }
    )*};
}
datum!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool);

impl Datum for char {
    fn to_slot(self) -> i64 {
        i64::from(u32::from(self))
    }
}

impl<T: Int> IntoValues for RangeInclusive<T> {
    fn into_values(self) -> Values {
        let (lo, hi) = (self.start().to_i128(), self.end().to_i128());
        Values::Range { lo: lo as i64, n: usize::try_from(hi - lo + 1).unwrap_or(0) }
    }
}

impl<T: Int> IntoValues for Range<T> {
    fn into_values(self) -> Values {
        let (lo, hi) = (self.start.to_i128(), self.end.to_i128());
        Values::Range { lo: lo as i64, n: usize::try_from(hi - lo).unwrap_or(0) }
    }
}

impl IntoValues for RangeInclusive<char> {
    fn into_values(self) -> Values {
        let (lo, hi) = (self.start().to_slot(), self.end().to_slot());
        Values::Range { lo, n: usize::try_from(hi - lo + 1).unwrap_or(0) }
    }
}

impl<T: Datum, const N: usize> IntoValues for [T; N] {
    fn into_values(self) -> Values {
        Values::List(self.into_iter().map(Datum::to_slot).collect())
    }
}

impl<T: Datum> IntoValues for Vec<T> {
    fn into_values(self) -> Values {
        Values::List(self.into_iter().map(Datum::to_slot).collect())
    }
}
