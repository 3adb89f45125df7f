// DAGs on n unlabeled nodes.
// classes: 6 31 302 5984 243668
sig N { e: set N }
pred acyclic { no iden & ^e }
run acyclic for exactly 3 N
run acyclic for exactly 4 N
run acyclic for exactly 5 N
run acyclic for exactly 6 N
run acyclic for exactly 7 N
