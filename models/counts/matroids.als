// Matroids by their independent sets (OEIS A055545), and Moore families, which are closed under
// intersection and hold the whole set (A193674).
// classes: 2 4 8 17 5 19 184
sig P {}
sig S { of: set P }
fact { no disj l, m: S | l.of = m.of }
pred matroid {
  some l: S | no l.of
  all l: S, x: l.of | some k: S | k.of = l.of - x
  all l, m: S | #l.of < #m.of implies some x: m.of - l.of | some k: S | k.of = l.of + x
}
pred moore {
  some l: S | l.of = P
  all l, m: S | some k: S | k.of = l.of & m.of
}
run matroid for exactly 1 P, 2 S
run matroid for exactly 2 P, 4 S, 3 Int
run matroid for exactly 3 P, 8 S, 3 Int
run matroid for exactly 4 P, 16 S, 4 Int
run moore for exactly 2 P, 4 S
run moore for exactly 3 P, 8 S
run moore for exactly 4 P, 16 S
