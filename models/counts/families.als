// Families of sets over unlabelled points: all (OEIS A003180), antichains (A003182), topologies
// (A001930).
// classes: 80 3984 30 210 9 33
sig P { on: set L } sig L {}
fact { no disj l, m: L | on.l = on.m }
pred antichain { no disj l, m: L | on.l in on.m }
pred topology {
  some l: L | on.l = P
  some l: L | no on.l
  all l, m: L | (some n: L | on.n = on.l & on.m) and (some n: L | on.n = on.l + on.m)
}
run {} for exactly 3 P, 8 L
run {} for exactly 4 P, 16 L
run antichain for exactly 4 P, 6 L
run antichain for exactly 5 P, 10 L
run topology for exactly 3 P, 8 L
run topology for exactly 4 P, 16 L
