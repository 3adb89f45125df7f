//! Every shape of the table in MAPPING.md, exhaustively: each instance of the specification that the type implies,
//! in a small universe, is made into a value and read back, and must be itself. How many values there are is
//! counted by hand.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::num::*;
use std::ops::Range;
use std::pin::Pin;
use std::ptr::NonNull;
use std::rc::{self, Rc};
use std::sync::atomic::*;
use std::sync::{self, Arc, Mutex, OnceLock, RwLock};

use tera_heap::*;
use tera_rel::{Instance, Problem, Schema, SigInfo, SigKind, brute_force, canonical_form};

#[derive(Heap)]
#[heap(crate = tera_heap, bound = "T: Concretize + Abstraction")]
struct Holder<T> {
    value: T,
}

/// A problem with the facts of `Holder<T>`, one holder that is the root, and so many objects of the other types, in
/// the order in which they are met.
fn implied<T: Concretize + Abstraction>(objects: &[usize], ints: (i64, i64)) -> (Problem, Schema, Binding) {
    let mut describer = Describer::new();
    describer.root::<Holder<T>>("root");
    let graph = describer.finish();
    let texts = ["a", "bc"].map(String::from).to_vec();
    let (mut problem, schema) = natural(&graph, &Extent { objects: [&[1], objects].concat(), ints, texts });
    let binding = Binding::new(graph, &problem, &schema).unwrap_or_else(|e| panic!("{e:?}"));
    let facts = ownership_facts(&binding, &mut problem);
    problem.conjuncts.extend(facts.iter().map(|fact| fact.formula));
    let tops = schema.sigs.iter().filter(|sig| matches!(sig.kind, SigKind::Top)).map(|sig| sig.rel);
    for rel in tops.chain([binding.roots[0].rel]) {
        let relation = &mut problem.relations[rel.0 as usize];
        relation.lower = relation.upper.clone();
    }
    (problem, schema, binding)
}

/// Whether every object of an enum is of one variant.
fn has_variants(instance: &Instance, schema: &Schema) -> bool {
    schema.sigs.iter().enumerate().filter(|(_, sig)| sig.is_abstract).all(|(parent, sig)| {
        let children = || {
            let child = |sig: &&SigInfo| matches!(sig.kind, SigKind::Child(p) if p.0 as usize == parent);
            schema.sigs.iter().filter(child).map(|sig| instance.value(sig.rel))
        };
        instance
            .value(sig.rel)
            .indices()
            .all(|atom| children().filter(|c| c.contains_index(atom)).count() == 1)
    })
}

/// What `instance` says of the objects that were read into `second`.
fn reached(instance: &Instance, second: &Instance, schema: &Schema) -> Instance {
    let mut part = second.clone();
    let sig = |id: tera_rel::SigId| schema.sigs[id.0 as usize].rel;
    for child in &schema.sigs {
        if let SigKind::Child(parent) = child.kind {
            let set = &mut part.values[child.rel.0 as usize];
            *set = instance.value(child.rel).clone();
            set.intersect_with(second.value(sig(parent)));
        }
    }
    for field in &schema.fields {
        let owners = second.value(sig(field.owner));
        for tuple in instance.value(field.rel).tuples().filter(|t| owners.contains_index(t[0].0 as usize)) {
            part.values[field.rel.0 as usize].insert(&tuple);
        }
    }
    part
}

/// How many values of `T` the instances are, up to renaming; each is made and read back.
fn values<T: Concretize + Abstraction>(objects: &[usize], ints: (i64, i64)) -> usize {
    let (problem, schema, binding) = implied::<T>(objects, ints);
    let mut values = BTreeSet::new();
    let (mut made, mut seen) = (Made::new(), Seen::new());
    brute_force(&problem, &mut |instance| {
        if !has_variants(instance, &schema) {
            return;
        }
        let mut c = Concretizer::new(&binding, instance, &mut made);
        // A specification's declarations say more than the facts: at most one value for a key.
        let Ok(value) = c.root::<Holder<T>>(0) else { return };
        let finished = c.finish();
        // What raw pointers own, and cycles of counted ones, are leaked.
        let value = ManuallyDrop::new(value);
        if finished.is_err() {
            return;
        }
        let mut second = binding.start.clone();
        let mut a = Abstractor::new(&binding, Before::Instance(instance), &mut second, &mut seen)
            .with_objects(&made, None);
        a.root(0, &**value);
        let outcome = a.finish();
        assert!(outcome.is_clean(), "{} {outcome:?}", std::any::type_name::<T>());
        let first = canonical_form(&problem, &reached(instance, &second, &schema)).instance;
        let second = canonical_form(&problem, &second).instance;
        assert_eq!(first, second, "{} {:?}", std::any::type_name::<T>(), binding.atoms);
        values.insert(format!("{second:?}"));
        made.forget();
    })
    .unwrap();
    values.len()
}

/// `type, objects, integers => values;`
macro_rules! shapes {
    ($($(#[$attribute:meta])* $name:ident { $($ty:ty, $objects:tt, $ints:expr => $values:expr;)* })*) => {$(
        #[test]
        $(#[$attribute])*
        fn $name() {
            $(assert_eq!(values::<$ty>(&$objects, $ints), $values, stringify!($ty));)*
        }
    )*};
}

#[derive(Heap, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[heap(crate = tera_heap)]
enum Color {
    Red,
    Black,
}

#[derive(Heap, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[heap(crate = tera_heap)]
struct Key {
    id: u8,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Marker;

/// One object that points to one other, or itself, by each kind of pointer.
macro_rules! chains {
    ($($name:ident: $link:ty;)*) => {$(
        #[derive(Heap)]
        #[heap(crate = tera_heap)]
        struct $name {
            next: $link,
        }
    )*};
}

chains! {
    Boxed: Option<Box<Boxed>>;
    Pinned: Option<Pin<Box<Pinned>>>;
    Counted: Option<Rc<Counted>>;
    Shared: Option<Rc<RefCell<Shared>>>;
    Locked: Option<Arc<Mutex<Locked>>>;
    Late: OnceCell<Rc<Late>>;
    LateLock: OnceLock<Arc<LateLock>>;
    Up: rc::Weak<Up>;
    CellUp: RefCell<sync::Weak<CellUp>>;
    MaybeUp: Option<rc::Weak<MaybeUp>>;
    LateUp: OnceCell<rc::Weak<LateUp>>;
    Raw: *mut Raw;
    Const: *const Const;
    MaybeRaw: Option<*mut MaybeRaw>;
    Atomic: AtomicPtr<Atomic>;
    Linked: Option<NonNull<Linked>>;
    InCell: Cell<Option<NonNull<InCell>>>;
    Elements: Vec<Elements>;
    Ring: NonNull<Ring>;
}

/// A type parameter that is nothing.
#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Entry<K, V> {
    key: K,
    value: V,
    next: Option<Box<Entry<K, V>>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Buffer<T, const N: usize> {
    slots: [Option<T>; N],
    unused: PhantomData<T>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
enum Expr {
    Zero,
    Number(u8),
    Not { inner: Box<Expr> },
}

/// Two types that lead to each other, and an alias between them.
#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Folder {
    files: Vec<Content>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
enum Content {
    Text(bool),
    Nested(Nested),
}

type Nested = Box<Folder>;

/// Entries by number: `Option`, a sentinel, a newtype, in arrays, tuples and variants, shared and mutable.
macro_rules! arenas {
    ($($arena:ident of $entry:ident { $index:ty $(, $($option:tt)*)? })*) => {$(
        #[derive(Heap)]
        #[heap(crate = tera_heap)]
        struct $arena {
            #[heap(arena)]
            entries: Vec<$entry>,
            #[heap(index = $entry $(, $($option)*)?)]
            first: $index,
        }

        #[derive(Heap)]
        #[heap(crate = tera_heap)]
        struct $entry {
            #[heap(index = $entry $(, $($option)*)?)]
            next: $index,
        }
    )*};
}

#[derive(Heap, Clone, Copy)]
#[heap(crate = tera_heap)]
struct Id(u16);

/// An index with what tells later uses of a place from earlier ones.
#[derive(Heap, Clone, Copy)]
#[heap(crate = tera_heap, transparent)]
struct Stamped {
    index1: NonZeroUsize,
    #[heap(skip)]
    #[allow(dead_code, reason = "what is skipped is only filled")]
    stamp: u16,
}

arenas! {
    Optional of OptionalEntry { Option<usize> }
    Sentinel of SentinelEntry { u32, null = u32::MAX }
    Signed of SignedEntry { Cell<isize>, null = -1 }
    Named of NamedEntry { Option<Id> }
    Twice of TwiceEntry { [Option<Id>; 1] }
    Many of ManyEntry { Vec<u8> }
    Pairs of PairsEntry { Option<(u8, u8)> }
    OneBased of OneBasedEntry { Option<Stamped>, first = 1 }
    Ended of EndedEntry { usize, end }
    OneBasedEnd of OneBasedEndEntry { NonZeroU8, first = 1, end }
}

/// As slabs do it: an entry is in use or leads to the next free one.
#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Slots {
    #[heap(arena)]
    slots: Vec<Slot>,
    #[heap(index = Slot)]
    free: Option<usize>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
enum Slot {
    Used(bool),
    Free {
        #[heap(index = Slot)]
        next: Option<usize>,
    },
}

/// Texts, numbers and flags need two values each; cells are 2 to the power of them.
const BITS: (i64, i64) = (0, 1);

shapes! {
    numbers {
        u8, [0], (-1, 1) => 2;
        u16, [0], (-1, 1) => 2;
        u32, [0], (-1, 1) => 2;
        u64, [0], (-1, 1) => 2;
        u128, [0], (-1, 1) => 2;
        usize, [0], (-1, 1) => 2;
        i8, [0], (-1, 1) => 3;
        i16, [0], (-1, 1) => 3;
        i32, [0], (-1, 1) => 3;
        i64, [0], (-1, 1) => 3;
        i128, [0], (-1, 1) => 3;
        isize, [0], (-1, 1) => 3;
        u8, [0], (254, 256) => 2;
        i8, [0], (-129, -127) => 2;
        NonZeroU8, [0], (-1, 1) => 1;
        NonZeroU16, [0], (-1, 1) => 1;
        NonZeroU32, [0], (-1, 1) => 1;
        NonZeroU64, [0], (-1, 1) => 1;
        NonZeroU128, [0], (-1, 1) => 1;
        NonZeroUsize, [0], (-1, 1) => 1;
        NonZeroI8, [0], (-1, 1) => 2;
        NonZeroI128, [0], (-1, 1) => 2;
        Option<NonZeroU32>, [0], (-1, 1) => 2;
        AtomicU8, [0], (-1, 1) => 2;
        AtomicI64, [0], (-1, 1) => 3;
        AtomicUsize, [0], (-1, 1) => 2;
        Wrapping<u8>, [0], (-1, 1) => 2;
        Saturating<i8>, [0], (-1, 1) => 3;
    }
    other_scalars {
        bool, [0], BITS => 2;
        AtomicBool, [0], BITS => 2;
        char, [0], BITS => 1;
        String, [0], BITS => 2;
        &'static str, [0], BITS => 2;
        Box<str>, [0], BITS => 2;
        Rc<str>, [0], BITS => 2;
        Arc<str>, [0], BITS => 2;
        Cow<'static, str>, [0], BITS => 2;
        Color, [0], BITS => 2;
        Ordering, [0], BITS => 3;
        (), [0], BITS => 1;
        PhantomData<u8>, [0], BITS => 1;
        Marker, [1], BITS => 1;
    }
    wrappers {
        Box<u8>, [0], BITS => 2;
        Rc<u8>, [0], BITS => 2;
        Arc<Color>, [0], BITS => 2;
        Cell<u8>, [0], BITS => 2;
        RefCell<u8>, [0], BITS => 2;
        UnsafeCell<u8>, [0], BITS => 2;
        Mutex<u8>, [0], BITS => 2;
        RwLock<Option<u8>>, [0], BITS => 3;
        ManuallyDrop<u8>, [0], BITS => 2;
        Reverse<u8>, [0], BITS => 2;
        Pin<Box<u8>>, [0], BITS => 2;
        OnceCell<u8>, [0], BITS => 3;
        OnceLock<Box<u8>>, [0], BITS => 3;
        *mut u8, [0], BITS => 3;
        Option<NonNull<u8>>, [0], BITS => 3;
        Box<()>, [0], BITS => 1;
    }
    options_and_tuples {
        Option<u8>, [0], BITS => 3;
        Option<Color>, [0], BITS => 3;
        Option<Box<u8>>, [0], BITS => 3;
        (u8,), [0], BITS => 2;
        (u8, bool), [0], BITS => 4;
        ((u8, bool), u8), [0], BITS => 8;
        (u8, ()), [0], BITS => 2;
        Option<(u8, u8)>, [0], BITS => 5;
    }
    // No next, one of itself, or a second object with the same choices: none, itself, the first. Owning pointers
    // lead to no cycle.
    pointers {
        Option<Box<Boxed>>, [2], BITS => 3;
        Box<Boxed>, [2], BITS => 2;
        Boxed, [2], BITS => 2;
        Option<Pin<Box<Pinned>>>, [2], BITS => 3;
        Option<Rc<Counted>>, [2], BITS => 3;
        Option<Arc<Mutex<Locked>>>, [2], BITS => 6;
        Option<Rc<RefCell<Shared>>>, [2], BITS => 6;
        OnceCell<Rc<Late>>, [2], BITS => 6;
        OnceLock<Arc<LateLock>>, [2], BITS => 6;
        Rc<Up>, [2], BITS => 5;
        Arc<CellUp>, [2], BITS => 5;
        Option<rc::Weak<MaybeUp>>, [2], BITS => 6;
        Rc<LateUp>, [2], BITS => 5;
        Box<Raw>, [2], BITS => 5;
        *mut Raw, [2], BITS => 6;
        *const Const, [2], BITS => 6;
        Option<*mut MaybeRaw>, [2], BITS => 6;
        AtomicPtr<Atomic>, [2], BITS => 6;
        Option<NonNull<Linked>>, [2], BITS => 6;
        Cell<Option<NonNull<InCell>>>, [2], BITS => 6;
        NonNull<Ring>, [2], BITS => 3;
    }
    // Up to two elements of two values: 1 + 2 + 4.
    sequences {
        Vec<u8>, [0], BITS => 7;
        Vec<bool>, [0], BITS => 7;
        Vec<Box<u8>>, [0], BITS => 7;
        VecDeque<u8>, [0], BITS => 7;
        LinkedList<u8>, [0], BITS => 7;
        Box<[u8]>, [0], BITS => 7;
        Rc<[u8]>, [0], BITS => 7;
        Arc<[u8]>, [0], BITS => 7;
        Rc<Vec<u8>>, [0], BITS => 7;
        RefCell<Vec<u8>>, [0], BITS => 7;
        [u8; 2], [0], BITS => 4;
        [Option<u8>; 2], [0], BITS => 9;
        [[u8; 2]; 2], [0], BITS => 16;
        [Option<Box<Boxed>>; 2], [2], BITS => 6;
        Vec<(u8, bool)>, [0], BITS => 21;
        // A length of none or one, as an `Int`.
        Vec<Option<u8>>, [0], BITS => 4;
        VecDeque<Option<u8>>, [0], BITS => 4;
        Vec<Option<u8>>, [0], (0, 2) => 21;
        Vec<Vec<u8>>, [0], BITS => 8;
        Vec<[u8; 2]>, [0], BITS => 21;
        Vec<rc::Weak<Up>>, [1], BITS => 4;
        // Trees of up to three nodes: one, one below it, two below it, a chain.
        Elements, [3], BITS => 4;
    }
    maps_and_sets {
        HashMap<u8, u8>, [0], BITS => 9;
        BTreeMap<u8, bool>, [0], BITS => 9;
        HashMap<Color, u8>, [0], BITS => 9;
        BTreeMap<String, u8>, [0], BITS => 9;
        HashMap<bool, u8>, [0], BITS => 9;
        HashMap<(u8, bool), u8>, [0], BITS => 81;
        BTreeMap<u8, (u8, u8)>, [0], BITS => 25;
        HashMap<u8, ()>, [0], BITS => 4;
        HashMap<u8, Option<u8>>, [0], BITS => 16;
        BTreeMap<u8, Vec<u8>>, [0], BITS => 64;
        HashMap<u8, HashMap<u8, u8>>, [0], BITS => 100;
        BTreeMap<u8, BTreeSet<u8>>, [0], BITS => 25;
        HashMap<u8, Box<Boxed>>, [2], BITS => 6;
        HashSet<u8>, [0], BITS => 4;
        BTreeSet<(u8, bool)>, [0], BITS => 16;
        HashSet<Color>, [0], BITS => 4;
        BTreeSet<String>, [0], BITS => 4;
        BTreeSet<Key>, [2], BITS => 4;
        HashSet<Box<Key>>, [2], BITS => 4;
        // Key 0 and key 1, each there with one of two values or not.
        HashMap<Key, u8>, [2], BITS => 9;
    }
    // An entry leads nowhere or to one of the entries: (n + 1) to the power of n + 1 for n entries, together with the
    // first; without entries one. Positions are what tells entries apart.
    arenas {
        Optional, [1, 2], BITS => 1 + 4 + 27;
        Sentinel, [1, 2], BITS => 1 + 4 + 27;
        Signed, [1, 2], BITS => 1 + 4 + 27;
        Named, [1, 2], BITS => 1 + 4 + 27;
        Twice, [1, 2], BITS => 1 + 4 + 27;
        // Up to two numbers at each of two places.
        Many, [1, 1], BITS => 1 + 9;
        OneBased, [1, 2], BITS => 1 + 4 + 27;
        Ended, [1, 2], BITS => 1 + 4 + 27;
        OneBasedEnd, [1, 2], BITS => 1 + 4 + 27;
        // A pair of the one entry, or none.
        Pairs, [1, 1], BITS => 1 + 4;
        // One slot is used in two ways, or free; it and the free list lead to none or to it.
        Slots, [1, 1], BITS => 1 + (2 + 2) * 2;
    }
    structs_and_enums {
        Entry<u8, ()>, [2], BITS => 2 + 4;
        Entry<u8, bool>, [2], BITS => 4 + 16;
        Entry<Marker, Color>, [1], BITS => 2;
        Buffer<u8, 2>, [1], BITS => 9;
        Range<u8>, [1], BITS => 4;
        Option<Range<u8>>, [1], BITS => 5;
        Result<u8, bool>, [1], BITS => 4;
        Result<(), u8>, [1], BITS => 3;
        Result<Vec<u8>, Marker>, [1], BITS => 8;
        // A leaf is zero or one of two numbers: negated up to once, zero up to twice.
        Expr, [2], BITS => 3 + 3 + 1;
        // Empty, up to two texts, a folder alone with up to one text, an empty one beside a text on either side.
        Folder, [2], BITS => 1 + 2 + 4 + 3 + 4;
    }
}
