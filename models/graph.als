// Simple graphs: edges without direction, no loops.
//
// Counts: 1, 2, 4, 11, 34, 156, 1044 graphs on exactly 1, 2, 3, … nodes (OEIS A000088); the connected ones
// 1, 1, 2, 6, 21, 112, 853 (A001349); `gen --scope n` gives the sums, the empty graph included.
//
// gen --scope 1: 2
// gen --scope 2: 4
// gen --scope 3: 8
// gen --scope 4: 19
// gen --scope 5: 53

sig Node { edges: set Node }

fact simple {
  edges = ~edges
  no iden & edges
}

run {} for exactly 5 Node expect 34 upto iso
run { all m, n: Node | n in m.*edges } for exactly 5 Node expect 21 upto iso

// Triangle-free graphs on 5 nodes (A006785).
run { no disj a, b, c: Node | b in a.edges and c in b.edges and a in c.edges } for exactly 5 Node expect 14 upto iso

// Regular graphs of degree 2 on 6 nodes: one ring of six, or two of three.
run { all n: Node | #n.edges = 2 } for exactly 6 Node expect 2 upto iso

// Two people among several have equally many friends.
check { #Node > 1 implies some disj a, b: Node | #a.edges = #b.edges } for 6 expect 0

// Of six people three know each other or three do not.
check {
  some disj a, b, c: Node | (b in a.edges and c in a.edges and c in b.edges) or
    (b not in a.edges and c not in a.edges and c not in b.edges)
} for exactly 6 Node expect 0
