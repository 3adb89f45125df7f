//! Arenas: objects that live in a `Vec` and are named by their positions.
//!
//! `#[heap(arena)]` marks the `Vec`, `#[heap(index = Node)]` the integers that name its elements:
//! to the specification they are pointers to `Node`. The `Vec` itself is a sequence or a set of
//! nodes, or the specification does not know it at all; then it holds exactly the objects that
//! indices lead to, in the order in which they are met.
//!
//! An index belongs to the innermost arena of its type around it. Identity is the position.

use tera_rel::AtomId;

use crate::abstraction::{Abstractor, Place, Status};
use crate::concretize::{Concretize, Concretizer, Stop};
use crate::describe::{Null, Numbering, Shape, TypeIx};
use crate::plan::{Leaf, Plan};
use crate::{Abstraction, Mapped};

/// No atom: an element that is empty, or has none yet.
const NONE: u32 = u32::MAX;

/// An arena that is being built, or was.
#[derive(Clone, Debug)]
pub struct Arena {
    pub(crate) ty: TypeIx,
    /// The object whose field it is, and the field.
    pub(crate) owner: u32,
    pub(crate) name: u32,
    /// The atom at each position.
    pub(crate) atoms: Vec<u32>,
    /// Whether indices may add elements.
    grows: bool,
    /// The arena around it.
    outer: Option<u32>,
}

/// What stands at a position.
type Element = unsafe fn(*const (), usize, &mut Abstractor<'_>, &Plan, Place) -> Option<usize>;

/// An arena that is being read.
pub(crate) struct SeenArena {
    ty: TypeIx,
    name: u32,
    start: *const (),
    len: usize,
    element: Element,
    plan: *const Plan,
    /// For an element that has been read, its atom or `NONE`.
    read: Vec<Option<u32>>,
    /// The atoms of the pre-state, by position.
    before: Vec<u32>,
    outer: u32,
    /// The item whose field it is.
    owner: u32,
}

impl SeenArena {
    /// As the pre-state of a later reading; `atom_of` knows the items that were read.
    pub(crate) fn by_position(&self, atom_of: impl Fn(u32) -> u32) -> Arena {
        let atoms = self.read.iter().map(|atom| atom.unwrap_or(NONE)).collect();
        let owner = atom_of(self.owner);
        Arena { ty: self.ty, owner, name: self.name, atoms, grows: false, outer: None }
    }
}

/// No arena around.
pub(crate) const NOWHERE: u32 = u32::MAX;

fn element_type(plan: &Plan) -> Option<TypeIx> {
    match plan.parts.first()?.leaf {
        Leaf::Object(ty) => Some(ty),
        _ => None,
    }
}

impl Concretizer<'_> {
    /// Makes an arena known to the fields around it; called by the derive before all fields of its
    /// owner; [`Concretizer::close_arena`] goes back to the one that was [`Concretizer::arena`].
    pub fn open_arena(&mut self, plan: &Plan, at: usize) {
        let outer = self.made.arena;
        let Some(ty) = element_type(plan) else { return };
        let element = &plan.parts[0];
        let mut atoms = Vec::new();
        match plan.leaf {
            Leaf::Hidden => {}
            Leaf::Unordered => atoms.extend(self.all(element, at).map(|atom| atom as u32)),
            _ => {
                for column in self.columns(plan, at, element.span) {
                    let Some(i) = self.int_value(column).and_then(|i| usize::try_from(i).ok()) else {
                        continue;
                    };
                    let atom = self.first(element, at * self.binding.n_atoms + column);
                    if atoms.len() <= i {
                        atoms.resize(i + 1, NONE);
                    }
                    atoms[i] = atom.map_or(NONE, |atom| atom as u32);
                }
            }
        }
        // Vacant entries at the end.
        let said =
            plan.extent.and_then(|rel| self.extents(rel, at).next()).and_then(|len| self.int_value(len));
        if let Some(len) = said.and_then(|len| usize::try_from(len).ok()).filter(|&len| len > atoms.len()) {
            atoms.resize(len, NONE);
        }
        self.made.arena = Some(self.made.arenas.len() as u32);
        let grows = plan.leaf == Leaf::Hidden;
        self.made.arenas.push(Arena { ty, owner: at as u32, name: plan.name, atoms, grows, outer });
    }

    /// The innermost arena around.
    pub fn arena(&self) -> Option<u32> {
        self.made.arena
    }

    pub fn close_arena(&mut self, outer: Option<u32>) {
        self.made.arena = outer;
    }

    /// The position of an object in the arena around.
    pub(crate) fn position(&mut self, plan: &Plan, ty: TypeIx, atom: usize) -> Result<i64, Stop> {
        let mut next = self.made.arena;
        let mut known = false;
        while let Some(i) = next {
            let arena = &mut self.made.arenas[i as usize];
            next = arena.outer;
            if arena.ty != ty {
                continue;
            }
            known = true;
            if let Some(position) = arena.atoms.iter().position(|&a| a as usize == atom) {
                return Ok(position as i64);
            }
            if arena.grows {
                arena.atoms.push(atom as u32);
                return Ok(arena.atoms.len() as i64 - 1);
            }
        }
        let message = format!(
            "{} is {}, which is {}",
            self.binding.name(plan).label,
            self.binding.atom_name(atom),
            match known {
                true => "not in the arena".to_string(),
                false => format!(
                    "named by an index, but no field around is marked `#[heap(arena)]` and holds {}",
                    self.binding.graph.ty(ty).rust
                ),
            }
        );
        Err(self.fault(message))
    }

    /// The number that names no object of the arena around, if there is one.
    pub(crate) fn null(
        &mut self,
        plan: &Plan,
        ty: TypeIx,
        numbering: Numbering,
    ) -> Result<Option<i128>, Stop> {
        match numbering.null {
            Null::Absent => return Ok(None),
            Null::Number(number) => return Ok(Some(number)),
            Null::End => {}
        }
        let mut next = self.made.arena;
        while let Some(i) = next {
            let arena = &self.made.arenas[i as usize];
            if arena.ty == ty && !arena.grows {
                return Ok(Some(arena.atoms.len() as i128 + numbering.first));
            }
            next = arena.outer;
        }
        let message = format!(
            "{} is the end of its arena, which is not known: declare the arena in the specification",
            self.binding.name(plan).label
        );
        Err(self.fault(message))
    }

    /// The elements of an arena that the specification does not know: those that indices have led
    /// to, and will lead to while they are made.
    pub(crate) fn arena_elements<T: Concretize, C: FromIterator<T>>(
        &mut self,
        plan: &Plan,
        at: usize,
    ) -> Result<C, Stop> {
        let arena = self.arena_of(plan, at);
        let mut next = 0;
        std::iter::from_fn(|| {
            let atom = *self.made.arenas.get(arena?)?.atoms.get(next)?;
            next += 1;
            Some(T::from_tuple(self, &plan.parts[0], atom as usize))
        })
        .collect()
    }

    fn arena_of(&self, plan: &Plan, at: usize) -> Option<usize> {
        self.made.arenas.iter().rposition(|a| a.owner as usize == at && a.name == plan.name)
    }

    /// The atoms of the arena that is this field.
    pub(crate) fn arena_atoms(&self, plan: &Plan, at: usize) -> Vec<usize> {
        let atoms = self.arena_of(plan, at).map_or(&[][..], |i| &self.made.arenas[i].atoms);
        atoms.iter().map(|&atom| atom as usize).collect()
    }
}

/// A collection that can be an arena.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an arena",
    label = "an arena is a `Vec` of objects or of `Option`s of objects"
)]
pub trait ArenaField {
    /// Makes the arena known before the fields of its owner are read.
    fn open(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize);
}

impl<T: Abstraction> ArenaField for Vec<T> {
    fn open(&self, a: &mut Abstractor<'_>, plan: &Plan, at: usize) {
        unsafe fn element<T: Abstraction>(
            start: *const (),
            i: usize,
            a: &mut Abstractor<'_>,
            plan: &Plan,
            place: Place,
        ) -> Option<usize> {
            // SAFETY: `open` was given a slice that is longer than `i`.
            unsafe { (*start.cast::<T>().add(i)).to_tuple(a, plan, place) }
        }
        let Some(ty) = element_type(plan) else { return };
        if !a.may_read(self.as_ptr(), self.len(), plan) {
            return;
        }
        let before = a.positions_before(at, plan.name);
        a.seen.arenas.push(SeenArena {
            ty,
            name: plan.name,
            start: self.as_ptr().cast(),
            len: self.len(),
            element: element::<T>,
            plan: &raw const plan.parts[0],
            read: vec![None; self.len()],
            before,
            outer: a.arena,
            owner: a.current,
        });
        a.arena = a.seen.arenas.len() as u32 - 1;
    }
}

impl Abstractor<'_> {
    /// The object at a position of the arena around.
    pub(crate) fn at_position(
        &mut self,
        plan: &Plan,
        ty: TypeIx,
        numbering: Numbering,
        number: i128,
    ) -> Option<usize> {
        if numbering.null == Null::Number(number) {
            return None;
        }
        let position = number.saturating_sub(numbering.first);
        let mut arena = self.arena;
        while arena != NOWHERE {
            let seen = &self.seen.arenas[arena as usize];
            if seen.ty == ty {
                return match usize::try_from(position) {
                    Ok(i) if i < seen.len => {
                        let atom = self.element(arena, i);
                        if atom.is_none() && self.has_room() {
                            // Room there is, so the entry itself is vacant.
                            self.dead_index(plan, Status::Freed);
                        }
                        atom
                    }
                    Ok(i) if i == seen.len && numbering.null == Null::End => None,
                    _ => {
                        self.dead_index(plan, Status::Unknown);
                        None
                    }
                };
            }
            arena = seen.outer;
        }
        self.fault(format!(
            "{} is an index, but no field around is marked `#[heap(arena)]` and holds {}",
            self.binding.name(plan).label,
            self.binding.graph.ty(ty).rust
        ));
        None
    }

    fn element(&mut self, arena: u32, i: usize) -> Option<usize> {
        let seen = &mut self.seen.arenas[arena as usize];
        if let Some(atom) = seen.read[i] {
            return (atom != NONE).then_some(atom as usize);
        }
        let before = seen.before.get(i).copied().filter(|&atom| atom != NONE);
        let (element, start, plan) = (seen.element, seen.start, seen.plan);
        // The way to an element leads through its arena, whoever names it.
        let way = (self.arena, self.current, self.index);
        (self.arena, self.current, self.index) = (arena, seen.owner, Some(i as u32));
        // SAFETY: the slice is as long, and plans live as long as the binding.
        let atom = unsafe { element(start, i, self, &*plan, Place::Kept(before)) };
        (self.arena, self.current, self.index) = way;
        self.seen.arenas[arena as usize].read[i] = Some(atom.map_or(NONE, |atom| atom as u32));
        atom
    }

    /// Reads the elements of a field that is an open arena; false if it is none.
    pub(crate) fn arena_field(&mut self, plan: &Plan, at: usize) -> bool {
        let mut arena = self.arena;
        while arena != NOWHERE && self.seen.arenas[arena as usize].name != plan.name {
            arena = self.seen.arenas[arena as usize].outer;
        }
        if arena == NOWHERE {
            return false;
        }
        if plan.leaf == Leaf::Hidden {
            return true;
        }
        let len = self.seen.arenas[arena as usize].len;
        let n = self.binding.n_atoms;
        if plan.leaf != Leaf::Unordered
            && let Some(rel) = plan.extent
            && let Some(len) = self.int(len as i128)
        {
            self.insert_in(rel, at * n + len);
        }
        for i in 0..len {
            let element = &plan.parts[0];
            let prefix = match plan.leaf {
                Leaf::Unordered => at,
                _ => match self.int(i as i128) {
                    Some(position) => at * n + position,
                    None => {
                        self.int(len as i128 - 1);
                        break;
                    }
                },
            };
            self.at_index(i, |a| {
                if let Some(atom) = a.element(arena, i) {
                    a.insert(element, prefix, atom);
                }
            });
        }
        true
    }
}

/// The positions in the pre-state, with the atoms of this universe.
pub(crate) fn remember(arenas: &[Arena], map: Option<&[AtomId]>, known: &mut Vec<Arena>) {
    let translate = |atom: u32| match map {
        Some(map) if atom != NONE => map[atom as usize].0,
        _ => atom,
    };
    known.extend(arenas.iter().map(|arena| Arena {
        owner: translate(arena.owner),
        atoms: arena.atoms.iter().map(|&atom| translate(atom)).collect(),
        ..*arena
    }));
}

/// The type of the elements of a field marked `#[heap(arena)]`.
pub(crate) fn arena_of_objects(shape: &Shape) -> Option<TypeIx> {
    match shape {
        Shape::Wrap(_, inner) => arena_of_objects(inner),
        Shape::Seq(crate::Seq::Arena, element) => match &**element {
            Shape::Object(ty) => Some(*ty),
            Shape::Option(inner) => match **inner {
                Shape::Object(ty) => Some(ty),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// The shape of a field marked `#[heap(arena)]`.
pub fn arena_shape(shape: Shape) -> Shape {
    match shape {
        Shape::Seq(_, element) => Shape::Seq(crate::Seq::Arena, element),
        Shape::Wrap(wrap, inner) => Shape::Wrap(wrap, Box::new(arena_shape(*inner))),
        other => other,
    }
}

/// The shape of a field marked `#[heap(index = T)]`: every integer in it names a `T`.
pub fn index_shape<T: Mapped>(shape: Shape, numbering: Numbering, d: &mut crate::Describer) -> Shape {
    let target = T::shape(d);
    replace_ints(shape, target, numbering)
}

/// Puts indices of objects of the shape `target` in the place of integers.
pub fn replace_ints(shape: Shape, target: Shape, numbering: Numbering) -> Shape {
    match target {
        Shape::Object(target) => replace(shape, target, numbering),
        // Not an object: the binding will say that the columns do not fit.
        _ => shape,
    }
}

fn replace(shape: Shape, target: TypeIx, numbering: Numbering) -> Shape {
    let inside = |inner: Box<Shape>| Box::new(replace(*inner, target, numbering));
    match shape {
        Shape::Int { rust, .. } => Shape::Index { rust, target, numbering },
        Shape::Wrap(wrap, inner) => Shape::Wrap(wrap, inside(inner)),
        Shape::Option(inner) => Shape::Option(inside(inner)),
        Shape::Seq(seq, element) => Shape::Seq(seq, inside(element)),
        Shape::Set(name, element) => Shape::Set(name, inside(element)),
        Shape::Map(name, key, value) => Shape::Map(name, inside(key), inside(value)),
        Shape::Tuple(parts) => {
            Shape::Tuple(parts.into_iter().map(|part| replace(part, target, numbering)).collect())
        }
        other => other,
    }
}
