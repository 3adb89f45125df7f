// Binary search trees with different integer keys and a size.
//
// Counts: a tree of k nodes has one of Catalan(k) shapes, and any k of the values in order:
// `gen --scope n` takes the values 0..n, so it gives the sum of Catalan(k) * C(n + 1, k), k = 0..n.
//
// gen --scope 1: 3
// gen --scope 2: 10
// gen --scope 3: 37
// gen --scope 4: 146
// gen --scope 5: 599

one sig Tree { root: lone Node, size: one Int }
sig Node { left, right: lone Node, key: one Int }

fun children: Node -> Node { left + right }

fact shape {
  Node = Tree.root.*children
  all n: Node {
    n not in n.^children
    lone children.n
    no n.left & n.right
  }
  Tree.size = #Node
}

fact order {
  all n: Node {
    all m: n.left.*children | m.key < n.key
    all m: n.right.*children | m.key > n.key
  }
}

run {} for 3 but 0..3 Int expect 37 upto iso

// No key stands twice.
check { all disj m, n: Node | m.key != n.key } for 5 but 3 Int expect 0

// The least key is found by going left.
check {
  some Tree.root implies (some n: Tree.root.*left | no n.left and all m: Node | n.key <= m.key)
} for 4 but 3 Int expect 0
