//! The dedicated generators, one by one: in the search they give what a plain predicate gives, and explore
//! at most twice as many candidates as there are structures; on values they are plain checks.

use tera_explore::dedicated::{acyclic, distinct, heap_ordered, list, permutation, ring, sorted, tree};
use tera_explore::{Candidate, Field, FieldRef, Finitization, SeqRef, Structure};

#[derive(Candidate, Debug)]
struct Root {
    first: *mut Node,
}

#[derive(Candidate, Debug)]
struct Node {
    a: *mut Node,
    b: *mut Node,
}

/// The predicate has as many structures as its plain form, at every scope up to `n`, and few candidates.
fn check<T: Field>(
    n: usize,
    space: impl Fn(usize) -> Finitization<T>,
    dedicated: impl for<'a> Fn(T::View<'a>) -> bool,
    plain: impl for<'a> Fn(T::View<'a>) -> bool,
) -> Vec<u64> {
    (0..=n)
        .map(|n| {
            let found = space(n).count(&dedicated).unwrap();
            let expected = space(n).count(&plain).unwrap();
            assert_eq!(found.structures, expected.structures, "scope {n}");
            assert!(found.candidates <= 2 * found.structures, "scope {n}: {found:?}");
            println!("scope {n}: {found:?}, plain {expected:?}");
            found.structures
        })
        .collect()
}

/// The nodes on the ways from a node, each way on its own, as far as `longest` steps.
fn ways<'a>(
    from: Option<NodeRef<'a>>,
    longest: usize,
    visit: &mut impl FnMut(&[NodeRef<'a>]) -> bool,
) -> bool {
    fn go<'a>(
        node: Option<NodeRef<'a>>,
        way: &mut Vec<NodeRef<'a>>,
        longest: usize,
        visit: &mut impl FnMut(&[NodeRef<'a>]) -> bool,
    ) -> bool {
        let Some(node) = node else { return true };
        way.push(node);
        let good = visit(way)
            && (way.len() > longest
                || go(node.a(), way, longest, visit) && go(node.b(), way, longest, visit));
        way.pop();
        good
    }
    go(from, &mut Vec::new(), longest, visit)
}

fn repeats(way: &[NodeRef]) -> bool {
    way.split_last().is_some_and(|(last, before)| before.contains(last))
}

#[test]
fn trees() {
    let dedicated =
        |root: RootRef| tree(root.first_field(), |node: NodeRef| [node.a_field(), node.b_field()]).is_some();
    let plain = |root: RootRef| {
        let mut seen = Vec::new();
        ways(root.first(), 9, &mut |way| {
            let node = way[way.len() - 1];
            let is_new = !seen.contains(&node);
            seen.push(node);
            is_new
        })
    };
    // Sums of Catalan numbers.
    assert_eq!(check(6, Finitization::<Root>::of, dedicated, plain), [1, 2, 4, 9, 23, 65, 197]);
}

#[test]
fn acyclic_graphs() {
    let dedicated = |root: RootRef| {
        acyclic(root.first_field(), |node: NodeRef| [node.a_field(), node.b_field()]).is_some()
    };
    let plain = |root: RootRef| ways(root.first(), 9, &mut |way| !repeats(way));
    check(4, Finitization::<Root>::of, dedicated, plain);
}

#[test]
fn lists() {
    // The other field is free: null, or a node known or new.
    let dedicated = |root: RootRef| list(root.first_field(), |node: NodeRef| node.a_field()).is_some();
    let plain = |root: RootRef| {
        let nodes = |root: RootRef| std::iter::successors(root.first(), |node| node.a()).take(9).count();
        nodes(root) < 9
    };
    check(4, Finitization::<Root>::of, dedicated, plain);
}

#[test]
fn rings() {
    let dedicated = |root: RootRef| {
        root.first().is_some_and(|first| ring(first, |node: NodeRef| node.a_field()).is_some())
    };
    let plain = |root: RootRef| {
        let Some(first) = root.first() else { return false };
        let nodes: Vec<_> = std::iter::successors(first.a(), |node| node.a()).take(9).collect();
        let length = nodes.iter().position(|node| *node == first);
        length.is_some()
    };
    for n in 1..=4 {
        let found = Finitization::<Root>::of(n).count(dedicated).unwrap();
        let expected = Finitization::<Root>::of(n).count(plain).unwrap();
        assert_eq!(found.structures, expected.structures, "scope {n}");
        assert!(found.candidates <= 2 * found.structures, "scope {n}: {found:?}");
    }
}

#[test]
fn sorted_sequences() {
    let plain = |numbers: SeqRef<u8>| (1..numbers.len()).all(|at| numbers.at(at - 1) <= numbers.at(at));
    // Nondecreasing sequences of length 0..=n of 0..=n.
    assert_eq!(check(6, Finitization::<Vec<u8>>::of, sorted, plain), [1, 3, 10, 35, 126, 462, 1716]);
}

#[test]
fn distinct_sequences() {
    let plain =
        |numbers: SeqRef<u8>| (0..numbers.len()).all(|at| (0..at).all(|i| numbers.at(i) != numbers.at(at)));
    let counts = check(5, |n| Finitization::<Vec<u8>>::of(n).values("root[]", 0..n), distinct, plain);
    // Sums of falling factorials.
    assert_eq!(counts, [1, 2, 5, 16, 65, 326]);
}

#[test]
fn permutations() {
    let dedicated = |numbers: SeqRef<u8>| permutation(numbers, 1);
    let plain = |numbers: SeqRef<u8>| {
        let mut found: Vec<u8> = numbers.iter().collect();
        found.sort_unstable();
        found.iter().copied().eq(1..=found.len() as u8)
    };
    // Sums of factorials.
    assert_eq!(check(5, Finitization::<Vec<u8>>::of, dedicated, plain), [1, 2, 4, 10, 34, 154]);
}

#[test]
fn heaps() {
    let dedicated = |numbers: SeqRef<u8>| heap_ordered(numbers, numbers.len());
    let plain = |numbers: SeqRef<u8>| (1..numbers.len()).all(|at| numbers.at((at - 1) / 2) >= numbers.at(at));
    check(5, Finitization::<Vec<u8>>::of, dedicated, plain);
}

/// On values.
#[test]
fn generators_are_checks_of_values() {
    let view = |numbers: &'static Vec<u8>| <Vec<u8> as Field>::view(numbers);
    let leak = |numbers: Vec<u8>| -> &'static Vec<u8> { Box::leak(Box::new(numbers)) };
    let of = |numbers: &[u8]| view(leak(numbers.to_vec()));
    assert!(sorted(of(&[1, 1, 2])) && !sorted(of(&[1, 2, 1])));
    assert!(distinct(of(&[3, 1, 2])) && !distinct(of(&[3, 1, 3])));
    assert!(
        permutation(of(&[2, 1, 3]), 1) && !permutation(of(&[2, 4, 3]), 1) && !permutation(of(&[1, 1]), 1)
    );
    assert!(heap_ordered(of(&[5, 3, 4, 3]), 4) && !heap_ordered(of(&[5, 3, 4, 4]), 4));
    assert!(heap_ordered(of(&[5, 3, 4, 4]), 3) && !heap_ordered(of(&[5]), 2));

    let mut nodes = [(); 3].map(|()| Node { a: std::ptr::null_mut(), b: std::ptr::null_mut() });
    let [x, y, z] = &mut nodes;
    let [x, y, z]: [*mut Node; 3] = [x, y, z];
    let judge = |first: *mut Node| {
        let root = Root { first };
        let root = RootRef::from(&root);
        fn both<'a>(node: NodeRef<'a>) -> [FieldRef<'a, *mut Node>; 2] {
            [node.a_field(), node.b_field()]
        }
        let nodes = |seen: Option<tera_explore::Visited>| seen.map(|seen| seen.len());
        [
            nodes(tree(root.first_field(), both)),
            nodes(acyclic(root.first_field(), both)),
            nodes(list(root.first_field(), |node: NodeRef<'_>| node.a_field())),
            root.first().and_then(|first| nodes(ring(first, |node: NodeRef<'_>| node.a_field()))),
        ]
    };
    assert_eq!(judge(std::ptr::null_mut()), [Some(0), Some(0), Some(0), None]);
    // SAFETY: pointers to three nodes that live to the end.
    unsafe {
        ((*x).a, (*x).b) = (y, z);
        assert_eq!(judge(x), [Some(3), Some(3), Some(2), None]);
        (*y).a = z;
        assert_eq!(judge(x), [None, Some(3), Some(3), None]);
        (*z).a = x;
        assert_eq!(judge(x), [None, None, None, Some(3)]);
    }
    assert_eq!(<Node as Structure>::NAME, "Node");
}

/// What the test of one field reads of others is chosen first, and tried in full.
#[test]
fn a_requirement_may_read_other_fields() {
    for n in [3, 70] {
        let pairs = Finitization::<[u8; 2]>::of(n);
        let required = |pair: SeqRef<u8>| pair.field(0).require(|value| value > 0 && value < pair.at(1));
        let tested = |pair: SeqRef<u8>| pair.at(0) > 0 && pair.at(0) < pair.at(1);
        let (required, tested) = (pairs.count(required).unwrap(), pairs.count(tested).unwrap());
        assert_eq!(required.structures, tested.structures);
        assert_eq!(required.structures as usize, n * (n - 1) / 2);
        assert!(required.candidates < tested.candidates);
    }
}
