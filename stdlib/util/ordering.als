// One line through all atoms of a signature.
//
// The signature gets as many atoms as its scope allows, and the line is fixed: it follows the
// numbers of the atoms. So an ordered signature has no symmetry, and an instance is counted once.
module util/ordering[exactly elem]

private one sig Ord {
  First: set elem,
  Next: elem -> elem
} {
  pred/totalOrder[elem, First, Next]
}

fun first: one elem { Ord.First }

// The one that is nobody's predecessor.
fun last: one elem { elem - Ord.Next.elem }

// From each atom to the one behind it, and before it.
fun next: elem -> elem { Ord.Next }
fun prev: elem -> elem { ~(Ord.Next) }

// All atoms before, and all behind.
fun prevs[e: elem]: set elem { e.^(~(Ord.Next)) }
fun nexts[e: elem]: set elem { e.^(Ord.Next) }

pred lt[e1, e2: elem] { e1 in prevs[e2] }
pred gt[e1, e2: elem] { e1 in nexts[e2] }
pred lte[e1, e2: elem] { e1 = e2 or lt[e1, e2] }
pred gte[e1, e2: elem] { e1 = e2 or gt[e1, e2] }

fun larger[e1, e2: elem]: elem { lt[e1, e2] => e2 else e1 }
fun smaller[e1, e2: elem]: elem { lt[e1, e2] => e1 else e2 }

// The last and the first member of a set; nothing for the empty set.
fun max[es: set elem]: lone elem { es - es.^(~(Ord.Next)) }
fun min[es: set elem]: lone elem { es - es.^(Ord.Next) }
