//! Contracts: a precondition over one state, a postcondition over two.
//!
//! The formulas see the names of the root module and the parameters. *TestEra style* (no `var`
//! field in the file): in a postcondition a name followed by a back-tick is the pre-state, an
//! unmarked one the post-state. *Alloy 6 style* (the file declares `var`): unmarked names are the
//! pre-state, primed expressions and what stands under `after` the post-state.
//!
//! Both states share one universe. An argument that is an object has one value, the same in both
//! states: the object that was passed, whose fields may have changed. A number or collection that
//! is passed by `&mut` has two: the marked name is the value before in TestEra style; in Alloy 6 style `v'` and `v`.

use tera_rel::{NodeId, ParamInfo, Problem, RelId, Relation, Role, Schema, TupleSet};
use tera_syntax::ast::{ExprId, File};
use tera_syntax::{Diagnostic, Sources, Span, Symbol};

use crate::bounds::{self, Constants, Frame};
use crate::check::Cx;
use crate::command::{add_params, finish};
use crate::facts::Conjuncts;
use crate::lower::{self, Lowering, StateRels, States, Value};
use crate::needs::needs;
use crate::order::find_orderings;
use crate::scope::{self, ScopeDefaults, Scopes};
use crate::tree::*;
use crate::types::*;
use crate::world::*;
use crate::{Failure, LowerOptions, Lowered, Origin, Spec};

/// An argument or the result, as the formulas see it.
#[derive(Clone, Debug)]
pub struct ContractParam {
    pub name: String,
    /// What Alloy would write behind the colon: `List`, `lone Node`, `set Node`, `Int -> lone Int`.
    pub bound: String,
    /// The result: unknown to the precondition, and the same with and without a mark.
    pub is_result: bool,
    /// An argument that has two values, before and after the call.
    pub changes: bool,
}

/// The formulas of a contract; an empty text is true.
#[derive(Clone, Default, Debug)]
pub struct ContractText {
    pub requires: String,
    pub ensures: String,
    /// Holds before and after the call. In the postcondition its unmarked names are the post-state
    /// in both styles.
    pub invariant: String,
}

/// How much larger the universe of the postcondition is than that of the precondition: the subject
/// may make new objects and numbers out of the scope.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Widen {
    /// Further atoms of top-level signatures.
    pub objects: Vec<(String, usize)>,
    /// The least and greatest Int atom there must be at least.
    pub ints: Option<(i64, i64)>,
    pub strings: Vec<String>,
}

/// The postcondition, over relations of both states.
pub struct Post {
    /// Its relations are those of the pre-state and then those of the post-state; its conjuncts are
    /// those of `ensures` and `invariant`, split as far as predicates and `and` go, so that each
    /// can be judged by itself. Atoms have the names they have in the precondition's universe.
    pub problem: Problem,
    /// For each conjunct, where it was written and what it is (`sorted[list]`).
    pub origins: Vec<Origin>,
    /// As in [`Lowered::spans`].
    pub spans: Vec<Option<Span>>,
    /// As in [`Lowered::var_names`].
    pub var_names: Vec<String>,
    /// The names of the relations that hold the pre-state, arguments included.
    pub before: Schema,
    /// Of those that hold the post-state, arguments and result included. A relation that does not
    /// change (not `var`, in Alloy 6 style) is the same as in `before`.
    pub after: Schema,
    /// What the spans point into: the files of the specification and the texts of the contract.
    pub sources: Sources,
}

impl Post {
    pub fn span(&self, node: NodeId) -> Option<Span> {
        self.spans.get(node.0 as usize).copied().flatten()
    }

    /// Whether the value of a relation of `after` is that of `before` by definition.
    pub fn is_shared(&self, rel: RelId) -> bool {
        self.before.sigs.iter().map(|s| s.rel).any(|r| r == rel)
            || self.before.fields.iter().any(|f| f.rel == rel)
            || self.before.params.iter().any(|p| p.rel == rel)
    }
}

/// The typed parts of a contract.
struct Typed {
    /// By parameter: its variable and its bound.
    params: Vec<(VarIx, TId)>,
    requires: Option<TId>,
    ensures: Option<TId>,
    invariant: Option<TId>,
}

impl Spec {
    /// The inputs: facts, invariant and precondition, with the parameters as relations (in
    /// `schema.params`), *rooted*: no heap object outside what the parameters reach.
    pub fn lower_precondition(
        &self,
        params: &[ContractParam],
        text: &ContractText,
        options: &LowerOptions,
    ) -> Result<Lowered, Failure> {
        let mut world = self.world.clone();
        let typed = type_contract(&mut world, params, text)?;
        precondition(&mut world, params, &typed, options).map_err(|diagnostics| failure(&world, diagnostics))
    }

    /// The oracle. `options` are those of the precondition.
    pub fn lower_postcondition(
        &self,
        params: &[ContractParam],
        text: &ContractText,
        options: &LowerOptions,
        widen: &Widen,
    ) -> Result<Post, Failure> {
        let mut world = self.world.clone();
        let typed = type_contract(&mut world, params, text)?;
        postcondition(&mut world, params, &typed, options, widen)
            .map_err(|diagnostics| failure(&world, diagnostics))
    }
}

fn failure(world: &World, diagnostics: Vec<Diagnostic>) -> Failure {
    Failure { sources: world.sources.clone(), diagnostics: crate::in_order(diagnostics) }
}

/// Types the bounds of the parameters and the formulas, in this order, so that the pseudo-files of
/// a contract always have the same numbers.
fn type_contract(world: &mut World, params: &[ContractParam], text: &ContractText) -> Result<Typed, Failure> {
    let before = world.diagnostics.len();
    let mut cx = Cx::new(0);
    cx.in_params = true;
    let mut typed = Typed { params: Vec::new(), requires: None, ensures: None, invariant: None };
    let mut env: Vec<(Symbol, TId, bool)> = Vec::new();
    for param in params {
        let name = format!("the bound of {}", param.name);
        let Some((file, id)) = parse(world, &name, &param.bound) else { continue };
        let bound = world.check_bound(&mut cx, &file, id);
        let bound = world.resolve_set(bound, false);
        let bound = world.default_one(bound);
        let ty = if world.report(bound) { TypeId::EMPTY } else { world.ty(bound) };
        let symbol = world.interner.intern(&param.name);
        let var = world.local(symbol, ty, world.span(bound));
        world.locals[var.index()].used = true;
        let node = world.var_node(var, Span::default());
        env.push((symbol, node, param.is_result));
        typed.params.push((var, bound));
    }
    for (name, text, sees_result) in [
        ("precondition", &text.requires, false),
        ("postcondition", &text.ensures, true),
        ("invariant", &text.invariant, false),
    ] {
        if text.trim().is_empty() {
            continue;
        }
        let Some((file, id)) = parse(world, name, text) else { continue };
        let mut cx = Cx::new(0);
        cx.env = env.iter().filter(|(.., result)| sees_result || !result).map(|&(n, e, _)| (n, e)).collect();
        let formula = world.check(&mut cx, &file, id);
        let formula = world.resolve_formula(formula, true);
        if world.report(formula) {
            continue;
        }
        match name {
            "precondition" => typed.requires = Some(formula),
            "postcondition" => typed.ensures = Some(formula),
            _ => typed.invariant = Some(formula),
        }
    }
    let diagnostics = world.diagnostics.split_off(before);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(failure(world, diagnostics));
    }
    Ok(typed)
}

fn parse(world: &mut World, name: &str, text: &str) -> Option<(File, ExprId)> {
    let source = world.sources.add(name, text);
    let (file, body, diagnostics) = tera_syntax::parse_expression(source, text, &mut world.interner);
    world.diagnostics.extend(diagnostics);
    body.map(|body| (file, body))
}

impl Typed {
    fn expressions(&self) -> Vec<TId> {
        let formulas = [self.requires, self.ensures, self.invariant];
        self.params.iter().map(|&(_, bound)| bound).chain(formulas.into_iter().flatten()).collect()
    }
}

fn scopes_of(
    world: &mut World,
    options: &LowerOptions,
) -> Result<(tera_syntax::ast::Scope, Scopes), Vec<Diagnostic>> {
    let scope = match &options.scope {
        Some(text) => crate::parse_scope(world, text)?,
        None => Default::default(),
    };
    let defaults = ScopeDefaults { korat_ints: options.korat_ints, growth: options.growth };
    let scopes = scope::compute(world, &scope, Span::default(), defaults)?;
    Ok((scope, scopes))
}

fn precondition(
    world: &mut World,
    params: &[ContractParam],
    typed: &Typed,
    options: &LowerOptions,
) -> Result<Lowered, Vec<Diagnostic>> {
    let (_, scopes) = scopes_of(world, options)?;
    let world = &*world;
    let constants = needs(world, &typed.expressions());
    let mut frame =
        bounds::build(world, &scopes, &constants, &find_orderings(world), false, Span::default())?;
    frame.problem.ints.overflow = options.overflow;
    let rels = StateRels { sig: frame.sig_rel.clone(), field: frame.field_rel.clone() };
    let problem = std::mem::take(&mut frame.problem);
    let mut lowering = Lowering::new(world, problem, rels, scopes.ints);
    lowering.strings = frame.strings.clone();
    let mut conjuncts = Conjuncts::default();
    lowering.sig_conjuncts(&frame, &scopes, &mut conjuncts);
    let mut run = || -> lower::Lowered<()> {
        lowering.field_conjuncts(&frame, &mut conjuncts)?;
        lowering.fact_conjuncts(&frame, &mut conjuncts)?;
        for (param, &(var, bound)) in params.iter().zip(&typed.params) {
            if !param.is_result {
                let decl = TDecl { vars: vec![var], disj: false, bound };
                add_params(&mut lowering, &mut frame, "contract", &decl, &mut conjuncts)?;
            }
        }
        lowering.plain_texts = true;
        for formula in [typed.invariant, typed.requires].into_iter().flatten() {
            lowering.conjoin(formula, "", &mut conjuncts)?;
        }
        lowering.root_at_params(&frame, &mut conjuncts);
        Ok(())
    };
    run().map_err(|diagnostic| vec![*diagnostic])?;
    Ok(finish(lowering, frame, conjuncts, &scopes, constants.ints))
}

fn postcondition(
    world: &mut World,
    params: &[ContractParam],
    typed: &Typed,
    options: &LowerOptions,
    widen: &Widen,
) -> Result<Post, Vec<Diagnostic>> {
    let (_, mut scopes) = scopes_of(world, options)?;
    let mut constants = needs(world, &typed.expressions());
    widen_scopes(world, &mut scopes, &mut constants, widen);
    let world = &*world;
    let primed = world.temporal_construct().is_some();
    let mut frame =
        bounds::build(world, &scopes, &constants, &find_orderings(world), false, Span::default())?;
    loosen(world, &mut frame);
    frame.problem.ints.overflow = options.overflow;
    let before = StateRels { sig: frame.sig_rel.clone(), field: frame.field_rel.clone() };
    let mut problem = std::mem::take(&mut frame.problem);
    let mut before_schema = std::mem::take(&mut frame.schema);

    // Parameters as they are before, then everything again as it is after.
    let mut values: Vec<[Option<RelId>; 2]> = Vec::new();
    for (param, &(var, _)) in params.iter().zip(&typed.params) {
        let mut rel = || -> Result<RelId, Vec<Diagnostic>> {
            let upper = upper_of(world, &frame, world.locals[var.index()].ty, problem.universe.len())?;
            let lower = TupleSet::empty(upper.arity(), problem.universe.len());
            Ok(problem.add_relation(param.name.clone(), Role::Visible, lower, upper))
        };
        let before = if param.is_result { None } else { Some(rel()?) };
        if let Some(rel) = before {
            before_schema.params.push(ParamInfo { label: param.name.clone(), rel });
        }
        values.push([before, None]);
    }
    let mut after_schema = before_schema.clone();
    after_schema.params.clear();
    let mut after = before.clone();
    for sig in world.sigs_in_order() {
        let Some(old) = before.sig[sig.0 as usize] else { continue };
        if problem.relation(old).is_constant() || (primed && !changes(world, sig)) {
            continue;
        }
        let new = copy(&mut problem, old);
        after.sig[sig.0 as usize] = Some(new);
        after_schema.sigs.iter_mut().filter(|s| s.rel == old).for_each(|s| s.rel = new);
    }
    for (i, field) in world.fields.iter().enumerate() {
        let Some(old) = before.field[i] else { continue };
        if problem.relation(old).is_constant() || (primed && !field.is_var && !changes(world, field.sig)) {
            continue;
        }
        let new = copy(&mut problem, old);
        after.field[i] = Some(new);
        after_schema.fields.iter_mut().filter(|f| f.rel == old).for_each(|f| f.rel = new);
    }
    for ((param, &(var, _)), value) in params.iter().zip(&typed.params).zip(&mut values) {
        let new = match value[0] {
            Some(rel) if !param.changes => rel,
            _ => {
                let upper = upper_of(world, &frame, world.locals[var.index()].ty, problem.universe.len())?;
                let lower = TupleSet::empty(upper.arity(), problem.universe.len());
                problem.add_relation(param.name.clone(), Role::Visible, lower, upper)
            }
        };
        value[1] = Some(new);
        after_schema.params.push(ParamInfo { label: param.name.clone(), rel: new });
    }

    let mut lowering = Lowering::new(world, problem, before, scopes.ints);
    lowering.rels.push(after);
    lowering.strings = frame.strings.clone();
    lowering.plain_texts = true;
    for (&(var, _), value) in typed.params.iter().zip(&values) {
        let [old, new] =
            [value[0].or(value[1]), value[1]].map(|rel| rel.expect("every parameter has a value after"));
        let both = [old, new].map(|rel| Value::Set(lowering.relation(rel)));
        lowering.state_vars.insert(var, both);
    }
    let mut conjuncts = Conjuncts::default();
    let mut run = || -> lower::Lowered<()> {
        (lowering.states, lowering.state) = if primed { (States::Primed, 0) } else { (States::BackTick, 1) };
        if let Some(ensures) = typed.ensures {
            lowering.conjoin(ensures, "", &mut conjuncts)?;
        }
        lowering.state = 1;
        if let Some(invariant) = typed.invariant {
            lowering.conjoin(invariant, "", &mut conjuncts)?;
        }
        Ok(())
    };
    run().map_err(|diagnostic| vec![*diagnostic])?;
    lowering.problem.conjuncts = conjuncts.nodes;
    lowering.problem.sorts.clear();
    Ok(Post {
        problem: lowering.problem,
        origins: conjuncts.origins,
        spans: lowering.spans,
        var_names: lowering.var_names,
        before: before_schema,
        after: after_schema,
        sources: world.sources.clone(),
    })
}

/// May the value of the signature differ between the states of a file with `var`?
fn changes(world: &World, sig: SigIx) -> bool {
    let s = world.sig(sig);
    s.is_var || s.children.iter().any(|&child| changes(world, child))
}

fn copy(problem: &mut Problem, rel: RelId) -> RelId {
    let Relation { name, role, lower, upper } = problem.relation(rel).clone();
    problem.add_relation(format!("{name} after"), role, lower, upper)
}

/// Any state may be judged: signatures that are not constant may hold any atom of their top-level
/// signature, fields any tuple of such atoms.
fn loosen(world: &World, frame: &mut Frame) {
    let n = frame.problem.universe.len();
    for &sig in &world.sorted_sigs {
        let at = sig.0 as usize;
        let s = world.sig(sig);
        if s.is_enum || (frame.lower[at] == frame.upper[at] && (s.is_one || world.exact_sigs.contains(&sig)))
        {
            continue;
        }
        if let Parents::Extends(parent) = s.parents
            && parent != UNIV
        {
            frame.upper[at] = frame.upper[parent.0 as usize].clone();
        }
        frame.lower[at] = TupleSet::empty(1, n);
        if let Some(rel) = frame.sig_rel[at] {
            let relation = &mut frame.problem.relations[rel.0 as usize];
            relation.lower = frame.lower[at].clone();
            relation.upper = frame.upper[at].clone();
        }
    }
    for (i, field) in world.fields.iter().enumerate() {
        let Some(rel) = frame.field_rel[i] else { continue };
        if frame.problem.relation(rel).is_constant() {
            continue;
        }
        if let Ok(upper) = upper_of(world, frame, field.ty, n) {
            frame.problem.relations[rel.0 as usize].upper = upper;
        }
    }
}

fn upper_of(world: &World, frame: &Frame, ty: TypeId, n: usize) -> Result<TupleSet, Vec<Diagnostic>> {
    let arity = world.types.arity(ty).unwrap_or(1).max(1);
    if TupleSet::capacity(arity, n).is_none_or(|c| c > 1 << 26) {
        let message = format!("a relation of {arity} columns over {n} atoms is more than can be handled");
        return Err(vec![Diagnostic::error(Span::default(), message)]);
    }
    let mut upper = TupleSet::empty(arity, n);
    for entry in world.types.entries(ty) {
        let mut tuples = frame.upper[entry[0].0 as usize].clone();
        for column in &entry[1..] {
            tuples = tuples.product(&frame.upper[column.0 as usize]);
        }
        upper.union_with(&tuples);
    }
    Ok(upper)
}

fn widen_scopes(world: &mut World, scopes: &mut Scopes, constants: &mut Constants, widen: &Widen) {
    for (label, more) in &widen.objects {
        let sig = world
            .sigs_in_order()
            .into_iter()
            .find(|&s| world.sig(s).is_top() && world.sig(s).label == *label);
        if let Some(sig) = sig {
            let size = &mut scopes.size[sig.0 as usize];
            *size = Some(size.unwrap_or(0) + *more as u64);
        }
    }
    if let Some((low, high)) = widen.ints {
        constants.ints = true;
        let (old_low, old_high) = scopes.ints;
        scopes.ints = if old_low <= old_high { (low.min(old_low), high.max(old_high)) } else { (low, high) };
        let bits = |v: i64| 65 - if v < 0 { (!v).leading_zeros() } else { v.leading_zeros() };
        scopes.bit_width = scopes.bit_width.max(bits(scopes.ints.0)).max(bits(scopes.ints.1));
        // A sequence that grew has its indices among the sequence indices.
        scopes.max_seq = scopes.max_seq.max((scopes.ints.1 + 1).max(0) as u64);
    }
    for text in &widen.strings {
        let symbol = world.interner.intern(text);
        if !constants.strings.contains(&symbol) {
            constants.strings.push(symbol);
        }
    }
}
