//! Resolves modules, names and types, embeds `stdlib/`, and lowers one command and scope to a
//! problem.
//!
//! ```text
//! load(root file) -> Spec            everything that does not depend on a command
//!   modules  -> declare -> check, relevance      files, declarations, typed expressions
//! Spec::lower(command, options) -> Lowered { problem, schema, spans }
//!   scope -> bounds -> lower, quantify -> facts  numbers, relations, formulas, conjuncts
//! ```
//!
//! Expressions are typed as the Analyzer does it: bounding types bottom-up ([`build`]), then
//! relevance top-down, which resolves overloading ([`relevance`]). Passes recurse as deep as the tree
//! is ([`tera_syntax::MAX_DEPTH`]), and lowering as deep as calls nest beside that: callers run
//! [`load`] and [`Spec::lower`] on a thread with [`STACK_SIZE`] bytes of stack.

mod bounds;
mod build;
mod check;
mod command;
pub mod contract;
mod declare;
mod eval;
mod facts;
mod limits;
mod lower;
mod meta;
mod modules;
mod names;
mod needs;
mod order;
mod quantify;
mod relevance;
mod rooted;
mod scope;
mod stdlib;
mod tree;
mod types;
mod world;

use tera_rel::{NodeId, Overflow, Problem, Schema};
use tera_syntax::ast::{self, CommandKind, CommandTarget};
use tera_syntax::{Diagnostic, Sources, Span};

use command::{Task, What};
use world::{Goal, World};

/// The stack that [`load`] and [`Spec::lower`] may need.
pub const STACK_SIZE: usize = 512 << 20;

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
    world: World,
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
    /// The sizes to try until one has a counterexample: more than one for a `check` whose scope
    /// grows (`for 1..5 A`). A `run` has its first size: the Analyzer would go on to grow the
    /// instance found there.
    pub n_sizes: u64,
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
    /// How many increments scopes that grow (`1..5 A`) have had; the last size repeats.
    pub growth: u64,
    /// No heap object outside what the parameters of the predicate reach; enums, ordered and `one`
    /// signatures keep their atoms.
    pub rooted: bool,
    /// No atom is fixed by a bound: children of a signature may have any of its atoms, and orders are
    /// searched. It has the same classes, and all their labelled instances: for counts that must not
    /// rest on what bounds take for granted. Enums keep their atoms, which have names.
    pub unfixed: bool,
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
    /// By variable of the arena: its name in the source (may be empty or shorter), for witnesses.
    pub var_names: Vec<String>,
    context: eval::Context,
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
#[derive(Debug)]
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
    let mut world = modules::load_modules(path, include, loader);
    if !world.diagnostics.iter().any(Diagnostic::is_error) {
        declare::resolve_world(&mut world);
    }
    let diagnostics = in_order(std::mem::take(&mut world.diagnostics));
    let sources = world.sources.clone();
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(Failure { sources, diagnostics });
    }
    let commands =
        world.root_commands().iter().enumerate().map(|(i, c)| command_info(&world, i, c)).collect();
    Ok(Box::new(Spec { sources, warnings: diagnostics, commands, world }))
}

/// By place, without repetitions (a module that is opened twice says everything twice).
fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by(|a, b| (a.span, a.severity, &a.message).cmp(&(b.span, b.severity, &b.message)));
    diagnostics.dedup_by(|a, b| a.span == b.span && a.message == b.message);
    diagnostics
}

fn command_info(world: &World, index: usize, command: &ast::Command) -> CommandInfo {
    let label = match (&command.label, &command.target) {
        (Some(label), _) => world.text(label.symbol).to_string(),
        (None, CommandTarget::Name(name)) => world.text(name.symbol).to_string(),
        (None, CommandTarget::Block(_)) => match command.kind {
            CommandKind::Run => format!("run${}", index + 1),
            CommandKind::Check => format!("check${}", index + 1),
        },
    };
    let scope = command.scope.span.map_or(String::new(), |span| {
        let text = world.sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ");
        if text.starts_with("for ") { text } else { format!("for {text}") }
    });
    let n_sizes = match command.kind {
        CommandKind::Run => 1,
        CommandKind::Check => command.scope.entries.iter().map(|e| e.n_sizes()).max().unwrap_or(1),
    };
    CommandInfo { kind: command.kind, label, scope, expect: command.expect, n_sizes, span: command.span }
}

impl Spec {
    /// Whether the specification declares anything that changes (`var`): then contracts are read in
    /// the style of Alloy 6.
    pub fn has_var(&self) -> bool {
        self.world.temporal_construct().is_some()
    }

    /// Errors may point into the texts of `target` and `options`, which the sources of the failure
    /// name after the options of the command line (`--scope`, `--pred`).
    pub fn lower(&self, target: &Target, options: &LowerOptions) -> Result<Lowered, Failure> {
        let has_text = matches!(target, Target::Formula(_) | Target::Predicate(_)) || options.scope.is_some();
        if !has_text {
            return self.lower_in(&self.world, target, options, None).map_err(|diagnostics| Failure {
                sources: self.sources.clone(),
                diagnostics: in_order(diagnostics),
            });
        }
        let mut world = self.world.clone();
        self.lower_texts(&mut world, target, options)
            .map_err(|diagnostics| Failure { sources: world.sources, diagnostics: in_order(diagnostics) })
    }

    fn lower_texts(
        &self,
        world: &mut World,
        target: &Target,
        options: &LowerOptions,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let scope = match &options.scope {
            Some(text) => Some(parse_scope(world, text)?),
            None => None,
        };
        match target {
            Target::Formula(text) => {
                let Some((id, _)) = eval::type_text(world, "<formula>", text, &[], true) else {
                    return Err(std::mem::take(&mut world.diagnostics));
                };
                let scope = scope.unwrap_or_default();
                self.lower_what(world, What::Formula(id), &scope, Span::default(), options)
            }
            Target::Predicate(name) => {
                let span = Span { file: world.sources.add("--pred", name), start: 0, end: name.len() as u32 };
                let name = ast::Name { symbol: world.interner.intern(name), span };
                let Goal::Run(func) = world.find_goal(name, CommandKind::Run) else {
                    return Err(std::mem::take(&mut world.diagnostics));
                };
                let place = world.funcs[func.index()].span;
                self.lower_what(world, What::Run(func), &scope.unwrap_or_default(), place, options)
            }
            _ => self.lower_in(world, target, options, scope),
        }
    }

    fn lower_in(
        &self,
        world: &World,
        target: &Target,
        options: &LowerOptions,
        scope: Option<ast::Scope>,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        let (what, own_scope, place) = match target {
            Target::Facts => (What::Facts, ast::Scope::default(), Span::default()),
            Target::Command(index) => {
                let commands = world.root_commands();
                let Some(command) = commands.get(*index) else {
                    let message = format!("there is no command {index}: the file has {}", commands.len());
                    return Err(vec![Diagnostic::error(Span::default(), message)]);
                };
                let what = match world.goals.get(*index) {
                    Some(Goal::Run(func)) => What::Run(*func),
                    Some(Goal::Check(assert)) => What::Check(*assert),
                    _ => {
                        return Err(vec![Diagnostic::error(
                            command.span,
                            "the goal of this command is not known",
                        )]);
                    }
                };
                (what, command.scope.clone(), command.scope.span.unwrap_or(command.span))
            }
            Target::Predicate(_) | Target::Formula(_) => unreachable!("these bring a text"),
        };
        let scope = scope.unwrap_or(own_scope);
        self.lower_what(world, what, &scope, place, options)
    }

    fn lower_what(
        &self,
        world: &World,
        what: What,
        scope: &ast::Scope,
        place: Span,
        options: &LowerOptions,
    ) -> Result<Lowered, Vec<Diagnostic>> {
        command::lower(world, &Task { what, scope, place, options })
    }

    /// Types `text` as an expression or formula over the signatures, fields, parameters and atoms of
    /// `lowered` and adds it to its arena: for `tera eval`. Errors point into the pseudo-file of
    /// the returned sources.
    pub fn lower_expression(&self, lowered: &mut Lowered, text: &str) -> Result<NodeId, Failure> {
        let mut world = self.world.clone();
        eval::lower_expression(&mut world, lowered, text)
    }
}

/// The text behind `--scope`; its errors point into it.
fn parse_scope(world: &mut World, text: &str) -> Result<ast::Scope, Vec<Diagnostic>> {
    let source = world.sources.add("--scope", text);
    let (scope, diagnostics) = tera_syntax::parse_scope(source, text, &mut world.interner);
    if diagnostics.iter().any(Diagnostic::is_error) { Err(diagnostics) } else { Ok(scope) }
}
