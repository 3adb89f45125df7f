// DAG of the UDITA paper: n nodes, one root from which all are reached, no directed cycle; each node has an
// array of at most n - 1 entries, each null or a node, all different.
// classes: 2 34 2352
open util/ordering[Slot] as slot
sig Slot {}
one sig Graph { root: one Node }
sig Node { length: set Slot, child: length -> lone Node }
fun edges: Node -> Node { { m, n: Node | n in m.child[Slot] } }
fact {
  Node = Graph.root.*edges
  all n: Node {
    n not in n.^edges
    slot/prevs[n.length] in n.length
    all disj i, j: n.length | n.child[i] != n.child[j]
  }
}
run {} for exactly 2 Node, exactly 1 Slot
run {} for exactly 3 Node, exactly 2 Slot
run {} for exactly 4 Node, exactly 3 Slot
