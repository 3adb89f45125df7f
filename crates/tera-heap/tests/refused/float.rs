use tera_heap::Heap;

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Circle {
    radius: f64,
}

fn main() {}
