// Singly linked lists of integers: the first thing to generate.
//
// Source: the list of the TestEra paper (Khurshid, Marinov 2004).
// Counts: a list of length k over v values is one of v^k; `gen --scope n` takes the values 0..n and
// the lengths up to n, so n = 1, 2, 3, 4 gives 3, 13, 85, 781.
//
// gen --scope 1: 3
// gen --scope 2: 13
// gen --scope 3: 85
// gen --scope 4: 781

one sig List { header: lone Node }
sig Node { next: lone Node, elem: one Int }

fact shape {
  all n: Node | n not in n.^next        // no cycle
  Node = List.header.*next              // no node beside the list
}

pred sorted { all n: Node | some n.next implies n.elem <= n.next.elem }

run {} for 3 but 0..3 Int expect 85 upto iso

// Sorted lists are multisets: 1 + 4 + 10 + 20 of up to 3 out of 4 values.
run sorted for 3 but 0..3 Int expect 35 upto iso

// A list that is not empty has one last node.
check { some List.header implies one n: Node | no n.next } for 5 but 1 Int expect 0
