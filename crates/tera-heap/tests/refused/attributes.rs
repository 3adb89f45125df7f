use tera_heap::Heap;

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct A {
    #[heap(ignore)]
    a: u8,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct B {
    #[heap(null = 0)]
    b: u8,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct C<'a> {
    c: &'a u8,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
#[repr(C, packed)]
struct D {
    d: u32,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
union E {
    e: u32,
}

#[derive(Heap)]
#[heap(crate = tera_heap)]
enum F {}

fn main() {}
