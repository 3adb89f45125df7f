//! Red-black trees with parent pointers and without a sentinel, in the form of java.util.TreeMap.

use std::ptr;

use testera::Heap;

#[derive(Heap, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    Red,
    Black,
}
use Color::{Black, Red};

#[derive(Heap, Debug)]
pub struct Node {
    key: i32,
    color: Color,
    left: *mut Node,
    right: *mut Node,
    parent: *mut Node,
}

#[derive(Heap, Debug)]
pub struct Tree {
    root: *mut Node,
}

/// A seeded fault of [`Tree::remove`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    None,
    /// The test "was the removed node black" of a node with one child is inverted.
    OneChild,
    /// That of a node without children.
    Childless,
}

impl Drop for Tree {
    fn drop(&mut self) {
        fn free(node: *mut Node) {
            if !node.is_null() {
                // Safety: every node of the tree was boxed and has one owner above it.
                let node = unsafe { Box::from_raw(node) };
                free(node.left);
                free(node.right);
            }
        }
        free(self.root);
    }
}

// All pointers reached from the root are null or lead to nodes of the tree; these helpers give
// null the colour black and no relatives, as TreeMap does.
fn color(p: *mut Node) -> Color {
    if p.is_null() { Black } else { unsafe { (*p).color } }
}

fn paint(p: *mut Node, color: Color) {
    if !p.is_null() {
        unsafe { (*p).color = color };
    }
}

fn parent(p: *mut Node) -> *mut Node {
    if p.is_null() { p } else { unsafe { (*p).parent } }
}

fn left(p: *mut Node) -> *mut Node {
    if p.is_null() { p } else { unsafe { (*p).left } }
}

fn right(p: *mut Node) -> *mut Node {
    if p.is_null() { p } else { unsafe { (*p).right } }
}

impl Tree {
    /// Removes `key` if it is there.
    pub fn remove(&mut self, key: i32, bug: Bug) {
        let mut p = self.root;
        unsafe {
            while !p.is_null() && (*p).key != key {
                p = if key < (*p).key { (*p).left } else { (*p).right };
            }
            if p.is_null() {
                return;
            }
            if !(*p).left.is_null() && !(*p).right.is_null() {
                let mut successor = (*p).right;
                while !(*successor).left.is_null() {
                    successor = (*successor).left;
                }
                (*p).key = (*successor).key;
                p = successor;
            }
            let was_black = (*p).color == Black;
            let child = if (*p).left.is_null() { (*p).right } else { (*p).left };
            if !child.is_null() {
                (*child).parent = (*p).parent;
                self.replace(p, child);
                if was_black != (bug == Bug::OneChild) {
                    self.fix_after_deletion(child);
                }
            } else if (*p).parent.is_null() {
                self.root = ptr::null_mut();
            } else {
                if was_black != (bug == Bug::Childless) {
                    self.fix_after_deletion(p);
                }
                if !(*p).parent.is_null() {
                    self.replace(p, ptr::null_mut());
                }
            }
            drop(Box::from_raw(p));
        }
    }

    /// Puts `new` where the parent of `old` has `old`.
    unsafe fn replace(&mut self, old: *mut Node, new: *mut Node) {
        unsafe {
            let parent = (*old).parent;
            if parent.is_null() {
                self.root = new;
            } else if (*parent).left == old {
                (*parent).left = new;
            } else {
                (*parent).right = new;
            }
        }
    }

    unsafe fn rotate_left(&mut self, p: *mut Node) {
        if p.is_null() {
            return;
        }
        unsafe {
            let r = (*p).right;
            (*p).right = (*r).left;
            if !(*r).left.is_null() {
                (*(*r).left).parent = p;
            }
            (*r).parent = (*p).parent;
            self.replace(p, r);
            (*r).left = p;
            (*p).parent = r;
        }
    }

    unsafe fn rotate_right(&mut self, p: *mut Node) {
        if p.is_null() {
            return;
        }
        unsafe {
            let l = (*p).left;
            (*p).left = (*l).right;
            if !(*l).right.is_null() {
                (*(*l).right).parent = p;
            }
            (*l).parent = (*p).parent;
            self.replace(p, l);
            (*l).right = p;
            (*p).parent = l;
        }
    }

    unsafe fn fix_after_deletion(&mut self, mut x: *mut Node) {
        unsafe {
            while x != self.root && color(x) == Black {
                if x == left(parent(x)) {
                    let mut sibling = right(parent(x));
                    if color(sibling) == Red {
                        paint(sibling, Black);
                        paint(parent(x), Red);
                        self.rotate_left(parent(x));
                        sibling = right(parent(x));
                    }
                    if color(left(sibling)) == Black && color(right(sibling)) == Black {
                        paint(sibling, Red);
                        x = parent(x);
                    } else {
                        if color(right(sibling)) == Black {
                            paint(left(sibling), Black);
                            paint(sibling, Red);
                            self.rotate_right(sibling);
                            sibling = right(parent(x));
                        }
                        paint(sibling, color(parent(x)));
                        paint(parent(x), Black);
                        paint(right(sibling), Black);
                        self.rotate_left(parent(x));
                        x = self.root;
                    }
                } else {
                    let mut sibling = left(parent(x));
                    if color(sibling) == Red {
                        paint(sibling, Black);
                        paint(parent(x), Red);
                        self.rotate_right(parent(x));
                        sibling = left(parent(x));
                    }
                    if color(right(sibling)) == Black && color(left(sibling)) == Black {
                        paint(sibling, Red);
                        x = parent(x);
                    } else {
                        if color(left(sibling)) == Black {
                            paint(right(sibling), Black);
                            paint(sibling, Red);
                            self.rotate_left(sibling);
                            sibling = left(parent(x));
                        }
                        paint(sibling, color(parent(x)));
                        paint(parent(x), Black);
                        paint(left(sibling), Black);
                        self.rotate_right(parent(x));
                        x = self.root;
                    }
                }
            }
            paint(x, Black);
        }
    }
}
