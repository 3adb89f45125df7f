// Structures over several sorts: matrices, Latin squares, hypergraphs, topologies, designs.
// Sequences of the OEIS: zero-one matrices A002724, isotopy classes of Latin squares A040082,
// families of sets A003180, antichains of sets A003182, topologies A001930; there is one Steiner
// triple system on seven points (the Fano plane) and one on nine.
// classes: 36 317 2 2 22 80 3984 30 210 9 33 1 1
sig A { r: set B } sig B {}
one sig Square { cell: A -> B -> C } sig C {}
sig P { on: set L } sig L {}
pred latin {
  no r and no on
  all a: A, b: B | one Square.cell[a][b]
  all a: A, c: C | one b: B | c in Square.cell[a][b]
  all b: B, c: C | one a: A | c in Square.cell[a][b]
}
pred matrix { no Square.cell and no on }
pred family { no Square.cell and no r and no disj l, m: L | on.l = on.m }
pred topology {
  family
  some l: L | on.l = P
  some l: L | no on.l
  all l, m: L | (some n: L | on.n = on.l & on.m) and (some n: L | on.n = on.l + on.m)
}
pred steiner {
  no Square.cell and no r
  all l: L | #on.l = 3
  all disj p, q: P | one p.on & q.on
}
run matrix for 0 but exactly 3 A, exactly 3 B
run matrix for 0 but exactly 4 A, exactly 4 B
run latin for 0 but exactly 4 A, exactly 4 B, exactly 4 C
run latin for 0 but exactly 5 A, exactly 5 B, exactly 5 C
run latin for 0 but exactly 6 A, exactly 6 B, exactly 6 C
run family for 0 but exactly 3 P, 8 L
run family for 0 but exactly 4 P, 16 L
run antichain { family no disj l, m: L | on.l in on.m } for 0 but exactly 4 P, 6 L
run antichain { family no disj l, m: L | on.l in on.m } for 0 but exactly 5 P, 10 L
run topology for 0 but exactly 3 P, 8 L
run topology for 0 but exactly 4 P, 16 L
run steiner for 0 but exactly 7 P, exactly 7 L
run steiner for 0 but exactly 9 P, exactly 12 L
