//! Strings: sequences of characters in the search, text in real values.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::build::Builder;
use crate::candidate::Candidate;
use crate::field::Field;
use crate::sequence::SeqRef;
use crate::shape::{Declare, Shape};

/// The view of a `String`, a boxed or a shared `str`. Lengths and indices count characters.
#[derive(Clone, Copy)]
pub struct TextRef<'a>(Place<'a>);

#[derive(Clone, Copy)]
enum Place<'a> {
    Candidate(SeqRef<'a, char>),
    Real(&'a str),
}

impl<'a> TextRef<'a> {
    /// How many characters there are.
    pub fn len(self) -> usize {
        match self.0 {
            Place::Candidate(characters) => characters.len(),
            Place::Real(text) => text.chars().count(),
        }
    }

    pub fn is_empty(self) -> bool {
        match self.0 {
            Place::Candidate(characters) => characters.is_empty(),
            Place::Real(text) => text.is_empty(),
        }
    }

    /// The characters in order, each read when the iterator reaches it.
    pub fn chars(self) -> impl Iterator<Item = char> + Clone + 'a {
        let (candidate, real) = match self.0 {
            Place::Candidate(characters) => (Some(characters), ""),
            Place::Real(text) => (None, text),
        };
        candidate.into_iter().flat_map(SeqRef::iter).chain(real.chars())
    }
}

impl PartialEq for TextRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.chars().eq(other.chars())
    }
}
impl Eq for TextRef<'_> {}

impl PartialEq<str> for TextRef<'_> {
    fn eq(&self, other: &str) -> bool {
        self.chars().eq(other.chars())
    }
}

impl PartialEq<&str> for TextRef<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialOrd for TextRef<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TextRef<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.chars().cmp(other.chars())
    }
}

impl fmt::Display for TextRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|character| write!(f, "{character}"))
    }
}

impl fmt::Debug for TextRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

macro_rules! text {
    ($($text:ty)*) => {$(
        impl Field for $text {
            const WIDTH: usize = <Vec<char> as Field>::WIDTH;
            type View<'a> = TextRef<'a>;
            const BY_FIRST_SLOT: bool = true;

            fn shape(declare: &mut Declare) -> Shape {
                <Vec<char> as Field>::shape(declare)
            }
            fn read(candidate: &Candidate, slot: usize) -> TextRef<'_> {
                TextRef(Place::Candidate(<Vec<char> as Field>::read(candidate, slot)))
            }
            fn read_as(candidate: &Candidate, slot: usize, first: i64) -> TextRef<'_> {
                TextRef(Place::Candidate(<Vec<char> as Field>::read_as(candidate, slot, first)))
            }
            fn view(value: &Self) -> TextRef<'_> {
                TextRef(Place::Real(value))
            }
            fn build(builder: &mut Builder<'_>, slot: usize) -> Self {
                String::from_iter(<Vec<char> as Field>::build(builder, slot)).into()
            }
        }
    )*};
}
text!(String Box<str> Rc<str> Arc<str>);
