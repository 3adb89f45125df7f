//! Witnesses of existential quantifiers in an instance: the `$x` that the Analyzer shows.
//!
//! They are read off the finished instance by the evaluator, so the search need not carry them: for
//! each existential quantifier where the Analyzer would skolemize, the first values that satisfy its
//! body; under one universal variable, a value for each of its tuples.

use crate::context::Context;
use crate::evaluate::{EvalError, Evaluator, Value};
use crate::formula::{Arena, Decl, DeclMult, Node, NodeId, Quant, RelId, VarId};
use crate::problem::{Instance, Problem};
use crate::schema::{ParamInfo, Schema};
use crate::tuple_set::TupleSet;

/// The value of an existentially quantified variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    pub var: VarId,
    /// The universal variables around it: the first columns of `value`.
    pub arguments: Vec<VarId>,
    pub value: TupleSet,
}

/// The witnesses of all conjuncts in `instance`, which satisfies them, in the order of the formula.
/// Witnesses of quantifiers over large sets are left out.
pub fn witnesses(problem: &Problem, instance: &Instance) -> Vec<Witness> {
    let mut evaluator = Evaluator::new(problem);
    evaluator.load(instance);
    let mut walk = Walk {
        arena: &problem.arena,
        n_atoms: problem.universe.len(),
        evaluator,
        context: Context::default(),
        arguments: Vec::new(),
        found: Vec::new(),
    };
    for &conjunct in &problem.conjuncts {
        // What cannot be evaluated has no witnesses to show.
        let _ = walk.formula(conjunct, true);
        walk.arguments.clear();
        walk.context = Context::default();
    }
    walk.found
}

/// Makes the witnesses of named variables part of what views show: `names` by variable, as
/// `tera-model` gives them. The values are appended to the instance.
pub fn show_witnesses(problem: &Problem, names: &[String], schema: &mut Schema, instance: &mut Instance) {
    let witnesses = witnesses(problem, instance);
    for witness in witnesses {
        let name = names.get(witness.var.0 as usize).map_or("", |n| n.as_str());
        if name.is_empty() {
            continue;
        }
        let base = format!("${name}");
        let mut label = base.clone();
        let mut serial = 2;
        while schema.skolems.iter().any(|s| s.label == label) {
            label = format!("{base}_{serial}");
            serial += 1;
        }
        schema.skolems.push(ParamInfo { label, rel: RelId(instance.values.len() as u32) });
        instance.values.push(witness.value);
    }
}

/// Subsets of larger sets are not searched for witnesses.
const MAX_SET: usize = 16;

struct Walk<'p> {
    arena: &'p Arena,
    n_atoms: usize,
    evaluator: Evaluator,
    context: Context,
    /// Universal variables in scope with their present tuples.
    arguments: Vec<(VarId, usize)>,
    found: Vec<Witness>,
}

impl Walk<'_> {
    /// Looks for witnesses of `node` being `truth`, as it is.
    fn formula(&mut self, node: NodeId, truth: bool) -> Result<(), EvalError> {
        let saved = self.context.save();
        let result = self.formula_inside(node, truth);
        self.context.restore(saved);
        result
    }

    fn formula_inside(&mut self, node: NodeId, truth: bool) -> Result<(), EvalError> {
        match self.arena.node(node) {
            Node::Not(a) => {
                self.context.enter_not();
                self.formula(*a, !truth)
            }
            Node::And(parts) if truth => parts.iter().try_for_each(|&part| self.formula(part, true)),
            Node::Or(parts) if !truth => parts.iter().try_for_each(|&part| self.formula(part, false)),
            Node::Implies(a, b) if !truth => {
                let saved = self.context.save();
                self.context.enter_premise();
                self.formula(*a, true)?;
                self.context.restore(saved);
                self.context.enter_or();
                self.formula(*b, false)
            }
            Node::Quant(quant, decls, body) => {
                let vars = decls.iter().map(|d| (d.var, false));
                if self.context.is_skolemizable(*quant) {
                    self.context.enter_quantifier(*quant, vars);
                    if self.choose(decls, *body, truth)? {
                        self.formula(*body, truth)?;
                    }
                    return Ok(());
                }
                self.context.enter_quantifier(*quant, vars);
                match decls[..] {
                    [decl] if self.arguments.is_empty() && decl.mult == DeclMult::One => {
                        self.for_all(*quant, &decl, *body, truth)
                    }
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn for_all(&mut self, quant: Quant, decl: &Decl, body: NodeId, truth: bool) -> Result<(), EvalError> {
        // A universal: `all` that holds or `some` that does not.
        if (quant == Quant::All) != truth || !self.has_existential(body, truth) {
            return Ok(());
        }
        let Value::Relation(domain) = self.evaluator.value(decl.domain)? else {
            return Ok(());
        };
        for tuple in domain.indices() {
            self.evaluator.bind_tuple(decl.var, tuple as u64);
            self.arguments.push((decl.var, tuple));
            self.formula(body, truth)?;
            self.arguments.pop();
        }
        Ok(())
    }

    /// Whether a quantifier stands where it would be skolemized, under conjunctions only.
    fn has_existential(&self, node: NodeId, truth: bool) -> bool {
        match self.arena.node(node) {
            Node::Not(a) => self.has_existential(*a, !truth),
            Node::And(parts) if truth => parts.iter().any(|&part| self.has_existential(part, true)),
            Node::Or(parts) if !truth => parts.iter().any(|&part| self.has_existential(part, false)),
            Node::Implies(a, b) if !truth => {
                self.has_existential(*a, true) || self.has_existential(*b, false)
            }
            Node::Quant(quant, ..) => (*quant == Quant::Some) == truth,
            _ => false,
        }
    }

    /// Binds the first values of `decls` under which `body` is `truth`, and records them.
    fn choose(&mut self, decls: &[Decl], body: NodeId, truth: bool) -> Result<bool, EvalError> {
        let Some((decl, rest)) = decls.split_first() else {
            return Ok(self.evaluator.formula(body)? == truth);
        };
        let Value::Relation(domain) = self.evaluator.value(decl.domain)? else {
            return Ok(false);
        };
        let tuples: Vec<usize> = domain.indices().collect();
        let n_values = match decl.mult {
            DeclMult::One => tuples.len(),
            DeclMult::Set if tuples.len() > MAX_SET => return Ok(false),
            DeclMult::Set => 1 << tuples.len(),
        };
        for choice in 0..n_values {
            let mut value = TupleSet::empty(domain.arity(), self.n_atoms);
            for (i, &tuple) in tuples.iter().enumerate() {
                let chosen = match decl.mult {
                    DeclMult::One => i == choice,
                    DeclMult::Set => choice >> i & 1 == 1,
                };
                if chosen {
                    value.insert_index(tuple);
                }
            }
            self.evaluator.bind_set(decl.var, &value);
            let at = self.found.len();
            self.record(decl.var, &value);
            if self.choose(rest, body, truth)? {
                return Ok(true);
            }
            self.forget(at, decl.var, &value);
        }
        Ok(false)
    }

    /// The index of `tuple` of `value` behind the present arguments.
    fn index(&self, value: &TupleSet, tuple: usize) -> usize {
        let width = self.n_atoms.pow(value.arity() as u32);
        self.arguments.iter().fold(0, |index, &(_, argument)| index * self.n_atoms + argument) * width + tuple
    }

    fn record(&mut self, var: VarId, value: &TupleSet) {
        let arguments: Vec<VarId> = self.arguments.iter().map(|a| a.0).collect();
        let indices: Vec<usize> = value.indices().map(|tuple| self.index(value, tuple)).collect();
        let witness = match self.found.iter_mut().find(|w| w.var == var) {
            Some(witness) => witness,
            None => {
                let arity = arguments.len() + value.arity();
                if TupleSet::capacity(arity, self.n_atoms).is_none() {
                    return;
                }
                self.found.push(Witness { var, arguments, value: TupleSet::empty(arity, self.n_atoms) });
                self.found.last_mut().expect("just pushed")
            }
        };
        indices.into_iter().for_each(|i| witness.value.insert_index(i));
    }

    /// Takes back what [`Walk::record`] did when `n` witnesses were known.
    fn forget(&mut self, n: usize, var: VarId, value: &TupleSet) {
        let indices: Vec<usize> = value.indices().map(|tuple| self.index(value, tuple)).collect();
        if let Some(witness) = self.found.iter_mut().find(|w| w.var == var) {
            indices.into_iter().for_each(|i| witness.value.remove_index(i));
        }
        self.found.truncate(n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomId, AtomKind, ExprOp, Role, Universe};

    /// `all x: N | some y: N | x->y in r`, and `some z: N | z->z in r`, in a cycle with one loop.
    #[test]
    fn a_witness_depends_on_the_universal_variable_around_it() {
        let mut universe = Universe::new();
        let atoms: Vec<AtomId> = (0..3).map(|i| universe.push(format!("N${i}"), AtomKind::Object)).collect();
        let mut problem = Problem { universe, ..Problem::default() };
        let all = TupleSet::unary(3, atoms);
        let nodes = problem.add_relation("N", Role::Visible, all.clone(), all.clone());
        let edges = problem.add_relation("r", Role::Visible, TupleSet::empty(2, 3), all.product(&all));
        let arena = &mut problem.arena;
        let nodes = arena.add(Node::Relation(nodes));
        let edges = arena.add(Node::Relation(edges));
        let vars = [0; 3].map(|_| arena.fresh_var(1));
        let [x, y, z] = vars.map(|v| arena.add(Node::Var(v)));
        let [dx, dy, dz] = vars.map(|var| Decl { var, mult: DeclMult::One, domain: nodes });
        let step = arena.add(Node::Binary(ExprOp::Product, x, y));
        let step = arena.add(Node::Subset(step, edges));
        let some = arena.add(Node::Quant(Quant::Some, [dy].into(), step));
        let all_some = arena.add(Node::Quant(Quant::All, [dx].into(), some));
        let own = arena.add(Node::Binary(ExprOp::Product, z, z));
        let own = arena.add(Node::Subset(own, edges));
        let looping = arena.add(Node::Quant(Quant::Some, [dz].into(), own));
        problem.conjuncts = vec![all_some, looping];
        let cycle = [[0, 1], [1, 2], [2, 0], [2, 2]].map(|t| t.map(AtomId));
        let value = TupleSet::from_tuples(2, 3, cycle.iter().map(|t| &t[..]));
        let mut instance = Instance { values: vec![all, value] };
        let found = witnesses(&problem, &instance);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].var, &found[0].arguments), (vars[1], &vec![vars[0]]));
        assert_eq!(format!("{:?}", found[0].value), "{[0, 1], [1, 2], [2, 0]}");
        assert_eq!((found[1].var, format!("{:?}", found[1].value)), (vars[2], "{[2]}".to_string()));
        let mut schema = Schema::default();
        show_witnesses(&problem, &["x", "y", "z"].map(String::from), &mut schema, &mut instance);
        let labels: Vec<&str> = schema.skolems.iter().map(|s| s.label.as_str()).collect();
        assert_eq!(labels, ["$y", "$z"]);
        assert_eq!(instance.values.len(), 4);
    }
}
