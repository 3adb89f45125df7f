use std::mem::MaybeUninit;

use tera_heap::Heap;

trait Draw {}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Figure {
    picture: Box<dyn Draw>,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Button {
    pressed: fn(u8),
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Borrows {
    other: &'static u8,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Buffer {
    slots: [MaybeUninit<u8>; 4],
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Twice {
    maybe: Option<Option<u8>>,
}

fn main() {}
