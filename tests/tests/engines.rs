//! One specification, several engines: the finder on the models, a predicate and a program with choices
//! give the same structures, each once.

mod common;

use std::ops::ControlFlow;

use common::{load, lower, root};
use tera_finder::EnumerateOptions;
use tera_model::{LowerOptions, Lowered, Target};
use tera_rel::{AtomId, Instance};
use testera::explore::{Explore, Finitization, compare};
use testera::{Candidate, Choices};

/// What one instance says, by names of fields.
struct Reader<'a> {
    lowered: &'a Lowered,
    instance: Instance,
}

impl Reader<'_> {
    fn tuples(&self, name: &str) -> Vec<Vec<AtomId>> {
        let relations = &self.lowered.problem.relations;
        let is_it = |full: &str| full == name || full.rsplit(['.', '/']).next() == Some(name);
        let at = relations.iter().position(|relation| is_it(&relation.name)).expect("a field of the model");
        self.instance.values[at].tuples().collect()
    }

    fn field(&self, name: &str, of: AtomId) -> Option<AtomId> {
        self.tuples(name).into_iter().find(|tuple| tuple[0] == of).map(|tuple| tuple[1])
    }

    fn int(&self, name: &str, of: AtomId) -> i64 {
        self.number(self.field(name, of).expect("one value"))
    }

    fn number(&self, atom: AtomId) -> i64 {
        self.lowered.problem.universe.int_value(atom).expect("an integer")
    }

    fn only(&self, sig: &str) -> AtomId {
        self.tuples(sig)[0][0]
    }
}

/// The canonical texts of all classes that the finder gives for a model at a scope.
fn found(model: &str, scope: usize, form: impl Fn(&Reader) -> String + Sync + Send) -> Vec<String> {
    common::with_stack(|| {
        let spec = load(&root().join("models").join(model)).expect("the model loads");
        let scope = Some(format!("{scope} but 0..{scope} Int"));
        let options = LowerOptions { scope, ..LowerOptions::default() };
        let lowered = lower(&spec, &Target::Command(0), &options).expect("the command is right");
        let mut forms = Vec::new();
        tera_finder::enumerate(&lowered.problem, &EnumerateOptions::default(), &mut |found| {
            forms.push(form(&Reader { lowered: &lowered, instance: found.instance() }));
            ControlFlow::Continue(())
        })
        .expect("enumerable");
        forms
    })
}

/// All three ways give the same structures, so many.
fn agree(count: usize, finder: Vec<String>, predicate: Vec<String>, choices: Vec<String>) {
    let same = |result: Result<usize, _>| match result {
        Ok(n) => assert_eq!(n, count),
        Err(difference) => panic!("{difference}"),
    };
    same(compare("finder", finder, "predicate", predicate.clone()));
    same(compare("predicate", predicate, "choices", choices));
}

mod list {
    use super::*;

    #[derive(Candidate)]
    struct List {
        header: Option<Box<Node>>,
    }

    #[derive(Candidate)]
    struct Node {
        next: Option<Box<Node>>,
        elem: u8,
    }

    #[test]
    fn lists() {
        for (n, count) in [(1, 3), (2, 13), (3, 85)] {
            let finder = found("list.als", n, |instance| {
                let first = instance.field("header", instance.only("List"));
                let nodes = std::iter::successors(first, |node| instance.field("next", *node));
                nodes.map(|node| format!("{} ", instance.int("elem", node))).collect()
            });
            let mut predicate = Vec::new();
            let all = |_: ListRef| true; // A box never closes a cycle.
            let view = |list: ListRef| {
                let nodes = std::iter::successors(list.header(), |node| node.next());
                predicate.push(nodes.map(|node| format!("{} ", node.elem())).collect::<String>());
            };
            Finitization::<List>::of(n).for_each(all, view).expect("defaults");
            let program =
                |c: &mut Choices| Some((0..c.int(0..=n)).map(|_| format!("{} ", c.int(0..=n))).collect());
            agree(count, finder, predicate, Explore::new(program).runs().collect());
        }
    }
}

mod search_tree {
    use super::*;

    #[derive(Candidate)]
    struct Tree {
        root: Option<Box<Node>>,
        size: usize,
    }

    #[derive(Candidate)]
    struct Node {
        left: Option<Box<Node>>,
        right: Option<Box<Node>>,
        key: i64,
    }

    fn size(node: Option<NodeRef>) -> usize {
        node.map_or(0, |node| 1 + size(node.left()) + size(node.right()))
    }

    fn within(node: Option<NodeRef>, above: i64, below: i64) -> bool {
        node.is_none_or(|node| {
            let key = node.key();
            above < key && key < below && within(node.left(), above, key) && within(node.right(), key, below)
        })
    }

    fn text(node: Option<NodeRef>) -> String {
        node.map_or(String::new(), |node| {
            format!("({}{}{})", text(node.left()), node.key(), text(node.right()))
        })
    }

    fn text_of(instance: &Reader, node: Option<AtomId>) -> String {
        node.map_or(String::new(), |node| {
            let child = |name| text_of(instance, instance.field(name, node));
            format!("({}{}{})", child("left"), instance.int("key", node), child("right"))
        })
    }

    fn grow(c: &mut Choices, size: usize, key: &mut impl FnMut(&mut Choices) -> usize) -> String {
        if size == 0 {
            return String::new();
        }
        let n_left = c.int(0..size);
        let left = grow(c, n_left, key);
        let key_here = key(c);
        format!("({left}{key_here}{})", grow(c, size - 1 - n_left, key))
    }

    #[test]
    fn search_trees() {
        for (n, count) in [(1, 3), (2, 10), (3, 37), (4, 146)] {
            let finder = found("search_tree.als", n, |instance| {
                let tree = instance.only("Tree");
                format!("{} {}", instance.int("size", tree), text_of(instance, instance.field("root", tree)))
            });
            let mut predicate = Vec::new();
            let rep_ok =
                |tree: TreeRef| within(tree.root(), -1, i64::MAX) && tree.size() == size(tree.root());
            let view = |tree: TreeRef| predicate.push(format!("{} {}", tree.size(), text(tree.root())));
            Finitization::<Tree>::of(n).for_each(rep_ok, view).expect("defaults");
            let program = |c: &mut Choices| {
                let size = c.int(0..=n);
                let (mut least, mut left) = (0, size);
                let mut key = |c: &mut Choices| {
                    left -= 1;
                    let key = c.int(least..=n - left);
                    least = key + 1;
                    key
                };
                Some(format!("{size} {}", grow(c, size, &mut key)))
            };
            agree(count, finder, predicate, Explore::new(program).runs().collect());
        }
    }
}

mod red_black_tree {
    use super::*;

    #[derive(Candidate)]
    struct Tree {
        root: Option<Box<Node>>,
    }

    #[derive(Candidate)]
    struct Node {
        left: Option<Box<Node>>,
        right: Option<Box<Node>>,
        key: i64,
        color: Color,
    }

    #[derive(Candidate, Clone, Copy, PartialEq)]
    enum Color {
        Red,
        Black,
    }

    fn black_height(node: Option<NodeRef>, below_red: bool) -> Option<usize> {
        let Some(node) = node else { return Some(0) };
        let red = node.color() == Color::Red;
        let (left, right) = (black_height(node.left(), red)?, black_height(node.right(), red)?);
        (left == right && !(red && below_red)).then_some(left + usize::from(!red))
    }

    fn within(node: Option<NodeRef>, above: i64, below: i64) -> bool {
        node.is_none_or(|node| {
            let key = node.key();
            above < key && key < below && within(node.left(), above, key) && within(node.right(), key, below)
        })
    }

    fn text(node: Option<NodeRef>) -> String {
        node.map_or(String::new(), |node| {
            let color = if node.color() == Color::Red { "r" } else { "b" };
            format!("({}{}{color}{})", text(node.left()), node.key(), text(node.right()))
        })
    }

    fn text_of(instance: &Reader, node: Option<AtomId>) -> String {
        node.map_or(String::new(), |node| {
            let child = |name| text_of(instance, instance.field(name, node));
            let color = instance.field("color", node).expect("one color");
            let color = if color == instance.only("Red") { "r" } else { "b" };
            format!("({}{}{color}{})", child("left"), instance.int("key", node), child("right"))
        })
    }

    /// A tree of this many nodes and this black height; a red root only where it may be.
    fn grow(
        c: &mut Choices,
        size: usize,
        may_be_red: bool,
        height: usize,
        key: &mut impl FnMut(&mut Choices) -> usize,
    ) -> Option<String> {
        if size == 0 {
            return (height == 0).then(String::new);
        }
        let red = may_be_red && c.bool();
        let below = if red { height } else { height.checked_sub(1)? };
        let n_left = c.int(0..size);
        let left = grow(c, n_left, !red, below, key)?;
        let key_here = key(c);
        let right = grow(c, size - 1 - n_left, !red, below, key)?;
        Some(format!("({left}{key_here}{}{right})", if red { "r" } else { "b" }))
    }

    #[test]
    fn red_black_trees() {
        for (n, count) in [(1, 3), (2, 10), (3, 25), (4, 66)] {
            let finder = found("red_black_tree.als", n, |instance| {
                text_of(instance, instance.field("root", instance.only("Tree")))
            });
            let mut predicate = Vec::new();
            // The root is black: it may not be red, as if it were below a red node.
            let rep_ok = |tree: TreeRef| {
                black_height(tree.root(), true).is_some() && within(tree.root(), -1, i64::MAX)
            };
            Finitization::<Tree>::of(n)
                .for_each(rep_ok, |tree| predicate.push(text(tree.root())))
                .expect("defaults");
            let program = |c: &mut Choices| {
                let size = c.int(0..=n);
                let height = c.int(0..=size);
                let (mut least, mut left) = (0, size);
                let mut key = |c: &mut Choices| {
                    left -= 1;
                    let key = c.int(least..=n - left);
                    least = key + 1;
                    key
                };
                grow(c, size, false, height, &mut key)
            };
            agree(count, finder, predicate, Explore::new(program).runs().collect());
        }
    }
}

mod heap {
    use super::*;

    #[derive(Candidate)]
    struct Heap {
        entries: Vec<u8>,
    }

    #[test]
    fn heaps() {
        for (n, count) in [(1, 3), (2, 10), (3, 45), (4, 216)] {
            let finder = found("heap.als", n, |instance| {
                let mut entries: Vec<(i64, i64)> = instance
                    .tuples("at")
                    .into_iter()
                    .map(|tuple| (instance.number(tuple[1]), instance.number(tuple[2])))
                    .collect();
                entries.sort();
                entries.into_iter().map(|(_, value)| format!("{value} ")).collect()
            });
            let mut predicate = Vec::new();
            let rep_ok = |heap: HeapRef| {
                let entries = heap.entries();
                (1..entries.len()).all(|at| entries.at(at) <= entries.at((at - 1) / 2))
            };
            let view =
                |heap: HeapRef| predicate.push(heap.entries().iter().map(|it| format!("{it} ")).collect());
            Finitization::<Heap>::of(n).for_each(rep_ok, view).expect("defaults");
            let program = |c: &mut Choices| {
                let mut entries: Vec<usize> = Vec::new();
                for at in 0..c.int(0..=n) {
                    let above = if at == 0 { n } else { entries[(at - 1) / 2] };
                    entries.push(c.int(0..=above));
                }
                Some(entries.iter().map(|value| format!("{value} ")).collect())
            };
            agree(count, finder, predicate, Explore::new(program).runs().collect());
        }
    }
}
