// Natural numbers as atoms in a line: with a scope of n they are 0 to n - 1.
//
// A result that is no such number is the empty set.
module util/natural

private open util/ordering[Natural] as ord
private open util/integer as integer

sig Natural {}

one sig Zero in Natural {}

// Empty when the scope has room for Zero alone.
lone sig One in Natural {}

fact {
  Zero = ord/first
  One = ord/next[ord/first]
}

fun inc[n: Natural]: lone Natural { ord/next[n] }
fun dec[n: Natural]: lone Natural { ord/prev[n] }

// A number has as many predecessors as its value.
fun add[n1, n2: Natural]: lone Natural {
  { n: Natural | #ord/prevs[n] = plus[#ord/prevs[n1], #ord/prevs[n2]] }
}

// The number that gives n1 when n2 is added.
fun sub[n1, n2: Natural]: lone Natural {
  { n: Natural | #ord/prevs[n1] = plus[#ord/prevs[n2], #ord/prevs[n]] }
}

fun mul[n1, n2: Natural]: lone Natural {
  { n: Natural | #ord/prevs[n] = #(ord/prevs[n1] -> ord/prevs[n2]) }
}

// The number that gives n1 when multiplied by n2: nothing when n2 does not divide n1.
fun div[n1, n2: Natural]: lone Natural {
  { n: Natural | #ord/prevs[n1] = #(ord/prevs[n2] -> ord/prevs[n]) }
}

pred gt[n1, n2: Natural] { ord/gt[n1, n2] }
pred lt[n1, n2: Natural] { ord/lt[n1, n2] }
pred gte[n1, n2: Natural] { ord/gte[n1, n2] }
pred lte[n1, n2: Natural] { ord/lte[n1, n2] }

fun max[ns: set Natural]: lone Natural { ord/max[ns] }
fun min[ns: set Natural]: lone Natural { ord/min[ns] }
