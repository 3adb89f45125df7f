//! `tera gen --scope 1..6`: how the number of instances grows with the scope.
//!
//! An instance is *new* when it uses an atom, integers included, that the scope before did not have.
//! That is one more constraint on the problem of its scope: some signature is larger than it could
//! be before, or an integer occurs that was not there.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::Instant;

use serde_json::json;
use tera_finder::{Found, Verdict};
use tera_model::Lowered;
use tera_rel::{
    Atom, AtomId, AtomKind, IntCmp, Node, NodeId, Problem, RelId, Schema, SigKind, SizeTest, TupleSet,
};

use crate::closing::exit_of;
use crate::console::Out;
use crate::deliver::{Context, Format, Formatter, Target};
use crate::exit::{Exit, Stop};
use crate::front::Front;
use crate::generate::{GenArgs, Subject, checked, enumerate_options, header_of};
use crate::header::verdict_name;

/// Overall scopes from `low` to `high`, with the same `rest` (` but …`) behind each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    pub low: u32,
    pub high: u32,
    pub rest: String,
}

/// `1..6` and `1..6 but exactly 2 A` are ranges; `-2..2 Int` and `2..4 Node` are scopes.
pub fn range(scope: &str) -> Option<Range> {
    let (low, rest) = scope.trim().split_once("..")?;
    let digits = rest.trim_start().bytes().take_while(u8::is_ascii_digit).count();
    let (high, rest) = rest.trim_start().split_at(digits);
    let is_overall = rest.trim_start().is_empty()
        || rest.trim_start().starts_with(',')
        || rest.trim_start().starts_with("but ");
    if !is_overall {
        return None;
    }
    Some(Range { low: low.trim().parse().ok()?, high: high.parse().ok()?, rest: rest.to_string() })
}

pub fn run(
    out: &mut Out,
    args: &GenArgs,
    front: &Front,
    subject: &Subject,
    range: Range,
) -> Result<Exit, Stop> {
    if range.low > range.high {
        return Err(Stop::message(format!("--scope {}..{}: the range is empty", range.low, range.high)));
    }
    if args.output.is_some() || args.shard.is_some() {
        return Err(Stop::message("a range of scopes goes with neither -o nor --shard"));
    }
    if !matches!(args.format, Format::Text | Format::Json) {
        return Err(Stop::message("a range of scopes is shown as text or JSON"));
    }
    let refused = [
        (args.certify.is_some(), "--certify"),
        (args.sample.is_some(), "--sample"),
        (args.far, "--far"),
        (args.orbits, "--orbits"),
        (args.verify, "--verify"),
    ];
    if let Some((_, option)) = refused.iter().find(|(is_given, _)| *is_given) {
        return Err(Stop::message(format!(
            "a range of scopes does not go with {option}: give one scope, e.g. --scope {}{}",
            range.high, range.rest
        )));
    }
    let json = args.format == Format::Json;
    let show = args.only_new && !args.count;
    if !json {
        let classes = if args.only_new { "" } else { "   classes" };
        out.line(&format!("scope{classes}       new   seconds"))?;
    }
    let options = enumerate_options(args);
    let mut before: Option<Lowered> = None;
    let mut total = 0;
    let mut overall = Verdict::Exhausted;
    for n in range.low..=range.high {
        let start = Instant::now();
        let scope = format!("{n}{}", range.rest);
        let lowered = subject.lower(out, front, Some(&scope))?;
        let classes = if args.only_new {
            None
        } else {
            match checked(out, front, subject, &lowered, tera_finder::count(&lowered.problem, &options))? {
                Some(summary) => Some(summary),
                None => return Ok(Exit::Mistake),
            }
        };
        let new = match (&before, &classes) {
            // In the first scope everything is new.
            (None, Some(summary)) => summary.clone(),
            (before, _) => {
                let mut lowered = subject.lower(out, front, Some(&scope))?;
                if let Some(before) = before {
                    demand_new(&mut lowered.problem, &lowered.schema, before, args.labelled);
                }
                let mut stop = None;
                let found = if show {
                    if json {
                        out.json(&header_of(args, front, subject, &lowered))?;
                    }
                    let context =
                        Context { xml: Default::default(), graph: Default::default(), command: None };
                    let mut formatter = Formatter::new(args.format, &lowered, context);
                    let mut sink = |found: &Found| {
                        let label = format!("{:>3}", found.index);
                        let extra = format!(",\"overall\":{n}");
                        let instance = found.instance();
                        match Target::Stream.deliver(
                            out,
                            &mut formatter,
                            found.index,
                            &label,
                            &extra,
                            &instance,
                        ) {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(error) => {
                                stop = Some(error);
                                ControlFlow::Break(())
                            }
                        }
                    };
                    tera_finder::enumerate(&lowered.problem, &options, &mut sink)
                } else {
                    tera_finder::count(&lowered.problem, &options)
                };
                if let Some(stop) = stop {
                    return Err(stop);
                }
                match checked(out, front, subject, &lowered, found)? {
                    Some(summary) => summary,
                    None => return Ok(Exit::Mistake),
                }
            }
        };
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match &classes {
            Some(c) if c.verdict != Verdict::Exhausted => c.verdict,
            _ => new.verdict,
        };
        let count = classes.as_ref().map(|c| c.count);
        total += count.unwrap_or(new.count);
        if json {
            let mut line = json!({ "type": "growth", "overall": n, "scope": lowered.scope, "new": new.count,
                "verdict": verdict_name(verdict) });
            if let Some(count) = count {
                line["classes"] = count.into();
            }
            out.json(&line)?;
        } else {
            let classes = count.map_or(String::new(), |c| format!("{c:>10}"));
            let note = if verdict == Verdict::Exhausted {
                String::new()
            } else {
                format!("   not all: {}", verdict_name(verdict))
            };
            out.line(&format!("{n:>5}{classes}{:>10}{seconds:>10.3}{note}", new.count))?;
        }
        out.flush()?;
        if matches!(verdict, Verdict::Timeout | Verdict::Interrupted) {
            return Ok(exit_of(verdict));
        }
        if verdict == Verdict::Limit {
            overall = verdict;
        }
        before = Some(lowered);
    }
    if json {
        out.json(&json!({ "type": "summary", "count": total, "verdict": verdict_name(overall) }))?;
    }
    Ok(Exit::Expected)
}

/// Adds: some atom is used that `before` did not have. Of classes it does not matter which atoms of a
/// signature are used, only how many; of labelled instances it does.
fn demand_new(problem: &mut Problem, schema: &Schema, before: &Lowered, labelled: bool) {
    let old = |label: &str| before.schema.sigs.iter().find(|s| s.label == label).map(|s| s.rel);
    let mut choices: Vec<NodeId> = Vec::new();
    let mut values: Vec<RelId> =
        schema.fields.iter().map(|f| f.rel).chain(schema.params.iter().map(|p| p.rel)).collect();
    // A subset signature may hold integers.
    values.extend(schema.sigs.iter().filter(|s| matches!(s.kind, SigKind::Subset { .. })).map(|s| s.rel));
    for sig in schema.sigs.iter().filter(|s| matches!(s.kind, SigKind::Top)) {
        if labelled {
            values.push(sig.rel);
            continue;
        }
        let most = old(&sig.label).map_or(0, |rel| before.problem.relation(rel).upper.len());
        if problem.relation(sig.rel).upper.len() > most {
            let relation = problem.arena.add(Node::Relation(sig.rel));
            let size = problem.arena.add(Node::Card(relation));
            let most = problem.arena.add(Node::Int(most as i64));
            choices.push(problem.arena.add(Node::Compare(IntCmp::Gt, size, most)));
        }
    }
    let names: HashSet<&str> = before.problem.universe.atoms().map(|(_, atom)| atom.name.as_str()).collect();
    let is_fresh = |atom: &Atom| match atom.kind {
        AtomKind::Int(value) => before.problem.universe.int_atom(value).is_none(),
        AtomKind::Object => labelled && !names.contains(atom.name.as_str()),
        AtomKind::Str => false,
    };
    let fresh: Vec<AtomId> =
        problem.universe.atoms().filter(|(_, atom)| is_fresh(atom)).map(|(id, _)| id).collect();
    for rel in values {
        let upper = &problem.relation(rel).upper;
        let mut with_fresh = TupleSet::empty(upper.arity(), upper.n_atoms());
        for index in upper.indices() {
            if upper.tuple(index).iter().any(|a| fresh.contains(a)) {
                with_fresh.insert_index(index);
            }
        }
        if !with_fresh.is_empty() {
            let relation = problem.arena.add(Node::Relation(rel));
            let with_fresh = problem.arena.constant(with_fresh);
            let both = problem.arena.add(Node::Binary(tera_rel::ExprOp::Intersect, relation, with_fresh));
            choices.push(problem.arena.add(Node::Size(SizeTest::Some, both)));
        }
    }
    let some_new = match choices.len() {
        0 => problem.arena.add(Node::False),
        1 => choices[0],
        _ => problem.arena.add(Node::Or(choices.into())),
    };
    problem.conjuncts.push(some_new);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scope: &str, expected: Option<(u32, u32, &str)>) {
        let expected = expected.map(|(low, high, rest)| Range { low, high, rest: rest.into() });
        assert_eq!(range(scope), expected, "{scope}");
    }

    #[test]
    fn only_two_numbers_in_place_of_the_overall_scope_are_a_range() {
        check("1..6", Some((1, 6, "")));
        check(" 2 .. 3 but exactly 2 A", Some((2, 3, " but exactly 2 A")));
        check("1..3, -2..2 Int", Some((1, 3, ", -2..2 Int")));
        check("3", None);
        check("-2..2 Int", None);
        check("2..4 Node", None);
        check("3 but -2..2 Int", None);
    }
}
