// Red-black trees, exactly n nodes, keys exactly n, root either colour.
// classes: 2 2 3 8 14 20 35 64 122 260 586 1296
open util/ordering[Key] as ko
sig Key {}
one sig Tree { root: lone Node }
sig Node { left, right: lone Node, key: one Key , color: one Color }
pred bst {
  Node = Tree.root.*(left+right)
  all n: Node {
    n not in n.^(left+right)
    lone n.~(left+right)
    no n.left & n.right
    all c: n.left.*(left+right) | ko/lt[c.key, n.key]
    all c: n.right.*(left+right) | ko/lt[n.key, c.key]
  }
}
abstract sig Color {}
one sig Red, Black extends Color {}
fun leafish: set Node { {n: Node | no n.left or no n.right} }
fun blacks[n: Node]: set Node { n.*~(left+right) & color.Black }
pred repOK {
  bst
  all n: Node | n.color = Red implies Red not in n.(left+right).color
  all p, q: leafish | #blacks[p] = #blacks[q]
}
run repOK for exactly 1 Node, exactly 1 Key, 5 Int
run repOK for exactly 2 Node, exactly 2 Key, 5 Int
run repOK for exactly 3 Node, exactly 3 Key, 5 Int
run repOK for exactly 4 Node, exactly 4 Key, 5 Int
run repOK for exactly 5 Node, exactly 5 Key, 5 Int
run repOK for exactly 6 Node, exactly 6 Key, 5 Int
run repOK for exactly 7 Node, exactly 7 Key, 5 Int
run repOK for exactly 8 Node, exactly 8 Key, 5 Int
run repOK for exactly 9 Node, exactly 9 Key, 5 Int
run repOK for exactly 10 Node, exactly 10 Key, 5 Int
run repOK for exactly 11 Node, exactly 11 Key, 5 Int
run repOK for exactly 12 Node, exactly 12 Key, 5 Int
