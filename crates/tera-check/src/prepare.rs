//! From a contract and the types of its subject to what parent and workers need: the problem whose
//! instances are the inputs, and which bit of an input is which tuple.
//!
//! Parent and workers prepare by themselves from the same text; that costs milliseconds, and
//! nothing but bits has to travel between them.

use std::path::{Path, PathBuf};

use tera_heap::{Abstraction, Binding, Describer, Shape, TypeGraph, declaration};
use tera_model::contract::{ContractParam, ContractText};
use tera_model::{Failure, Loader, LowerOptions, Lowered, Origin, Spec};
use tera_rel::{Instance, Problem, RelId, Schema};
use tera_syntax::{Diagnostic, Sources};

use crate::contract::Contract;
use crate::inputs::Layout;
use crate::reach;
use crate::subject::{Arguments, Passing, Subject};

/// A contract ready to generate inputs.
pub struct Prepared {
    pub spec: Box<Spec>,
    /// The arguments and, last, the result if it has anything to say.
    pub graph: TypeGraph,
    pub params: Vec<ContractParam>,
    pub text: ContractText,
    pub options: LowerOptions,
    pub lowered: Lowered,
    pub layout: Layout,
    /// The relations that the Rust types have; everything else exists in the specification only.
    pub mapped: Vec<RelId>,
    /// The types bound to the problem of the inputs.
    pub binding: Binding,
    pub passing: &'static [Passing],
    pub n_args: usize,
}

/// Why a contract cannot be checked: a text for the user that says where and how to mend it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake(pub String);

impl From<Failure> for Mistake {
    fn from(failure: Failure) -> Mistake {
        Mistake::new(&failure.diagnostics, &failure.sources)
    }
}

impl Mistake {
    pub(crate) fn new(diagnostics: &[Diagnostic], sources: &Sources) -> Mistake {
        Mistake(tera_syntax::report::render(diagnostics, sources, false))
    }
}

impl Prepared {
    pub fn new<S: Subject>(contract: &Contract) -> Result<Prepared, Mistake> {
        let n_args = S::Args::LEN;
        let names = names::<S>(contract)?;
        let mut describer = Describer::new();
        S::Args::describe(&names, &mut describer);
        describer.root::<S::Output>(contract.result.as_str());
        let mut graph = describer.finish();
        let speaks_of_result = [&contract.ensures, &contract.invariant]
            .iter()
            .any(|formula| mentions(formula, &contract.result));
        if graph.roots[n_args].shape.columns() == 0 || !speaks_of_result {
            graph.roots.truncate(n_args);
        }
        let spec = load(contract, &graph)?;
        let params = params::<S>(&graph, n_args);
        let text = ContractText {
            requires: contract.requires.clone(),
            ensures: contract.ensures.clone(),
            invariant: contract.invariant.clone(),
        };
        let options = LowerOptions {
            scope: Some(contract.scope.clone().unwrap_or_else(|| "3".into())),
            korat_ints: true,
            ..LowerOptions::default()
        };
        let mut lowered = spec.lower_precondition(&params, &text, &options)?;
        forget_reach(&mut lowered);
        let arguments = TypeGraph { roots: graph.roots[..n_args].to_vec(), ..graph.clone() };
        let binding = bind(arguments, &lowered.problem, &lowered.schema)?;
        reach::add_facts(&binding, &lowered.schema, &mut lowered.problem);
        let by_types = Origin { span: None, text: "what the Rust types say".into() };
        lowered.origins.resize(lowered.problem.conjuncts.len(), by_types);
        let mapped = binding.relations();
        let layout = Layout::new(&lowered.problem, |rel| mapped.contains(&rel));
        Ok(Prepared {
            spec,
            graph,
            params,
            text,
            options,
            lowered,
            layout,
            mapped,
            binding,
            passing: S::PASSING,
            n_args,
        })
    }
}

impl Prepared {
    /// What is in every input.
    pub fn start(&self) -> Instance {
        Instance { values: self.lowered.problem.relations.iter().map(|r| r.lower.clone()).collect() }
    }
}

/// The model says that everything is reachable through the fields of the specification. What the
/// types say implies it and is all that is needed: [`reach`] knows which fields they have.
fn forget_reach(lowered: &mut Lowered) {
    let is_kept = |origin: &Origin| !origin.text.ends_with("is reachable from the parameters");
    let kept: Vec<bool> = lowered.origins.iter().map(is_kept).collect();
    let mut keep = kept.iter();
    lowered.problem.conjuncts.retain(|_| *keep.next().unwrap_or(&true));
    lowered.origins.retain(is_kept);
}

/// Whether the name, or one much like it, stands in the formula as a word.
fn mentions(formula: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let words = formula.split(|c| !is_part(c)).map(|word| word.trim_end_matches('\''));
    // A slip of the fingers means it too: then the name is there to be suggested.
    words
        .filter(|word| !word.is_empty())
        .any(|word| word == name || tera_syntax::suggest(word, [name]).is_some())
}

fn names<S: Subject>(contract: &Contract) -> Result<Vec<&str>, Mistake> {
    let names: Vec<&str> = match S::NAMES {
        [] => contract.names.iter().map(String::as_str).collect(),
        names => names.to_vec(),
    };
    if names.len() != S::Args::LEN {
        return Err(Mistake(format!(
            "error: the contract names {} arguments, but its subject has {}; name them with `.arguments(&[…])`",
            names.len(),
            S::Args::LEN
        )));
    }
    Ok(names)
}

/// Binds types to relations; all that does not fit is told at once.
pub fn bind(graph: TypeGraph, problem: &Problem, schema: &Schema) -> Result<Binding, Mistake> {
    Binding::new(graph, problem, schema).map_err(|errors| {
        let lines: Vec<String> = errors.iter().map(|error| format!("error: {error}")).collect();
        Mistake(lines.join("\n"))
    })
}

fn params<S: Subject>(graph: &TypeGraph, n_args: usize) -> Vec<ContractParam> {
    let param = |(i, root): (usize, &tera_heap::RootDesc)| ContractParam {
        name: root.label.clone(),
        bound: declaration(graph, &root.shape),
        is_result: i >= n_args,
        changes: i < n_args && S::PASSING[i] == Passing::Mutable && !is_object(&root.shape),
    };
    graph.roots.iter().enumerate().map(param).collect()
}

/// Whether an argument of this shape is one object, the same before and after the call.
fn is_object(shape: &Shape) -> bool {
    matches!(shape, Shape::Object(_))
}

/// Reads the specification of the contract: a file, a text, or the bare declarations of the types.
fn load(contract: &Contract, graph: &TypeGraph) -> Result<Box<Spec>, Mistake> {
    let spec = contract.spec.as_str();
    if is_text(spec) {
        let loader = Disk { root: Some(spec.to_owned()) };
        return Ok(tera_model::load(Path::new("contract.als"), &contract.bases, &loader)?);
    }
    if spec.is_empty() {
        let loader = Disk { root: Some(declarations(graph)) };
        return Ok(tera_model::load(Path::new("types.als"), &contract.bases, &loader)?);
    }
    let loader = Disk { root: None };
    Ok(tera_model::load(&find(spec, &contract.bases)?, &contract.bases, &loader)?)
}

/// Whether this is a specification rather than its path.
fn is_text(spec: &str) -> bool {
    spec.contains('\n') || spec.contains("sig ")
}

fn find(spec: &str, bases: &[PathBuf]) -> Result<PathBuf, Mistake> {
    let places: Vec<PathBuf> = bases.iter().map(|base| base.join(spec)).collect();
    match places.iter().find(|place| place.is_file()) {
        Some(place) => Ok(shorten(place)),
        None => {
            let places: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
            Err(Mistake(format!(
                "error: there is no specification `{spec}`; looked for {}",
                places.join(" and ")
            )))
        }
    }
}

/// Relative to the current directory where that is shorter: what messages show.
fn shorten(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).map_or_else(|_| path.to_path_buf(), Path::to_path_buf)
}

/// The signatures as the Rust types alone give them, for contracts that need no more.
fn declarations(graph: &TypeGraph) -> String {
    let mut text = String::from("open util/boolean\n");
    for ty in &graph.types {
        let head = if ty.is_enum { "abstract sig" } else { "sig" };
        let fields = |variant: &tera_heap::VariantDesc| {
            let fields: Vec<String> = (variant.fields.iter())
                .filter(|field| field.shape.columns() > 0)
                .map(|field| format!("{}: {}", field.label, declaration(graph, &field.shape)))
                .collect();
            fields.join(", ")
        };
        if !ty.is_enum {
            text +=
                &format!("{head} {} {{ {} }}\n", ty.sig, ty.variants.first().map(fields).unwrap_or_default());
            continue;
        }
        text += &format!("{head} {} {{}}\n", ty.sig);
        for variant in &ty.variants {
            let one = if variant.fields.is_empty() { "one " } else { "" };
            text += &format!("{one}sig {} extends {} {{ {} }}\n", variant.sig, ty.sig, fields(variant));
        }
    }
    text
}

/// Modules from the disk, and perhaps a root that is no file.
struct Disk {
    root: Option<String>,
}

impl Loader for Disk {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        if let Some(root) = &self.root
            && (path == Path::new("contract.als") || path == Path::new("types.als"))
        {
            return Ok(Some(root.clone()));
        }
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// So that `()` can be the output of subjects that give nothing.
const _: fn() = || {
    fn is_output<T: Abstraction>() {}
    is_output::<()>();
};
