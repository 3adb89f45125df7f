//! The words of relations.

use super::{Program, Words, bits, rows};
use crate::formula::{ExprOp, Node, NodeId, Overflow};

impl Words {
    pub(super) fn words(&self, p: &Program, id: NodeId, size: usize) -> &[u64] {
        let at = p.place[id.0 as usize] as usize;
        &self.memory[at..at + size]
    }

    /// Computes the words of a relational node; whether it is undefined.
    pub(super) fn expr(&mut self, p: &Program, id: NodeId) -> bool {
        let i = id.0 as usize;
        if matches!(p.nodes[i], Node::Relation(_) | Node::Var(_) | Node::Const(_)) {
            return false;
        }
        if self.is_fresh(p, id) {
            return self.undefined[i];
        }
        let slot = self.slot(p, id);
        let undefined = match slot.and_then(|slot| self.tables.get(slot)) {
            Some((word, undefined)) => {
                self.memory[p.place[i] as usize] = word;
                undefined
            }
            None => {
                let undefined = self.expr_uncached(p, id);
                if let Some(slot) = slot {
                    self.tables.set(slot, self.memory[p.place[i] as usize], undefined);
                }
                undefined
            }
        };
        self.undefined[i] = undefined;
        self.computed[i] = self.clock;
        undefined
    }

    fn expr_uncached(&mut self, p: &Program, id: NodeId) -> bool {
        let n = p.n;
        let to = p.place[id.0 as usize] as usize;
        let arity = p.arity[id.0 as usize] as usize;
        let size = rows(n.max(1), arity);
        let at = |node: NodeId| p.place[node.0 as usize] as usize;
        match &p.nodes[id.0 as usize] {
            Node::Empty(_) => {
                self.memory[to..to + size].fill(0);
                false
            }
            Node::Binary(op, a, b) => {
                let undefined = self.expr(p, *a) | self.expr(p, *b);
                let (x, y) = (at(*a), at(*b));
                let (left, right) = (p.arity[a.0 as usize] as usize, p.arity[b.0 as usize] as usize);
                let m = &mut self.memory;
                match op {
                    ExprOp::Union => (0..size).for_each(|r| m[to + r] = m[x + r] | m[y + r]),
                    ExprOp::Intersect => (0..size).for_each(|r| m[to + r] = m[x + r] & m[y + r]),
                    ExprOp::Difference => (0..size).for_each(|r| m[to + r] = m[x + r] & !m[y + r]),
                    ExprOp::Product => {
                        m[to..to + size].fill(0);
                        let width = rows(n.max(1), right);
                        for row in 0..rows(n.max(1), left) {
                            for atom in bits(m[x + row]) {
                                let base = to + (row * n + atom) * width;
                                m.copy_within(y..y + width, base);
                            }
                        }
                    }
                    ExprOp::Join => join(m, n, to, size, (x, left), (y, right)),
                    ExprOp::Override => {
                        if arity == 1 {
                            m[to] = m[x] | m[y];
                        } else {
                            let width = rows(n.max(1), arity - 1);
                            for atom in 0..n {
                                let from = if m[y + atom * width..][..width].iter().any(|&w| w != 0) {
                                    y
                                } else {
                                    x
                                };
                                let row = from + atom * width;
                                m.copy_within(row..row + width, to + atom * width);
                            }
                        }
                    }
                    ExprOp::DomainRestrict => {
                        if arity == 1 {
                            m[to] = m[x] & m[y];
                        } else {
                            let width = rows(n.max(1), arity - 1);
                            for atom in 0..n {
                                let row = to + atom * width;
                                if m[x] >> atom & 1 == 1 {
                                    m.copy_within(y + atom * width..y + (atom + 1) * width, row);
                                } else {
                                    m[row..row + width].fill(0);
                                }
                            }
                        }
                    }
                    ExprOp::RangeRestrict => (0..size).for_each(|r| m[to + r] = m[x + r] & m[y]),
                }
                undefined
            }
            Node::Transpose(a) => {
                let undefined = self.expr(p, *a);
                let x = at(*a);
                self.memory[to..to + size].fill(0);
                for row in 0..n {
                    for atom in bits(self.memory[x + row]) {
                        self.memory[to + atom] |= 1 << row;
                    }
                }
                undefined
            }
            Node::Closure(a) => {
                let undefined = self.expr(p, *a);
                let x = at(*a);
                self.memory.copy_within(x..x + size, to);
                // Warshall, a row at a time; rows without a successor stay as they are.
                let rows = &mut self.memory[to..to + size];
                let live = rows.iter().enumerate().fold(0, |live, (r, &w)| live | u64::from(w != 0) << r);
                for via in bits(live) {
                    let beyond = rows[via];
                    for row in bits(live) {
                        if rows[row] >> via & 1 == 1 {
                            rows[row] |= beyond;
                        }
                    }
                }
                undefined
            }
            Node::IfExpr(cond, a, b) => {
                let branch = if self.formula(p, *cond) { *a } else { *b };
                let undefined = self.expr(p, branch);
                self.memory.copy_within(at(branch)..at(branch) + size, to);
                undefined
            }
            Node::Comprehension(decls, _) if p.selections[id.0 as usize].is_some() && !self.is_forbid(p) => {
                // Rows that are equal to a set: no variable need be bound.
                let (relation, value) = p.selections[id.0 as usize].expect("looked at");
                self.expr(p, decls[0].domain);
                let undefined = self.expr(p, relation) | self.expr(p, value);
                let wanted = self.memory[at(value)];
                let mut set = 0;
                if !undefined || p.semantics.overflow == Overflow::Wrap {
                    for atom in bits(self.memory[at(decls[0].domain)]) {
                        set |= u64::from(self.memory[at(relation) + atom] == wanted) << atom;
                    }
                }
                self.memory[to] = set;
                false
            }
            Node::Comprehension(decls, body) => {
                let saved = self.context.save();
                let vars = decls.iter().map(|d| (d.var, p.is_int_domain[d.domain.0 as usize]));
                self.context.enter_comprehension(vars);
                self.memory[to..to + size].fill(0);
                self.each(p, decls, &mut |words, p| {
                    if words.formula(p, *body) {
                        let mut row = 0;
                        for (i, decl) in decls.iter().enumerate() {
                            let bit = words.memory[p.var_place[decl.var.0 as usize] as usize];
                            if i + 1 < decls.len() {
                                row = row * n + bit.trailing_zeros() as usize;
                            } else {
                                words.memory[to + row] |= bit;
                            }
                        }
                    }
                    false
                });
                self.context.restore(saved);
                // An undefined number in a domain is an empty set, as it is for quantifiers.
                false
            }
            Node::IntAtom(a) => {
                let int = self.int(p, *a);
                let atom = p.int_atoms.binary_search_by_key(&int.value, |&(v, _)| v);
                let empty = int.undefined && p.semantics.overflow != Overflow::Wrap;
                self.memory[to] = match atom {
                    Ok(i) if !empty => 1 << p.int_atoms[i].1,
                    _ => 0,
                };
                int.undefined
            }
            _ => unreachable!("a relation is wanted"),
        }
    }
}

/// The join of two relations given by place and arity.
fn join(
    m: &mut [u64],
    n: usize,
    to: usize,
    size: usize,
    (x, left): (usize, usize),
    (y, right): (usize, usize),
) {
    if right == 1 {
        m[to..to + size].fill(0);
        for row in 0..rows(n.max(1), left) {
            if m[x + row] & m[y] != 0 {
                m[to + row / n] |= 1 << (row % n);
            }
        }
        return;
    }
    let width = rows(n.max(1), right - 1);
    if left == 1 && width == 1 {
        m[to] = bits(m[x]).fold(0, |acc, atom| acc | m[y + atom]);
        return;
    }
    m[to..to + size].fill(0);
    for row in 0..rows(n.max(1), left) {
        for atom in bits(m[x + row]) {
            for column in 0..width {
                m[to + row * width + column] |= m[y + atom * width + column];
            }
        }
    }
}
