//! Scopes become bounds: the universe, and for each signature and field a relation with what it
//! must and what it may hold.
//!
//! Atoms that an exact signature needs are its own from the start, so exact children of one parent
//! lie in disjoint constant sets. That loses no class: a permutation of the parent's atoms maps any
//! other choice to this one, and what remains interchangeable are the atoms inside each block. The
//! blocks are the sorts: atoms of one top-level signature that occur in the same bounds.

use rustc_hash::FxHashMap;
use tera_rel::{
    AtomId, AtomKind, FieldInfo, FieldMult, IntSemantics, Problem, RelId, Role, Schema, SigId, SigInfo,
    SigKind, TupleSet,
};
use tera_syntax::{Diagnostic, Span, Symbol};

use crate::order::Ordering;
use crate::scope::Scopes;
use crate::tree::*;
use crate::types::*;
use crate::world::*;

/// A problem without formulas yet.
pub(crate) struct Frame {
    pub problem: Problem,
    pub schema: Schema,
    pub sig_rel: Vec<Option<RelId>>,
    pub field_rel: Vec<Option<RelId>>,
    pub upper: Vec<TupleSet>,
    pub lower: Vec<TupleSet>,
    pub strings: FxHashMap<Symbol, AtomId>,
    /// The orderings that became constants.
    pub fixed_orders: Vec<SigIx>,
}

/// What the universe must hold beside the atoms of signatures.
#[derive(Clone, Default, Debug)]
pub(crate) struct Constants {
    pub ints: bool,
    /// In the order in which they are mentioned.
    pub strings: Vec<Symbol>,
}

/// More atoms, or a relation with more possible tuples, cannot be searched in any case.
const MAX_ATOMS: u64 = 1 << 16;
const MAX_TUPLES: usize = 1 << 26;
/// The sum over all relations, each with two bounds.
const MAX_ALL_TUPLES: usize = 1 << 30;

struct Building<'a> {
    world: &'a World,
    scopes: &'a Scopes,
    problem: Problem,
    /// See [`crate::LowerOptions::unfixed`].
    unfixed: bool,
    n_atoms: usize,
    next_atom: usize,
    upper: Vec<TupleSet>,
    lower: Vec<TupleSet>,
    /// Tuples of fields so far.
    n_tuples: usize,
}

pub(crate) fn build(
    world: &World,
    scopes: &Scopes,
    constants: &Constants,
    orderings: &[Ordering],
    unfixed: bool,
    place: Span,
) -> Result<Frame, Vec<Diagnostic>> {
    let mut building = Building {
        world,
        scopes,
        problem: Problem::default(),
        unfixed,
        n_atoms: 0,
        next_atom: 0,
        upper: Vec::new(),
        lower: Vec::new(),
        n_tuples: 0,
    };
    building.check_size(constants, place)?;
    let strings = building.make_universe(constants);
    building.bound_sigs(constants);
    let sorts = building.sorts();
    building.frame(constants, orderings, strings, sorts, place)
}

impl Building<'_> {
    fn size(&self, sig: SigIx) -> u64 {
        self.scopes.size[sig.0 as usize].unwrap_or(0)
    }

    fn is_exact(&self, sig: SigIx) -> bool {
        self.scopes.exact[sig.0 as usize]
    }

    fn n_ints(&self, constants: &Constants) -> u64 {
        let (low, high) = self.scopes.ints;
        if constants.ints && low <= high { high.abs_diff(low) + 1 } else { 0 }
    }

    /// Atoms of all signatures together must fit, and the unary relations too.
    fn check_size(&self, constants: &Constants, place: Span) -> Result<(), Vec<Diagnostic>> {
        let mut total = self.n_ints(constants);
        let mut largest: Option<(u64, SigIx)> = None;
        for sig in self.world.sigs_in_order() {
            if self.world.sig(sig).is_top() {
                let size = self.size(sig);
                total = total.saturating_add(size);
                if largest.is_none_or(|(most, _)| size > most) {
                    largest = Some((size, sig));
                }
            }
        }
        let unary = total.saturating_mul(self.world.sigs.len() as u64);
        if total <= MAX_ATOMS && unary <= MAX_ALL_TUPLES as u64 {
            return Ok(());
        }
        let mut diagnostic = Diagnostic::error(
            place,
            format!("this scope has {total} atoms, at most {MAX_ATOMS} can be handled"),
        );
        if let Some((size, sig)) = largest.filter(|(size, _)| *size > self.n_ints(constants)) {
            diagnostic = diagnostic.help(format!("`{}` alone has {size}", self.world.sig(sig).label));
        } else {
            diagnostic = diagnostic.help(format!("Int alone has {}", self.n_ints(constants)));
        }
        Err(vec![diagnostic])
    }

    /// Atoms of signatures (children before the rest of their parent), integers, strings.
    fn make_universe(&mut self, constants: &Constants) -> FxHashMap<Symbol, AtomId> {
        for sig in self.world.sigs_in_order() {
            if self.world.sig(sig).is_top() {
                self.name_atoms(sig);
            }
        }
        if constants.ints {
            let (low, high) = self.scopes.ints;
            for value in low..=high {
                self.problem.universe.push(value.to_string(), AtomKind::Int(value));
            }
        }
        let mut strings = FxHashMap::default();
        for &text in &constants.strings {
            let name = format!("\"{}\"", self.world.text(text));
            strings.insert(text, self.problem.universe.push(name, AtomKind::Str));
        }
        for i in 0..self.scopes.strings.unwrap_or(0).saturating_sub(constants.strings.len() as u64) {
            self.problem.universe.push(format!("\"String{i}\""), AtomKind::Str);
        }
        self.n_atoms = self.problem.universe.len();
        strings
    }

    fn name_atoms(&mut self, sig: SigIx) -> u64 {
        let mut lower = 0;
        for child in self.world.sig(sig).children.clone() {
            lower += self.name_atoms(child);
        }
        if self.is_exact(sig) || self.world.sig(sig).is_top() {
            for i in 0..self.size(sig).saturating_sub(lower) {
                let name = format!("{}${i}", self.world.sig(sig).label);
                self.problem.universe.push(name, AtomKind::Object);
            }
            return lower.max(self.size(sig));
        }
        lower
    }

    fn none(&self) -> TupleSet {
        TupleSet::empty(1, self.n_atoms)
    }

    fn bound_sigs(&mut self, constants: &Constants) {
        let n = self.world.sigs.len();
        self.upper = vec![self.none(); n];
        self.lower = vec![self.none(); n];
        for (atom, info) in self.problem.universe.atoms() {
            let index = atom.0 as usize;
            let builtin: &[SigIx] = match info.kind {
                AtomKind::Object => &[UNIV],
                AtomKind::Int(value) if value >= 0 && (value as u64) < self.scopes.max_seq => {
                    &[UNIV, INT, SEQ_INT]
                }
                AtomKind::Int(_) => &[UNIV, INT],
                AtomKind::Str => &[UNIV, STRING],
            };
            for sig in builtin {
                self.upper[sig.0 as usize].insert_index(index);
                if *sig != UNIV || info.kind != AtomKind::Object {
                    self.lower[sig.0 as usize].insert_index(index);
                }
            }
        }
        debug_assert!(constants.ints || self.problem.universe.ints().is_empty());
        let sigs = self.world.sigs_in_order();
        for &sig in sigs.iter().filter(|&&s| self.world.sig(s).is_top()) {
            self.bound_below(sig);
        }
        for &sig in sigs.iter().filter(|&&s| self.world.sig(s).is_top()) {
            self.bound_above(sig);
            if self.unfixed && !self.world.sig(sig).is_enum {
                self.unfix(sig);
            }
        }
        for sig in self.world.sorted_sigs.clone() {
            if let Parents::Subset { parents, exact } = &self.world.sig(sig).parents {
                let (mut upper, mut lower) = (self.none(), self.none());
                for parent in parents {
                    upper.union_with(&self.upper[parent.0 as usize]);
                    lower.union_with(&self.lower[parent.0 as usize]);
                }
                self.upper[sig.0 as usize] = upper;
                if *exact {
                    self.lower[sig.0 as usize] = lower;
                }
            }
        }
    }

    /// What must be in a signature: what must be in its children, and its own atoms if it is exact.
    fn bound_below(&mut self, sig: SigIx) {
        let mut lower = self.none();
        let mut count = 0;
        for child in self.world.sig(sig).children.clone() {
            self.bound_below(child);
            count += self.lower[child.0 as usize].indices().count() as u64;
            lower.union_with(&self.lower[child.0 as usize]);
        }
        let mut upper = lower.clone();
        if self.is_exact(sig) || self.world.sig(sig).is_top() {
            for _ in count..self.size(sig).max(count) {
                if self.is_exact(sig) {
                    lower.insert_index(self.next_atom);
                }
                upper.insert_index(self.next_atom);
                self.next_atom += 1;
            }
        }
        self.lower[sig.0 as usize] = lower;
        self.upper[sig.0 as usize] = upper;
    }

    /// What may be in the children: what may be in the parent and need not be in a sibling.
    fn bound_above(&mut self, sig: SigIx) {
        let mut free = self.upper[sig.0 as usize].clone();
        let children = self.world.sig(sig).children.clone();
        for child in &children {
            free.subtract(&self.lower[child.0 as usize]);
        }
        for child in children {
            let must = self.lower[child.0 as usize].indices().count() as u64;
            if self.size(child) > must {
                self.upper[child.0 as usize].union_with(&free);
            }
            self.bound_above(child);
        }
    }

    /// Lets everything below a top-level signature have any of its atoms.
    fn unfix(&mut self, top: SigIx) {
        let pool = self.upper[top.0 as usize].clone();
        self.lower[top.0 as usize] = if self.is_exact(top) { pool.clone() } else { self.none() };
        let mut below = self.world.sig(top).children.clone();
        while let Some(sig) = below.pop() {
            self.lower[sig.0 as usize] = self.none();
            self.upper[sig.0 as usize] = pool.clone();
            below.extend(&self.world.sig(sig).children);
        }
    }

    /// Object atoms, grouped by the bounds of signatures in which they occur.
    fn sorts(&self) -> Vec<Vec<AtomId>> {
        let mut keys: Vec<Vec<(usize, bool)>> = vec![Vec::new(); self.n_atoms];
        for sig in N_BUILTIN..self.world.sigs.len() {
            for atom in self.upper[sig].indices() {
                keys[atom].push((sig, self.lower[sig].contains_index(atom)));
            }
        }
        let mut groups: Vec<Vec<AtomId>> = Vec::new();
        let mut index: FxHashMap<&[(usize, bool)], usize> = FxHashMap::default();
        for (atom, info) in self.problem.universe.atoms() {
            if info.kind != AtomKind::Object {
                continue;
            }
            let group = *index.entry(&keys[atom.0 as usize]).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(atom);
        }
        groups
    }

    fn frame(
        mut self,
        constants: &Constants,
        orderings: &[Ordering],
        strings: FxHashMap<Symbol, AtomId>,
        mut sorts: Vec<Vec<AtomId>>,
        place: Span,
    ) -> Result<Frame, Vec<Diagnostic>> {
        let world = self.world;
        let mut schema = Schema::default();
        let mut sig_rel: Vec<Option<RelId>> = vec![None; world.sigs.len()];
        let mut sig_ids: Vec<Option<SigId>> = vec![None; world.sigs.len()];
        let mut listed: Vec<SigIx> = Vec::new();
        if constants.ints {
            listed.extend([INT, SEQ_INT]);
        }
        if self.lower[STRING.0 as usize].indices().next().is_some() {
            listed.push(STRING);
        }
        listed.extend(parents_first(world));
        for sig in listed {
            let s = world.sig(sig);
            let at = sig.0 as usize;
            let rel = self.problem.add_relation(
                s.label.clone(),
                Role::Visible,
                self.lower[at].clone(),
                self.upper[at].clone(),
            );
            sig_rel[at] = Some(rel);
            sig_ids[at] = Some(SigId(schema.sigs.len() as u32));
            let id = |sig: SigIx| sig_ids[sig.0 as usize];
            let kind = match &s.parents {
                _ if s.is_builtin => SigKind::Builtin,
                Parents::Extends(UNIV) => SigKind::Top,
                Parents::Extends(parent) => id(*parent).map_or(SigKind::Top, SigKind::Child),
                Parents::Subset { parents, exact } => SigKind::Subset {
                    parents: parents.iter().filter_map(|&p| id(p)).collect(),
                    exact: *exact,
                },
            };
            schema.sigs.push(SigInfo {
                label: s.label.clone(),
                rel,
                kind,
                is_abstract: s.is_abstract,
                is_one: s.is_one,
                is_lone: s.is_lone,
                is_some: s.is_some,
                is_enum: s.is_enum,
                is_private: s.is_private,
                is_var: s.is_var,
            });
        }
        let mut field_rel: Vec<Option<RelId>> = vec![None; world.fields.len()];
        let mut fixed_orders = Vec::new();
        for sig in world.sigs_in_order() {
            let ordering = orderings.iter().find(|o| o.holder == sig);
            let fixed = ordering.and_then(|o| self.fix_order(o, &mut sorts));
            if fixed.is_some() {
                fixed_orders.push(sig);
            }
            for decl in &world.sig(sig).decls {
                for &field in &decl.fields {
                    let f = &world.fields[field.index()];
                    let label = world.text(f.name).to_string();
                    let name = format!("{}.{label}", world.sig(sig).label);
                    let (lower, upper) = match (&fixed, ordering) {
                        (Some((first, next)), Some(o)) => {
                            let value = if o.first == field { first } else { next };
                            (value.clone(), value.clone())
                        }
                        _ => {
                            let upper = self.field_upper(sig, field, place)?;
                            (TupleSet::empty(upper.arity(), self.n_atoms), upper)
                        }
                    };
                    let rel = self.problem.add_relation(name, Role::Visible, lower, upper);
                    field_rel[field.index()] = Some(rel);
                    let Some(owner) = sig_ids[sig.0 as usize] else { continue };
                    schema.fields.push(FieldInfo {
                        label,
                        owner,
                        rel,
                        columns: self.columns(sig, field, owner, &sig_ids),
                        mult: field_mult(world, decl.bound),
                        is_private: f.is_private,
                        is_var: f.is_var,
                        is_defined: f.is_defined,
                    });
                }
            }
        }
        self.problem.sorts = sorts;
        self.problem.sorts.retain(|sort| sort.len() > 1);
        self.problem.ints = IntSemantics { overflow: Default::default(), bit_width: self.scopes.bit_width };
        Ok(Frame {
            problem: self.problem,
            schema,
            sig_rel,
            field_rel,
            upper: self.upper,
            lower: self.lower,
            strings,
            fixed_orders,
        })
    }

    /// The values of `First` and `Next` when the ordered signature is constant and all its atoms are
    /// interchangeable, or it is an enum. Every class has exactly one instance with this order.
    fn fix_order(&self, ordering: &Ordering, sorts: &mut [Vec<AtomId>]) -> Option<(TupleSet, TupleSet)> {
        let elem = ordering.elem.0 as usize;
        if self.lower[elem] != self.upper[elem] {
            return None;
        }
        let atoms: Vec<AtomId> = self.lower[elem].indices().map(|i| AtomId(i as u32)).collect();
        let holder: Vec<AtomId> =
            self.lower[ordering.holder.0 as usize].indices().map(|i| AtomId(i as u32)).collect();
        let ([holder], Some(&least)) = (holder.as_slice(), atoms.first()) else { return None };
        let is_enum = self.world.sig(ordering.elem).is_enum;
        if self.unfixed && !is_enum {
            return None;
        }
        if !is_enum && atoms.len() > 1 {
            // All in one sort, and it is still there: not used by another ordering.
            let sort = sorts.iter_mut().find(|sort| sort.as_slice() == atoms.as_slice())?;
            sort.clear();
        }
        TupleSet::capacity(3, self.n_atoms).filter(|&c| c <= MAX_TUPLES)?;
        let mut first = TupleSet::empty(2, self.n_atoms);
        first.insert(&[*holder, least]);
        let mut next = TupleSet::empty(3, self.n_atoms);
        for pair in atoms.windows(2) {
            next.insert(&[*holder, pair[0], pair[1]]);
        }
        Some((first, next))
    }

    fn field_upper(&mut self, sig: SigIx, field: FieldIx, place: Span) -> Result<TupleSet, Vec<Diagnostic>> {
        let world = self.world;
        let f = &world.fields[field.index()];
        let arity = world.types.arity(f.ty).unwrap_or(2).max(2);
        if TupleSet::capacity(arity, self.n_atoms).is_none_or(|c| c > MAX_TUPLES) {
            let message = format!(
                "the field `{}` has {arity} columns: in a scope of {} atoms that is more than can be handled",
                world.text(f.name),
                self.n_atoms
            );
            return Err(vec![Diagnostic::error(f.span, message).related(place, "in this scope")]);
        }
        self.n_tuples += TupleSet::capacity(arity, self.n_atoms).unwrap_or(MAX_ALL_TUPLES);
        if self.n_tuples > MAX_ALL_TUPLES {
            let message = format!(
                "the fields together are more than can be handled in a scope of {} atoms",
                self.n_atoms
            );
            return Err(vec![Diagnostic::error(place, message)]);
        }
        let mut upper = TupleSet::empty(arity, self.n_atoms);
        for entry in world.types.entries(f.ty) {
            let mut tuples = self.upper[entry[0].0 as usize].clone();
            tuples.intersect_with(&self.upper[sig.0 as usize]);
            for column in &entry[1..] {
                tuples = tuples.product(&self.upper[column.0 as usize]);
            }
            upper.union_with(&tuples);
        }
        Ok(upper)
    }

    fn columns(
        &self,
        sig: SigIx,
        field: FieldIx,
        owner: SigId,
        sig_ids: &[Option<SigId>],
    ) -> Vec<Vec<SigId>> {
        let world = self.world;
        let ty = world.fields[field.index()].ty;
        let entries = world.types.entries(ty);
        let arity = entries.first().map_or(0, |e| e.len());
        let mut columns = vec![vec![owner]];
        for column in 1..arity {
            let mut ids: Vec<SigId> = Vec::new();
            for entry in entries {
                let id = match entry[column] {
                    UNIV => continue,
                    sig => sig_ids[sig.0 as usize],
                };
                if let Some(id) = id
                    && !ids.contains(&id)
                {
                    ids.push(id);
                }
            }
            columns.push(ids);
        }
        // A range that is a subset signature is not in the type; its name says more.
        let decl = world.sig(sig).decls.iter().find(|d| d.fields.contains(&field));
        if let (2, Some(decl)) = (arity, decl)
            && let Kind::Unary(_, range) = world.node(decl.bound).kind
            && let Kind::Sig(range) = world.node(range).kind
            && let Some(id) = sig_ids[range.0 as usize]
        {
            columns[1] = vec![id];
        }
        columns
    }
}

fn field_mult(world: &World, bound: TId) -> FieldMult {
    match world.keyword(bound) {
        UnOp::OneOf => FieldMult::One,
        UnOp::LoneOf => FieldMult::Lone,
        UnOp::SomeOf => FieldMult::Some,
        _ => FieldMult::Set,
    }
}

/// All signatures, each after its parents, otherwise in the order of declaration.
fn parents_first(world: &World) -> Vec<SigIx> {
    let mut done = vec![false; world.sigs.len()];
    let mut result = Vec::new();
    for sig in world.sigs_in_order() {
        let mut stack = vec![sig];
        while let Some(&top) = stack.last() {
            let s = world.sig(top);
            if s.is_builtin || done[top.0 as usize] {
                stack.pop();
                continue;
            }
            let parents: Vec<SigIx> = match &s.parents {
                Parents::Extends(parent) => vec![*parent],
                Parents::Subset { parents, .. } => parents.clone(),
            };
            let open = parents.iter().find(|&&p| !world.sig(p).is_builtin && !done[p.0 as usize]);
            match open {
                Some(&parent) => stack.push(parent),
                None => {
                    done[top.0 as usize] = true;
                    result.push(top);
                    stack.pop();
                }
            }
        }
    }
    result
}
