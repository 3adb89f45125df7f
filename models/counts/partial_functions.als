// Partial functions of a set to itself. OEIS A126285.
// classes: 2 6 16 45 121 338 929
sig N { f: lone N }
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
run {} for exactly 7 N
