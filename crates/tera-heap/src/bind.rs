//! Joins the Rust types with a specification: which signature, which relation, which columns.
//!
//! A type goes to the signature of its name, a field to the field of its name in that signature
//! or one above it (`next_` where `next` is a word of the language). The shape of the field then
//! consumes the columns from left to right. What does not fit is an error that names both sides;
//! all errors are collected.

use std::fmt;

use tera_rel::{AtomId, AtomKind, FieldInfo, Instance, Problem, RelId, Schema, SigId, SigKind};

use crate::arena::arena_of_objects;
use crate::describe::{Seq, Shape, TypeGraph, TypeIx, VariantDesc};
use crate::plan::{Binding, FieldName, Ints, Leaf, Plan, TypePlan, VariantPlan};

/// Why a type and a specification do not belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BindError {
    /// One line.
    pub message: String,
    /// `src/list.rs:12`, empty when no field is to blame.
    pub place: String,
    pub help: String,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.place.is_empty() {
            write!(f, " ({})", self.place)?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  = help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for BindError {}

impl Binding {
    /// Binds the types to the relations of `problem`, as described by `schema`.
    pub fn new(graph: TypeGraph, problem: &Problem, schema: &Schema) -> Result<Binding, Vec<BindError>> {
        let mut binder = Binder {
            problem,
            schema,
            graph: &graph,
            sigs: Vec::new(),
            names: Vec::new(),
            pools: Vec::new(),
            pool_sigs: Vec::new(),
            errors: Vec::new(),
        };
        binder.sigs = (0..graph.types.len()).map(|ty| binder.sig_of_type(ty)).collect();
        let mut types: Vec<TypePlan> = (0..graph.types.len()).map(|ty| binder.ty(ty)).collect();
        let mut roots: Vec<Plan> = graph.roots.iter().map(|root| binder.root(root)).collect();
        let Binder { names, pools, errors, .. } = binder;
        if !errors.is_empty() {
            return Err(errors);
        }
        let links = mark_links(&graph, &mut types, &mut roots);
        let universe = &problem.universe;
        let n_atoms = universe.len();
        let mut texts: Vec<(String, AtomId)> = universe
            .atoms()
            .filter(|(_, atom)| atom.kind == AtomKind::Str)
            .map(|(id, atom)| (atom.name.trim_matches('"').to_string(), id))
            .collect();
        texts.sort();
        let atoms: Vec<String> = universe.atoms().map(|(_, atom)| atom.name.clone()).collect();
        Ok(Binding {
            n_atoms,
            types,
            roots,
            names,
            links,
            start: start(problem, schema),
            atoms,
            pools,
            ints: Ints::new(universe.ints(), n_atoms),
            texts,
            graph,
        })
    }
}

/// What is known before anything is: the lower bounds. What is in a signature is in those above it: `True` is a
/// `Bool`.
fn start(problem: &Problem, schema: &Schema) -> Instance {
    let mut start = Instance { values: problem.relations.iter().map(|r| r.lower.clone()).collect() };
    let rel = |sig: SigId| schema.sigs[sig.0 as usize].rel.0 as usize;
    for sig in &schema.sigs {
        let (mut parent, mut steps) = (&sig.kind, 0);
        while let SigKind::Child(above) = parent
            && steps < schema.sigs.len()
        {
            let known = problem.relation(sig.rel).lower.clone();
            start.values[rel(*above)].union_with(&known);
            (parent, steps) = (&schema.sigs[above.0 as usize].kind, steps + 1);
        }
    }
    start
}

struct Binder<'a> {
    problem: &'a Problem,
    schema: &'a Schema,
    graph: &'a TypeGraph,
    /// The signature of each type.
    sigs: Vec<Option<SigId>>,
    names: Vec<FieldName>,
    pools: Vec<Vec<AtomId>>,
    pool_sigs: Vec<SigId>,
    errors: Vec<BindError>,
}

/// What a shape is laid over: the columns of a relation from some point on.
struct Columns<'a> {
    rel: RelId,
    /// The signatures of each column.
    columns: &'a [Vec<SigId>],
    name: u32,
}

impl<'a> Binder<'a> {
    fn error(&mut self, place: &str, message: String, help: impl Into<String>) {
        self.errors.push(BindError { message, place: place.into(), help: help.into() });
    }

    fn label(&self, sig: SigId) -> &'a str {
        &self.schema.sigs[sig.0 as usize].label
    }

    /// A signature by its label, or by the last part of a qualified one.
    fn sig(&self, name: &str) -> Option<SigId> {
        let labels = || self.schema.sigs.iter().enumerate();
        let exact =
            labels().find(|(_, sig)| sig.label == name || sig.label.strip_prefix("this/") == Some(name));
        let found = exact.or_else(|| {
            let mut matches = labels().filter(|(_, sig)| sig.label.rsplit('/').next() == Some(name));
            matches.next().filter(|_| matches.next().is_none())
        });
        found.map(|(i, _)| SigId(i as u32))
    }

    fn sig_of_type(&mut self, ty: usize) -> Option<SigId> {
        let desc = &self.graph.types[ty];
        let sig = self.sig(desc.sig);
        if sig.is_none() {
            let message = format!("the specification has no signature `{}` for `{}`", desc.sig, desc.rust);
            let help = format!(
                "declare `sig {}`, or name the right one with `#[heap(sig = \"…\")]` on the type",
                desc.sig
            );
            self.error("", message, help);
        }
        sig
    }

    fn parents(&self, sig: SigId) -> Vec<SigId> {
        match &self.schema.sigs[sig.0 as usize].kind {
            SigKind::Child(parent) => vec![*parent],
            SigKind::Subset { parents, .. } => parents.clone(),
            SigKind::Top | SigKind::Builtin => Vec::new(),
        }
    }

    /// The signature and those above it, nearest first.
    fn lineage(&self, sig: SigId) -> Vec<SigId> {
        let mut line = vec![sig];
        let mut next = 0;
        while next < line.len() {
            for parent in self.parents(line[next]) {
                if !line.contains(&parent) {
                    line.push(parent);
                }
            }
            next += 1;
        }
        line
    }

    fn is_builtin(&self, sig: SigId, name: &str) -> bool {
        matches!(self.schema.sigs[sig.0 as usize].kind, SigKind::Builtin)
            && self.label(sig).rsplit('/').next() == Some(name)
    }

    fn is_int(&self, sig: SigId) -> bool {
        self.is_builtin(sig, "Int")
            // A subset of Int.
            || self.lineage(sig).iter().any(|&s| self.is_builtin(s, "Int"))
    }

    fn upper(&self, sig: SigId) -> Vec<AtomId> {
        let rel = self.schema.sigs[sig.0 as usize].rel;
        self.problem.relation(rel).upper.indices().map(|i| AtomId(i as u32)).collect()
    }

    fn ty(&mut self, ix: usize) -> TypePlan {
        let graph = self.graph;
        let desc = &graph.types[ix];
        let variants = match self.sigs[ix] {
            None => Vec::new(),
            Some(sig) => desc
                .variants
                .iter()
                .filter_map(|variant| {
                    if !desc.is_enum {
                        return Some(self.variant(sig, variant));
                    }
                    match self.sig(variant.sig) {
                        Some(child) if self.lineage(child).contains(&sig) => {
                            Some(self.variant(child, variant))
                        }
                        found => {
                            let message = match found {
                                None => format!(
                                    "the specification has no signature `{}` for `{}`",
                                    variant.sig, variant.path
                                ),
                                Some(_) => format!(
                                    "the signature `{}` for `{}` does not extend `{}`",
                                    variant.sig, variant.path, desc.sig
                                ),
                            };
                            let help = format!(
                                "declare `sig {} extends {}`, or name the right one with `#[heap(sig = \"…\")]` \
                                 on the variant",
                                variant.sig, desc.sig
                            );
                            self.error("", message, help);
                            None
                        }
                    }
                })
                .collect(),
        };
        TypePlan { ix: TypeIx(ix as u32), is_enum: desc.is_enum, variants }
    }

    fn variant(&mut self, sig: SigId, desc: &VariantDesc) -> VariantPlan {
        let lineage = self.lineage(sig);
        let info = &self.schema.sigs[sig.0 as usize];
        let pool = self.upper(sig);
        let lower = &self.problem.relation(info.rel).lower;
        let constant = match desc.fields.is_empty() && info.is_one && pool.len() == 1 && lower.len() == 1 {
            true => pool.first().copied(),
            false => None,
        };
        let ancestors = lineage[1..]
            .iter()
            .filter(|s| !matches!(self.schema.sigs[s.0 as usize].kind, SigKind::Builtin))
            .map(|s| self.schema.sigs[s.0 as usize].rel)
            .collect();
        let fields = desc.fields.iter().map(|field| self.field(sig, &lineage, field)).collect();
        VariantPlan { rel: info.rel, ancestors, constant, pool, fields }
    }

    fn find_field(&self, lineage: &[SigId], label: &str) -> Option<&'a FieldInfo> {
        let schema = self.schema;
        let find = |name: &str| {
            lineage.iter().find_map(|&sig| schema.fields.iter().find(|f| f.owner == sig && f.label == name))
        };
        find(label).or_else(|| find(&format!("{label}_")))
    }

    fn field(&mut self, sig: SigId, lineage: &[SigId], desc: &crate::describe::FieldDesc) -> Plan {
        let name = self.names.len() as u32;
        self.names.push(FieldName {
            label: format!("{}.{}", self.label(sig), desc.label),
            rust: desc.rust.into(),
            place: desc.place.into(),
        });
        let columns = |rel, columns| Columns { rel, columns, name };
        if hides_presence(&desc.shape) {
            self.presence(name, desc.place);
            return self.nothing(name);
        }
        if desc.shape.columns() == 0 {
            return self.nothing(name);
        }
        let Some(info) = self.find_field(lineage, desc.label) else {
            // `marked: bool` may be a subset signature `Marked`.
            if is_bool(&desc.shape)
                && let Some(flag) = self.flag(lineage, desc.label)
            {
                return self.plan(columns(flag, &[]), 1, Leaf::Flag, Vec::new());
            }
            if let Some(element) = arena_of_objects(&desc.shape) {
                return self.hidden_arena(element, name);
            }
            let message = format!(
                "the specification has no field `{}` in `{}` for `{}`",
                desc.label,
                self.label(sig),
                desc.rust
            );
            let help = "declare it, name the right one with `#[heap(name = \"…\")]`, or put `#[heap(skip)]` \
                        on the field if the specification does not speak of it";
            self.error(desc.place, message, help);
            return self.nothing(name);
        };
        let mut plan = self.shape(&desc.shape, &columns(info.rel, &info.columns[1..]), desc.place);
        plan.extent = plan.extent.or_else(|| self.extent(lineage, desc.label, &desc.shape));
        plan
    }

    /// The field that holds what empty elements do not show: `slots_len: one Int` for a sequence
    /// `slots`, `table_keys: set K` for a map `table`.
    fn extent(&self, lineage: &[SigId], label: &str, shape: &Shape) -> Option<RelId> {
        let suffix = match shape {
            Shape::Wrap(_, inner) => return self.extent(lineage, label, inner),
            Shape::Seq(Seq::Array(_), _) => return None,
            Shape::Seq(_, element) if element.may_be_empty() => "_len",
            Shape::Map(_, _, value) if value.columns() > 0 && value.may_be_empty() => "_keys",
            _ => return None,
        };
        self.find_field(lineage, &format!("{label}{suffix}")).filter(|f| f.columns.len() == 2).map(|f| f.rel)
    }

    /// A subset signature of the owner that is called like the field: `Marked` for `marked`.
    fn flag(&self, lineage: &[SigId], label: &str) -> Option<RelId> {
        let wanted: String = label.chars().filter(|c| *c != '_').collect();
        self.schema
            .sigs
            .iter()
            .find(|sig| {
                matches!(&sig.kind, SigKind::Subset { parents, .. } if parents.iter().any(|p| lineage.contains(p)))
                    && sig.label.rsplit('/').next().is_some_and(|l| l.eq_ignore_ascii_case(&wanted))
            })
            .map(|sig| sig.rel)
    }

    fn root(&mut self, desc: &crate::describe::RootDesc) -> Plan {
        let name = self.names.len() as u32;
        self.names.push(FieldName {
            label: desc.label.clone(),
            rust: desc.label.clone(),
            place: String::new(),
        });
        if hides_presence(&desc.shape) {
            self.presence(name, "");
            return self.nothing(name);
        }
        if desc.shape.columns() == 0 {
            return self.nothing(name);
        }
        // The relations of a pre-state have no result.
        if desc.is_result && !self.schema.params.iter().any(|p| p.label == desc.label) {
            return self.nothing(name);
        }
        let Some(param) = self.schema.params.iter().find(|p| p.label == desc.label) else {
            let known: Vec<&str> = self.schema.params.iter().map(|p| p.label.as_str()).collect();
            let message = format!("the specification has no parameter `{}`", desc.label);
            let help = match known.is_empty() {
                true => "the predicate has no parameters".to_string(),
                false => format!("its parameters are {}", known.join(", ")),
            };
            self.error("", message, help);
            return self.nothing(name);
        };
        // A parameter says no signatures: whatever the shape wants.
        let arity = self.problem.relation(param.rel).arity();
        let columns = vec![Vec::new(); arity];
        self.shape(&desc.shape, &Columns { rel: param.rel, columns: &columns, name }, "")
    }

    fn presence(&mut self, name: u32, place: &str) {
        let label = self.names[name as usize].label.clone();
        let message = format!("`{label}` counts values of a type without information (`()`, `PhantomData`)");
        let help = "use `bool` as the type argument, or put `#[heap(skip)]` on the field";
        self.error(place, message, help);
    }

    fn nothing(&self, name: u32) -> Plan {
        Plan {
            rel: RelId(0),
            rest: 0,
            span: 1,
            leaf: Leaf::Nothing,
            parts: Box::new([]),
            extent: None,
            name,
            links: false,
            unowned: false,
        }
    }

    /// An arena that the specification does not know.
    fn hidden_arena(&self, element: TypeIx, name: u32) -> Plan {
        let mut arena = self.nothing(name);
        arena.leaf = Leaf::Hidden;
        arena.parts = Box::new([Plan {
            rest: 1,
            span: self.problem.universe.len(),
            leaf: Leaf::Object(element),
            ..self.nothing(name)
        }]);
        arena
    }

    fn plan(&self, columns: Columns<'_>, span: usize, leaf: Leaf, parts: Vec<Plan>) -> Plan {
        Plan {
            rel: columns.rel,
            rest: columns.columns.len() as u32,
            span,
            leaf,
            parts: parts.into(),
            extent: None,
            name: columns.name,
            links: false,
            unowned: false,
        }
    }

    /// Lays `shape` over exactly `columns`.
    fn shape(&mut self, shape: &Shape, columns: &Columns<'_>, place: &str) -> Plan {
        let have = columns.columns.len();
        let n = self.problem.universe.len();
        let span = n.saturating_pow(have as u32);
        let part = |from: usize, to: usize| Columns { columns: &columns.columns[from..to], ..*columns };
        match shape {
            Shape::Skip(_) | Shape::Unit(_) => return self.nothing(columns.name),
            Shape::Wrap(_, inner) | Shape::Option(inner) => return self.shape(inner, columns, place),
            Shape::Set(_, element) => {
                self.no_link_key(element, columns, place);
                return self.shape(element, columns, place);
            }
            Shape::Seq(seq, element) if have == element.columns() && !matches!(seq, Seq::Array(_)) => {
                // The specification knows it as a set.
                let element = self.shape(element, columns, place);
                return self.plan(part(0, have), span, Leaf::Unordered, vec![element]);
            }
            _ => {}
        }
        let want = shape.columns();
        if have != want {
            let label = self.names[columns.name as usize].label.clone();
            let message = format!(
                "`{label}` has {} behind its owner in the specification, but its Rust type needs {want}",
                columns_text(have)
            );
            let help = format!("as `tera init` would declare it: `{}`", self.declaration(shape));
            self.error(place, message, help);
            return self.nothing(columns.name);
        }
        match shape {
            Shape::Seq(_, element) => {
                self.column_of_ints(&columns.columns[0], columns.name, place);
                let element = self.shape(element, &part(1, have), place);
                self.plan(part(0, have), span, Leaf::Several, vec![element])
            }
            Shape::Map(_, key, value) => {
                self.no_link_key(key, columns, place);
                let split = key.columns();
                let key = self.shape(key, &part(0, split), place);
                let value = self.shape(value, &part(split, have), place);
                self.plan(part(0, have), span, Leaf::Several, vec![key, value])
            }
            Shape::Tuple(shapes) => {
                let mut from = 0;
                let mut parts = Vec::new();
                for shape in shapes {
                    let to = from + shape.columns();
                    parts.push(self.shape(shape, &part(from, to), place));
                    from = to;
                }
                self.plan(part(0, have), span, Leaf::Several, parts)
            }
            _ => {
                let leaf = self.leaf(shape, &columns.columns[0], columns.name, place);
                self.plan(part(0, have), span, leaf, Vec::new())
            }
        }
    }

    /// Pointers that are written last would change keys that have been sorted or hashed.
    fn no_link_key(&mut self, key: &Shape, columns: &Columns<'_>, place: &str) {
        let mut link = false;
        key.walk(&mut |shape| link |= matches!(shape, Shape::Wrap(wrap, _) if wrap.is_link()));
        if link {
            let label = self.names[columns.name as usize].label.clone();
            let message = format!("`{label}` has raw or weak pointers as keys");
            self.error(place, message, "keys are ordered or hashed before addresses are known: use an index");
        }
    }

    fn column_of_ints(&mut self, sigs: &[SigId], name: u32, place: &str) {
        if !sigs.is_empty() && !sigs.iter().all(|&sig| self.is_int(sig)) {
            let label = self.names[name as usize].label.clone();
            let message = format!("the positions of `{label}` are not `Int` in the specification");
            self.error(place, message, "a sequence is `seq T`, i.e. `Int -> lone T`; or a plain `set T`");
        }
    }

    fn leaf(&mut self, shape: &Shape, sigs: &[SigId], name: u32, place: &str) -> Leaf {
        let mismatch = |this: &mut Self, what: &str, help: &str| {
            let label = this.names[name as usize].label.clone();
            let found: Vec<&str> = sigs.iter().map(|&s| this.label(s)).collect();
            let message =
                format!("`{label}` is {what} in Rust, but `{}` in the specification", found.join(" + "));
            this.error(place, message, help);
            Leaf::Nothing
        };
        match shape {
            Shape::Int { rust, .. } => match sigs {
                _ if sigs.iter().all(|&s| self.is_int(s)) => Leaf::Int,
                [sig] if !self.is_builtin(*sig, "String") => Leaf::Nth(self.pool(*sig)),
                _ => mismatch(self, rust, "declare it as `one Int`, or as an uninterpreted signature"),
            },
            Shape::Bool => match sigs {
                [] => self.bool_of(None),
                _ if sigs.iter().all(|&s| self.is_int(s)) => Leaf::Int,
                [sig] => match self.bool_of(Some(*sig)) {
                    Leaf::Nothing => mismatch(
                        self,
                        "bool",
                        "declare it as `one Bool` with `abstract sig Bool {} one sig True, False extends Bool {}`, \
                         as `one Int` (0 or 1), or as a subset signature of its owner, named like the field",
                    ),
                    leaf => leaf,
                },
                _ => mismatch(self, "bool", "declare it as `one Bool`"),
            },
            Shape::Char | Shape::Text { .. } => match sigs {
                _ if shape == &Shape::Char && !sigs.is_empty() && sigs.iter().all(|&s| self.is_int(s)) => {
                    Leaf::Int
                }
                [] => Leaf::Text,
                _ if sigs.iter().all(|&s| self.is_builtin(s, "String")) => Leaf::Text,
                [sig] if !self.is_int(*sig) => Leaf::Nth(self.pool(*sig)),
                _ => mismatch(self, "a text", "declare it as `one String`, or as an uninterpreted signature"),
            },
            Shape::Object(ix) | Shape::Index { target: ix, .. } => {
                let Some(sig) = self.sigs[ix.0 as usize] else { return Leaf::Nothing };
                let fits = sigs.is_empty()
                    || sigs.iter().any(|&s| {
                        self.lineage(s).contains(&sig)
                            || self.lineage(sig).contains(&s)
                            || self.is_builtin(s, "univ")
                    });
                match fits {
                    true => match shape {
                        Shape::Index { numbering, .. } => Leaf::Position { ty: *ix, numbering: *numbering },
                        _ => Leaf::Object(*ix),
                    },
                    false => {
                        let rust = self.graph.ty(*ix).rust;
                        mismatch(
                            self,
                            rust,
                            "the signatures of both sides must be the same, or one extend the other",
                        )
                    }
                }
            }
            _ => Leaf::Nothing,
        }
    }

    /// The two atoms of a signature of truth values.
    fn bool_of(&self, sig: Option<SigId>) -> Leaf {
        let Some(sig) = sig.or_else(|| self.sig("Bool")).or_else(|| self.sig("Boolean")) else {
            return match self.schema.sigs.iter().any(|s| s.label == "Int")
                || self.problem.universe.ints().len() > 1
            {
                true => Leaf::Int,
                false => Leaf::Nothing,
            };
        };
        let child = |names: &[&str]| {
            self.schema.sigs.iter().enumerate().find_map(|(i, info)| {
                let label = info.label.rsplit('/').next()?.to_ascii_lowercase();
                let is_child = matches!(info.kind, SigKind::Child(parent) if parent == sig);
                let atoms = self.upper(SigId(i as u32));
                (is_child && names.contains(&label.as_str()) && atoms.len() == 1).then(|| atoms[0])
            })
        };
        match (child(&["true", "yes", "t"]), child(&["false", "no", "f"])) {
            (Some(yes), Some(no)) => Leaf::Bool { yes, no },
            _ => Leaf::Nothing,
        }
    }

    fn pool(&mut self, sig: SigId) -> u32 {
        if let Some(i) = self.pool_sigs.iter().position(|&s| s == sig) {
            return i as u32;
        }
        self.pool_sigs.push(sig);
        self.pools.push(self.upper(sig));
        self.pools.len() as u32 - 1
    }

    /// How a shape is written in a specification; what `tera init` prints.
    fn declaration(&self, shape: &Shape) -> String {
        crate::declare::declaration(self.graph, shape)
    }
}

fn is_bool(shape: &Shape) -> bool {
    match shape {
        Shape::Wrap(_, inner) => is_bool(inner),
        shape => *shape == Shape::Bool,
    }
}

/// Whether it matters to a shape whether, or how often, there is something that is nothing to a specification.
fn hides_presence(shape: &Shape) -> bool {
    let mut hides = false;
    shape.walk(&mut |shape| {
        let inner = match shape {
            Shape::Option(inner) | Shape::Set(_, inner) => inner,
            Shape::Seq(seq, inner) if !matches!(seq, Seq::Array(_)) => inner,
            Shape::Wrap(wrap, inner) if wrap.is_link() => inner,
            _ => return,
        };
        hides |= inner.columns() == 0;
    });
    hides
}

fn columns_text(n: usize) -> String {
    match n {
        1 => "one column".into(),
        n => format!("{n} columns"),
    }
}

/// Finds the plans that the survey must look into: where there are pointers that do not own, every
/// object may be what they point to.
fn mark_links(graph: &TypeGraph, types: &mut [TypePlan], roots: &mut [Plan]) -> bool {
    let has_link = |shape: &Shape| {
        let mut any = false;
        shape.walk(&mut |shape| any |= matches!(shape, Shape::Wrap(wrap, _) if wrap.is_link()));
        any
    };
    let fields = graph.types.iter().flat_map(|ty| &ty.variants).flat_map(|v| &v.fields).map(|f| &f.shape);
    let shapes = || fields.clone().chain(graph.roots.iter().map(|r| &r.shape));
    if !shapes().any(has_link) {
        return false;
    }
    // By type whether something other than a raw pointer holds its objects.
    let mut owned = vec![false; types.len()];
    shapes().for_each(|shape| find_owned(shape, false, &mut owned));
    // Constants are the same wherever they stand: no pointer leads to one of them.
    let is_object = |ty: &TypePlan| ty.variants.iter().any(|variant| variant.constant.is_none());
    let marks: Vec<Mark> = (types.iter().zip(owned))
        .map(|(ty, owned)| Mark { is_object: is_object(ty), unowned: !owned })
        .collect();
    let plans = types.iter_mut().flat_map(|ty| &mut ty.variants).flat_map(|v| &mut v.fields);
    for (plan, shape) in plans.chain(roots).zip(shapes()) {
        // A pointer to a number is to be written as well.
        mark(plan, &marks);
        plan.links |= has_link(shape);
    }
    true
}

/// Notes the types of the objects in a shape; `is_raw` says that it stands behind a raw pointer.
fn find_owned(shape: &Shape, is_raw: bool, owned: &mut [bool]) {
    match shape {
        Shape::Object(ty) => owned[ty.0 as usize] |= !is_raw,
        Shape::Index { target, .. } => owned[target.0 as usize] = true,
        Shape::Wrap(wrap, inner) => find_owned(inner, wrap.is_raw(), owned),
        Shape::Option(inner) | Shape::Seq(_, inner) | Shape::Set(_, inner) => {
            find_owned(inner, false, owned);
        }
        Shape::Map(_, key, value) => {
            find_owned(key, false, owned);
            find_owned(value, false, owned);
        }
        Shape::Tuple(parts) => parts.iter().for_each(|part| find_owned(part, false, owned)),
        _ => {}
    }
}

/// What plans of a type are marked with.
struct Mark {
    is_object: bool,
    unowned: bool,
}

/// Returns whether anything inside is an object.
fn mark(plan: &mut Plan, marks: &[Mark]) -> bool {
    let inside = plan.parts.iter_mut().fold(false, |any, part| mark(part, marks) | any);
    let of_type = match plan.leaf {
        Leaf::Object(ty) => Some(&marks[ty.0 as usize]),
        _ => None,
    };
    plan.links = inside || of_type.is_some_and(|mark| mark.is_object);
    plan.unowned = of_type.is_some_and(|mark| mark.unowned);
    plan.links
}
