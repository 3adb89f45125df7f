// Properties of binary relations between any two sets. Where a set is a parameter, the property
// is asked of its members only.
module util/relation

// The first and the second column.
fun dom[r: univ -> univ]: set (r.univ) { r.univ }
fun ran[r: univ -> univ]: set (univ.r) { univ.r }

// Members of s have at least one, at most one, exactly one image.
pred total[r: univ -> univ, s: set univ] { all x: s | some x.r }
pred functional[r: univ -> univ, s: set univ] { all x: s | lone x.r }
pred function[r: univ -> univ, s: set univ] { all x: s | one x.r }

// Members of s are the image of at least one, at most one, exactly one.
pred surjective[r: univ -> univ, s: set univ] { all y: s | some r.y }
pred injective[r: univ -> univ, s: set univ] { all y: s | lone r.y }
pred bijective[r: univ -> univ, s: set univ] { all y: s | one r.y }

// r pairs the members of d with those of c.
pred bijection[r: univ -> univ, d, c: set univ] {
  function[r, d]
  bijective[r, c]
}

pred reflexive[r: univ -> univ, s: set univ] { s <: iden in r }
pred irreflexive[r: univ -> univ] { no r & iden }
pred symmetric[r: univ -> univ] { ~r in r }
pred antisymmetric[r: univ -> univ] { r & ~r in iden }
pred transitive[r: univ -> univ] { r.r in r }

// No member of s is reached from itself.
pred acyclic[r: univ -> univ, s: set univ] { all x: s | x not in x.^r }

// Different members of s are related one way or the other.
pred complete[r: univ -> univ, s: univ] { all x, y: s | x != y implies x -> y in r + ~r }

pred preorder[r: univ -> univ, s: set univ] {
  reflexive[r, s]
  transitive[r]
}

pred equivalence[r: univ -> univ, s: set univ] {
  preorder[r, s]
  symmetric[r]
}

pred partialOrder[r: univ -> univ, s: set univ] {
  preorder[r, s]
  antisymmetric[r]
}

pred totalOrder[r: univ -> univ, s: set univ] {
  partialOrder[r, s]
  complete[r, s]
}
