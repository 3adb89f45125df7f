//! Sound, complete and optimal: for arbitrary predicates the search gives exactly what a brute-force walk
//! over all candidates gives, one structure per isomorphism class.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use proptest::prelude::*;
use tera_explore::{Candidate, Field, FieldRef, Finitization, Object, SearchSummary};

const NODES: usize = 2;

/// Nodes that may share and form cycles.
#[derive(Candidate)]
struct Graph {
    root: Option<Rc<Node>>,
    flag: bool,
}

#[derive(Candidate)]
struct Node {
    a: Option<Rc<Node>>,
    b: *mut Node,
    value: u8,
}

/// The same with boxes, which do not share.
#[derive(Candidate)]
struct Owned {
    root: Option<Box<Leaf>>,
    flag: bool,
}

#[derive(Candidate)]
struct Leaf {
    a: Option<Box<Leaf>>,
    b: Option<Box<Leaf>>,
    value: u8,
}

/// What a predicate can ask for: fields of the root (0: root, 1: flag), of nodes (0: a, 1: b, 2: value).
/// Links answer with the node, data with a number.
enum Answer<N> {
    Link(Option<N>),
    Datum(usize),
    /// Whether the datum is among those required, which is all that is told.
    Passed(bool),
}

/// The data that a predicate requires, as bits, where it does not read.
type Required = Option<u64>;

/// A datum, or whether it passes.
fn datum<N, F>(field: FieldRef<F>, required: Required, number: impl Fn(F::View<'_>) -> usize) -> Answer<N>
where
    F: Field,
{
    match required {
        None => Answer::Datum(number(field.get())),
        Some(bits) => Answer::Passed(field.require(|value| bits >> number(value) & 1 == 1)),
    }
}

/// A predicate that depends on nothing but what it reads: the seed and the answers so far say which field
/// to read next, and when to stop.
fn decide<N: PartialEq + Copy>(
    seed: u64,
    mut read: impl FnMut(Option<N>, usize, Required) -> Answer<N>,
) -> bool {
    let mut nodes: Vec<N> = Vec::new();
    let mut state = seed;
    let mut hash = |x: u64| {
        state = (state ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        state >> 7
    };
    for _ in 0..12 {
        let word = hash(1);
        // Most often a node known so far, sometimes the root.
        let owner =
            if nodes.is_empty() { None } else { nodes.get(word as usize % (nodes.len() + 1)).copied() };
        let field = (word >> 8) as usize % if owner.is_some() { 3 } else { 2 };
        // Data are read or required, as are links that cannot be.
        let required = (word >> 20 & 1 == 0).then_some(word >> 24 & 3);
        let seen = match read(owner, field, required) {
            Answer::Datum(datum) => datum,
            Answer::Passed(false) => return false,
            Answer::Passed(true) => 99,
            Answer::Link(None) => 100,
            Answer::Link(Some(node)) => {
                200 + nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
                    nodes.push(node);
                    nodes.len() - 1
                })
            }
        };
        match hash(seen as u64) % 8 {
            0 => return true,
            1 | 2 => return false,
            _ => {}
        }
    }
    hash(2) % 2 == 0
}

/// The structure as numbers, nodes renamed by first occurrence in a walk from the root: equal for
/// isomorphic structures and only for these.
fn canonical<N: PartialEq + Copy>(
    mut read: impl FnMut(Option<N>, usize, Required) -> Answer<N>,
) -> Vec<usize> {
    let mut nodes: Vec<N> = Vec::new();
    let mut form = Vec::new();
    let mut push = |answer, nodes: &mut Vec<N>| {
        form.push(match answer {
            Answer::Datum(datum) => datum,
            Answer::Passed(_) => unreachable!("nothing is required here"),
            Answer::Link(None) => 100,
            Answer::Link(Some(node)) => {
                200 + nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
                    nodes.push(node);
                    nodes.len() - 1
                })
            }
        });
    };
    push(read(None, 0, None), &mut nodes);
    push(read(None, 1, None), &mut nodes);
    let mut at = 0;
    while at < nodes.len() {
        for field in 0..3 {
            push(read(Some(nodes[at]), field, None), &mut nodes);
        }
        at += 1;
    }
    form
}

fn read_graph<'a>(
    graph: GraphRef<'a>,
) -> impl Fn(Option<NodeRef<'a>>, usize, Required) -> Answer<NodeRef<'a>> {
    move |node, field, required| match (node, field) {
        (None, 0) => Answer::Link(graph.root()),
        (None, _) => datum(graph.flag_field(), required, usize::from),
        (Some(node), 0) => Answer::Link(node.a()),
        (Some(node), 1) => Answer::Link(node.b()),
        (Some(node), _) => datum(node.value_field(), required, usize::from),
    }
}

fn read_owned<'a>(
    graph: OwnedRef<'a>,
) -> impl Fn(Option<LeafRef<'a>>, usize, Required) -> Answer<LeafRef<'a>> {
    move |node, field, required| match (node, field) {
        (None, 0) => Answer::Link(graph.root()),
        (None, _) => datum(graph.flag_field(), required, usize::from),
        (Some(node), 0) => Answer::Link(node.a()),
        (Some(node), 1) => Answer::Link(node.b()),
        (Some(node), _) => datum(node.value_field(), required, usize::from),
    }
}

/// One candidate as numbers: root, flag, then a, b, value of every node; links are node + 1, 0 is null.
type Model = Vec<usize>;

fn read_model(model: &Model) -> impl Fn(Option<usize>, usize, Required) -> Answer<usize> + '_ {
    move |node, field, required| {
        let at = node.map_or(field, |node| 2 + node * 3 + field);
        let is_datum = matches!((node, field), (None, 1) | (Some(_), 2));
        match required {
            _ if !is_datum => Answer::Link(model[at].checked_sub(1)),
            None => Answer::Datum(model[at]),
            Some(bits) => Answer::Passed(bits >> model[at] & 1 == 1),
        }
    }
}

fn models() -> impl Iterator<Item = Model> {
    let sizes: Vec<usize> =
        [NODES + 1, 2].into_iter().chain((0..NODES).flat_map(|_| [NODES + 1, NODES + 1, 2])).collect();
    let n: usize = sizes.iter().product();
    (0..n).map(move |number| {
        let mut rest = number;
        sizes
            .iter()
            .map(|size| {
                let digit = rest % size;
                rest /= size;
                digit
            })
            .collect()
    })
}

/// Has every node reachable from the root at most one link to it?
fn is_owned(model: &Model) -> bool {
    let form = canonical(read_model(model));
    let links: Vec<_> = form.iter().filter(|code| **code >= 200).collect();
    links.iter().collect::<BTreeSet<_>>().len() == links.len()
}

fn expected(seed: u64, keep: impl Fn(&Model) -> bool) -> BTreeSet<Vec<usize>> {
    models()
        .filter(|model| keep(model) && decide(seed, read_model(model)))
        .map(|model| canonical(read_model(&model)))
        .collect()
}

/// Collects canonical forms; none may come twice.
#[derive(Default)]
struct Once(BTreeSet<Vec<usize>>);

impl Once {
    fn add(&mut self, form: Vec<usize>) {
        assert!(self.0.insert(form.clone()), "{form:?} came twice");
    }
}

fn space() -> Finitization<Graph> {
    Finitization::of(NODES).values("Node.value", 0..2)
}

fn owned_space() -> Finitization<Owned> {
    Finitization::of(NODES).values("Leaf.value", 0..2)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_predicate_gives_what_brute_force_gives(seed: u64) {
        let mut found = Once::default();
        let summary = space()
            .for_each(|graph| decide(seed, read_graph(graph)), |graph| found.add(canonical(read_graph(graph))))
            .unwrap();
        prop_assert_eq!(&found.0, &expected(seed, |_| true));
        prop_assert_eq!(summary.structures, found.0.len() as u64);
    }

    #[test]
    fn boxes_give_what_brute_force_gives_of_what_boxes_can_be(seed: u64) {
        let mut found = Once::default();
        owned_space()
            .for_each(|graph| decide(seed, read_owned(graph)), |graph| found.add(canonical(read_owned(graph))))
            .unwrap();
        prop_assert_eq!(&found.0, &expected(seed, is_owned));
        let mut built = Once::default();
        for value in owned_space().inputs(|graph: OwnedRef| decide(seed, read_owned(graph))).unwrap() {
            prop_assert!(decide(seed, read_owned((&value).into())), "the predicate holds of the real value");
            built.add(canonical(read_owned((&value).into())));
        }
        prop_assert_eq!(built.0, found.0);
    }

    /// A predicate whose reads vary from run to run, but not its answer.
    #[test]
    fn predicates_that_read_at_random_lose_and_repeat_nothing(seed: u64) {
        let noise = Cell::new(seed);
        let mut found = Once::default();
        space()
            .for_each(
                |graph| {
                    noise.set(noise.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
                    if noise.get() >> 62 == 0 {
                        graph.flag();
                    }
                    if noise.get() >> 60 & 3 == 0 && let Some(root) = graph.root() {
                        root.value();
                    }
                    decide(seed, read_graph(graph))
                },
                |graph| found.add(canonical(read_graph(graph))),
            )
            .unwrap();
        prop_assert_eq!(&found.0, &expected(seed, |_| true));
    }

    #[test]
    fn shards_and_threads_give_the_same_in_the_same_order(seed: u64, of in 1_usize..5) {
        let mut whole = Vec::new();
        space()
            .for_each(|graph| decide(seed, read_graph(graph)), |graph| whole.push(canonical(read_graph(graph))))
            .unwrap();
        let mut threaded = Vec::new();
        let predicate = |graph: GraphRef<'_>| decide(seed, read_graph(graph));
        let summary = space()
            .for_each_parallel(3, predicate, |graph| canonical(read_graph(graph)), |form| threaded.push(form))
            .unwrap();
        prop_assert_eq!(&threaded, &whole);
        prop_assert_eq!(summary.structures, whole.len() as u64);
        let mut joined: Vec<Vec<usize>> = Vec::new();
        for index in 1..=of {
            let part = owned_space().shard(|graph| decide(seed, read_owned(graph)), index, of).unwrap();
            joined.extend(part.map(|value| canonical(read_owned((&value).into()))));
        }
        let mut owned = Vec::new();
        owned_space()
            .for_each(|graph| decide(seed, read_owned(graph)), |graph| owned.push(canonical(read_owned(graph))))
            .unwrap();
        joined.sort();
        owned.sort();
        prop_assert_eq!(joined, owned);
    }

    /// What is required of a field is what a test after reading it would let through.
    #[test]
    fn requiring_prunes_what_reading_and_testing_refuses(kept: [u64; 4], n in 1_usize..200) {
        let passes = |at: usize, value: usize| kept[at] >> (value % 64) & 1 == 1;
        let space = Finitization::<[usize; 3]>::of(n - 1).values("root[]", (0..n).rev().collect::<Vec<_>>());
        let mut read = Vec::new();
        let mut required = Vec::new();
        let small = |at: usize, value: usize| passes(at, value) && value % 8 == 3;
        let tested = space
            .for_each(|a| (0..3).all(|at| small(at, a.at(at))), |a| read.push([a.at(0), a.at(1), a.at(2)]))
            .unwrap();
        let pruned = space
            .for_each(
                |a| (0..3).all(|at| a.field(at).require(|value| small(at, value))),
                |a| required.push([a.at(0), a.at(1), a.at(2)]),
            )
            .unwrap();
        prop_assert_eq!(&read, &required);
        prop_assert!(pruned.candidates <= tested.candidates);
    }
}

#[derive(Candidate, Debug, PartialEq)]
enum Expression {
    Number(u8),
    Negated(Box<Expression>),
    Sum { left: Box<Expression>, right: Box<Expression> },
}

/// Expressions with at most n inner and outer nodes in total, counted by their own recurrence.
#[test]
fn enums_with_payload_are_searched_by_variant() {
    fn exactly(n: usize) -> u64 {
        // Two numbers, a negation, sums.
        match n {
            0 => 0,
            1 => 2,
            _ => exactly(n - 1) + (1..n - 1).map(|left| exactly(left) * exactly(n - 1 - left)).sum::<u64>(),
        }
    }
    for n in 0..6 {
        // The root is not an object of the pool, the others are.
        let space = Finitization::<Expression>::of(n).values("Expression::Number.0", 0..2_u8);
        let mut values = Vec::new();
        for value in space.inputs(|_: ExpressionRef| true).unwrap() {
            assert!(!values.contains(&value));
            values.push(value);
        }
        assert_eq!(values.len() as u64, (1..=n + 1).map(exactly).sum::<u64>(), "{n}");
    }
    // Only sums: instance-of as a requirement.
    let sums = Finitization::<Expression>::of(2)
        .values("Expression::Number.0", [7_u8])
        .inputs(|it: ExpressionRef| it.require_case(|case| matches!(case, ExpressionCase::Sum { .. })))
        .unwrap();
    let seven = || Box::new(Expression::Number(7));
    assert_eq!(sums.collect::<Vec<_>>(), [Expression::Sum { left: seven(), right: seven() }]);
}

#[derive(Candidate, Debug, PartialEq)]
struct Shapes<T> {
    numbers: Vec<Option<T>>,
    pair: (bool, char),
    #[candidate(skip)]
    cache: Vec<String>,
}

#[test]
fn sequences_options_tuples_generics_and_skipped_fields() {
    let space = Finitization::<Shapes<i8>>::of(2)
        .values("Shapes.numbers[]", -1..=1_i8)
        .values("Shapes.pair.1", 'x'..='z');
    let values: Vec<_> = space.inputs(|_: ShapesRef<i8>| true).unwrap().collect();
    assert_eq!(values.len(), (1 + 4 + 16) * 2 * 3);
    assert_eq!(values[0], Shapes { numbers: vec![], pair: (false, 'x'), cache: vec![] });
    let none_last = space
        .count(|shapes: ShapesRef<i8>| shapes.numbers().iter().rev().take(1).all(|last| last.is_none()))
        .unwrap();
    assert_eq!(none_last.structures, (1 + 1 + 4) * 6);
}

#[test]
fn separate_pools_keep_objects_apart() {
    let all = Finitization::<Graph>::of(2).values("Node.value", [0_u8]).values("Graph.flag", [false]);
    let same = |graph: GraphRef| graph.root().is_some_and(|root| root.b() == Some(root));
    assert!(all.count(same).unwrap().structures > 0);
    let apart = all.pool("Node.b", "others", 1);
    assert_eq!(apart.count(same).unwrap().structures, 0);
    let text = apart.to_string();
    assert!(text.contains("Node.b: objects of others") && text.contains("Node.a: objects of Node"), "{text}");
}

#[test]
fn a_wrong_setting_is_an_error_that_says_what_there_is() {
    let error = |space: Finitization<Graph>| space.count(|_| true).unwrap_err().to_string();
    let unknown = error(Finitization::of(2).values("Node.valeu", 0..2));
    assert!(unknown.contains("`Node.valeu`") && unknown.contains("Node.value"), "{unknown}");
    let outside = error(Finitization::of(2).values("Node.value", [3, 256]));
    assert!(outside.contains("cannot hold 256") && outside.contains("0 to 255"), "{outside}");
    let class = error(Finitization::of(2).objects("Nod", 1));
    assert!(class.contains("`Nod`") && class.contains("Node"), "{class}");
}

/// What the predicate never reads is free: one run, all combinations.
#[test]
fn unread_fields_are_enumerated_without_running_the_predicate() {
    let SearchSummary { structures, candidates, .. } =
        owned_space().count(|graph| graph.root().is_some()).unwrap();
    // One node: a, b null; two: a or b; the flag and every value.
    assert_eq!((structures, candidates), (2 * (2 + 2 * 4), 2));
}

#[test]
fn limits_end_a_search_and_say_so() {
    use tera_explore::Verdict;
    let mut search = space().search().unwrap().max_candidates(2);
    while search.next(&mut |graph: GraphRef| graph.root().is_none_or(|root| root.value() == 9)) {}
    assert_eq!((search.summary().candidates, search.summary().verdict), (2, Verdict::Limit));
    let mut search = space().search().unwrap().timeout(std::time::Duration::ZERO);
    assert!(!search.next(&mut |_: GraphRef| true));
    assert_eq!(search.summary().verdict, Verdict::Timeout);
}

#[test]
fn the_explanation_names_the_fields_that_decided() {
    let mut search = space().search().unwrap().explained();
    while search.next(&mut |graph: GraphRef| graph.root().is_some_and(|root| root.value() == 1)) {}
    assert_eq!(search.explanation(), [("Graph.root", 1), ("Node.value", 1)]);
}

#[derive(Candidate)]
struct Child {
    parent: std::rc::Weak<std::cell::RefCell<Parent>>,
    value: u8,
}

#[derive(Candidate)]
struct Parent {
    children: Vec<Rc<Child>>,
}

#[derive(Candidate)]
struct Family {
    parent: Option<Rc<std::cell::RefCell<Parent>>>,
}

#[test]
fn shared_pointers_and_weak_back_pointers_are_built() {
    let adopted = |family: FamilyRef| {
        family
            .parent()
            .is_some_and(|parent| parent.children().iter().all(|child| child.parent() == Some(parent)))
    };
    let space = Finitization::<Family>::of(2).values("Child.value", 0..2_u8).objects("Parent", 1);
    let mut n_shared = 0;
    let mut n = 0;
    for family in space.inputs(adopted).unwrap() {
        n += 1;
        assert!(adopted((&family).into()));
        let parent = family.parent.as_ref().unwrap();
        assert_eq!(Rc::strong_count(parent), 1);
        let children = &parent.borrow().children;
        if let [first, second] = children.as_slice() {
            n_shared += usize::from(Rc::ptr_eq(first, second));
        }
        for child in children {
            assert!(Rc::ptr_eq(&child.parent.upgrade().unwrap(), parent));
        }
    }
    // No child; one; twice the same one; two.
    assert_eq!((n, n_shared), (1 + 2 + 2 + 4, 2));
}

#[test]
fn views_of_inline_and_of_linked_objects_are_told_apart() {
    space()
        .for_each(
            |graph| graph.root().is_some(),
            |graph| assert!(graph.number().is_none() && graph.root().unwrap().number().is_some()),
        )
        .unwrap();
}
