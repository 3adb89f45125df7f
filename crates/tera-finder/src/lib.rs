//! Skolemizes, breaks symmetry, translates, enumerates, interprets: the one place where relations,
//! circuits and SAT meet.
//!
//! ```text
//! Problem -> ground (+ skolemize) -> Grounding { circuit, cells }
//!         -> translate            -> Translation { cnf, cells } -> enumerate / solve / core
//! ```

#[cfg(test)]
mod differential;
pub mod enumerate;
mod facts;
mod interpret;
mod lex_leader;
mod representatives;
mod skolemize;
mod solve;
mod translate;

pub use enumerate::{
    EnumerateOptions, Found, Labelled, Statistics, StrategyChoice, Summary, Symmetry, count, count_labelled,
    enumerate,
};
pub use interpret::interpret;
pub use skolemize::Skolem;
pub use solve::{Answer, SolveOptions, SolverKind, core, solve};
pub use translate::{Cell, Grounding, TranslateOptions, Translation, ground, translate};

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

/// Problems that are legal but that the finder cannot do; each names the node to point at.
#[derive(Clone, PartialEq, Debug)]
pub enum FinderError {
    /// A quantifier over relations that cannot be skolemized.
    HigherOrder(tera_rel::NodeId),
    /// An integer wider than 64 bits.
    TooWide(tera_rel::NodeId),
    /// More cells, gates or tuples than fit.
    TooLarge(String),
    /// A deadline or an interrupt came before the problem was translated.
    Stopped,
}
