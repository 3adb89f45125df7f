// Acyclic singly linked list, exactly n nodes, values 0..2.
// classes: 27 81 243 729
one sig List { header: lone Node }
sig Node { next: lone Node, elem: one Int }
pred repOK {
  Node.elem in 0+1+2
  all n: Node | n not in n.^next
  Node = List.header.*next
}
run repOK for exactly 3 Node, 3 Int
run repOK for exactly 4 Node, 3 Int
run repOK for exactly 5 Node, 3 Int
run repOK for exactly 6 Node, 3 Int
