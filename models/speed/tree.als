// Rooted trees on exactly n nodes, children unordered.
// classes: 286 4766 87811
sig N { parent: lone N }
fact { no iden & ^parent  one n: N | no n.parent }
run {} for exactly 9 N
run {} for exactly 12 N
run {} for exactly 15 N
