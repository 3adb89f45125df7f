//! The specification that the types alone imply: a signature per type, a relation per field.
//!
//! It is what `tera init` writes as text. As a value it lets a Rust value be drawn, compared and
//! stored where no .als is at hand (inputs that a predicate or a choice program made).

use tera_rel::{
    AtomId, AtomKind, FieldInfo, FieldMult, ParamInfo, Problem, RelId, Role, Schema, SigId, SigInfo, SigKind,
    TupleSet,
};

use crate::describe::{Shape, TypeGraph, TypeIx};

/// How large the universe is.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Objects of each type, indexed by [`TypeIx`]; the last number counts for all further types.
    pub objects: Vec<usize>,
    /// The least and greatest integer.
    pub ints: (i64, i64),
    pub texts: Vec<String>,
}

/// The problem without any formula, and its schema.
pub fn natural(graph: &TypeGraph, extent: &Extent) -> (Problem, Schema) {
    let mut natural = Natural { problem: Problem::default(), schema: Schema::default(), sigs: Vec::new() };
    let mut pools: Vec<Vec<AtomId>> = Vec::new();
    let mut constants: Vec<Vec<Option<AtomId>>> = Vec::new();
    let universe = &mut natural.problem.universe;
    for (i, ty) in graph.types.iter().enumerate() {
        let objects = extent.objects.get(i).or(extent.objects.last()).copied().unwrap_or(0);
        // Variants without fields are constants; the others share the atoms of the type.
        let mut names = ty.variants.iter().map(|variant| {
            (ty.is_enum && variant.fields.is_empty())
                .then(|| universe.push(format!("{}$0", variant.sig), AtomKind::Object))
        });
        constants.push(names.by_ref().collect());
        let n = if ty.is_plain_enum() { 0 } else { objects };
        pools.push((0..n).map(|k| universe.push(format!("{}${k}", ty.sig), AtomKind::Object)).collect());
    }
    let ints: Vec<AtomId> =
        (extent.ints.0..=extent.ints.1).map(|k| universe.push(k.to_string(), AtomKind::Int(k))).collect();
    let texts: Vec<AtomId> =
        extent.texts.iter().map(|text| universe.push(format!("\"{text}\""), AtomKind::Str)).collect();
    let has_bool =
        [false, true].map(|value| universe.push(if value { "True$0" } else { "False$0" }, AtomKind::Object));

    let int = natural.constant_sig("Int", SigKind::Builtin, &ints);
    let text = natural.constant_sig("String", SigKind::Builtin, &texts);
    let bool_sig = natural.constant_sig("Bool", SigKind::Top, &has_bool);
    for (label, atom) in [("False", has_bool[0]), ("True", has_bool[1])] {
        natural.constant_sig(label, SigKind::Child(bool_sig), &[atom]);
    }
    for (i, ty) in graph.types.iter().enumerate() {
        let fixed: Vec<AtomId> = constants[i].iter().flatten().copied().collect();
        let all: Vec<AtomId> = fixed.iter().chain(&pools[i]).copied().collect();
        let sig = natural.sig(ty.sig, SigKind::Top, &fixed, &all);
        natural.sigs.push(vec![sig]);
        if ty.is_enum {
            natural.schema.sigs[sig.0 as usize].is_abstract = true;
            for (variant, constant) in ty.variants.iter().zip(&constants[i]) {
                let child = match constant {
                    Some(atom) => natural.constant_sig(variant.sig, SigKind::Child(sig), &[*atom]),
                    None => natural.sig(variant.sig, SigKind::Child(sig), &[], &pools[i]),
                };
                natural.sigs[i].push(child);
            }
        }
    }
    let leaf = Leaves { int, text, bool_sig };
    for (i, ty) in graph.types.iter().enumerate() {
        for (v, variant) in ty.variants.iter().enumerate() {
            let owner = natural.sigs[i][if ty.is_enum { v + 1 } else { 0 }];
            for field in &variant.fields {
                natural.field(owner, field.label, &field.shape, &leaf);
            }
        }
    }
    for root in &graph.roots {
        let mut columns = Vec::new();
        natural.columns(&root.shape, &leaf, &mut columns);
        if !columns.is_empty() {
            let rel = natural.relation(&root.label, &columns);
            natural.schema.params.push(ParamInfo { label: root.label.clone(), rel });
        }
    }
    natural.problem.sorts = pools;
    (natural.problem, natural.schema)
}

struct Leaves {
    int: SigId,
    text: SigId,
    bool_sig: SigId,
}

struct Natural {
    problem: Problem,
    schema: Schema,
    /// For each type, its signature and those of its variants.
    sigs: Vec<Vec<SigId>>,
}

impl Natural {
    fn sig(&mut self, label: &str, kind: SigKind, lower: &[AtomId], upper: &[AtomId]) -> SigId {
        let n = self.problem.universe.len();
        let [lower, upper] = [lower, upper].map(|atoms| TupleSet::unary(n, atoms.iter().copied()));
        let rel = self.problem.add_relation(label, Role::Visible, lower, upper);
        self.schema.sigs.push(SigInfo {
            label: label.into(),
            rel,
            kind,
            is_abstract: false,
            is_one: false,
            is_lone: false,
            is_some: false,
            is_enum: false,
            is_private: false,
            is_var: false,
        });
        SigId(self.schema.sigs.len() as u32 - 1)
    }

    fn constant_sig(&mut self, label: &str, kind: SigKind, atoms: &[AtomId]) -> SigId {
        let sig = self.sig(label, kind, atoms, atoms);
        self.schema.sigs[sig.0 as usize].is_one = atoms.len() == 1;
        sig
    }

    fn field(&mut self, owner: SigId, label: &str, shape: &Shape, leaves: &Leaves) {
        let mut columns = vec![vec![owner]];
        self.columns(shape, leaves, &mut columns);
        if columns.len() == 1 {
            return;
        }
        let rel = self.relation(label, &columns);
        let mult = match shape {
            _ if columns.len() > 2 => FieldMult::Set,
            Shape::Set(..) => FieldMult::Set,
            _ if shape.may_be_empty() => FieldMult::Lone,
            _ => FieldMult::One,
        };
        self.schema.fields.push(FieldInfo {
            label: label.into(),
            owner,
            rel,
            columns,
            mult,
            is_private: false,
            is_var: false,
            is_defined: false,
        });
        // What the elements do not show.
        let mut inner = shape;
        while let Shape::Wrap(_, next) = inner {
            inner = next;
        }
        match inner {
            Shape::Seq(seq, element)
                if element.may_be_empty() && !matches!(seq, crate::describe::Seq::Array(_)) =>
            {
                self.field(
                    owner,
                    &format!("{label}_len"),
                    &Shape::Int { rust: "usize", min: 0, max: 0 },
                    leaves,
                );
            }
            Shape::Map(name, key, value) if value.columns() > 0 && value.may_be_empty() => {
                self.field(owner, &format!("{label}_keys"), &Shape::Set(name, key.clone()), leaves);
            }
            _ => {}
        }
    }

    fn columns(&self, shape: &Shape, leaves: &Leaves, columns: &mut Vec<Vec<SigId>>) {
        match shape {
            Shape::Int { .. } => columns.push(vec![leaves.int]),
            Shape::Bool => columns.push(vec![leaves.bool_sig]),
            Shape::Char | Shape::Text { .. } => columns.push(vec![leaves.text]),
            Shape::Object(TypeIx(ix)) | Shape::Index { target: TypeIx(ix), .. } => {
                columns.push(vec![self.sigs[*ix as usize][0]])
            }
            Shape::Wrap(_, inner) | Shape::Option(inner) | Shape::Set(_, inner) => {
                self.columns(inner, leaves, columns)
            }
            Shape::Seq(_, element) => {
                columns.push(vec![leaves.int]);
                self.columns(element, leaves, columns);
            }
            Shape::Map(_, key, value) => {
                self.columns(key, leaves, columns);
                self.columns(value, leaves, columns);
            }
            Shape::Tuple(parts) => parts.iter().for_each(|part| self.columns(part, leaves, columns)),
            Shape::Skip(_) | Shape::Unit(_) => {}
        }
    }

    fn relation(&mut self, label: &str, columns: &[Vec<SigId>]) -> RelId {
        let n = self.problem.universe.len();
        let mut upper: Option<TupleSet> = None;
        for sigs in columns {
            let rel = self.schema.sigs[sigs[0].0 as usize].rel;
            let atoms = &self.problem.relation(rel).upper;
            upper = Some(match upper {
                None => atoms.clone(),
                Some(upper) => upper.product(atoms),
            });
        }
        let upper = upper.unwrap_or_else(|| TupleSet::empty(1, n));
        let lower = TupleSet::empty(upper.arity(), n);
        self.problem.add_relation(label, Role::Visible, lower, upper)
    }
}
