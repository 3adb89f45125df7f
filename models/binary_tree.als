// Binary trees: every node has room for a left and a right child.
//
// Counts: Catalan numbers, 1, 1, 2, 5, 14, 42, 132, 429, 1430 shapes with 0, 1, 2, … nodes (Korat's
// evaluation has the 1430 of 8 nodes); `gen --scope n` gives their sums up to n.
//
// gen --scope 1: 2
// gen --scope 2: 4
// gen --scope 3: 9
// gen --scope 4: 23
// gen --scope 5: 65
// gen --scope 6: 197

one sig Tree { root: lone Node }
sig Node { left, right: lone Node }

fun children: Node -> Node { left + right }

fact shape {
  Node = Tree.root.*children
  all n: Node {
    n not in n.^children
    lone children.n
    no n.left & n.right
  }
}

// Every node has both children or none.
pred full { all n: Node | some n.left iff some n.right }

run {} for exactly 4 Node expect 14 upto iso
run {} for exactly 6 Node expect 132 upto iso
run {} for exactly 8 Node expect 1430 upto iso

// A full tree of 2k + 1 nodes is a tree of the k inner ones.
run full for exactly 7 Node expect 5 upto iso
run full for exactly 6 Node expect 0 upto iso

// A tree has one edge less than nodes.
check { some Node implies #children = minus[#Node, 1] } for 6 expect 0
