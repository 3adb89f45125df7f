// Purpose: a binary heap in an array, and a map from each identifier to its place in it.
module index_heap

sig Queue { heap: seq Entry, position: Int -> lone Int }
sig Entry { id, priority: Int }

pred wellFormed[queue: Queue] {
  all i: queue.heap.inds - 0 | queue.heap[div[minus[i, 1], 2]].priority <= queue.heap[i].priority
  all disj i, j: queue.heap.inds | queue.heap[i].id != queue.heap[j].id
  queue.position = { k, i: Int | i in queue.heap.inds and queue.heap[i].id = k }
}

// One with the least priority is gone, the others are still there.
pred popped[queue: Queue] {
  let old = queue.heap`[Int], new = queue.heap[Int] {
    new.id in old.id`
    some old implies {
      one old.id` - new.id
      all e: old | (old.id` - new.id).(~id`).priority` <= e.priority`
    }
  }
}
