//! Random small problems: what the finder, the evaluator and the brute-force finder must agree on.

use crate::formula::{
    Decl, DeclMult, ExprOp, IntCmp, IntOp, IntSemantics, Node, NodeId, Overflow, Quant, SizeTest, VarId,
};
use crate::problem::{Problem, Role};
use crate::tuple_set::TupleSet;
use crate::universe::{AtomId, AtomKind, Universe};

/// xorshift64*: the same problems on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % n
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// What random problems may contain.
#[derive(Clone, Debug)]
pub struct Config {
    pub overflow: Overflow,
    /// Most open cells over all relations.
    pub max_cells: usize,
    /// Integers at all.
    pub ints: bool,
    /// Division and shifts, which can be undefined.
    pub partial: bool,
    /// Quantified sets in places where they are skolemized.
    pub higher_order: bool,
    /// Depth of formulas.
    pub depth: usize,
    /// More atoms that are in no sort.
    pub fixed: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            overflow: Overflow::Exact,
            max_cells: 11,
            ints: true,
            partial: true,
            higher_order: true,
            depth: 3,
            fixed: 0,
        }
    }
}

/// A random problem: one or two sorts, perhaps a fixed atom, a few integers, up to five relations
/// with bounds that respect the sorts, and one to three conjuncts.
pub fn random_problem(seed: u64, config: &Config) -> Problem {
    let mut random = Random::new(seed);
    let mut universe = Universe::new();
    let mut sorts: Vec<Vec<AtomId>> = Vec::new();
    for (name, at_most) in [("A", 3), ("B", 2)] {
        let n = random.below(at_most + 1);
        sorts.push((0..n).map(|i| universe.push(format!("{name}${i}"), AtomKind::Object)).collect());
    }
    let fixed: Vec<AtomId> = (0..config.fixed + random.below(2))
        .map(|i| universe.push(format!("C${i}"), AtomKind::Object))
        .collect();
    let bit_width = 2 + random.below(2) as u32;
    let mut ints = Vec::new();
    if config.ints && random.chance(70) {
        let (lo, hi) = match config.overflow {
            Overflow::Exact if random.chance(50) => (0, random.below(4) as i64),
            _ if bit_width == 2 => (-2, 1),
            _ => (-4, 3),
        };
        ints.extend((lo..=hi).map(|v| universe.push(v.to_string(), AtomKind::Int(v))));
    }
    let n = universe.len();
    let mut problem = Problem { universe, ..Problem::default() };
    problem.ints = IntSemantics { overflow: config.overflow, bit_width };
    let mut blocks: Vec<Vec<AtomId>> = sorts.clone();
    blocks.push(fixed);
    if !ints.is_empty() {
        blocks.push(ints);
    }
    blocks.retain(|b| !b.is_empty());
    // Each block as an exact relation, so that formulas can name it.
    for (i, block) in blocks.iter().enumerate() {
        let set = TupleSet::unary(n, block.iter().copied());
        problem.add_relation(format!("block{i}"), Role::Visible, set.clone(), set);
    }
    let mut open = 0;
    for i in 0..1 + random.below(4) {
        if blocks.is_empty() {
            break;
        }
        let arity = [1, 1, 2, 2, 2, 3][random.below(6)];
        let mut upper = None;
        for _ in 0..arity {
            let column = TupleSet::unary(n, blocks[random.below(blocks.len())].iter().copied());
            upper = Some(match upper {
                None => column,
                Some(left) => TupleSet::product(&left, &column),
            });
        }
        let upper = upper.expect("at least one column");
        if open + upper.len() > config.max_cells {
            continue;
        }
        open += upper.len();
        let role = if random.chance(10) { Role::Auxiliary } else { Role::Visible };
        problem.add_relation(format!("r{i}"), role, TupleSet::empty(arity, n), upper);
    }
    problem.sorts = sorts.into_iter().filter(|s| s.len() > 1).collect();
    let mut generator = Generator { random, problem, config: config.clone(), vars: Vec::new() };
    if !blocks.is_empty() {
        for _ in 0..1 + generator.random.below(3) {
            let formula = generator.conjunct();
            generator.problem.conjuncts.push(formula);
        }
    }
    generator.problem
}

struct Generator {
    random: Random,
    problem: Problem,
    config: Config,
    /// Variables in scope.
    vars: Vec<VarId>,
}

impl Generator {
    fn add(&mut self, node: Node) -> NodeId {
        self.problem.arena.add(node)
    }

    fn n(&self) -> usize {
        self.problem.universe.len()
    }

    fn conjunct(&mut self) -> NodeId {
        if self.config.higher_order && self.random.chance(12) {
            // some x: set e | F, not all x: set e | F, or the first under one universal variable
            let under = self.random.chance(40).then(|| self.decl(DeclMult::One));
            let inner = self.decl(DeclMult::Set);
            let negated = self.random.chance(40);
            let body = self.formula(self.config.depth);
            let quant = if negated { Quant::All } else { Quant::Some };
            let mut formula = self.add(Node::Quant(quant, [inner].into(), body));
            if negated {
                formula = self.add(Node::Not(formula));
            }
            if let Some(decl) = under {
                formula = self.add(Node::Quant(Quant::All, [decl].into(), formula));
            }
            self.vars.clear();
            return formula;
        }
        self.formula(self.config.depth)
    }

    /// A declaration over a random unary expression; its variable is in scope from here on.
    fn decl(&mut self, mult: DeclMult) -> Decl {
        let arity = if mult == DeclMult::One && self.random.chance(8) { 2 } else { 1 };
        let domain = self.expr(arity, 1);
        let var = self.problem.arena.fresh_var(arity);
        self.vars.push(var);
        Decl { var, mult, domain }
    }

    fn unary_decl(&mut self) -> Decl {
        let domain = self.expr(1, 1);
        let var = self.problem.arena.fresh_var(1);
        self.vars.push(var);
        Decl { var, mult: DeclMult::One, domain }
    }

    fn formula(&mut self, depth: usize) -> NodeId {
        let kind = if depth == 0 { 8 + self.random.below(10) } else { self.random.below(18) };
        let node = match kind {
            0 => Node::Not(self.formula(depth - 1)),
            1 => Node::And((0..1 + self.random.below(3)).map(|_| self.formula(depth - 1)).collect()),
            2 => Node::Or((0..1 + self.random.below(3)).map(|_| self.formula(depth - 1)).collect()),
            3 => Node::Implies(self.formula(depth - 1), self.formula(depth - 1)),
            4 => Node::Iff(self.formula(depth - 1), self.formula(depth - 1)),
            5 if self.random.chance(30) => {
                Node::IfFormula(self.formula(depth - 1), self.formula(depth - 1), self.formula(depth - 1))
            }
            5..=8 if depth > 0 => {
                let scope = self.vars.len();
                let decls: Box<[Decl]> =
                    (0..1 + self.random.below(2)).map(|_| self.decl(DeclMult::One)).collect();
                let body = self.formula(depth - 1);
                self.vars.truncate(scope);
                let quant = if self.random.chance(50) { Quant::All } else { Quant::Some };
                Node::Quant(quant, decls, body)
            }
            9 | 10 => {
                let arity = 1 + self.random.below(2);
                Node::Subset(self.expr(arity, depth), self.expr(arity, depth))
            }
            11 => {
                let arity = 1 + self.random.below(2);
                Node::Equal(self.expr(arity, depth), self.expr(arity, depth))
            }
            12 if self.random.chance(15) => {
                Node::TotalOrder(self.expr(1, 0), self.expr(1, 0), self.expr(2, 0))
            }
            12 | 13 => {
                let arity = 1 + self.random.below(2);
                let test = [SizeTest::No, SizeTest::Lone, SizeTest::One, SizeTest::Some];
                Node::Size(test[self.random.below(4)], self.expr(arity, depth))
            }
            _ if !self.config.ints => Node::Size(SizeTest::Some, self.expr(1, depth)),
            _ => {
                let cmp = [IntCmp::Eq, IntCmp::Lt, IntCmp::Lte, IntCmp::Gt, IntCmp::Gte];
                Node::Compare(cmp[self.random.below(5)], self.int(depth), self.int(depth))
            }
        };
        self.add(node)
    }

    fn leaf(&mut self, arity: usize) -> NodeId {
        let fits = |g: &Generator, v: &&VarId| g.problem.arena.var_arity(**v) == arity;
        let vars: Vec<VarId> = self.vars.iter().filter(|v| fits(self, v)).copied().collect();
        if !vars.is_empty() && self.random.chance(60) {
            let var = vars[self.random.below(vars.len())];
            return self.add(Node::Var(var));
        }
        let rels: Vec<u32> = (0..self.problem.relations.len() as u32)
            .filter(|&r| self.problem.relations[r as usize].arity() == arity)
            .collect();
        if !rels.is_empty() && self.random.chance(90) {
            let rel = rels[self.random.below(rels.len())];
            return self.add(Node::Relation(crate::RelId(rel)));
        }
        if arity == 2 && self.random.chance(70) {
            // iden
            let n = self.n();
            let mut diagonal = TupleSet::empty(2, n);
            (0..n).for_each(|a| diagonal.insert_index(a * n + a));
            return self.problem.arena.constant(diagonal);
        }
        self.add(Node::Empty(arity as u32))
    }

    fn expr(&mut self, arity: usize, depth: usize) -> NodeId {
        if depth == 0 {
            return self.leaf(arity);
        }
        let node = match self.random.below(13) {
            0..=2 => return self.leaf(arity),
            kind @ 3..=5 => {
                let op = [ExprOp::Union, ExprOp::Intersect, ExprOp::Difference][kind - 3];
                Node::Binary(op, self.expr(arity, depth - 1), self.expr(arity, depth - 1))
            }
            6 | 7 => {
                let left = 1 + self.random.below(2);
                let right = arity + 2 - left;
                Node::Binary(ExprOp::Join, self.expr(left, depth - 1), self.expr(right, depth - 1))
            }
            8 if arity > 1 => {
                Node::Binary(ExprOp::Product, self.expr(1, depth - 1), self.expr(arity - 1, depth - 1))
            }
            8 if self.config.ints => Node::IntAtom(self.int(depth - 1)),
            9 if arity == 2 => Node::Transpose(self.expr(2, depth - 1)),
            10 if arity == 2 => Node::Closure(self.expr(2, depth - 1)),
            9 => Node::Binary(ExprOp::DomainRestrict, self.expr(1, depth - 1), self.expr(arity, depth - 1)),
            10 => Node::Binary(ExprOp::RangeRestrict, self.expr(arity, depth - 1), self.expr(1, depth - 1)),
            11 if arity <= 2 && self.random.chance(70) => {
                let scope = self.vars.len();
                let decls: Box<[Decl]> = (0..arity).map(|_| self.unary_decl()).collect();
                let body = self.formula(depth - 1);
                self.vars.truncate(scope);
                Node::Comprehension(decls, body)
            }
            11 => Node::IfExpr(
                self.formula(depth - 1),
                self.expr(arity, depth - 1),
                self.expr(arity, depth - 1),
            ),
            _ => Node::Binary(ExprOp::Override, self.expr(arity, depth - 1), self.expr(arity, depth - 1)),
        };
        self.add(node)
    }

    fn int(&mut self, depth: usize) -> NodeId {
        let kind = if depth == 0 { self.random.below(3) } else { self.random.below(8) };
        let node = match kind {
            0 => Node::Int(self.random.below(7) as i64 - 3),
            1 => Node::Card(self.expr(1, depth.saturating_sub(1))),
            2 => Node::SumSet(self.expr(1, depth.saturating_sub(1))),
            3 => Node::IfInt(self.formula(depth - 1), self.int(depth - 1), self.int(depth - 1)),
            4 => {
                // The domain is a relation: how the Analyzer adds depends on its bounds.
                let scope = self.vars.len();
                let domain = {
                    let vars = std::mem::take(&mut self.vars);
                    let leaf = self.leaf(1);
                    self.vars = vars;
                    leaf
                };
                let var = self.problem.arena.fresh_var(1);
                self.vars.push(var);
                let body = self.int(depth - 1);
                self.vars.truncate(scope);
                Node::Sum([Decl { var, mult: DeclMult::One, domain }].into(), body)
            }
            _ => {
                let ops = [
                    IntOp::Add,
                    IntOp::Sub,
                    IntOp::Mul,
                    IntOp::Div,
                    IntOp::Rem,
                    IntOp::Shl,
                    IntOp::Sha,
                    IntOp::Shr,
                ];
                let n = if self.config.partial { 8 } else { 3 };
                Node::IntBinary(ops[self.random.below(n)], self.int(depth - 1), self.int(depth - 1))
            }
        };
        self.add(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluator, Instance, brute_force, canonical_form};
    use num_bigint::BigUint;
    use std::collections::BTreeMap;

    #[test]
    fn random_problems_keep_their_promises() {
        for seed in 0..500 {
            let problem = random_problem(seed, &Config::default());
            assert_eq!(problem.validate(), Ok(()), "seed {seed}");
        }
    }

    /// Canonical forms against orbits: in each class of labelled instances, orbit size times
    /// automorphisms is the order of the whole group.
    #[test]
    fn canonical_forms_partition_the_instances_into_orbits() {
        for seed in 0..150 {
            let config = Config { max_cells: 9, ..Config::default() };
            let problem = random_problem(seed, &config);
            let mut classes: BTreeMap<Vec<Vec<usize>>, (u64, BigUint)> = BTreeMap::new();
            let result = brute_force(&problem, &mut |instance: &Instance| {
                let canonical = canonical_form(&problem, instance);
                let key = canonical.instance.values.iter().map(|v| v.indices().collect()).collect();
                let class = classes.entry(key).or_insert((0, canonical.automorphisms.clone()));
                class.0 += 1;
                assert_eq!(class.1, canonical.automorphisms, "seed {seed}");
            });
            if result.is_err() {
                continue;
            }
            let mut order = BigUint::from(1u32);
            for sort in &problem.sorts {
                (2..=sort.len()).for_each(|k| order *= k);
            }
            for (orbit, automorphisms) in classes.values() {
                assert_eq!(automorphisms * orbit, order, "seed {seed}");
            }
        }
    }

    #[test]
    fn words_and_lists_agree() {
        for overflow in [Overflow::Exact, Overflow::Wrap] {
            for seed in 0..400 {
                let config = Config { overflow, max_cells: 6, ..Config::default() };
                let problem = random_problem(seed, &config);
                let mut words = Evaluator::new(&problem);
                let mut lists = Evaluator::over_lists(&problem);
                let lower = Instance { values: problem.relations.iter().map(|r| r.lower.clone()).collect() };
                let upper = Instance { values: problem.relations.iter().map(|r| r.upper.clone()).collect() };
                for instance in [lower, upper] {
                    words.load(&instance);
                    lists.load(&instance);
                    for i in 0..problem.conjuncts.len() {
                        let (a, b) = (words.conjunct(i), lists.conjunct(i));
                        assert_eq!(a.is_ok(), b.is_ok(), "seed {seed}");
                        if let (Ok(a), Ok(b)) = (a, b) {
                            assert_eq!(a, b, "seed {seed} conjunct {i} {overflow:?}");
                        }
                    }
                }
            }
        }
    }
}
