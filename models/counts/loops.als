// Loops: quasigroups with a unit. OEIS A057771.
// classes: 1 1 1 2 6 109 23746
sig N { mul: N -> one N }
fun by[a, b: N]: N { b.(a.mul) }
fact {
  all a, c: N | one b: N | by[a, b] = c
  all b, c: N | one a: N | by[a, b] = c
  some e: N | all a: N | by[e, a] = a and by[a, e] = a
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
run {} for exactly 7 N
