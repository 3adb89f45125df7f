//! Instance → Rust source that builds the value: a counterexample as a test of its own.
//!
//! What is owned once is one nested expression. Everything else gets a name: objects behind `Rc`
//! or `Arc` that are shared, objects that raw pointers own, and the targets of raw and weak
//! pointers. Names are made children first; an edge to what is not finished yet (a cycle), and
//! every pointer that owns nothing, is written afterwards by an assignment.
//!
//! Invariant: the text builds what [`crate::Concretizer`] builds.

use std::collections::{BTreeMap, BTreeSet};

use tera_rel::Instance;

use crate::bits::{all_in, first_in};
use crate::concretize::Fault;
use crate::describe::{FieldDesc, Seq, Shape, Style, TypeIx, Wrap};
use crate::plan::{Binding, Leaf, Plan};

/// Rust statements that build some roots.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Source {
    /// Paths to import: `std::rc::Rc`.
    pub uses: Vec<String>,
    /// Statements before the roots are there, the roots themselves, and statements after.
    pub statements: Vec<String>,
    /// For each root, its expression where that is all there is to say.
    pub expressions: Vec<Option<String>>,
}

impl Source {
    /// All of it, one statement per line.
    pub fn text(&self) -> String {
        let uses = self.uses.iter().map(|path| format!("use {path};\n"));
        let statements = self.statements.iter().map(|statement| format!("{statement}\n"));
        uses.chain(statements).collect()
    }
}

/// The source of some roots, each bound to a variable of its name.
pub fn source(binding: &Binding, instance: &Instance, roots: &[(usize, &str)]) -> Result<Source, Fault> {
    let mut printer = Printer {
        binding,
        instance,
        uses: BTreeSet::new(),
        counts: BTreeMap::new(),
        links: Vec::new(),
        names: BTreeMap::new(),
        open: BTreeSet::new(),
        places: BTreeMap::new(),
        before: Vec::new(),
        after: Vec::new(),
        numbers: BTreeMap::new(),
        arenas: Vec::new(),
        taken: roots.iter().map(|(_, name)| name.to_string()).collect(),
    };
    for &(root, _) in roots {
        printer.count(&binding.graph.roots[root].shape, &binding.roots[root], 0);
    }
    printer.count_orphans();
    let mut lets = Vec::new();
    let mut expressions = Vec::new();
    for &(root, name) in roots {
        let place = Place { text: name.into(), ..Place::default() };
        let value = printer.value(&binding.graph.roots[root].shape, &binding.roots[root], 0, &place)?;
        lets.push(format!("let mut {name} = {value};"));
        expressions.push(value);
    }
    printer.orphans()?;
    let simple = printer.before.is_empty() && printer.after.is_empty() && printer.links.is_empty();
    printer.write_links()?;
    let Printer { uses, before, after, .. } = printer;
    Ok(Source {
        uses: uses.into_iter().map(String::from).collect(),
        statements: before.into_iter().chain(lets).chain(after).collect(),
        expressions: expressions.into_iter().map(|e| simple.then_some(e)).collect(),
    })
}

/// How often an object is pointed to, and how.
#[derive(Clone, Copy, Default)]
struct Count {
    owners: u32,
    counted: bool,
    weak: bool,
    raw: bool,
    arc: bool,
}

/// A place in a value: `list.header.as_mut().unwrap()`, to be dereferenced so many times.
#[derive(Clone, Default)]
struct Place {
    text: String,
    stars: usize,
    /// Behind a counted pointer and in no cell: not to be borrowed as mutable.
    frozen: bool,
    /// The patterns that lead into enums, outermost first: `if let Kind::Leaf { 0: part0, .. } = &mut node.kind`.
    /// The last binds what `text` begins with, as a reference.
    openings: Vec<String>,
}

impl Place {
    fn then(&self, suffix: &str, stars: usize) -> Place {
        Place { text: format!("{}{suffix}", self.text), stars, ..self.clone() }
    }

    fn deref(&self) -> Place {
        Place { stars: self.stars + 1, ..self.clone() }
    }

    fn lvalue(&self) -> String {
        "*".repeat(self.stars) + &self.text
    }
}

/// A pointer that is written when everything has its place.
struct Link {
    place: Place,
    /// From the outside in, what is around the pointer: `Option`, `Cell`.
    around: Vec<Around>,
    wrap: Wrap,
    atom: usize,
    /// The shape between the pointer and the object.
    pointee: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Some,
    Cell,
}

/// An object that needs a name of its own.
struct Named {
    name: String,
    wrap: Wrap,
}

struct Printer<'a> {
    binding: &'a Binding,
    instance: &'a Instance,
    uses: BTreeSet<&'static str>,
    counts: BTreeMap<usize, Count>,
    links: Vec<Link>,
    names: BTreeMap<usize, Named>,
    /// Objects whose expression is being printed.
    open: BTreeSet<usize>,
    /// Where the object of each atom is, seen from a root or a name.
    places: BTreeMap<usize, Place>,
    before: Vec<String>,
    after: Vec<String>,
    numbers: BTreeMap<&'static str, usize>,
    arenas: Vec<Positions>,
    taken: BTreeSet<String>,
}

/// The atoms of an arena by position.
struct Positions {
    ty: TypeIx,
    atoms: Vec<Option<usize>>,
    grows: bool,
}

type Text = Result<String, Fault>;

fn fault(message: String) -> Fault {
    Fault { message }
}

impl<'a> Printer<'a> {
    fn first(&self, plan: &Plan, at: usize) -> Option<usize> {
        first_in(self.instance.value(plan.rel), at * plan.span, plan.span)
    }

    fn all(&self, plan: &Plan, at: usize) -> Vec<usize> {
        all_in(self.instance.value(plan.rel), at * plan.span, plan.span).collect()
    }

    /// The values of the next column behind the prefix.
    fn columns(&self, plan: &Plan, at: usize, span: usize) -> Vec<usize> {
        let mut columns: Vec<usize> = self.all(plan, at).into_iter().map(|tuple| tuple / span).collect();
        columns.dedup();
        columns
    }

    fn variant(&self, ty: TypeIx, atom: usize) -> Result<usize, Fault> {
        let plan = self.binding.ty(ty);
        let found = match plan.variants.len() {
            1 => Some(0),
            _ => plan.variants.iter().position(|v| self.instance.value(v.rel).contains_index(atom)),
        };
        found.ok_or_else(|| fault(format!("{} has no variant", self.binding.atom_name(atom))))
    }

    /// The fields of an object with their plans.
    fn fields(&self, ty: TypeIx, atom: usize) -> Vec<(&'a FieldDesc, &'a Plan)> {
        let Ok(variant) = self.variant(ty, atom) else { return Vec::new() };
        let desc = &self.binding.graph.ty(ty).variants[variant];
        desc.fields.iter().zip(self.binding.ty(ty).variants[variant].fields.iter()).collect()
    }

    /// Counts the owners of everything behind the prefix.
    fn count(&mut self, shape: &'a Shape, plan: &'a Plan, at: usize) {
        match shape {
            Shape::Option(inner) => self.count(inner, plan, at),
            Shape::Seq(Seq::Arena, _) if plan.leaf == Leaf::Hidden => {}
            Shape::Set(_, element) => {
                for tuple in self.all(plan, at) {
                    self.count_tuple(element, plan, tuple, Wrap::Box);
                }
            }
            Shape::Seq(_, element) if plan.leaf == Leaf::Unordered => {
                for tuple in self.all(&plan.parts[0], at) {
                    self.count_tuple(element, &plan.parts[0], tuple, Wrap::Box);
                }
            }
            Shape::Seq(_, element) => {
                for column in self.columns(plan, at, plan.parts[0].span) {
                    self.count(element, &plan.parts[0], at * self.binding.n_atoms + column);
                }
            }
            Shape::Map(_, key, value) => {
                for k in self.columns(plan, at, plan.span / plan.parts[0].span) {
                    self.count_tuple(key, &plan.parts[0], k, Wrap::Box);
                    self.count(value, &plan.parts[1], at * plan.parts[0].span + k);
                }
            }
            Shape::Wrap(_, inner) if shape_is_collection(inner) => self.count(inner, plan, at),
            Shape::Skip(_) | Shape::Unit(_) => {}
            _ => {
                if let Some(tuple) = self.first(plan, at) {
                    self.count_tuple(shape, plan, tuple, Wrap::Box);
                }
            }
        }
    }

    fn count_tuple(&mut self, shape: &'a Shape, plan: &'a Plan, tuple: usize, held: Wrap) {
        match shape {
            Shape::Wrap(wrap, inner) => {
                let held = if wrap.is_cell() || matches!(wrap, Wrap::Newtype(..)) { held } else { *wrap };
                self.count_tuple(inner, plan, tuple, held);
            }
            Shape::Option(inner) => self.count_tuple(inner, plan, tuple, held),
            Shape::Tuple(parts) => {
                for ((part, plan), column) in parts.iter().zip(plan.parts.iter()).zip(split(plan, tuple)) {
                    self.count_tuple(part, plan, column, held);
                }
            }
            Shape::Object(ty) => {
                let count = self.counts.entry(tuple).or_default();
                match held {
                    Wrap::RcWeak | Wrap::ArcWeak => {
                        count.weak = true;
                        count.arc = held == Wrap::ArcWeak;
                        return;
                    }
                    _ if held.is_link() => {
                        count.raw = true;
                        return;
                    }
                    Wrap::Rc | Wrap::Arc => {
                        count.counted = true;
                        count.arc = held == Wrap::Arc;
                    }
                    _ => {}
                }
                count.owners += 1;
                if count.owners == 1 {
                    for (desc, plan) in self.fields(*ty, tuple) {
                        self.count(&desc.shape, plan, tuple);
                    }
                }
            }
            Shape::Index { target, .. } => {
                // Through an arena that the specification does not know.
                let count = self.counts.entry(tuple).or_default();
                if count.owners == 0 {
                    count.owners = 1;
                    for (desc, plan) in self.fields(*target, tuple) {
                        self.count(&desc.shape, plan, tuple);
                    }
                }
            }
            _ => {}
        }
    }

    /// What only pointers that own nothing lead to is counted as well.
    fn count_orphans(&mut self) {
        while let Some(atom) = self.counts.iter().find(|(_, c)| c.owners == 0).map(|(&atom, _)| atom) {
            let count = self.counts.entry(atom).or_default();
            count.owners = 1;
            count.counted = count.weak;
            if let Some(ty) = self.type_of(atom) {
                for (desc, plan) in self.fields(ty, atom) {
                    self.count(&desc.shape, plan, atom);
                }
            }
        }
    }

    fn type_of(&self, atom: usize) -> Option<TypeIx> {
        let has = |ty: &&crate::plan::TypePlan| {
            ty.variants.iter().any(|v| self.instance.value(v.rel).contains_index(atom))
        };
        self.binding.types.iter().find(has).map(|ty| ty.ix)
    }

    /// The expression of everything behind the prefix; `place` is where it is going to be.
    fn value(&mut self, shape: &'a Shape, plan: &'a Plan, at: usize, place: &Place) -> Text {
        match shape {
            Shape::Skip(text) => Ok(text.to_string()),
            Shape::Unit(text) => {
                if let Some(path) = path_of(text) {
                    self.uses.insert(path);
                }
                Ok(text.to_string())
            }
            Shape::Option(inner) => match self.first(plan, at) {
                None => Ok("None".into()),
                Some(tuple) => {
                    let value = self.tuple(
                        inner,
                        plan,
                        tuple,
                        &place.then(".as_mut().unwrap()", 1),
                        &[Around::Some],
                    )?;
                    Ok(value.map_or("None".into(), |value| format!("Some({value})")))
                }
            },
            Shape::Seq(seq, element) => self.sequence(*seq, element, plan, at, place),
            Shape::Set(name, element) => {
                let tuples = self.all(plan, at);
                let values = self.elements(tuples, |this, tuple| this.plain(element, plan, tuple, place))?;
                Ok(format!("{}([{values}])", self.short(name)))
            }
            Shape::Map(name, key, value) => {
                let n = self.binding.n_atoms;
                let keys = match plan.extent {
                    Some(rel) => all_in(self.instance.value(rel), at * n, n).collect(),
                    None => self.columns(plan, at, plan.span / plan.parts[0].span),
                };
                let entries = self.elements(keys, |this, k| {
                    let key = this.plain(key, &plan.parts[0], k, place)?;
                    let place = place.then(&format!(".get_mut(&{key}).unwrap()"), 1);
                    let value = this.value(value, &plan.parts[1], at * plan.parts[0].span + k, &place)?;
                    Ok(format!("({key}, {value})"))
                })?;
                Ok(format!("{}([{entries}])", self.short(name)))
            }
            Shape::Wrap(wrap, inner) if shape_is_collection(inner) => {
                let inside = self.value(inner, plan, at, &self.inside(*wrap, place))?;
                Ok(self.wrapped(*wrap, &inside))
            }
            Shape::Bool if plan.leaf == Leaf::Flag => Ok(self.first(plan, at).is_some().to_string()),
            Shape::Index { null: Some(null), .. } if self.first(plan, at).is_none() => Ok(null.to_string()),
            Shape::Wrap(wrap, _) if wrap.is_link() && self.first(plan, at).is_none() => Ok(self.null(*wrap)),
            _ => {
                let Some(tuple) = self.first(plan, at) else {
                    return Err(fault(format!("{} has no value", self.binding.name(plan).label)));
                };
                match self.tuple(shape, plan, tuple, place, &[])? {
                    Some(value) => Ok(value),
                    None => Err(fault(format!(
                        "{} is part of a cycle that no expression can build",
                        self.binding.name(plan).label
                    ))),
                }
            }
        }
    }

    fn elements(&mut self, items: Vec<usize>, mut print: impl FnMut(&mut Self, usize) -> Text) -> Text {
        let values = items.into_iter().map(|item| print(self, item)).collect::<Result<Vec<_>, _>>()?;
        Ok(values.join(", "))
    }

    fn sequence(&mut self, seq: Seq, element: &'a Shape, plan: &'a Plan, at: usize, place: &Place) -> Text {
        let inner = &plan.parts[0];
        let n = self.binding.n_atoms;
        let mut values = Vec::new();
        match plan.leaf {
            Leaf::Hidden => {
                let mut i = 0;
                while let Some(&Some(atom)) = self.arenas.last().and_then(|arena| arena.atoms.get(i)) {
                    values.push(self.plain(element, inner, atom, &place.then(&format!("[{i}]"), 0))?);
                    i += 1;
                }
            }
            Leaf::Unordered => {
                for (i, tuple) in self.all(inner, at).into_iter().enumerate() {
                    values.push(self.plain(element, inner, tuple, &place.then(&format!("[{i}]"), 0))?);
                }
            }
            _ => {
                let position = |this: &Self, column| this.binding.ints.value(column).unwrap_or(0) as usize;
                let len = match seq {
                    Seq::Array(len) => len,
                    _ => {
                        let columns = self.columns(plan, at, inner.span);
                        let shown = columns.iter().map(|&c| position(self, c) + 1).max().unwrap_or(0);
                        let said = plan.extent.and_then(|rel| first_in(self.instance.value(rel), at * n, n));
                        said.map_or(shown, |atom| position(self, atom))
                    }
                };
                for i in 0..len {
                    let atom = self.binding.ints.atom(i as i64);
                    let Some(atom) = atom.map(|a| a.0 as usize) else {
                        return Err(fault(format!("there is no Int {i}")));
                    };
                    values.push(self.value(
                        element,
                        inner,
                        at * n + atom,
                        &place.then(&format!("[{i}]"), 0),
                    )?);
                }
            }
        }
        let values = values.join(", ");
        Ok(match seq {
            Seq::Vec | Seq::Arena => format!("vec![{values}]"),
            Seq::BoxedSlice => format!("vec![{values}].into_boxed_slice()"),
            Seq::Array(_) => format!("[{values}]"),
            Seq::VecDeque => {
                self.uses.insert("std::collections::VecDeque");
                format!("VecDeque::from(vec![{values}])")
            }
            Seq::Other(make) => format!("{}(vec![{values}])", self.short(make)),
        })
    }

    /// `HashMap::from_iter` for `std::collections::HashMap::from_iter`.
    fn short(&mut self, path: &'static str) -> &'static str {
        let Some((ty, _)) = path.rsplit_once("::") else { return path };
        match ty.rsplit_once("::") {
            Some((module, _)) => {
                self.uses.insert(ty);
                &path[module.len() + 2..]
            }
            None => path,
        }
    }

    /// A tuple where nothing can be written later.
    fn plain(&mut self, shape: &'a Shape, plan: &'a Plan, tuple: usize, place: &Place) -> Text {
        match self.tuple(shape, plan, tuple, place, &[])? {
            Some(value) => Ok(value),
            None => Err(fault(format!(
                "{} is part of a cycle that no expression can build",
                self.binding.name(plan).label
            ))),
        }
    }

    /// The expression of one tuple; `None` when it has to be written later.
    fn tuple(
        &mut self,
        shape: &'a Shape,
        plan: &'a Plan,
        tuple: usize,
        place: &Place,
        around: &[Around],
    ) -> Result<Option<String>, Fault> {
        match shape {
            Shape::Wrap(wrap, inner) if wrap.is_link() && object_of(inner).is_some() => {
                let place = match around.contains(&Around::Some) {
                    true => outside_option(place),
                    false => place.clone(),
                };
                self.links.push(Link {
                    place,
                    around: around.to_vec(),
                    wrap: *wrap,
                    atom: tuple,
                    pointee: (**inner).clone(),
                });
                Ok(match (around.contains(&Around::Some), wrap) {
                    (true, _) => None,
                    (false, Wrap::NonNull) => {
                        self.uses.insert("std::ptr::NonNull");
                        Some("NonNull::dangling()".into())
                    }
                    (false, _) => Some(self.null(*wrap)),
                })
            }
            Shape::Wrap(wrap @ (Wrap::Rc | Wrap::Arc), inner) if object_of(inner).is_some() => {
                let count = self.counts.get(&tuple).copied().unwrap_or_default();
                if count.owners < 2 && !count.weak && !count.raw {
                    let inside = self.plain(inner, plan, tuple, &place.deref())?;
                    return Ok(Some(self.wrapped(*wrap, &inside)));
                }
                if self.open.contains(&tuple) {
                    let place = outside_option(place);
                    let (wrap, pointee) = (*wrap, (**inner).clone());
                    self.links.push(Link { place, around: around.to_vec(), wrap, atom: tuple, pointee });
                    return Ok(None);
                }
                let name = self.named(inner, plan, tuple, *wrap)?;
                Ok(Some(format!("{}::clone(&{name})", if *wrap == Wrap::Arc { "Arc" } else { "Rc" })))
            }
            Shape::Wrap(wrap, inner) => {
                let mut around = around.to_vec();
                if *wrap == Wrap::Cell {
                    around.push(Around::Cell);
                } else {
                    around.clear();
                }
                let inside = self.inside(*wrap, place);
                let value = self.tuple(inner, plan, tuple, &inside, &around)?;
                Ok(value.map(|value| self.wrapped(*wrap, &value)))
            }
            Shape::Option(inner) => {
                let value =
                    self.tuple(inner, plan, tuple, &place.then(".as_mut().unwrap()", 1), &[Around::Some])?;
                Ok(Some(value.map_or("None".into(), |value| format!("Some({value})"))))
            }
            Shape::Tuple(parts) => {
                let columns = split(plan, tuple);
                let mut values = Vec::new();
                for (i, (part, inner)) in parts.iter().zip(plan.parts.iter()).enumerate() {
                    values.push(self.plain(part, inner, columns[i], &place.then(&format!(".{i}"), 0))?);
                }
                let comma = if values.len() == 1 { "," } else { "" };
                Ok(Some(format!("({}{comma})", values.join(", "))))
            }
            Shape::Object(ty) => self.object(*ty, tuple, place).map(Some),
            _ => self.scalar(shape, plan, tuple).map(Some),
        }
    }

    fn scalar(&mut self, shape: &Shape, plan: &Plan, tuple: usize) -> Text {
        let name = self.binding.atom_name(tuple).trim_matches('"');
        let rank = |pool: u32| {
            let atoms = &self.binding.pools[pool as usize];
            atoms.iter().position(|a| a.0 as usize == tuple).map(|k| k as i64)
        };
        let number = match plan.leaf {
            Leaf::Nth(pool) => rank(pool),
            Leaf::Position { ty, .. } => return self.position(plan, ty, tuple),
            _ => self.binding.ints.value(tuple),
        };
        Ok(match shape {
            Shape::Bool => match plan.leaf {
                Leaf::Bool { yes, .. } => (yes.0 as usize == tuple).to_string(),
                _ => (number == Some(1)).to_string(),
            },
            Shape::Char => {
                let letter = match plan.leaf {
                    Leaf::Text => name.chars().next(),
                    Leaf::Nth(_) => number.and_then(|k| char::from_u32(97 + k as u32)),
                    _ => number.and_then(|k| char::from_u32(k as u32)),
                };
                format!("{:?}", letter.unwrap_or('?'))
            }
            Shape::Text { make: "" } => format!("{name:?}"),
            Shape::Text { make } => format!("{make}({name:?})"),
            _ => match (number, shape) {
                (Some(number), Shape::Int { rust, .. }) if rust.contains("NonZero") => {
                    format!("{rust}::new({number}).unwrap()")
                }
                (Some(number), Shape::Int { rust, .. }) if rust.contains("Atomic") => {
                    format!("{rust}::new({number})")
                }
                (Some(number), _) => number.to_string(),
                (None, _) => return Err(fault(format!("{name} is no number"))),
            },
        })
    }

    fn position(&mut self, plan: &Plan, ty: TypeIx, atom: usize) -> Text {
        for arena in self.arenas.iter_mut().rev().filter(|arena| arena.ty == ty) {
            if let Some(i) = arena.atoms.iter().position(|&a| a == Some(atom)) {
                return Ok(i.to_string());
            }
            if arena.grows {
                arena.atoms.push(Some(atom));
                return Ok((arena.atoms.len() - 1).to_string());
            }
        }
        Err(fault(format!("{}: no arena around holds it", self.binding.name(plan).label)))
    }

    fn open_arenas(&mut self, fields: &[(&'a FieldDesc, &'a Plan)], at: usize) {
        for (desc, plan) in fields {
            if !is_arena(&desc.shape) {
                continue;
            }
            let Some(&Leaf::Object(ty)) = plan.parts.first().map(|part| &part.leaf) else { continue };
            let element = &plan.parts[0];
            let mut atoms = Vec::new();
            match plan.leaf {
                Leaf::Hidden => {}
                Leaf::Unordered => atoms.extend(self.all(element, at).into_iter().map(Some)),
                _ => {
                    for column in self.columns(plan, at, element.span) {
                        let i = self.binding.ints.value(column).unwrap_or(0) as usize;
                        if atoms.len() <= i {
                            atoms.resize(i + 1, None);
                        }
                        atoms[i] = self.first(element, at * self.binding.n_atoms + column);
                    }
                }
            }
            self.arenas.push(Positions { ty, atoms, grows: plan.leaf == Leaf::Hidden });
        }
    }

    fn object(&mut self, ty: TypeIx, atom: usize, place: &Place) -> Text {
        let variant = self.variant(ty, atom)?;
        let desc = &self.binding.graph.ty(ty).variants[variant];
        let fields = self.fields(ty, atom);
        self.places.entry(atom).or_insert_with(|| place.clone());
        if !fields.is_empty() && !self.open.insert(atom) {
            return Err(fault(format!("{} owns itself", self.binding.atom_name(atom))));
        }
        let outer = self.arenas.len();
        self.open_arenas(&fields, atom);
        // Arenas last, as they are made.
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by_key(|&i| is_arena(&fields[i].0.shape));
        let mut values = vec![String::new(); fields.len()];
        for i in order {
            let (field, plan) = fields[i];
            let place = match self.binding.graph.ty(ty).is_enum {
                true => self.inside_enum(desc.path, field.rust, place),
                false => place.then(&format!(".{}", field.rust), 0),
            };
            values[i] = self.value(&field.shape, plan, atom, &place)?;
        }
        self.arenas.truncate(outer);
        self.open.remove(&atom);
        Ok(match desc.style {
            Style::Unit => desc.path.to_string(),
            Style::Tuple => format!("{}({})", desc.path, values.join(", ")),
            Style::Named if fields.is_empty() => format!("{} {{}}", desc.path),
            Style::Named => {
                let pairs: Vec<String> = fields
                    .iter()
                    .zip(values)
                    .map(|((field, _), value)| format!("{}: {value}", field.rust))
                    .collect();
                format!("{} {{ {} }}", desc.path, pairs.join(", "))
            }
        })
    }

    /// A field of a variant can be named by a pattern only.
    fn inside_enum(&mut self, path: &str, field: &str, place: &Place) -> Place {
        let number = self.numbers.entry("part").or_default();
        let part = format!("part{number}");
        *number += 1;
        let reference = if place.frozen { "&" } else { "&mut " };
        let mut openings = place.openings.clone();
        openings.push(format!("if let {path} {{ {field}: {part}, .. }} = {reference}{}", place.lvalue()));
        Place { text: part, stars: 1, frozen: place.frozen, openings }
    }

    /// A variable name for an object: `node0`.
    fn fresh(&mut self, atom: usize) -> String {
        let sig = self.type_of(atom).map_or("Object", |ty| self.binding.graph.ty(ty).sig);
        loop {
            let number = self.numbers.entry(sig).or_default();
            let name = format!("{}{number}", snake(sig));
            *number += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The variable of a counted object, made now.
    fn named(&mut self, inner: &'a Shape, plan: &'a Plan, atom: usize, wrap: Wrap) -> Text {
        if let Some(named) = self.names.get(&atom) {
            return Ok(named.name.clone());
        }
        let name = self.fresh(atom);
        let place = Place { text: name.clone(), stars: 1, frozen: true, ..Place::default() };
        let inside = self.plain(inner, plan, atom, &place)?;
        let value = self.wrapped(wrap, &inside);
        self.before.push(format!("let {name} = {value};"));
        self.names.insert(atom, Named { name: name.clone(), wrap });
        Ok(name)
    }

    /// Objects that only pointers that own nothing lead to.
    fn orphans(&mut self) -> Result<(), Fault> {
        let mut next = 0;
        while let Some(link) = self.links.get(next) {
            next += 1;
            let (atom, wrap, pointee) = (link.atom, link.wrap, link.pointee.clone());
            if self.places.contains_key(&atom) || self.names.contains_key(&atom) {
                continue;
            }
            let Some(ty) = object_of(&pointee) else { continue };
            let name = self.fresh(atom);
            let weak = matches!(wrap, Wrap::RcWeak | Wrap::ArcWeak);
            let held = match wrap {
                Wrap::ArcWeak => Wrap::Arc,
                Wrap::RcWeak => Wrap::Rc,
                _ => Wrap::RawMut,
            };
            // The object itself; what is between it and the pointer is wrapped around it.
            let place = match weak {
                true => Place { text: name.clone(), stars: 1, frozen: true, ..Place::default() },
                false => Place { text: format!("(*{name})"), ..Place::default() },
            };
            let (opening, closing, place) = self.between(&pointee, place);
            let value = self.object(ty, atom, &place)?;
            let value = format!("{opening}{value}{closing}");
            let value = match weak {
                true => self.wrapped(held, &value),
                false => format!("Box::into_raw(Box::new({value}))"),
            };
            self.before.push(format!("let {name} = {value};"));
            self.names.insert(atom, Named { name, wrap: held });
        }
        Ok(())
    }

    /// The constructors of the cells around an object, and where the object then is.
    fn between(&mut self, shape: &Shape, place: Place) -> (String, String, Place) {
        match shape {
            Shape::Wrap(wrap, inner) => {
                let inside = self.inside(*wrap, &place);
                let mark = "\u{1}";
                let around = self.wrapped(*wrap, mark);
                let (before, after) = around.split_once(mark).unwrap_or(("", ""));
                let (opening, closing, place) = self.between(inner, inside);
                (format!("{before}{opening}"), format!("{closing}{after}"), place)
            }
            _ => (String::new(), String::new(), place),
        }
    }

    /// The assignments that write what had to wait.
    fn write_links(&mut self) -> Result<(), Fault> {
        let links = std::mem::take(&mut self.links);
        let mut pointers: BTreeMap<usize, String> = BTreeMap::new();
        let mut assignments = Vec::new();
        let mut is_unsafe = false;
        for link in &links {
            if link.place.text.is_empty() || link.place.text.starts_with('.') {
                return Err(fault(format!(
                    "a pointer to {} has no place that a statement could write",
                    self.binding.atom_name(link.atom)
                )));
            }
            let target = match (self.names.get(&link.atom), link.wrap) {
                (Some(named), Wrap::RcWeak) => format!("Rc::downgrade(&{})", named.name),
                (Some(named), Wrap::ArcWeak) => format!("Arc::downgrade(&{})", named.name),
                (Some(named), Wrap::Rc) => format!("Rc::clone(&{})", named.name),
                (Some(named), Wrap::Arc) => format!("Arc::clone(&{})", named.name),
                (Some(named), _) if named.wrap == Wrap::RawMut => named.name.clone(),
                (_, Wrap::RcWeak | Wrap::ArcWeak | Wrap::Rc | Wrap::Arc) => {
                    return Err(fault(format!("{} has no name", self.binding.atom_name(link.atom))));
                }
                _ => match pointers.get(&link.atom) {
                    Some(name) => name.clone(),
                    None => {
                        let Some(place) = self.places.get(&link.atom).filter(|p| !p.text.is_empty()) else {
                            return Err(fault(format!(
                                "{} cannot be named",
                                self.binding.atom_name(link.atom)
                            )));
                        };
                        let mut address = match place.frozen {
                            true => format!("(&raw const {}).cast_mut()", place.lvalue()),
                            false => format!("&raw mut {}", place.lvalue()),
                        };
                        for opening in place.openings.iter().rev() {
                            address = format!("{opening} {{ {address} }} else {{ unreachable!() }}");
                        }
                        let name = self.fresh(link.atom);
                        self.after.push(format!("let {name} = {address};"));
                        pointers.insert(link.atom, name.clone());
                        name
                    }
                },
            };
            let has_option = link.around.contains(&Around::Some);
            let value = match (link.wrap, has_option) {
                (Wrap::NonNull, true) => {
                    self.uses.insert("std::ptr::NonNull");
                    format!("NonNull::new({target})")
                }
                (Wrap::NonNull, false) => {
                    self.uses.insert("std::ptr::NonNull");
                    format!("NonNull::new({target}).unwrap()")
                }
                (_, true) => format!("Some({target})"),
                (_, false) => target,
            };
            let statement = match link.around.contains(&Around::Cell) || link.place.text.ends_with(CELL) {
                true => format!("{}.set({value});", link.place.text.trim_end_matches(CELL)),
                false => format!("{} = {value};", link.place.lvalue()),
            };
            let opened = link.place.openings.iter().rev();
            let statement = opened.fold(statement, |inside, opening| format!("{opening} {{ {inside} }}"));
            is_unsafe |= statement.contains("(*");
            assignments.push(statement);
        }
        if is_unsafe {
            self.after.push(format!("unsafe {{\n    {}\n}}", assignments.join("\n    ")));
        } else {
            self.after.append(&mut assignments);
        }
        Ok(())
    }

    /// Where the value inside a wrapper is.
    fn inside(&self, wrap: Wrap, place: &Place) -> Place {
        match wrap {
            Wrap::Box => place.deref(),
            Wrap::Rc | Wrap::Arc => Place { frozen: true, ..place.deref() },
            Wrap::RefCell => thaw(place.then(".borrow_mut()", 1)),
            Wrap::Mutex => thaw(place.then(".lock().unwrap()", 1)),
            Wrap::RwLock => thaw(place.then(".write().unwrap()", 1)),
            Wrap::Cell => place.then(CELL, 0),
            Wrap::UnsafeCell => place.then(".get_mut()", 1),
            Wrap::Newtype(opening, _) => match opening.split_once("{ ") {
                Some((_, name)) => place.then(&format!(".{}", name.trim_end_matches(": ")), 0),
                None => place.then(".0", 0),
            },
            _ => place.clone(),
        }
    }

    fn wrapped(&mut self, wrap: Wrap, value: &str) -> String {
        let (name, path) = match wrap {
            Wrap::Box => ("Box", ""),
            Wrap::Rc => ("Rc", "std::rc::Rc"),
            Wrap::Arc => ("Arc", "std::sync::Arc"),
            Wrap::Cell => ("Cell", "std::cell::Cell"),
            Wrap::RefCell => ("RefCell", "std::cell::RefCell"),
            Wrap::UnsafeCell => ("UnsafeCell", "std::cell::UnsafeCell"),
            Wrap::Mutex => ("Mutex", "std::sync::Mutex"),
            Wrap::RwLock => ("RwLock", "std::sync::RwLock"),
            Wrap::Newtype(opening, closing) => return format!("{opening}{value}{closing}"),
            Wrap::RcWeak | Wrap::ArcWeak | Wrap::RawMut | Wrap::RawConst | Wrap::NonNull => {
                // A pointer to what is no object: leaked, as it was made.
                return format!("Box::into_raw(Box::new({value}))");
            }
        };
        if !path.is_empty() {
            self.uses.insert(path);
        }
        format!("{name}::new({value})")
    }

    fn null(&mut self, wrap: Wrap) -> String {
        match wrap {
            Wrap::RawConst => "std::ptr::null()".into(),
            Wrap::RcWeak => "std::rc::Weak::new()".into(),
            Wrap::ArcWeak => "std::sync::Weak::new()".into(),
            _ => "std::ptr::null_mut()".into(),
        }
    }
}

/// Stands at the end of a place inside a `Cell`.
const CELL: &str = "\u{2}";

fn thaw(place: Place) -> Place {
    Place { frozen: false, ..place }
}

/// The place of an option, given that of what is in it.
fn outside_option(place: &Place) -> Place {
    let text = place.text.trim_end_matches(CELL);
    match text.strip_suffix(".as_mut().unwrap()") {
        Some(outer) => {
            // The result of a method, and what a pattern binds, are references.
            let is_bound = place.openings.last().is_some_and(|last| last.contains(&format!(": {outer}, ..")));
            let stars = usize::from(outer.ends_with(')') || is_bound);
            Place { text: outer.into(), stars, ..place.clone() }
        }
        None => Place { text: text.into(), ..place.clone() },
    }
}

/// Whether the values of a shape are read by prefix, not by tuple.
fn shape_is_collection(shape: &Shape) -> bool {
    match shape {
        Shape::Option(_)
        | Shape::Seq(..)
        | Shape::Set(..)
        | Shape::Map(..)
        | Shape::Skip(_)
        | Shape::Unit(_) => true,
        Shape::Wrap(wrap, inner) => (wrap.is_link() && *wrap != Wrap::NonNull) || shape_is_collection(inner),
        _ => false,
    }
}

fn is_arena(shape: &Shape) -> bool {
    match shape {
        Shape::Seq(Seq::Arena, _) => true,
        Shape::Wrap(_, inner) => is_arena(inner),
        _ => false,
    }
}

fn object_of(shape: &Shape) -> Option<TypeIx> {
    match shape {
        Shape::Object(ty) => Some(*ty),
        Shape::Wrap(_, inner) => object_of(inner),
        _ => None,
    }
}

/// The tuples of the components of a tuple.
fn split(plan: &Plan, mut tuple: usize) -> Vec<usize> {
    let mut columns: Vec<usize> = plan
        .parts
        .iter()
        .rev()
        .map(|part| {
            let column = tuple % part.span;
            tuple /= part.span;
            column
        })
        .collect();
    columns.reverse();
    columns
}

fn path_of(text: &str) -> Option<&'static str> {
    match text {
        "PhantomData" => Some("std::marker::PhantomData"),
        "PhantomPinned" => Some("std::marker::PhantomPinned"),
        _ => None,
    }
}

/// `tree_node` for `TreeNode`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for (i, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && i > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}
