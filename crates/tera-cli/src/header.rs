//! The first line of JSON results: which specification, scope and part they belong to.
//!
//! Results may be joined or resumed only when their headers agree; what may differ is listed in
//! [`same_run`].

use serde_json::{Value, json};
use tera_finder::Verdict;
use tera_model::Lowered;
use tera_view::{FORMAT_VERSION, schema_json};

/// The header of results of `tera gen`.
pub fn header(
    file: &str,
    spec_hash: &str,
    target: &str,
    lowered: &Lowered,
    options: &[(&str, Value)],
    shard: Option<(u32, u32)>,
) -> Value {
    let mut value = json!({
        "type": "header",
        "version": FORMAT_VERSION,
        "tera": env!("CARGO_PKG_VERSION"),
        "file": file,
        "spec": spec_hash,
        "target": target,
        "scope": lowered.scope,
    });
    for (key, option) in options {
        value[*key] = option.clone();
    }
    if let Some((i, n)) = shard {
        value["shard"] = format!("{i}/{n}").into();
    }
    value["schema"] = schema_json(&lowered.problem.universe, &lowered.schema);
    value
}

/// The summary at the end of results.
pub fn summary(count: u64, verdict: Verdict, scope: &str) -> Value {
    json!({ "type": "summary", "count": count, "verdict": verdict_name(verdict), "scope": scope })
}

pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Exhausted => "exhausted",
        Verdict::Limit => "limit",
        Verdict::Timeout => "timeout",
        Verdict::Interrupted => "interrupted",
    }
}

/// Why two headers do not belong to one run, the part aside.
pub fn same_run(a: &Value, b: &Value) -> Result<(), String> {
    let words = [
        ("version", "versions of the format"),
        ("tera", "versions of tera"),
        ("spec", "specifications"),
        ("target", "predicates or commands"),
        ("scope", "scopes"),
        ("schema", "signatures or fields"),
    ];
    let mut keys: Vec<&str> = words.iter().map(|w| w.0).collect();
    for map in [a.as_object(), b.as_object()].into_iter().flatten() {
        keys.extend(map.keys().map(String::as_str).filter(|k| !["type", "file", "shard"].contains(k)));
    }
    match keys.into_iter().find(|k| a.get(*k) != b.get(*k)) {
        None => Ok(()),
        Some(key) => {
            let what = words.iter().find(|w| w.0 == key).map_or(key, |w| w.1);
            let show = |v: &Value| match v.get(key) {
                Some(Value::String(text)) => text.clone(),
                Some(other) if !other.is_object() => other.to_string(),
                Some(_) => String::new(),
                None => "none".into(),
            };
            let (left, right) = (show(a), show(b));
            let values = if left.len() + right.len() < 160 {
                format!(" (`{left}` and `{right}`)")
            } else {
                String::new()
            };
            Err(format!("different {what}{values}"))
        }
    }
}
