//! A tree of counted nodes with weak pointers to their parents.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use testera::Heap;

type Link = Rc<RefCell<Node>>;

#[derive(Heap, Debug)]
pub struct Tree {
    root: Link,
}

#[derive(Heap, Debug)]
pub struct Node {
    value: u8,
    children: Vec<Link>,
    parent: Weak<RefCell<Node>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    None,
    /// The moved node keeps its old parent.
    StaleParent,
    /// The old parent keeps the moved node.
    TwoOwners,
    /// A node may be moved below itself, out of reach.
    Detaches,
}

impl Tree {
    /// Moves the node of value `child` below that of value `target`, unless it is the root or an
    /// ancestor of the target.
    pub fn move_below(&self, child: u8, target: u8, bug: Bug) {
        let (Some(child), Some(target)) = (find(&self.root, child), find(&self.root, target)) else { return };
        let Some(old) = child.borrow().parent.upgrade() else { return };
        let mut above = Some(target.clone());
        while let Some(node) = above {
            if Rc::ptr_eq(&node, &child) && bug != Bug::Detaches {
                return;
            }
            if Rc::ptr_eq(&node, &child) {
                break;
            }
            above = node.borrow().parent.upgrade();
        }
        if bug != Bug::TwoOwners {
            old.borrow_mut().children.retain(|other| !Rc::ptr_eq(other, &child));
        }
        target.borrow_mut().children.push(child.clone());
        if bug != Bug::StaleParent {
            child.borrow_mut().parent = Rc::downgrade(&target);
        }
    }
}

fn find(node: &Link, value: u8) -> Option<Link> {
    if node.borrow().value == value {
        return Some(node.clone());
    }
    node.borrow().children.iter().find_map(|child| find(child, value))
}
