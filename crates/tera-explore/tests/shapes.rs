//! The shapes that real structs have: each is searched, each structure is built, and the same predicate holds
//! of the view of the candidate and of the value.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::sync::{Arc, Mutex, RwLock};

use tera_explore::{Candidate, Field, Finitization};

/// The number of structures, all of which are built and satisfy the predicate as values. What the predicate
/// says of both views comes as text, so that the two must be the same.
fn check<T: Field>(
    space: &Finitization<T>,
    rep_ok: impl for<'a> Fn(T::View<'a>) -> bool,
    text: impl for<'a> Fn(T::View<'a>) -> String,
) -> usize {
    let mut search = space.search().unwrap();
    let mut texts = Vec::new();
    while search.next(&mut |view: T::View<'_>| rep_ok(view)) {
        let value = search.value().expect("the type can hold every candidate");
        assert!(rep_ok(T::view(&value)), "{}", search.description());
        assert_eq!(text(T::view(&value)), text(search.structure()));
        texts.push(text(search.structure()));
    }
    let n = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), n, "every structure once: {texts:?}");
    n
}

/// A vector of elements that contain a vector of their like.
#[derive(Candidate)]
struct Tree {
    children: Vec<Node>,
}

#[derive(Candidate)]
struct Node {
    parent: *const Node,
    children: Vec<Node>,
}

#[test]
fn trees_with_vectors_of_children() {
    fn text(node: NodeRef) -> String {
        node.children().iter().map(|child| format!("({})", text(child))).collect()
    }
    fn knows_its_parent(node: NodeRef, parent: Option<NodeRef>) -> bool {
        node.parent() == parent && node.children().iter().all(|child| knows_its_parent(child, Some(node)))
    }
    let space = Finitization::<Tree>::of(5);
    assert!(space.to_string().starts_with("Node: at most 5 objects"), "{space}");
    let rep_ok = |tree: TreeRef| tree.children().iter().all(|node| knows_its_parent(node, None));
    let text = |tree: TreeRef| tree.children().iter().map(|node| format!("({})", text(node))).collect();
    // Ordered forests of up to five nodes: sums of Catalan numbers.
    assert_eq!(check(&space, rep_ok, text), 1 + 1 + 2 + 5 + 14 + 42);
    // By field as by value: elements are the same objects.
    let same = |tree: TreeRef| {
        let nodes = tree.children();
        (0..nodes.len()).all(|at| nodes.field(at).get() == nodes.at(at))
    };
    assert_eq!(space.count(same).unwrap().structures, space.count(|_| true).unwrap().structures);
}

#[derive(Candidate, Debug)]
enum Json {
    Null,
    Bool(bool),
    Text(String),
    List(Vec<Json>),
    Pair { first: Box<Json>, second: Option<Box<Json>> },
}

#[test]
fn enums_that_contain_themselves() {
    fn text(json: JsonRef) -> String {
        match json.case() {
            JsonCase::Null => "null".to_string(),
            JsonCase::Bool(value) => value.get().to_string(),
            JsonCase::Text(text) => format!("{:?}", text.get()),
            JsonCase::List(list) => {
                format!("[{}]", list.get().iter().map(text).collect::<Vec<_>>().join(" "))
            }
            JsonCase::Pair { first, second } => {
                format!("{{{} {:?}}}", text(first.get()), second.get().map(text))
            }
        }
    }
    /// Values of exactly n nodes, with two texts; lists of exactly n nodes in all.
    fn values(n: usize) -> usize {
        match n {
            0 => 0,
            1 => 1 + 2 + 2 + lists(0),
            _ => {
                let seconds = |n: usize| if n == 0 { 1 } else { values(n) };
                lists(n - 1) + (1..n).map(|first| values(first) * seconds(n - 1 - first)).sum::<usize>()
            }
        }
    }
    fn lists(n: usize) -> usize {
        if n == 0 { 1 } else { (1..=n).map(|first| values(first) * lists(n - first)).sum() }
    }
    for n in 0..4 {
        let space = Finitization::<Json>::of(n)
            .lengths("Json::Text.0", 0..=1)
            .values("Json::Text.0[]", ['x'])
            .lengths("Json::List.0", 0..=n);
        // The root is no object of the pool.
        let expected: usize = (1..=n + 1).map(values).sum();
        assert_eq!(check(&space, |_| true, text), expected, "{n}");
    }
}

#[derive(Candidate)]
struct Arena {
    nodes: Vec<Slot>,
    root: Option<usize>,
}

#[derive(Candidate)]
struct Slot {
    next: Option<usize>,
}

#[test]
fn arenas_with_indices() {
    fn text(arena: ArenaRef) -> String {
        format!("{:?} {:?}", arena.root(), arena.nodes().iter().map(|slot| slot.next()).collect::<Vec<_>>())
    }
    // A list through all slots in some order.
    let rep_ok = |arena: ArenaRef| {
        let nodes = arena.nodes();
        let (mut seen, mut at) = (0_u32, arena.root());
        while let Some(index) = at {
            if index >= nodes.len() || seen >> index & 1 == 1 {
                return false;
            }
            seen |= 1 << index;
            at = nodes.at(index).next();
        }
        seen.count_ones() as usize == nodes.len()
    };
    assert_eq!(check(&Finitization::<Arena>::of(4), rep_ok, text), 1 + 1 + 2 + 6 + 24);
}

#[derive(Candidate)]
struct Shared {
    root: Option<Rc<RefCell<Member>>>,
}

#[derive(Candidate)]
struct Member {
    parent: RefCell<Weak<RefCell<Member>>>,
    children: RefCell<Vec<Rc<RefCell<Member>>>>,
    visits: Cell<u8>,
}

#[test]
fn shared_nodes_in_cells() {
    fn good(node: MemberRef, parent: Option<MemberRef>, seen: &mut Vec<usize>) -> bool {
        use tera_explore::Object;
        let is_new = !seen.contains(&node.address());
        seen.push(node.address());
        is_new
            && node.parent() == parent
            && node.visits() < 2
            && node.children().iter().all(|child| good(child, Some(node), seen))
    }
    fn text(node: MemberRef) -> String {
        format!("{}({})", node.visits(), node.children().iter().map(text).collect::<String>())
    }
    let rep_ok = |tree: SharedRef| tree.root().is_none_or(|root| good(root, None, &mut Vec::new()));
    let text = |tree: SharedRef| tree.root().map(text).unwrap_or_default();
    // Ordered trees of 0, 1, 2, 3 nodes, each with one of two numbers.
    assert_eq!(check(&Finitization::<Shared>::of(3), rep_ok, text), 1 + 2 + 4 + 2 * 8);
}

#[derive(Candidate)]
struct Locked {
    first: Option<Arc<Mutex<Cellar>>>,
    name: RwLock<u8>,
}

#[derive(Candidate)]
struct Cellar {
    next: Option<Arc<Mutex<Cellar>>>,
    open: AtomicBool,
    bottles: AtomicU8,
    label: OnceCell<char>,
}

#[test]
fn locks_atomics_and_once_cells() {
    let rep_ok = |locked: LockedRef| {
        let mut cellars = std::iter::successors(locked.first(), |cellar| cellar.next()).take(3);
        locked.name() == 1 && cellars.all(|cellar| cellar.bottles() == 2 && cellar.next().is_none())
    };
    let text = |locked: LockedRef| format!("{:?}", locked.first().map(|it| (it.open(), it.label())));
    let space = Finitization::<Locked>::of(2).values("Cellar.label", ['p', 'q']);
    // None, or open or not, without a label or with one of two.
    assert_eq!(check(&space, rep_ok, text), 1 + 2 * 3);
    let held = Mutex::new(3_u8);
    let _guard = held.lock().unwrap();
    let outcome = std::panic::catch_unwind(|| <Mutex<u8> as Field>::view(&Mutex::new(3)));
    assert_eq!(outcome.unwrap(), 3);
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| <Mutex<u8> as Field>::view(&held)));
    assert!(outcome.is_err(), "a lock that is held is not looked into");
}

#[derive(Candidate)]
struct Deque {
    head: Option<NonNull<Link>>,
    tail: Option<NonNull<Link>>,
}

#[derive(Candidate)]
struct Link {
    next: Option<NonNull<Link>>,
    previous: Option<NonNull<Link>>,
    element: (bool, Option<char>),
}

#[test]
fn doubly_linked_by_non_null() {
    let links = |deque: DequeRef<'_>| {
        std::iter::successors(deque.head(), |link| link.next()).take(9).map(|link| link.element()).collect()
    };
    let rep_ok = |deque: DequeRef| {
        let (mut previous, mut at, mut n) = (None, deque.head(), 0);
        while let Some(link) = at {
            n += 1;
            if n > 9 || link.previous() != previous {
                return false;
            }
            (previous, at) = (at, link.next());
        }
        previous == deque.tail()
    };
    let text = |deque: DequeRef| {
        let links: Vec<(bool, Option<char>)> = links(deque);
        format!("{links:?}")
    };
    let space = Finitization::<Deque>::of(2).values("Link.element.1", ['z']);
    assert_eq!(check(&space, rep_ok, text), 1 + 4 + 16);
}

#[derive(Candidate)]
struct Queues<T, const N: usize> {
    queue: VecDeque<T>,
    pairs: [(T, bool); N],
    name: Box<str>,
}

#[test]
fn queues_arrays_texts_and_generics() {
    let rep_ok = |it: QueuesRef<i8, 2>| {
        it.queue().iter().all(|value| value < 2)
            && it.pairs().iter().all(|(value, flag)| flag == (value == 0))
            && it.name().len() == 2
            && it.name() != "bb"
            && it.name().chars().all(|character| character < 'c')
    };
    let text = |it: QueuesRef<i8, 2>| {
        let (queue, pairs) = (it.queue().iter().collect::<Vec<_>>(), it.pairs().iter().collect::<Vec<_>>());
        format!("{queue:?} {pairs:?} {}", it.name())
    };
    // Queues of up to two bits; two values with their flags; aa, ab, ba.
    assert_eq!(check(&Finitization::<Queues<i8, 2>>::of(2), rep_ok, text), (1 + 2 + 4) * 9 * 3);
    // A real queue that goes round its buffer.
    let mut queue: VecDeque<i8> = (0..8).collect();
    queue.rotate_left(3);
    queue.extend([8, 9]);
    queue.pop_front();
    let view = <VecDeque<i8> as Field>::view(&queue);
    assert_eq!(view.iter().collect::<Vec<_>>(), queue.iter().copied().collect::<Vec<_>>());
}
