// Purpose: a doubly linked list; `prev` mirrors `next`, and the ends are where the list says.
// Counts: as many lists of up to n nodes as sequences of values; with values 0..1: 1, 3, 7, 15.
module linked_list

sig List { head, tail: lone Node, len: Int }
sig Node { elem: Int, next, prev: lone Node }

pred wellFormed[list: List] {
  all n: list.head.*next | n not in n.^next
  all n: list.head.*next | n.next.prev = (some n.next implies n else none)
  no list.head.prev
  list.tail = { n: list.head.*next | no n.next }
  list.len = #list.head.*next
}

// The first node with this element is gone, all others stay as they were.
pred removedFirst[list: List, key: Int] {
  let old = list.head`.*next`, hit = { n: old | n.elem` = key and no m: n.^(~next`) | m.elem` = key } {
    list.head.*next = old - hit
    all n: old - hit | n.elem = n.elem` and n.^next = n.^next` - hit
  }
}

// A new node is the last one; all others stay as they were.
pred appended[list: List, value: Int] {
  list.head`.*next` = list.head.*next - list.tail
  list.tail.elem = value
  list.tail not in list.head`.*next`
  all n: list.head`.*next` | n.elem = n.elem`
}
