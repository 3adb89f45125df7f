//! Where a formula stands: what the Analyzer's "prevent overflows" and its skolemizer ask about the
//! nodes above.
//!
//! Under [`Overflow::Forbid`](crate::Overflow::Forbid) an atomic formula with an overflow inside is
//! false, except that it is *ignored* (true) when the overflow comes from a universally quantified
//! integer; under a `not` both are meant of the negation (Milicevic and Jackson 2012). What counts
//! as universal is a matter of the quantifiers between the root and the formula, of the `not`s above
//! those, and of skolemization: a variable that became a Skolem function speaks for the universal
//! variables that it depends on. The rules here are those of the Analyzer with Skolem depth 1, its
//! surprises included.
//!
//! A walk over a formula keeps a [`Context`], changes it on the way down and puts it back on the
//! way up ([`Context::save`], [`Context::restore`]).

use crate::formula::{Quant, VarId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binder {
    Universal,
    Existential,
    /// Comprehensions and sums
    Neutral,
    /// Replaced by a function of the first so many universal variables.
    Skolem(usize),
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Context {
    negated: bool,
    skolem_negated: bool,
    skolemizable: bool,
    skolem_depth: usize,
    /// Quantified variables that skolemization leaves, as arguments of Skolem functions.
    universals: Vec<VarId>,
    /// Variable, what binds it, whether its domain is `Int`.
    scope: Vec<(VarId, Binder, bool)>,
}

/// What [`Context::restore`] goes back to.
#[derive(Clone, Copy, Debug)]
pub struct Saved {
    negated: bool,
    skolem_negated: bool,
    skolemizable: bool,
    n_universals: usize,
    n_scope: usize,
}

impl Default for Context {
    fn default() -> Context {
        Context::new(1)
    }
}

impl Context {
    /// The context of a conjunct. An existential is skolemized under at most `skolem_depth`
    /// universal variables.
    pub fn new(skolem_depth: usize) -> Context {
        Context {
            negated: false,
            skolem_negated: false,
            skolemizable: true,
            skolem_depth,
            universals: Vec::new(),
            scope: Vec::new(),
        }
    }

    pub fn save(&self) -> Saved {
        Saved {
            negated: self.negated,
            skolem_negated: self.skolem_negated,
            skolemizable: self.skolemizable,
            n_universals: self.universals.len(),
            n_scope: self.scope.len(),
        }
    }

    pub fn restore(&mut self, saved: Saved) {
        self.negated = saved.negated;
        self.skolem_negated = saved.skolem_negated;
        self.skolemizable = saved.skolemizable;
        self.universals.truncate(saved.n_universals);
        self.scope.truncate(saved.n_scope);
    }

    /// Whether an odd number of `not`s is above.
    pub fn is_negated(&self) -> bool {
        self.negated
    }

    pub fn enter_not(&mut self) {
        self.negated = !self.negated;
        self.skolem_negated = !self.skolem_negated;
    }

    pub fn enter_and(&mut self) {
        self.skolemizable &= !self.skolem_negated;
    }

    pub fn enter_or(&mut self) {
        self.skolemizable &= self.skolem_negated;
    }

    /// The premise of an implication. For the conclusion see [`Context::enter_or`].
    pub fn enter_premise(&mut self) {
        self.skolemizable &= self.skolem_negated;
        self.skolem_negated = !self.skolem_negated;
    }

    /// A place of both polarities, or below an atomic formula.
    pub fn enter_opaque(&mut self) {
        self.skolemizable = false;
    }

    /// Whether a quantifier here is existential and may be skolemized.
    pub fn is_skolemizable(&self, quant: Quant) -> bool {
        self.skolemizable && (quant == Quant::Some) != self.skolem_negated
    }

    /// Whether an existential here speaks of one choice for the whole instance: no universal
    /// variable, disjunction or condition is above it.
    pub fn is_outermost(&self) -> bool {
        self.skolemizable && self.universals.is_empty()
    }

    /// A quantifier over `vars`, each with whether its domain is `Int`.
    pub fn enter_quantifier(&mut self, quant: Quant, vars: impl Iterator<Item = (VarId, bool)> + Clone) {
        if self.is_skolemizable(quant) {
            let binder = Binder::Skolem(self.universals.len());
            self.scope.extend(vars.map(|(var, is_int)| (var, binder, is_int)));
            return;
        }
        let universal = (quant == Quant::All) != self.negated;
        let binder = if universal { Binder::Universal } else { Binder::Existential };
        let n = vars.clone().count();
        if self.skolemizable && self.universals.len() + n <= self.skolem_depth {
            self.universals.extend(vars.clone().map(|(var, _)| var));
        } else {
            self.skolemizable = false;
        }
        self.scope.extend(vars.map(|(var, is_int)| (var, binder, is_int)));
    }

    /// A comprehension or a sum: its body stands under no `not`.
    pub fn enter_comprehension(&mut self, vars: impl Iterator<Item = (VarId, bool)>) {
        self.negated = false;
        self.skolemizable = false;
        self.scope.extend(vars.map(|(var, is_int)| (var, Binder::Neutral, is_int)));
    }

    /// Whether an integer that mentions `vars` counts as universally quantified: the innermost
    /// binder of an integer among them decides.
    pub fn is_universal(&self, vars: &[VarId]) -> bool {
        let mentions = |wanted: VarId| {
            vars.iter().any(|&var| match self.scope.iter().rev().find(|entry| entry.0 == var) {
                Some((_, Binder::Skolem(n), _)) => self.universals[..*n].contains(&wanted),
                _ => var == wanted,
            })
        };
        for &(var, binder, is_int) in self.scope.iter().rev() {
            if is_int && !matches!(binder, Binder::Skolem(_)) && mentions(var) {
                return binder == Binder::Universal;
            }
        }
        false
    }
}
