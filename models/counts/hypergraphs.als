// Graphs with edges of other kinds: triples of points (OEIS A000665), edges of two signs (A004102), multigraphs
// of so many edges without isolated points (A050535).
// classes: 5 34 66 792 8 23 66
sig V { triple: V -> V, positive: set V, negative: set V }
sig Edge { ends: set V }
pred no_triples { no triple }
pred no_signs { no positive no negative }
pred no_edges { no Edge }
pred triples {
  no_signs no_edges
  all a, b, c: V | a -> b -> c in triple implies
    b -> a -> c + a -> c -> b in triple and a != b and b != c and a != c
}
pred signed {
  no_triples no_edges
  positive = ~positive negative = ~negative
  no iden & (positive + negative)
  no positive & negative
}
pred multigraph {
  no_triples no_signs
  all x: Edge | some disj a, b: V | x.ends = a + b
  V = Edge.ends
}
run triples for exactly 4 V, 0 Edge
run triples for exactly 5 V, 0 Edge
run signed for exactly 4 V, 0 Edge
run signed for exactly 5 V, 0 Edge
run multigraph for 6 V, exactly 3 Edge
run multigraph for 8 V, exactly 4 Edge
run multigraph for 10 V, exactly 5 Edge
