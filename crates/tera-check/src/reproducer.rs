//! A counterexample as a test of its own: Rust that builds the input and calls the subject under its
//! contract, so that it fails as the input did, and passes once the subject is right.

use tera_heap::{Binding, source};
use tera_rel::Instance;

use crate::contract::Contract;
use crate::prepare::Prepared;
use crate::subject::Passing;

/// The test; or why there is none, as a comment.
pub fn code(contract: &Contract, prepared: &Prepared, binding: &Binding, input: &Instance) -> String {
    let names: Vec<&str> = prepared.params[..prepared.n_args].iter().map(|p| p.name.as_str()).collect();
    let roots: Vec<(usize, &str)> = names.iter().copied().enumerate().collect();
    let made = match source(binding, input, &roots) {
        Ok(made) => made,
        Err(fault) => return format!("// no Rust expression builds this input: {fault}\n"),
    };
    let mut lines = Vec::new();
    if crate::memory::is_installed() {
        lines.push("let _memory = testera::Watch::begin();".to_owned());
    }
    lines.extend(made.uses.iter().map(|path| format!("use {path};")));
    let is_simple = made.expressions.iter().all(Option::is_some);
    if is_simple {
        for (i, name) in names.iter().enumerate() {
            let changes = contract.function.is_none() || prepared.passing[i] == Passing::Mutable;
            let mutable = if changes { "mut " } else { "" };
            lines.push(format!("let {mutable}{name} = {};", made.expressions[i].as_deref().unwrap_or("_")));
        }
    } else {
        lines.extend(made.statements.iter().cloned());
    }
    let arguments: Vec<String> = (names.iter().zip(prepared.passing))
        .map(|(name, passing)| match passing {
            _ if contract.function.is_none() => (*name).to_owned(),
            Passing::Value => (*name).to_owned(),
            Passing::Shared => format!("&{name}"),
            Passing::Mutable => format!("&mut {name}"),
        })
        .collect();
    let arguments = arguments.join(", ");
    let Some(function) = &contract.function else {
        let comma = if names.len() == 1 { "," } else { "" };
        lines.push(format!("let report = contract.replay(&mut ({arguments}{comma}), subject);"));
        return lines.join("\n");
    };
    let body = match contract.body.lines().count() {
        1 => format!(" // {}", contract.body),
        _ => String::new(),
    };
    lines.push(format!("testera::replay!({function}({arguments}));{body}"));
    let lines: Vec<String> =
        lines.iter().map(|line| format!("    {}", line.replace('\n', "\n    "))).collect();
    format!("#[test]\nfn {function}{UNNUMBERED}() {{\n{}\n}}", lines.join("\n"))
}

/// At the end of the test's name until the number of the input is known.
const UNNUMBERED: &str = "_input";

/// The test called after the number of its input.
pub fn with_number(code: &str, number: u64) -> String {
    code.replacen(&format!("{UNNUMBERED}() {{"), &format!("{UNNUMBERED}_{number}() {{"), 1)
}

/// The same for an input that is known by its path.
pub fn of_path(contract: &Contract, path: &[u64]) -> String {
    let Some(function) = &contract.function else { return String::new() };
    let path: Vec<String> = path.iter().map(u64::to_string).collect();
    let path = path.join(", ");
    format!("#[test]\nfn {function}{UNNUMBERED}() {{\n    testera::replay!({function}, [{path}]);\n}}")
}
