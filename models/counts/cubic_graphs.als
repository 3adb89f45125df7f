// Graphs in which every node has three neighbours, on 4, 6, 8, 10 and 12 nodes (OEIS A005638), and
// the connected ones on 10 and 12 (A002851).
// classes: 1 2 6 21 94 19 85
sig V { adj: set V }
fact {
  adj = ~adj
  no iden & adj
  all v: V | #v.adj = 3
}
pred connected { all v: V | V in v.*adj }
run {} for exactly 4 V, 5 Int
run {} for exactly 6 V, 5 Int
run {} for exactly 8 V, 5 Int
run {} for exactly 10 V, 5 Int
run {} for exactly 12 V, 5 Int
run connected for exactly 10 V, 5 Int
run connected for exactly 12 V, 5 Int
