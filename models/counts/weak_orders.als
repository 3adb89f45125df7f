// Weak orders: transitive and total, ties allowed. As many as compositions of a number.
// classes: 1 2 4 8 16 32 64
sig N { le: set N }
fact {
  le.le in le
  all a, b: N | a -> b in le or b -> a in le
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
run {} for exactly 7 N
