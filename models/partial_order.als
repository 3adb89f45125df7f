// Partial orders.
//
// Counts: 1, 2, 5, 16, 63, 318, 2045 on exactly 1, 2, 3, … elements (OEIS A000112); `gen --scope n` gives the
// sums, the empty order included.
//
// gen --scope 1: 2
// gen --scope 2: 4
// gen --scope 3: 9
// gen --scope 4: 25
// gen --scope 5: 88

sig Element { above: set Element }

fact order {
  Element <: iden in above
  above.above in above
  above & ~above in iden
}

fun least: set Element { { e: Element | Element in e.above } }
fun minimal: set Element { { e: Element | above.e = e } }

// The elements above both, and the least of them.
fun join_[a, b: Element]: set Element { { c: a.above & b.above | a.above & b.above in c.above } }

run {} for exactly 5 Element expect 63 upto iso

// Lattices (A006966): a least upper and a greatest lower bound of any two.
run {
  all a, b: Element | some join_[a, b] and some { c: above.a & above.b | above.a & above.b in above.c }
} for exactly 6 Element expect 15 upto iso

// Total orders are all alike.
run { all a, b: Element | b in a.above or a in b.above } for exactly 6 Element expect 1 upto iso

check { lone least } for 5 expect 0
check { some Element implies some minimal } for 5 expect 0
check { one least implies minimal = least } for 5 expect 0
