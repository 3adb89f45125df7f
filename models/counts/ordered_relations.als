// An ordered signature has nothing to break: these are labelled. Partial orders inside the given order
// (OEIS A006455), acyclic digraphs (A003024), trees (A000272), transitive relations (A006905), orders of
// the Catalan numbers (permutations without the pattern 132, A000108).
// classes: 40 357 25 543 16 125 171 3994 42 132
open util/ordering[V] as place
sig V { e: set V }
pred natural_order { e in ^(place/next) e.e in e }
pred acyclic { no iden & ^e }
pred tree {
  e = ~e no iden & e
  all v: V | V in v.*e
  all a, b: V | a -> b in e implies b not in a.*(e - a -> b - b -> a)
}
pred transitive { e.e in e }
pred avoids_132 {
  all v: V | one v.e and one e.v
  no a, b, c: V | b in place/nexts[a] and c in place/nexts[b] and c.e in place/nexts[a.e] and b.e in place/nexts[c.e]
}
run natural_order for exactly 4 V
run natural_order for exactly 5 V
run acyclic for exactly 3 V
run acyclic for exactly 4 V
run tree for exactly 4 V
run tree for exactly 5 V
run transitive for exactly 3 V
run transitive for exactly 4 V
run avoids_132 for exactly 5 V
run avoids_132 for exactly 6 V
