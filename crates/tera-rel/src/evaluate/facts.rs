//! What is known of nodes without an instance: free variables, and what overflows are blamed on.

use crate::formula::{Arena, Node, NodeId, Overflow, Sort, VarId};
use crate::problem::Problem;
use crate::tuple_set::TupleSet;

/// What is known of nodes without an instance.
pub(super) struct Facts {
    pub free: Vec<Box<[VarId]>>,
    pub blamed: Vec<Box<[VarId]>>,
    pub positional: Vec<bool>,
    pub shared: Vec<bool>,
    pub is_int_domain: Vec<bool>,
}

impl Facts {
    pub fn of(problem: &Problem) -> Facts {
        let arena: &Arena = &problem.arena;
        let forbid = problem.ints.overflow == Overflow::Forbid;
        let n = problem.universe.len();
        let all_ints = TupleSet::unary(n, problem.universe.ints().iter().map(|i| i.1));
        let len = arena.len();
        let mut facts = Facts {
            free: Vec::with_capacity(len),
            blamed: Vec::with_capacity(len),
            positional: vec![false; len],
            shared: vec![false; len],
            is_int_domain: vec![false; len],
        };
        let mut parents = vec![0u32; len];
        // Variables that occur anywhere below, and those below a cardinality or sum.
        let mut mentioned: Vec<Vec<VarId>> = Vec::with_capacity(len);
        for i in 0..len {
            let node = arena.node(NodeId(i as u32));
            let (mut free, mut blamed, mut below) = (Vec::new(), Vec::new(), Vec::new());
            let mut positional = forbid
                && arena.sort(NodeId(i as u32)) == Sort::Formula
                && !matches!(node, Node::True | Node::False);
            node.for_each_child(|child| {
                let child = child.0 as usize;
                parents[child] += 1;
                free.extend_from_slice(&facts.free[child]);
                blamed.extend_from_slice(&facts.blamed[child]);
                if forbid {
                    below.extend_from_slice(&mentioned[child]);
                }
                positional |= facts.positional[child];
            });
            match node {
                Node::Var(var) => {
                    free.push(*var);
                    below.push(*var);
                }
                Node::Card(_) | Node::SumSet(_) if forbid => blamed.extend_from_slice(&below),
                Node::Relation(rel) => {
                    let relation = problem.relation(*rel);
                    facts.is_int_domain[i] = relation.is_constant() && relation.upper == all_ints;
                }
                Node::Const(set) => facts.is_int_domain[i] = *arena.const_set(*set) == all_ints,
                _ => {}
            }
            facts.is_int_domain[i] &= !all_ints.is_empty();
            for list in [&mut free, &mut blamed, &mut below] {
                list.sort_unstable();
                list.dedup();
            }
            for decl in node.decls() {
                free.retain(|&v| v != decl.var);
            }
            facts.free.push(free.into());
            facts.blamed.push(blamed.into());
            facts.positional[i] = positional;
            mentioned.push(if forbid { below } else { Vec::new() });
        }
        for (shared, n_parents) in facts.shared.iter_mut().zip(parents) {
            *shared = n_parents > 1;
        }
        facts
    }
}
