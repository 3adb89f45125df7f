// Magmas: any tables of an operation. OEIS A001329.
// classes: 1 10 3330
sig N { mul: N -> one N }
fun by[a, b: N]: N { b.(a.mul) }
fact {
  some N
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
