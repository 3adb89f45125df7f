//! Variables, literals and clauses. Zero-based inside, one-based only in DIMACS.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Var(pub u32);

/// `2 * var + (1 if negative)`
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub u32);

impl Var {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub fn pos(self) -> Lit {
        Lit(self.0 << 1)
    }

    #[allow(clippy::should_implement_trait)]
    pub fn neg(self) -> Lit {
        Lit(self.0 << 1 | 1)
    }

    pub fn lit(self, value: bool) -> Lit {
        Lit(self.0 << 1 | !value as u32)
    }
}

impl Lit {
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    pub fn is_pos(self) -> bool {
        self.0 & 1 == 0
    }

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Clauses in one flat vector.
#[derive(Clone, Default, Debug)]
pub struct Cnf {
    n_vars: u32,
    lits: Vec<Lit>,
    /// `ends[i]` is where clause `i` ends in `lits`.
    ends: Vec<u32>,
}

impl Cnf {
    pub fn new(n_vars: usize) -> Cnf {
        Cnf { n_vars: n_vars as u32, ..Cnf::default() }
    }

    pub fn fresh_var(&mut self) -> Var {
        self.n_vars += 1;
        Var(self.n_vars - 1)
    }

    /// Makes variables below `n_vars` exist.
    pub fn reserve_vars(&mut self, n_vars: usize) {
        self.n_vars = self.n_vars.max(n_vars as u32);
    }

    pub fn n_vars(&self) -> usize {
        self.n_vars as usize
    }

    pub fn n_clauses(&self) -> usize {
        self.ends.len()
    }

    /// Every variable must exist already.
    pub fn add(&mut self, clause: &[Lit]) {
        debug_assert!(clause.iter().all(|l| l.var().0 < self.n_vars));
        self.lits.extend_from_slice(clause);
        self.ends.push(self.lits.len() as u32);
    }

    pub fn clause(&self, i: usize) -> &[Lit] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.lits[start..self.ends[i] as usize]
    }

    pub fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        (0..self.n_clauses()).map(|i| self.clause(i))
    }
}
