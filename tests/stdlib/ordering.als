// Laws of util/ordering, which makes one line of all atoms.
open util/ordering[S] as s
sig S {}
sig T in S {}

check { #S = 5 } for 5 expect 0
check { no prev[s/first] and no next[s/last] } for 5 expect 0
check { all a: S - s/last | one s/next[a] and s/prev[s/next[a]] = a } for 5 expect 0
check { S = s/first.*s/next and no a: S | a in a.^s/next } for 5 expect 0
check { all a, b: S | lt[a, b] iff b in a.^s/next } for 5 expect 0
check { all a, b: S | (gt[a, b] iff lt[b, a]) and (lte[a, b] iff not gt[a, b]) and (gte[a, b] iff not lt[a, b]) } for 5 expect 0
check { all a: S | s/prevs[a] = { b: S | lt[b, a] } and s/nexts[a] = { b: S | gt[b, a] } } for 5 expect 0
check { all a, b: S | larger[a, b] = s/max[a + b] and smaller[a, b] = s/min[a + b] } for 5 expect 0
check { some T implies s/max[T] in T and no a: T | gt[a, s/max[T]] } for 5 expect 0
check { some T implies s/min[T] in T and no a: T | lt[a, s/min[T]] } for 5 expect 0
check { no T implies no s/max[T] + s/min[T] } for 5 expect 0
// The line is fixed: what is left to choose is the subset.
run {} for 5 expect 32 upto iso
