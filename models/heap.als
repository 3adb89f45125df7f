// Binary heaps kept in an array: the parent of place i is at place (i - 1) / 2, and no entry is greater
// than its parent's.
//
// Source: HeapArray of the Korat and UDITA papers, there with a capacity beside the size.
// Counts: `gen --scope n` fills up to n places with the values 0..n (counted by explicit enumeration;
// summed over capacities 0..n they are the 4, 15, 66, 320, 1919 of the papers).
//
// gen --scope 1: 3
// gen --scope 2: 10
// gen --scope 3: 45
// gen --scope 4: 216

one sig Heap { size: one Int, at: Int -> lone Int }

fact used {
  Heap.size >= 0
  all i: Int | some Heap.at[i] iff (0 <= i and i < Heap.size)
  all v: Heap.at[Int] | v >= 0
}

fact order {
  all i: Int | 0 < i and i < Heap.size implies Heap.at[i] <= Heap.at[div[minus[i, 1], 2]]
}

run {} for 3 but 0..3 Int expect 45 upto iso

// The greatest entry stands at place 0.
check { Heap.size > 0 implies all i: Int | Heap.at[i] <= Heap.at[0] } for 3 but 0..4 Int expect 0
