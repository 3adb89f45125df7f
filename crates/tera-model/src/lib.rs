//! Resolves modules, names and types, embeds `stdlib/`, and lowers one command and scope to a
//! problem.
//!
//! ```text
//! load(root file) -> Spec            everything that does not depend on a command
//! Spec::lower(command, options) -> Lowered { problem, schema, spans }
//! ```

pub mod contract;

use tera_rel::{NodeId, Overflow, Problem, Schema};
use tera_syntax::ast::CommandKind;
use tera_syntax::{Diagnostic, Sources, Span};

/// Where module texts come from. The command line reads the disk, tests a map.
pub trait Loader {
    /// The text of the file at `path`, or `None` when there is none; `Err` says why it cannot be
    /// read (a directory, not UTF-8, …).
    fn read(&self, path: &std::path::Path) -> Result<Option<String>, String>;
}

/// A resolved and typed specification with its opened modules.
pub struct Spec {
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
    pub commands: Vec<CommandInfo>,
}

/// What is known of a command before it is lowered.
#[derive(Clone, Debug)]
pub struct CommandInfo {
    pub kind: CommandKind,
    /// The label, else the name of its target, else `run$1` and the like.
    pub label: String,
    /// The scope as written, e.g. `for 3 but exactly 2 A`; empty when there is none.
    pub scope: String,
    pub expect: Option<tera_syntax::ast::Expect>,
    pub span: Span,
}

/// What to lower: one command of the file, or what `tera gen` and `tera check` ask for.
#[derive(Clone, Debug)]
pub enum Target {
    Command(usize),
    /// The facts alone.
    Facts,
    /// The facts and the predicate or function of this name, its parameters part of the instance.
    Predicate(String),
    /// The facts and a formula given as text.
    Formula(String),
}

#[derive(Clone, Debug, Default)]
pub struct LowerOptions {
    pub overflow: Overflow,
    /// Replaces the command's scope: text in the grammar of commands after `for`, e.g.
    /// `3 but exactly 2 A` or `3, exactly 4 Node, -2..2 Int`.
    pub scope: Option<String>,
    /// `tera gen`: Int is `0..n` for an overall scope of `n`, unless the scope says otherwise.
    pub korat_ints: bool,
}

/// A problem with what it means to the user.
pub struct Lowered {
    pub problem: Problem,
    pub schema: Schema,
    /// For each of `problem.conjuncts`, where it was written and what it is.
    pub origins: Vec<Origin>,
    /// For nodes that stand for a piece of text, that piece (indexed by [`NodeId`], may be shorter
    /// than the arena): what cores underline and verdicts explain.
    pub spans: Vec<Option<Span>>,
    /// The scope actually used, inferred parts included, for people to read.
    pub scope: String,
    pub warnings: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
pub struct Origin {
    /// `None` for what no text says (an exact scope, say).
    pub span: Option<Span>,
    /// `fact acyclic`, `the multiplicity of Node.next`, …
    pub text: String,
}

impl Lowered {
    pub fn span(&self, node: NodeId) -> Option<Span> {
        self.spans.get(node.0 as usize).copied().flatten()
    }
}

/// Why there is no specification or problem: at least one error, warnings among them, and the
/// sources to show them in.
pub struct Failure {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, resolves and types `path` and all it opens. `include` are further directories to look
/// for modules in.
pub fn load(
    path: &std::path::Path,
    include: &[std::path::PathBuf],
    loader: &dyn Loader,
) -> Result<Box<Spec>, Failure> {
    let _ = (path, include, loader);
    Err(Failure { sources: Sources::default(), diagnostics: Vec::new() })
}

impl Spec {
    pub fn lower(&self, target: &Target, options: &LowerOptions) -> Result<Lowered, Vec<Diagnostic>> {
        let _ = (target, options);
        Err(Vec::new())
    }

    /// Types `text` as an expression or formula over the signatures, fields and parameters of
    /// `lowered` and adds it to its arena: for `tera eval`. Errors point into the pseudo-file of
    /// the returned sources.
    pub fn lower_expression(&self, lowered: &mut Lowered, text: &str) -> Result<NodeId, Failure> {
        let _ = (lowered, text);
        Err(Failure { sources: Sources::default(), diagnostics: Vec::new() })
    }
}
