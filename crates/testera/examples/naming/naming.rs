//! The intentional naming system (Adjie-Winoto et al. 1999) as Khurshid and Marinov checked it: names, queries,
//! the database that superimposes names, and Lookup-Name as published and as corrected.

use std::ptr::NonNull;

use testera::Heap;

/// A value, or in a query a wildcard.
#[derive(Heap, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    V0,
    V1,
    Any,
}

#[derive(Heap, Clone, Debug)]
pub struct Services {
    pub names: Vec<Name>,
}

/// What a service is called: for each attribute nothing, or a value and what is below it.
#[derive(Heap, Clone, Debug)]
pub struct Name {
    pub a0: Option<Box<Part>>,
    pub a1: Option<Box<Part>>,
}

#[derive(Heap, Clone, Debug)]
pub struct Part {
    pub value: Value,
    pub a0: Option<Box<Part>>,
    pub a1: Option<Box<Part>>,
}

/// What is asked for; nothing is below a wildcard.
#[derive(Heap, Clone, Debug)]
pub struct Query {
    pub a0: Option<Box<Wanted>>,
    pub a1: Option<Box<Wanted>>,
}

#[derive(Heap, Clone, Debug)]
pub struct Wanted {
    pub value: Value,
    pub a0: Option<Box<Wanted>>,
    pub a1: Option<Box<Wanted>>,
}

/// One level, by attribute.
type Level<'a, T> = [Option<&'a T>; 2];

impl Name {
    pub fn level(&self) -> Level<'_, Part> {
        [self.a0.as_deref(), self.a1.as_deref()]
    }
}

impl Part {
    pub fn level(&self) -> Level<'_, Part> {
        [self.a0.as_deref(), self.a1.as_deref()]
    }
}

impl Query {
    pub fn level(&self) -> Level<'_, Wanted> {
        [self.a0.as_deref(), self.a1.as_deref()]
    }

    pub fn without_wildcards(&self) -> Query {
        let [a0, a1] = self.level().map(Wanted::without_wildcards);
        Query { a0, a1 }
    }
}

impl Wanted {
    pub fn level(&self) -> Level<'_, Wanted> {
        [self.a0.as_deref(), self.a1.as_deref()]
    }

    fn without_wildcards(wanted: Option<&Wanted>) -> Option<Box<Wanted>> {
        let wanted = wanted.filter(|wanted| wanted.value != Value::Any)?;
        let [a0, a1] = wanted.level().map(Wanted::without_wildcards);
        Some(Box::new(Wanted { value: wanted.value, a0, a1 }))
    }
}

/// Services are known by their names.
pub type Found = Vec<NonNull<Name>>;

/// Lookup-Name: a database and a query.
pub type Lookup = fn(&Database, &Query) -> Recorded;

/// Which of the services of these names the database of them all answers.
pub fn find<'a>(names: impl IntoIterator<Item = &'a Name> + Clone, query: &Query, lookup: Lookup) -> Found {
    let found = lookup(&Database::new(names.clone()), query);
    let is_found = |(i, _): &(usize, &Name)| found >> i & 1 == 1;
    names.into_iter().enumerate().filter(is_found).map(|(_, name)| NonNull::from(name)).collect()
}

/// A set of services, one bit each: service `i` is bit `i`.
pub type Recorded = u32;

/// A node of the database: for each attribute the nodes of its values, and the services recorded here.
#[derive(Default)]
pub struct Database {
    below: [[Option<Box<Database>>; 2]; 2],
    services: Recorded,
    /// The services at this node or below it.
    all: Recorded,
}

impl Database {
    /// The names of the services, superimposed.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a Name>) -> Database {
        let mut database = Database::default();
        for (i, name) in names.into_iter().enumerate() {
            database.add(name.level(), 1 << i);
        }
        database
    }

    /// Records the service at every leaf value of its name.
    fn add(&mut self, level: Level<'_, Part>, service: Recorded) {
        self.all |= service;
        if is_leaf(level) {
            self.services |= service;
        }
        for (values, part) in self.below.iter_mut().zip(level) {
            if let Some(part) = part {
                values[part.value as usize].get_or_insert_default().add(part.level(), service);
            }
        }
    }

    fn is_leaf(&self) -> bool {
        self.below.iter().flatten().all(Option::is_none)
    }

    /// Lookup-Name as first published.
    pub fn lookup_published(&self, query: &Query) -> Recorded {
        self.published(query.level(), self.all)
    }

    fn published(&self, query: Level<'_, Wanted>, everything: Recorded) -> Recorded {
        let mut found = everything;
        for (values, wanted) in self.below.iter().zip(query) {
            let Some(wanted) = wanted else { continue };
            if values.iter().all(Option::is_none) {
                continue;
            }
            found &= match wanted.value {
                Value::Any => values.iter().flatten().fold(0, |all, node| all | node.all),
                value => match &values[value as usize] {
                    None => 0,
                    Some(node) if node.is_leaf() || is_leaf(wanted.level()) => node.services,
                    Some(node) => node.published(wanted.level(), everything),
                },
            };
        }
        found | self.services
    }

    /// Lookup-Name as corrected.
    pub fn lookup(&self, query: &Query) -> Recorded {
        self.corrected(query.level())
    }

    fn corrected(&self, query: Level<'_, Wanted>) -> Recorded {
        let mut found = self.all;
        for (values, wanted) in self.below.iter().zip(query) {
            let Some(wanted) = wanted else { continue };
            found &= match wanted.value {
                Value::Any => values.iter().flatten().fold(0, |all, node| all | node.corrected([None; 2])),
                value => values[value as usize].as_ref().map_or(0, |node| node.corrected(wanted.level())),
            };
        }
        found
    }
}

fn is_leaf<T>(level: Level<'_, T>) -> bool {
    level.iter().all(Option::is_none)
}
