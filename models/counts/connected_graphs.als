// Connected graphs. OEIS A001349.
// classes: 1 1 2 6 21 112 853
sig V { adj: set V }
fact {
  adj = ~adj
  no iden & adj
  all v: V | V in v.*adj
}
run {} for exactly 1 V
run {} for exactly 2 V
run {} for exactly 3 V
run {} for exactly 4 V
run {} for exactly 5 V
run {} for exactly 6 V
run {} for exactly 7 V
