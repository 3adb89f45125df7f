//! Delayed choice gives what eager choice gives: the same set of outcomes, each once.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tera_explore::{Choices, Explore};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Give {
    New,
    Any,
    AnyOrNull,
}

/// Objects renamed by first occurrence.
fn pattern(objects: &[Option<usize>]) -> Vec<Option<usize>> {
    let mut names = Vec::new();
    let mut name = |object| {
        names.iter().position(|known| *known == object).unwrap_or_else(|| {
            names.push(object);
            names.len() - 1
        })
    };
    objects.iter().map(|object| object.map(&mut name)).collect()
}

/// The definition (figure 10 of the paper): objects are chosen when they are given.
fn eager(c: &mut Choices, size: usize, gives: &[Give]) -> Option<Vec<Option<usize>>> {
    let mut allocated = 0;
    let mut objects = Vec::new();
    for give in gives {
        let object = match give {
            Give::New => Some(allocated),
            Give::AnyOrNull if c.bool() => None,
            Give::Any | Give::AnyOrNull => Some(c.int(0..=allocated)),
        };
        if object == Some(allocated) {
            c.assume(allocated < size)?;
            allocated += 1;
        }
        objects.push(object);
    }
    Some(objects)
}

/// The same handles, used in this order after (or while) they are given.
fn delayed(c: &mut Choices, size: usize, gives: &[Give], uses: &[usize]) -> Option<Vec<Option<usize>>> {
    enum Given {
        Object(tera_explore::Sym),
        OrNull(tera_explore::SymOrNull),
    }
    let pool = c.pool(size);
    let mut handles = Vec::new();
    for give in gives {
        handles.push(match give {
            Give::New => Given::Object(pool.new(c)?),
            Give::Any => Given::Object(pool.any(c)?),
            Give::AnyOrNull => Given::OrNull(pool.any_or_null(c)?),
        });
    }
    let used = uses.iter().map(|&at| match handles[at] {
        Given::Object(sym) => Some(sym.get(c)),
        Given::OrNull(sym) => sym.get(c),
    });
    Some(used.collect())
}

/// Compares the two on the handles that are used; delayed exploration must give each pattern once.
fn compare(size: usize, gives: &[Give], uses: &[usize]) {
    let expected: BTreeSet<_> = Explore::new(|c| eager(c, size, gives))
        .runs()
        .map(|objects| pattern(&uses.iter().map(|&at| objects[at]).collect::<Vec<_>>()))
        .collect();
    let mut explored = BTreeSet::new();
    let mut runs = Explore::new(|c| delayed(c, size, gives, uses)).runs();
    for objects in runs.by_ref() {
        assert_eq!(objects, pattern(&objects), "objects are numbered by first use");
        assert!(explored.insert(objects.clone()), "{objects:?} twice: {gives:?} used {uses:?} of {size}");
    }
    assert_eq!(explored, expected, "{gives:?} used {uses:?} of {size}");
    // A run ends early only where the handles cannot be given at all.
    let summary = runs.summary();
    assert!(summary.runs == summary.kept || expected.is_empty(), "{summary:?}: {gives:?} {uses:?} {size}");
}

/// All sequences of up to four handles and all orders of using some of them.
#[test]
fn all_short_sequences_of_giving_and_using() {
    let mut compared = 0;
    let mut sequences = Explore::new(|c: &mut Choices| {
        let gives: Vec<Give> =
            (0..c.int(0..=4)).map(|_| c.pick(&[Give::New, Give::Any, Give::AnyOrNull])).collect();
        let mut uses: Vec<usize> = (0..gives.len()).collect();
        c.permute(&mut uses);
        uses.truncate(c.int(0..=gives.len()));
        Some((c.int(0..=4), gives, uses))
    })
    .runs();
    for (size, gives, uses) in sequences.by_ref() {
        compare(size, &gives, &uses);
        compared += 1;
    }
    assert_eq!(compared, 5 * (1 + 3 * 2 + 9 * 2 * 3 + 27 * 6 * 4 + 81 * 24 * 5));
}

#[test]
fn an_unbounded_pool_gives_all_partitions() {
    let bell: Vec<_> = (0..7)
        .map(|n| {
            let program = |c: &mut Choices| {
                let pool = c.unbounded_pool();
                (0..n).map(|_| pool.any(c).map(|sym| sym.get(c))).collect::<Option<Vec<_>>>()
            };
            Explore::new(program).runs().count()
        })
        .collect();
    assert_eq!(bell, [1, 1, 2, 5, 15, 52, 203]);
}

/// The paper's example: with two more `new` objects to come in a pool of three, all `any` are equal.
#[test]
fn what_is_still_to_be_new_restricts_what_any_can_be() {
    let objects: Vec<_> = Explore::new(|c: &mut Choices| {
        let pool = c.pool(3);
        let first = pool.new(c)?;
        let any = [pool.any(c)?, pool.any(c)?, pool.any(c)?];
        pool.new(c)?;
        pool.new(c)?;
        Some((any.map(|sym| sym.get(c)), first.get(c)))
    })
    .runs()
    .collect();
    assert_eq!(objects, [([0, 0, 0], 0)]);
}

/// Requiring an object gives what choosing and testing gives, without the runs that the test drops.
#[test]
fn required_objects_are_not_chosen() {
    for (size, wanted) in [(1, None), (2, Some(0)), (3, Some(1)), (2, Some(2))] {
        let program = |c: &mut Choices, required: bool| {
            let pool = c.pool(size);
            let (a, b, maybe) = (pool.any(c)?, pool.any(c)?, pool.any_or_null(c)?);
            if required {
                maybe.is(c, wanted)?;
                b.is(c, 0)?;
            }
            let objects = (maybe.get(c), b.get(c), a.get(c));
            c.assume(objects.0 == wanted && objects.1 == 0)?;
            Some(objects)
        };
        let mut required = Explore::new(|c: &mut Choices| program(c, true)).runs();
        let tested: Vec<_> = Explore::new(|c: &mut Choices| program(c, false)).runs().collect();
        assert_eq!(required.by_ref().collect::<Vec<_>>(), tested);
        assert_eq!(required.summary().runs, (tested.len() as u64).max(1));
    }
}

#[test]
fn excluded_objects_are_never_tried() {
    let mut runs = Explore::new(|c: &mut Choices| {
        let pool = c.pool(3);
        let (a, b, maybe) = (pool.any(c)?, pool.any(c)?, pool.any_or_null(c)?);
        let object = a.get(c);
        b.is_not(c, object)?;
        maybe.is_not(c, None)?;
        let b = b.get(c);
        maybe.is_not(c, Some(b))?;
        Some([object, b, maybe.get(c)?])
    })
    .runs();
    let found: Vec<_> = runs.by_ref().collect();
    assert_eq!(found, [[0, 1, 0], [0, 1, 2]]);
    assert_eq!(runs.summary().runs, 2);
}

/// What can be asked of a suspended integer.
#[derive(Clone, Debug)]
enum Ask {
    LessThan(i64),
    AtMost(i64),
    GreaterThan(i64),
    AtLeast(i64),
    Equal(i64),
    NotEqual(i64),
    IsIn(Vec<i64>),
}

impl Ask {
    fn holds(&self, x: i64) -> bool {
        match self {
            Ask::LessThan(b) => x < *b,
            Ask::AtMost(b) => x <= *b,
            Ask::GreaterThan(b) => x > *b,
            Ask::AtLeast(b) => x >= *b,
            Ask::Equal(b) => x == *b,
            Ask::NotEqual(b) => x != *b,
            Ask::IsIn(values) => values.contains(&x),
        }
    }

    fn of(&self, later: tera_explore::Later<i64>, c: &mut Choices) -> Option<()> {
        match self {
            Ask::LessThan(b) => later.less_than(c, *b),
            Ask::AtMost(b) => later.at_most(c, *b),
            Ask::GreaterThan(b) => later.greater_than(c, *b),
            Ask::AtLeast(b) => later.at_least(c, *b),
            Ask::Equal(b) => later.equal(c, *b),
            Ask::NotEqual(b) => later.not_equal(c, *b),
            Ask::IsIn(values) => later.is_in(c, values),
        }
    }
}

fn ask() -> impl Strategy<Value = Ask> {
    let bound = || -3_i64..90;
    prop_oneof![
        bound().prop_map(Ask::LessThan),
        bound().prop_map(Ask::AtMost),
        bound().prop_map(Ask::GreaterThan),
        bound().prop_map(Ask::AtLeast),
        bound().prop_map(Ask::Equal),
        bound().prop_map(Ask::NotEqual),
        proptest::collection::vec(bound(), 0..6).prop_map(Ask::IsIn),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is asked before the choice, exactly the values that satisfy it are tried.
    #[test]
    fn narrowing_prunes_exactly(lo in 0_i64..4, n in 1_i64..90, asks in proptest::collection::vec(ask(), 0..5)) {
        let expected: Vec<i64> = (lo..lo + n).filter(|x| asks.iter().all(|ask| ask.holds(*x))).collect();
        let mut runs = Explore::new(|c| {
            let later = c.later(lo..lo + n);
            let copy = later;
            for ask in &asks {
                ask.of(later, c)?;
            }
            let value = copy.get(c);
            // Decided once, shared by the copy, and further questions are mere tests.
            assert!(later.is_decided(c) && later.get(c) == value);
            later.equal(c, value)?;
            Some(value)
        })
        .runs();
        let values: Vec<i64> = runs.by_ref().collect();
        prop_assert_eq!(&values, &expected);
        prop_assert_eq!(runs.summary().runs, (expected.len() as u64).max(1));
    }
}

#[test]
fn a_value_that_is_never_used_is_never_chosen() {
    let mut runs = Explore::new(|c: &mut Choices| {
        let (mut keys, mut values) = ([c.later(0..3), c.later(0..3)], [c.later(0..1000), c.later(0..1000)]);
        if keys[0].get(c) > keys[1].get(c) {
            keys.swap(0, 1);
            values.swap(0, 1);
        }
        assert!(keys[0].get(c) <= keys[1].get(c));
    })
    .runs();
    assert_eq!(runs.by_ref().count(), 9);
}

#[test]
fn booleans_are_delayed_too() {
    let runs = Explore::new(|c: &mut Choices| {
        let (a, b) = (c.later_bool(), c.later_bool());
        let a_is = a.get(c);
        b.equal(c, a_is)?;
        Some((a.get(c), b.get(c)))
    });
    assert_eq!(runs.runs().collect::<Vec<_>>(), [(false, false), (true, true)]);
}
