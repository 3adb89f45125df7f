// Symmetric relations: graphs that may have loops. OEIS A000666.
// classes: 2 6 20 90 544 5096
sig V { adj: set V }
fact { adj = ~adj }
run {} for exactly 1 V
run {} for exactly 2 V
run {} for exactly 3 V
run {} for exactly 4 V
run {} for exactly 5 V
run {} for exactly 6 V
