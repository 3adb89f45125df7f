//! What the passes over formulas, relations and integers share.

use super::build::{Build, Form, Level, Num, Rel};
use crate::formula::{Arena, NodeId, VarId};
use crate::problem::Problem;

/// By node what it has become; inside, `None` for what cannot be lifted.
type Memo<T> = Vec<Option<Option<T>>>;

pub struct Lift<'a> {
    pub problem: &'a Problem,
    pub arena: &'a Arena,
    pub n: usize,
    pub build: Build,
    /// By variable.
    pub levels: Vec<Level>,
    pub forms: Memo<Form>,
    pub rels: Memo<Rel>,
    pub nums: Memo<Num>,
}

impl<'a> Lift<'a> {
    pub fn new(problem: &'a Problem) -> Lift<'a> {
        let arena = &problem.arena;
        let (levels, n_levels) = levels(arena);
        Lift {
            problem,
            arena,
            n: problem.universe.len(),
            build: Build::new(problem, n_levels as usize),
            levels,
            forms: vec![None; arena.len()],
            rels: vec![None; arena.len()],
            nums: vec![None; arena.len()],
        }
    }
}

/// Numbers the variables from the outside in: parents have larger ids than their children.
fn levels(arena: &Arena) -> (Vec<Level>, Level) {
    let mut levels = vec![Level::MAX; arena.n_vars()];
    let mut next = 0;
    for i in (0..arena.len()).rev() {
        for decl in arena.node(NodeId(i as u32)).decls() {
            let VarId(var) = decl.var;
            levels[var as usize] = next;
            next += 1;
        }
    }
    (levels, next)
}
