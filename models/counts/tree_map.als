// TreeMap of the Korat evaluation: red-black trees of up to n nodes, keys any subset of 1..n, root of either
// colour.
// classes: 3 7 16 41 115 327 911
open util/ordering[Key] as key
sig Key {}
abstract sig Color {}
one sig Red, Black extends Color {}
one sig Tree { root: lone Node }
sig Node { left, right: lone Node, key: one Key, color: one Color }
fun kids: Node -> Node { left + right }
fun fringe: set Node { { n: Node | no n.left or no n.right } }
fun blacks[n: Node]: set Node { n.*~kids & color.Black }
fact {
  Node = Tree.root.*kids
  all n: Node {
    n not in n.^kids
    lone kids.n
    no n.left & n.right
    all m: n.left.*kids | key/lt[m.key, n.key]
    all m: n.right.*kids | key/lt[n.key, m.key]
    n.color = Red implies Red not in n.kids.color
  }
  all m, n: fringe | #blacks[m] = #blacks[n]
}
run {} for 1 Node, exactly 1 Key, 5 Int
run {} for 2 Node, exactly 2 Key, 5 Int
run {} for 3 Node, exactly 3 Key, 5 Int
run {} for 4 Node, exactly 4 Key, 5 Int
run {} for 5 Node, exactly 5 Key, 5 Int
run {} for 6 Node, exactly 6 Key, 5 Int
run {} for 7 Node, exactly 7 Key, 5 Int
