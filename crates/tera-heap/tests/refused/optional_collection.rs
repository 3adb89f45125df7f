use tera_heap::Heap;

#[derive(Heap)]
#[heap(crate = tera_heap)]
struct Names {
    names: Option<Vec<String>>,
}

fn main() {}
