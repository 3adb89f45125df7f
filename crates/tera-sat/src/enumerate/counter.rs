//! Counting models without visiting them: what remains after each decision falls into components that
//! share no clause, whose counts multiply, and a component met before is looked up (Bayardo and Pehoushek
//! 2000; Sang et al. 2004; Thurley 2006).
//!
//! Only visible variables are decided and counted; all others follow by unit propagation. A component is
//! known by its open variables and open clauses, in the order in which a walk from its first visible
//! variable meets them, which depends on the component alone. Nothing is learned: a learned clause may
//! hold because of another component that has no model, which would spoil what is looked up later.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::search::Enumerator;
use super::state::{FALSE, OPEN, TRUE};
use crate::{Limits, Lit, Var};

const NOWHERE: u32 = u32::MAX;
/// Between the variables and the clauses of a component's name.
const MARK: u32 = u32::MAX;
/// Words of names kept, above which all are forgotten.
const MAX_CACHE: usize = 1 << 23;
const MAX_DEPTH: usize = 1_000;
/// Steps between two looks at the limits.
const PATIENCE: u64 = 1 << 14;

/// Why a count is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GaveUp;

/// Lists of all literals, one after the other.
#[derive(Clone, Default)]
struct Lists<T> {
    items: Vec<T>,
    ends: Vec<u32>,
}

impl<T: Copy> Lists<T> {
    fn new(n: usize, pairs: impl Iterator<Item = (usize, T)> + Clone, empty: T) -> Lists<T> {
        let mut ends = vec![0u32; n];
        pairs.clone().for_each(|(i, _)| ends[i] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut items = vec![empty; sum as usize];
        for (i, item) in pairs {
            items[ends[i] as usize] = item;
            ends[i] += 1;
        }
        Lists { items, ends }
    }

    fn range(&self, i: usize) -> std::ops::Range<usize> {
        (if i == 0 { 0 } else { self.ends[i - 1] as usize })..self.ends[i] as usize
    }
}

/// A counter for the clauses of one [`Enumerator`].
#[derive(Clone)]
pub struct Counter {
    /// By literal: what it implies directly.
    binaries: Lists<Lit>,
    /// Longer clauses, and by literal those that have it.
    clauses: Vec<Box<[Lit]>>,
    occurrences: Lists<u32>,
    /// By literal: the value tried first is true; the visible variables in the order of decision.
    preferred: Vec<Lit>,
    /// By variable: its place in `preferred`.
    place: Vec<u32>,
    values: Vec<u8>,
    trail: Vec<Lit>,
    head: usize,
    /// By clause: how many of its literals are true, and how many false.
    n_true: Vec<u32>,
    n_false: Vec<u32>,
    /// By variable and by clause: the walk that saw it last.
    seen: Vec<u32>,
    seen_clause: Vec<u32>,
    walk: u32,
    counts: FxHashMap<Box<[u32]>, BigUint>,
    cached: usize,
    /// Steps done, and steps at which to give up.
    work: u64,
    end: u64,
    next_look: u64,
}

impl Enumerator {
    /// A counter of the same models; none when the search is begun, or has variables that are decided
    /// and not visible.
    pub fn counter(&self) -> Option<Counter> {
        let begun = self.stats.learned > 0 || !self.state.levels.is_empty();
        if begun || self.order.lits.len() != self.order.n_visible {
            return None;
        }
        let n_lits = self.binaries.len();
        let implied = (0..n_lits).flat_map(|p| self.binaries[p].iter().map(move |&q| (p, q)));
        let lits_of = |c| (0..self.clauses.len(c)).map(move |i| self.clauses.lit(c, i));
        let clauses: Vec<Box<[Lit]>> = self.clauses.refs().map(|c| lits_of(c).collect()).collect();
        let numbered = || clauses.iter().enumerate();
        let has = numbered().flat_map(|(c, lits)| lits.iter().map(move |l| (l.index(), c as u32)));
        let mut place = vec![NOWHERE; n_lits / 2];
        for (i, lit) in self.order.lits.iter().enumerate() {
            place[lit.var().index()] = i as u32;
        }
        let mut counter = Counter {
            binaries: Lists::new(n_lits, implied, Lit(0)),
            occurrences: Lists::new(n_lits, has, 0),
            preferred: self.order.lits.clone(),
            place,
            values: vec![OPEN; n_lits],
            trail: Vec::new(),
            head: 0,
            n_true: vec![0; clauses.len()],
            n_false: vec![0; clauses.len()],
            seen: vec![0; n_lits / 2],
            seen_clause: vec![0; clauses.len()],
            clauses,
            walk: 0,
            counts: FxHashMap::default(),
            cached: 0,
            work: 0,
            end: 0,
            next_look: 0,
        };
        self.state.trail.iter().for_each(|&lit| counter.assign(lit));
        let consistent = counter.propagate();
        (consistent && !self.is_exhausted()).then_some(counter)
    }
}

impl Counter {
    /// The number of models in which all of `lits` are true; gives up after so many steps. Literals of
    /// variables that came after the counter was made say nothing.
    pub fn count(&mut self, lits: &[Lit], budget: u64, limits: &Limits) -> Result<BigUint, GaveUp> {
        self.end = self.work.saturating_add(budget);
        self.next_look = self.work + PATIENCE;
        let mark = self.trail.len();
        let consistent = lits.iter().all(|&lit| match self.values.get(lit.index()) {
            Some(&OPEN) => {
                self.assign(lit);
                true
            }
            Some(&value) => value == TRUE,
            None => true,
        }) && self.propagate();
        let result = if consistent {
            let all: Vec<u32> = self.preferred.iter().map(|lit| lit.var().0).collect();
            self.count_components(&all, limits, 0)
        } else {
            Ok(BigUint::ZERO)
        };
        self.undo(mark);
        result
    }

    /// Steps done so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    fn assign(&mut self, lit: Lit) {
        self.values[lit.index()] = TRUE;
        self.values[(!lit).index()] = FALSE;
        self.trail.push(lit);
        for i in self.occurrences.range(lit.index()) {
            self.n_true[self.occurrences.items[i] as usize] += 1;
        }
        for i in self.occurrences.range((!lit).index()) {
            self.n_false[self.occurrences.items[i] as usize] += 1;
        }
    }

    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let lit = self.trail.pop().expect("longer than the mark");
            self.values[lit.index()] = OPEN;
            self.values[(!lit).index()] = OPEN;
            for i in self.occurrences.range(lit.index()) {
                self.n_true[self.occurrences.items[i] as usize] -= 1;
            }
            for i in self.occurrences.range((!lit).index()) {
                self.n_false[self.occurrences.items[i] as usize] -= 1;
            }
        }
        self.head = mark;
    }

    /// False on a conflict.
    fn propagate(&mut self) -> bool {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            self.work += 1;
            for i in self.binaries.range(lit.index()) {
                let implied = self.binaries.items[i];
                match self.values[implied.index()] {
                    TRUE => {}
                    OPEN => self.assign(implied),
                    _ => return false,
                }
            }
            for i in self.occurrences.range((!lit).index()) {
                let c = self.occurrences.items[i] as usize;
                if self.n_true[c] > 0 {
                    continue;
                }
                match self.clauses[c].len() as u32 - self.n_false[c] {
                    0 => return false,
                    1 => {
                        let open = self.clauses[c].iter().find(|l| self.values[l.index()] == OPEN);
                        let unit = *open.expect("one literal is open");
                        self.assign(unit);
                    }
                    _ => {}
                }
            }
        }
        true
    }

    /// The product over the components of those of `vars` that are open.
    fn count_components(&mut self, vars: &[u32], limits: &Limits, depth: usize) -> Result<BigUint, GaveUp> {
        if depth > MAX_DEPTH || self.work > self.end {
            return Err(GaveUp);
        }
        if self.work > self.next_look {
            self.next_look = self.work + PATIENCE;
            if limits.is_reached() {
                return Err(GaveUp);
            }
        }
        let mut product = BigUint::from(1u32);
        let mut free = 0u64;
        let mut components: Vec<Vec<u32>> = Vec::new();
        self.walk += 1;
        for &var in vars {
            let lit = Var(var).lit(true);
            if self.place[var as usize] == NOWHERE
                || self.values[lit.index()] != OPEN
                || self.seen[var as usize] == self.walk
            {
                continue;
            }
            let name = self.component(var);
            match name.len() {
                // Alone, without a clause.
                2 => free += 1,
                _ => components.push(name),
            }
        }
        product <<= free;
        for name in components {
            product *= self.count_component(name, limits, depth)?;
            if product == BigUint::ZERO {
                break;
            }
        }
        Ok(product)
    }

    /// The open variables that `var` is connected with, then the open clauses between them. Variables
    /// that are not visible and occur with one sign only are made true with that sign on the way.
    fn component(&mut self, var: u32) -> Vec<u32> {
        loop {
            let (name, n_vars, pure) = self.walk_from(var);
            if pure.is_empty() {
                return name;
            }
            for &var in &name[..n_vars] {
                self.seen[var as usize] = 0;
            }
            for &clause in &name[n_vars + 1..] {
                self.seen_clause[clause as usize] = 0;
            }
            pure.into_iter().for_each(|lit| self.assign(lit));
            // They are the negation of no open literal: there is nothing to propagate.
            self.head = self.trail.len();
        }
    }

    /// The component, how many variables it has, and those of its literals that are pure.
    fn walk_from(&mut self, var: u32) -> (Vec<u32>, usize, Vec<Lit>) {
        let mut name = vec![var];
        let mut clauses = Vec::new();
        let mut pure = Vec::new();
        self.seen[var as usize] = self.walk;
        let mut next = 0;
        while next < name.len() {
            let var = Var(name[next]);
            next += 1;
            let mut occurs = [false; 2];
            for lit in [var.lit(true), var.lit(false)] {
                let occurs = &mut occurs[!lit.is_pos() as usize];
                // A clause of two with this literal is what its negation implies.
                for i in self.binaries.range((!lit).index()) {
                    let other = self.binaries.items[i];
                    *occurs |= self.values[other.index()] == OPEN;
                    self.meet(other, &mut name);
                }
                for i in self.occurrences.range(lit.index()) {
                    let c = self.occurrences.items[i];
                    if self.n_true[c as usize] > 0 {
                        continue;
                    }
                    *occurs = true;
                    if self.seen_clause[c as usize] == self.walk {
                        continue;
                    }
                    self.seen_clause[c as usize] = self.walk;
                    clauses.push(c);
                    for k in 0..self.clauses[c as usize].len() {
                        let other = self.clauses[c as usize][k];
                        self.meet(other, &mut name);
                    }
                }
            }
            if occurs[0] != occurs[1] && self.place[var.index()] == NOWHERE {
                pure.push(var.lit(occurs[0]));
            }
            self.work += 1;
        }
        let n_vars = name.len();
        name.push(MARK);
        name.extend(clauses);
        (name, n_vars, pure)
    }

    fn meet(&mut self, lit: Lit, name: &mut Vec<u32>) {
        let var = lit.var();
        if self.values[lit.index()] == OPEN && self.seen[var.index()] != self.walk {
            self.seen[var.index()] = self.walk;
            name.push(var.0);
        }
    }

    fn count_component(&mut self, name: Vec<u32>, limits: &Limits, depth: usize) -> Result<BigUint, GaveUp> {
        if let Some(count) = self.counts.get(&name[..]) {
            return Ok(count.clone());
        }
        let end = name.iter().position(|&word| word == MARK).unwrap_or(name.len());
        let vars = &name[..end];
        let first = vars.iter().map(|&var| self.place[var as usize]).min().expect("a visible variable");
        let decision = self.preferred[first as usize];
        let mark = self.trail.len();
        let mut count = BigUint::ZERO;
        for lit in [decision, !decision] {
            self.assign(lit);
            let below = if self.propagate() {
                self.count_components(vars, limits, depth + 1)
            } else {
                Ok(BigUint::ZERO)
            };
            self.undo(mark);
            count += below?;
        }
        if self.cached > MAX_CACHE {
            self.counts.clear();
            self.cached = 0;
        }
        self.cached += name.len() + 16;
        self.counts.insert(name.into_boxed_slice(), count.clone());
        Ok(count)
    }
}
