// What the predicates of util/relation mean, element by element.
open util/relation
sig A { r: set B }
sig B {}
sig N { e: set N }

check { dom[r] = { a: A | some b: B | a -> b in r } and ran[r] = { b: B | some a: A | a -> b in r } } for 3 expect 0
check { total[r, A] iff all a: A | some b: B | a -> b in r } for 3 expect 0
check { functional[r, A] iff all a: A, disj b, c: B | not (a -> b in r and a -> c in r) } for 3 expect 0
check { function[r, A] iff (total[r, A] and functional[r, A]) } for 3 expect 0
check { surjective[r, B] iff all b: B | some a: A | a -> b in r } for 3 expect 0
check { injective[r, B] iff all b: B, disj a, c: A | not (a -> b in r and c -> b in r) } for 3 expect 0
check { bijective[r, B] iff (surjective[r, B] and injective[r, B]) } for 3 expect 0
check { bijection[r, A, B] implies #A = #B } for 3 expect 0
check { bijection[r, A, B] iff (function[r, A] and surjective[r, B] and injective[r, B]) } for 3 expect 0
check { reflexive[e, N] iff all a: N | a -> a in e } for 3 expect 0
check { irreflexive[e] iff no a: N | a -> a in e } for 3 expect 0
check { symmetric[e] iff all a, b: N | a -> b in e implies b -> a in e } for 3 expect 0
check { antisymmetric[e] iff all disj a, b: N | not (a -> b in e and b -> a in e) } for 3 expect 0
check { transitive[e] iff all a, b, c: N | a -> b in e and b -> c in e implies a -> c in e } for 3 expect 0
check { acyclic[e, N] iff no n: N | n -> n in ^e } for 3 expect 0
check { complete[e, N] iff all disj a, b: N | a -> b in e or b -> a in e } for 3 expect 0
check { preorder[e, N] iff (reflexive[e, N] and transitive[e]) } for 3 expect 0
check { equivalence[e, N] iff (preorder[e, N] and symmetric[e]) } for 3 expect 0
check { partialOrder[e, N] iff (preorder[e, N] and antisymmetric[e]) } for 3 expect 0
check { totalOrder[e, N] iff (partialOrder[e, N] and complete[e, N]) } for 3 expect 0

// Known numbers.
run { preorder[e, N] } for 0 but exactly 4 N expect 33 upto iso
run { partialOrder[e, N] } for 0 but exactly 4 N expect 16 upto iso
run { equivalence[e, N] } for 0 but exactly 4 N expect 5 upto iso
run { totalOrder[e, N] } for 0 but exactly 4 N expect 1 upto iso
run { acyclic[e, N] } for 0 but exactly 4 N expect 31 upto iso
