// Purpose: a search tree whose nodes lie in an arena; slots that are not in use form a free list.
module arena_tree

sig Arena { slots: set Slot, root, free: lone Slot }
sig Slot { key: Int, left, right, next_free: lone Slot }

pred wellFormed[arena: Arena] {
  let used = arena.root.*(left + right), unused = arena.free.*next_free {
    arena.slots = used + unused
    no used & unused
    no used.next_free
    no unused.(left + right)
    all s: used | s not in s.^(left + right) and lone s.~(left + right) and no s.left & s.right
    all s: unused | s not in s.^next_free and s.key = 0
    all s: used {
      all l: s.left.*(left + right) | l.key < s.key
      all r: s.right.*(left + right) | r.key > s.key
    }
  }
}

pred removed[arena: Arena, gone: Int] {
  arena.root.*(left + right).key = arena.root`.*(left` + right`).key` - gone
  arena.slots = arena.slots`
}

// A slot of the free list is used again before the arena grows.
pred inserted[arena: Arena, new: Int] {
  arena.root.*(left + right).key = arena.root`.*(left` + right`).key` + new
  some arena.free` implies arena.slots = arena.slots`
}
