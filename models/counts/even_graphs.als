// Graphs in which every node has an even number of neighbours. OEIS A002854.
// classes: 1 1 2 3 7 16 54
sig V { adj: set V }
fact {
  adj = ~adj
  no iden & adj
  all v: V | rem[#v.adj, 2] = 0
}
run {} for exactly 1 V, 5 Int
run {} for exactly 2 V, 5 Int
run {} for exactly 3 V, 5 Int
run {} for exactly 4 V, 5 Int
run {} for exactly 5 V, 5 Int
run {} for exactly 6 V, 5 Int
run {} for exactly 7 V, 5 Int
