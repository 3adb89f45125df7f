// Algebras with one binary operation, up to isomorphism.
// Sequences of the OEIS: magmas A001329, semigroups A027851, monoids A058129, commutative
// semigroups A001426, semilattices A006966 (lattices, one element more), bands A058112,
// quasigroups A057991, loops A057771, groups A000001, commutative magmas A001425,
// idempotent magmas A030247.
// classes: 10 3330 24 188 35 228 58 53 46 35 1411 109 2 129 138
sig G { m: G -> one G }
fun of[a, b: G]: G { b.(a.m) }
pred associative { all a, b, c: G | of[of[a, b], c] = of[a, of[b, c]] }
pred commutative { all a, b: G | of[a, b] = of[b, a] }
pred idempotent { all a: G | of[a, a] = a }
pred unit { some e: G | all a: G | of[a, e] = a and of[e, a] = a }
pred divisible { all a, c: G | (one b: G | of[a, b] = c) and (one b: G | of[b, a] = c) }
run magma {} for exactly 2 G
run magma {} for exactly 3 G
run semigroup { associative } for exactly 3 G
run semigroup { associative } for exactly 4 G
run monoid { associative unit } for exactly 4 G
run monoid { associative unit } for exactly 5 G
run commutative_semigroup { associative commutative } for exactly 4 G
run semilattice { associative commutative idempotent } for exactly 6 G
run band { associative idempotent } for exactly 4 G
run quasigroup { divisible } for exactly 4 G
run quasigroup { divisible } for exactly 5 G
run loop { divisible unit } for exactly 6 G
run group { associative divisible } for exactly 6 G
run commutative_magma { commutative } for exactly 3 G
run idempotent_magma { idempotent } for exactly 3 G
