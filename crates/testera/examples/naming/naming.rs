//! The intentional naming system (Adjie-Winoto et al. 1999) as Khurshid and Marinov checked it:
//! names, queries, the database that superimposes names, and Lookup-Name as published and as
//! corrected.
//!
//! Two attributes, two values, two levels: small enough to look at everything.

use std::fmt;

pub const ATTRIBUTES: usize = 2;
pub const VALUES: usize = 2;

/// A level of a name: for each attribute, no value or one, and what is below it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Name(pub [Option<(usize, Box<Name>)>; ATTRIBUTES]);

/// A level of a query; a wildcard has nothing below it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Query(pub [Option<Wanted>; ATTRIBUTES]);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    Any,
    Value(usize, Box<Query>),
}

/// A node of the database: for each attribute the nodes of its values, and the services recorded here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Database {
    below: [[Option<Box<Database>>; VALUES]; ATTRIBUTES],
    services: Services,
    /// The services at this node or below it.
    all: Services,
}

/// A set of services, one bit each.
pub type Services = u32;

impl Name {
    fn is_leaf(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// All names with at most `depth` levels, the empty one first, small ones early.
    pub fn all(depth: usize) -> Vec<Name> {
        if depth == 0 {
            return vec![Name::default()];
        }
        let below = Name::all(depth - 1);
        let mut choices = vec![None];
        for name in &below {
            choices.extend((0..VALUES).map(|value| Some((value, Box::new(name.clone())))));
        }
        let mut all: Vec<Name> = pairs(&choices).into_iter().map(|[a, b]| Name([a, b])).collect();
        all.sort_by_key(Name::size);
        all
    }

    pub fn size(&self) -> usize {
        self.0.iter().flatten().map(|(_, below)| 1 + below.size()).sum()
    }

    /// The definition: the query is a subtree of the name, a wildcard matching any value.
    pub fn conforms_to(&self, query: &Query) -> bool {
        self.0.iter().zip(&query.0).all(|(have, want)| match (have, want) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(_), Some(Wanted::Any)) => true,
            (Some((value, below)), Some(Wanted::Value(wanted, query))) => {
                value == wanted && below.conforms_to(query)
            }
        })
    }
}

impl Query {
    fn is_leaf(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    pub fn all(depth: usize) -> Vec<Query> {
        if depth == 0 {
            return vec![Query::default()];
        }
        let below = Query::all(depth - 1);
        let mut choices = vec![None, Some(Wanted::Any)];
        for query in &below {
            choices.extend((0..VALUES).map(|value| Some(Wanted::Value(value, Box::new(query.clone())))));
        }
        let mut all: Vec<Query> = pairs(&choices).into_iter().map(|[a, b]| Query([a, b])).collect();
        all.sort_by_key(Query::weight);
        all
    }

    /// Wildcards count a little more than values.
    fn weight(&self) -> (usize, usize) {
        let wildcards = |wanted: &Wanted| match wanted {
            Wanted::Any => 1,
            Wanted::Value(_, below) => below.weight().1,
        };
        (self.size(), self.0.iter().flatten().map(wildcards).sum())
    }

    pub fn size(&self) -> usize {
        let size = |wanted: &Wanted| match wanted {
            Wanted::Any => 1,
            Wanted::Value(_, below) => 1 + below.size(),
        };
        self.0.iter().flatten().map(size).sum()
    }

    /// The same query without its wildcards.
    pub fn without_wildcards(&self) -> Query {
        let without = |wanted: &Option<Wanted>| match wanted {
            Some(Wanted::Value(value, below)) => {
                Some(Wanted::Value(*value, Box::new(below.without_wildcards())))
            }
            _ => None,
        };
        Query([without(&self.0[0]), without(&self.0[1])])
    }
}

fn pairs<T: Clone>(choices: &[T]) -> Vec<[T; 2]> {
    choices.iter().flat_map(|a| choices.iter().map(|b| [a.clone(), b.clone()])).collect()
}

impl Database {
    /// The names of the services, superimposed; service `i` is bit `i`.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a Name>) -> Database {
        let mut database = Database::default();
        for (i, name) in names.into_iter().enumerate() {
            database.add(name, 1 << i);
        }
        database
    }

    /// Records the service at every leaf value of its name.
    fn add(&mut self, name: &Name, service: Services) {
        self.all |= service;
        if name.is_leaf() {
            self.services |= service;
        }
        for (values, part) in self.below.iter_mut().zip(&name.0) {
            if let Some((value, below)) = part {
                values[*value].get_or_insert_default().add(below, service);
            }
        }
    }

    fn is_leaf(&self) -> bool {
        self.below.iter().flatten().all(Option::is_none)
    }

    /// Lookup-Name as first published.
    pub fn lookup_published(&self, query: &Query) -> Services {
        self.published(query, self.all)
    }

    fn published(&self, query: &Query, everything: Services) -> Services {
        let mut found = everything;
        for (values, wanted) in self.below.iter().zip(&query.0) {
            let Some(wanted) = wanted else { continue };
            if values.iter().all(Option::is_none) {
                continue;
            }
            found &= match wanted {
                Wanted::Any => values.iter().flatten().fold(0, |all, node| all | node.all),
                Wanted::Value(value, below) => match &values[*value] {
                    None => 0,
                    Some(node) if node.is_leaf() || below.is_leaf() => node.services,
                    Some(node) => node.published(below, everything),
                },
            };
        }
        found | self.services
    }

    /// Lookup-Name as corrected.
    pub fn lookup(&self, query: &Query) -> Services {
        let mut found = self.all;
        for (values, wanted) in self.below.iter().zip(&query.0) {
            let Some(wanted) = wanted else { continue };
            found &= match wanted {
                Wanted::Any => {
                    values.iter().flatten().fold(0, |all, node| all | node.lookup(&Query::default()))
                }
                Wanted::Value(value, below) => values[*value].as_ref().map_or(0, |node| node.lookup(below)),
            };
        }
        found
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |a: usize, (value, below): &(usize, Box<Name>)| {
            let below = if below.is_leaf() { String::new() } else { format!("{{{below}}}") };
            format!("A{a}=V{value}{below}")
        };
        let parts: Vec<String> =
            self.0.iter().enumerate().filter_map(|(a, p)| p.as_ref().map(|p| part(a, p))).collect();
        f.write_str(&parts.join(" "))
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |a: usize, wanted: &Wanted| match wanted {
            Wanted::Any => format!("A{a}=*"),
            Wanted::Value(value, below) if below.is_leaf() => format!("A{a}=V{value}"),
            Wanted::Value(value, below) => format!("A{a}=V{value}{{{below}}}"),
        };
        let parts: Vec<String> =
            self.0.iter().enumerate().filter_map(|(a, p)| p.as_ref().map(|p| part(a, p))).collect();
        f.write_str(&if parts.is_empty() { "everything".into() } else { parts.join(" ") })
    }
}

/// What a look at everything within the bounds finds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    pub names: usize,
    pub queries: usize,
    /// One-service databases and queries, and those that the published lookup gets wrong.
    pub cases: u64,
    pub published_wrong: u64,
    pub corrected_wrong: u64,
    /// Databases of two services and queries that the corrected lookup gets wrong.
    pub corrected_wrong_of_two: u64,
    pub cases_of_two: u64,
    /// Service, query with a wildcard that finds it, the same without that does not.
    pub omitted_is_no_wildcard: String,
    /// Query, service that answers it alone, service whose addition ends that.
    pub addition_is_not_monotonic: String,
}

/// All databases of one service and of two.
pub fn look_at() -> Findings {
    // A name is a nonempty tree; a query may be empty.
    let names: Vec<Name> = Name::all(2).into_iter().filter(|name| !name.is_leaf()).collect();
    let queries = Query::all(2);
    let mut findings = Findings { names: names.len(), queries: queries.len(), ..Findings::default() };
    let (mut least_omitted, mut least_addition) = (usize::MAX, usize::MAX);
    let mut conforms = vec![false; names.len() * queries.len()];
    for (i, name) in names.iter().enumerate() {
        let database = Database::new([name]);
        for (q, query) in queries.iter().enumerate() {
            let expected = name.conforms_to(query);
            conforms[i * queries.len() + q] = expected;
            findings.cases += 1;
            let published = database.lookup_published(query);
            findings.published_wrong += u64::from((published != 0) != expected);
            findings.corrected_wrong += u64::from((database.lookup(query) != 0) != expected);
            let without = query.without_wildcards();
            let size = name.size() + query.size();
            if size < least_omitted && published != 0 && database.lookup_published(&without) == 0 {
                least_omitted = size;
                findings.omitted_is_no_wildcard = format!("{name}: `{query}` finds it, `{without}` does not");
            }
        }
    }
    for (i, first) in names.iter().enumerate() {
        let alone = Database::new([first]);
        for (j, second) in names.iter().enumerate().skip(i) {
            let both = Database::new([first, second]);
            for (q, query) in queries.iter().enumerate() {
                let expected = Services::from(conforms[i * queries.len() + q])
                    | Services::from(conforms[j * queries.len() + q]) << 1;
                findings.corrected_wrong_of_two += u64::from(both.lookup(query) != expected);
                findings.cases_of_two += 1;
            }
            // The published lookup where it is small enough to be shown.
            let sizes = first.size() + second.size();
            if sizes >= least_addition {
                continue;
            }
            for query in &queries {
                let size = sizes + query.size();
                if size < least_addition
                    && alone.lookup_published(query) & 1 != 0
                    && both.lookup_published(query) & 1 == 0
                {
                    least_addition = size;
                    findings.addition_is_not_monotonic =
                        format!("{first} alone answers `{query}`; with {second} beside it, it does not");
                }
            }
        }
    }
    findings
}
