// Transitive sets of the hereditarily finite sets, by their number of elements: acyclic digraphs in which no two
// points have the same successors. OEIS A001192.
// classes: 1 1 2 9 88 1802
sig Set { members: set Set }
fact { no iden & ^members all disj a, b: Set | a.members != b.members }
run {} for exactly 1 Set
run {} for exactly 2 Set
run {} for exactly 3 Set
run {} for exactly 4 Set
run {} for exactly 5 Set
run {} for exactly 6 Set
