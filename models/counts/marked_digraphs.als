// Digraphs without loops, some nodes marked by a subset signature: as many as digraphs with loops. OEIS A000595.
// classes: 2 10 104 3044
sig N { e: set N }
sig Marked in N {}
fact { no iden & e }
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
