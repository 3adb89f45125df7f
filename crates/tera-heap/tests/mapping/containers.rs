//! Sequences, maps, sets, tuples, texts.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomPinned;
use std::num::{NonZeroI8, NonZeroU8};
use std::rc::Rc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use proptest::prelude::*;
use tera_heap::Heap;

use crate::support::{same, there_and_back};

#[derive(Heap, PartialEq, Debug, Default, Clone)]
#[heap(crate = tera_heap)]
struct All {
    vec: Vec<u8>,
    deque: VecDeque<i8>,
    linked: LinkedList<u8>,
    slice: Box<[u8]>,
    array: [u8; 3],
    optional: [Option<u8>; 2],
    holes: Vec<Option<u8>>,
    nested: Vec<Vec<u8>>,
    map: HashMap<u8, char>,
    lists: BTreeMap<String, Vec<u8>>,
    set: BTreeSet<u8>,
    units: HashMap<u8, ()>,
    pairs: HashSet<(u8, bool)>,
    pair: (u8, bool),
    triple: Option<(u8, char, i8)>,
    triples: Vec<(u8, u8, u8)>,
    text: String,
    shared: Rc<str>,
    constant: &'static str,
    flags: Vec<bool>,
    byte: u64,
}

fn texts() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "b", "ab"]).prop_map(String::from)
}

fn small() -> std::ops::Range<u8> {
    0..6
}

prop_compose! {
    fn all()(
        (vec, deque, linked, slice, array) in (
            prop::collection::vec(small(), 0..4),
            prop::collection::vec_deque(-2..6i8, 0..4),
            prop::collection::linked_list(small(), 0..3),
            prop::collection::vec(small(), 0..3),
            [small(), small(), small()],
        ),
        (optional, holes, nested) in (
            [prop::option::of(small()), prop::option::of(small())],
            prop::collection::vec(prop::option::of(small()), 0..5),
            prop::collection::vec(prop::collection::vec(small(), 0..3), 0..4),
        ),
        (map, lists, set, pairs) in (
            prop::collection::hash_map(small(), prop::sample::select(vec!['a', 'b']), 0..4),
            prop::collection::btree_map(texts(), prop::collection::vec(small(), 0..3), 0..3),
            prop::collection::btree_set(small(), 0..4),
            prop::collection::hash_set((small(), any::<bool>()), 0..5),
        ),
        (pair, triple, triples, text, flags, byte) in (
            (small(), any::<bool>()),
            prop::option::of((small(), Just('a'), -2..4i8)),
            prop::collection::vec((small(), small(), small()), 0..3),
            texts(),
            prop::collection::vec(any::<bool>(), 0..3),
            0..9u64,
        ),
    ) -> All {
        All {
            vec, deque, linked, slice: slice.into(), array, optional, holes, nested, map, lists,
            units: set.iter().map(|&k| (k, ())).collect(),
            set, pairs, pair, triple, triples, shared: text.as_str().into(), text, constant: "ab", flags, byte,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_container_is_itself(value in all()) {
        same(1, &value);
    }
}

#[derive(Heap, Debug, Default)]
#[heap(crate = tera_heap)]
struct Rare {
    heap: BinaryHeap<u8>,
    nonzero: Option<NonZeroU8>,
    signed: Vec<NonZeroI8>,
    atomic: AtomicU32,
}

impl PartialEq for Rare {
    fn eq(&self, other: &Rare) -> bool {
        let all = |rare: &Rare| {
            let heap = rare.heap.clone().into_sorted_vec();
            (heap, rare.nonzero, rare.signed.clone(), rare.atomic.load(Relaxed))
        };
        all(self) == all(other)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn heaps_and_numbers_behind_types_are_themselves(
        heap in prop::collection::vec(small(), 0..5),
        nonzero in small(),
        signed in prop::collection::vec(-2..3i8, 0..3),
        atomic in 0..7u32,
    ) {
        let signed = signed.into_iter().filter_map(NonZeroI8::new).collect();
        same(1, &Rare { heap: heap.into(), nonzero: NonZeroU8::new(nonzero), signed, atomic: atomic.into() });
    }
}

#[test]
fn containers_are_relations() {
    let value = All {
        vec: vec![5, 5],
        array: [1, 2, 1],
        optional: [None, Some(4)],
        holes: vec![Some(1), None],
        nested: vec![vec![], vec![7]],
        map: HashMap::from([(3, 'b')]),
        lists: BTreeMap::from([("a".into(), vec![]), ("b".into(), vec![2])]),
        set: BTreeSet::from([2, 1]),
        units: HashMap::from([(4, ())]),
        pairs: HashSet::from([(1, true)]),
        triple: Some((1, 'a', -1)),
        ..All::default()
    };
    assert_eq!(
        same(1, &value),
        [
            "root = All0",
            "vec = All0->0->5 All0->1->5",
            "array = All0->0->1 All0->1->2 All0->2->1",
            "optional = All0->1->4",
            "holes = All0->0->1",
            "holes_len = All0->2",
            "nested = All0->1->0->7",
            "nested_len = All0->2",
            "map = All0->3->\"b\"",
            "lists = All0->\"b\"->0->2",
            "lists_keys = All0->\"a\" All0->\"b\"",
            "set = All0->1 All0->2",
            "units = All0->4",
            "pairs = All0->1->True0",
            "pair = All0->0->False0",
            "triple = All0->1->\"a\"->-1",
            "text = All0->\"\"",
            "shared = All0->\"\"",
            "constant = All0->\"\"",
            "byte = All0->0",
        ]
    );
}

#[derive(Heap, PartialEq, Debug, Clone, Default)]
#[heap(crate = tera_heap)]
struct Trie {
    ends: bool,
    children: [Option<Box<Trie>>; 2],
}

#[derive(Heap, PartialEq, Debug, Clone)]
#[heap(crate = tera_heap)]
struct Rose {
    label: u8,
    children: Vec<Rose>,
    tags: BTreeMap<char, Box<Rose>>,
}

fn rose() -> impl Strategy<Value = Rose> {
    let leaf = (0..9u8).prop_map(|label| Rose { label, children: vec![], tags: BTreeMap::new() });
    leaf.prop_recursive(3, 8, 3, |inner| {
        let tags = prop::option::of(inner.clone())
            .prop_map(|tag| tag.into_iter().map(|tag| ('b', Box::new(tag))).collect::<BTreeMap<_, _>>());
        (0..9u8, prop::collection::vec(inner, 0..3), tags).prop_map(|(label, children, tags)| Rose {
            label,
            children,
            tags,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn trees_in_vectors_are_themselves(rose in rose()) {
        same(24, &rose);
    }
}

#[test]
fn a_trie_has_children_by_position() {
    let leaf = Some(Box::new(Trie { ends: true, ..Trie::default() }));
    let trie =
        Trie { ends: false, children: [None, Some(Box::new(Trie { ends: true, children: [leaf, None] }))] };
    assert_eq!(
        same(3, &trie),
        [
            "root = Trie0",
            "ends = Trie0->False0 Trie1->True0 Trie2->True0",
            "children = Trie0->1->Trie1 Trie1->0->Trie2",
        ]
    );
}

/// A raw pointer into a vector, and one to an inline struct.
#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Inside {
    items: Vec<Item>,
    first: Item,
    by_name: BTreeMap<char, Item>,
    cursor: *const Item,
    cursors: Vec<*mut Item>,
    /// Pointers lead into the value itself.
    pinned: PhantomPinned,
}

#[derive(Heap, Debug)]
#[heap(crate = tera_heap)]
struct Item {
    id: u8,
    next: *mut Item,
}

#[test]
fn raw_pointers_find_objects_inside_others() {
    let item = |id| Item { id, next: std::ptr::null_mut() };
    let mut value = Inside {
        items: vec![item(0), item(1), item(2)],
        first: item(3),
        by_name: BTreeMap::from([('b', item(4))]),
        cursor: std::ptr::null(),
        cursors: vec![],
        pinned: PhantomPinned,
    };
    // Once there are pointers, no reference is made to what they lead to: it would end them.
    let (items, first) = (value.items.as_mut_ptr(), &raw mut value.first);
    let named = value.by_name.get_mut(&'b').map_or(std::ptr::null_mut(), |item| &raw mut *item);
    // SAFETY: the vector has three items.
    unsafe {
        value.cursor = items.add(1);
        (*items.add(2)).next = first;
        (*first).next = named;
    }
    value.cursors = vec![std::ptr::null_mut(), items];
    let (_, again, _) = there_and_back(5, &value);
    assert!(std::ptr::eq(again.cursor, &raw const again.items[1]));
    assert!(std::ptr::eq(again.items[2].next, &raw const again.first));
    assert!(std::ptr::eq(again.first.next, &raw const again.by_name[&'b']));
    assert!(again.cursors[0].is_null());
    assert!(std::ptr::eq(again.cursors[1], &raw const again.items[0]));
}
