//! A trie over two letters; each node has an array of children.

use testera::Heap;

#[derive(Heap, Debug)]
pub struct Trie {
    root: Box<Node>,
}

#[derive(Heap, Debug, Default)]
pub struct Node {
    children: [Option<Box<Node>>; 2],
    ends: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    None,
    /// Branches that lead to no word any more stay.
    LeavesBranch,
    /// Longer words that begin with the removed one are removed as well.
    TakesLonger,
}

impl Trie {
    /// Removes the word if it is there.
    pub fn remove(&mut self, word: &[bool], bug: Bug) {
        remove(&mut self.root, word, bug);
    }
}

/// Says whether the node is of no more use.
fn remove(node: &mut Node, word: &[bool], bug: Bug) -> bool {
    match word {
        [] => {
            let was_word = std::mem::replace(&mut node.ends, false);
            if bug == Bug::TakesLonger && was_word {
                node.children = Default::default();
            }
        }
        [letter, rest @ ..] => {
            let child = &mut node.children[usize::from(*letter)];
            if let Some(below) = child
                && remove(below, rest, bug)
                && bug != Bug::LeavesBranch
            {
                *child = None;
            }
        }
    }
    !node.ends && node.children.iter().all(Option::is_none)
}
