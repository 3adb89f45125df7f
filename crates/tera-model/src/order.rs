//! Finds total orders of whole signatures: a `one` signature with exactly two fields, `set elem`
//! and `elem -> elem`, whose appended fact is `pred/totalOrder` of them. Bounds may fix such an
//! order (see [`crate::bounds`]).

use crate::tree::*;
use crate::types::*;
use crate::world::*;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordering {
    /// The signature that has the two fields.
    pub holder: SigIx,
    pub first: FieldIx,
    pub elem: SigIx,
}

pub(crate) fn find_orderings(world: &World) -> Vec<Ordering> {
    world.sigs_in_order().into_iter().filter_map(|sig| ordering(world, sig)).collect()
}

fn ordering(world: &World, holder: SigIx) -> Option<Ordering> {
    let s = world.sig(holder);
    let [first_decl, next_decl] = s.decls.as_slice() else { return None };
    let ([first], [next]) = (first_decl.fields.as_slice(), next_decl.fields.as_slice()) else { return None };
    if !s.is_one || s.is_subset() {
        return None;
    }
    let fact = world.peel(s.fact?);
    let Kind::List(ListOp::TotalOrder, args) = &world.node(fact).kind else { return None };
    let Kind::Sig(elem) = world.node(world.peel(args[0])).kind else { return None };
    let is_field = |id: TId, field: FieldIx| {
        let Kind::Binary(BinOp::Join, left, right) = world.node(world.peel(id)).kind else { return false };
        matches!(world.node(world.peel(left)).kind, Kind::Sig(s) if s == holder)
            && matches!(world.node(world.peel(right)).kind, Kind::Field(f) if f == field)
    };
    if !is_field(args[1], *first) || !is_field(args[2], *next) {
        return None;
    }
    let is_elem = |id: TId| matches!(world.node(world.peel(id)).kind, Kind::Sig(s) if s == elem);
    let first_is_set = matches!(world.node(world.peel(first_decl.bound)).kind, Kind::Unary(UnOp::SetOf, sub) if is_elem(sub));
    let plain = BinOp::Arrow(Mult2::Set, Mult2::Set);
    let next_is_arrow = matches!(world.node(world.peel(next_decl.bound)).kind,
        Kind::Binary(op, a, b) if op == plain && is_elem(a) && is_elem(b));
    if !first_is_set || !next_is_arrow || first_decl.disj_bound.is_some() || next_decl.disj_bound.is_some() {
        return None;
    }
    Some(Ordering { holder, first: *first, elem })
}
