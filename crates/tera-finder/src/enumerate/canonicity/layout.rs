//! The tables of the canonicity check: which cells are compared when, and where their images are found.
//!
//! An atom's number in a column of a relation is its rank among the atoms that come there, sort by
//! sort, so that the atoms of a sort are consecutive and an image is found by adding: `base` plus
//! strides times images. A *line* holds, for a relation and fixed values of all columns but some, the
//! atoms that put in these columns give a cell.

use rustc_hash::FxHashMap;
use tera_rel::Problem;
use tera_sat::{Lit, Var};

use super::super::plan::{Movable, Plan};
use crate::{Cell, FinderError};

/// How a place of the order is compared with its image.
#[derive(Clone, Copy)]
pub(super) struct Compare {
    pub(super) place: u32,
    /// The line of the image is `base`, plus the image at `depth`, plus `stride` times the image at
    /// `other`, plus the terms of `Layout::more_terms`. Or [`WHOLE`], when all atoms of the cell are
    /// bound before the depth at which it is compared.
    pub(super) base: u32,
    pub(super) own_line: u32,
    pub(super) depth: u16,
    pub(super) other: u16,
    pub(super) stride: u32,
    /// Where the further terms start and how many they are.
    pub(super) more: (u32, u16),
}

#[derive(Clone, Copy, Default)]
pub(super) struct Term {
    pub(super) depth: u32,
    pub(super) stride: u32,
}

/// Where the image of a cell is found: `base` plus strides times images.
#[derive(Clone)]
struct Address {
    base: u32,
    terms: Vec<Term>,
}

pub(super) const WHOLE: u32 = u32::MAX;
const NO_PLACE: u32 = u32::MAX;
const MAX_LINES: u64 = 1 << 26;

/// What is fixed for a problem and a plan.
#[derive(Clone, Default)]
pub(super) struct Layout {
    pub(super) compares: Vec<Compare>,
    pub(super) more_terms: Vec<Term>,
    /// By depth: the `compares` made once it is bound.
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) depth_sort: Vec<u32>,
    pub(super) depth_local: Vec<u32>,
    /// By sort and place in it.
    pub(super) depth_of: Vec<Vec<u32>>,
    addresses: Vec<Address>,
    /// By address: the place of the cell.
    place_at: Vec<u32>,
    /// By place.
    pub(super) preferred: Vec<Lit>,
    /// By variable.
    pub(super) place_of: Vec<u32>,
    /// By place: whether comparing it tells nothing.
    pub(super) redundant: Vec<bool>,
    /// By place: the lines and bits that hold it.
    updates: Vec<(u32, u32)>,
    update_ends: Vec<u32>,
    pub(super) n_lines: usize,
}

/// The numbers of the atoms in each column of a relation.
#[derive(Clone, Default)]
struct Columns {
    /// By column and atom.
    numbers: Vec<Vec<u32>>,
    widths: Vec<u32>,
    /// The address of the relation's first cell.
    base: u32,
}

impl Columns {
    /// An atom of a sort brings the whole sort: bounds do not tell its atoms apart, but a tuple such
    /// as (a, a) may be missing.
    fn new(tuples: &[Vec<usize>], plan: &Plan, by_rank: &[usize]) -> Columns {
        let mut columns = Columns::default();
        for column in 0..tuples[0].len() {
            let mut used = vec![false; by_rank.len()];
            for tuple in tuples {
                used[tuple[column]] = true;
            }
            let sorts: Vec<u32> = (0..used.len())
                .filter(|&atom| used[atom])
                .filter_map(|atom| plan.movable[atom].map(|m| m.sort))
                .collect();
            let mut number = vec![u32::MAX; used.len()];
            let mut next = 0;
            for &atom in by_rank {
                if used[atom] || plan.movable[atom].is_some_and(|m| sorts.contains(&m.sort)) {
                    number[atom] = next;
                    next += 1;
                }
            }
            columns.numbers.push(number);
            columns.widths.push(next);
        }
        columns
    }

    fn size(&self) -> u64 {
        self.widths.iter().fold(1, |size, &width| size.saturating_mul(width as u64))
    }
}

/// Where lines of a relation begin, for each set of columns that one atom fills, and that atom's sort.
type LineBases = FxHashMap<(usize, u64, u32), u32>;

impl Layout {
    /// `cells` are the visible ones; cell `i` is variable `i`.
    pub(super) fn new(problem: &Problem, cells: &[Cell], plan: &Plan) -> Result<Layout, FinderError> {
        let n_depths = plan.atoms.len();
        if n_depths > u16::MAX as usize {
            return Err(FinderError::TooLarge(format!("{n_depths} interchangeable atoms")));
        }
        let mut this = Layout {
            ranges: vec![(0, 0); n_depths],
            depth_of: plan.sorts.iter().map(|&n| vec![0; n as usize]).collect(),
            place_of: vec![NO_PLACE; cells.len()],
            redundant: vec![false; cells.len()],
            ..Layout::default()
        };
        for (depth, atom) in plan.atoms.iter().enumerate() {
            let movable = plan.movable[atom.0 as usize].expect("bound atoms are movable");
            this.depth_sort.push(movable.sort);
            this.depth_local.push(movable.local);
            this.depth_of[movable.sort as usize][movable.local as usize] = depth as u32;
        }
        let n_atoms = problem.universe.len();
        let tuples: Vec<Vec<usize>> = cells
            .iter()
            .map(|cell| tuple_of(cell.tuple, problem.relation(cell.rel).arity(), n_atoms))
            .collect();
        let columns = this.number(problem, cells, &tuples, plan)?;
        let bases = this.lay_out_compares(cells, &tuples, plan, &columns)?;
        this.lay_out_updates(cells, &tuples, plan, &columns, &bases);
        Ok(this)
    }

    /// By relation.
    fn number(
        &mut self,
        problem: &Problem,
        cells: &[Cell],
        tuples: &[Vec<usize>],
        plan: &Plan,
    ) -> Result<Vec<Columns>, FinderError> {
        let mut by_rank: Vec<usize> = (0..problem.universe.len()).collect();
        by_rank.sort_by_key(|&atom| match plan.movable[atom] {
            Some(m) => (m.sort, m.local),
            None => (u32::MAX, atom as u32),
        });
        let mut of_relation: Vec<Vec<Vec<usize>>> = vec![Vec::new(); problem.relations.len()];
        for (cell, tuple) in cells.iter().zip(tuples) {
            of_relation[cell.rel.0 as usize].push(tuple.clone());
        }
        let mut n_addresses = 0u64;
        let mut all = vec![Columns::default(); problem.relations.len()];
        for (columns, tuples) in all.iter_mut().zip(&of_relation) {
            if tuples.is_empty() {
                continue;
            }
            *columns = Columns::new(tuples, plan, &by_rank);
            columns.base = n_addresses as u32;
            n_addresses = n_addresses.saturating_add(columns.size());
            if n_addresses > MAX_LINES {
                return Err(too_large());
            }
        }
        self.place_at = vec![NO_PLACE; n_addresses as usize];
        Ok(all)
    }

    fn lay_out_compares(
        &mut self,
        cells: &[Cell],
        tuples: &[Vec<usize>],
        plan: &Plan,
        columns: &[Columns],
    ) -> Result<LineBases, FinderError> {
        let mut line_bases = LineBases::default();
        let mut n_lines = 0u64;
        let mut compared_at = 0;
        for (place, &(cell, prefer)) in plan.order.iter().enumerate() {
            let rel = cells[cell as usize].rel.0 as usize;
            let Columns { numbers, widths, base } = &columns[rel];
            let tuple = &tuples[cell as usize];
            let movable: Vec<Option<Movable>> = tuple.iter().map(|&atom| plan.movable[atom]).collect();

            let mut identity = *base;
            let mut address = Address { base: *base, terms: Vec::new() };
            let mut stride = 1;
            for column in (0..tuple.len()).rev() {
                let number = numbers[column][tuple[column]];
                identity += stride * number;
                match movable[column] {
                    Some(m) => {
                        address.base += stride * (number - m.local);
                        address.terms.push(Term { depth: m.depth, stride });
                    }
                    None => address.base += stride * number,
                }
                stride *= widths[column];
            }
            self.place_at[identity as usize] = place as u32;
            self.addresses.push(address);
            self.preferred.push(Var(cell).lit(prefer));
            self.place_of[cell as usize] = place as u32;

            let Some(last) = movable.iter().flatten().map(|m| m.depth).max() else { continue };
            compared_at = compared_at.max(last);
            let mut compare = Compare {
                place: place as u32,
                base: WHOLE,
                own_line: 0,
                depth: 0,
                other: 0,
                stride: 0,
                more: (0, 0),
            };
            if last == compared_at {
                let is_free = |column: &usize| movable[*column].is_some_and(|m| m.depth == last);
                let set = (0..tuple.len()).filter(is_free).fold(0u64, |set, c| set | 1 << c);
                let sort = self.depth_sort[last as usize];
                let first = *line_bases.entry((rel, set, sort)).or_insert_with(|| {
                    let size: u64 =
                        (0..tuple.len()).filter(|c| set >> c & 1 == 0).map(|c| widths[c] as u64).product();
                    let base = n_lines;
                    n_lines = n_lines.saturating_add(size);
                    base.min(u32::MAX as u64) as u32
                });
                if n_lines > MAX_LINES {
                    return Err(too_large());
                }
                self.find_line(&mut compare, first, set, tuple, &movable, &columns[rel]);
            }
            let range = &mut self.ranges[compared_at as usize];
            if range.1 == 0 {
                range.0 = self.compares.len() as u32;
            }
            self.compares.push(compare);
            range.1 = self.compares.len() as u32;
        }
        self.n_lines = n_lines as usize;
        Ok(line_bases)
    }

    /// Fills in where the line of the image is, `set` being the columns that the line leaves open.
    fn find_line(
        &mut self,
        compare: &mut Compare,
        first: u32,
        set: u64,
        tuple: &[usize],
        movable: &[Option<Movable>],
        columns: &Columns,
    ) {
        compare.base = first;
        compare.own_line = first;
        let mut terms = Vec::new();
        let mut stride = 1;
        for column in (0..tuple.len()).rev().filter(|c| set >> c & 1 == 0) {
            let number = columns.numbers[column][tuple[column]];
            compare.own_line += stride * number;
            match movable[column] {
                Some(m) => {
                    compare.base += stride * (number - m.local);
                    terms.push(Term { depth: m.depth, stride });
                }
                None => compare.base += stride * number,
            }
            stride *= columns.widths[column];
        }
        // The last column's stride is 1. A line without other movable atoms subtracts its first image
        // again.
        match terms.iter().position(|term| term.stride == 1).map(|i| terms.remove(i)) {
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

    /// Which lines hold a cell: those of its relation, for sets of columns with one atom.
    fn lay_out_updates(
        &mut self,
        cells: &[Cell],
        tuples: &[Vec<usize>],
        plan: &Plan,
        columns: &[Columns],
        line_bases: &LineBases,
    ) {
        for &(cell, _) in &plan.order {
            let rel = cells[cell as usize].rel.0 as usize;
            let tuple = &tuples[cell as usize];
            for set in 1..1u64 << tuple.len() {
                let mut filled = (0..tuple.len()).filter(|c| set >> c & 1 != 0);
                let atom = tuple[filled.next().expect("not empty")];
                let Some(m) = plan.movable[atom] else { continue };
                let Some(&first) = line_bases.get(&(rel, set, m.sort)) else { continue };
                if filled.any(|c| tuple[c] != atom) {
                    continue;
                }
                let mut line = first;
                let mut stride = 1;
                for column in (0..tuple.len()).rev().filter(|c| set >> c & 1 == 0) {
                    line += stride * columns[rel].numbers[column][tuple[column]];
                    stride *= columns[rel].widths[column];
                }
                self.updates.push((line, m.local));
            }
            self.update_ends.push(self.updates.len() as u32);
        }
    }

    /// The lines and bits that hold the cell at a place.
    #[inline]
    pub(super) fn updates(&self, place: usize) -> &[(u32, u32)] {
        let start = if place == 0 { 0 } else { self.update_ends[place - 1] as usize };
        &self.updates[start..self.update_ends[place] as usize]
    }

    /// The place of the image of a place.
    pub(super) fn image_of(&self, place: usize, image: &[u32]) -> usize {
        let Address { base, terms } = &self.addresses[place];
        let at = terms.iter().fold(*base, |at, term| at + term.stride * image[term.depth as usize]);
        self.place_at[at as usize] as usize
    }

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
                let places = 0..self.addresses.len();
                generators.push(places.map(|place| self.image_of(place, &image) as u32).collect());
                image.swap(a, b);
            }
        }
        generators
    }
}

fn too_large() -> FinderError {
    FinderError::TooLarge("the canonicity check's tables".into())
}

fn find(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        parents[node as usize] = parents[parents[node as usize] as usize];
        node = parents[node as usize];
    }
    node
}

fn tuple_of(mut index: u64, arity: usize, n_atoms: usize) -> Vec<usize> {
    let mut tuple = vec![0; arity];
    for slot in tuple.iter_mut().rev() {
        *slot = (index % n_atoms as u64) as usize;
        index /= n_atoms as u64;
    }
    tuple
}
