//! The translation against its judges on random problems: the evaluator under every assignment,
//! the brute-force finder for completeness.

use std::collections::BTreeSet;

use tera_rel::testing::{Config, random_problem};
use tera_rel::{Evaluator, Instance, Node, NodeId, Overflow, Problem, Role, brute_force, canonical_form};
use tera_sat::{Batsat, Limits, SatResult, Solver, Var};

use crate::interpret::interpret;
use crate::lex_leader::break_symmetry;
use crate::translate::{TranslateOptions, Translation, ground, translate};
use crate::{Answer, FinderError, SolveOptions, solve};

const MODES: [Overflow; 3] = [Overflow::Exact, Overflow::Wrap, Overflow::Forbid];

fn describe(problem: &Problem) -> String {
    let mut text = String::new();
    for (i, relation) in problem.relations.iter().enumerate() {
        text += &format!("{i}: {} {:?} .. {:?}\n", relation.name, relation.lower, relation.upper);
    }
    for i in 0..problem.arena.len() {
        text += &format!("n{i} = {:?}\n", problem.arena.node(NodeId(i as u32)));
    }
    text + &format!("conjuncts {:?} {:?} {:?}\n", problem.conjuncts, problem.ints, problem.universe.ints())
}

fn has_higher_order(problem: &Problem) -> bool {
    (0..problem.arena.len()).any(|i| {
        let node = problem.arena.node(NodeId(i as u32));
        node.decls().iter().any(|d| d.mult == tera_rel::DeclMult::Set)
    })
}

#[test]
fn the_circuit_agrees_with_the_evaluator_under_every_assignment() {
    for overflow in MODES {
        let config = Config { overflow, max_cells: 8, higher_order: false, depth: 3, ..Config::default() };
        for seed in 0..500 {
            let problem = random_problem(seed, &config);
            let grounding = match ground(&problem, &TranslateOptions::default()) {
                Ok(grounding) => grounding,
                Err(FinderError::TooWide(_)) => continue,
                Err(error) => panic!("seed {seed}: {error:?}"),
            };
            let mut evaluator = Evaluator::new(&problem);
            let n = grounding.cells.len();
            for number in 0..1u32 << n {
                let inputs: Vec<bool> = (0..n).map(|i| number >> i & 1 == 1).collect();
                let values = grounding.circuit.evaluate(&inputs);
                evaluator.load(&interpret(&problem, &grounding.cells, &inputs));
                for (i, &root) in grounding.roots.iter().enumerate() {
                    let Ok(wanted) = evaluator.conjunct(i) else { continue };
                    assert_eq!(
                        tera_circuit::value_of(root, &values),
                        wanted,
                        "seed {seed} {overflow:?} conjunct {i} under {:?}\n{}",
                        interpret(&problem, &grounding.cells, &inputs),
                        describe(&problem)
                    );
                }
            }
        }
    }
}

/// All instances by a loop of solves that blocks the visible part of each.
fn solver_loop(problem: &Problem) -> Result<BTreeSet<Vec<Vec<usize>>>, FinderError> {
    Ok(loop_over(problem, translate(problem, &TranslateOptions::default())?))
}

fn loop_over(problem: &Problem, translation: Translation) -> BTreeSet<Vec<Vec<usize>>> {
    let mut solver = Batsat::default();
    solver.add(&translation.cnf);
    let mut found = BTreeSet::new();
    while let SatResult::Sat(values) = solver.solve(&[], &Limits::default()) {
        let instance = interpret(problem, &translation.cells, &values);
        assert!(found.insert(key(problem, &instance)), "an instance twice");
        let blocking: Vec<_> = (0..translation.n_visible).map(|i| Var(i as u32).lit(!values[i])).collect();
        solver.add_clause(&blocking);
        if blocking.is_empty() {
            break;
        }
    }
    found
}

fn key(problem: &Problem, instance: &Instance) -> Vec<Vec<usize>> {
    let visible = problem.relations.iter().zip(&instance.values).filter(|(r, _)| r.role == Role::Visible);
    visible.map(|(_, value)| value.indices().collect()).collect()
}

#[test]
fn the_solver_finds_what_brute_force_finds() {
    let mut n_higher_order = 0;
    let mut n_compared = 0;
    for overflow in MODES {
        for seed in 0..600 {
            let config = Config { overflow, max_cells: 8, ..Config::default() };
            let problem = random_problem(seed, &config);
            let found = match solver_loop(&problem) {
                Ok(found) => found,
                Err(FinderError::TooWide(_) | FinderError::HigherOrder(_)) => continue,
                Err(error) => panic!("seed {seed}: {error:?}"),
            };
            let mut wanted = BTreeSet::new();
            let result = brute_force(&problem, &mut |instance| {
                wanted.insert(key(&problem, instance));
            });
            if result.is_err() {
                continue;
            }
            assert_eq!(found, wanted, "seed {seed} {overflow:?}\n{}", describe(&problem));
            n_higher_order += has_higher_order(&problem) as usize;
            n_compared += 1;
        }
    }
    assert!(n_higher_order > 40 && n_compared > 1200, "{n_higher_order} of {n_compared}");
}

/// Representatives and the lex-leader constraints together must not lose the last instance.
#[test]
fn one_question_has_the_answer_of_brute_force() {
    let (mut n_narrowed, mut n_compared) = (0, 0);
    let options = TranslateOptions { one_instance: true, ..TranslateOptions::default() };
    for overflow in MODES {
        for seed in 0..1500 {
            let problem = random_problem(seed, &Config { overflow, max_cells: 8, ..Config::default() });
            let answer = match solve(&problem, &SolveOptions::default()) {
                Ok(answer) => answer,
                Err(FinderError::TooWide(_) | FinderError::HigherOrder(_)) => continue,
                Err(error) => panic!("seed {seed}: {error:?}"),
            };
            let mut exists = false;
            if brute_force(&problem, &mut |_| exists = true).is_err() {
                continue;
            }
            assert_eq!(
                matches!(answer, Answer::Sat(_)),
                exists,
                "seed {seed} {overflow:?}\n{}",
                describe(&problem)
            );
            n_narrowed += ground(&problem, &options).is_ok_and(|g| g.n_fixed.iter().any(|&n| n > 0)) as usize;
            n_compared += 1;
        }
    }
    assert!(n_narrowed > 100 && n_compared > 3000, "{n_narrowed} of {n_compared}");
}

#[test]
fn symmetry_breaking_leaves_an_instance_of_every_class() {
    let mut n_dropped = 0;
    for seed in 0..1500 {
        let problem = random_problem(seed, &Config { max_cells: 9, ..Config::default() });
        let Ok(mut translation) = translate(&problem, &TranslateOptions::default()) else { continue };
        let all = loop_over(&problem, translation.clone());
        break_symmetry(&problem, &translation.cells, &translation.n_fixed, &mut translation.cnf);
        let left = loop_over(&problem, translation);
        let classes = |keys: &BTreeSet<Vec<Vec<usize>>>| -> BTreeSet<_> {
            let canonical = |k: &Vec<_>| canonical_form(&problem, &instance_of(&problem, k)).instance;
            keys.iter().map(|k| key(&problem, &canonical(k))).collect()
        };
        assert_eq!(classes(&left), classes(&all), "seed {seed}\n{}", describe(&problem));
        n_dropped += all.len() - left.len();
    }
    assert!(n_dropped > 1000, "{n_dropped}");
}

/// The instance with these visible tuples and nothing else.
fn instance_of(problem: &Problem, key: &[Vec<usize>]) -> Instance {
    let mut key = key.iter();
    let values = problem.relations.iter().map(|relation| {
        let mut value = relation.lower.clone();
        if relation.role == Role::Visible {
            key.next().into_iter().flatten().for_each(|&i| value.insert_index(i));
        }
        value
    });
    Instance { values: values.collect() }
}

/// With one-sided clauses the gates may stay open, but never may a false root go unnoticed: after
/// all cells are assigned, unit propagation alone must decide.
#[test]
fn unit_propagation_decides_once_all_cells_are_assigned() {
    for seed in 0..200 {
        let config = Config { max_cells: 8, ..Config::default() };
        let problem = random_problem(seed, &config);
        let (Ok(grounding), Ok(translation)) = (
            ground(&problem, &TranslateOptions::default()),
            translate(&problem, &TranslateOptions::default()),
        ) else {
            continue;
        };
        let n = grounding.cells.len();
        if n > 10 {
            continue;
        }
        for number in 0..1u32 << n {
            let inputs: Vec<bool> = (0..n).map(|i| number >> i & 1 == 1).collect();
            let values = grounding.circuit.evaluate(&inputs);
            let holds = grounding.roots.iter().all(|&r| tera_circuit::value_of(r, &values));
            assert_eq!(propagates(&translation.cnf, &inputs), holds, "seed {seed}\n{}", describe(&problem));
        }
    }
}

/// Whether unit propagation from an assignment of the first variables meets no conflict.
fn propagates(cnf: &tera_sat::Cnf, inputs: &[bool]) -> bool {
    let mut values: Vec<Option<bool>> = vec![None; cnf.n_vars()];
    for (value, &input) in values.iter_mut().zip(inputs) {
        *value = Some(input);
    }
    loop {
        let mut changed = false;
        for clause in cnf.clauses() {
            let truth = |l: &tera_sat::Lit| values[l.var().index()].map(|v| v == l.is_pos());
            if clause.iter().any(|l| truth(l) == Some(true)) {
                continue;
            }
            let mut open = clause.iter().filter(|l| truth(l).is_none());
            match (open.next(), open.next()) {
                (None, _) => return false,
                (Some(&unit), None) => {
                    values[unit.var().index()] = Some(unit.is_pos());
                    changed = true;
                }
                _ => {}
            }
        }
        if !changed {
            return true;
        }
    }
}

#[test]
fn a_formula_that_simplifies_to_true_has_all_instances() {
    let mut problem = random_problem(4, &Config::default());
    problem.conjuncts = vec![problem.arena.add(Node::True)];
    let open: usize = problem
        .relations
        .iter()
        .filter(|r| r.role == Role::Visible)
        .map(|r| r.upper.len() - r.lower.len())
        .sum();
    assert!(open > 2);
    assert_eq!(solver_loop(&problem).unwrap().len(), 1 << open);
}
