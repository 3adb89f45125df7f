//! Relations for all values of their variables.

use super::build::{Build, Form, Held, Level, Rel, RowBits, Span, ZERO, for_each_row, union};
use super::code::{Access, Bitwise, Kind, Pack, Pair, Rows};
use super::lift::Lift;
use crate::formula::{Decl, ExprOp, Node, NodeId, RelId};
use crate::tuple_set::TupleSet;

impl Lift<'_> {
    pub fn relation(&mut self, id: NodeId) -> Option<Rel> {
        if let Some(known) = &self.rels[id.0 as usize] {
            return known.clone();
        }
        let rel = self.relation_uncached(id);
        self.rels[id.0 as usize] = Some(rel.clone());
        rel
    }

    /// The variable that a node is.
    pub fn variable(&self, id: NodeId) -> Option<Level> {
        match self.arena.node(id) {
            Node::Var(var) => Some(self.levels[var.0 as usize]),
            _ => None,
        }
    }

    fn relation_uncached(&mut self, id: NodeId) -> Option<Rel> {
        let arena = self.arena;
        match arena.node(id) {
            Node::Relation(rel) => self.held(*rel),
            Node::Var(var) => {
                let level = self.levels[var.0 as usize];
                let span = *self.build.spans.get(level as usize)?;
                let atoms: Vec<u64> = (span.lo..span.lo + span.len).map(|atom| 1 << atom).collect();
                let at = self.build.constant_words(&atoms)?;
                Some(Rel { at, vars: vec![level], cols: vec![span], deps: 0 })
            }
            Node::Const(set) => {
                let set = arena.const_set(*set);
                let cols = self.spans_of(set)?;
                let dims = self.build.row_dims(&[], &cols);
                let mut words = vec![0; self.build.size(&dims)? as usize];
                let n = self.n;
                for index in set.indices() {
                    let mut rest = index / n;
                    let mut atoms = vec![0; dims.len()];
                    for atom in atoms.iter_mut().rev() {
                        *atom = (rest % n) as u32;
                        rest /= n;
                    }
                    words[Build::index(&dims, |i| atoms[i])? as usize] |= 1 << (index % n);
                }
                let at = self.build.constant_words(&words)?;
                Some(Rel { at, vars: Vec::new(), cols, deps: 0 })
            }
            Node::Empty(arity) => Some(empty(*arity as usize)),
            Node::Binary(op, a, b) => self.binary(*op, *a, *b),
            Node::Transpose(a) => {
                let rel = self.relation(*a)?;
                let dims = self.build.dims(&rel.vars, &rel.cols);
                let (n_vars, to) = (rel.vars.len(), rel.cols[1]);
                let mut rows = dims.clone();
                rows.remove(n_vars);
                let row = |atoms: &[u32]| {
                    let atom = |i: usize| if i < n_vars { atoms[i] } else { to.lo };
                    (Build::index(&rows, atom).unwrap_or(0), atoms[n_vars])
                };
                let at = self.turn(&rel, &rows, row, to, 1)?;
                Some(Rel { at, cols: vec![to, rel.cols[0]], ..rel })
            }
            Node::Closure(a) => {
                let rel = self.relation(*a)?;
                let dims = self.build.row_dims(&rel.vars, &rel.cols);
                let n = self.build.size(&dims)?;
                let kind = Kind::Closure { from: rel.at, rows: rel.cols[0].len, lo: rel.cols[0].lo };
                Some(Rel { at: self.build.result(kind, n, rel.deps)?, ..rel })
            }
            Node::IfExpr(cond, a, b) => {
                let cond = self.formula(*cond)?;
                let (a, b) = (self.relation(*a)?, self.relation(*b)?);
                let cols = hulls(&a, &b);
                let vars = union(&cond.vars, &union(&a.vars, &b.vars));
                let at = self.chosen(&cond, [&a, &b], &vars, &cols)?;
                Some(Rel { at, vars, cols, deps: cond.deps | a.deps | b.deps })
            }
            Node::Comprehension(decls, body) => self.comprehension(decls, *body),
            Node::IntAtom(a) => {
                let int = self.number(*a)?;
                let dims = self.build.dims(&int.vars, &[]);
                let n = self.build.size(&dims)?;
                let at = self.build.result(Kind::IntAtom(int.at), n, int.deps)?;
                let cols = vec![Span::of(self.build.machine.int_mask)];
                Some(Rel { at, vars: int.vars, cols, deps: int.deps })
            }
            _ => None,
        }
    }

    fn spans_of(&self, set: &TupleSet) -> Option<Vec<Span>> {
        let mut masks = vec![0u64; set.arity()];
        for index in set.indices() {
            let mut rest = index;
            for mask in masks.iter_mut().rev() {
                *mask |= 1 << (rest % self.n);
                rest /= self.n;
            }
        }
        Some(masks.into_iter().map(Span::of).collect())
    }

    /// A relation of the problem; constant ones are there already.
    fn held(&mut self, id: RelId) -> Option<Rel> {
        let relation = self.problem.relation(id);
        let cols = self.spans_of(&relation.upper)?;
        let dims = self.build.row_dims(&[], &cols);
        let n = self.n as u32;
        let span = *cols.last()?;
        let mut rows = Vec::new();
        // Bits of a set are at most 2^17.
        for_each_row(&dims, |atoms| {
            let start = atoms.iter().fold(0, |row, &atom| (row + atom) * n);
            rows.push(RowBits::new(start + span.lo, span.len));
        });
        self.build.size(&dims)?;
        let words = vec![0; rows.len()];
        let at = self.build.room_for(&words)?;
        let deps = if relation.is_constant() { 0 } else { 1 << (id.0 % 64) };
        let held = Held { rel: id, at, span, rows, small: None };
        if deps == 0 {
            held.read(&mut self.build.machine, relation.upper.raw_words()?);
        } else {
            self.build.held.push(held);
        }
        Some(Rel { at, vars: Vec::new(), cols, deps })
    }

    fn binary(&mut self, op: ExprOp, left: NodeId, right: NodeId) -> Option<Rel> {
        let (a, b) = (self.relation(left)?, self.relation(right)?);
        match op {
            ExprOp::Union => self.bitwise(Bitwise::Or, &a, &b),
            ExprOp::Override if a.cols.len() == 1 => self.bitwise(Bitwise::Or, &a, &b),
            ExprOp::DomainRestrict if b.cols.len() == 1 => self.bitwise(Bitwise::And, &a, &b),
            ExprOp::Intersect => self.bitwise(Bitwise::And, &a, &b),
            ExprOp::Difference => self.bitwise(Bitwise::AndNot, &a, &b),
            ExprOp::Product => self.product(&a, &b),
            ExprOp::Join => match (self.variable(left), self.variable(right)) {
                (Some(var), _) if b.cols.len() > 1 && !b.vars.contains(&var) => self.image(var, &b),
                (_, Some(var)) if a.cols.len() == 2 && !a.vars.contains(&var) => {
                    let vars = union(&a.vars, &[var]);
                    let at = self.turned(&a, &vars, var, None)?;
                    Some(Rel { at, vars, cols: vec![a.cols[0]], deps: a.deps })
                }
                _ => self.join(&a, &b),
            },
            ExprOp::Override => {
                let (vars, cols) = (union(&a.vars, &b.vars), hulls(&a, &b));
                let x = self.build.row_access(&a, &vars, &cols)?;
                let y = self.build.row_access(&b, &vars, &cols)?;
                let dims = self.build.row_dims(&vars, &cols);
                let n = self.build.size(&dims)?;
                let width = self.build.size(&cols[1..cols.len() - 1])?;
                let deps = a.deps | b.deps;
                let at = self.build.result(Kind::Override { a: x, b: y, width }, n, deps)?;
                Some(Rel { at, vars, cols, deps })
            }
            ExprOp::DomainRestrict => {
                let vars = union(&a.vars, &b.vars);
                let mask = self.spread(&a, &vars, &b.cols[..b.cols.len() - 1])?;
                let rows = self.build.row_access(&b, &vars, &b.cols)?;
                self.masked(mask, rows, vars, b.cols.clone(), a.deps | b.deps)
            }
            ExprOp::RangeRestrict => {
                let vars = union(&a.vars, &b.vars);
                let x = self.build.row_access(&a, &vars, &a.cols)?;
                // The words of the set by the variables; other dimensions do not matter to it.
                let dims = self.build.row_dims(&vars, &a.cols);
                let y = self.by_variables(&b, &vars, &dims)?;
                let n = self.build.size(&dims)?;
                let deps = a.deps | b.deps;
                let at = self.build.zip(Bitwise::And, x, y, n, deps)?;
                Some(Rel { at, vars, cols: a.cols, deps })
            }
        }
    }

    /// The blocks of rows of `rel` by its variables among the first of `dims`.
    fn by_variables(&mut self, rel: &Rel, vars: &[Level], dims: &[Span]) -> Option<Access> {
        let own = self.build.dims(&rel.vars, &[]);
        let width = self.build.rows_of(rel)?;
        let places: Vec<usize> =
            rel.vars.iter().map(|var| vars.iter().position(|v| v == var).unwrap_or(0)).collect();
        let at = rel.at;
        self.build.access(dims, |atoms| at + Build::index(&own, |i| atoms[places[i]]).unwrap_or(0) * width)
    }

    fn bitwise(&mut self, op: Bitwise, a: &Rel, b: &Rel) -> Option<Rel> {
        let cols: Vec<Span> = match op {
            Bitwise::And => a.cols.iter().zip(&b.cols).map(|(x, y)| x.meet(*y)).collect(),
            Bitwise::AndNot => a.cols.clone(),
            _ => hulls(a, b),
        };
        let vars = union(&a.vars, &b.vars);
        let (x, y) = (self.build.row_access(a, &vars, &cols)?, self.build.row_access(b, &vars, &cols)?);
        let dims = self.build.row_dims(&vars, &cols);
        let n = self.build.size(&dims)?;
        let deps = a.deps | b.deps;
        let at = self.build.zip(op, x, y, n, deps)?;
        Some(Rel { at, vars, cols, deps })
    }

    /// Masks for the rows of `vars` and `cols`: whether the tuple of the first columns is in `rel`.
    fn spread(&mut self, rel: &Rel, vars: &[Level], cols: &[Span]) -> Option<u32> {
        let own = self.build.row_dims(&rel.vars, &rel.cols);
        let dims = self.build.dims(vars, cols);
        let place = |var: &Level| vars.iter().position(|v| v == var).unwrap_or(0);
        let places: Vec<usize> =
            rel.vars.iter().map(place).chain(vars.len()..vars.len() + rel.cols.len()).collect();
        let at = rel.at;
        let table = self.build.table(&dims, |atoms| {
            let bit = atoms[places[places.len() - 1]];
            match Build::index(&own, |i| atoms[places[i]]) {
                Some(row) => (at + row) << 6 | bit,
                None => ZERO << 6,
            }
        })?;
        let n = self.build.size(&dims)?;
        self.build.result(Kind::Spread(table), n, rel.deps)
    }

    fn masked(
        &mut self,
        mask: u32,
        rows: Access,
        vars: Vec<Level>,
        cols: Vec<Span>,
        deps: u64,
    ) -> Option<Rel> {
        let dims = self.build.row_dims(&vars, &cols);
        let n = self.build.size(&dims)?;
        let at = self.build.zip(Bitwise::And, Access::At(mask), rows, n, deps)?;
        Some(Rel { at, vars, cols, deps })
    }

    fn product(&mut self, a: &Rel, b: &Rel) -> Option<Rel> {
        let vars = union(&a.vars, &b.vars);
        let cols = [&a.cols[..], &b.cols].concat();
        let mask = self.spread(a, &vars, &cols[..cols.len() - 1])?;
        // The rows on the right, whatever stands in the columns of the left.
        let own = self.build.row_dims(&b.vars, &b.cols);
        let dims = self.build.row_dims(&vars, &cols);
        let place = |var: &Level| vars.iter().position(|v| v == var).unwrap_or(0);
        let first = vars.len() + a.cols.len();
        let places: Vec<usize> = b.vars.iter().map(place).chain(first..dims.len()).collect();
        let at = b.at;
        let rows = self
            .build
            .access(&dims, |atoms| Build::index(&own, |i| atoms[places[i]]).map_or(ZERO, |row| at + row))?;
        self.masked(mask, rows, vars, cols, a.deps | b.deps)
    }

    /// `var.rel`: the rows are there; the first column becomes the variable.
    fn image(&mut self, var: Level, rel: &Rel) -> Option<Rel> {
        let vars = union(&rel.vars, &[var]);
        let cols = rel.cols[1..].to_vec();
        let own = self.build.row_dims(&rel.vars, &rel.cols);
        let dims = self.build.row_dims(&vars, &cols);
        let place = |var: &Level| vars.iter().position(|v| v == var).unwrap_or(0);
        let mut places: Vec<usize> = rel.vars.iter().map(place).collect();
        places.push(place(&var));
        places.extend(vars.len()..dims.len());
        let at = rel.at;
        let access = self
            .build
            .access(&dims, |atoms| Build::index(&own, |i| atoms[places[i]]).map_or(ZERO, |row| at + row))?;
        let at = self.build.gathered(access, &dims, rel.deps)?;
        Some(Rel { at, vars, cols, deps: rel.deps })
    }

    fn join(&mut self, a: &Rel, b: &Rel) -> Option<Rel> {
        let vars = union(&a.vars, &b.vars);
        let deps = a.deps | b.deps;
        let inner = a.cols.len() - 1;
        let cols = [&a.cols[..inner], &b.cols[1..]].concat();
        let left = self.build.row_access(a, &vars, &a.cols)?;
        let dims = self.build.row_dims(&vars, &a.cols);
        let right = self.by_variables(b, &vars, &dims)?;
        if b.cols.len() > 1 {
            let width = self.build.size(&b.cols[1..b.cols.len() - 1])?;
            let n = self.build.size(&self.build.row_dims(&vars, &cols))?;
            let (mask, lo) = (b.cols[0].mask(), b.cols[0].lo);
            let at = self.build.result(Kind::Join { left, right, width, mask, lo }, n, deps)?;
            return Some(Rel { at, vars, cols, deps });
        }
        // With a set: the last column on the left goes, the one before it becomes the bits.
        let bits = *cols.last()?;
        let words = self.build.row_dims(&vars, &cols);
        let at = self.build.gathered(left, &dims, a.deps)?;
        let x = self.build.access(&words, |atoms| {
            let first = |i: usize| atoms.get(i).copied().unwrap_or(bits.lo);
            at + Build::index(&dims, first).unwrap_or(0)
        })?;
        let y = self.by_variables(b, &vars, &words)?;
        let pack = Pack { lo: bits.lo as u8, len: bits.len as u8, closed: false };
        let kind = Kind::TestPair(Pair::Meet, pack, Rows { at: x, step: 1 }, Rows { at: y, step: 0 }, 1);
        let n = self.build.size(&words)?;
        Some(Rel { at: self.build.result(kind, n, deps)?, vars, cols, deps })
    }

    /// The rows of `rel` over `vars`, among them `var`, which replaces its last column; the bits
    /// are those of the variable `last` of its own, or else of its first column.
    pub fn turned(&mut self, rel: &Rel, vars: &[Level], var: Level, last: Option<Level>) -> Option<u32> {
        let dims = self.build.dims(vars, &[]);
        let span = self.build.spans[var as usize];
        let own = &rel.vars;
        let places: Vec<Option<usize>> = vars.iter().map(|v| own.iter().position(|o| o == v)).collect();
        let bit = last.and_then(|last| own.iter().position(|&o| o == last)).unwrap_or(own.len());
        let row = |atoms: &[u32]| {
            let atom = |i: usize| places[i].map_or(span.lo, |place| atoms[place]);
            (Build::index(&dims, atom).unwrap_or(0), atoms[bit])
        };
        let at = vars.iter().position(|&v| v == var)?;
        let step = dims[at + 1..].iter().map(|dim| dim.len).product();
        self.turn(rel, &dims, row, span, step)
    }

    /// New rows over `dims` from the bits of `rel`: a row of it goes to the row and bit that `row`
    /// says, and as many times `step` further as its own bit is from the start of `span`.
    fn turn(
        &mut self,
        rel: &Rel,
        dims: &[Span],
        row: impl Fn(&[u32]) -> (u32, u32),
        span: Span,
        step: u32,
    ) -> Option<u32> {
        let sources = self.build.row_dims(&rel.vars, &rel.cols);
        let table = self.build.table(&sources, |atoms| {
            let (row, bit) = row(atoms);
            row << 6 | bit
        })?;
        let n = self.build.size(&sources)?;
        let from = Access::At(rel.at);
        let size = self.build.size(dims)?;
        let kind = Kind::Turn { from, n, table, mask: span.mask(), lo: span.lo, step };
        self.build.result(kind, size, rel.deps)
    }

    fn comprehension(&mut self, decls: &[Decl], body: NodeId) -> Option<Rel> {
        self.bind(decls)?;
        let mut form = self.formula(body)?;
        for decl in decls {
            let domain = self.relation(decl.domain)?;
            let member = self.member(self.levels[decl.var.0 as usize], &domain)?;
            form = self.and(&form, &member)?;
        }
        let own: Vec<Level> = decls.iter().map(|decl| self.levels[decl.var.0 as usize]).collect();
        let Form { at, negated: false, vars, deps } = form else { return None };
        // A formula that is known to be false does not mention them.
        let Some(vars) = vars.strip_suffix(&own[..]) else { return Some(empty(decls.len())) };
        let cols = own.iter().map(|&level| self.build.spans[level as usize]).collect();
        Some(Rel { at, vars: vars.to_vec(), cols, deps })
    }
}

fn empty(arity: usize) -> Rel {
    Rel { at: ZERO, vars: Vec::new(), cols: vec![Span::default(); arity], deps: 0 }
}

fn hulls(a: &Rel, b: &Rel) -> Vec<Span> {
    a.cols.iter().zip(&b.cols).map(|(x, y)| x.hull(*y)).collect()
}
