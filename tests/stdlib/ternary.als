// What the functions of util/ternary mean, tuple by tuple.
open util/ternary
one sig T { g: A -> B -> C }
sig A, B, C {}
fun t: A -> B -> C { T.g }

check { dom[t] = { a: A | some b: B, c: C | a -> b -> c in t } } for 2 expect 0
check { mid[t] = { b: B | some a: A, c: C | a -> b -> c in t } } for 2 expect 0
check { ran[t] = { c: C | some a: A, b: B | a -> b -> c in t } } for 2 expect 0
check { select12[t] = { a: A, b: B | some c: C | a -> b -> c in t } } for 2 expect 0
check { select13[t] = { a: A, c: C | some b: B | a -> b -> c in t } } for 2 expect 0
check { select23[t] = { b: B, c: C | some a: A | a -> b -> c in t } } for 2 expect 0
check { flip12[t] = { b: B, a: A, c: C | a -> b -> c in t } } for 2 expect 0
check { flip13[t] = { c: C, b: B, a: A | a -> b -> c in t } } for 2 expect 0
check { flip23[t] = { a: A, c: C, b: B | a -> b -> c in t } } for 2 expect 0
