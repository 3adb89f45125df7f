//! Formulas for all values of their variables.

use super::build::{Deps, Form, Level, ONES, Rel, Span, ZERO, union, without};
use super::code::{Access, Bitwise, Counted, Kind, Pack, Pair, Rows};
use super::lift::Lift;
use crate::formula::{Decl, DeclMult, ExprOp, Node, NodeId, Quant, SizeTest};

impl Lift<'_> {
    pub fn formula(&mut self, id: NodeId) -> Option<Form> {
        if let Some(known) = &self.forms[id.0 as usize] {
            return known.clone();
        }
        let form = self.formula_uncached(id);
        self.forms[id.0 as usize] = Some(form.clone());
        form
    }

    fn formula_uncached(&mut self, id: NodeId) -> Option<Form> {
        let arena = self.arena;
        Some(match arena.node(id) {
            Node::True => constant(true),
            Node::False => constant(false),
            Node::Not(a) => not(self.formula(*a)?),
            Node::And(parts) => {
                let mut all = constant(true);
                for &part in parts {
                    let part = self.formula(part)?;
                    all = self.and(&all, &part)?;
                }
                all
            }
            Node::Or(parts) => {
                let mut any = constant(false);
                for &part in parts {
                    let part = self.formula(part)?;
                    any = self.or(&any, &part)?;
                }
                any
            }
            Node::Implies(a, b) => {
                let (a, b) = (not(self.formula(*a)?), self.formula(*b)?);
                self.or(&a, &b)?
            }
            Node::Iff(a, b) => {
                let (a, b) = (self.formula(*a)?, self.formula(*b)?);
                not(self.xor(&a, &b)?)
            }
            Node::IfFormula(cond, a, b) => {
                let (cond, a, b) = (self.formula(*cond)?, self.formula(*a)?, self.formula(*b)?);
                let (a, b) = (self.and(&cond, &a)?, self.and(&not(cond), &b)?);
                self.or(&a, &b)?
            }
            Node::Subset(a, b) => self.subset(*a, *b)?,
            Node::Equal(a, b) => self.equal(*a, *b)?,
            Node::Size(test, a) => self.sized(*test, *a)?,
            Node::Compare(cmp, a, b) => {
                let (a, b) = (self.number(*a)?, self.number(*b)?);
                let vars = union(&a.vars, &b.vars);
                let x = self.build.stepped(a.at, &a.vars, &vars, 1)?;
                let y = self.build.stepped(b.at, &b.vars, &vars, 1)?;
                let pack = self.pack(&vars);
                self.test(vars, |_| Some(Kind::Compare(*cmp, pack, x, y)), a.deps | b.deps)?
            }
            Node::Quant(quant, decls, body) => {
                self.bind(decls)?;
                let mut form = self.formula(*body)?;
                for decl in decls.iter().rev() {
                    form = self.quantified(*quant, decl, &form)?;
                }
                form
            }
            Node::TotalOrder(elements, first, next) => {
                let elements = self.relation(*elements)?;
                let (first, next) = (self.relation(*first)?, self.relation(*next)?);
                if ![&elements, &first, &next].iter().all(|rel| rel.vars.is_empty()) {
                    return None;
                }
                let span = next.cols[0];
                let kind = Kind::Chain {
                    elements: elements.at,
                    first: first.at,
                    next: next.at,
                    lo: span.lo,
                    rows: span.len,
                };
                let deps = elements.deps | first.deps | next.deps;
                self.test(Vec::new(), |_| Some(kind), deps)?
            }
            _ => return None,
        })
    }

    /// Gives the variables of `decls` the spans of their domains.
    pub fn bind(&mut self, decls: &[Decl]) -> Option<()> {
        for decl in decls {
            if decl.mult != DeclMult::One || self.arena.var_arity(decl.var) != 1 {
                return None;
            }
            let level = self.levels[decl.var.0 as usize];
            self.build.spans[level as usize] = self.relation(decl.domain)?.cols[0];
        }
        Some(())
    }

    fn quantified(&mut self, quant: Quant, decl: &Decl, body: &Form) -> Option<Form> {
        let level = self.levels[decl.var.0 as usize];
        let domain = self.relation(decl.domain)?;
        let vars = union(&without(&body.vars, level), &domain.vars);
        let inner = union(&vars, &[level]);
        // The body by the values of the others, one bit for each of this variable.
        let words = if body.vars.last() == Some(&level) {
            body.clone()
        } else {
            Form { at: self.build.masks(body, &vars, &[])?, vars: inner, ..body.clone() }
        };
        let a = self.build.operand(&domain, &vars)?;
        let b = self.build.stepped(words.at, &without(&words.vars, level), &vars, 1)?;
        let pair = match (quant, body.negated) {
            (Quant::All, false) | (Quant::Some, true) => Pair::Subset,
            (Quant::All, true) | (Quant::Some, false) => Pair::Disjoint,
        };
        let pack = self.pack(&vars);
        let deps = domain.deps | body.deps;
        let form = self.test(vars, |_| Some(Kind::TestPair(pair, pack, a, b, 1)), deps)?;
        Some(if quant == Quant::Some { not(form) } else { form })
    }

    pub fn pack(&self, vars: &[Level]) -> Pack {
        match vars.last() {
            None => Pack { lo: 0, len: 0, closed: true },
            Some(&last) => {
                let span = self.build.spans[last as usize];
                Pack { lo: span.lo as u8, len: span.len as u8, closed: false }
            }
        }
    }

    /// The result of a test over `vars`.
    fn test(&mut self, vars: Vec<Level>, kind: impl Fn(Pack) -> Option<Kind>, deps: Deps) -> Option<Form> {
        let pack = self.pack(&vars);
        let dims = self.build.word_dims(&vars);
        let n = self.build.size(&dims)?;
        // What is tested is no larger than a value may be.
        let all = self.build.dims(&vars, &[]);
        self.build.size(&all)?;
        let at = self.build.result(kind(pack)?, n, deps)?;
        Some(Form { at, negated: false, vars, deps })
    }

    pub fn and(&mut self, a: &Form, b: &Form) -> Option<Form> {
        match (a.negated, b.negated) {
            (false, false) => self.zip(Bitwise::And, a, b),
            (false, true) => self.zip(Bitwise::AndNot, a, b),
            (true, false) => self.zip(Bitwise::AndNot, b, a),
            (true, true) => Some(not(self.zip(Bitwise::Or, a, b)?)),
        }
    }

    fn or(&mut self, a: &Form, b: &Form) -> Option<Form> {
        Some(not(self.and(&not(a.clone()), &not(b.clone()))?))
    }

    fn xor(&mut self, a: &Form, b: &Form) -> Option<Form> {
        let form = self.zip(Bitwise::Xor, a, b)?;
        Some(Form { negated: a.negated != b.negated, ..form })
    }

    /// Of the words as they are, whether negated or not.
    fn zip(&mut self, op: Bitwise, a: &Form, b: &Form) -> Option<Form> {
        let plain = |form: &Form, negated| Form { negated, ..form.clone() };
        match (op, a.at, b.at) {
            (Bitwise::And, ONES, _) | (Bitwise::Or | Bitwise::Xor, ZERO, _) => return Some(plain(b, false)),
            (Bitwise::And | Bitwise::AndNot, ZERO, _) => return Some(constant(false)),
            (Bitwise::And, _, ONES) | (Bitwise::Or | Bitwise::Xor | Bitwise::AndNot, _, ZERO) => {
                return Some(plain(a, false));
            }
            (Bitwise::And, _, ZERO) | (Bitwise::AndNot, _, ONES) => return Some(constant(false)),
            _ => {}
        }
        let vars = union(&a.vars, &b.vars);
        let (x, y) = (self.build.form_access(a, &vars)?, self.build.form_access(b, &vars)?);
        let dims = self.build.word_dims(&vars);
        let n = self.build.size(&dims)?;
        let deps = a.deps | b.deps;
        let at = self.build.zip(op, x, y, n, deps)?;
        Some(Form { at, negated: false, vars, deps })
    }

    fn subset(&mut self, a: NodeId, b: NodeId) -> Option<Form> {
        let (small, large) = (self.relation(a)?, self.relation(b)?);
        if let Some(var) = self.variable(a)
            && !large.vars.contains(&var)
        {
            return self.member(var, &large);
        }
        if let Some(var) = self.variable(b)
            && !small.vars.contains(&var)
        {
            let all = self.build.spans[var as usize].mask();
            let set = self.by_row(&small, |at| Kind::AtMost(at, all))?;
            return self.member(var, &set);
        }
        self.related(Pair::Subset, &small, &large)
    }

    fn equal(&mut self, a: NodeId, b: NodeId) -> Option<Form> {
        let (left, right) = (self.relation(a)?, self.relation(b)?);
        for (var, set) in [(self.variable(a), &right), (self.variable(b), &left)] {
            if let Some(var) = var
                && !set.vars.contains(&var)
            {
                let single = self.by_row(set, Kind::Only)?;
                return self.member(var, &single);
            }
        }
        self.related(Pair::Equal, &left, &right)
    }

    /// A relation of the same shape, word by word.
    fn by_row(&mut self, rel: &Rel, kind: impl Fn(u32) -> Kind) -> Option<Rel> {
        let dims = self.build.row_dims(&rel.vars, &rel.cols);
        let n = self.build.size(&dims)?;
        Some(Rel { at: self.build.result(kind(rel.at), n, rel.deps)?, ..rel.clone() })
    }

    /// Whether the variable is in a set that does not depend on it.
    pub fn member(&mut self, var: Level, set: &Rel) -> Option<Form> {
        let vars = union(&set.vars, &[var]);
        if set.vars.last().is_none_or(|&last| last < var) {
            return Some(Form { at: set.at, negated: false, vars, deps: set.deps });
        }
        let last = *set.vars.last()?;
        let at = self.turned(set, &without(&vars, last), var, Some(last))?;
        Some(Form { at, negated: false, vars, deps: set.deps })
    }

    fn related(&mut self, pair: Pair, a: &Rel, b: &Rel) -> Option<Form> {
        let cols: Vec<_> = a.cols.iter().zip(&b.cols).map(|(x, y)| x.hull(*y)).collect();
        let (a, b) = (self.build.widened(a, &cols)?, self.build.widened(b, &cols)?);
        let vars = union(&a.vars, &b.vars);
        let rows = self.build.rows_of(&a)?;
        let (x, y) = (self.build.operand(&a, &vars)?, self.build.operand(&b, &vars)?);
        self.test(vars, |pack| Some(Kind::TestPair(pair, pack, x, y, rows)), a.deps | b.deps)
    }

    fn sized(&mut self, test: SizeTest, a: NodeId) -> Option<Form> {
        // Whether a variable is in a set, or two sets meet, without their intersection.
        if let (SizeTest::No | SizeTest::Some, Node::Binary(ExprOp::Intersect, x, y)) =
            (test, self.arena.node(a))
        {
            let (left, right) = (self.relation(*x)?, self.relation(*y)?);
            let mut meet = None;
            for (var, set) in [(self.variable(*x), &right), (self.variable(*y), &left)] {
                if let Some(var) = var
                    && meet.is_none()
                    && !set.vars.contains(&var)
                {
                    meet = Some(self.member(var, set)?);
                }
            }
            let meet = match meet {
                Some(form) => form,
                None => not(self.related(Pair::Disjoint, &left, &right)?),
            };
            return Some(if test == SizeTest::No { not(meet) } else { meet });
        }
        let rel = self.relation(a)?;
        let rows = self.build.rows_of(&rel)?;
        let x: Rows = self.build.operand(&rel, &rel.vars)?;
        let counted = match test {
            SizeTest::No | SizeTest::Some => Counted::No,
            SizeTest::Lone => Counted::Lone,
            SizeTest::One => Counted::One,
        };
        let kind = |pack| Some(Kind::Test(counted, pack, x, rows));
        let form = self.test(rel.vars.clone(), kind, rel.deps)?;
        Some(if test == SizeTest::Some { not(form) } else { form })
    }

    /// The words of the first where the formula holds and those of the second where not, over rows
    /// of `vars` and `cols`.
    pub fn chosen(&mut self, cond: &Form, rels: [&Rel; 2], vars: &[Level], cols: &[Span]) -> Option<u32> {
        let row_cols = &cols[..cols.len() - 1];
        let mask = Access::At(self.build.masks(cond, vars, row_cols)?);
        let (a, b) = if cond.negated { (rels[1], rels[0]) } else { (rels[0], rels[1]) };
        let (x, y) = (self.build.row_access(a, vars, cols)?, self.build.row_access(b, vars, cols)?);
        let dims = self.build.dims(vars, row_cols);
        let n = self.build.size(&dims)?;
        let deps = cond.deps | a.deps | b.deps;
        let x = self.build.zip(Bitwise::And, x, mask, n, a.deps | cond.deps)?;
        let y = self.build.zip(Bitwise::AndNot, y, mask, n, b.deps | cond.deps)?;
        self.build.zip(Bitwise::Or, Access::At(x), Access::At(y), n, deps)
    }
}

pub fn constant(truth: bool) -> Form {
    Form { at: if truth { ONES } else { ZERO }, negated: false, vars: Vec::new(), deps: 0 }
}

pub fn not(form: Form) -> Form {
    Form { negated: !form.negated, ..form }
}
