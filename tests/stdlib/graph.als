// What the predicates of util/graph mean, and numbers of the graphs that they describe.
open util/graph[N]
sig N { e: set N }

check { undirected[e] iff all a, b: N | a -> b in e implies b -> a in e } for 3 expect 0
check { noSelfLoops[e] iff no n: N | n in n.e } for 3 expect 0
// Paths in graphs of 3 nodes have at most 2 edges.
fun step[a: N, r: N -> N]: set N { a + a.r + a.r.r }
check { weaklyConnected[e] iff all a, b: N | b in step[a, e + ~e] } for 3 expect 0
check { stronglyConnected[e] iff all a, b: N | b in step[a, e] } for 3 expect 0
check { all n: N | rootedAt[e, n] iff N in step[n, e] } for 3 expect 0
check { ring[e] iff (stronglyConnected[e] and all n: N | one n.e) } for 4 expect 0
check { dag[e] iff no n: N | n in n.(e + e.e + e.e.e) } for 3 expect 0
check { forest[e] iff (dag[e] and all n: N | lone e.n) } for 4 expect 0
check { tree[e] iff (forest[e] and weaklyConnected[e]) } for 4 expect 0
check { some N implies (tree[e] iff one n: N | treeRootedAt[e, n]) } for 4 expect 0
check { roots[e] = { n: N | no a: N | a -> n in e } } for 4 expect 0
check { leaves[e] = { n: N | no a: N | n -> a in e } and innerNodes[e] = N - leaves[e] } for 4 expect 0

run { undirected[e] and noSelfLoops[e] } for exactly 4 N expect 11 upto iso
run { dag[e] } for exactly 4 N expect 31 upto iso
run { tree[e] } for exactly 5 N expect 9 upto iso
run { forest[e] } for exactly 4 N expect 9 upto iso
run { ring[e] } for exactly 5 N expect 1 upto iso
// Strongly connected digraphs without loops (OEIS A035512), weakly connected ones (A003085).
run { stronglyConnected[e] and noSelfLoops[e] } for exactly 4 N expect 83 upto iso
run { weaklyConnected[e] and noSelfLoops[e] } for exactly 4 N expect 199 upto iso
