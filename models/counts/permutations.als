// Permutations up to conjugation: partitions of the number of points. OEIS A000041.
// classes: 1 2 3 5 7 11 15 22
sig P { to: one P }
fact { all p: P | one to.p }
run {} for exactly 1 P
run {} for exactly 2 P
run {} for exactly 3 P
run {} for exactly 4 P
run {} for exactly 5 P
run {} for exactly 6 P
run {} for exactly 7 P
run {} for exactly 8 P
