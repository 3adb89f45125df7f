//! `tera eval`: evaluates an expression in an instance, also in a saved one.
//!
//! A saved instance has names; the expression speaks of a problem. So the specification is lowered in
//! a scope just large enough for the saved atoms, and the values are carried over by name.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value as Json, json};
use tera_finder::{Answer, SolveOptions};
use tera_model::Lowered;
use tera_rel::{AtomId, AtomKind, EvalError, Evaluator, Instance, RelId, SigKind, TupleSet, Universe, Value};
use tera_syntax::{Diagnostic, FileId, Span};
use tera_view::{Names, Saved};

use crate::args::SpecArgs;
use crate::console::Out;
use crate::diagnostics::{Style, show};
use crate::exit::{Exit, Stop};
use crate::front::Front;
use crate::generate::subject;
use crate::view::read_saved_text;

#[derive(Args, Debug)]
pub struct EvalArgs {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// An expression or formula over the signatures and fields of the specification
    pub expression: String,
    /// A saved instance: tera's JSON or the Analyzer's XML; without it, an instance that tera finds
    #[arg(long, value_name = "FILE")]
    pub instance: Option<PathBuf>,
    /// Of several saved instances the one with this number
    #[arg(long, value_name = "N", requires = "instance")]
    pub index: Option<u64>,
    /// The predicate or function whose parameters the expression may use
    #[arg(long, value_name = "NAME")]
    pub pred: Option<String>,
    /// The scope of the instance to find
    #[arg(long, value_name = "SCOPE", conflicts_with = "instance")]
    pub scope: Option<String>,
    /// Print the value as a line of JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: EvalArgs) -> Result<Exit, Stop> {
    let mut out = Out::new();
    let style = if args.json { Style::Json } else { Style::Drawn };
    let front = Front::load(&mut out, &args.spec, style)?;
    let subject = subject(&front, args.pred.as_deref());
    let saved = args.instance.as_ref().map(|path| saved_instance(path, args.index)).transpose()?;
    let scope = saved.as_ref().map(scope_of).or(args.scope.clone());
    let mut lowered = subject.lower(&mut out, &front, scope.as_deref())?;
    let instance = match &saved {
        Some(saved) => carry_over(saved, &lowered)?,
        None => match tera_finder::solve(&lowered.problem, &SolveOptions::default()) {
            Ok(Answer::Sat(instance)) => instance,
            Ok(_) => {
                return Err(Stop::message(format!("{} has no instance: {}", subject.name, lowered.scope)));
            }
            Err(error) => {
                front.finder_error(&mut out, &lowered, subject.span, &error)?;
                return Ok(Exit::Mistake);
            }
        },
    };
    let node = match front.spec.lower_expression(&mut lowered, &args.expression) {
        Ok(node) => node,
        Err(failure) => {
            show(&mut out, style, &failure.sources, &failure.diagnostics)?;
            out.flush()?;
            return Ok(Exit::Mistake);
        }
    };
    let mut evaluator = Evaluator::with_roots(&lowered.problem, &[node]);
    evaluator.load(&instance);
    let names = Names::new(&lowered.problem.universe, &lowered.schema);
    match evaluator.value(node) {
        Ok(value) if args.json => out.json(&value_json(&value, &lowered.problem.universe))?,
        Ok(value) => out.line(&value_text(&value, &names))?,
        Err(error) => {
            let place = Span::new(FileId(0), 0, 0);
            let diagnostic = eval_diagnostic(&error, &lowered, place);
            show(&mut out, style, &front.spec.sources, &[diagnostic])?;
            out.flush()?;
            return Ok(Exit::Mistake);
        }
    }
    out.flush()?;
    Ok(Exit::Expected)
}

/// What the evaluator could not do, for people.
pub fn eval_diagnostic(error: &EvalError, lowered: &Lowered, place: Span) -> Diagnostic {
    match error {
        EvalError::TooWide(node) => {
            Diagnostic::error(lowered.span(*node).unwrap_or(place), "this integer needs more than 64 bits")
        }
        EvalError::TooLarge(node) => {
            Diagnostic::error(lowered.span(*node).unwrap_or(place), "this is too large to evaluate")
        }
    }
}

fn saved_instance(path: &std::path::Path, index: Option<u64>) -> Result<Saved, Stop> {
    let text = read_saved_text(path)?;
    for (place, saved) in tera_view::Reader::new(&text).enumerate() {
        let saved = saved.map_err(|e| Stop::message(format!("{}: {e}", path.display())))?;
        if index.is_none_or(|wanted| saved.index.unwrap_or(place as u64) == wanted) {
            return Ok(saved);
        }
    }
    Err(Stop::message(match index {
        Some(index) => format!("there is no instance {index} in {}", path.display()),
        None => format!("there is no instance in {}", path.display()),
    }))
}

/// A scope in which the saved atoms are just those that exist.
fn scope_of(saved: &Saved) -> String {
    let mut most = 0;
    let mut parts = Vec::new();
    for sig in saved.schema.sigs.iter().filter(|s| matches!(s.kind, SigKind::Top)) {
        let size = saved.instance.value(sig.rel).len();
        most = most.max(size);
        // The size of these is said by the specification.
        let fixed = sig.is_one || sig.is_lone || sig.is_enum;
        let family = saved.schema.sigs.iter().filter(|s| s.is_one).any(|s| is_below(saved, s, sig.rel));
        if !fixed && !family {
            parts.push(format!("exactly {size} {}", sig.label));
        }
    }
    if let (Some(low), Some(high)) = (saved.universe.ints().first(), saved.universe.ints().last()) {
        parts.push(format!("{}..{} Int", low.0, high.0));
    }
    let but = if parts.is_empty() { String::new() } else { format!(" but {}", parts.join(", ")) };
    format!("{most}{but}")
}

fn is_below(saved: &Saved, sig: &tera_rel::SigInfo, top: RelId) -> bool {
    let mut kind = &sig.kind;
    while let SigKind::Child(parent) = kind {
        let parent = &saved.schema.sigs[parent.0 as usize];
        if parent.rel == top {
            return true;
        }
        kind = &parent.kind;
    }
    false
}

/// The saved values over the universe of the problem.
fn carry_over(saved: &Saved, lowered: &Lowered) -> Result<Instance, Stop> {
    let atoms = atom_map(saved, lowered)?;
    let problem = &lowered.problem;
    let mut instance = Instance { values: problem.relations.iter().map(|r| r.lower.clone()).collect() };
    let foreign = |what: String| {
        Stop::message(format!("the saved instance is not one of this specification: it has no {what}"))
    };
    let mut carry = |from: RelId, to: RelId, what: &str| -> Result<(), Stop> {
        let value = saved.instance.value(from);
        let mut new = TupleSet::empty(problem.relation(to).arity(), problem.universe.len());
        for tuple in value.tuples() {
            if tuple.len() != new.arity() {
                return Err(foreign(format!("{what} with {} columns", new.arity())));
            }
            let tuple: Vec<AtomId> = tuple.iter().map(|a| atoms[a.0 as usize]).collect();
            new.insert(&tuple);
        }
        instance.values[to.0 as usize] = new;
        Ok(())
    };
    for sig in lowered.schema.sigs.iter().filter(|s| !matches!(s.kind, SigKind::Builtin)) {
        let twin = saved.schema.sigs.iter().find(|s| s.label == sig.label);
        let twin = twin.ok_or_else(|| foreign(format!("signature `{}`", sig.label)))?;
        carry(twin.rel, sig.rel, &sig.label)?;
    }
    for field in &lowered.schema.fields {
        let owner = |schema: &tera_rel::Schema, f: &tera_rel::FieldInfo| {
            schema.sigs[f.owner.0 as usize].label.clone()
        };
        let mine = owner(&lowered.schema, field);
        let same = |f: &&tera_rel::FieldInfo| f.label == field.label && owner(&saved.schema, f) == mine;
        let twin = saved.schema.fields.iter().find(same);
        let twin = twin.ok_or_else(|| foreign(format!("field `{mine}.{}`", field.label)))?;
        carry(twin.rel, field.rel, &field.label)?;
    }
    for param in &lowered.schema.params {
        // The Analyzer writes the parameter `x` of `show` as the Skolem constant `$show_x`.
        let same = |p: &&tera_rel::ParamInfo| {
            p.label == param.label
                || p.label.strip_prefix('$') == Some(&param.label)
                || p.label.starts_with('$') && p.label.ends_with(&format!("_{}", param.label))
        };
        let twin = saved.schema.params.iter().chain(&saved.schema.skolems).find(same);
        let twin = twin.ok_or_else(|| foreign(format!("parameter `{}`", param.label)))?;
        carry(twin.rel, param.rel, &param.label)?;
    }
    Ok(instance)
}

/// For each saved atom the atom of the problem that stands for it: the same integer or string, else
/// one that may be in the same signatures, the most special ones first.
fn atom_map(saved: &Saved, lowered: &Lowered) -> Result<Vec<AtomId>, Stop> {
    let problem = &lowered.problem;
    let mut map: Vec<Option<AtomId>> = vec![None; saved.universe.len()];
    let mut taken = vec![false; problem.universe.len()];
    for (id, atom) in saved.universe.atoms() {
        let twin = match atom.kind {
            AtomKind::Int(value) => problem.universe.int_atom(value),
            AtomKind::Str => problem.universe.atoms().find(|(_, a)| a.name == atom.name).map(|a| a.0),
            AtomKind::Object => continue,
        };
        map[id.0 as usize] = twin;
    }
    let children_first = lowered.schema.sigs.iter().rev();
    for sig in children_first.filter(|s| matches!(s.kind, SigKind::Top | SigKind::Child(_))) {
        let Some(twin) = saved.schema.sigs.iter().find(|s| s.label == sig.label) else { continue };
        let relation = problem.relation(sig.rel);
        for index in saved.instance.value(twin.rel).indices() {
            if map[index].is_some() {
                continue;
            }
            let name = &saved.universe.atom(AtomId(index as u32)).name;
            let free = |i: &usize| !taken[*i];
            let named = |i: &usize| problem.universe.atom(AtomId(*i as u32)).name == *name;
            let choice = relation
                .upper
                .indices()
                .filter(free)
                .find(named)
                .or_else(|| relation.lower.indices().find(free))
                .or_else(|| relation.upper.indices().find(free));
            if let Some(i) = choice {
                taken[i] = true;
                map[index] = Some(AtomId(i as u32));
            }
        }
    }
    let missing = map.iter().position(Option::is_none);
    match missing {
        None => Ok(map.into_iter().flatten().collect()),
        Some(i) => Err(Stop::message(format!(
            "the saved instance is not one of this specification: nothing can stand for its atom {}",
            saved.universe.atom(AtomId(i as u32)).name
        ))),
    }
}

fn value_text(value: &Value, names: &Names) -> String {
    match value {
        Value::Formula(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Undefined => "undefined (an overflow or a division by zero)".into(),
        Value::Relation(set) => {
            let tuple = |t: Vec<AtomId>| t.iter().map(|a| names.of(*a)).collect::<Vec<_>>().join("→");
            let tuples: Vec<String> = set.tuples().map(tuple).collect();
            format!("{{{}}}", tuples.join(", "))
        }
    }
}

fn value_json(value: &Value, universe: &Universe) -> Json {
    let (kind, value) = match value {
        Value::Formula(truth) => ("formula", Json::from(*truth)),
        Value::Int(number) => ("int", Json::from(*number)),
        Value::Undefined => ("undefined", Json::Null),
        Value::Relation(set) => {
            let atom = |a: &AtomId| match universe.atom(*a).kind {
                AtomKind::Int(value) => Json::from(value),
                _ => Json::from(universe.atom(*a).name.clone()),
            };
            let tuple = |t: Vec<AtomId>| t.iter().map(atom).collect::<Json>();
            ("relation", set.tuples().map(tuple).collect())
        }
    };
    json!({ "type": "value", "kind": kind, "value": value })
}
