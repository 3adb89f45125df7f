//! Integers for all values of their variables, as long as none can be undefined or too wide.

use super::build::{Build, Level, Num, Span, union, without};
use super::code::{Access, Kind};
use super::lift::Lift;
use crate::formula::{Decl, IntOp, Node, NodeId};

impl Lift<'_> {
    pub fn number(&mut self, id: NodeId) -> Option<Num> {
        if let Some(known) = &self.nums[id.0 as usize] {
            return known.clone();
        }
        let num = self.number_uncached(id);
        self.nums[id.0 as usize] = Some(num.clone());
        num
    }

    fn number_uncached(&mut self, id: NodeId) -> Option<Num> {
        let arena = self.arena;
        match arena.node(id) {
            Node::Int(value) => {
                let at = self.build.constant_int(*value);
                let value = i128::from(*value);
                Some(Num { at, vars: Vec::new(), deps: 0, least: value, most: value })
            }
            Node::Card(a) => {
                let rel = self.relation(*a)?;
                let rows = self.build.rows_of(&rel)?;
                let most = i128::from(rows) * i128::from(rel.cols.last()?.len);
                let n = self.build.size(&self.build.dims(&rel.vars, &[]))?;
                let at = self.build.result(Kind::Card { from: rel.at, rows }, n, rel.deps)?;
                Some(Num { at, vars: rel.vars, deps: rel.deps, least: 0, most })
            }
            Node::SumSet(a) => {
                let rel = self.relation(*a)?;
                let possible = rel.cols[0].mask() & self.build.machine.int_mask;
                let values = self.build.machine.int_atoms.iter();
                let values = values.filter(|(_, atom)| possible >> atom & 1 == 1).map(|v| i128::from(v.0));
                let least = values.clone().filter(|v| *v < 0).sum();
                let most = values.filter(|v| *v > 0).sum();
                if !fits(least) || !fits(most) {
                    return None;
                }
                let n = self.build.size(&self.build.dims(&rel.vars, &[]))?;
                let at = self.build.result(Kind::SumSet(rel.at), n, rel.deps)?;
                Some(Num { at, vars: rel.vars, deps: rel.deps, least, most })
            }
            Node::Sum(decls, body) => {
                self.bind(decls)?;
                let mut num = self.number(*body)?;
                for decl in decls.iter().rev() {
                    num = self.sum(decl, &num)?;
                }
                Some(num)
            }
            Node::IntBinary(op, a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                let (least, most) = self.range(*op, &a, &b)?;
                let vars = union(&a.vars, &b.vars);
                let dims = self.build.dims(&vars, &[]);
                let (x, y) = (self.int_access(&a, &vars)?, self.int_access(&b, &vars)?);
                let n = self.build.size(&dims)?;
                let deps = a.deps | b.deps;
                // What does not fit is never computed, not even of constants.
                if !fits(least) || !fits(most) {
                    return None;
                }
                let at = self.build.result(Kind::Arith(*op, x, y), n, deps)?;
                Some(Num { at, vars, deps, least, most })
            }
            Node::IfInt(cond, a, b) => {
                let cond = self.formula(*cond)?;
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                let vars = union(&cond.vars, &union(&a.vars, &b.vars));
                let mask = self.build.masks(&cond, &vars, &[])?;
                let (yes, no) = if cond.negated { (&b, &a) } else { (&a, &b) };
                let (x, y) = (self.int_access(yes, &vars)?, self.int_access(no, &vars)?);
                let n = self.build.size(&self.build.dims(&vars, &[]))?;
                let deps = cond.deps | a.deps | b.deps;
                let at = self.build.result(Kind::Choose(mask, x, y), n, deps)?;
                let (least, most) = (a.least.min(b.least), a.most.max(b.most));
                Some(Num { at, vars, deps, least, most })
            }
            _ => None,
        }
    }

    fn int_access(&mut self, num: &Num, vars: &[Level]) -> Option<Access> {
        let dims = self.build.dims(vars, &[]);
        self.int_access_over(num, vars, &dims, 0)
    }

    /// Over the rows of `dims`, which are those of `vars`; a variable that is not among them is at
    /// the first of its values.
    fn int_access_over(&mut self, num: &Num, vars: &[Level], dims: &[Span], other: u32) -> Option<Access> {
        let own = self.build.dims(&num.vars, &[]);
        let places: Vec<Option<usize>> =
            num.vars.iter().map(|var| vars.iter().position(|v| v == var)).collect();
        let at = num.at;
        self.build.access(dims, |atoms| {
            let atom = |i: usize| places[i].map_or(other, |place| atoms[place]);
            at + Build::index(&own, atom).unwrap_or(0)
        })
    }

    fn sum(&mut self, decl: &Decl, body: &Num) -> Option<Num> {
        let level = self.levels[decl.var.0 as usize];
        let domain = self.relation(decl.domain)?;
        let vars = union(&without(&body.vars, level), &domain.vars);
        let span = self.build.spans[level as usize];
        let dims = self.build.dims(&vars, &[]);
        let step = u32::from(body.vars.last() == Some(&level));
        let x = self.int_access_over(body, &vars, &dims, span.lo)?;
        let y = self.build.row_access(&domain, &vars, &domain.cols)?;
        let n = self.build.size(&dims)?;
        let deps = domain.deps | body.deps;
        let kind = Kind::Sum { domain: y, body: x, step, lo: span.lo };
        let terms = i128::from(span.len);
        let (least, most) = (terms * body.least.min(0), terms * body.most.max(0));
        if !fits(least) || !fits(most) {
            return None;
        }
        Some(Num { at: self.build.result(kind, n, deps)?, vars, deps, least, most })
    }

    /// What `a op b` may be; `None` if it may be undefined.
    fn range(&self, op: IntOp, a: &Num, b: &Num) -> Option<(i128, i128)> {
        let corners = |f: fn(i128, i128) -> i128| {
            let all = [f(a.least, b.least), f(a.least, b.most), f(a.most, b.least), f(a.most, b.most)];
            let low = all.iter().copied().min()?;
            Some((low, all.iter().copied().max()?))
        };
        let size = a.least.abs().max(a.most.abs());
        match op {
            IntOp::Add => Some((a.least + b.least, a.most + b.most)),
            IntOp::Sub => Some((a.least - b.most, a.most - b.least)),
            IntOp::Mul => corners(|x, y| x * y),
            IntOp::Div | IntOp::Rem if b.least <= 0 && b.most >= 0 => None,
            IntOp::Div | IntOp::Rem => Some((-size, size)),
            IntOp::Shl | IntOp::Sha | IntOp::Shr if b.least < 0 => None,
            IntOp::Shl if b.most < 63 => corners(|x, y| x << y),
            IntOp::Shl => None,
            IntOp::Sha => Some((a.least.min(0), a.most.max(0))),
            IntOp::Shr => {
                let half = 1i128 << (self.problem.ints.bit_width.clamp(1, 64) - 1);
                Some((-half, half - 1))
            }
        }
    }
}

fn fits(value: i128) -> bool {
    i64::try_from(value).is_ok()
}
