// Semigroups, not identified with their mirror images. OEIS A027851.
// classes: 1 5 24 188
sig N { mul: N -> one N }
fun by[a, b: N]: N { b.(a.mul) }
fact {
  all a, b, c: N | by[by[a, b], c] = by[a, by[b, c]]
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
