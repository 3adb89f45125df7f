//! One suite for all back ends.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use crate::{Batsat, Cnf, Limits, Lit, SatResult, Solver, Var, Varisat};

fn back_ends() -> Vec<(&'static str, Box<dyn Solver>)> {
    vec![("varisat", Box::new(Varisat::default())), ("batsat", Box::new(Batsat::default()))]
}

fn lit(number: i32) -> Lit {
    Var(number.unsigned_abs() - 1).lit(number > 0)
}

fn holds(clause: &[Lit], values: &[bool]) -> bool {
    clause.iter().any(|l| values[l.var().index()] == l.is_pos())
}

/// Satisfiability under assumptions by trying all assignments.
fn brute(clauses: &[Vec<Lit>], assumptions: &[Lit], n_vars: usize) -> bool {
    (0..1u32 << n_vars).any(|number| {
        let values: Vec<bool> = (0..n_vars).map(|i| number >> i & 1 == 1).collect();
        clauses.iter().all(|c| holds(c, &values)) && assumptions.iter().all(|l| holds(&[*l], &values))
    })
}

fn a_clause() -> impl Strategy<Value = Vec<Lit>> {
    prop::collection::vec((1i32..=6, any::<bool>()).prop_map(|(v, s)| lit(if s { v } else { -v })), 1..4)
}

proptest! {
    #[test]
    fn answers_models_and_failed_assumptions_are_right(
        steps in prop::collection::vec(
            (prop::collection::vec(a_clause(), 0..8), prop::collection::vec((1i32..=6, any::<bool>()), 0..4)),
            1..5,
        ),
        limited in any::<bool>(),
    ) {
        let limits = match limited {
            true => Limits { deadline: Some(Instant::now() + Duration::from_secs(600)), interrupt: None },
            false => Limits::default(),
        };
        for (name, mut solver) in back_ends() {
            solver.reserve_vars(6);
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            for (more, assumed) in &steps {
                for clause in more {
                    solver.add_clause(clause);
                    clauses.push(clause.clone());
                }
                let mut assumptions: Vec<Lit> = Vec::new();
                for &(v, s) in assumed {
                    if assumptions.iter().all(|l| l.var() != lit(v).var()) {
                        assumptions.push(lit(if s { v } else { -v }));
                    }
                }
                let wanted = brute(&clauses, &assumptions, 6);
                match solver.solve(&assumptions, &limits) {
                    SatResult::Sat(values) => {
                        prop_assert!(wanted, "{name}");
                        prop_assert!(values.len() >= 6, "{name}");
                        prop_assert!(clauses.iter().all(|c| holds(c, &values)), "{name}");
                        prop_assert!(assumptions.iter().all(|&l| holds(&[l], &values)), "{name}");
                    }
                    SatResult::Unsat(core) => {
                        prop_assert!(!wanted, "{name}");
                        prop_assert!(core.iter().all(|l| assumptions.contains(l)), "{name}");
                        prop_assert!(!brute(&clauses, &core, 6), "{name}: {core:?} is no core");
                    }
                    SatResult::Interrupted => prop_assert!(false, "{name}: nobody interrupted"),
                }
            }
        }
    }
}

/// `n + 1` pigeons in `n` holes: unsatisfiable, and exponential for resolution.
fn pigeons(n: u32) -> Cnf {
    let var = |pigeon: u32, hole: u32| Var(pigeon * n + hole);
    let mut cnf = Cnf::new(((n + 1) * n) as usize);
    for pigeon in 0..=n {
        let clause: Vec<Lit> = (0..n).map(|hole| var(pigeon, hole).pos()).collect();
        cnf.add(&clause);
    }
    for hole in 0..n {
        for a in 0..=n {
            for b in 0..a {
                cnf.add(&[!var(a, hole).pos(), !var(b, hole).pos()]);
            }
        }
    }
    cnf
}

#[test]
fn a_deadline_ends_a_hard_search_and_the_solver_can_be_asked_again() {
    for (name, mut solver) in back_ends() {
        solver.add(&pigeons(11));
        let start = Instant::now();
        let limits = Limits { deadline: Some(start + Duration::from_millis(80)), interrupt: None };
        assert_eq!(solver.solve(&[], &limits), SatResult::Interrupted, "{name}");
        assert!(start.elapsed() < Duration::from_secs(20), "{name} took {:?}", start.elapsed());
        // A pigeon without a hole of its own is easy.
        let first = Var(0);
        let nowhere: Vec<Lit> = (0..11).map(|hole| !Var(hole).pos()).collect();
        match solver.solve(&nowhere, &Limits::default()) {
            SatResult::Unsat(core) => assert_eq!(core.len(), 11, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
        solver.add_clause(&[first.pos()]);
        solver.add_clause(&[!first.pos()]);
        assert_eq!(solver.solve(&[], &Limits::default()), SatResult::Unsat(vec![]), "{name}");
    }
}

#[test]
fn a_raised_flag_interrupts_at_once() {
    for (name, mut solver) in back_ends() {
        solver.add(&pigeons(4));
        let limits = Limits { deadline: None, interrupt: Some(Arc::new(AtomicBool::new(true))) };
        assert_eq!(solver.solve(&[], &limits), SatResult::Interrupted, "{name}");
        assert_eq!(solver.solve(&[], &Limits::default()), SatResult::Unsat(vec![]), "{name}");
    }
}

#[test]
fn no_clauses_are_satisfiable_and_the_empty_clause_is_not() {
    for (name, mut solver) in back_ends() {
        assert_eq!(solver.solve(&[], &Limits::default()), SatResult::Sat(vec![]), "{name}");
        solver.reserve_vars(3);
        assert!(matches!(solver.solve(&[], &Limits::default()), SatResult::Sat(v) if v.len() == 3), "{name}");
        solver.add_clause(&[]);
        assert_eq!(solver.solve(&[lit(1)], &Limits::default()), SatResult::Unsat(vec![]), "{name}");
    }
}
