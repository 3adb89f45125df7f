// Groups. OEIS A000001.
// classes: 1 1 1 2 1 2 1 5
sig N { mul: N -> one N }
fun by[a, b: N]: N { b.(a.mul) }
fact {
  all a, b, c: N | by[by[a, b], c] = by[a, by[b, c]]
  some e: N | all a: N | by[e, a] = a and by[a, e] = a
  all a, c: N | one b: N | by[a, b] = c
  all b, c: N | one a: N | by[a, b] = c
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
run {} for exactly 7 N
run {} for exactly 8 N
