//! The enumerating solver and the model counter against brute force: any bytes are a CNF with gates, a
//! projection, an order, options, assumptions and a theory that refutes and skips at any moment.
#![no_main]

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;
use tera_sat::enumerate::{
    Enumerator, EnumeratorOptions, Heuristic, Judgement, Learning, Outcome, Point, State, Theory,
};
use tera_sat::{Cnf, Limits, Lit, Var};

/// Numbers out of bytes; zeros when they are used up.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn below(&mut self, n: u32) -> u32 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        u32::from(first) % n
    }
}

/// Forbids what a second CNF forbids, when the bytes say so, and at the end surely; skips parts of the
/// search when the bytes say so.
struct Second<'a> {
    cnf: &'a Cnf,
    bytes: Bytes<'a>,
    n_visible: usize,
    models: Vec<u32>,
    /// The assignments below which all was skipped: which variables have a value, and which are true.
    skipped: Vec<(u32, u32)>,
}

impl Second<'_> {
    /// The visible variables of which this holds.
    fn visible(&self, holds: impl Fn(Lit) -> bool) -> u32 {
        (0..self.n_visible as u32).fold(0, |m, v| m | (holds(Var(v).lit(true)) as u32) << v)
    }
}

impl Theory for Second<'_> {
    fn check(&mut self, state: &mut State, point: Point, clause: &mut Vec<Lit>) -> Judgement {
        let chance = self.bytes.below(8);
        if chance == 7 {
            let known = self.visible(|lit| state.value(lit).is_some());
            self.skipped.push((known, self.visible(|lit| state.value(lit) == Some(true))));
            return Judgement::Skip;
        }
        if point != Point::Total && chance % 2 == 0 {
            return Judgement::Consistent;
        }
        let is_false = |c: &&[Lit]| c.iter().all(|&l| state.value(l) == Some(false));
        let Some(refuted) = self.cnf.clauses().find(is_false) else { return Judgement::Consistent };
        clause.clear();
        clause.extend_from_slice(refuted);
        Judgement::Refuted
    }

    fn found(&mut self, state: &mut State) -> ControlFlow<()> {
        self.models.push(self.visible(|lit| state.value(lit) == Some(true)));
        ControlFlow::Continue(())
    }
}

fn add_clauses(cnf: &mut Cnf, bytes: &mut Bytes, n: u32, n_vars: u32) {
    for _ in 0..n {
        let len = 1 + bytes.below(4);
        let clause: Vec<Lit> = (0..len).map(|_| Lit(bytes.below(2 * n_vars))).collect();
        cnf.add(&clause);
    }
}

fn satisfies(cnf: &Cnf, assignment: u32) -> bool {
    let holds = |lit: &Lit| (assignment >> lit.var().0 & 1 != 0) == lit.is_pos();
    cnf.clauses().all(|clause| clause.iter().any(holds))
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    let n_visible = 1 + bytes.below(7) as usize;
    let n_auxiliary = bytes.below(3) as usize;
    let n_primary = n_visible + n_auxiliary;
    let mut cnf = Cnf::new(n_primary);
    for _ in 0..bytes.below(5) {
        let n = cnf.n_vars() as u32;
        let (a, b) = (Lit(bytes.below(2 * n)), Lit(bytes.below(2 * n)));
        let gate = cnf.fresh_var().lit(true);
        cnf.add(&[!gate, a]);
        cnf.add(&[!gate, b]);
        cnf.add(&[gate, !a, !b]);
    }
    let n_clauses = bytes.below(24);
    let n_vars = cnf.n_vars() as u32;
    add_clauses(&mut cnf, &mut bytes, n_clauses, n_vars);
    let mut second = Cnf::new(n_visible);
    let n_second = bytes.below(6);
    add_clauses(&mut second, &mut bytes, n_second, n_visible as u32);
    let mut order: Vec<Lit> = (0..n_primary as u32).map(|v| Var(v).lit(bytes.below(2) == 0)).collect();
    for i in (1..n_visible).rev() {
        order.swap(i, bytes.below(i as u32 + 1) as usize);
    }
    let options = EnumeratorOptions {
        order: order.clone(),
        n_visible,
        heuristic: [Heuristic::Static, Heuristic::Vsids, Heuristic::Adaptive][bytes.below(3) as usize],
        learning: [Learning::Adaptive, Learning::Always, Learning::Never][bytes.below(3) as usize],
        max_learned: bytes.below(4) as usize,
        assumptions: (0..bytes.below(3)).map(|_| Lit(bytes.below(2 * n_visible as u32))).collect(),
        ..EnumeratorOptions::default()
    };

    let assumed = |m: u32| options.assumptions.iter().all(|l| (m >> l.var().0 & 1 != 0) == l.is_pos());
    let all: BTreeSet<u32> = (0..1u32 << cnf.n_vars())
        .filter(|&m| satisfies(&cnf, m) && assumed(m))
        .map(|m| m & ((1 << n_visible) - 1))
        .collect();
    let plain = EnumeratorOptions { assumptions: Vec::new(), ..options.clone() };
    if let Some(mut counter) = Enumerator::new(&cnf, plain).counter() {
        let _ = counter.count(&options.assumptions, u64::from(bytes.below(50)), &Limits::default());
        let counted = counter.count(&options.assumptions, u64::MAX, &Limits::default());
        assert_eq!(counted, Ok(all.len().into()));
    }
    let heuristic = options.heuristic;
    let mut theory = Second { cnf: &second, bytes, n_visible, models: Vec::new(), skipped: Vec::new() };
    let mut solver = Enumerator::new(&cnf, options);
    // A few times what plain backtracking needs: a search that does not end fails.
    solver.set_budget(4 << n_primary);
    assert_eq!(solver.run(&mut theory), Outcome::Exhausted);
    let is_skipped = |m: u32| theory.skipped.iter().any(|&(known, values)| m & known == values);
    let wanted: BTreeSet<u32> =
        all.iter().copied().filter(|&m| satisfies(&second, m) && !is_skipped(m)).collect();
    let found: BTreeSet<u32> = theory.models.iter().copied().collect();
    assert_eq!(found.len(), theory.models.len(), "a model came twice");
    assert_eq!(found, wanted);
    if heuristic == Heuristic::Static {
        let place = |m: u32| -> Vec<bool> {
            order[..n_visible].iter().map(|l| (m >> l.var().0 & 1 != 0) != l.is_pos()).collect()
        };
        assert!(theory.models.is_sorted_by_key(|&m| place(m)), "out of order");
    }
});
