// Sequences as relations from an ordered index signature of their own, SeqIdx; its scope is the
// greatest length.
//
// Arguments are sequences without gaps, and so are the results; what does not fit is cut off.
module util/seqrel[elem]

open util/integer
open util/ordering[SeqIdx] as ord

sig SeqIdx {}

// Indices are a beginning of SeqIdx, with one element each.
pred isSeq[s: SeqIdx -> elem] {
  s in SeqIdx -> lone elem
  s.elem - ord/next[s.elem] in ord/first
}

fun elems[s: SeqIdx -> elem]: set elem { SeqIdx.s }

// The element at either end; nothing for the empty sequence.
fun first[s: SeqIdx -> elem]: lone elem { s[ord/first] }
fun last[s: SeqIdx -> elem]: lone elem { s[lastIdx[s]] }

// All but the first, and all but the last element.
fun rest[s: SeqIdx -> elem]: SeqIdx -> elem { (ord/next).s }
fun butlast[s: SeqIdx -> elem]: SeqIdx -> elem { (SeqIdx - lastIdx[s]) <: s }

pred isEmpty[s: SeqIdx -> elem] { no s }

// Some element stands at two places.
pred hasDups[s: SeqIdx -> elem] { #elems[s] < #inds[s] }

// The indices in use, the last of them, and the first that is free (nothing when all are used).
fun inds[s: SeqIdx -> elem]: set SeqIdx { s.elem }
fun lastIdx[s: SeqIdx -> elem]: lone SeqIdx { ord/max[inds[s]] }
fun afterLastIdx[s: SeqIdx -> elem]: lone SeqIdx { ord/min[SeqIdx - inds[s]] }

// The first, the last, and all places of an element.
fun idxOf[s: SeqIdx -> elem, e: elem]: lone SeqIdx { ord/min[indsOf[s, e]] }
fun lastIdxOf[s: SeqIdx -> elem, e: elem]: lone SeqIdx { ord/max[indsOf[s, e]] }
fun indsOf[s: SeqIdx -> elem, e: elem]: set SeqIdx { s.e }

// With e behind all others; s itself when it is full.
fun add[s: SeqIdx -> elem, e: elem]: SeqIdx -> elem { s ++ afterLastIdx[s] -> e }

// With e in the place of what stood at i.
fun setAt[s: SeqIdx -> elem, i: SeqIdx, e: elem]: SeqIdx -> elem { s ++ i -> e }

// With e at i, and what stood at i and behind it moved up by one.
fun insert[s: SeqIdx -> elem, i: SeqIdx, e: elem]: SeqIdx -> elem {
  (ord/prevs[i] <: s) + i -> e + (ord/prev).((i + ord/nexts[i]) <: s)
}

// Without the element at i.
fun delete[s: SeqIdx -> elem, i: SeqIdx]: SeqIdx -> elem {
  (ord/prevs[i] <: s) + (ord/next).(ord/nexts[i] <: s)
}

// s1 with s2 behind it.
fun append[s1, s2: SeqIdx -> elem]: SeqIdx -> elem {
  let moved = { to, from: SeqIdx | #ord/prevs[to] = integer/plus[#ord/prevs[from], #inds[s1]] } |
    s1 + moved.s2
}

// The elements from place `from` to place `to`, both included.
fun subseq[s: SeqIdx -> elem, from, to: SeqIdx]: SeqIdx -> elem {
  let moved = { at, old: SeqIdx | #ord/prevs[at] = integer/minus[#ord/prevs[old], #ord/prevs[from]] } |
    moved.((SeqIdx - ord/nexts[to]) <: s)
}

fun firstIdx: SeqIdx { ord/first }
fun finalIdx: SeqIdx { ord/last }
