// Red-black trees: search trees that keep themselves balanced by colours.
//
// The rules: the root is black; a red node has no red child; on the way from the root to any place
// where a node is missing stand equally many black nodes.
//
// Counts: there are 1, 1, 2, 2, 4, 8, 16, 33, 56, 90, 164 coloured shapes with 0, 1, 2, … nodes (counted by
// explicit enumeration), each with any k of the values 0..n in order: the sum of shapes(k) * C(n + 1, k).
//
// gen --scope 1: 3
// gen --scope 2: 10
// gen --scope 3: 25
// gen --scope 4: 66
// gen --scope 5: 185

one sig Tree { root: lone Node }
sig Node { left, right: lone Node, key: one Int, color: one Color }
enum Color { Red, Black }

fun children: Node -> Node { left + right }

// The nodes that miss a child.
fun fringe: set Node { { n: Node | no n.left or no n.right } }

// The black nodes from the root down to n.
fun blacks[n: Node]: set Node { n.*~children & color.Black }

fact shape {
  Node = Tree.root.*children
  all n: Node {
    n not in n.^children
    lone children.n
    no n.left & n.right
  }
}

fact order {
  all n: Node {
    all m: n.left.*children | m.key < n.key
    all m: n.right.*children | m.key > n.key
  }
}

fact colors {
  Tree.root.color in Black
  no n: Node | n.color = Red and Red in n.children.color
  all m, n: fringe | #blacks[m] = #blacks[n]
}

run {} for 3 but 0..3 Int expect 25 upto iso

// No way down is more than twice as long as another.
check { all m, n: fringe | #m.*~children <= mul[2, #n.*~children] } for 5 but 0..5 Int expect 0

// Four or more nodes cannot all be black unless the tree is perfect.
run { Node.color = Black } for exactly 4 Node, 0..3 Int expect 0
