//! What it costs to make a value from an instance and to read it back, beside the bare work of
//! allocating, linking and freeing the same structure by hand.
//!
//!     cargo bench -p tera-heap
//!
//! The oracle is not in it: see the benchmark of `tera-check`.

use std::hint::black_box;
use std::time::Instant;

use tera_heap::*;
use tera_rel::Instance;

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

fn list(n: i32) -> List {
    let mut header = None;
    for elem in 0..n {
        header = Some(Box::new(Node { elem, next: header }));
    }
    List { header }
}

#[derive(Heap, Clone, Copy)]
#[heap(crate = tera_heap)]
enum Color {
    Red,
    Black,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Tree {
    root: Option<Box<Entry>>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Entry {
    key: i32,
    color: Color,
    left: Option<Box<Entry>>,
    right: Option<Box<Entry>>,
    parent: *mut Entry,
}

/// A complete tree of the keys `low..high`.
fn tree(low: i32, high: i32, color: Color, parent: *mut Entry) -> Option<Box<Entry>> {
    if low >= high {
        return None;
    }
    let key = (low + high) / 2;
    let mut entry = Box::new(Entry { key, color, left: None, right: None, parent });
    let this = &raw mut *entry;
    let below = match color {
        Color::Red => Color::Black,
        Color::Black => Color::Red,
    };
    entry.left = tree(low, key, below, this);
    entry.right = tree(key + 1, high, below, this);
    Some(entry)
}

/// The same with nodes that raw pointers own, as in the Java class.
#[derive(Heap)]
#[heap(crate = tera_heap)]
struct RawTree {
    root: *mut RawEntry,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct RawEntry {
    key: i32,
    color: Color,
    left: *mut RawEntry,
    right: *mut RawEntry,
    parent: *mut RawEntry,
}

fn raw_tree(low: i32, high: i32, color: Color, parent: *mut RawEntry) -> *mut RawEntry {
    let null = std::ptr::null_mut();
    if low >= high {
        return null;
    }
    let key = (low + high) / 2;
    let this = Box::into_raw(Box::new(RawEntry { key, color, left: null, right: null, parent }));
    // SAFETY: just made.
    unsafe {
        (*this).left = raw_tree(low, key, Color::Red, this);
        (*this).right = raw_tree(key + 1, high, Color::Black, this);
    }
    this
}

fn free(entry: *mut RawEntry) {
    if !entry.is_null() {
        // SAFETY: made by `raw_tree`, freed once.
        let entry = unsafe { Box::from_raw(entry) };
        free(entry.left);
        free(entry.right);
    }
}

impl Drop for RawTree {
    fn drop(&mut self) {
        free(self.root);
    }
}

const ROUNDS: u32 = 200_000;

/// Nanoseconds that this thread has run, where the system tells.
fn clock(start: Instant) -> f64 {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = schedstat.and_then(|text| text.split(' ').next()?.parse().ok());
    ran.unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

/// Nanoseconds of one round, the best of five.
fn time(mut round: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut best = f64::MAX;
    for _ in 0..5 {
        let before = clock(start);
        (0..ROUNDS).for_each(|_| round());
        best = best.min((clock(start) - before) / f64::from(ROUNDS));
    }
    best
}

fn measure<T: Concretize + Abstraction>(name: &str, objects: usize, make: impl Fn() -> T) {
    let mut describer = Describer::new();
    describer.root::<T>("root");
    let graph = describer.finish();
    let extent = Extent { objects: vec![1, objects + 3, 0], ints: (0, 9), texts: vec![] };
    let (problem, schema) = natural(&graph, &extent);
    let binding = Binding::new(graph, &problem, &schema).unwrap();
    let mut seen = Seen::new();
    let mut made = Made::new();
    let value = make();
    let mut instance = binding.start.clone();
    let mut a = Abstractor::new(&binding, Before::Nothing, &mut instance, &mut seen);
    a.root(0, &value);
    assert!(a.finish().is_clean());

    let bare = time(|| drop(black_box(make())));
    let concretize = time(|| drop(black_box(concretized::<T>(&binding, &instance, &mut made))));
    let again = concretized::<T>(&binding, &instance, &mut made);
    let mut after = binding.start.clone();
    let abstraction = time(|| {
        for (value, start) in after.values.iter_mut().zip(&binding.start.values) {
            value.copy_from(start);
        }
        let mut a = Abstractor::new(&binding, Before::Instance(&instance), &mut after, &mut seen)
            .with_objects(&made, None);
        a.root(0, &*again);
        assert!(a.finish().is_clean());
    });
    assert_eq!(after, instance);
    println!("{name:<34}{bare:>8.0}{concretize:>14.0}{abstraction:>14.0}{:>10}", binding.n_atoms);
}

fn concretized<T: Concretize>(binding: &Binding, instance: &Instance, made: &mut Made) -> Box<T> {
    let mut c = Concretizer::new(binding, instance, made);
    let value = c.root(0).unwrap();
    c.finish().unwrap();
    value
}

fn main() {
    println!("ns per value{:>30}{:>14}{:>14}{:>10}", "by hand", "make + drop", "read", "atoms");
    for n in [3, 6, 9] {
        measure(&format!("list of {n}"), n as usize, || list(n));
    }
    measure("red-black tree of 7, raw parents", 7, || Tree {
        root: tree(0, 7, Color::Black, std::ptr::null_mut()),
    });
    measure("red-black tree of 7, all raw", 7, || RawTree {
        root: raw_tree(0, 7, Color::Black, std::ptr::null_mut()),
    });
}
