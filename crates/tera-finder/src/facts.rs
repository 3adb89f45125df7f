//! What is known of the nodes of a formula before it is translated.

use std::rc::Rc;

use tera_rel::{DeclMult, Node, NodeId, Overflow, Problem, Sort, TupleSet, VarId};

/// Indexed by node.
pub(crate) struct Facts {
    /// Free variables, ascending.
    pub free: Vec<Rc<[VarId]>>,
    /// Variables below a cardinality or sum: those that a forbidden overflow is blamed on.
    pub blamed: Vec<Rc<[VarId]>>,
    /// How many nodes have this one as a child.
    pub n_parents: Vec<u32>,
    /// Whether the translation depends on where the node stands: it contains a quantifier over sets,
    /// or overflow is forbidden and it contains a formula.
    pub positional: Vec<bool>,
    /// Whether this is the relation of all integers.
    pub is_all_ints: Vec<bool>,
}

impl Facts {
    pub fn of(problem: &Problem) -> Facts {
        let arena = &problem.arena;
        let forbid = problem.ints.overflow == Overflow::Forbid;
        let none: Rc<[VarId]> = Rc::new([]);
        let ints = problem.universe.ints();
        let all_ints = TupleSet::unary(problem.universe.len(), ints.iter().map(|i| i.1));
        let mut facts = Facts {
            free: Vec::with_capacity(arena.len()),
            blamed: Vec::with_capacity(arena.len()),
            n_parents: vec![0; arena.len()],
            positional: vec![false; arena.len()],
            is_all_ints: vec![false; arena.len()],
        };
        let mut occurring: Vec<Rc<[VarId]>> = Vec::with_capacity(arena.len());
        let mut children = Vec::new();
        for i in 0..arena.len() {
            let id = NodeId(i as u32);
            let node = arena.node(id);
            children.clear();
            node.for_each_child(|child| children.push(child.0 as usize));
            for &child in &children {
                facts.n_parents[child] += 1;
                facts.positional[i] |= facts.positional[child];
            }
            facts.positional[i] |= node.decls().iter().any(|d| d.mult == DeclMult::Set);
            facts.positional[i] |= forbid && arena.sort(id) == Sort::Formula;
            let itself = match node {
                Node::Var(var) => Some(*var),
                _ => None,
            };
            facts.free.push(union(&none, &facts.free, &children, itself, node.decls().iter().map(|d| d.var)));
            if forbid {
                occurring.push(union(&none, &occurring, &children, itself, [].into_iter()));
                facts.blamed.push(match node {
                    Node::Card(_) | Node::SumSet(_) => occurring[i].clone(),
                    _ => union(&none, &facts.blamed, &children, None, [].into_iter()),
                });
            } else {
                facts.blamed.push(none.clone());
            }
            facts.is_all_ints[i] = !ints.is_empty()
                && match node {
                    Node::Relation(rel) => {
                        let relation = problem.relation(*rel);
                        relation.is_constant() && relation.upper == all_ints
                    }
                    Node::Const(set) => *arena.const_set(*set) == all_ints,
                    _ => false,
                };
        }
        facts
    }
}

/// The union of the children's lists and `itself` without `bound`, sharing a list where one is equal.
fn union(
    none: &Rc<[VarId]>,
    lists: &[Rc<[VarId]>],
    children: &[usize],
    itself: Option<VarId>,
    bound: impl Iterator<Item = VarId>,
) -> Rc<[VarId]> {
    let mut vars: Vec<VarId> = itself.into_iter().collect();
    children.iter().for_each(|&c| vars.extend_from_slice(&lists[c]));
    vars.sort_unstable();
    vars.dedup();
    for var in bound {
        vars.retain(|&v| v != var);
    }
    if vars.is_empty() {
        return none.clone();
    }
    match children.iter().map(|&c| &lists[c]).find(|l| l[..] == vars[..]) {
        Some(same) => same.clone(),
        None => vars.into(),
    }
}
