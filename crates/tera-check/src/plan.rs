//! What a contract is going to be checked on, in words: what `tera check --explain` shows.

use std::fmt::Write;

use tera_finder::EnumerateOptions;
use tera_heap::{FactKind, ownership_facts};
use tera_model::Origin;
use tera_rel::{AtomKind, Problem};

use crate::contract::Contract;
use crate::inputs::{self, Request};
use crate::oracle::{Oracle, first_widening};
use crate::prepare::{Mistake, Prepared};
use crate::report::thousands;
use crate::subject::Passing;

/// Inputs that are counted at most.
const COUNTED: u64 = 1_000_000;

/// Everything that is known before the first input runs.
pub fn explain(contract: &Contract, prepared: &Prepared) -> Result<String, Mistake> {
    let mut out = Lines::new(&contract.name, &contract.place);
    let lowered = &prepared.lowered;
    let problem = &lowered.problem;
    for (i, param) in prepared.params[..prepared.n_args].iter().enumerate() {
        let how = match prepared.passing[i] {
            Passing::Value => "by value",
            Passing::Shared => "by reference",
            Passing::Mutable => "by mutable reference",
        };
        out.line(if i == 0 { "arguments" } else { "" }, &format!("{}: {}, {how}", param.name, param.bound));
    }
    out.line("engine", "the finder: one instance of each isomorphism class of the precondition");
    out.line("scope", &lowered.scope);
    out.line("universe", &universe(problem));
    let request = Request { lowered, layout: &prepared.layout, shard: None, deadline: None };
    let count = match inputs::count(&request, COUNTED) {
        Some(count) => thousands(count),
        None => format!("more than {}", thousands(COUNTED)),
    };
    out.line("inputs", &count);
    let mut by_types = problem.clone();
    let facts = ownership_facts(&prepared.binding, &mut by_types);
    let facts: Vec<String> = (facts.iter())
        .filter(|fact| fact.kind != FactKind::Multiplicity)
        .map(|fact| format!("{} (because {})", fact.text, fact.reason))
        .collect();
    out.list("the types say", &facts);
    out.list("required", &formulas(&lowered.origins));
    let oracle = Oracle::new(prepared, first_widening(prepared))?;
    out.list("judged", &formulas(&oracle.post.origins));
    out.line(
        "order",
        "by the number of objects; up to 4,096 inputs of one size are listed as a reader would, from the arguments on",
    );
    out.line("decided", &decided(prepared));
    let options = EnumerateOptions { limit: Some(1), ..EnumerateOptions::default() };
    if let Ok(summary) =
        tera_finder::enumerate(problem, &options, &mut |_| std::ops::ControlFlow::Continue(()))
    {
        out.line("strategy", &summary.strategy);
        out.line(
            "size",
            &format!(
                "{} open cells, {} clauses",
                prepared.layout.cells.len(),
                thousands(summary.statistics.clauses)
            ),
        );
    }
    Ok(out.text)
}

/// Objects by name, integers by range.
fn universe(problem: &Problem) -> String {
    let ints = problem.universe.ints();
    let others: Vec<&str> = (problem.universe.atoms())
        .filter(|(_, atom)| !matches!(atom.kind, AtomKind::Int(_)))
        .map(|(_, atom)| atom.name.as_str())
        .collect();
    let mut text = format!("{} atoms: {}", problem.universe.len(), others.join(", ").replace('$', ""));
    if let [(first, _), .., (last, _)] = ints {
        let _ = write!(text, "; Int {first}..{last}");
    }
    text
}

/// The relations with open cells, as many as each has.
fn decided(prepared: &Prepared) -> String {
    let problem = &prepared.lowered.problem;
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (rel, _) in &prepared.layout.cells {
        let name = problem.relation(*rel).name.trim_start_matches("$contract_");
        match counts.last_mut() {
            Some((last, n)) if *last == name => *n += 1,
            _ => counts.push((name, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(name, n)| format!("{name} ({n} cells)")).collect();
    counts.join(", ")
}

/// The conjuncts as the contract and the facts have them, each once; what declarations and types imply is
/// said elsewhere.
fn formulas(origins: &[Origin]) -> Vec<String> {
    let implied = [
        "the range of ",
        "the multiplicity of ",
        "the declaration of the parameter ",
        "what the Rust types say",
    ];
    let is_said = |origin: &&Origin| !implied.iter().any(|begin| origin.text.starts_with(begin));
    let mut texts: Vec<String> = Vec::new();
    for origin in origins.iter().filter(is_said) {
        if !texts.contains(&origin.text) {
            texts.push(origin.text.clone());
        }
    }
    texts
}

/// Lines with names in front.
pub struct Lines {
    pub text: String,
}

impl Lines {
    pub fn new(name: &str, place: &str) -> Lines {
        Lines { text: format!("{name}  {place}\n").replace("  \n", "\n") }
    }

    pub fn line(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.text, "    {name:<13} {text}");
    }

    pub fn list(&mut self, name: &str, items: &[String]) {
        if items.is_empty() {
            self.line(name, "nothing");
        }
        for (i, item) in items.iter().enumerate() {
            self.line(if i == 0 { name } else { "" }, item);
        }
    }
}
