//! Why a conjunct does not hold, in a few words: `1 <= 0 when n is Node0`.

use tera_model::contract::Post;
use tera_rel::{AtomId, Evaluator, IntCmp, Node, NodeId, SizeTest, Value, VarId};
use tera_syntax::Span;

/// The innermost part of conjunct `i` that decides, and the values there. The evaluator holds the
/// state in question.
pub fn explain(evaluator: &mut Evaluator, post: &Post, conjunct: usize) -> Option<(Span, String)> {
    let arena = &post.problem.arena;
    let explanation = evaluator.explain(arena, post.problem.conjuncts[conjunct]).ok()?;
    let words = Words { post };
    let mut text = words.atomic(explanation.node, &explanation.operands, explanation.truth);
    let bound: Vec<String> = (explanation.bindings.iter())
        .filter_map(|(var, atoms)| Some(format!("{} is {}", words.variable(*var)?, words.atoms(atoms))))
        .collect();
    if !bound.is_empty() {
        text = format!("{}{}when {}", text, if text.is_empty() { "" } else { " " }, bound.join(" and "));
    }
    let span = post.span(explanation.node).or(post.origins[conjunct].span)?;
    Some((span, text))
}

struct Words<'a> {
    post: &'a Post,
}

impl Words<'_> {
    /// The values on both sides of the operator.
    fn atomic(&self, node: NodeId, operands: &[(NodeId, Value)], truth: bool) -> String {
        let values: Vec<String> = operands.iter().map(|(_, value)| self.value(value)).collect();
        let text = match (self.post.problem.arena.node(node), values.as_slice()) {
            (Node::Compare(op, ..), [a, b]) => {
                let op = match op {
                    IntCmp::Eq => "=",
                    IntCmp::Lt => "<",
                    IntCmp::Lte => "<=",
                    IntCmp::Gt => ">",
                    IntCmp::Gte => ">=",
                };
                format!("{a} {op} {b}")
            }
            (Node::Subset(..), [a, b]) => format!("{a} in {b}"),
            (Node::Equal(..), [a, b]) => format!("{a} = {b}"),
            (Node::Size(test, _), [a]) => {
                let test = match test {
                    SizeTest::No => "no",
                    SizeTest::Lone => "lone",
                    SizeTest::One => "one",
                    SizeTest::Some => "some",
                };
                format!("{test} {a}")
            }
            _ => return String::new(),
        };
        // What decides may be something true under a negation.
        if truth { format!("{text} holds") } else { text }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Formula(truth) => truth.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Undefined => "no value".into(),
            Value::Relation(set) => {
                let tuples: Vec<String> = set.tuples().map(|tuple| self.atoms(&tuple)).collect();
                match tuples.as_slice() {
                    [] => "nothing".into(),
                    [tuple] => tuple.clone(),
                    [..] if tuples.len() <= MOST => format!("{{{}}}", tuples.join(", ")),
                    [..] => format!("{{{}, … {} in all}}", tuples[..MOST].join(", "), tuples.len()),
                }
            }
        }
    }

    fn atoms(&self, tuple: &[AtomId]) -> String {
        let names: Vec<String> =
            (tuple.iter()).map(|&atom| self.post.problem.universe.atom(atom).name.replace('$', "")).collect();
        names.join("→")
    }

    fn variable(&self, var: VarId) -> Option<&str> {
        let name = self.post.var_names.get(var.0 as usize)?;
        (!name.is_empty()).then_some(name)
    }
}

/// Tuples that are listed.
const MOST: usize = 6;
