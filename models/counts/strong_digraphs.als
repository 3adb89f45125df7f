// Strongly connected digraphs without loops. OEIS A035512.
// classes: 1 1 5 83 5048
sig N { e: set N }
fact {
  no iden & e
  all n: N | N in n.*e
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
