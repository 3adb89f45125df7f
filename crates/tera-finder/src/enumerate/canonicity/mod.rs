//! The canonicity check: is there a permutation of the movable atoms whose image of the instance is
//! lexicographically better?
//!
//! Cells are compared in the order of the [`Plan`]; an instance is canonical when no permutation makes
//! its vector of cells better, where a cell's preferred value is better than the other. The check binds
//! the image of one atom after the other and compares cells as soon as their images are known. All
//! candidates for the image of an atom are compared at once, as bits of a line ([`Layout`]).
//!
//! The outer loop goes over the atoms from the last to the first, the *roots*; at root `a` the atoms
//! before it are fixed, and `a` moves. Every automorphism found there returns to this loop, where
//! images in an orbit already met are skipped; the product of the orbits' lengths is the order of the
//! group (orbit-stabilizer theorem). Inside, images that a known automorphism maps to one already
//! refused are skipped as well.
//!
//! A better image refutes the assignment by one literal for each compared cell and two for the one
//! that decides: an instance of the lex-leader constraint (Crawford et al. 1996), which every canonical
//! instance satisfies. So the clause is sound under any order of decisions.
//!
//! A check of a partial assignment leaves *ties* behind: images whose comparison came to a cell without
//! a value. All other images are refused for good (or are automorphisms), so a check further down goes
//! on from the ties of the last one above it, and the cost of a check is that of what is new. When no
//! tie is left, everything below is canonical.

mod layout;
mod ties;

use num_bigint::BigUint;
use tera_rel::Problem;
use tera_sat::Lit;

use super::mask::Mask;
use super::plan::Plan;
use crate::{Cell, FinderError};
use layout::{Compare, Layout, WHOLE};
use ties::{NO_LINE, Tie, Ties};

const UNKNOWN: u8 = 0;
const PREFERRED: u8 = 1;
const OTHER: u8 = 2;

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

/// Ties that a check leaves to those below it, at the most.
const MAX_TIES: usize = 2_000;

/// So many automorphisms are looked at where images equivalent to one refused are skipped.
const MAX_GENERATORS: usize = 32;

/// An automorphism, as images of depths, and which atoms of each sort it moves.
#[derive(Clone)]
struct Generator<M> {
    images: Vec<u32>,
    moved: Vec<M>,
    /// The first depth it moves.
    root: usize,
}

#[derive(Clone)]
pub(super) struct Canonicity<M> {
    layout: Layout,
    /// By depth and sort: the atoms of the sort that are bound at this depth or later.
    rest: Vec<M>,

    // The assignment.
    known: Vec<u8>,
    /// By line: atoms with the preferred value, and with the other one.
    lines: Vec<[M; 2]>,
    ties: Ties<M>,

    // One check.
    image: Vec<u32>,
    free: Vec<M>,
    /// By sort and place in it: the orbit.
    orbits: Vec<Vec<M>>,
    /// The same for atoms whose transposition is an automorphism.
    twins: Vec<Vec<M>>,
    has_twins: bool,
    /// By depth, while there are automorphisms: images equivalent to one refused there.
    refused: Vec<M>,
    /// The first `n_generators` are of this check.
    generators: Vec<Generator<M>>,
    n_generators: usize,
    nodes_left: u64,
    root: usize,
    /// The last tie gone on with.
    last: Option<usize>,
    /// Where the better image was found: the place.
    decided: usize,
    pub(super) nodes: u64,
    /// Ties that checks looked at.
    pub(super) ties_seen: u64,
    /// Lengths of the orbits along the outer loop, all that are above 1.
    pub(super) orbit_lengths: Vec<u32>,
}

impl<M: Mask> Canonicity<M> {
    /// `cells` are the visible ones; cell `i` is variable `i`.
    pub(super) fn new(problem: &Problem, cells: &[Cell], plan: &Plan) -> Result<Canonicity<M>, FinderError> {
        let layout = Layout::new(problem, cells, plan)?;
        let n_depths = plan.atoms.len();
        let n_sorts = plan.sorts.len();
        let mut rest = vec![M::default(); (n_depths + 1) * n_sorts];
        for depth in (0..n_depths).rev() {
            rest.copy_within((depth + 1) * n_sorts..(depth + 2) * n_sorts, depth * n_sorts);
            rest[depth * n_sorts + layout.depth_sort[depth] as usize].set(layout.depth_local[depth]);
        }
        Ok(Canonicity {
            rest,
            known: vec![UNKNOWN; cells.len()],
            lines: vec![[M::default(); 2]; layout.n_lines],
            ties: Ties::default(),
            image: vec![0; n_depths],
            free: vec![M::default(); n_sorts],
            orbits: plan.sorts.iter().map(|&n| (0..n).map(M::bit).collect()).collect(),
            twins: plan.sorts.iter().map(|&n| (0..n).map(M::bit).collect()).collect(),
            has_twins: false,
            refused: vec![M::default(); n_depths],
            generators: Vec::new(),
            n_generators: 0,
            nodes_left: 0,
            root: 0,
            last: None,
            decided: 0,
            nodes: 0,
            ties_seen: 0,
            orbit_lengths: Vec::new(),
            layout,
        })
    }

    /// See [`Layout::skip_redundant`]; then nothing more about the layout changes.
    pub(super) fn skip_redundant(&mut self, equivalent: &[Lit], root: impl Fn(u32) -> Option<bool>) {
        self.layout.skip_redundant(equivalent, root);
    }

    /// Tells the check that a visible variable got a value.
    #[inline]
    pub(super) fn assign(&mut self, lit: Lit) {
        let place = self.layout.place_of[lit.var().index()] as usize;
        let is_preferred = lit == self.layout.preferred[place];
        self.known[place] = if is_preferred { PREFERRED } else { OTHER };
        let side = !is_preferred as usize;
        for &(line, bit) in self.layout.updates(place) {
            self.lines[line as usize][side].set(bit);
        }
    }

    /// Takes an assignment back.
    #[inline]
    pub(super) fn unassign(&mut self, lit: Lit) {
        let place = self.layout.place_of[lit.var().index()] as usize;
        let side = (self.known[place] != PREFERRED) as usize;
        self.known[place] = UNKNOWN;
        for &(line, bit) in self.layout.updates(place) {
            self.lines[line as usize][side].unset(bit);
        }
    }

    /// Forgets the checks made when the assignment was longer than this.
    #[inline]
    pub(super) fn forget(&mut self, length: usize) {
        self.ties.forget(length);
    }

    /// Looks for a better image with at most `budget` images of atoms tried. `length` is that of the
    /// assignment; ties are left for those that extend it. Without it the check starts afresh and leaves
    /// none.
    pub(super) fn check(&mut self, length: Option<usize>, budget: u64, clause: &mut Vec<Lit>) -> Verdict {
        self.check_all::<false>(length, budget, clause)
    }

    /// The same where every visible variable has a value.
    pub(super) fn check_total(&mut self, ties: bool, clause: &mut Vec<Lit>) -> Verdict {
        self.check_all::<true>(ties.then_some(usize::MAX), u64::MAX, clause)
    }

    fn check_all<const TOTAL: bool>(
        &mut self,
        length: Option<usize>,
        budget: u64,
        clause: &mut Vec<Lit>,
    ) -> Verdict {
        if self.ties.is_new() {
            self.begin_ties();
        } else if length.is_none() {
            self.ties.forget(0);
        }
        let top = self.ties.top();
        self.ties_seen += (top.end - top.start) as u64;
        self.begin_group(top.n_generators);
        self.nodes_left = budget;
        self.root = self.image.len();
        self.image.copy_from_slice(&self.layout.depth_local);
        self.last = None;
        let ends = self.ties.ends();
        for i in top.start..top.end {
            let tie = self.ties.get(i);
            if !TOTAL && self.is_still_tied(&tie) {
                self.ties.keep(tie);
                continue;
            }
            if tie.root as usize != self.root {
                self.move_root(tie.root as usize, top.n_generators);
            }
            let Some(candidates) = self.still_open(i) else { continue };
            let before = self.ties.ends();
            match self.resume::<TOTAL>(tie, candidates) {
                Walk::Refuted => {
                    self.explain(clause);
                    self.ties.truncate(ends);
                    return Verdict::Refuted;
                }
                Walk::OutOfBudget => {
                    // What was done is kept; the rest stays tied.
                    self.ties.truncate(before);
                    (i..top.end).for_each(|i| self.ties.keep(self.ties.get(i)));
                    break;
                }
                Walk::Automorphism | Walk::Nothing => {}
            }
        }
        if self.ties.ends() == ends {
            self.measure_group();
            return Verdict::Settled;
        }
        match length {
            Some(length) if self.ties.ends().0 - ends.0 <= MAX_TIES => {
                self.ties.push_level(length, ends, self.n_generators);
            }
            _ => self.ties.truncate(ends),
        }
        Verdict::Open
    }

    /// Whether nothing that the tie waits for is known.
    #[inline]
    fn is_still_tied(&self, tie: &Tie<M>) -> bool {
        if tie.line == NO_LINE {
            return false;
        }
        let [better, worse] = self.lines[tie.line as usize];
        self.known[tie.place as usize] == UNKNOWN || tie.candidates.and(better.or(worse)).is_empty()
    }

    /// Goes on with a tie.
    fn resume<const TOTAL: bool>(&mut self, tie: Tie<M>, mut candidates: M) -> Walk {
        let (root, depth) = (tie.root as usize, tie.depth as usize);
        let n_sorts = self.free.len();
        self.free.copy_from_slice(&self.rest[root * n_sorts..(root + 1) * n_sorts]);
        for (at, &image) in (root..depth).zip(self.ties.images(&tie)) {
            self.image[at] = image as u32;
            self.free[self.layout.depth_sort[at] as usize].unset(image as u32);
        }
        self.nodes += 1;
        if self.nodes_left == 0 {
            return Walk::OutOfBudget;
        }
        self.nodes_left -= 1;
        let mut stored = tie.images;
        if self.narrow::<TOTAL>(depth, tie.compare, &mut candidates, &mut stored) {
            return Walk::Refuted;
        }
        let walk = if depth > root {
            self.descend::<TOTAL>(depth, candidates)
        } else {
            self.descend_root::<TOTAL>(root, candidates)
        };
        if matches!(walk, Walk::Nothing) && self.n_generators > 0 {
            let sort = self.layout.depth_sort[depth] as usize;
            while !candidates.is_empty() {
                let equivalent = self.equivalent(sort, candidates.lowest());
                self.refused[depth] = self.refused[depth].or(equivalent);
                candidates = candidates.and_not(equivalent);
            }
        }
        walk
    }

    /// Tries the images of a root, each until its first automorphism.
    fn descend_root<const TOTAL: bool>(&mut self, root: usize, mut candidates: M) -> Walk {
        let (sort, local) = (self.layout.depth_sort[root] as usize, self.layout.depth_local[root] as usize);
        loop {
            candidates = candidates.and_not(self.orbits[sort][local]);
            if candidates.is_empty() {
                return Walk::Nothing;
            }
            let image = candidates.lowest();
            self.bind(root, image);
            let walk = self.walk::<TOTAL>(root + 1);
            self.unbind(root, image);
            match walk {
                Walk::Refuted | Walk::OutOfBudget => return walk,
                Walk::Automorphism => {}
                Walk::Nothing => candidates = candidates.and_not(self.orbits[sort][image as usize]),
            }
        }
    }

    #[inline]
    fn bind(&mut self, depth: usize, image: u32) {
        self.image[depth] = image;
        self.free[self.layout.depth_sort[depth] as usize].unset(image);
    }

    #[inline]
    fn unbind(&mut self, depth: usize, image: u32) {
        self.free[self.layout.depth_sort[depth] as usize].set(image);
    }

    fn walk<const TOTAL: bool>(&mut self, depth: usize) -> Walk {
        if depth == self.image.len() {
            self.record();
            return Walk::Automorphism;
        }
        self.nodes += 1;
        if self.nodes_left == 0 {
            return Walk::OutOfBudget;
        }
        self.nodes_left -= 1;
        let mut candidates = self.free[self.layout.depth_sort[depth] as usize];
        let mut stored = ties::NOT_STORED;
        if self.narrow::<TOTAL>(depth, self.layout.ranges[depth].0, &mut candidates, &mut stored) {
            return Walk::Refuted;
        }
        self.descend::<TOTAL>(depth, candidates)
    }

    fn descend<const TOTAL: bool>(&mut self, depth: usize, mut candidates: M) -> Walk {
        let sort = self.layout.depth_sort[depth] as usize;
        while !candidates.is_empty() {
            let image = candidates.lowest();
            self.bind(depth, image);
            let walk = self.walk::<TOTAL>(depth + 1);
            self.unbind(depth, image);
            if let Walk::Nothing = walk {
                candidates.unset(image);
                if !candidates.is_empty() && self.n_generators > 0 {
                    candidates = candidates.and_not(self.equivalent(sort, image));
                }
                continue;
            }
            return walk;
        }
        Walk::Nothing
    }

    /// Keeps the candidates for the image of the atom at `depth` that make all places compared there,
    /// from the comparison `from` on, equal. Those that meet a cell without a value become ties. True
    /// when one makes a place better: then it is in `image`, and the place in `decided`.
    #[inline]
    fn narrow<const TOTAL: bool>(
        &mut self,
        depth: usize,
        from: u32,
        candidates: &mut M,
        stored: &mut u32,
    ) -> bool {
        let Canonicity { layout, lines, known, image, ties, .. } = self;
        let end = layout.ranges[depth].1;
        let mut left = *candidates;
        for (at, compare) in (from..end).zip(&layout.compares[from as usize..end as usize]) {
            let place = compare.place as usize;
            let mut open = M::default();
            let mut line = NO_LINE;
            if compare.base == WHOLE {
                let to = layout.image_of(place, image);
                if to == place {
                    continue;
                }
                match (known[place], known[to]) {
                    (PREFERRED, PREFERRED) | (OTHER, OTHER) => continue,
                    (PREFERRED, OTHER) => {}
                    (OTHER, PREFERRED) => {
                        image[depth] = left.lowest();
                        self.decided = place;
                        return true;
                    }
                    _ => open = left,
                }
                left = M::default();
            } else {
                line = line_of(layout, image, compare);
                debug_assert!((line as usize) < lines.len());
                // SAFETY: lines come from the layout, which sized the tables for all images, and places
                // are below the number of cells.
                let ([better, worse], value) =
                    unsafe { (*lines.get_unchecked(line as usize), *known.get_unchecked(place)) };
                match value {
                    PREFERRED if TOTAL => left = left.and(better),
                    _ if TOTAL => {
                        let winners = left.and(better);
                        if !winners.is_empty() {
                            image[depth] = winners.lowest();
                            self.decided = place;
                            return true;
                        }
                    }
                    PREFERRED => {
                        open = left.and_not(better).and_not(worse);
                        left = left.and(better);
                    }
                    OTHER => {
                        let winners = left.and(better);
                        if !winners.is_empty() {
                            image[depth] = winners.lowest();
                            self.decided = place;
                            return true;
                        }
                        open = left.and_not(worse);
                        left = left.and(worse);
                    }
                    _ => {
                        let mut own = M::default();
                        if line == compare.own_line {
                            own.set(layout.depth_local[depth]);
                        }
                        open = left.and_not(own);
                        left = left.and(own);
                    }
                }
            }
            if !TOTAL && !open.is_empty() {
                let tie = Tie {
                    images: 0,
                    compare: at,
                    place: place as u32,
                    line,
                    root: self.root as u16,
                    depth: depth as u16,
                    candidates: open,
                };
                ties.put_off(tie, &image[self.root..depth], stored);
            }
            if left.is_empty() {
                break;
            }
        }
        *candidates = left;
        false
    }

    /// The clause for the better image that `narrow` found.
    fn explain(&mut self, clause: &mut Vec<Lit>) {
        clause.clear();
        let layout = &self.layout;
        let start = layout.compares[layout.ranges[self.root].0 as usize].place as usize;
        for place in start..=self.decided {
            let image = layout.image_of(place, &self.image);
            if image == place || layout.redundant[place] {
                continue;
            }
            let is_last = place == self.decided;
            if self.known[place] == OTHER {
                clause.push(layout.preferred[place]);
            }
            if self.known[place] != OTHER || is_last {
                clause.push(!layout.preferred[image]);
            }
        }
    }

    /// Notes the automorphism that `image` is now.
    fn record(&mut self) {
        // Generators of earlier checks are written over, not freed.
        if self.n_generators == self.generators.len() {
            let moved = vec![M::default(); self.free.len()];
            self.generators.push(Generator { images: self.image.clone(), moved, root: self.root });
        }
        let generator = &mut self.generators[self.n_generators];
        generator.images.copy_from_slice(&self.image);
        generator.moved.fill(M::default());
        generator.root = self.root;
        for depth in self.root..self.image.len() {
            let local = self.layout.depth_local[depth];
            if self.image[depth] != local {
                generator.moved[self.layout.depth_sort[depth] as usize].set(local);
            }
        }
        self.join_orbits(self.n_generators);
        self.join_twins(self.n_generators);
        self.n_generators += 1;
    }

    fn join_orbits(&mut self, generator: usize) {
        let Generator { images, root, .. } = &self.generators[generator];
        for (depth, &image) in images.iter().enumerate().skip(*root) {
            let local = self.layout.depth_local[depth];
            if image != local {
                merge(&mut self.orbits[self.layout.depth_sort[depth] as usize], local, image);
            }
        }
    }

    fn join_twins(&mut self, generator: usize) {
        let mut moved = self.generators[generator].moved.iter().enumerate().filter(|(_, m)| !m.is_empty());
        if let (Some((sort, &(mut two))), None) = (moved.next(), moved.next())
            && two.len() == 2
        {
            let first = two.lowest();
            two.unset(first);
            merge(&mut self.twins[sort], first, two.lowest());
            self.has_twins = true;
        }
    }

    /// Starts from the automorphisms that the checks above found.
    fn begin_group(&mut self, n_generators: usize) {
        if self.n_generators > 0 {
            for (orbits, twins) in self.orbits.iter_mut().zip(&mut self.twins) {
                for i in 0..orbits.len() {
                    orbits[i] = M::bit(i as u32);
                    twins[i] = orbits[i];
                }
            }
            self.refused.fill(M::default());
        }
        self.has_twins = false;
        self.n_generators = n_generators;
        for generator in 0..n_generators {
            self.join_twins(generator);
        }
    }

    /// The outer loop goes on to a root: automorphisms from above that fix all before it count now.
    fn move_root(&mut self, root: usize, n_from_above: usize) {
        for generator in 0..n_from_above {
            if (root..self.root).contains(&self.generators[generator].root) {
                self.join_orbits(generator);
            }
        }
        if self.n_generators > 0 {
            self.refused.fill(M::default());
        }
        self.root = root;
    }

    /// The lengths of the orbits, each under the automorphisms that fix all atoms before.
    fn measure_group(&mut self) {
        self.orbit_lengths.clear();
        if self.n_generators == 0 {
            return;
        }
        let n_generators = self.n_generators;
        self.begin_group(n_generators);
        self.root = self.image.len();
        for root in (0..self.image.len()).rev() {
            self.move_root(root, n_generators);
            let (sort, local) = (self.layout.depth_sort[root], self.layout.depth_local[root]);
            let length = self.orbits[sort as usize][local as usize].len();
            if length > 1 {
                self.orbit_lengths.push(length);
            }
        }
    }

    /// The atoms to which automorphisms that fix all images bound so far take `image`. It is free.
    fn equivalent(&self, sort: usize, image: u32) -> M {
        let mut reached = M::bit(image);
        if self.has_twins {
            reached = reached.or(self.twins[sort][image as usize].and(self.free[sort]));
        }
        loop {
            let before = reached;
            for generator in &self.generators[..self.n_generators.min(MAX_GENERATORS)] {
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
                    let depth = self.layout.depth_of[sort][atom as usize] as usize;
                    reached.set(generator.images[depth]);
                }
            }
            if reached == before {
                return reached;
            }
        }
    }
}

/// The line that holds the image of a compared place.
#[inline]
fn line_of(layout: &Layout, image: &[u32], compare: &Compare) -> u32 {
    // SAFETY: depths come from the layout.
    let (first, other) = unsafe {
        (*image.get_unchecked(compare.depth as usize), *image.get_unchecked(compare.other as usize))
    };
    let mut line = compare.base.wrapping_add(first).wrapping_add(compare.stride.wrapping_mul(other));
    if compare.more.1 != 0 {
        for term in &layout.more_terms[compare.more.0 as usize..][..compare.more.1 as usize] {
            line = line.wrapping_add(term.stride * image[term.depth as usize]);
        }
    }
    line
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
