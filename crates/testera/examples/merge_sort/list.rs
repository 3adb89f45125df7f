//! A singly linked list that sorts itself by merging, as in the first example of the TestEra
//! paper; and the paper's slip of the pen.

use testera::Heap;

#[derive(Heap, Debug)]
pub struct List {
    header: Option<Box<Node>>,
}

#[derive(Heap, Debug)]
pub struct Node {
    elem: i32,
    next: Option<Box<Node>>,
}

impl List {
    /// Sorts in place: no element is copied, the nodes are linked anew.
    pub fn merge_sort(&mut self) {
        self.header = sort(self.header.take(), |a, b| a <= b);
    }

    /// The paper's bug: every `<=` of the merge became `>=`.
    pub fn merge_sort_reversed(&mut self) {
        self.header = sort(self.header.take(), |a, b| a >= b);
    }
}

type Link = Option<Box<Node>>;

fn sort(list: Link, goes_first: fn(i32, i32) -> bool) -> Link {
    match list {
        Some(node) if node.next.is_some() => {
            let (left, right) = split(node);
            merge(sort(left, goes_first), sort(right, goes_first), goes_first)
        }
        short => short,
    }
}

/// The nodes at even and at odd places.
fn split(list: Box<Node>) -> (Link, Link) {
    let (mut left, mut right) = (None, None);
    let (mut left_end, mut right_end) = (&mut left, &mut right);
    let mut rest = Some(list);
    while let Some(mut node) = rest {
        rest = node.next.take();
        left_end = &mut left_end.insert(node).next;
        std::mem::swap(&mut left_end, &mut right_end);
    }
    (left, right)
}

fn merge(mut left: Link, mut right: Link, goes_first: fn(i32, i32) -> bool) -> Link {
    let mut merged = None;
    let mut end = &mut merged;
    loop {
        let from = match (&left, &right) {
            (Some(l), Some(r)) if goes_first(l.elem, r.elem) => &mut left,
            (_, Some(_)) => &mut right,
            _ => {
                *end = left;
                return merged;
            }
        };
        let mut node = from.take().expect("looked at");
        *from = node.next.take();
        end = &mut end.insert(node).next;
    }
}
