// More binary relations on unlabelled points: transitive relations (OEIS A091073), triangle-free
// graphs (A006785), oriented graphs (A001174), forests (A005195), connected bipartite graphs (A005142).
// classes: 242 1895 107 410 42 582 20 37 5 17
sig V { e: set V }
pred undirected { e = ~e no iden & e }
pred acyclic { all a, b: V | a -> b in e implies b not in a.*(e - a -> b - b -> a) }
pred bipartite { undirected (all a: V | V in a.*e) some s: set V | e in s -> (V - s) + (V - s) -> s }
run transitive { e.e in e } for exactly 4 V
run transitive { e.e in e } for exactly 5 V
run triangle_free { undirected no a: V | some a.e & a.e.e } for exactly 7 V
run triangle_free { undirected no a: V | some a.e & a.e.e } for exactly 8 V
run oriented { no e & ~e } for exactly 4 V
run oriented { no e & ~e } for exactly 5 V
run forest { undirected acyclic } for exactly 6 V
run forest { undirected acyclic } for exactly 7 V
run bipartite for exactly 5 V
run bipartite for exactly 6 V
