// The shapes of tera/shape, by their numbers and by laws between them.
open tera/shape
one sig Root { top: lone N }
sig N { left, right: lone N, key: one Int }
fun edges: N -> N { left + right }
fun start: set N { Root.top }
pred alone { no right and all n: N | n.key = 0 }

// reach, within, covers
check { start in reach[start, left] and reach[start, left].left in reach[start, left] } for 3 but 1 Int expect 0
check { no s: set N | start in s and s.left in s and some reach[start, left] - s } for 3 but 1 Int expect 0
check { within[start, left] = { m, n: N | m in reach[start, left] and m -> n in left } } for 3 but 1 Int expect 0
check { covers[start, left, N] iff N in start.*left } for 3 but 1 Int expect 0

// One list, ring and so on of each length, when nothing else exists.
run { alone and covers[start, left, N] and list[start, left] } for exactly 4 N, 1 Int expect 1 upto iso
run { alone and covers[start, left, N] and ring[start, left] } for exactly 4 N, 1 Int expect 1 upto iso
run { no key - N -> 0 and covers[start, left, N] and doublyLinked[start, left, right] } for exactly 4 N, 1 Int expect 1 upto iso
run { no key - N -> 0 and covers[start, edges, N] and binaryTree[start, left, right] } for exactly 4 N, 1 Int expect 14 upto iso
// One chain, again.
run { alone and covers[start, left, N] and acyclic[start, left] } for exactly 4 N, 1 Int expect 1 upto iso
run { covers[start, edges, N] and searchTree[start, left, right, key] } for exactly 3 N, 0..3 Int expect 20 upto iso
run { no right and covers[start, left, N] and list[start, left] and sorted[start, left, key] } for exactly 3 N, 0..2 Int expect 10 upto iso
run { no right and covers[start, left, N] and list[start, left] and strictlySorted[start, left, key] } for exactly 3 N, 0..3 Int expect 4 upto iso
run { covers[start, edges, N] and binaryTree[start, left, right] and heapOrdered[start, edges, key] } for exactly 2 N, 0..2 Int expect 12 upto iso

// What follows from what.
check { list[start, left] implies acyclic[start, left] and tree[start, left] } for 4 but 1 Int expect 0
check { tree[start, edges] implies acyclic[start, edges] } for 4 but 1 Int expect 0
check { tree[start, edges] implies all n: start.^edges | one within[start, edges].n } for 4 but 1 Int expect 0
check { ring[start, left] and some start implies not acyclic[start, left] } for 4 but 1 Int expect 0
check { doublyLinked[start, left, right] implies all n: reach[start, left] | n.left.right in n and no start.right } for 4 but 1 Int expect 0
check { searchTree[start, left, right, key] implies all disj m, n: reach[start, edges] | m.key != n.key } for 3 but 0..2 Int expect 0
check { heapOrdered[start, edges, key] and binaryTree[start, left, right] implies all n: reach[start, edges] | start.key <= n.key } for 3 but 0..2 Int expect 0
check { strictlySorted[start, left, key] implies sorted[start, left, key] } for 3 but 0..2 Int expect 0
