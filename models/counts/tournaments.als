// Tournaments: between any two players one edge. OEIS A000568.
// classes: 1 1 2 4 12 56 456 6880
sig N { beats: set N }
fact {
  no iden & beats
  all disj a, b: N | a -> b in beats iff b -> a not in beats
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
run {} for exactly 7 N
run {} for exactly 8 N
