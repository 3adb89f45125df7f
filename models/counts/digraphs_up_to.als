// Digraphs with loops on at most n nodes, 0 included: partial sums of OEIS A000595.
// classes: 3 13 117 3161
sig N { e: set N }
run {} for 1 N
run {} for 2 N
run {} for 3 N
run {} for 4 N
