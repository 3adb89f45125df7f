// Simple graphs on exactly n nodes.
// classes: 11 34 156 1044 12346 274668
sig V { adj: set V }
fact { adj = ~adj  no iden & adj }
run {} for exactly 4 V
run {} for exactly 5 V
run {} for exactly 6 V
run {} for exactly 7 V
run {} for exactly 8 V
run {} for exactly 9 V
