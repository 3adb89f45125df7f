//! The same by loops: all names and queries built by hand, the definition of conformance in Rust. It shares nothing
//! with the finder, the mapping and the oracle but the types and the function under test.

use super::naming::{Database, Lookup, Name, Part, Query, Recorded, Value, Wanted};

const VALUES: [Value; 2] = [Value::V0, Value::V1];

/// Each value with each of `below` at both attributes.
fn values<T>(below: &[T]) -> impl Iterator<Item = (Value, &T, &T)> {
    VALUES.into_iter().flat_map(move |value| pairs(below).map(move |(a0, a1)| (value, a0, a1)))
}

fn pairs<T>(of: &[T]) -> impl Iterator<Item = (&T, &T)> {
    of.iter().flat_map(move |a| of.iter().map(move |b| (a, b)))
}

/// Nothing, or a value and what is below it, of at most `depth` levels.
fn parts(depth: usize) -> Vec<Option<Box<Part>>> {
    let below = if depth == 0 { return vec![None] } else { parts(depth - 1) };
    let part = |(value, a0, a1): (_, &Option<_>, &Option<_>)| {
        Box::new(Part { value, a0: a0.clone(), a1: a1.clone() })
    };
    std::iter::once(None).chain(values(&below).map(part).map(Some)).collect()
}

/// The same with wildcards.
fn wanted(depth: usize) -> Vec<Option<Box<Wanted>>> {
    let below = if depth == 0 { return vec![None] } else { wanted(depth - 1) };
    let wanted =
        |(value, a0, a1): (_, &Option<_>, &Option<_>)| Wanted { value, a0: a0.clone(), a1: a1.clone() };
    let any = Wanted { value: Value::Any, a0: None, a1: None };
    std::iter::once(None).chain(values(&below).map(wanted).chain([any]).map(Box::new).map(Some)).collect()
}

/// All names of at most two levels.
pub fn names() -> Vec<Name> {
    let names = pairs(&parts(2)).map(|(a0, a1)| Name { a0: a0.clone(), a1: a1.clone() }).collect::<Vec<_>>();
    names.into_iter().filter(|name| name.a0.is_some() || name.a1.is_some()).collect()
}

/// All queries of at most two levels.
pub fn queries() -> Vec<Query> {
    pairs(&wanted(2)).map(|(a0, a1)| Query { a0: a0.clone(), a1: a1.clone() }).collect()
}

/// The query is a subtree of the name, a wildcard matching any value.
fn conforms(name: &Name, query: &Query) -> bool {
    fn is_subtree(part: Option<&Part>, wanted: Option<&Wanted>) -> bool {
        let Some(wanted) = wanted else { return true };
        let Some(part) = part else { return false };
        (wanted.value == Value::Any || wanted.value == part.value)
            && part.level().into_iter().zip(wanted.level()).all(|(part, wanted)| is_subtree(part, wanted))
    }
    name.level().into_iter().zip(query.level()).all(|(part, wanted)| is_subtree(part, wanted))
}

/// Databases of one service and queries, and those that `lookup` gets wrong.
pub fn one_service(lookup: Lookup) -> (u64, u64) {
    let (names, queries) = (names(), queries());
    let mut wrong = 0;
    for name in &names {
        let database = Database::new([name]);
        let is_wrong = |query: &&Query| (lookup(&database, query) != 0) != conforms(name, query);
        wrong += queries.iter().filter(is_wrong).count();
    }
    ((names.len() * queries.len()) as u64, wrong as u64)
}

/// Databases of two services, perhaps of the same name, and queries, and those that `lookup` gets wrong.
pub fn two_services(lookup: Lookup) -> (u64, u64) {
    let (names, queries) = (names(), queries());
    let conforming: Vec<Vec<Recorded>> = (names.iter())
        .map(|name| queries.iter().map(|query| conforms(name, query).into()).collect())
        .collect();
    let (mut cases, mut wrong) = (0, 0);
    for (i, first) in names.iter().enumerate() {
        for (j, second) in names.iter().enumerate().skip(i) {
            let database = Database::new([first, second]);
            for (q, query) in queries.iter().enumerate() {
                cases += 1;
                let expected = conforming[i][q] | conforming[j][q] << 1;
                wrong += u64::from(lookup(&database, query) != expected);
            }
        }
    }
    (cases, wrong)
}
