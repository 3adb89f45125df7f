// Monoids. OEIS A058129.
// classes: 1 2 7 35
sig N { mul: N -> one N }
fun by[a, b: N]: N { b.(a.mul) }
fact {
  all a, b, c: N | by[by[a, b], c] = by[a, by[b, c]]
  some e: N | all a: N | by[e, a] = a and by[a, e] = a
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
