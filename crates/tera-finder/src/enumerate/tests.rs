//! Exactness against brute force: random symmetric clauses over random relations, every class once,
//! automorphism orders and orbit sizes included.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use num_bigint::BigUint;
use tera_rel::{AtomId, AtomKind, Problem, RelId, Role, TupleSet};
use tera_sat::{Cnf, Var};

use super::*;

/// A small generator of its own, so that a failure is one number.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

struct Case {
    problem: Problem,
    translation: Translation,
    /// All permutations inside the sorts, as images of atoms.
    group: Vec<Vec<usize>>,
}

fn permutations(sorts: &[Vec<AtomId>], n_atoms: usize) -> Vec<Vec<usize>> {
    let mut group = vec![(0..n_atoms).collect::<Vec<_>>()];
    for sort in sorts {
        // Every permutation is a product of one transposition for each atom.
        for i in 1..sort.len() {
            for permutation in group.clone() {
                for j in 0..i {
                    let mut next = permutation.clone();
                    next.swap(sort[i].0 as usize, sort[j].0 as usize);
                    group.push(next);
                }
            }
        }
    }
    group
}

fn image_of_cell(cells: &[Cell], cell: usize, permutation: &[usize], problem: &Problem) -> usize {
    let upper = &problem.relation(cells[cell].rel).upper;
    let tuple: Vec<AtomId> = upper
        .tuple(cells[cell].tuple as usize)
        .into_iter()
        .map(|a| AtomId(permutation[a.0 as usize] as u32))
        .collect();
    let image = Cell { rel: cells[cell].rel, tuple: upper.index(&tuple) as u64 };
    cells.iter().position(|c| *c == image).expect("bounds are symmetric")
}

/// Up to 12 visible cells over two or three sorts and fixed atoms.
fn random_case(random: &mut Random) -> Option<Case> {
    let mut problem = Problem::default();
    let n_sorts = 1 + random.below(3);
    let mut groups: Vec<Vec<AtomId>> = Vec::new();
    for sort in 0..n_sorts {
        let n = 1 + random.below(if n_sorts == 1 { 4 } else { 3 });
        let atoms: Vec<AtomId> =
            (0..n).map(|i| problem.universe.push(format!("S{sort}${i}"), AtomKind::Object)).collect();
        problem.sorts.push(atoms.clone());
        groups.push(atoms);
    }
    let fixed: Vec<AtomId> =
        (0..random.below(3)).map(|i| problem.universe.push(format!("F${i}"), AtomKind::Object)).collect();
    if !fixed.is_empty() {
        groups.push(fixed);
    }
    let n = problem.universe.len();
    for rel in 0..1 + random.below(4) {
        let arity = 1 + random.below(3);
        let mut upper: Option<TupleSet> = None;
        for _ in 0..arity {
            let mut column: Vec<AtomId> = groups[random.below(groups.len())].clone();
            if random.below(4) == 0 {
                column.extend(&groups[random.below(groups.len())]);
            }
            let column = TupleSet::unary(n, column);
            upper = Some(upper.map_or(column.clone(), |set| set.product(&column)));
        }
        let mut upper = upper.expect("some columns");
        let mut lower = TupleSet::empty(arity, n);
        // Loops absent, or always there: both are symmetric.
        let treatment = random.below(4);
        for index in upper.clone().indices() {
            let tuple = upper.tuple(index);
            if arity > 1 && tuple.iter().all(|a| *a == tuple[0]) {
                match treatment {
                    0 => upper.remove_index(index),
                    1 => lower.insert_index(index),
                    _ => {}
                }
            }
        }
        let role = if rel > 0 && random.below(4) == 0 { Role::Auxiliary } else { Role::Visible };
        problem.add_relation(format!("r{rel}"), role, lower, upper);
    }
    let mut cells = Vec::new();
    let mut n_visible = 0;
    for role in [Role::Visible, Role::Auxiliary] {
        for (i, relation) in problem.relations.iter().enumerate().filter(|(_, r)| r.role == role) {
            let open = relation.upper.indices().filter(|&t| !relation.lower.contains_index(t));
            cells.extend(open.map(|t| Cell { rel: RelId(i as u32), tuple: t as u64 }));
        }
        if role == Role::Visible {
            n_visible = cells.len();
        }
    }
    if n_visible > 12 || cells.len() > 14 {
        return None;
    }
    let group = permutations(&problem.sorts, n);
    let mut cnf = Cnf::new(cells.len());
    if !cells.is_empty() {
        for _ in 0..random.below(4) {
            let clause: Vec<(usize, bool)> =
                (0..1 + random.below(3)).map(|_| (random.below(cells.len()), random.below(2) == 0)).collect();
            for permutation in &group {
                let image: Vec<_> = clause
                    .iter()
                    .map(|&(cell, sign)| {
                        Var(image_of_cell(&cells, cell, permutation, &problem) as u32).lit(sign)
                    })
                    .collect();
                cnf.add(&image);
            }
        }
    }
    let translation = Translation { cnf, cells, n_visible, skolems: Vec::new(), n_fixed: Vec::new() };
    Some(Case { problem, translation, group })
}

/// For each class its least member, with the order of its automorphism group.
fn brute_force(case: &Case) -> (BTreeMap<u64, u64>, u64) {
    let Translation { cnf, cells, n_visible, .. } = &case.translation;
    let images: Vec<Vec<usize>> = case
        .group
        .iter()
        .map(|p| (0..*n_visible).map(|c| image_of_cell(cells, c, p, &case.problem)).collect())
        .collect();
    let satisfies =
        |m: u64| cnf.clauses().all(|clause| clause.iter().any(|l| (m >> l.var().0 & 1 != 0) == l.is_pos()));
    let visible: BTreeSet<u64> =
        (0..1u64 << cells.len()).filter(|&m| satisfies(m)).map(|m| m & ((1 << n_visible) - 1)).collect();
    let mut classes = BTreeMap::new();
    for &m in &visible {
        let apply =
            |image: &Vec<usize>| image.iter().enumerate().fold(0u64, |r, (c, &to)| r | (m >> c & 1) << to);
        let orbit: Vec<u64> = images.iter().map(apply).collect();
        if orbit.iter().all(|&other| m <= other) {
            classes.insert(m, orbit.iter().filter(|&&other| other == m).count() as u64);
        }
    }
    (classes, visible.len() as u64)
}

fn least(case: &Case, m: u64) -> u64 {
    let apply = |permutation: &Vec<usize>| {
        (0..case.translation.n_visible).fold(0u64, |r, c| {
            r | (m >> c & 1) << image_of_cell(&case.translation.cells, c, permutation, &case.problem)
        })
    };
    case.group.iter().map(apply).min().expect("the identity")
}

#[test]
fn every_class_comes_exactly_once_with_its_automorphisms() {
    let mut cases = 0;
    for seed in 0.. {
        let Some(case) = random_case(&mut Random(seed)) else { continue };
        cases += 1;
        if cases > 3_000 {
            break;
        }
        let (classes, n_labelled) = brute_force(&case);
        for strategy in [StrategyChoice::Auto, StrategyChoice::Interleaved, StrategyChoice::Declared] {
            let lex_leaders = Some(seed % 2 == 0);
            let options =
                EnumerateOptions { strategy, lex_leaders, want_group: true, ..EnumerateOptions::default() };
            let mut found = BTreeSet::new();
            let mut orbit_sum = BigUint::from(0u32);
            let summary = enumerate_translation(&case.problem, &case.translation, &options, &mut |f| {
                let bits = f.bits.first().map_or(0, |w| w & ((1 << case.translation.n_visible) - 1));
                let class = least(&case, bits);
                assert!(found.insert(class), "seed {seed}: class {class:b} came twice, {strategy:?}");
                let order = f.automorphisms().expect("the group was asked for");
                assert_eq!(*order, BigUint::from(classes[&class]), "seed {seed}: automorphisms");
                orbit_sum += f.orbit_size().expect("the group was asked for");
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(summary.verdict, Verdict::Exhausted);
            assert_eq!(found.len(), classes.len(), "seed {seed}, {strategy:?}: classes missing");
            assert_eq!(summary.count, classes.len() as u64);
            assert_eq!(orbit_sum, BigUint::from(n_labelled), "seed {seed}: labelled count");
            let counted = super::run::count(&case.problem, &case.translation, &options).unwrap();
            assert_eq!(counted.count, classes.len() as u64, "seed {seed}: count alone");
        }
        let labelled = EnumerateOptions { symmetry: Symmetry::None, ..EnumerateOptions::default() };
        let counted = super::run::count(&case.problem, &case.translation, &labelled).unwrap();
        assert_eq!(counted.count, n_labelled, "seed {seed}: labelled");
    }
}

/// The bits of every instance, in order.
fn stream(case: &Case, options: &EnumerateOptions) -> Vec<u64> {
    let mut found = Vec::new();
    let summary = enumerate_translation(&case.problem, &case.translation, options, &mut |f| {
        assert_eq!(f.index, found.len() as u64);
        found.push(f.bits.first().copied().unwrap_or(0));
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(summary.verdict, Verdict::Exhausted);
    assert_eq!(summary.count, found.len() as u64);
    let counted = super::run::count(&case.problem, &case.translation, options).unwrap();
    assert_eq!(counted.count, summary.count);
    found
}

#[test]
fn threads_give_the_same_stream_and_shards_divide_it() {
    let mut cases = 0;
    for seed in 0.. {
        let Some(case) = random_case(&mut Random(seed ^ 0x7ead)) else { continue };
        cases += 1;
        if cases > 150 {
            break;
        }
        let mut options = EnumerateOptions { lex_leaders: Some(true), ..EnumerateOptions::default() };
        let without = EnumerateOptions { lex_leaders: Some(false), ..options.clone() };
        for strategy in [StrategyChoice::Structured, StrategyChoice::Interleaved, StrategyChoice::Declared] {
            let [with, without] =
                [&options, &without].map(|o| stream(&case, &EnumerateOptions { strategy, ..o.clone() }));
            assert_eq!(with, without, "seed {seed}: lex-leader clauses, {strategy:?}");
        }
        if cases % 3 == 0 {
            options.symmetry = Symmetry::None;
        }
        let whole = stream(&case, &options);
        for threads in [2, 3] {
            let options = EnumerateOptions { threads, ..options.clone() };
            assert_eq!(stream(&case, &options), whole, "seed {seed}, {threads} threads");
        }
        for n in [1, 3] {
            let mut all: Vec<u64> = Vec::new();
            for i in 1..=n {
                let part = stream(&case, &EnumerateOptions { shard: Some((i, n)), ..options.clone() });
                let threaded = EnumerateOptions { shard: Some((i, n)), threads: 2, ..options.clone() };
                assert_eq!(stream(&case, &threaded), part, "seed {seed}, shard {i}/{n} by threads");
                all.extend(part);
            }
            all.sort_unstable();
            let mut expected = whole.clone();
            expected.sort_unstable();
            assert_eq!(all, expected, "seed {seed}, {n} shards");
        }
    }
}
