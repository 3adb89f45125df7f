//! Expressions typed at the prompt, over the relations of a lowered problem.

use rustc_hash::FxHashMap;
use tera_rel::{AtomId, NodeId, RelId, Schema};
use tera_syntax::ast::File;
use tera_syntax::{Diagnostic, Interner, Symbol};

use crate::check::Cx;
use crate::lower::{Lowering, StateRels, Value};
use crate::tree::*;
use crate::world::*;
use crate::{Failure, Lowered};

/// What lowering further expressions needs to remember.
#[derive(Clone, Default, Debug)]
pub(crate) struct Context {
    pub sig_rel: Vec<Option<RelId>>,
    pub field_rel: Vec<Option<RelId>>,
    pub strings: FxHashMap<Symbol, AtomId>,
    pub ints: (i64, i64),
}

/// Parses `text` as the block of a `run`, types it in the root module with `locals` in scope.
/// Gives the typed expression, or reports.
pub(crate) fn type_text(
    world: &mut World,
    name: &str,
    text: &str,
    locals: &[(String, crate::types::TypeId)],
    formula: bool,
) -> Option<(TId, Vec<VarIx>)> {
    let source = world.sources.add(name, text);
    let (file, id) = match parse_expression(world, source, text) {
        Ok(parsed) => parsed,
        Err(diagnostics) => {
            world.diagnostics.extend(diagnostics);
            return None;
        }
    };
    let mut cx = Cx::new(0);
    let mut vars = Vec::new();
    for (name, ty) in locals {
        let symbol = world.interner.intern(name);
        let var = world.local(symbol, *ty, Default::default());
        world.locals[var.index()].used = true;
        let node = world.var_node(var, Default::default());
        cx.env.push((symbol, node));
        vars.push(var);
    }
    let typed = world.check(&mut cx, &file, id);
    let typed = if formula {
        world.resolve_formula(typed, true)
    } else {
        let ty = world.ty(typed);
        world.resolve(typed, ty, true)
    };
    if world.report(typed) { None } else { Some((typed, vars)) }
}

fn parse_expression(
    world: &mut World,
    source: tera_syntax::FileId,
    text: &str,
) -> Result<(File, tera_syntax::ast::ExprId), Vec<Diagnostic>> {
    let interner: &mut Interner = &mut world.interner;
    let (file, body, diagnostics) = tera_syntax::parse_expression(source, text, interner);
    body.map(|body| (file, body)).ok_or(diagnostics)
}

pub(crate) fn lower_expression(
    world: &mut World,
    lowered: &mut Lowered,
    text: &str,
) -> Result<NodeId, Failure> {
    let before = world.diagnostics.len();
    let locals = instance_names(world, &lowered.schema, lowered);
    let typed: Vec<_> = locals.iter().map(|(name, ty, _)| (name.clone(), *ty)).collect();
    world.at_prompt = true;
    let result = type_text(world, "<expression>", text, &typed, false);
    world.at_prompt = false;
    let failure = |world: &World, mut diagnostics: Vec<Diagnostic>| {
        diagnostics.extend(world.diagnostics[before..].iter().cloned());
        Failure { sources: world.sources.clone(), diagnostics }
    };
    let Some((id, vars)) = result else { return Err(failure(world, Vec::new())) };
    let rels = StateRels { sig: lowered.context.sig_rel.clone(), field: lowered.context.field_rel.clone() };
    let problem = std::mem::take(&mut lowered.problem);
    let mut lowering = Lowering::new(world, problem, rels, lowered.context.ints);
    lowering.strings = lowered.context.strings.clone();
    lowering.spans = std::mem::take(&mut lowered.spans);
    lowering.var_names = std::mem::take(&mut lowered.var_names);
    for (var, (_, _, node)) in vars.iter().zip(&locals) {
        let node = match node {
            Bound::Relation(rel) => lowering.relation(*rel),
            Bound::Atom(atom) => {
                let set = tera_rel::TupleSet::unary(lowering.n_atoms(), [*atom]);
                lowering.problem.arena.constant(set)
            }
        };
        lowering.env.insert(*var, Value::Set(node));
    }
    let outcome = lowering.value(id);
    lowered.problem = lowering.problem;
    lowered.spans = lowering.spans;
    lowered.var_names = lowering.var_names;
    match outcome {
        Ok(Value::Formula(node) | Value::Set(node) | Value::Number(node)) => Ok(node),
        Err(diagnostic) => Err(failure(world, vec![*diagnostic])),
    }
}

enum Bound {
    Relation(RelId),
    Atom(AtomId),
}

/// Parameters by their names, and atoms as the instance shows them.
fn instance_names(
    world: &mut World,
    schema: &Schema,
    lowered: &Lowered,
) -> Vec<(String, crate::types::TypeId, Bound)> {
    let mut result = Vec::new();
    for (atom, info) in lowered.problem.universe.atoms() {
        if info.kind == tera_rel::AtomKind::Object {
            let sig = info.name.rsplit_once('$').map_or("", |(sig, _)| sig);
            let sig = world.sigs.iter().position(|s| s.label == sig);
            // The atom of a parent may lie in a child: its type is that of the top signature.
            let mut sig = crate::types::SigIx(sig.unwrap_or(0) as u32);
            while let Some(parent) = world.sig(sig).parent().filter(|&p| p != crate::types::UNIV && p != sig)
            {
                sig = parent;
            }
            result.push((info.name.clone(), world.sig(sig).ty, Bound::Atom(atom)));
        }
    }
    let params = schema.params.iter().chain(&schema.skolems);
    for param in params {
        let arity = lowered.problem.relation(param.rel).arity();
        let ty = world.types.of_product(&vec![crate::types::UNIV; arity]);
        result.push((param.label.clone(), ty, Bound::Relation(param.rel)));
    }
    result
}
