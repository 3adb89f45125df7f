// Quasigroups: tables in which every element occurs once in each row and column. OEIS A057991.
// classes: 1 1 5 35 1411
sig N { mul: N -> one N }
fun by[a, b: N]: N { b.(a.mul) }
fact {
  all a, c: N | one b: N | by[a, b] = c
  all b, c: N | one a: N | by[a, b] = c
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
