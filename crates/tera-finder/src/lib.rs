//! Skolemizes, breaks symmetry, translates, enumerates, interprets: the one place where relations,
//! circuits and SAT meet.
//!
//! ```text
//! Problem -> skolemize -> translate -> Translation { cnf, cells } -> enumerate / solve / core
//! ```

pub mod enumerate;

pub use enumerate::{
    EnumerateOptions, Found, Statistics, StrategyChoice, Summary, Symmetry, count, enumerate,
};

use tera_rel::{Instance, Problem, RelId};
use tera_sat::Cnf;

/// One primary variable: a tuple that a relation may or may not have. Variable `i` of the CNF is
/// cell `i`; cells of visible relations come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    pub rel: RelId,
    /// Row-major index of the tuple.
    pub tuple: u64,
}

/// A problem as clauses, and the way back.
#[derive(Clone, Debug)]
pub struct Translation {
    pub cnf: Cnf,
    pub cells: Vec<Cell>,
    /// How many of `cells` belong to visible relations; the others (Skolem relations) are decided
    /// by the search and projected away.
    pub n_visible: usize,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything in scope was seen.
    Exhausted,
    /// The requested number of instances was reached.
    Limit,
    Timeout,
    Interrupted,
}

/// The outcome of one satisfiability question.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Sat(Instance),
    Unsat,
    Unknown(Verdict),
}

/// Problems that are legal but that the finder cannot do; each names the node to point at.
#[derive(Clone, PartialEq, Debug)]
pub enum FinderError {
    /// A quantifier over relations that cannot be skolemized.
    HigherOrder(tera_rel::NodeId),
    /// An integer wider than 64 bits.
    TooWide(tera_rel::NodeId),
    /// More cells, gates or tuples than fit.
    TooLarge(String),
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

/// Is there an instance?
pub fn solve(problem: &Problem, options: &SolveOptions) -> Result<Answer, FinderError> {
    let _ = (problem, options);
    Err(FinderError::TooLarge("not built".into()))
}

/// For an unsatisfiable problem, the indices of a minimal set of conjuncts that cannot hold together.
pub fn core(problem: &Problem, options: &SolveOptions) -> Result<Vec<usize>, FinderError> {
    let _ = (problem, options);
    Err(FinderError::TooLarge("not built".into()))
}
