//! One satisfiability question, and the minimal core of an unsatisfiable one.

use tera_circuit::{Bit, Encoder};
use tera_rel::{Instance, Problem};
use tera_sat::{Batsat, Limits, Lit, SatResult, Solver, Varisat};

use crate::interpret::interpret;
use crate::lex_leader::break_symmetry;
use crate::translate::{TranslateOptions, ground, translate};
use crate::{FinderError, Verdict};

/// The outcome of one satisfiability question.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Sat(Instance),
    Unsat,
    Unknown(Verdict),
}

/// Which of the CDCL back ends answers plain questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverKind {
    #[default]
    Varisat,
    Batsat,
}

#[derive(Clone, Debug, Default)]
pub struct SolveOptions {
    pub solver: SolverKind,
    /// Stop at this moment.
    pub deadline: Option<std::time::Instant>,
    /// Stop when this becomes true (Ctrl-C).
    pub interrupt: Option<std::sync::Arc<std::sync::atomic::AtomicBool>>,
}

impl SolveOptions {
    fn limits(&self) -> Limits {
        Limits { deadline: self.deadline, interrupt: self.interrupt.clone() }
    }

    fn new_solver(&self) -> Box<dyn Solver> {
        match self.solver {
            SolverKind::Varisat => Box::new(Varisat::default()),
            SolverKind::Batsat => Box::new(Batsat::default()),
        }
    }

    /// Why a search was cut short.
    fn verdict(&self) -> Verdict {
        let interrupted =
            self.interrupt.as_ref().is_some_and(|f| f.load(std::sync::atomic::Ordering::Relaxed));
        if interrupted { Verdict::Interrupted } else { Verdict::Timeout }
    }
}

/// Is there an instance?
pub fn solve(problem: &Problem, options: &SolveOptions) -> Result<Answer, FinderError> {
    let translate_options =
        TranslateOptions { limits: options.limits(), one_instance: true, ..TranslateOptions::default() };
    let mut translation = match translate(problem, &translate_options) {
        Err(FinderError::Stopped) => return Ok(Answer::Unknown(options.verdict())),
        other => other?,
    };
    break_symmetry(problem, &translation.cells, &translation.n_fixed, &mut translation.cnf);
    let mut solver = options.new_solver();
    solver.add(&translation.cnf);
    Ok(match solver.solve(&[], &options.limits()) {
        SatResult::Sat(values) => Answer::Sat(interpret(problem, &translation.cells, &values)),
        SatResult::Unsat(_) => Answer::Unsat,
        SatResult::Interrupted => Answer::Unknown(options.verdict()),
    })
}

/// For an unsatisfiable problem, the indices of a minimal set of conjuncts that cannot hold
/// together: leaving out any one of them makes the rest satisfiable. Empty if the problem is
/// satisfiable. When a limit is reached the set found so far is returned, perhaps not minimal.
pub fn core(problem: &Problem, options: &SolveOptions) -> Result<Vec<usize>, FinderError> {
    let translate_options =
        TranslateOptions { limits: options.limits(), one_instance: true, ..TranslateOptions::default() };
    let grounding = match ground(problem, &translate_options) {
        Err(FinderError::Stopped) => return Ok(Vec::new()),
        other => other?,
    };
    if let Some(contradiction) = grounding.roots.iter().position(|&r| r == Bit::FALSE) {
        return Ok(vec![contradiction]);
    }
    let mut encoder = Encoder::new(&grounding.circuit, &grounding.roots);
    let selectors: Vec<Lit> = grounding
        .roots
        .iter()
        .map(|&root| {
            let selector = encoder.cnf.fresh_var().pos();
            encoder.assert(&[!selector], root);
            selector
        })
        .collect();
    break_symmetry(problem, &grounding.cells, &grounding.n_fixed, &mut encoder.cnf);
    let mut solver = options.new_solver();
    solver.add(&encoder.cnf);
    let limits = options.limits();
    let SatResult::Unsat(mut core) = solver.solve(&selectors, &limits) else {
        return Ok(Vec::new());
    };
    // Deletion: a conjunct stays if the others are satisfiable without it, and every failed set
    // that comes back is smaller than what was asked.
    let mut needed = 0;
    while needed < core.len() {
        let mut trial = core.clone();
        let candidate = trial.remove(needed);
        match solver.solve(&trial, &limits) {
            SatResult::Sat(_) => needed += 1,
            SatResult::Unsat(smaller) => {
                debug_assert!(!smaller.contains(&candidate));
                core.retain(|l| smaller.contains(l));
            }
            SatResult::Interrupted => break,
        }
    }
    let mut indices: Vec<usize> = core.iter().filter_map(|l| selectors.iter().position(|s| s == l)).collect();
    indices.sort_unstable();
    Ok(indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tera_rel::{
        AtomKind, Decl, DeclMult, ExprOp, Node, NodeId, Quant, Role, SizeTest, TupleSet, Universe,
    };

    /// `n` interchangeable atoms, a set `N` of some of them and a relation `r` over it.
    fn graph(n: usize) -> (Problem, NodeId, NodeId) {
        let mut universe = Universe::new();
        let atoms: Vec<_> = (0..n).map(|i| universe.push(format!("N${i}"), AtomKind::Object)).collect();
        let mut problem = Problem { universe, ..Problem::default() };
        let all = TupleSet::unary(n, atoms.iter().copied());
        let nodes = problem.add_relation("N", Role::Visible, TupleSet::empty(1, n), all.clone());
        let edges = problem.add_relation("r", Role::Visible, TupleSet::empty(2, n), all.product(&all));
        let nodes = problem.arena.add(Node::Relation(nodes));
        let edges = problem.arena.add(Node::Relation(edges));
        problem.sorts.push(atoms);
        (problem, nodes, edges)
    }

    /// Every node has exactly one successor, and there are some nodes (two, even), but no cycle: a
    /// contradiction of conjuncts 1 and 3 with either of the others.
    fn endless_path() -> Problem {
        let (mut problem, nodes, edges) = graph(3);
        let arena = &mut problem.arena;
        let some = arena.add(Node::Size(SizeTest::Some, nodes));
        let var = arena.fresh_var(1);
        let x = arena.add(Node::Var(var));
        let successors = arena.add(Node::Binary(ExprOp::Join, x, edges));
        let one = arena.add(Node::Size(SizeTest::One, successors));
        let decl = Decl { var, mult: DeclMult::One, domain: nodes };
        let functional = arena.add(Node::Quant(Quant::All, [decl].into(), one));
        let square = arena.add(Node::Binary(ExprOp::Product, nodes, nodes));
        let typed = arena.add(Node::Subset(edges, square));
        let lone = arena.add(Node::Size(SizeTest::Lone, nodes));
        let lone = arena.add(Node::Not(lone));
        let closure = arena.add(Node::Closure(edges));
        let diagonal = TupleSet::from_tuples(
            2,
            3,
            problem.sorts[0].iter().map(|&a| [a, a]).collect::<Vec<_>>().iter().map(|t| &t[..]),
        );
        let diagonal = arena.constant(diagonal);
        let loops = arena.add(Node::Binary(ExprOp::Intersect, closure, diagonal));
        let acyclic = arena.add(Node::Size(SizeTest::No, loops));
        let typed_functional = arena.add(Node::And([typed, functional].into()));
        problem.conjuncts = vec![some, typed_functional, lone, acyclic];
        problem
    }

    fn all_options() -> [SolveOptions; 2] {
        [SolverKind::Varisat, SolverKind::Batsat]
            .map(|solver| SolveOptions { solver, ..SolveOptions::default() })
    }

    #[test]
    fn both_back_ends_agree_and_cores_are_minimal() {
        for options in all_options() {
            let mut problem = endless_path();
            assert_eq!(solve(&problem, &options), Ok(Answer::Unsat));
            let core_found = core(&problem, &options).unwrap();
            assert!([vec![0, 1, 3], vec![1, 2, 3]].contains(&core_found), "{core_found:?}");
            let acyclic = problem.conjuncts.pop();
            assert!(matches!(solve(&problem, &options), Ok(Answer::Sat(_))));
            assert_eq!(core(&problem, &options), Ok(vec![]));
            problem.conjuncts = vec![acyclic.unwrap()];
            assert!(matches!(solve(&problem, &options), Ok(Answer::Sat(_))));
        }
    }

    #[test]
    fn a_raised_interrupt_and_a_past_deadline_end_the_search() {
        for options in all_options() {
            let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
            let interrupted = SolveOptions { interrupt: Some(flag), ..options.clone() };
            let answer = solve(&endless_path(), &interrupted);
            assert_eq!(answer, Ok(Answer::Unknown(Verdict::Interrupted)));
            let late = SolveOptions { deadline: Some(std::time::Instant::now()), ..options };
            assert_eq!(solve(&endless_path(), &late), Ok(Answer::Unknown(Verdict::Timeout)));
        }
    }
}
