//! One command and scope becomes a problem.

use std::sync::Arc;

use tera_rel::{ParamInfo, Role, SizeTest, TupleSet};
use tera_syntax::ast::{self, Command, Paragraph};
use tera_syntax::{Diagnostic, Span};

use crate::bounds::{self, Frame};
use crate::facts::Conjuncts;
use crate::lower::{Lowering, StateRels, Value};
use crate::needs::needs;
use crate::order::find_orderings;
use crate::scope::{self, ScopeDefaults, Scopes};
use crate::tree::*;
use crate::world::*;
use crate::{LowerOptions, Lowered};

/// What to lower, with names resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Facts,
    Run(FuncIx),
    Check(AssertIx),
    Formula(TId),
}

pub(crate) struct Task<'a> {
    pub what: What,
    pub scope: &'a ast::Scope,
    /// Where errors about the scope are shown.
    pub place: Span,
    pub options: &'a LowerOptions,
}

impl World {
    pub fn root_commands(&self) -> Vec<Command> {
        let file = Arc::clone(&self.files[self.modules[0].file]);
        file.paragraphs
            .iter()
            .filter_map(|p| match p {
                Paragraph::Command(command) => Some(command.clone()),
                _ => None,
            })
            .collect()
    }

    /// The first construct of Alloy 6 that needs more than one state, if any.
    pub fn temporal_construct(&self) -> Option<Span> {
        for sig in self.sigs_in_order() {
            let s = self.sig(sig);
            if s.is_var {
                return Some(s.span);
            }
            for field in s.decls.iter().flat_map(|d| &d.fields) {
                if self.fields[field.index()].is_var {
                    return Some(self.fields[field.index()].span);
                }
            }
        }
        None
    }
}

pub(crate) fn lower(world: &World, task: &Task) -> Result<Lowered, Vec<Diagnostic>> {
    if let Some(span) = world.temporal_construct() {
        return Err(vec![
            Diagnostic::error(span, "temporal specifications are not supported yet")
                .label("`var` changes over time")
                .help("tera reads the static part of Alloy 6; contracts of `tera check` may use `var`"),
        ]);
    }
    let defaults = ScopeDefaults { korat_ints: task.options.korat_ints, growth: task.options.growth };
    let scopes = scope::compute(world, task.scope, task.place, defaults)?;
    let constants = needs(world, &goal_expressions(world, task.what));
    let orderings = find_orderings(world);
    let mut frame = bounds::build(world, &scopes, &constants, &orderings, task.options.unfixed, task.place)?;
    frame.problem.ints.overflow = task.options.overflow;
    let rels = StateRels { sig: frame.sig_rel.clone(), field: frame.field_rel.clone() };
    let problem = std::mem::take(&mut frame.problem);
    let mut lowering = Lowering::new(world, problem, rels, scopes.ints);
    lowering.strings = std::mem::take(&mut frame.strings);
    let mut conjuncts = Conjuncts::default();
    lowering.sig_conjuncts(&frame, &scopes, &mut conjuncts);
    let outcome = lowering
        .field_conjuncts(&frame, &mut conjuncts)
        .and_then(|()| lowering.fact_conjuncts(&frame, &mut conjuncts))
        .and_then(|()| goal_conjuncts(&mut lowering, &mut frame, task, &mut conjuncts));
    if let Err(diagnostic) = outcome {
        return Err(vec![*diagnostic]);
    }
    if task.options.rooted {
        lowering.root_at_params(&frame, &mut conjuncts);
    }
    Ok(finish(lowering, frame, conjuncts, &scopes, constants.ints))
}

/// Puts the parts together.
pub(crate) fn finish(
    mut lowering: Lowering,
    frame: Frame,
    conjuncts: Conjuncts,
    scopes: &Scopes,
    ints: bool,
) -> Lowered {
    lowering.problem.conjuncts = conjuncts.nodes;
    debug_assert_eq!(lowering.problem.validate(), Ok(()));
    Lowered {
        scope: describe_scope(lowering.world, scopes, ints),
        problem: lowering.problem,
        schema: frame.schema,
        origins: conjuncts.origins,
        spans: lowering.spans,
        var_names: lowering.var_names,
        warnings: Vec::new(),
        context: crate::eval::Context {
            sig_rel: frame.sig_rel,
            field_rel: frame.field_rel,
            strings: lowering.strings,
            ints: scopes.ints,
        },
    }
}

/// The typed expressions that a goal consists of.
fn goal_expressions(world: &World, what: What) -> Vec<TId> {
    match what {
        What::Facts => Vec::new(),
        What::Formula(id) => vec![id],
        What::Check(assert) => world.asserts[assert.index()].body.into_iter().collect(),
        What::Run(func) => {
            let f = &world.funcs[func.index()];
            f.decls.iter().map(|d| d.bound).chain(f.result).chain(f.body).collect()
        }
    }
}

fn goal_conjuncts(
    lowering: &mut Lowering,
    frame: &mut Frame,
    task: &Task,
    into: &mut Conjuncts,
) -> crate::lower::Lowered<()> {
    let world = lowering.world;
    match task.what {
        What::Facts => {}
        What::Formula(id) => lowering.conjoin(id, "the given formula", into)?,
        What::Check(assert) => {
            let a = &world.asserts[assert.index()];
            if let Some(body) = a.body {
                let node = lowering.formula(body)?;
                let node = lowering.not(node);
                let text = match a.name {
                    Some(name) => format!("the negation of {}", world.text(name)),
                    None => "the negated assertion".into(),
                };
                lowering.mark(node, world.span(body));
                into.add(node, world.span(body), text);
            }
        }
        What::Run(func) => {
            let f = &world.funcs[func.index()];
            let name = world.text(f.name).to_string();
            for decl in &f.decls {
                add_params(lowering, frame, &name, decl, into)?;
            }
            let Some(body) = f.body else { return Ok(()) };
            lowering.calls.push(func);
            let outcome = match f.result {
                None => lowering.conjoin(body, &format!("the body of {name}"), into),
                Some(result) => lowering.set(body).and_then(|value| {
                    let node = lowering.member(value, result)?;
                    for part in lowering.conjuncts_of(node) {
                        lowering.mark(part, world.span(result));
                        into.add(part, world.span(result), format!("the result of {name}"));
                    }
                    Ok(())
                }),
            };
            lowering.calls.pop();
            outcome?;
        }
    }
    Ok(())
}

/// The parameters of a predicate that is run become relations of the instance.
impl Lowering<'_> {
    pub fn root_at_params(&mut self, frame: &Frame, into: &mut Conjuncts) {
        let rels: Vec<_> = frame.schema.params.iter().map(|p| p.rel).collect();
        let roots: Vec<_> = rels.into_iter().map(|rel| self.relation(rel)).collect();
        self.root(&roots, into);
    }
}

/// Adds the parameters of one declaration.
pub(crate) fn add_params(
    lowering: &mut Lowering,
    frame: &mut Frame,
    func: &str,
    decl: &TDecl,
    into: &mut Conjuncts,
) -> crate::lower::Lowered<()> {
    let world = lowering.world;
    let span = world.span(decl.bound);
    let mut nodes = Vec::new();
    for &var in &decl.vars {
        let local = &world.locals[var.index()];
        let name = world.text(local.name).to_string();
        let n = lowering.n_atoms();
        let arity = world.types.arity(local.ty).unwrap_or(1).max(1);
        if TupleSet::capacity(arity, n).is_none_or(|c| c > 1 << 26) {
            return crate::lower::fail(Diagnostic::error(local.span, "this parameter has too many columns"));
        }
        let mut upper = TupleSet::empty(arity, n);
        for entry in world.types.entries(local.ty) {
            let mut tuples = frame.upper[entry[0].0 as usize].clone();
            for column in &entry[1..] {
                tuples = tuples.product(&frame.upper[column.0 as usize]);
            }
            upper.union_with(&tuples);
        }
        let bound = lowering.set(decl.bound)?;
        if let Some(most) = lowering.extreme(bound, true) {
            upper.intersect_with(&most);
        }
        let lower = TupleSet::empty(arity, n);
        let rel = lowering.problem.add_relation(format!("${func}_{name}"), Role::Visible, lower, upper);
        frame.schema.params.push(ParamInfo { label: name.clone(), rel });
        let node = lowering.relation(rel);
        lowering.mark(node, local.span);
        let keyword = world.keyword(decl.bound);
        let is_set = matches!(world.node(world.peel(decl.bound)).kind, Kind::Unary(UnOp::SetOf, _));
        let member = if arity == 1 && keyword == UnOp::SetOf && !is_set {
            let one = lowering.size(SizeTest::One, node);
            let inside = lowering.member(node, decl.bound)?;
            lowering.and(vec![one, inside])
        } else {
            lowering.member(node, decl.bound)?
        };
        for part in lowering.conjuncts_of(member) {
            if !lowering.holds_by_bounds(part) {
                lowering.mark(part, span);
                into.add(part, span, format!("the declaration of the parameter {name}"));
            }
        }
        nodes.push((var, node));
    }
    for &(var, node) in &nodes {
        lowering.env.insert(var, Value::Set(node));
    }
    if decl.disj && nodes.len() > 1 {
        let sets: Vec<_> = nodes.iter().map(|&(_, node)| node).collect();
        let node = lowering.disjoint(&sets);
        for part in lowering.conjuncts_of(node) {
            into.add(part, span, "the parameters are disjoint");
        }
    }
    Ok(())
}

/// The scope in use, for people: `at most 3 Node, exactly 1 List, Int -8..7`.
pub(crate) fn describe_scope(world: &World, scopes: &Scopes, ints: bool) -> String {
    let mut parts = Vec::new();
    for sig in world.sigs_in_order() {
        let s = world.sig(sig);
        let at = sig.0 as usize;
        let Some(size) = scopes.size[at].filter(|_| {
            !s.is_subset() && !s.is_enum && !s.is_meta && !(s.is_one && (s.is_private || !s.is_top()))
        }) else {
            continue;
        };
        if s.parent().is_some_and(|p| world.sig(p).is_enum) {
            continue;
        }
        let child_like_parent = !s.is_top()
            && !scopes.exact[at]
            && s.parent().is_some_and(|p| scopes.size[p.0 as usize] == Some(size));
        if child_like_parent || (size == 0 && s.is_private) {
            continue;
        }
        let label = &s.label;
        parts.push(if s.is_one {
            format!("1 {label}")
        } else if scopes.exact[at] {
            format!("exactly {size} {label}")
        } else {
            format!("at most {size} {label}")
        });
    }
    if ints {
        let (low, high) = scopes.ints;
        parts.push(if low <= high { format!("Int {low}..{high}") } else { "no Int".into() });
    }
    if parts.is_empty() { "no signatures".into() } else { parts.join(", ") }
}
