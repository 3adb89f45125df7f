//! The canonical form of an instance: the smallest of its images under the permutations inside the
//! sorts of its problem. Two instances are isomorphic when their canonical forms are equal.
//!
//! Independent of the search and simple: atoms are told apart by colour refinement, atoms that a
//! swap does not change (twins) keep their order, and what arrangements remain are all tried. Only
//! visible relations count.

use num_bigint::BigUint;

use crate::problem::{Instance, Problem, Role};
use crate::tuple_set::TupleSet;
use crate::universe::AtomId;

/// A class of isomorphic instances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// The representative; auxiliary relations are empty in it.
    pub instance: Instance,
    /// How many permutations leave the instance as it is.
    pub automorphisms: BigUint,
}

/// See the module.
pub fn canonical_form(problem: &Problem, instance: &Instance) -> Canonical {
    let colours = refine(problem, instance);
    // Positions of a sort are filled colour by colour; inside a colour, twins are alike.
    let mut arrangement = Arrangement {
        problem,
        instance,
        image: (0..problem.universe.len() as u32).map(AtomId).collect(),
        groups: Vec::new(),
        best: None,
        n_best: 0,
    };
    let mut twin_orders = BigUint::from(1u32);
    for sort in &problem.sorts {
        let mut atoms = sort.clone();
        atoms.sort_by_key(|a| (colours[a.0 as usize], *a));
        let mut places = sort.clone();
        places.sort_unstable();
        let mut from = 0;
        while from < atoms.len() {
            let colour = colours[atoms[from].0 as usize];
            let end = from + atoms[from..].partition_point(|a| colours[a.0 as usize] == colour);
            let mut twins: Vec<Vec<AtomId>> = Vec::new();
            for &atom in &atoms[from..end] {
                match twins.iter_mut().find(|class| is_swap_invariant(problem, instance, class[0], atom)) {
                    Some(class) => class.push(atom),
                    None => twins.push(vec![atom]),
                }
            }
            for class in &mut twins {
                (2..=class.len()).for_each(|k| twin_orders *= k);
                // Taken from the end, smallest first.
                class.reverse();
            }
            arrangement.groups.push(Group { places: places[from..end].to_vec(), twins });
            from = end;
        }
    }
    arrangement.search(0, 0);
    let instance = Instance { values: arrangement.best.expect("there is the identity") };
    Canonical { instance, automorphisms: twin_orders * arrangement.n_best }
}

/// The atoms of one colour in one sort, by twin class, and the places that they fill.
struct Group {
    places: Vec<AtomId>,
    twins: Vec<Vec<AtomId>>,
}

struct Arrangement<'a> {
    problem: &'a Problem,
    instance: &'a Instance,
    image: Vec<AtomId>,
    groups: Vec<Group>,
    best: Option<Vec<TupleSet>>,
    n_best: u64,
}

impl Arrangement<'_> {
    /// Tries all ways to fill the places from `place` of `group` on.
    fn search(&mut self, group: usize, place: usize) {
        if group == self.groups.len() {
            let values = permute(self.problem, self.instance, &self.image);
            match self.best.as_ref().map(|best| order(&values, best)) {
                Some(std::cmp::Ordering::Greater) => {}
                Some(std::cmp::Ordering::Equal) => self.n_best += 1,
                Some(std::cmp::Ordering::Less) | None => {
                    self.best = Some(values);
                    self.n_best = 1;
                }
            }
            return;
        }
        if place == self.groups[group].places.len() {
            return self.search(group + 1, 0);
        }
        for class in 0..self.groups[group].twins.len() {
            let target = self.groups[group].places[place];
            if let Some(atom) = self.groups[group].twins[class].pop() {
                self.image[atom.0 as usize] = target;
                self.search(group, place + 1);
                self.groups[group].twins[class].push(atom);
            }
        }
    }
}

fn visible(problem: &Problem) -> impl Iterator<Item = usize> + '_ {
    (0..problem.relations.len()).filter(|&i| problem.relations[i].role == Role::Visible)
}

/// The instance with every atom replaced by its image; auxiliary relations become empty.
fn permute(problem: &Problem, instance: &Instance, image: &[AtomId]) -> Vec<TupleSet> {
    let mut values: Vec<TupleSet> =
        instance.values.iter().map(|v| TupleSet::empty(v.arity(), v.n_atoms())).collect();
    for i in visible(problem) {
        values[i] = instance.values[i].renamed(image);
    }
    values
}

fn order(a: &[TupleSet], b: &[TupleSet]) -> std::cmp::Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.indices().cmp(b.indices()))
        .find(|o| o.is_ne())
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn is_swap_invariant(problem: &Problem, instance: &Instance, a: AtomId, b: AtomId) -> bool {
    let mut image: Vec<AtomId> = (0..problem.universe.len() as u32).map(AtomId).collect();
    image.swap(a.0 as usize, b.0 as usize);
    visible(problem).all(|i| instance.values[i].renamed(&image) == instance.values[i])
}

/// Colours of the atoms that every isomorphism preserves: first the sort (an atom outside of all
/// sorts has its own), then again and again the colours of the tuples that an atom occurs in.
fn refine(problem: &Problem, instance: &Instance) -> Vec<u32> {
    let n = problem.universe.len();
    let mut colours: Vec<u32> = (0..n as u32).map(|a| a + problem.sorts.len() as u32).collect();
    for (i, sort) in problem.sorts.iter().enumerate() {
        sort.iter().for_each(|a| colours[a.0 as usize] = i as u32);
    }
    let tuples: Vec<(usize, Vec<AtomId>)> =
        visible(problem).flat_map(|i| instance.values[i].tuples().map(move |t| (i, t))).collect();
    let mut n_colours = 0;
    loop {
        // What an atom sees: for every occurrence its relation, column and the colours around it.
        let mut seen: Vec<Vec<(usize, usize, Vec<u32>)>> = vec![Vec::new(); n];
        for (rel, tuple) in &tuples {
            let around: Vec<u32> = tuple.iter().map(|a| colours[a.0 as usize]).collect();
            for (column, atom) in tuple.iter().enumerate() {
                let mut around = around.clone();
                // Repetitions of the atom itself are told from other atoms of its colour.
                for (i, other) in tuple.iter().enumerate() {
                    if other == atom {
                        around[i] = u32::MAX;
                    }
                }
                seen[atom.0 as usize].push((*rel, column, around));
            }
        }
        let mut keys: Vec<(u32, Vec<_>, u32)> = seen
            .into_iter()
            .enumerate()
            .map(|(a, mut occurrences)| {
                occurrences.sort_unstable();
                (colours[a], occurrences, a as u32)
            })
            .collect();
        keys.sort_unstable();
        let mut next = colours.clone();
        let mut colour = 0;
        for i in 0..keys.len() {
            if i > 0 && (keys[i].0, &keys[i].1) != (keys[i - 1].0, &keys[i - 1].1) {
                colour += 1;
            }
            next[keys[i].2 as usize] = colour;
        }
        colours = next;
        if colour + 1 == n_colours || keys.is_empty() {
            return colours;
        }
        n_colours = colour + 1;
    }
}
