//! The canonicity check: is there a permutation of the movable atoms whose image of the instance is
//! lexicographically better?
//!
//! Cells are compared in the order of the [`Plan`]; an instance is canonical when no permutation makes
//! its vector of cells better, where a cell's preferred value is better than the other. The check binds
//! the image of one atom after the other and compares cells as soon as their images are known. All
//! candidates for the image of an atom are compared at once: a *line* holds, for a relation and fixed
//! values of all columns but some, the set of atoms that put in these columns give a preferred cell.
//!
//! The outer loop goes over the atoms from the last to the first; at atom `a` those before it are
//! fixed, and `a` moves. Every automorphism found there returns to this loop, where images in an orbit
//! already met are skipped; the product of the orbits' lengths is the order of the group
//! (orbit-stabilizer theorem). Inside, images that a known automorphism maps to one already refused
//! are skipped as well.
//!
//! A better image refutes the assignment by one literal for each compared cell and two for the one
//! that decides: an instance of the lex-leader constraint (Crawford et al. 1996), which every canonical
//! instance satisfies. So the clause is sound under any order of decisions.

use num_bigint::BigUint;
use tera_rel::Problem;
use tera_sat::{Lit, Var};

use super::mask::Mask;
use super::plan::Plan;
use crate::{Cell, FinderError};

const UNKNOWN: u8 = 0;
const PREFERRED: u8 = 1;
const OTHER: u8 = 2;

/// How a place of the order is compared with its image.
#[derive(Clone, Copy)]
struct Compare {
    place: u32,
    /// The line of the image is `base`, plus the image at `depth`, plus `stride` times the image at
    /// `other`, plus the terms of `Canonicity::more_terms`. Or [`WHOLE`], when all atoms of the cell
    /// are bound before the depth at which it is compared.
    base: u32,
    own_line: u32,
    depth: u16,
    other: u16,
    stride: u32,
    /// Where the further terms start and how many they are.
    more: (u32, u16),
}

#[derive(Clone, Copy, Default)]
struct Term {
    depth: u32,
    stride: u32,
}

/// Where the image of a cell is found: `base` plus strides times images.
#[derive(Clone)]
struct Address {
    base: u32,
    terms: Vec<Term>,
}

/// The outcome of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// A better image exists; the clause says why.
    Refuted,
    /// Canonical, and so is everything that extends the assignment; the group is final.
    Settled,
    /// No better image is known.
    Open,
}

enum Walk {
    Refuted,
    Automorphism,
    Nothing,
    OutOfBudget,
}

const MAX_GENERATORS: usize = 32;

/// An automorphism, as images of depths, and which atoms of each sort it moves.
#[derive(Clone)]
struct Generator<M> {
    images: Vec<u32>,
    moved: Vec<M>,
}

#[derive(Clone)]
pub(super) struct Canonicity<M> {
    // Fixed for the problem.
    compares: Vec<Compare>,
    more_terms: Vec<Term>,
    /// By depth: the `compares` made once it is bound.
    ranges: Vec<(u32, u32)>,
    depth_sort: Vec<u32>,
    depth_local: Vec<u32>,
    /// By sort and place in it.
    depth_of: Vec<Vec<u32>>,
    addresses: Vec<Address>,
    /// By address: the place of the cell.
    place_at: Vec<u32>,
    /// By place.
    preferred: Vec<Lit>,
    /// By variable.
    place_of: Vec<u32>,
    /// By place: whether comparing it tells nothing.
    redundant: Vec<bool>,
    /// By place: the lines and bits that hold it.
    updates: Vec<(u32, u32)>,
    update_ends: Vec<u32>,

    // The assignment.
    known: Vec<u8>,
    /// By line: atoms with the preferred value, and with the other one.
    lines: Vec<[M; 2]>,

    // One check.
    image: Vec<u32>,
    free: Vec<M>,
    /// By sort and place in it: the orbit.
    orbits: Vec<Vec<M>>,
    /// The same for atoms whose transposition is an automorphism.
    twins: Vec<Vec<M>>,
    has_twins: bool,
    /// The first `n_generators` are of this check.
    generators: Vec<Generator<M>>,
    n_generators: usize,
    incomplete: bool,
    nodes_left: u64,
    root: usize,
    /// Where the better image was found: the place.
    decided: usize,
    pub(super) nodes: u64,
    /// Lengths of the orbits along the outer loop, all that are above 1.
    pub(super) orbit_lengths: Vec<u32>,
}

const NO_PLACE: u32 = u32::MAX;
const WHOLE: u32 = u32::MAX;
const MAX_LINES: u64 = 1 << 26;

impl<M: Mask> Canonicity<M> {
    /// `cells` are the visible ones; cell `i` is variable `i`.
    pub(super) fn new(problem: &Problem, cells: &[Cell], plan: &Plan) -> Result<Canonicity<M>, FinderError> {
        let n_depths = plan.atoms.len();
        if n_depths > u16::MAX as usize {
            return Err(FinderError::TooLarge(format!("{n_depths} interchangeable atoms")));
        }
        let mut this = Canonicity {
            compares: Vec::with_capacity(cells.len()),
            more_terms: Vec::new(),
            ranges: vec![(0, 0); n_depths],
            depth_sort: Vec::new(),
            depth_local: Vec::new(),
            depth_of: plan.sorts.iter().map(|&n| vec![0; n as usize]).collect(),
            addresses: Vec::with_capacity(cells.len()),
            place_at: Vec::new(),
            preferred: Vec::with_capacity(cells.len()),
            place_of: vec![NO_PLACE; cells.len()],
            redundant: vec![false; cells.len()],
            updates: Vec::new(),
            update_ends: Vec::new(),
            known: vec![UNKNOWN; cells.len()],
            lines: Vec::new(),
            image: vec![0; n_depths],
            free: vec![M::default(); plan.sorts.len()],
            orbits: plan.sorts.iter().map(|&n| (0..n).map(M::bit).collect()).collect(),
            twins: plan.sorts.iter().map(|&n| (0..n).map(M::bit).collect()).collect(),
            has_twins: false,
            generators: Vec::new(),
            n_generators: 0,
            incomplete: false,
            nodes_left: 0,
            root: 0,
            decided: 0,
            nodes: 0,
            orbit_lengths: Vec::new(),
        };
        for (depth, atom) in plan.atoms.iter().enumerate() {
            let movable = plan.movable[atom.0 as usize].expect("bound atoms are movable");
            this.depth_sort.push(movable.sort);
            this.depth_local.push(movable.local);
            this.depth_of[movable.sort as usize][movable.local as usize] = depth as u32;
        }
        this.lay_out(problem, cells, plan)?;
        Ok(this)
    }

    /// Makes the tables. An atom's number in a column is its rank among the atoms that come there,
    /// sort by sort, so that the atoms of a sort are consecutive.
    fn lay_out(&mut self, problem: &Problem, cells: &[Cell], plan: &Plan) -> Result<(), FinderError> {
        let n_atoms = problem.universe.len();
        let too_large = || FinderError::TooLarge("the canonicity check's tables".into());
        // By relation and column: the number of each atom, and how many there are.
        let mut numbers: Vec<Vec<Vec<u32>>> = vec![Vec::new(); problem.relations.len()];
        let mut widths: Vec<Vec<u32>> = vec![Vec::new(); problem.relations.len()];
        let mut bases: Vec<u32> = vec![0; problem.relations.len()];
        let mut n_addresses = 0u64;
        let rank = |atom: usize| match plan.movable[atom] {
            Some(m) => (m.sort, m.local),
            None => (u32::MAX, atom as u32),
        };
        let mut by_rank: Vec<usize> = (0..n_atoms).collect();
        by_rank.sort_by_key(|&atom| rank(atom));
        for &(cell, _) in &plan.order {
            let rel = cells[cell as usize].rel.0 as usize;
            if !numbers[rel].is_empty() {
                continue;
            }
            let arity = problem.relations[rel].arity();
            let mut used = vec![vec![false; n_atoms]; arity];
            for other in cells.iter().filter(|c| c.rel.0 as usize == rel) {
                for (column, atom) in tuple_of(other.tuple, arity, n_atoms).into_iter().enumerate() {
                    used[column][atom] = true;
                }
            }
            // An atom of a sort brings the whole sort: bounds do not tell its atoms apart, but a
            // tuple such as (a, a) may be missing.
            let mut size = 1u64;
            for used in &mut used {
                let sorts: Vec<u32> = (0..n_atoms)
                    .filter(|&a| used[a])
                    .filter_map(|a| plan.movable[a].map(|m| m.sort))
                    .collect();
                let mut number = vec![u32::MAX; n_atoms];
                let mut next = 0;
                for &atom in &by_rank {
                    if used[atom] || plan.movable[atom].is_some_and(|m| sorts.contains(&m.sort)) {
                        number[atom] = next;
                        next += 1;
                    }
                }
                numbers[rel].push(number);
                widths[rel].push(next);
                size = size.saturating_mul(next as u64);
            }
            bases[rel] = n_addresses as u32;
            n_addresses = n_addresses.saturating_add(size);
            if n_addresses > MAX_LINES {
                return Err(too_large());
            }
        }
        self.place_at = vec![NO_PLACE; n_addresses as usize];

        // Lines of a relation for each set of columns that one atom fills, and that atom's sort.
        let mut line_bases: rustc_hash::FxHashMap<(u32, u64, u32), u32> = Default::default();
        let mut n_lines = 0u64;
        let mut compared_at = 0;
        for (place, &(cell, prefer)) in plan.order.iter().enumerate() {
            let Cell { rel, tuple } = cells[cell as usize];
            let rel = rel.0 as usize;
            let tuple = tuple_of(tuple, problem.relations[rel].arity(), n_atoms);
            let movable: Vec<Option<super::plan::Movable>> =
                tuple.iter().map(|&atom| plan.movable[atom]).collect();

            let mut base = bases[rel];
            let mut identity = bases[rel];
            let mut terms = Vec::new();
            let mut stride = 1;
            for column in (0..tuple.len()).rev() {
                let number = numbers[rel][column][tuple[column]];
                identity += stride * number;
                match movable[column] {
                    Some(m) => {
                        base += stride * (number - m.local);
                        terms.push(Term { depth: m.depth, stride });
                    }
                    None => base += stride * number,
                }
                stride *= widths[rel][column];
            }
            self.place_at[identity as usize] = place as u32;
            self.addresses.push(Address { base, terms });
            self.preferred.push(Var(cell).lit(prefer));
            self.place_of[cell as usize] = place as u32;

            let last = movable.iter().flatten().map(|m| m.depth).max();
            compared_at = compared_at.max(last.unwrap_or(0));
            let mut compare = Compare {
                place: place as u32,
                base: WHOLE,
                own_line: 0,
                depth: 0,
                other: 0,
                stride: 0,
                more: (0, 0),
            };
            if let Some(last) = last
                && last == compared_at
            {
                let is_free = |column: usize| movable[column].is_some_and(|m| m.depth == last);
                let sort = self.depth_sort[last as usize];
                let set = (0..tuple.len()).filter(|&c| is_free(c)).fold(0u64, |set, c| set | 1 << c);
                let first_of_relation = *line_bases.entry((rel as u32, set, sort)).or_insert_with(|| {
                    let size: u64 = (0..tuple.len())
                        .filter(|c| set >> c & 1 == 0)
                        .map(|c| widths[rel][c] as u64)
                        .product();
                    let base = n_lines;
                    n_lines = n_lines.saturating_add(size);
                    base.min(u32::MAX as u64) as u32
                });
                if n_lines > MAX_LINES {
                    return Err(too_large());
                }
                compare.base = first_of_relation;
                compare.own_line = first_of_relation;
                let mut terms = Vec::new();
                let mut stride = 1;
                for column in (0..tuple.len()).rev() {
                    if set >> column & 1 != 0 {
                        continue;
                    }
                    let number = numbers[rel][column][tuple[column]];
                    compare.own_line += stride * number;
                    match movable[column] {
                        Some(m) => {
                            compare.base += stride * (number - m.local);
                            terms.push(Term { depth: m.depth, stride });
                        }
                        None => compare.base += stride * number,
                    }
                    stride *= widths[rel][column];
                }
                // The last column's stride is 1. A line without other movable atoms subtracts its
                // first image again.
                let unit = terms.iter().position(|term| term.stride == 1);
                match unit.map(|i| terms.remove(i)) {
                    Some(term) => compare.depth = term.depth as u16,
                    None => terms.push(Term { depth: 0, stride: u32::MAX }),
                }
                if let Some(term) = terms.pop() {
                    compare.other = term.depth as u16;
                    compare.stride = term.stride;
                }
                compare.more = (self.more_terms.len() as u32, terms.len() as u16);
                self.more_terms.extend(terms);
            }
            let depth = compared_at as usize;
            if last.is_some() {
                if self.ranges[depth].1 == 0 {
                    self.ranges[depth].0 = self.compares.len() as u32;
                }
                self.compares.push(compare);
                self.ranges[depth].1 = self.compares.len() as u32;
            }
        }
        self.lines = vec![[M::default(); 2]; n_lines as usize];

        // Which lines hold a cell: those of its relation, for sets of columns with one atom.
        for &(cell, _) in &plan.order {
            let Cell { rel, tuple } = cells[cell as usize];
            let tuple = tuple_of(tuple, problem.relation(rel).arity(), n_atoms);
            let rel = rel.0 as usize;
            for set in 1..1u64 << tuple.len() {
                let mut columns = (0..tuple.len()).filter(|c| set >> c & 1 != 0);
                let atom = tuple[columns.next().expect("not empty")];
                let Some(m) = plan.movable[atom] else { continue };
                let Some(&first) = line_bases.get(&(rel as u32, set, m.sort)) else { continue };
                if columns.any(|c| tuple[c] != atom) {
                    continue;
                }
                let mut line = first;
                let mut stride = 1;
                for column in (0..tuple.len()).rev().filter(|c| set >> c & 1 == 0) {
                    line += stride * numbers[rel][column][tuple[column]];
                    stride *= widths[rel][column];
                }
                self.updates.push((line, m.local));
            }
            self.update_ends.push(self.updates.len() as u32);
        }
        Ok(())
    }
}

impl<M: Mask> Canonicity<M> {
    /// Leaves out comparisons that can tell nothing: of cells whose whole orbit has one value in every
    /// instance, and of cells that always equal one compared before. `equivalent` names for every cell
    /// a literal equal to it.
    pub(super) fn skip_redundant(&mut self, equivalent: &[Lit], root: impl Fn(u32) -> Option<bool>) {
        let n = self.preferred.len();
        let generators = self.transpositions();
        let known: Vec<Option<bool>> = (0..n).map(|p| root(self.preferred[p].var().0)).collect();
        // A cell is constant when all cells of its orbit are, with one value.
        let mut orbit: Vec<u32> = (0..n as u32).collect();
        for images in &generators {
            for (place, &image) in images.iter().enumerate() {
                let (a, b) = (find(&mut orbit, place as u32), find(&mut orbit, image));
                orbit[a.max(b) as usize] = a.min(b);
            }
        }
        let mut constant = vec![true; n];
        for place in 0..n {
            let first = find(&mut orbit, place as u32) as usize;
            constant[first] &= known[place].is_some() && known[place] == known[first];
        }
        // By place: the first place with an equivalent cell, and whether it is equal in value. The
        // relation must be the same under every permutation, or it is not used.
        let mut class: Vec<(u32, bool)> = Vec::with_capacity(n);
        let mut first_of: Vec<Option<(u32, bool)>> = vec![None; equivalent.len()];
        for place in 0..n {
            let cell = self.preferred[place].var().index();
            let representative = equivalent[cell];
            let sign = representative.is_pos() == self.preferred[place].is_pos();
            let slot = &mut first_of[representative.var().index()];
            let (first, first_sign) = *slot.get_or_insert((place as u32, sign));
            class.push((first, sign == first_sign));
        }
        let is_symmetric = generators.iter().all(|images| {
            (0..n).all(|place| {
                let (first, equal) = class[place];
                let (a, b) = (class[images[place] as usize], class[images[first as usize] as usize]);
                a.0 == b.0 && (a.1 == b.1) == equal
            })
        });
        let mut redundant = vec![false; n];
        for place in 0..n {
            let orbit = find(&mut orbit, place as u32) as usize;
            redundant[place] = constant[orbit] || (is_symmetric && (class[place].0 as usize) < place);
        }
        for range in &mut self.ranges {
            // Kept comparisons move to the front of their range; the range only shrinks at its end.
            let (start, mut end) = (range.0 as usize, range.0 as usize);
            for i in start..range.1 as usize {
                if !redundant[self.compares[i].place as usize] {
                    self.compares.swap(i, end);
                    end += 1;
                }
            }
            range.1 = end as u32;
        }
        self.redundant = redundant;
    }

    /// The images of places under the exchange of each atom with the next of its sort.
    fn transpositions(&self) -> Vec<Vec<u32>> {
        let mut image: Vec<u32> = self.depth_local.clone();
        let mut generators = Vec::new();
        for depths in &self.depth_of {
            for pair in depths.windows(2) {
                let (a, b) = (pair[0] as usize, pair[1] as usize);
                image.swap(a, b);
                generators.push(
                    self.addresses
                        .iter()
                        .map(|Address { base, terms }| {
                            let at =
                                terms.iter().fold(*base, |at, t| at + t.stride * image[t.depth as usize]);
                            self.place_at[at as usize]
                        })
                        .collect(),
                );
                image.swap(a, b);
            }
        }
        generators
    }
}

fn find(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        parents[node as usize] = parents[parents[node as usize] as usize];
        node = parents[node as usize];
    }
    node
}

pub(super) fn tuple_of(mut index: u64, arity: usize, n_atoms: usize) -> Vec<usize> {
    let mut tuple = vec![0; arity];
    for slot in tuple.iter_mut().rev() {
        *slot = (index % n_atoms as u64) as usize;
        index /= n_atoms as u64;
    }
    tuple
}

impl<M: Mask> Canonicity<M> {
    /// Tells the check that a visible variable got a value.
    #[inline]
    pub(super) fn assign(&mut self, lit: Lit) {
        let place = self.place_of[lit.var().index()] as usize;
        let is_preferred = lit == self.preferred[place];
        self.known[place] = if is_preferred { PREFERRED } else { OTHER };
        let side = !is_preferred as usize;
        let start = if place == 0 { 0 } else { self.update_ends[place - 1] as usize };
        for &(line, bit) in &self.updates[start..self.update_ends[place] as usize] {
            self.lines[line as usize][side].set(bit);
        }
    }

    /// Takes an assignment back.
    #[inline]
    pub(super) fn unassign(&mut self, lit: Lit) {
        let place = self.place_of[lit.var().index()] as usize;
        let side = (self.known[place] != PREFERRED) as usize;
        self.known[place] = UNKNOWN;
        let start = if place == 0 { 0 } else { self.update_ends[place - 1] as usize };
        for &(line, bit) in &self.updates[start..self.update_ends[place] as usize] {
            self.lines[line as usize][side].unset(bit);
        }
    }

    /// Looks for a better image with at most `budget` images of atoms tried.
    pub(super) fn check(&mut self, budget: u64, clause: &mut Vec<Lit>) -> Verdict {
        self.nodes_left = budget;
        self.incomplete = false;
        self.n_generators = 0;
        self.orbit_lengths.clear();
        for (orbits, twins) in self.orbits.iter_mut().zip(&mut self.twins) {
            for i in 0..orbits.len() {
                orbits[i] = M::bit(i as u32);
                twins[i] = orbits[i];
            }
        }
        self.has_twins = false;
        self.free.fill(M::default());
        for depth in 0..self.image.len() {
            self.image[depth] = self.depth_local[depth];
        }
        for root in (0..self.image.len()).rev() {
            let (sort, local) = (self.depth_sort[root] as usize, self.depth_local[root]);
            self.free[sort].set(local);
            self.root = root;
            let mut candidates = self.free[sort];
            candidates.unset(local);
            if candidates.is_empty() {
                continue;
            }
            if self.narrow(root, &mut candidates) {
                self.explain(root, clause);
                return Verdict::Refuted;
            }
            loop {
                candidates = candidates.and_not(self.orbits[sort][local as usize]);
                if candidates.is_empty() {
                    break;
                }
                let image = candidates.lowest();
                self.bind(root, image);
                let walk = self.walk(root + 1);
                self.unbind(root, image);
                match walk {
                    Walk::Refuted => {
                        self.image[root] = image;
                        self.explain(root, clause);
                        return Verdict::Refuted;
                    }
                    Walk::OutOfBudget => return Verdict::Open,
                    Walk::Automorphism => {}
                    Walk::Nothing => {
                        candidates = candidates.and_not(self.orbits[sort][image as usize]);
                    }
                }
            }
            self.image[root] = local;
            let length = self.orbits[sort][local as usize].len();
            if length > 1 {
                self.orbit_lengths.push(length);
            }
        }
        if self.incomplete { Verdict::Open } else { Verdict::Settled }
    }

    #[inline]
    fn bind(&mut self, depth: usize, image: u32) {
        self.image[depth] = image;
        self.free[self.depth_sort[depth] as usize].unset(image);
    }

    #[inline]
    fn unbind(&mut self, depth: usize, image: u32) {
        self.free[self.depth_sort[depth] as usize].set(image);
    }

    fn walk(&mut self, depth: usize) -> Walk {
        if depth == self.image.len() {
            self.record();
            return Walk::Automorphism;
        }
        self.nodes += 1;
        if self.nodes_left == 0 {
            return Walk::OutOfBudget;
        }
        self.nodes_left -= 1;
        let sort = self.depth_sort[depth] as usize;
        let mut candidates = self.free[sort];
        if self.narrow(depth, &mut candidates) {
            return Walk::Refuted;
        }
        while !candidates.is_empty() {
            let image = candidates.lowest();
            self.bind(depth, image);
            let walk = self.walk(depth + 1);
            if let Walk::Nothing = walk {
                self.unbind(depth, image);
                candidates.unset(image);
                if !candidates.is_empty() && self.n_generators > 0 {
                    candidates = candidates.and_not(self.equivalent(sort, image));
                }
                continue;
            }
            self.unbind(depth, image);
            return walk;
        }
        Walk::Nothing
    }

    /// Keeps the candidates for the image of the atom at `depth` that make all places compared there
    /// equal. True when one makes a place better: then it is in `image`, and the place in `decided`.
    #[inline]
    fn narrow(&mut self, depth: usize, candidates: &mut M) -> bool {
        let (start, end) = self.ranges[depth];
        let mut left = *candidates;
        for compare in &self.compares[start as usize..end as usize] {
            let place = compare.place as usize;
            if compare.base == WHOLE {
                let image = self.image_of(place);
                if image == place {
                    continue;
                }
                match (self.known[place], self.known[image]) {
                    (PREFERRED, PREFERRED) | (OTHER, OTHER) => continue,
                    (PREFERRED, OTHER) => {}
                    (OTHER, PREFERRED) => {
                        self.image[depth] = left.lowest();
                        self.decided = place;
                        return true;
                    }
                    _ => self.incomplete = true,
                }
                *candidates = M::default();
                return false;
            }
            // SAFETY: depths and lines come from `lay_out`, which sized the tables for all images, and
            // places are below the number of cells.
            let (line, [better, worse], known) = unsafe {
                let mut line = compare
                    .base
                    .wrapping_add(*self.image.get_unchecked(compare.depth as usize))
                    .wrapping_add(
                        compare.stride.wrapping_mul(*self.image.get_unchecked(compare.other as usize)),
                    );
                if compare.more.1 != 0 {
                    for term in &self.more_terms[compare.more.0 as usize..][..compare.more.1 as usize] {
                        line = line.wrapping_add(term.stride * self.image[term.depth as usize]);
                    }
                }
                debug_assert!((line as usize) < self.lines.len());
                (line, *self.lines.get_unchecked(line as usize), *self.known.get_unchecked(place))
            };
            match known {
                PREFERRED => {
                    let lost = left.and_not(better);
                    self.incomplete |= !lost.and_not(worse).is_empty();
                    left = left.and(better);
                }
                OTHER => {
                    let winners = left.and(better);
                    if !winners.is_empty() {
                        self.image[depth] = winners.lowest();
                        self.decided = place;
                        return true;
                    }
                    self.incomplete |= !left.and_not(worse).is_empty();
                    left = left.and(worse);
                }
                _ => {
                    let mut own = M::default();
                    if line == compare.own_line {
                        own.set(self.depth_local[depth]);
                    }
                    self.incomplete |= !left.and_not(own).is_empty();
                    left = left.and(own);
                }
            }
            if left.is_empty() {
                break;
            }
        }
        *candidates = left;
        false
    }

    /// The place of the image of a place.
    fn image_of(&self, place: usize) -> usize {
        let Address { base, terms } = &self.addresses[place];
        let at = terms.iter().fold(*base, |at, term| at + term.stride * self.image[term.depth as usize]);
        self.place_at[at as usize] as usize
    }

    /// The clause for the better image that `narrow` found.
    fn explain(&mut self, root: usize, clause: &mut Vec<Lit>) {
        clause.clear();
        let start = self.compares[self.ranges[root].0 as usize].place as usize;
        for place in start..=self.decided {
            let image = self.image_of(place);
            if image == place || self.redundant[place] {
                continue;
            }
            let is_last = place == self.decided;
            if self.known[place] == OTHER {
                clause.push(self.preferred[place]);
            }
            if self.known[place] != OTHER || is_last {
                clause.push(!self.preferred[image]);
            }
        }
    }

    /// Notes the automorphism that `image` is now.
    fn record(&mut self) {
        // Generators of earlier checks are written over, not freed.
        if self.n_generators == self.generators.len() && self.n_generators < MAX_GENERATORS {
            self.generators
                .push(Generator { images: self.image.clone(), moved: vec![M::default(); self.free.len()] });
        }
        let mut moved_depths = [0; 2];
        let mut n_moved = 0;
        let keeps = self.n_generators < MAX_GENERATORS;
        if keeps {
            let generator = &mut self.generators[self.n_generators];
            generator.images.copy_from_slice(&self.image);
            generator.moved.fill(M::default());
        }
        for depth in self.root..self.image.len() {
            let (sort, local) = (self.depth_sort[depth] as usize, self.depth_local[depth]);
            let image = self.image[depth];
            if image == local {
                continue;
            }
            if keeps {
                self.generators[self.n_generators].moved[sort].set(local);
            }
            if n_moved < 2 {
                moved_depths[n_moved] = depth;
            }
            n_moved += 1;
            merge(&mut self.orbits[sort], local, image);
        }
        if n_moved == 2 {
            let [a, b] = moved_depths;
            let sort = self.depth_sort[a] as usize;
            merge(&mut self.twins[sort], self.depth_local[a], self.depth_local[b]);
            self.has_twins = true;
        }
        self.n_generators += keeps as usize;
    }

    /// The atoms to which automorphisms that fix all images bound so far take `image`. It is free.
    fn equivalent(&self, sort: usize, image: u32) -> M {
        let mut reached = M::bit(image);
        if self.has_twins {
            reached = reached.or(self.twins[sort][image as usize].and(self.free[sort]));
        }
        loop {
            let before = reached;
            for generator in &self.generators[..self.n_generators] {
                let fixes_bound = generator
                    .moved
                    .iter()
                    .zip(&self.free)
                    .all(|(moved, free)| moved.and_not(*free).is_empty());
                if !fixes_bound {
                    continue;
                }
                let mut from = reached;
                while !from.is_empty() {
                    let atom = from.lowest();
                    from.unset(atom);
                    let depth = self.depth_of[sort][atom as usize] as usize;
                    reached.set(generator.images[depth]);
                }
            }
            if reached == before {
                return reached;
            }
        }
    }
}

/// Joins the classes of two numbers.
fn merge<M: Mask>(classes: &mut [M], a: u32, b: u32) {
    let class = classes[a as usize].or(classes[b as usize]);
    let mut members = class;
    while !members.is_empty() {
        let member = members.lowest();
        members.unset(member);
        classes[member as usize] = class;
    }
}

/// The order of the group of all permutations inside the sorts.
pub(super) fn symmetries(sorts: &[u32]) -> BigUint {
    sorts.iter().flat_map(|&n| 2..=n).fold(BigUint::from(1u32), |product, i| product * i)
}
