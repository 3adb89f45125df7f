// Lattices: partial orders in which any two elements have a least upper and a greatest lower bound. OEIS A006966.
// classes: 1 1 1 2 5 15 53 222 1078 5994
sig N { le: set N }
fact {
  N <: iden in le
  le.le in le
  le & ~le in iden
  all a, b: N {
    one m: N | a + b in le.m and all c: N | a + b in le.c implies c in m.le
    one m: N | a + b in m.le and all c: N | a + b in c.le implies c in le.m
  }
}
run {} for exactly 1 N
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
run {} for exactly 6 N
run {} for exactly 7 N
run {} for exactly 8 N
run {} for exactly 9 N
run {} for exactly 10 N
