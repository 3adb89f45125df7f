//! The flat program that moves one input: for each field, which relation and which columns.
//!
//! A [`Binding`] joins a [`TypeGraph`] with the relations of one problem. It is made once per
//! contract (`bind.rs`); afterwards nothing is looked up by name. A tuple under construction is a
//! *prefix*: the row-major index of the columns known so far, so that "the tuples of `r` that start
//! with this prefix" are one interval of bits, and one more column `c` is `prefix * n + c`.

use tera_rel::{AtomId, RelId};

use crate::describe::{Numbering, TypeGraph, TypeIx};

/// How the columns of one relation, from some prefix on, are a Rust value. Pointers, cells and
/// options use the plan of what they hold.
#[derive(Clone, Debug)]
pub struct Plan {
    pub rel: RelId,
    /// How many columns are left, and how many tuples have one prefix: `n^rest`.
    pub rest: u32,
    pub span: usize,
    pub leaf: Leaf,
    /// Sequences: the element. Maps: key and value. Tuples: each component.
    pub parts: Box<[Plan]>,
    /// For elements that may be empty: the unary field that says how long a sequence is, or the
    /// relation that holds the keys of a map.
    pub extent: Option<RelId>,
    /// Index into [`Binding::names`].
    pub name: u32,
    /// Whether something inside is a pointer that does not own, or can be pointed to by one.
    pub links: bool,
    /// Whether raw pointers alone hold the objects of this type: then none of them has to wait for
    /// an owner.
    pub unowned: bool,
}

/// What stands in the last column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// No column at all.
    Nothing,
    /// Several columns; see [`Plan::parts`].
    Several,
    /// A sequence that the specification knows as a set: ascending atoms.
    Unordered,
    Int,
    /// An uninterpreted signature (its index in [`Binding::pools`]): the `k`-th atom is the number
    /// `k`, or the text that is its name.
    Nth(u32),
    Bool {
        yes: AtomId,
        no: AtomId,
    },
    /// A unary relation over the owner: true when it is in it.
    Flag,
    Text,
    Object(TypeIx),
    /// An integer in Rust that names an object of the arena around.
    Position {
        ty: TypeIx,
        numbering: Numbering,
    },
    /// An arena that the specification does not know.
    Hidden,
}

/// An object type and its signatures.
#[derive(Clone, Debug)]
pub struct TypePlan {
    pub ix: TypeIx,
    pub is_enum: bool,
    pub variants: Vec<VariantPlan>,
}

#[derive(Clone, Debug)]
pub struct VariantPlan {
    /// Its own signature, and those above it.
    pub rel: RelId,
    pub ancestors: Vec<RelId>,
    /// A `one` signature without fields: always this atom.
    pub constant: Option<AtomId>,
    /// The atoms it may have, ascending.
    pub pool: Vec<AtomId>,
    pub fields: Box<[Plan]>,
}

/// The names of a field or root, for messages and paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldName {
    /// `Node.next`, or the name of a root.
    pub label: String,
    /// `next`
    pub rust: String,
    /// `src/list.rs:12`, empty for roots.
    pub place: String,
}

/// A type graph bound to the relations of one problem.
#[derive(Clone, Debug)]
pub struct Binding {
    pub graph: TypeGraph,
    pub n_atoms: usize,
    /// Indexed by [`TypeIx`].
    pub types: Vec<TypePlan>,
    /// Indexed like [`TypeGraph::roots`].
    pub roots: Vec<Plan>,
    pub names: Vec<FieldName>,
    /// Whether there are pointers that do not own.
    pub links: bool,
    /// What every relation holds before anything is known: its lower bound.
    pub start: tera_rel::Instance,
    /// The names of all atoms.
    pub atoms: Vec<String>,
    /// For each uninterpreted signature that stands for numbers or texts, its atoms.
    pub pools: Vec<Vec<AtomId>>,
    pub(crate) ints: Ints,
    /// `(text, atom)`, sorted.
    pub(crate) texts: Vec<(String, AtomId)>,
}

/// Integers and their atoms, both ways.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ints {
    /// `(value, atom)`, ascending.
    pairs: Vec<(i64, AtomId)>,
    /// Whether the values are consecutive.
    dense: bool,
    /// By atom; `i64::MIN` for what is no integer.
    values: Vec<i64>,
}

impl Ints {
    pub fn new(pairs: &[(i64, AtomId)], n_atoms: usize) -> Ints {
        let mut values = vec![i64::MIN; n_atoms];
        for &(value, atom) in pairs {
            values[atom.0 as usize] = value;
        }
        let dense = pairs.windows(2).all(|w| w[0].0 + 1 == w[1].0);
        Ints { pairs: pairs.to_vec(), dense, values }
    }

    #[inline]
    pub fn atom(&self, value: i64) -> Option<AtomId> {
        if self.dense {
            let first = self.pairs.first()?.0;
            let i = usize::try_from(value.checked_sub(first)?).ok()?;
            return self.pairs.get(i).map(|p| p.1);
        }
        self.pairs.binary_search_by_key(&value, |p| p.0).ok().map(|i| self.pairs[i].1)
    }

    #[inline]
    pub fn value(&self, atom: usize) -> Option<i64> {
        self.values.get(atom).copied().filter(|&v| v != i64::MIN)
    }
}

impl Binding {
    #[inline]
    pub fn ty(&self, ix: TypeIx) -> &TypePlan {
        &self.types[ix.0 as usize]
    }

    pub fn name(&self, plan: &Plan) -> &FieldName {
        &self.names[plan.name as usize]
    }

    pub fn atom_name(&self, atom: usize) -> &str {
        self.atoms.get(atom).map_or("?", String::as_str)
    }

    /// The relations that the types have, ascending.
    pub fn relations(&self) -> Vec<RelId> {
        fn of_plan(plan: &Plan, all: &mut Vec<RelId>) {
            if plan.leaf != Leaf::Nothing {
                all.push(plan.rel);
            }
            all.extend(plan.extent);
            plan.parts.iter().for_each(|part| of_plan(part, all));
        }
        let mut all = Vec::new();
        for variant in self.types.iter().flat_map(|ty| &ty.variants) {
            all.push(variant.rel);
            all.extend(&variant.ancestors);
            variant.fields.iter().for_each(|field| of_plan(field, &mut all));
        }
        self.roots.iter().for_each(|root| of_plan(root, &mut all));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The position of the root of this name.
    pub fn root(&self, label: &str) -> Option<usize> {
        self.graph.roots.iter().position(|root| root.label == label)
    }
}
