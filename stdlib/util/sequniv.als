// Sequences as relations from the integers 0, 1, 2, … to elements of any kind.
//
// The word `seq` in a declaration opens this module; its functions then apply to the field, as in
// `q.s.add[e]`. Arguments are sequences without gaps whose indices lie in seq/Int, and so are the
// results; what does not fit into seq/Int is cut off.
module util/sequniv

open util/integer as ui

// Indices are a beginning of seq/Int, with one element each.
pred isSeq[s: Int -> univ] {
  s in seq/Int -> lone univ
  s.univ - ui/next[s.univ] in 0
}

fun elems[s: Int -> univ]: set (Int.s) { seq/Int.s }

// The element at either end; nothing for the empty sequence.
fun first[s: Int -> univ]: lone (Int.s) { 0.s }
fun last[s: Int -> univ]: lone (Int.s) { lastIdx[s].s }

// All but the first, and all but the last element.
fun rest[s: Int -> univ]: s { seq/Int <: ui/next.s }
fun butlast[s: Int -> univ]: s { (seq/Int - lastIdx[s]) <: s }

pred isEmpty[s: Int -> univ] { no s }

// Some element stands at two places.
pred hasDups[s: Int -> univ] { #elems[s] < #inds[s] }

// The indices in use, the last of them, and the first that is free (nothing when all are used).
fun inds[s: Int -> univ]: set Int { s.univ }
fun lastIdx[s: Int -> univ]: lone Int { ui/max[s.univ] }
fun afterLastIdx[s: Int -> univ]: lone Int { ui/min[seq/Int - s.univ] }

// The first, the last, and all places of an element.
fun idxOf[s: Int -> univ, e: univ]: lone Int { ui/min[s.e] }
fun lastIdxOf[s: Int -> univ, e: univ]: lone Int { ui/max[s.e] }
fun indsOf[s: Int -> univ, e: univ]: set Int { s.e }

// With e behind all others; s itself when it is full.
fun add[s: Int -> univ, e: univ]: s + (seq/Int -> e) { s ++ afterLastIdx[s] -> e }

// With e in the place of what stood at i; 0 <= i < #s.
fun setAt[s: Int -> univ, i: Int, e: univ]: s + (seq/Int -> e) { s ++ i -> e }

// With e at i, and what stood at i and behind it moved up by one; 0 <= i <= #s.
fun insert[s: Int -> univ, i: Int, e: univ]: s + (seq/Int -> e) {
  seq/Int <: ((ui/prevs[i] <: s) + i -> e + ui/prev.((i + ui/nexts[i]) <: s))
}

// Without the element at i; 0 <= i < #s.
fun delete[s: Int -> univ, i: Int]: s {
  (ui/prevs[i] <: s) + ui/next.(ui/nexts[i] <: s)
}

// s1 with s2 behind it.
fun append[s1, s2: Int -> univ]: s1 + s2 {
  let moved = { to, from: seq/Int | int[to] = ui/add[int[from], ui/add[int[lastIdx[s1]], 1]] } |
    no s1 => s2 else s1 + moved.s2
}

// The elements from place frm to place to, both included; 0 <= frm <= to < #s.
fun subseq[s: Int -> univ, frm, to: Int]: s {
  let moved = { at, from: seq/Int | int[at] = ui/sub[int[from], int[frm]] } |
    moved.((seq/Int - ui/nexts[to]) <: s)
}
