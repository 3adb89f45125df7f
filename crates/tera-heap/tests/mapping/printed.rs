//! Printed Rust source. Every expected text below is also compiled and run, and must build the
//! value it was printed from.

use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::marker::{PhantomData, PhantomPinned};
use std::ops::Range;
use std::pin::Pin;
use std::ptr::NonNull;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, AtomicPtr};

use tera_heap::*;

use crate::support::Natural;

fn squash(text: &str) -> String {
    let mut text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    for _ in 0..3 {
        // Commas that only the formatter adds.
        text = text.replace(",}", "}").replace(",)", ")").replace(",]", "]");
    }
    text
}

/// Prints `value`, and compares with `code`, which binds `value` again and is run.
macro_rules! prints {
    ($objects:literal, $value:ident: $ty:ty, { $($code:tt)* }) => {{
        let natural = Natural::of::<$ty>($objects);
        let (instance, outcome) = natural.read(&$value);
        assert!(outcome.is_clean(), "{outcome:?}");
        let printed = source(&natural.binding, &instance, &[(0, stringify!($value))]).unwrap();
        let text: String = printed.statements.join("\n");
        assert_eq!(squash(&text), squash(stringify!($($code)*)), "\n{text}\n");
        let again = {
            #[allow(unused_mut, reason = "some printed statements bind what they never change")]
            { $($code)* $value }
        };
        let (second, outcome) = natural.read(&again);
        assert!(outcome.is_clean(), "{outcome:?}");
        assert_eq!(natural.show(&instance), natural.show(&second));
        let _ = std::mem::ManuallyDrop::new(again);
        printed
    }};
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct List {
    header: Option<Box<Node>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Node {
    elem: i32,
    next: Option<Box<Node>>,
}

#[test]
fn what_is_owned_once_is_one_expression() {
    let list =
        List { header: Some(Box::new(Node { elem: 0, next: Some(Box::new(Node { elem: 1, next: None })) })) };
    let printed = prints!(2, list: List, {
        let mut list = List {
            header: Some(Box::new(Node { elem: 0, next: Some(Box::new(Node { elem: 1, next: None })) }))
        };
    });
    let expression = printed.expressions[0].clone().unwrap();
    assert!(expression.starts_with("List { header: Some(Box::new(Node { elem: 0, "), "{expression}");
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Person {
    age: u8,
    friend: RefCell<Option<Rc<Person>>>,
    parent: RefCell<Weak<Person>>,
    children: RefCell<Vec<Rc<Person>>>,
    rank: Cell<u8>,
}

fn person(age: u8) -> Person {
    Person {
        age,
        friend: RefCell::new(None),
        parent: RefCell::new(Weak::new()),
        children: RefCell::new(vec![]),
        rank: Cell::new(1),
    }
}

#[test]
fn shared_objects_have_names_and_weak_pointers_are_assigned() {
    let child = Rc::new(person(3));
    let root = Rc::new(person(9));
    *child.parent.borrow_mut() = Rc::downgrade(&root);
    root.children.borrow_mut().push(Rc::clone(&child));
    *root.friend.borrow_mut() = Some(child);
    prints!(3, root: Rc<Person>, {
        let person1 = Rc::new(Person {
            age: 3,
            friend: RefCell::new(None),
            parent: RefCell::new(std::rc::Weak::new()),
            children: RefCell::new(vec![]),
            rank: Cell::new(1)
        });
        let person0 = Rc::new(Person {
            age: 9,
            friend: RefCell::new(Some(Rc::clone(&person1))),
            parent: RefCell::new(std::rc::Weak::new()),
            children: RefCell::new(vec![Rc::clone(&person1)]),
            rank: Cell::new(1)
        });
        let mut root = Rc::clone(&person0);
        *person1.parent.borrow_mut() = Rc::downgrade(&person0);
    });
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Ring {
    next: Option<Rc<RefCell<Ring>>>,
}

#[test]
fn cycles_are_closed_afterwards() {
    let ring = Rc::new(RefCell::new(Ring { next: None }));
    ring.borrow_mut().next = Some(Rc::new(RefCell::new(Ring { next: Some(Rc::clone(&ring)) })));
    prints!(2, ring: Rc<RefCell<Ring>>, {
        let ring0 = Rc::new(RefCell::new(Ring { next: Some(Rc::new(RefCell::new(Ring { next: None }))) }));
        let mut ring = Rc::clone(&ring0);
        ring0.borrow_mut().next.as_mut().unwrap().borrow_mut().next = Some(Rc::clone(&ring0));
    });
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Tree {
    root: Option<Box<Entry>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Entry {
    key: u8,
    left: Option<Box<Entry>>,
    parent: *mut Entry,
}

#[test]
fn raw_parents_are_written_when_the_tree_is_there() {
    let mut tree = Tree {
        root: Some(Box::new(Entry {
            key: 2,
            left: Some(Box::new(Entry { key: 1, left: None, parent: std::ptr::null_mut() })),
            parent: std::ptr::null_mut(),
        })),
    };
    let root = tree.root.as_mut().unwrap();
    let parent = &raw mut **root;
    root.left.as_mut().unwrap().parent = parent;
    prints!(2, tree: Tree, {
        let mut tree = Tree {
            root: Some(Box::new(Entry {
                key: 2,
                left: Some(Box::new(Entry { key: 1, left: None, parent: std::ptr::null_mut() })),
                parent: std::ptr::null_mut()
            }))
        };
        let entry0 = &raw mut **tree.root.as_mut().unwrap();
        tree.root.as_mut().unwrap().left.as_mut().unwrap().parent = entry0;
    });
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Items {
    first: Option<Box<Item>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Item {
    kind: Kind,
    next: Option<Box<Item>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
enum Kind {
    First,
    Later(*mut Item),
}

#[test]
fn pointers_in_variants_are_written_through_patterns() {
    let later = Item { kind: Kind::Later(std::ptr::null_mut()), next: None };
    let first = Item { kind: Kind::First, next: Some(Box::new(later)) };
    let mut items = Items { first: Some(Box::new(first)) };
    let first = &raw mut **items.first.as_mut().unwrap();
    let next = items.first.as_mut().unwrap().next.as_mut().unwrap();
    next.kind = Kind::Later(first);
    prints!(2, items: Items, {
        let mut items = Items {
            first: Some(Box::new(Item {
                kind: Kind::First,
                next: Some(Box::new(Item { kind: Kind::Later(std::ptr::null_mut()), next: None }))
            }))
        };
        let item0 = &raw mut **items.first.as_mut().unwrap();
        if let Kind::Later { 0: part0, .. } = &mut items.first.as_mut().unwrap().next.as_mut().unwrap().kind { *part0 = item0; }
    });
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Deque {
    head: Option<NonNull<Link>>,
    tail: *mut Link,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Link {
    value: char,
    next: Option<NonNull<Link>>,
    own: NonNull<Link>,
}

#[test]
fn objects_that_raw_pointers_own_are_leaked_boxes() {
    let link = |value| Box::into_raw(Box::new(Link { value, next: None, own: NonNull::dangling() }));
    let (a, b) = (link('a'), link('b'));
    // SAFETY: just made.
    unsafe {
        (*a).next = NonNull::new(b);
        (*a).own = NonNull::new(a).unwrap();
        (*b).own = NonNull::new(b).unwrap();
    }
    let deque = Deque { head: NonNull::new(a), tail: b };
    prints!(2, deque: Deque, {
        let link0 = Box::into_raw(Box::new(Link { value: 'a', next: None, own: NonNull::dangling() }));
        let link1 = Box::into_raw(Box::new(Link { value: 'b', next: None, own: NonNull::dangling() }));
        let mut deque = Deque { head: None, tail: std::ptr::null_mut() };
        unsafe {
            deque.head = NonNull::new(link0);
            deque.tail = link1;
            (*link0).next = NonNull::new(link1);
            (*link0).own = NonNull::new(link0).unwrap();
            (*link1).own = NonNull::new(link1).unwrap();
        }
    });
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
enum Shape {
    Empty,
    Circle(Meters),
    Many { parts: Vec<Shape>, names: BTreeMap<String, u8>, pairs: HashSet<(u8, bool)> },
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Meters(u8);

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Drawing<T> {
    shapes: VecDeque<Shape>,
    table: [Option<char>; 2],
    boxed: Box<[u8]>,
    label: &'static str,
    marker: PhantomData<T>,
    #[heap(skip)]
    cache: Vec<T>,
    last: Option<T>,
}

#[test]
fn collections_variants_and_newtypes_are_written_as_users_write_them() {
    use std::collections::*;
    let drawing: Drawing<u8> = Drawing {
        shapes: VecDeque::from([
            Shape::Many {
                parts: vec![Shape::Circle(Meters(4)), Shape::Empty],
                names: BTreeMap::from([("a".into(), 1)]),
                pairs: HashSet::from([(1, true)]),
            },
            Shape::Empty,
        ]),
        table: [None, Some('b')],
        boxed: vec![3].into_boxed_slice(),
        label: "ab",
        marker: PhantomData,
        cache: vec![],
        last: Some(7),
    };
    let printed = prints!(4, drawing: Drawing<u8>, {
        let mut drawing = Drawing {
            shapes: VecDeque::from(vec![
                Shape::Many {
                    parts: vec![Shape::Circle(Meters(4)), Shape::Empty],
                    names: BTreeMap::from_iter([(String::from("a"), 1)]),
                    pairs: HashSet::from_iter([(1, true)])
                },
                Shape::Empty
            ]),
            table: [None, Some('b')],
            boxed: vec![3].into_boxed_slice(),
            label: "ab",
            marker: PhantomData,
            cache: Default::default(),
            last: Some(7)
        };
    });
    assert_eq!(
        printed.uses,
        [
            "std::collections::BTreeMap",
            "std::collections::HashSet",
            "std::collections::VecDeque",
            "std::marker::PhantomData"
        ]
    );
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Arena {
    #[heap(arena)]
    nodes: Vec<Slot>,
    #[heap(index = Slot, null = usize::MAX)]
    root: usize,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Slot {
    #[heap(index = Slot)]
    next: Option<u16>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Ended {
    #[heap(index = Free, first = 1)]
    first: Option<Stamped>,
    #[heap(arena)]
    nodes: Vec<Free>,
}

#[derive(Heap)]
#[heap(crate = tera_heap, transparent)]
#[allow(dead_code, reason = "what is skipped is only filled")]
struct Stamped(#[heap(skip = 7)] u8, u8);

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Free {
    #[heap(index = Free, end)]
    next: Cell<usize>,
}

#[test]
fn indices_are_printed_as_positions() {
    let arena = Arena { nodes: vec![Slot { next: None }, Slot { next: Some(0) }], root: 1 };
    prints!(2, arena: Arena, {
        let mut arena = Arena { nodes: vec![Slot { next: None }, Slot { next: Some(0) }], root: 1 };
    });
    let ended = Ended { first: Some(Stamped(0, 1)), nodes: vec![Free { next: Cell::new(1) }] };
    prints!(1, ended: Ended, {
        let mut ended = Ended { first: Some(Stamped(7, 1)), nodes: vec![Free { next: Cell::new(1) }] };
    });
    let arena = Arena { nodes: vec![], root: usize::MAX };
    prints!(2, arena: Arena, {
        let mut arena = Arena { nodes: vec![], root: 18446744073709551615 };
    });
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Branch {
    parent: Option<Weak<Branch>>,
    origin: OnceCell<Weak<Branch>>,
    child: OnceCell<Rc<Branch>>,
    marked: Cell<bool>,
}

#[test]
fn what_is_set_once_is_set_afterwards() {
    let marked = || Cell::new(true);
    let root =
        Rc::new(Branch { parent: None, origin: OnceCell::new(), child: OnceCell::new(), marked: marked() });
    let weak = Rc::downgrade(&root);
    let child = Branch {
        parent: Some(weak.clone()),
        origin: OnceCell::from(weak),
        child: OnceCell::new(),
        marked: marked(),
    };
    let _ = root.child.set(Rc::new(child));
    let printed = Natural::of::<Rc<Branch>>(2);
    let (instance, _) = printed.read(&root);
    let source = source(&printed.binding, &instance, &[(0, "root")]).unwrap();
    // `parent` is neither a cell nor in one: safe code makes such a cycle by `Rc::new_cyclic` only.
    assert!(source.text().contains("child: OnceCell::from(Rc::new(Branch {"), "{}", source.text());

    let root =
        Rc::new(Branch { parent: None, origin: OnceCell::new(), child: OnceCell::new(), marked: marked() });
    let _ = root.origin.set(Rc::downgrade(&root));
    prints!(1, root: Rc<Branch>, {
        let branch0 = Rc::new(Branch {
            parent: None,
            origin: OnceCell::new(),
            child: OnceCell::new(),
            marked: Cell::new(true)
        });
        let mut root = Rc::clone(&branch0);
        let _ = branch0.origin.set(Rc::downgrade(&branch0));
    });
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Fixed {
    next: Option<Pin<Box<Fixed>>>,
    own: *mut Fixed,
    shared: AtomicPtr<Fixed>,
    ready: AtomicBool,
    order: Reverse<Ordering>,
    span: Range<u8>,
    outcome: Result<(), u8>,
    pinned: PhantomPinned,
}

#[test]
fn pinned_boxes_and_atomics() {
    let mut list = Box::pin(Fixed {
        next: None,
        own: std::ptr::null_mut(),
        shared: AtomicPtr::default(),
        ready: AtomicBool::new(true),
        order: Reverse(Ordering::Less),
        span: 1..3,
        outcome: Err(4),
        pinned: PhantomPinned,
    });
    // SAFETY: nothing is moved.
    let fixed = unsafe { list.as_mut().get_unchecked_mut() };
    fixed.own = fixed;
    fixed.shared = AtomicPtr::new(fixed);
    prints!(1, list: Pin<Box<Fixed>>, {
        let mut list = Box::pin(Fixed {
            next: None,
            own: std::ptr::null_mut(),
            shared: std::sync::atomic::AtomicPtr::default(),
            ready: std::sync::atomic::AtomicBool::new(true),
            order: std::cmp::Reverse(std::cmp::Ordering::Less),
            span: std::ops::Range { start: 1, end: 3 },
            outcome: Err(4),
            pinned: PhantomPinned
        });
        let fixed0 = unsafe { &raw mut *list.as_mut().get_unchecked_mut() };
        unsafe {
            list.as_mut().get_unchecked_mut().own = fixed0;
            list.as_mut().get_unchecked_mut().shared = std::sync::atomic::AtomicPtr::new(fixed0);
        }
    });
}
