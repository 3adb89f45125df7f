// Shapes of red-black trees with exactly n nodes and a black root (the JPF paper's trees): keys fixed.
// classes: 1 2 2 4 8 16 33 56 90 164
abstract sig Color {}
one sig Red, Black extends Color {}
one sig Tree { root: one Node }
sig Node { left, right: lone Node, color: one Color }
fun kids: Node -> Node { left + right }
fun fringe: set Node { { n: Node | no n.left or no n.right } }
fun blacks[n: Node]: set Node { n.*~kids & color.Black }
fact {
  Node = Tree.root.*kids
  Tree.root.color = Black
  all n: Node {
    n not in n.^kids
    lone kids.n
    no n.left & n.right
    n.color = Red implies Red not in n.kids.color
  }
  all m, n: fringe | #blacks[m] = #blacks[n]
}
run {} for exactly 1 Node, 5 Int
run {} for exactly 2 Node, 5 Int
run {} for exactly 3 Node, 5 Int
run {} for exactly 4 Node, 5 Int
run {} for exactly 5 Node, 5 Int
run {} for exactly 6 Node, 5 Int
run {} for exactly 7 Node, 5 Int
run {} for exactly 8 Node, 5 Int
run {} for exactly 9 Node, 5 Int
run {} for exactly 10 Node, 5 Int
