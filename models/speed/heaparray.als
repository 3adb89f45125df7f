// Binary max-heaps in an array: capacity 0..n, size up to capacity, entries 0..n, duplicates allowed.
// classes: 66 320 1919 13139 117562 1005075 10391382
one sig Heap { capacity, size: one Int, at: Int -> lone Int }
pred heap[n: Int] {
  Heap.capacity >= 0 and Heap.capacity <= n
  Heap.size >= 0 and Heap.size <= Heap.capacity
  all i: Int | some Heap.at[i] iff (i >= 0 and i < Heap.size)
  all i: Int | some Heap.at[i] implies (Heap.at[i] >= 0 and Heap.at[i] <= n)
  all i: Int | (i > 0 and i < Heap.size) implies Heap.at[i] <= Heap.at[div[minus[i, 1], 2]]
}
run { heap[3] } for 5 int
run { heap[4] } for 5 int
run { heap[5] } for 5 int
run { heap[6] } for 5 int
run { heap[7] } for 5 int
run { heap[8] } for 5 int
run { heap[9] } for 5 int
