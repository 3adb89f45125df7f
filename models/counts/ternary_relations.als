// Ternary relations. OEIS A000662.
// classes: 2 136
sig N { r: N -> N }
run {} for exactly 1 N
run {} for exactly 2 N
