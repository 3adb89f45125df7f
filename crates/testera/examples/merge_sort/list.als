// Purpose: a singly linked list and what merge sort owes its caller.
// Source: Khurshid and Marinov, TestEra (2004), section 2; a back-tick marks the state before the call.
// Counts: 27 lists of exactly 3 nodes over 0..2; 40 of up to 3 nodes over 0..2; 9,331 of up to 5 over 0..5.
module list

sig List { header: lone Node }
sig Node { elem: Int, next: lone Node }

pred acyclic[list: List] {
  all n: list.header.*next | n not in n.^next
}

pred sorted[list: List] {
  all n: list.header.*next | some n.next implies n.elem <= n.next.elem
}

pred permutation[list: List] {
  all i: Int | #{n: list.header.*next | n.elem = i} = #{n: list.header`.*next` | n.elem` = i}
}
