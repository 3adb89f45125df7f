// Trees without a root: connected graphs with one edge less than nodes. OEIS A000055.
// classes: 1 1 1 2 3 6 11 23
sig V { adj: set V }
fact {
  adj = ~adj
  no iden & adj
  all v: V | V in v.*adj
  #adj = minus[mul[2, #V], 2]
}
run {} for exactly 1 V, 6 Int
run {} for exactly 2 V, 6 Int
run {} for exactly 3 V, 6 Int
run {} for exactly 4 V, 6 Int
run {} for exactly 5 V, 6 Int
run {} for exactly 6 V, 6 Int
run {} for exactly 7 V, 6 Int
run {} for exactly 8 V, 6 Int
