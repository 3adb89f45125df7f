// Shapes of linked structures: what is most often said of lists, trees and heaps of objects.
//
// Each predicate speaks of what the start reaches along the given fields, and of nothing else, so
// that several structures can share one signature. A start may be empty: so may a list.
module tera/shape

// What can be reached along r, the start included.
fun reach[start: set univ, r: univ -> univ]: set univ { start + start.^r }

// The edges that are reached.
fun within[start: set univ, r: univ -> univ]: univ -> univ { reach[start, r] <: r }

// Nothing that is reached lies on a cycle.
pred acyclic[start: set univ, r: univ -> univ] {
  all n: reach[start, r] | n not in n.^r
}

// Every node of s is reached.
pred covers[start: set univ, r: univ -> univ, s: set univ] { s in reach[start, r] }

// A chain that ends.
pred list[start: set univ, next: univ -> univ] {
  lone start
  all n: reach[start, next] {
    lone n.next
    n not in n.^next
  }
}

// A chain that ends, with the way back: the first node has no predecessor.
pred doublyLinked[start: set univ, next, prev: univ -> univ] {
  list[start, next]
  within[start, next + prev] & prev = ~(within[start, next])
}

// A chain that closes in the start.
pred ring[start: set univ, next: univ -> univ] {
  lone start
  all n: reach[start, next] {
    one n.next
    start in n.*next
  }
}

// Every node but the root has one parent, the root none.
pred tree[root: set univ, children: univ -> univ] {
  lone root
  no within[root, children].root
  all n: root.^children {
    one within[root, children].n
    n not in n.^children
  }
}

// A tree whose children have two places.
pred binaryTree[root: set univ, left, right: univ -> univ] {
  tree[root, left + right]
  all n: reach[root, left + right] {
    lone n.left
    lone n.right
    no n.left & n.right
  }
}

// A binary tree with the smaller keys on the left; all keys differ.
pred searchTree[root: set univ, left, right: univ -> univ, key: univ -> Int] {
  binaryTree[root, left, right]
  all n: reach[root, left + right] {
    all m: reach[n.left, left + right] | m.key < n.key
    all m: reach[n.right, left + right] | m.key > n.key
  }
}

// Keys never fall, always rise, along the links.
pred sorted[start: set univ, next: univ -> univ, key: univ -> Int] {
  all n: reach[start, next], m: n.next | n.key <= m.key
}
pred strictlySorted[start: set univ, next: univ -> univ, key: univ -> Int] {
  all n: reach[start, next], m: n.next | n.key < m.key
}

// No child has a smaller key than its parent: the least key is on top.
pred heapOrdered[root: set univ, children: univ -> univ, key: univ -> Int] {
  sorted[root, children, key]
}
