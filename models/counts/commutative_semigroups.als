// Commutative semigroups. OEIS A001426.
// classes: 1 3 12 58
sig N { mul: N -> one N }
fun by[a, b: N]: N { b.(a.mul) }
fact {
  all a, b, c: N | by[by[a, b], c] = by[a, by[b, c]]
  all a, b: N | by[a, b] = by[b, a]
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
