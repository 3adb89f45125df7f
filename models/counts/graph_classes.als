// Classes of graphs on unlabelled points: bipartite (OEIS A033995), cographs, which have no path of four
// points (A000084), threshold graphs (2^(n-1)), split graphs (A048194), graphs without two points of the
// same neighbours (A004110), bridgeless and connected (A007146).
// classes: 35 88 66 180 16 32 21 56 16 78 11 60
sig V { e: set V }
fact { e = ~e no iden & e }
pred bipartite { some s: set V | e in s -> (V - s) + (V - s) -> s }
pred cograph { no disj a, b, c, d: V | a -> b + b -> c + c -> d in e and no (a -> c + a -> d + b -> d) & e }
pred threshold { all disj a, b: V | a.e - b in b.e - a or b.e - a in a.e - b }
pred split { some k: set V { all disj a, b: k | a -> b in e no e & (V - k) -> (V - k) } }
pred point_determining { all disj a, b: V | a.e != b.e }
pred bridgeless {
  all v: V | V in v.*e
  all a, b: V | a -> b in e implies b in a.*(e - a -> b - b -> a)
}
run bipartite for exactly 6 V
run bipartite for exactly 7 V
run cograph for exactly 6 V
run cograph for exactly 7 V
run threshold for exactly 5 V
run threshold for exactly 6 V
run split for exactly 5 V
run split for exactly 6 V
run point_determining for exactly 5 V
run point_determining for exactly 6 V
run bridgeless for exactly 5 V
run bridgeless for exactly 6 V
