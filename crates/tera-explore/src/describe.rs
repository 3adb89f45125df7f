//! A structure as text, whatever its types: the root value, then one line for each object it reaches.

use std::fmt::Write;

use crate::candidate::{Candidate, SHIFT};
use crate::shape::{Declare, Part, Shape};

/// What classes and values are called.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The class of each pool.
    pools: Vec<String>,
    /// The names of the values of each domain, and whether they are characters.
    domains: Vec<(&'static [&'static str], bool)>,
}

impl Names {
    pub(crate) fn new(declare: &Declare) -> Self {
        let char_range = (0, 0x10_ffff);
        Names {
            pools: declare.pools.iter().map(|pool| pool.name.clone()).collect(),
            domains: declare.domains.iter().map(|it| (it.names, it.type_range == char_range)).collect(),
        }
    }

    fn value(&self, domain: usize, value: i64) -> String {
        let (names, is_char) = self.domains[domain];
        let name = usize::try_from(value).ok().and_then(|at| names.get(at));
        match (name, u32::try_from(value).ok().and_then(char::from_u32)) {
            (Some(name), _) => (*name).to_string(),
            (None, Some(character)) if is_char => format!("{character:?}"),
            _ => value.to_string(),
        }
    }
}

struct Writer<'c> {
    candidate: &'c Candidate,
    names: &'c Names,
    /// The objects met so far, in this order, with their pools.
    objects: Vec<(usize, i64)>,
}

pub(crate) fn describe(candidate: &Candidate, names: &Names) -> String {
    let mut writer = Writer { candidate, names, objects: Vec::new() };
    let mut text = writer.value(&candidate.root_shape, candidate.root());
    let mut at = 0;
    while at < writer.objects.len() {
        let (pool, word) = writer.objects[at];
        let base = word as usize & ((1 << SHIFT) - 1);
        let shape = &candidate.pools[pool].shape;
        let name = writer.object(pool, word);
        let _ = write!(text, "\n{name} {}", writer.value(shape, base));
        at += 1;
    }
    text
}

impl Writer<'_> {
    /// Objects are numbered per class, in the order in which they are met.
    fn object(&mut self, pool: usize, word: i64) -> String {
        let at = self.objects.iter().position(|known| known.1 == word).unwrap_or_else(|| {
            self.objects.push((pool, word));
            self.objects.len() - 1
        });
        let number = self.objects[..at].iter().filter(|known| known.0 == pool).count();
        format!("{}{number}", self.names.pools[pool])
    }

    fn value(&mut self, shape: &Shape, slot: usize) -> String {
        let first = |candidate: &Candidate| candidate.peek(slot).unwrap_or(0);
        match shape {
            Shape::Data { domain } => self.names.value(*domain, first(self.candidate)),
            Shape::Link { field, .. } => match first(self.candidate) {
                0 => "null".to_string(),
                word => self.object(self.candidate.links[*field], word),
            },
            Shape::Sequence { element, element_width, .. } => {
                let start = self.candidate.elements(slot).start();
                let elements: Vec<_> = (0..first(self.candidate).max(0) as usize)
                    .map(|at| self.value(element, start + at * element_width))
                    .collect();
                format!("[{}]", elements.join(", "))
            }
            Shape::Product(parts) if parts.iter().all(|part| part.name.is_empty()) => {
                let elements: Vec<_> =
                    parts.iter().map(|part| self.value(&part.shape, slot + part.offset)).collect();
                format!("[{}]", elements.join(", "))
            }
            Shape::Product(parts) => self.parts(parts, slot),
            Shape::Sum { domain, variants } => {
                let variant = first(self.candidate);
                let name = self.names.value(*domain, variant);
                match &variants[variant as usize][..] {
                    [] => name,
                    [only] if only.name.is_empty() => self.value(&only.shape, slot + only.offset),
                    parts => format!("{name} {}", self.parts(parts, slot)),
                }
            }
        }
    }

    fn parts(&mut self, parts: &[Part], slot: usize) -> String {
        if !parts.is_empty() && parts.iter().all(|part| part.name.starts_with(|c: char| c.is_ascii_digit())) {
            let values: Vec<_> =
                parts.iter().map(|part| self.value(&part.shape, slot + part.offset)).collect();
            return format!("({})", values.join(", "));
        }
        let parts: Vec<_> = parts
            .iter()
            .map(|part| format!("{}: {}", part.name, self.value(&part.shape, slot + part.offset)))
            .collect();
        if parts.is_empty() { "{}".to_string() } else { format!("{{ {} }}", parts.join(", ")) }
    }
}
