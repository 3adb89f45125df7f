//! A counterexample as a test of its own: Rust that builds the input and calls the subject.

use tera_heap::source;
use tera_rel::Instance;

use crate::contract::Contract;
use crate::prepare::Prepared;
use crate::subject::Passing;

/// The statements; empty when the input has no plain Rust expression.
pub fn code(contract: &Contract, prepared: &Prepared, input: &Instance) -> String {
    let names: Vec<&str> = prepared.params[..prepared.n_args].iter().map(|p| p.name.as_str()).collect();
    let roots: Vec<(usize, &str)> = names.iter().copied().enumerate().collect();
    let Ok(made) = source(&prepared.binding, input, &roots) else { return String::new() };
    let mut text = String::new();
    let is_simple = made.expressions.iter().all(Option::is_some);
    if is_simple {
        made.uses.iter().for_each(|path| text += &format!("use {path};\n"));
    } else {
        text += &made.text();
    }
    for (i, name) in names.iter().enumerate() {
        let reference = match prepared.passing[i] {
            Passing::Value => "",
            Passing::Shared => "&",
            Passing::Mutable => "&mut ",
        };
        match &made.expressions[i] {
            Some(expression) if is_simple => text += &format!("let {name} = {reference}{expression};\n"),
            // A method takes the reference by itself; anything else wants it spelled out.
            _ if !reference.is_empty() => text += &format!("let {name} = {reference}{name};\n"),
            _ => {}
        }
    }
    text += &contract.body;
    text
}
