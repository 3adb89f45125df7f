//! Values kept by atom: what depends on one variable alone, and that variable is bound again and
//! again because its quantifier stands inside another, is computed once for each atom.
//!
//! Invariant: an entry is of use only in the epoch it was written in; loading an instance begins a
//! new one.

use crate::formula::{Arena, DeclMult, ExprOp, Node, NodeId, Overflow, Sort, VarId};
use crate::problem::Problem;

pub(super) struct Tables {
    /// By node: the variable and where its entries begin.
    place: Vec<Option<(VarId, u32)>>,
    epoch: u32,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    epoch: u32,
    undefined: bool,
    value: u64,
}

/// Entries in all; more nodes are computed anew.
const MOST: usize = 1 << 20;

impl Tables {
    pub fn new(problem: &Problem, free: &[Box<[VarId]>], needed: &[bool]) -> Tables {
        let arena = &problem.arena;
        let n = problem.universe.len();
        let mut tables = Tables { place: vec![None; arena.len()], epoch: 1, entries: Vec::new() };
        // Under forbidden overflows a value depends on where the node stands.
        if problem.ints.overflow == Overflow::Forbid {
            return tables;
        }
        let nested = nested_variables(arena, needed);
        let mut top = 0;
        for i in (0..arena.len()).filter(|&i| needed[i]) {
            if let [var] = *free[i]
                && nested[var.0 as usize]
                && is_worth_keeping(arena, NodeId(i as u32))
                && top + n <= MOST
            {
                tables.place[i] = Some((var, top as u32));
                top += n;
            }
        }
        tables.entries = vec![Entry::default(); top];
        tables
    }

    pub fn forget(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.entries.fill(Entry::default());
            self.epoch = 1;
        }
    }

    /// The variable that the node depends on, and where its entries begin.
    #[inline]
    pub fn place(&self, node: NodeId) -> Option<(VarId, u32)> {
        self.place[node.0 as usize]
    }

    /// The value and whether it is undefined.
    #[inline]
    pub fn get(&self, slot: usize) -> Option<(u64, bool)> {
        let entry = &self.entries[slot];
        (entry.epoch == self.epoch).then_some((entry.value, entry.undefined))
    }

    #[inline]
    pub fn set(&mut self, slot: usize, value: u64, undefined: bool) {
        self.entries[slot] = Entry { epoch: self.epoch, undefined, value };
    }
}

fn is_worth_keeping(arena: &Arena, id: NodeId) -> bool {
    match arena.sort(id) {
        Sort::Expr(1) => match arena.node(id) {
            Node::Var(_) => false,
            // One row of a table as it is.
            Node::Binary(ExprOp::Join, a, b) => {
                !matches!(arena.node(*a), Node::Var(_)) || !matches!(arena.node(*b), Node::Relation(_))
            }
            _ => true,
        },
        Sort::Expr(_) => false,
        Sort::Int | Sort::Formula => true,
    }
}

/// Variables that stand for one atom and whose quantifier is inside another, or behind another
/// declaration.
fn nested_variables(arena: &Arena, needed: &[bool]) -> Vec<bool> {
    let n_vars = arena.n_vars();
    let mut nested = vec![false; n_vars];
    let mut single = vec![false; n_vars];
    // The variables that are bound somewhere in a node.
    let mut bound: Vec<Vec<VarId>> = vec![Vec::new(); arena.len()];
    for i in (0..arena.len()).filter(|&i| needed[i]) {
        let node = arena.node(NodeId(i as u32));
        let mut inside = Vec::new();
        node.for_each_child(|child| inside.extend_from_slice(&bound[child.0 as usize]));
        let decls = node.decls();
        if !decls.is_empty() {
            inside.iter().for_each(|var| nested[var.0 as usize] = true);
            decls[1..].iter().for_each(|decl| nested[decl.var.0 as usize] = true);
        }
        for decl in decls {
            single[decl.var.0 as usize] = decl.mult == DeclMult::One && arena.var_arity(decl.var) == 1;
            inside.push(decl.var);
        }
        inside.sort_unstable();
        inside.dedup();
        bound[i] = inside;
    }
    nested.iter().zip(single).map(|(&nested, single)| nested && single).collect()
}
