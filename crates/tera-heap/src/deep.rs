//! Long chains without a deep stack.
//!
//! Concretization recurses along what is owned, which is fast and safe, but a chain of a hundred
//! thousand boxes would not fit the stack. Below [`DEPTH`] nested pointers, the rest is made in
//! pieces: the objects under the current one are listed breadth first, those at every [`STEP`]th
//! level are made before the ones above them, and each piece finds the next ready.
//! The blocks of counted pointers exist before their objects anyway: theirs are simply filled later.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};

use crate::bits::all_in;
use crate::concretize::{Concretize, Concretizer, Stop};
use crate::describe::{Shape, TypeIx, Wrap};
use crate::plan::{Leaf, Plan};

const DEPTH: u32 = 128;
const STEP: usize = 48;

/// What is made ahead of its turn, or is yet to be filled.
#[derive(Default)]
pub(crate) struct Deep {
    depth: u32,
    /// Boxes by their atoms.
    ready: BTreeMap<usize, (TypeId, *mut ())>,
    blocks: Vec<Block>,
}

/// A block of a counted pointer that is still empty.
struct Block {
    start: *mut (),
    plan: *const Plan,
    tuple: usize,
    arena: Option<u32>,
    fill: Fill,
}

type Fill = unsafe fn(*mut (), &mut Concretizer<'_>, &Plan, usize) -> Result<(), Stop>;

impl Deep {
    /// Boxes that were made ahead and never used are leaked: the concretization stopped.
    pub fn clear(&mut self) {
        self.depth = 0;
        self.ready.clear();
        self.blocks.clear();
    }

    fn take<T: 'static>(&mut self, atom: usize) -> Option<Box<T>> {
        if self.ready.is_empty() {
            return None;
        }
        let (ty, pointer) = *self.ready.get(&atom)?;
        (ty == TypeId::of::<T>()).then(|| {
            self.ready.remove(&atom);
            // SAFETY: made by `Box::into_raw` of this very type, and taken once.
            unsafe { Box::from_raw(pointer.cast::<T>()) }
        })
    }
}

impl Concretizer<'_> {
    /// A value in a box of its own.
    #[inline]
    pub(crate) fn boxed<T: Concretize>(&mut self, plan: &Plan, tuple: usize) -> Result<Box<T>, Stop> {
        if let Some(ready) = self.made.deep.take(tuple) {
            return Ok(ready);
        }
        let depth = self.made.deep.depth;
        if depth >= DEPTH
            && let Leaf::Object(ty) = plan.leaf
        {
            self.make_below::<T>(plan, ty, tuple)?;
            // This object is the head of a piece like the others.
            self.made.deep.depth = 0;
        }
        self.made.deep.depth += 1;
        let value = T::from_tuple(self, plan, tuple);
        self.made.deep.depth = depth;
        value.map(Box::new)
    }

    /// Fills the block of a shared object, now or when the stack is free again.
    pub(crate) fn shared<T: Concretize>(
        &mut self,
        start: *mut T,
        plan: &Plan,
        tuple: usize,
    ) -> Result<(), Stop> {
        unsafe fn fill<T: Concretize>(
            start: *mut (),
            c: &mut Concretizer<'_>,
            plan: &Plan,
            tuple: usize,
        ) -> Result<(), Stop> {
            let start: *mut T = start.cast();
            let value = T::from_tuple(c, plan, tuple)?;
            // SAFETY: the block was made for it and is empty.
            unsafe {
                start.write(value);
                T::placed(start, c, plan, tuple);
            }
            Ok(())
        }
        if self.made.deep.depth >= DEPTH {
            let arena = self.made.arena;
            self.made.deep.blocks.push(Block { start: start.cast(), plan, tuple, arena, fill: fill::<T> });
            return Ok(());
        }
        self.made.deep.depth += 1;
        // SAFETY: the block was made for a `T` and is empty.
        let result = unsafe { fill::<T>(start.cast(), self, plan, tuple) };
        self.made.deep.depth -= 1;
        result
    }

    /// Fills the blocks that had to wait.
    pub(crate) fn fill_blocks(&mut self) -> Result<(), Stop> {
        while let Some(Block { start, plan, tuple, arena, fill }) = self.made.deep.blocks.pop() {
            self.made.arena = arena;
            // SAFETY: the block is empty, and plans live as long as the binding.
            unsafe { fill(start, self, &*plan, tuple)? };
        }
        Ok(())
    }

    /// Makes boxes at every `STEP`th level below an object, deepest first.
    #[cold]
    fn make_below<T: Concretize>(&mut self, plan: &Plan, ty: TypeIx, from: usize) -> Result<(), Stop> {
        if !self.always_boxed(ty) {
            return Ok(());
        }
        let mut levels: Vec<(usize, usize)> = Vec::new();
        let mut seen = BTreeSet::from([from]);
        let mut queue = vec![(ty, from, 0)];
        let mut next = 0;
        while let Some(&(object, atom, level)) = queue.get(next) {
            next += 1;
            if level > 0 && level % STEP == 0 && object == ty {
                levels.push((level, atom));
            }
            let mut below = Vec::new();
            for (shape, plan) in self.fields_of(object, atom) {
                if owns(shape) {
                    self.owned(plan, atom, &mut below);
                }
            }
            for (object, atom) in below {
                if seen.insert(atom) {
                    queue.push((object, atom, level + 1));
                }
            }
        }
        let depth = std::mem::replace(&mut self.made.deep.depth, 0);
        let mut pieces = levels.into_iter().rev();
        let result = pieces.try_for_each(|(_, atom)| {
            let value: Box<T> = self.boxed(plan, atom)?;
            self.made.deep.ready.insert(atom, (TypeId::of::<T>(), Box::into_raw(value).cast()));
            Ok(())
        });
        self.made.deep.depth = depth;
        result
    }

    /// Whether objects of the type are held by boxes and nothing else.
    fn always_boxed(&self, ty: TypeIx) -> bool {
        let graph = &self.binding.graph;
        let mut fields = graph.types.iter().flat_map(|ty| &ty.variants).flat_map(|v| &v.fields);
        fields.all(|field| {
            let mut holds = false;
            field.shape.walk(&mut |shape| holds |= *shape == Shape::Object(ty));
            let inner = match &field.shape {
                Shape::Option(inner) => inner,
                shape => shape,
            };
            let boxed = matches!(inner, Shape::Wrap(Wrap::Box, inner) if **inner == Shape::Object(ty));
            !holds || boxed || !owns(&field.shape)
        })
    }

    /// The objects in the last column behind a prefix.
    fn owned(&self, plan: &Plan, at: usize, found: &mut Vec<(TypeIx, usize)>) {
        let mut last = plan;
        while let Some(part) = last.parts.last() {
            last = part;
        }
        if let Leaf::Object(ty) = last.leaf {
            let tuples = all_in(self.instance.value(plan.rel), at * plan.span, plan.span);
            found.extend(tuples.map(|tuple| (ty, tuple % last.span)));
        }
    }
}

/// Whether what a shape leads to belongs to it.
fn owns(shape: &Shape) -> bool {
    let mut owns = true;
    shape.walk(&mut |shape| match shape {
        Shape::Wrap(wrap, _) => owns &= !wrap.is_link(),
        Shape::Index { .. } => owns = false,
        _ => {}
    });
    owns
}
