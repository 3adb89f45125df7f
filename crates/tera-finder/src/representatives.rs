//! Which atoms an outermost existential has to try when any one instance will do.
//!
//! `some x: A | f` in an instance has a witness; a permutation of the sort moves it to the first
//! atom, and the permuted instance is as good. Once `x` is the first atom, a second witness is the
//! first atom or, up to the permutations that are left, the second; and so on. So each existential
//! tries the atoms fixed so far and one more of each sort, `n` copies of a body become one, and
//! constants replace variables in it. What remains of the symmetry permutes the atoms that no
//! existential was narrowed to ([`Representatives::n_fixed`]), which is left to the lex-leader
//! constraints.
//!
//! Invariant: for every satisfiable subset of the conjuncts there is an instance whose witnesses
//! are among the atoms tried, so cores may be taken from a problem narrowed like this.

use tera_rel::Problem;

#[derive(Clone, Debug)]
pub(crate) struct Representatives {
    /// By atom, its sort and its place there.
    places: Vec<Option<(usize, usize)>>,
    /// By sort, how many of its first atoms are told apart by the choices made so far.
    fixed: Vec<usize>,
    active: bool,
}

/// The state of one existential: what was fixed when it began, and the most that any of its
/// alternatives fixed.
pub(crate) struct Choice {
    before: Vec<usize>,
    most: Vec<usize>,
}

impl Representatives {
    pub fn of(problem: &Problem, active: bool) -> Representatives {
        let mut places = vec![None; problem.universe.len()];
        for (s, sort) in problem.sorts.iter().enumerate() {
            for (i, atom) in sort.iter().enumerate() {
                places[atom.0 as usize] = Some((s, i));
            }
        }
        Representatives { places, fixed: vec![0; problem.sorts.len()], active }
    }

    pub fn is_active(&self) -> bool {
        self.active
    }

    pub fn n_fixed(&self) -> Vec<usize> {
        self.fixed.clone()
    }

    pub fn begin(&self) -> Choice {
        Choice { before: self.fixed.clone(), most: self.fixed.clone() }
    }

    /// Whether the existential has to try `atom`; what follows is then translated for this choice.
    pub fn choose(&mut self, choice: &mut Choice, atom: u64) -> bool {
        choice.keep_most(&self.fixed);
        self.fixed.clone_from(&choice.before);
        match self.places[atom as usize] {
            Some((sort, place)) if place > self.fixed[sort] => false,
            Some((sort, place)) => {
                self.fixed[sort] = self.fixed[sort].max(place + 1);
                true
            }
            None => true,
        }
    }

    pub fn end(&mut self, mut choice: Choice) {
        choice.keep_most(&self.fixed);
        self.fixed = choice.most;
    }
}

impl Choice {
    fn keep_most(&mut self, fixed: &[usize]) {
        for (most, &now) in self.most.iter_mut().zip(fixed) {
            *most = (*most).max(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, SolveOptions, TranslateOptions, ground, solve};
    use tera_rel::{AtomKind, Decl, DeclMult, Node, NodeId, Quant, Role, SizeTest, TupleSet, Universe};

    /// `some` over `n_vars` variables of a set of up to `n_atoms` atoms: pairwise different, all.
    fn different(n_atoms: usize, n_vars: usize) -> Problem {
        let mut universe = Universe::new();
        let atoms: Vec<_> = (0..n_atoms).map(|i| universe.push(format!("A${i}"), AtomKind::Object)).collect();
        let mut problem = Problem { universe, ..Problem::default() };
        let all = TupleSet::unary(n_atoms, atoms.iter().copied());
        let set = problem.add_relation("A", Role::Visible, TupleSet::empty(1, n_atoms), all);
        problem.sorts.push(atoms);
        let arena = &mut problem.arena;
        let set = arena.add(Node::Relation(set));
        let vars: Vec<_> = (0..n_vars).map(|_| arena.fresh_var(1)).collect();
        let nodes: Vec<NodeId> = vars.iter().map(|&v| arena.add(Node::Var(v))).collect();
        let mut parts = Vec::new();
        for (i, &a) in nodes.iter().enumerate() {
            for &b in &nodes[i + 1..] {
                let same = arena.add(Node::Equal(a, b));
                parts.push(arena.add(Node::Not(same)));
            }
        }
        let body = arena.add(Node::And(parts.into()));
        let decls = vars.iter().map(|&var| Decl { var, mult: DeclMult::One, domain: set }).collect();
        problem.conjuncts = vec![arena.add(Node::Quant(Quant::Some, decls, body))];
        problem
    }

    fn n_fixed(problem: &Problem) -> Vec<usize> {
        let options = TranslateOptions { one_instance: true, ..TranslateOptions::default() };
        ground(problem, &options).unwrap().n_fixed
    }

    #[test]
    fn each_further_witness_tells_one_more_atom_apart() {
        assert_eq!(n_fixed(&different(5, 1)), [1]);
        assert_eq!(n_fixed(&different(5, 3)), [3]);
        assert_eq!(n_fixed(&different(2, 4)), [2]);
        for (n_atoms, n_vars) in [(5, 3), (3, 3), (3, 4), (1, 2)] {
            let answer = solve(&different(n_atoms, n_vars), &SolveOptions::default()).unwrap();
            assert_eq!(matches!(answer, Answer::Sat(_)), n_vars <= n_atoms, "{n_vars} of {n_atoms}");
        }
    }

    #[test]
    fn below_a_universal_quantifier_every_atom_is_tried() {
        let mut problem = different(4, 2);
        let arena = &mut problem.arena;
        let set = arena.add(Node::Relation(tera_rel::RelId(0)));
        let var = arena.fresh_var(1);
        let body = problem.conjuncts[0];
        let all =
            arena.add(Node::Quant(Quant::All, [Decl { var, mult: DeclMult::One, domain: set }].into(), body));
        let some = arena.add(Node::Size(SizeTest::Some, set));
        problem.conjuncts = vec![all, some];
        assert_eq!(n_fixed(&problem), [0]);
    }
}
