// Racks (OEIS A181770), quandles (A181769) and involutory quandles, also called kei (A178432): tables with
// the laws of conjugation.
// classes: 6 19 7 22 5 13
sig Q { by: Q -> one Q }
fun of[a, b: Q]: Q { b.(a.by) }
fact { all a, b, c: Q | of[of[a, b], c] = of[of[a, c], of[b, c]] }
pred invertible { all a, b: Q | one c: Q | of[c, a] = b }
pred idempotent { all a: Q | of[a, a] = a }
run rack { invertible } for exactly 3 Q
run rack { invertible } for exactly 4 Q
run quandle { invertible idempotent } for exactly 4 Q
run quandle { invertible idempotent } for exactly 5 Q
run kei { idempotent all a, b: Q | of[of[a, b], b] = a } for exactly 4 Q
run kei { idempotent all a, b: Q | of[of[a, b], b] = a } for exactly 5 Q
