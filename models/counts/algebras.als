// More algebras with one binary operation: commutative magmas (OEIS A001425), idempotent magmas
// (A030247), bands (idempotent semigroups), semilattices (lattices with an element more, A006966).
// classes: 129 138 10 46 15 53
sig G { m: G -> one G }
fun of[a, b: G]: G { b.(a.m) }
pred associative { all a, b, c: G | of[of[a, b], c] = of[a, of[b, c]] }
pred commutative { all a, b: G | of[a, b] = of[b, a] }
pred idempotent { all a: G | of[a, a] = a }
run commutative_magma { commutative } for exactly 3 G
run idempotent_magma { idempotent } for exactly 3 G
run band { associative idempotent } for exactly 3 G
run band { associative idempotent } for exactly 4 G
run semilattice { associative commutative idempotent } for exactly 5 G
run semilattice { associative commutative idempotent } for exactly 6 G
