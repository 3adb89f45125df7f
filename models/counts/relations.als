// Binary relations of many kinds on unlabelled points.
// Sequences of the OEIS: connected graphs A001349, tournaments A000568, preorders A001930,
// partitions A000041, functions A001372, partial functions A126285, permutations A000041,
// transitive relations A091073, connected cubic graphs A002851, triangle-free graphs A006785, trees A000055,
// oriented graphs A001174, forests A005195, connected and bipartite graphs A005142.
// classes: 112 853 56 456 139 718 22 951 929 30 242 1895 5 107 410 47 42 582 37 17
sig V { e: set V }
pred undirected { e = ~e no iden & e }
pred connected { all a: V | V in a.*e }
pred transitive { e.e in e }
pred reflexive { V <: iden in e }
pred acyclic { all a, b: V | a -> b in e implies b not in a.*(e - a -> b - b -> a) }
run connected_graph { undirected connected } for exactly 6 V
run connected_graph { undirected connected } for exactly 7 V
run tournament { no iden & e all disj a, b: V | one (a -> b + b -> a) & e } for exactly 6 V
run tournament { no iden & e all disj a, b: V | one (a -> b + b -> a) & e } for exactly 7 V
run preorder { reflexive transitive } for exactly 5 V
run preorder { reflexive transitive } for exactly 6 V
run equivalence { reflexive transitive e = ~e } for exactly 8 V
run function { all a: V | one a.e } for exactly 8 V
run partial_function { all a: V | lone a.e } for exactly 7 V
run permutation { all a: V | one a.e and one e.a } for exactly 9 V
run transitive_relation { transitive } for exactly 4 V
run transitive_relation { transitive } for exactly 5 V
run cubic { undirected all a: V | #a.e = 3 and V in a.*e } for exactly 8 V
run triangle_free { undirected no a: V | some a.e & a.e.e } for exactly 7 V
run triangle_free { undirected no a: V | some a.e & a.e.e } for exactly 8 V
run free_tree { undirected connected acyclic } for exactly 9 V
run oriented { no e & ~e } for exactly 4 V
run oriented { no e & ~e } for exactly 5 V
run forest { undirected acyclic } for exactly 7 V
run bipartite { undirected connected some s: set V | e in s -> (V - s) + (V - s) -> s } for exactly 6 V
