// Partial orders on elements that are told apart (by a line through them): OEIS A001035.
// classes: 1 3 19 219 4231 130023
open util/ordering[N] as o
sig N { le: set N }
fact {
  N <: iden in le
  le.le in le
  le & ~le in iden
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
