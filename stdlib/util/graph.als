// Properties of directed graphs over all atoms of one signature.
module util/graph[node]

open util/relation as rel

// Every edge has its opposite.
pred undirected[r: node -> node] { symmetric[r] }

pred noSelfLoops[r: node -> node] { irreflexive[r] }

// Any two nodes are joined by a path that may run against edges.
pred weaklyConnected[r: node -> node] { all a, b: node | b in a.*(r + ~r) }

// Any two nodes are joined by a path along edges.
pred stronglyConnected[r: node -> node] { all a, b: node | b in a.*r }

// Every node can be reached from the root.
pred rootedAt[r: node -> node, root: node] { node in root.*r }

// One cycle through all nodes.
pred ring[r: node -> node] {
  all n: node {
    one n.r
    rootedAt[r, n]
  }
}

pred dag[r: node -> node] { acyclic[r, node] }

// Edges lead from parents to children, each child with one parent at most.
pred forest[r: node -> node] {
  dag[r]
  all n: node | lone r.n
}

// A forest with one root; the empty graph is a tree too.
pred tree[r: node -> node] {
  forest[r]
  lone n: node | no r.n
}

pred treeRootedAt[r: node -> node, root: node] {
  forest[r]
  rootedAt[r, root]
}

// The nodes without a predecessor, without a successor, and with one.
fun roots[r: node -> node]: set node { node - node.^r }
fun leaves[r: node -> node]: set node { node - node.^~r }
fun innerNodes[r: node -> node]: set node { node - leaves[r] }
