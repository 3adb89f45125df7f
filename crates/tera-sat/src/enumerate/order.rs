//! The order of decisions: a fixed list, or the most active visible variable first.

use crate::{Lit, Var};

use super::state::{OPEN, State};

const NOWHERE: u32 = u32::MAX;
const DECAY: f64 = 1.0 / 0.95;

#[derive(Clone)]
pub(super) struct Order {
    /// Primary variables with the value tried first; the first `n_visible` make the model.
    pub(super) lits: Vec<Lit>,
    pub(super) n_visible: usize,
    /// The place after each that may be open.
    skips: Vec<u32>,
    vsids: bool,
    activity: Vec<f64>,
    increment: f64,
    /// A binary heap of places in `lits`, and where each is in it.
    heap: Vec<u32>,
    at: Vec<u32>,
    /// By variable: its place in `lits`, if visible.
    place: Vec<u32>,
}

impl Order {
    pub(super) fn new(lits: Vec<Lit>, n_visible: usize, n_vars: usize) -> Order {
        let mut place = vec![NOWHERE; n_vars];
        for (i, lit) in lits[..n_visible].iter().enumerate() {
            place[lit.var().index()] = i as u32;
        }
        Order {
            activity: vec![0.0; n_visible],
            at: vec![NOWHERE; n_visible],
            skips: (1..=lits.len() as u32).collect(),
            lits,
            n_visible,
            vsids: false,
            increment: 1.0,
            heap: Vec::new(),
            place,
        }
    }

    pub(super) fn grow(&mut self, n_vars: usize) {
        self.place.resize(n_vars, NOWHERE);
    }

    /// Tells the order which variables have their value for good.
    pub(super) fn skip_known(&mut self, state: &State) {
        let mut next = self.lits.len();
        for i in (0..self.lits.len()).rev() {
            self.skips[i] = next as u32;
            if state.values[self.lits[i].index()] == OPEN {
                next = i;
            }
        }
    }

    pub(super) fn is_vsids(&self) -> bool {
        self.vsids
    }

    /// From here on the most active first. Sound at any time.
    pub(super) fn use_vsids(&mut self, state: &State) {
        self.vsids = true;
        for i in 0..self.n_visible {
            if state.values[self.lits[i].index()] == OPEN {
                self.insert(i as u32);
            }
        }
    }

    #[inline]
    pub(super) fn bump(&mut self, var: Var) {
        let place = self.place[var.index()];
        if place == NOWHERE {
            return;
        }
        self.activity[place as usize] += self.increment;
        if self.activity[place as usize] > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.increment *= 1e-100;
        }
        if self.at[place as usize] != NOWHERE {
            self.up(self.at[place as usize] as usize);
        }
    }

    pub(super) fn decay(&mut self) {
        self.increment *= DECAY;
    }

    #[inline]
    pub(super) fn undone(&mut self, var: Var) {
        if self.vsids {
            let place = self.place[var.index()];
            if place != NOWHERE {
                self.insert(place);
            }
        }
    }

    /// The place of the next open variable, if any; `from` is where the static order stands.
    #[inline]
    pub(super) fn next(&mut self, state: &State, from: usize) -> Option<usize> {
        let mut from = from;
        if self.vsids {
            while let Some(place) = self.pop() {
                if state.values[self.lits[place].index()] == OPEN {
                    return Some(place);
                }
            }
            from = from.max(self.n_visible);
        }
        if state.is_total() {
            from = from.max(self.n_visible);
        }
        while let Some(lit) = self.lits.get(from) {
            if state.values[lit.index()] == OPEN {
                return Some(from);
            }
            from = self.skips[from] as usize;
        }
        None
    }

    /// Equal activities keep the static order.
    fn before(&self, a: u32, b: u32) -> bool {
        let (x, y) = (self.activity[a as usize], self.activity[b as usize]);
        x > y || x == y && a < b
    }

    pub(super) fn insert(&mut self, place: u32) {
        if self.at[place as usize] == NOWHERE {
            self.at[place as usize] = self.heap.len() as u32;
            self.heap.push(place);
            self.up(self.heap.len() - 1);
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let top = *self.heap.first()?;
        self.at[top as usize] = NOWHERE;
        let last = self.heap.pop().expect("not empty");
        if last != top {
            self.heap[0] = last;
            self.at[last as usize] = 0;
            self.down(0);
        }
        Some(top as usize)
    }

    fn up(&mut self, mut i: usize) {
        while i > 0 && self.before(self.heap[i], self.heap[(i - 1) / 2]) {
            self.swap(i, (i - 1) / 2);
            i = (i - 1) / 2;
        }
    }

    fn down(&mut self, mut i: usize) {
        loop {
            let mut best = i;
            for child in [2 * i + 1, 2 * i + 2] {
                if child < self.heap.len() && self.before(self.heap[child], self.heap[best]) {
                    best = child;
                }
            }
            if best == i {
                return;
            }
            self.swap(i, best);
            i = best;
        }
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.heap.swap(i, j);
        self.at[self.heap[i] as usize] = i as u32;
        self.at[self.heap[j] as usize] = j as u32;
    }
}
