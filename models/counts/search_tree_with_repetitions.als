// SearchTree of the UDITA paper: exactly n nodes with keys 1..n, the keys in order never falling:
// Catalan(n) * C(2n - 1, n).
// classes: 1 6 50 490 5292
open util/ordering[Key] as key
sig Key {}
one sig Tree { root: lone Node }
sig Node { left, right: lone Node, key: one Key }
fun kids: Node -> Node { left + right }
fact {
  Node = Tree.root.*kids
  all n: Node {
    n not in n.^kids
    lone kids.n
    no n.left & n.right
    all m: n.left.*kids | key/lte[m.key, n.key]
    all m: n.right.*kids | key/lte[n.key, m.key]
  }
}
run {} for exactly 1 Node, exactly 1 Key
run {} for exactly 2 Node, exactly 2 Key
run {} for exactly 3 Node, exactly 3 Key
run {} for exactly 4 Node, exactly 4 Key
run {} for exactly 5 Node, exactly 5 Key
