// Preorders, which are the topologies on a finite set. OEIS A001930.
// classes: 1 3 9 33 139 718
sig N { le: set N }
fact {
  N <: iden in le
  le.le in le
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
