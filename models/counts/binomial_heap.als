// BinomialHeap of the Korat evaluation: up to n nodes with keys 1..n, one binomial tree for each bit of the
// size, roots by rising and children by falling degree, no key below its parent's.
// classes: 2 6 28 120 936 7602 107416
open util/ordering[Key] as key
sig Key {}
one sig Heap { head: lone Node, size: one Int }
sig Node { parent, child, sibling: lone Node, degree: one Int, key: one Key }
fun roots: set Node { { n: Node | no n.parent } }
fact shape {
  Node = Heap.head.*(child + sibling)
  all n: Node | n not in n.^(child + sibling) and lone (child + sibling).n and no n.child & n.sibling
  Heap.head in roots
  all n: Node, c: n.child.*sibling | c.parent = n
  all n: Node | some n.parent implies n in n.parent.child.*sibling
  Heap.size = #Node
}
fact degrees {
  all n: Node {
    n.degree >= 0
    n.degree = 0 iff no n.child
    some n.child implies n.child.degree = minus[n.degree, 1]
    some n.parent implies (n.degree = 0 iff no n.sibling)
    some n.parent and some n.sibling implies n.sibling.degree = minus[n.degree, 1]
    no n.parent and some n.sibling implies n.degree < n.sibling.degree
  }
}
fact order { all n: Node | some n.parent implies key/lte[n.parent.key, n.key] }
run {} for 1 Node, exactly 1 Key, 5 Int
run {} for 2 Node, exactly 2 Key, 5 Int
run {} for 3 Node, exactly 3 Key, 5 Int
run {} for 4 Node, exactly 4 Key, 5 Int
run {} for 5 Node, exactly 5 Key, 5 Int
run {} for 6 Node, exactly 6 Key, 5 Int
run {} for 7 Node, exactly 7 Key, 5 Int
