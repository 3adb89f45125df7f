// Binary search trees, at most n nodes, keys from n ordered keys.
// classes: 15 51 188 731 2950 12235 51822
open util/ordering[Key] as ko
sig Key {}
one sig Tree { root: lone Node }
sig Node { left, right: lone Node, key: one Key }
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
run bst for 3 Node, exactly 3 Key
run bst for 4 Node, exactly 4 Key
run bst for 5 Node, exactly 5 Key
run bst for 6 Node, exactly 6 Key
run bst for 7 Node, exactly 7 Key
run bst for 8 Node, exactly 8 Key
run bst for 9 Node, exactly 9 Key
