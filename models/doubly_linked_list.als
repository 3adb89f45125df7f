// Doubly linked lists with a first and a last node, holding objects that may occur several times.
//
// Counts: the objects are told apart only by where they occur, so a list of length k is one of the
// Bell(k) ways to split k places into groups; up to scope n that is 1 + 1 + 2 + 5 + 15 + …
//
// gen --scope 1: 2
// gen --scope 2: 4
// gen --scope 3: 9
// gen --scope 4: 24
// gen --scope 5: 76

one sig List { head, tail: lone Node }
sig Node { next, prev: lone Node, elem: one Object }
sig Object {}

fact shape {
  Node = List.head.*next
  all n: Node | n not in n.^next
  Node <: prev = ~(Node <: next)
  List.tail = { n: Node | no n.next }
  Object = Node.elem                    // no object beside the list
}

run {} for 4 expect 24 upto iso

// The list read backwards is a list as well.
check { Node = List.tail.*prev and no n: Node | n in n.^prev } for 5 expect 0

// The head is the one node without a predecessor.
check { List.head = { n: Node | no n.prev } } for 5 expect 0
