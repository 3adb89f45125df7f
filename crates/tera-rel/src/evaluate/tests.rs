//! The three paths against each other, on random problems and random instances of their bounds.

use crate::formula::Overflow;
use crate::problem::{Instance, Problem};
use crate::testing::{Config, Random, random_problem};
use crate::{Evaluator, TupleSet};

/// A random value for every relation within its bounds.
fn random_instance(problem: &Problem, random: &mut Random) -> Instance {
    let percent = [10, 30, 50, 80][random.below(4)];
    let value = |relation: &crate::Relation| {
        let mut value = relation.lower.clone();
        let open: Vec<usize> = relation.upper.indices().collect();
        open.into_iter().filter(|_| random.chance(percent)).for_each(|index| value.insert_index(index));
        value
    };
    Instance { values: problem.relations.iter().map(value).collect() }
}

/// Judges random instances over all three paths; how many conjuncts there were, and how many were
/// lifted.
fn check(seed: u64, config: &Config, n_instances: usize) -> (usize, usize) {
    let problem = random_problem(seed, config);
    let mut lifted = Evaluator::new(&problem);
    let mut words = Evaluator::over_words(&problem).expect("a small universe");
    let mut lists = Evaluator::over_lists(&problem);
    let mut random = Random::new(seed ^ 0xabcd);
    let mut instance = random_instance(&problem, &mut random);
    for round in 0..n_instances {
        // Now all relations are new, now one: what did not change is not computed again.
        if round % 3 == 0 || problem.relations.is_empty() {
            instance = random_instance(&problem, &mut random);
            lifted.load(&instance);
        } else {
            let rel = random.below(problem.relations.len());
            let other = random_instance(&problem, &mut random);
            instance.values[rel] = other.values[rel].clone();
            match round % 3 {
                1 => lifted.load(&instance),
                _ => lifted.load_changed(&instance, &[crate::RelId(rel as u32)]),
            }
        }
        words.load(&instance);
        lists.load(&instance);
        // Not every conjunct is asked every time, and not in order.
        let first = random.below(problem.conjuncts.len().max(1));
        for i in (first..problem.conjuncts.len()).chain(0..first) {
            if random.chance(20) {
                continue;
            }
            let (a, b, c) = (lifted.conjunct(i), words.conjunct(i), lists.conjunct(i));
            assert_eq!(a.is_ok(), c.is_ok(), "seed {seed} conjunct {i}");
            if let (Ok(a), Ok(b), Ok(c)) = (a, b, c) {
                assert_eq!((a, b), (c, c), "seed {seed} conjunct {i} {config:?} {instance:?}");
            }
        }
    }
    (problem.conjuncts.len(), lifted.n_lifted())
}

#[test]
fn three_paths_agree_on_random_problems() {
    let (mut all, mut lifted) = (0, 0);
    for seed in 0..3000 {
        let config = Config {
            max_cells: 40,
            depth: 2 + seed as usize % 3,
            higher_order: seed % 4 == 0,
            partial: seed % 3 == 0,
            ..Config::default()
        };
        let (n, of_them) = check(seed, &config, 6);
        all += n;
        lifted += of_them;
    }
    assert!(lifted * 10 > all * 8, "{lifted} of {all} are lifted");
}

#[test]
fn three_paths_agree_in_universes_of_up_to_64_atoms() {
    let (mut all, mut lifted) = (0, 0);
    for seed in 0..250 {
        // With two sorts and integers, up to 14 atoms are there besides.
        let fixed = [1, 7, 16, 30, 49][seed as usize % 5];
        let config = Config {
            fixed,
            max_cells: 3000,
            depth: 2,
            higher_order: false,
            partial: false,
            ..Config::default()
        };
        let (n, of_them) = check(seed, &config, 2);
        all += n;
        lifted += of_them;
    }
    assert!(lifted * 10 > all * 8, "{lifted} of {all} are lifted");
}

#[test]
fn three_paths_agree_in_every_mode() {
    for seed in 0..600 {
        let overflow = [Overflow::Exact, Overflow::Wrap][seed as usize % 2];
        check(seed, &Config { overflow, max_cells: 30, ..Config::default() }, 3);
    }
}

#[test]
fn values_outside_the_bounds_are_judged_as_well() {
    for seed in 0..300 {
        let problem = random_problem(seed, &Config { max_cells: 20, ..Config::default() });
        let mut evaluator = Evaluator::new(&problem);
        let mut lists = Evaluator::over_lists(&problem);
        let mut random = Random::new(seed);
        for round in 0..4 {
            let mut instance = random_instance(&problem, &mut random);
            if round % 2 == 1 && !problem.relations.is_empty() {
                let rel = random.below(problem.relations.len());
                let (arity, n) = (problem.relations[rel].arity(), problem.universe.len());
                let any = TupleSet::capacity(arity, n).expect("small");
                instance.values[rel].insert_index(random.below(any));
            }
            evaluator.load(&instance);
            lists.load(&instance);
            for i in 0..problem.conjuncts.len() {
                assert_eq!(evaluator.conjunct(i), lists.conjunct(i), "seed {seed} conjunct {i}");
            }
        }
    }
}
