//! Everything a report says about one input, collected in the worker that ran it: the states as
//! text, picture and JSON, the conjuncts with their places, a reproducer.

use serde_json::{Value, json};
use tera_heap::{DeadPointer, Status};
use tera_rel::{FieldInfo, Instance, Schema};
use tera_syntax::{Diagnostic, report};
use tera_view::{Dangling, GraphOptions, JsonWriter, Picture, TextWriter, View};

use crate::contract::Contract;
use crate::executor::Runner;
use crate::oracle::Oracle;
use crate::outcome::Failure;
use crate::prepare::Prepared;
use crate::subject::Subject;

/// The verdict and what there is to say about the present input of `runner`.
pub fn describe<S: Subject>(runner: &mut Runner<'_, S>, failure: Option<Failure>) -> Value {
    let mut value = json!({ "failure": failure.as_ref().map(Failure::to_json) });
    before(runner.contract, &runner.prepared, &runner.input, &mut value);
    if matches!(failure, Some(Failure::Violated(_) | Failure::Memory(_) | Failure::NoInstance(_)))
        && runner.has_after
    {
        after(&runner.prepared, runner.oracles.get(runner.judged_by), &runner.dead, &mut value);
    }
    if let Some(Failure::Violated(violated)) = &failure {
        conjuncts(runner.oracles.get(runner.judged_by), violated, &mut value);
    }
    value
}

/// The input by itself: what can be said without calling the subject.
pub fn before(contract: &Contract, prepared: &Prepared, input: &Instance, value: &mut Value) {
    let (problem, schema) = (&prepared.lowered.problem, shown(prepared, &prepared.lowered.schema));
    let view = View { universe: &problem.universe, schema: &schema, instance: input };
    state(&view, value);
    value["code"] = json!(crate::reproducer::code(contract, prepared, &prepared.binding, input));
}

/// The same of a pre-state that was read from values.
pub fn captured(contract: &Contract, prepared: &Prepared, oracle: &Oracle, value: &mut Value) {
    let schema = shown(prepared, &oracle.post.before);
    let view = View { universe: &oracle.post.problem.universe, schema: &schema, instance: &oracle.state };
    state(&view, value);
    value["code"] = json!(crate::reproducer::code(contract, prepared, &oracle.states.before, &oracle.state));
}

fn state(view: &View<'_>, value: &mut Value) {
    value["before"] = json!(text(view));
    value["input"] = instance_json(view);
    let picture = Picture::new(view, &GraphOptions::default());
    value["svg"] = json!(tera_view::svg(&picture));
    value["dot"] = json!(tera_view::dot(&picture, "input"));
}

/// Both states, as far as the oracle holds them, and the pointers that were not followed.
pub fn after(prepared: &Prepared, oracle: &Oracle, dead: &[DeadPointer], value: &mut Value) {
    let universe = &oracle.post.problem.universe;
    let schemas = [&oracle.post.before, &oracle.post.after].map(|schema| shown(prepared, schema));
    let [before, after] =
        [0, 1].map(|state| View { universe, schema: &schemas[state], instance: &oracle.state });
    value["before"] = json!(text(&before));
    let dangling: Vec<Dangling> = dead.iter().map(dangling).collect();
    let pointers = dangling.iter().map(|pointer| tera_view::dangling_text(&after, pointer));
    value["after"] = json!(std::iter::once(text(&after)).chain(pointers).collect::<Vec<_>>().join("\n"));
    value["output"] = instance_json(&after);
    let picture = Picture::before_after(&before, &after, &GraphOptions::default());
    let picture = picture.with_dangling(&after, &dangling);
    value["svg"] = json!(tera_view::svg(&picture));
    value["dot"] = json!(tera_view::dot(&picture, "call"));
}

fn dangling(dead: &DeadPointer) -> Dangling {
    let what = match dead.status {
        _ if dead.address == 0 => "no element",
        Status::Freed => "freed",
        Status::Unknown => "no block",
        Status::Live => "not aligned",
    };
    let label = dead.label.rsplit('.').next().unwrap_or_default().to_owned();
    Dangling { from: dead.holder, label, to: dead.object, what: what.to_owned() }
}

/// A schema without the fields that the Rust types do not have.
fn shown(prepared: &Prepared, schema: &Schema) -> Schema {
    let all = &prepared.lowered.schema;
    let is_shown = |field: &FieldInfo| {
        let owner = &schema.sigs[field.owner.0 as usize].label;
        all.fields.iter().any(|other| {
            other.label == field.label
                && all.sigs[other.owner.0 as usize].label == *owner
                && prepared.mapped.contains(&other.rel)
        })
    };
    let fields = schema.fields.iter().filter(|field| is_shown(field)).cloned().collect();
    Schema { fields, ..schema.clone() }
}

fn text(view: &View<'_>) -> String {
    let mut out = String::new();
    TextWriter::new(view.universe, view.schema).write(&mut out, "", view.instance);
    let lines: Vec<&str> = out.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    lines.join("\n")
}

fn instance_json(view: &View<'_>) -> Value {
    let mut writer = JsonWriter::new(view.universe, view.schema);
    let line = writer.line(0, None, "", view.instance);
    serde_json::from_slice(line).unwrap_or(Value::Null)
}

/// Which conjuncts are violated, underlined, and which hold.
pub fn conjuncts(oracle: &mut Oracle, violated: &[usize], value: &mut Value) {
    let sources = oracle.post.sources.clone();
    let mut reports = Vec::new();
    for &i in violated {
        let origin = oracle.post.origins[i].clone();
        let mut item = json!({ "formula": origin.text });
        if let Some(whole) = origin.span {
            let (span, label) = oracle.explain(i).unwrap_or((whole, String::new()));
            let (line, column) = sources.line_column(span.file, span.start);
            let diagnostic = Diagnostic::error(span, format!("{} does not hold after the call", origin.text))
                .label(if label.is_empty() { "this is false".to_owned() } else { label.clone() });
            item["path"] = json!(sources.get(span.file).path);
            item["line"] = json!(line);
            item["column"] = json!(column);
            item["values"] = json!(label);
            item["text"] = json!(report::render(&[diagnostic], &sources, false));
        }
        reports.push(item);
    }
    value["violated"] = json!(reports);
    let texts = |wanted: bool| -> Vec<&str> {
        let origins = oracle.post.origins.iter().enumerate();
        origins.filter(|(i, _)| violated.contains(i) == wanted).map(|(_, o)| o.text.as_str()).collect()
    };
    // A predicate with several conjuncts holds when all of them do.
    let violated_texts = texts(true);
    let mut holds = texts(false);
    holds.retain(|text| !violated_texts.contains(text));
    let mut seen = Vec::new();
    holds.retain(|text| {
        !seen.contains(text) && {
            seen.push(*text);
            true
        }
    });
    value["holds"] = json!(holds);
}
