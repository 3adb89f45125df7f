//! What Lookup-Name is checked against, for all services and queries of a scope.

use testera::{Contract, Heap, Report};

use super::naming::{Found, Lookup, Name, Query, Services, find};

/// One service and a query.
pub const ONE: &str = "1, exactly 1 Name, 6 Part, 6 Wanted, 0 Int";
/// Two services and a query: 75,116,880 inputs.
pub const TWO: &str = "1, exactly 2 Name, 12 Part, 6 Wanted, 0 Int";
/// Two services of four values together, and queries of up to three.
pub const SMALL_TWO: &str = "1, exactly 2 Name, 4 Part, 3 Wanted, 0 Int";

#[derive(Heap)]
pub struct Answer {
    pub found: Found,
}

/// Two answers to be compared.
#[derive(Heap)]
pub struct Answers {
    pub first: Found,
    pub second: Found,
}

fn contract(name: &str, scope: &str) -> Contract {
    Contract::new(format!("naming::{name}"))
        .beside(file!(), env!("CARGO_MANIFEST_DIR"))
        .spec("naming.als")
        .scope(scope)
}

/// The services that are found are those that conform.
pub fn conformance(name: &str, scope: &str, lookup: Lookup) -> Report {
    contract(name, scope)
        .requires("names[services] and query[asked]")
        .ensures("sound[result, services, asked] and complete[result, services, asked]")
        .keep_going()
        .arguments(&["services", "asked"])
        .check(move |(services, query): &mut (Services, Query)| Answer {
            found: find(&services.names, query, lookup),
        })
}

/// "Omitted attributes correspond to wildcards."
pub fn omission(lookup: Lookup) -> Report {
    contract("omission", ONE)
        .requires("names[services] and query[asked]")
        .ensures("omission[result]")
        .arguments(&["services", "asked"])
        .check(move |(services, query): &mut (Services, Query)| Answers {
            first: find(&services.names, query, lookup),
            second: find(&services.names, &query.without_wildcards(), lookup),
        })
}

/// A service that is added does not keep another from being found.
pub fn monotonicity(name: &str, lookup: Lookup) -> Report {
    contract(name, SMALL_TWO)
        .requires("query[asked] and name[service] and name[added]")
        .ensures("monotonic[result]")
        .arguments(&["asked", "service", "added"])
        .check(move |(query, service, added): &mut (Query, Name, Name)| Answers {
            first: find([&*service], query, lookup),
            second: find([&*service, &*added], query, lookup),
        })
}
