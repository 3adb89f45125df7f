// Directed graphs without loops.
// classes: 1 3 16 218 9608
sig N { e: set N }
fact { no iden & e }
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
