//! The enumerating solver against brute force: random CNFs, random projections, every combination of
//! options, gates, theories and assumptions.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::*;
use crate::Cnf;

/// A small generator of its own, so that a failure is one number.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as u32
    }
}

struct Case {
    cnf: Cnf,
    n_visible: usize,
    n_auxiliary: usize,
    order: Vec<Lit>,
}

/// Random clauses over visible and auxiliary variables, and over gates defined by them.
fn random_case(random: &mut Random) -> Case {
    let n_visible = 1 + random.below(7) as usize;
    let n_auxiliary = random.below(3) as usize * random.below(2) as usize;
    let n_primary = n_visible + n_auxiliary;
    let mut cnf = Cnf::new(n_primary);
    for _ in 0..random.below(4) {
        let n = cnf.n_vars() as u32;
        let (a, b) = (Lit(random.below(2 * n)), Lit(random.below(2 * n)));
        let gate = cnf.fresh_var().lit(true);
        cnf.add(&[!gate, a]);
        cnf.add(&[!gate, b]);
        cnf.add(&[gate, !a, !b]);
    }
    let n = cnf.n_vars() as u32;
    for _ in 0..random.below(3 * n) {
        let len = 1 + random.below(4).max(random.below(3));
        let clause: Vec<Lit> = (0..len).map(|_| Lit(random.below(2 * n))).collect();
        if len > 1 || random.below(4) == 0 {
            cnf.add(&clause);
        }
    }
    let mut order: Vec<Lit> = (0..n_primary as u32).map(|v| Var(v).lit(random.below(2) == 0)).collect();
    for i in (1..n_visible).rev() {
        order.swap(i, random.below(i as u32 + 1) as usize);
    }
    Case { cnf, n_visible, n_auxiliary, order }
}

fn satisfies(cnf: &Cnf, assignment: u64) -> bool {
    let holds = |lit: &Lit| (assignment >> lit.var().0 & 1 != 0) == lit.is_pos();
    cnf.clauses().all(|clause| clause.iter().any(holds))
}

/// All visible parts of models, over all valuations of all variables.
fn brute_force(case: &Case) -> BTreeSet<u64> {
    (0..1u64 << case.cnf.n_vars())
        .filter(|&m| satisfies(&case.cnf, m))
        .map(|m| m & ((1 << case.n_visible) - 1))
        .collect()
}

fn visible_bits(state: &State, n: usize) -> u64 {
    (0..n as u32).fold(0, |m, v| m | ((state.value(Var(v).lit(true)) == Some(true)) as u64) << v)
}

/// The models in the order found; panics when one comes twice.
fn enumerated(case: &Case, adjust: impl FnOnce(&mut EnumeratorOptions)) -> Vec<u64> {
    let nothing = Cnf::new(0);
    let mut theory = Second::new(&nothing, 0, false, case.n_visible);
    run(case, &mut theory, adjust);
    theory.models
}

fn run(case: &Case, theory: &mut Second, adjust: impl FnOnce(&mut EnumeratorOptions)) {
    let mut options = EnumeratorOptions {
        order: case.order.clone(),
        n_visible: case.n_visible,
        ..EnumeratorOptions::default()
    };
    adjust(&mut options);
    let mut solver = Enumerator::new(&case.cnf, options);
    // A search that does not end fails.
    solver.set_budget(most_work(case));
    assert_eq!(solver.run(theory), Outcome::Exhausted);
    assert!(solver.stats.conflicts <= most_work(case), "{} conflicts", solver.stats.conflicts);
}

/// Plain backtracking passes every node of the tree of all valuations once, and a leaf may be refuted.
/// Jumping back with the order open may do part of it again.
fn most_work(case: &Case) -> u64 {
    4 << (case.n_visible + case.n_auxiliary)
}

fn as_set(models: &[u64]) -> BTreeSet<u64> {
    let set: BTreeSet<u64> = models.iter().copied().collect();
    assert_eq!(set.len(), models.len(), "a model came twice: {models:?}");
    set
}

/// Where a valuation comes in the order of the decisions.
fn place(case: &Case, m: u64) -> Vec<bool> {
    case.order[..case.n_visible].iter().map(|l| (m >> l.var().0 & 1 != 0) != l.is_pos()).collect()
}

/// All combinations of heuristic, learning and small limits, against brute force.
fn check_all_options(case: &Case, second: &Cnf, skips: bool, assumptions: &[Lit], seed: u64) {
    let assumed = |m: u64| assumptions.iter().all(|l| (m >> l.var().0 & 1 != 0) == l.is_pos());
    let mut all = brute_force(case);
    all.retain(|&m| assumed(m) && satisfies(second, m));
    for heuristic in [Heuristic::Static, Heuristic::Vsids, Heuristic::Adaptive] {
        for learning in [Learning::Adaptive, Learning::Always, Learning::Never] {
            for max_learned in 0..4 {
                if learning == Learning::Never && max_learned > 0 {
                    continue;
                }
                let what = format!("seed {seed}, {heuristic:?}, {learning:?}, at most {max_learned}");
                let mut theory = Second::new(second, seed, skips, case.n_visible);
                run(case, &mut theory, |options| {
                    options.heuristic = heuristic;
                    options.learning = learning;
                    options.max_learned = max_learned;
                    options.assumptions = assumptions.to_vec();
                });
                let models = &theory.models;
                let mut expected = all.clone();
                expected.retain(|&m| !theory.has_skipped(m));
                assert_eq!(as_set(models), expected, "{what}");
                if heuristic == Heuristic::Static {
                    assert!(models.is_sorted_by_key(|&m| place(case, m)), "{what}: out of order");
                }
            }
        }
    }
}

#[test]
fn every_option_combination_gives_the_models_of_brute_force() {
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let case = random_case(&mut random);
        let n_assumptions = random.below(3);
        let assumptions: Vec<Lit> =
            (0..n_assumptions).map(|_| Lit(random.below(2 * case.n_visible as u32))).collect();
        check_all_options(&case, &Cnf::new(0), seed % 4 == 0, &assumptions, seed);
    }
}

#[test]
fn a_theory_that_refutes_whenever_it_likes_acts_like_clauses_under_every_option() {
    for seed in 0..20_000 {
        let mut random = Random(seed ^ 0x7e0);
        let case = random_case(&mut random);
        let mut second = Cnf::new(case.cnf.n_vars());
        for _ in 0..random.below(8) {
            let len = 1 + random.below(4);
            let clause: Vec<Lit> = (0..len).map(|_| Lit(random.below(2 * case.n_visible as u32))).collect();
            second.add(&clause);
        }
        let n_assumptions = random.below(3);
        let assumptions: Vec<Lit> =
            (0..n_assumptions).map(|_| Lit(random.below(2 * case.n_visible as u32))).collect();
        check_all_options(&case, &second, seed % 2 == 0, &assumptions, seed);
    }
}

/// Where a part is skipped without a model, a newer lesson of a lower level may contradict an older held
/// literal: both wait to be put back, and the older one must not come first, or the search goes round in
/// circles.
#[test]
fn held_literals_that_contradict_each_other_do_not_livelock() {
    let clauses = |n_vars: usize, clauses: &[&[u32]]| {
        let mut cnf = Cnf::new(n_vars);
        for clause in clauses {
            cnf.add(&clause.iter().map(|&lit| Lit(lit)).collect::<Vec<_>>());
        }
        cnf
    };
    let second = clauses(6, &[&[3, 1], &[4, 0], &[6, 1], &[0, 10, 3, 0], &[0]]);
    let orders = [
        [8, 6, 4, 11, 2, 0],
        [0, 2, 4, 6, 8, 10],
        [10, 8, 6, 4, 2, 0],
        [7, 4, 8, 11, 2, 0],
        [6, 5, 1, 3, 8, 11],
    ];
    let assumptions: [&[Lit]; 6] =
        [&[Lit(7), Lit(4)], &[], &[Lit(7)], &[Lit(4)], &[Lit(4), Lit(7)], &[Lit(2), Lit(11)]];
    for order in orders {
        let order = order.map(Lit).to_vec();
        for cnf in [Cnf::new(6), clauses(6, &[&[6, 4, 8], &[7, 2, 9]])] {
            let case = Case { cnf, n_visible: 6, n_auxiliary: 0, order: order.clone() };
            for assumptions in assumptions {
                for seed in 0..50 {
                    check_all_options(&case, &second, seed % 2 == 0, assumptions, seed);
                }
            }
        }
    }
}

#[test]
fn assumptions_split_the_models() {
    for seed in 0..30_000 {
        let case = random_case(&mut Random(seed ^ 0x5eed));
        let all = brute_force(&case);
        let first = case.order[0];
        let mut parts = BTreeSet::new();
        for assumption in [first, !first] {
            let part = as_set(&enumerated(&case, |options| options.assumptions = vec![assumption]));
            assert!(part.iter().all(|m| (m >> first.var().0 & 1 != 0) == assumption.is_pos()));
            parts.extend(part);
        }
        assert_eq!(parts, all, "seed {seed}");
    }
}

/// Refutes, at random moments and surely at total assignments, what a second CNF forbids; may skip parts
/// of the search.
struct Second<'a> {
    cnf: &'a Cnf,
    random: Random,
    models: Vec<u64>,
    n_visible: usize,
    skips: bool,
    /// The assignments below which all was skipped: which variables have a value, and which are true.
    skipped: Vec<(u64, u64)>,
}

impl Second<'_> {
    fn new(cnf: &Cnf, seed: u64, skips: bool, n_visible: usize) -> Second<'_> {
        Second { cnf, random: Random(seed), models: Vec::new(), n_visible, skips, skipped: Vec::new() }
    }

    fn has_skipped(&self, model: u64) -> bool {
        self.skipped.iter().any(|&(known, values)| model & known == values)
    }
}

impl Theory for Second<'_> {
    fn check(&mut self, state: &mut State, point: Point, clause: &mut Vec<Lit>) -> Judgement {
        if self.skips && self.random.below(6) == 0 {
            let known = (0..self.n_visible as u32).filter(|&v| state.value(Var(v).lit(true)).is_some());
            self.skipped.push((known.fold(0, |m, v| m | 1 << v), visible_bits(state, self.n_visible)));
            return Judgement::Skip;
        }
        if point != Point::Total && self.random.below(2) == 0 {
            return Judgement::Consistent;
        }
        let is_false = |c: &&[Lit]| c.iter().all(|&l| state.value(l) == Some(false));
        let Some(refuted) = self.cnf.clauses().find(is_false) else { return Judgement::Consistent };
        clause.clear();
        clause.extend_from_slice(refuted);
        Judgement::Refuted
    }

    fn found(&mut self, state: &mut State) -> ControlFlow<()> {
        self.models.push(visible_bits(state, self.n_visible));
        ControlFlow::Continue(())
    }
}

#[test]
fn a_search_cut_by_budgets_goes_on_where_it_stopped() {
    for seed in 0..10_000 {
        let case = random_case(&mut Random(seed ^ 0xb0d));
        let options = EnumeratorOptions {
            order: case.order.clone(),
            n_visible: case.n_visible,
            ..EnumeratorOptions::default()
        };
        let mut solver = Enumerator::new(&case.cnf, options);
        let mut models = Vec::new();
        loop {
            solver.set_budget(3);
            let outcome = solver.run(&mut Unjudged(|state: &State| {
                models.push(visible_bits(state, case.n_visible));
                ControlFlow::Continue(())
            }));
            if outcome != Outcome::Budget {
                break;
            }
        }
        assert_eq!(as_set(&models), brute_force(&case), "seed {seed}");
    }
}

#[test]
fn larger_problems_need_learning_and_forgetting_and_still_agree() {
    for seed in 0..12 {
        let mut random = Random(seed ^ 0x1a6e);
        let n = 34;
        let mut cnf = Cnf::new(n);
        for _ in 0..130 {
            let clause: Vec<Lit> = (0..3).map(|_| Lit(random.below(2 * n as u32))).collect();
            cnf.add(&clause);
        }
        let order = (0..n as u32).map(|v| Var(v).lit(false)).collect();
        let case = Case { cnf, n_visible: n, n_auxiliary: 0, order };
        let plain = as_set(&enumerated(&case, |options| options.learning = Learning::Never));
        for (heuristic, max_learned) in
            [(Heuristic::Static, 0), (Heuristic::Static, 20), (Heuristic::Vsids, 20)]
        {
            let models = enumerated(&case, |options| {
                options.heuristic = heuristic;
                options.max_learned = max_learned;
                options.learning = Learning::Always;
            });
            assert_eq!(as_set(&models), plain, "seed {seed}, {heuristic:?}, at most {max_learned}");
        }
        assert_eq!(case.n_auxiliary, 0);
    }
}

#[test]
fn the_counter_counts_what_brute_force_finds() {
    for seed in 0..40_000 {
        let mut random = Random(seed ^ 0xc0);
        let mut case = random_case(&mut random);
        if case.n_auxiliary > 0 {
            // Every variable that is decided is counted.
            case.n_visible += case.n_auxiliary;
            case.n_auxiliary = 0;
        }
        let options = EnumeratorOptions {
            order: case.order.clone(),
            n_visible: case.n_visible,
            ..EnumeratorOptions::default()
        };
        let expected = brute_force(&case);
        let Some(mut counter) = Enumerator::new(&case.cnf, options).counter() else {
            assert!(expected.is_empty(), "seed {seed}: no counter");
            continue;
        };
        let lit = Lit(random.below(2 * case.n_visible as u32));
        let holds = |m: &&u64| (**m >> lit.var().0 & 1 != 0) == lit.is_pos();
        // A second time from what was kept, and a third after giving up.
        for (lits, n) in [
            (vec![], expected.len()),
            (vec![lit], expected.iter().filter(holds).count()),
            (vec![], expected.len()),
        ] {
            let _ = counter.count(&lits, random.below(20) as u64, &crate::Limits::default());
            let counted = counter.count(&lits, u64::MAX, &crate::Limits::default());
            assert_eq!(counted, Ok(n.into()), "seed {seed}");
        }
    }
}
