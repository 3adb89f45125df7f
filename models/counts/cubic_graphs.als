// Graphs in which every node has three neighbours, on 4, 6, 8 and 10 nodes. OEIS A005638.
// classes: 1 2 6 21
sig V { adj: set V }
fact {
  adj = ~adj
  no iden & adj
  all v: V | #v.adj = 3
}
run {} for exactly 4 V, 5 Int
run {} for exactly 6 V, 5 Int
run {} for exactly 8 V, 5 Int
run {} for exactly 10 V, 5 Int
