//! A sorted-on-demand list, with a bug. `cargo test` in this folder shows it.

#[cfg_attr(test, derive(testera::Heap))]
pub struct List {
    header: Option<Box<Node>>,
}

#[cfg_attr(test, derive(testera::Heap))]
pub struct Node {
    elem: i32,
    next: Option<Box<Node>>,
}

impl List {
    pub fn merge_sort(&mut self) {
        self.header = sort(self.header.take());
    }

    /// Takes the first node with this element out of the list.
    pub fn remove(&mut self, elem: i32) {
        let mut link = &mut self.header;
        while link.as_ref().is_some_and(|node| node.elem != elem) {
            link = &mut link.as_mut().expect("looked at").next;
        }
        if let Some(node) = link.take() {
            *link = node.next;
        }
    }
}

type Link = Option<Box<Node>>;

fn sort(list: Link) -> Link {
    match list {
        Some(node) if node.next.is_some() => {
            let (left, right) = split(node);
            merge(sort(left), sort(right))
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

fn merge(left: Link, right: Link) -> Link {
    match (left, right) {
        (None, rest) | (rest, None) => rest,
        (Some(mut l), Some(mut r)) => {
            if l.elem >= r.elem {
                l.next = merge(l.next.take(), Some(r));
                Some(l)
            } else {
                r.next = merge(Some(l), r.next.take());
                Some(r)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[testera::check("list.als", requires = "acyclic[list]",
                     ensures = "sorted[list] and permutation[list]", scope = 5)]
    fn merge_sort(list: &mut List) {
        list.merge_sort();
    }

    #[testera::check("list.als", requires = "acyclic[list]", ensures = "removed[list, elem]", scope = 4)]
    fn remove(list: &mut List, elem: i32) {
        list.remove(elem);
    }
}
