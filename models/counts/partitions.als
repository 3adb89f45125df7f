// Partitions of a set, the members not told apart: partitions of the number n.
// classes: 1 2 3 5 7 11 15
sig P { eq: set P }
fact {
  P <: iden in eq
  eq = ~eq
  eq.eq in eq
}
run {} for exactly 1 P
run {} for exactly 2 P
run {} for exactly 3 P
run {} for exactly 4 P
run {} for exactly 5 P
run {} for exactly 6 P
run {} for exactly 7 P
