// Sequences as atoms, so that they can be quantified over and shared. Their elements stand at the
// atoms of an ordered index signature, SeqIdx, whose scope is the greatest length.
//
// Two Seq atoms are never the same sequence. What makes one sequence from another is a predicate
// with the result as its last parameter, since the result need not exist as an atom; `allExist`
// says that all do.
module util/sequence[elem]

open util/ordering[SeqIdx] as ord

sig SeqIdx {}

sig Seq {
  seqElems: SeqIdx -> lone elem
} {
  // no gaps
  all i: SeqIdx - ord/first | some i.seqElems implies some ord/prev[i].seqElems
}

fact canonicalizeSeqs { all disj s, t: Seq | s.seqElems != t.seqElems }

pred noDuplicates { no s: Seq | s.hasDups }

// Every sequence that the scope of SeqIdx has room for is an atom.
pred allExist {
  some s: Seq | s.isEmpty
  all s: Seq | SeqIdx not in s.inds implies (all e: elem | some longer: Seq | s.add[e, longer])
}

// So is every sequence without repetitions, and no other.
pred allExistNoDuplicates {
  some s: Seq | s.isEmpty
  all s: Seq {
    not s.hasDups
    SeqIdx not in s.inds implies (all e: elem - s.elems | some longer: Seq | s.add[e, longer])
  }
}

fun at[s: Seq, i: SeqIdx]: lone elem { i.(s.seqElems) }

fun elems[s: Seq]: set elem { SeqIdx.(s.seqElems) }

// The element at either end; nothing for the empty sequence.
fun first[s: Seq]: lone elem { s.at[ord/first] }
fun last[s: Seq]: lone elem { s.at[s.lastIdx] }

// r is s without its first element.
pred rest[s, r: Seq] {
  not s.isEmpty
  all i: SeqIdx | r.at[i] = s.at[ord/next[i]]
}

pred isEmpty[s: Seq] { no s.elems }

// Some element stands at two places.
pred hasDups[s: Seq] { #elems[s] < #inds[s] }

// The indices in use, the last of them, and the first that is free (nothing when all are used).
fun inds[s: Seq]: set SeqIdx { elem.~(s.seqElems) }
fun lastIdx[s: Seq]: lone SeqIdx { ord/max[s.inds] }
fun afterLastIdx[s: Seq]: lone SeqIdx { ord/min[SeqIdx - s.inds] }

// The first, the last, and all places of an element.
fun idxOf[s: Seq, e: elem]: lone SeqIdx { ord/min[s.indsOf[e]] }
fun lastIdxOf[s: Seq, e: elem]: lone SeqIdx { ord/max[s.indsOf[e]] }
fun indsOf[s: Seq, e: elem]: set SeqIdx { (s.seqElems).e }

pred startsWith[s, prefix: Seq] { all i: prefix.inds | s.at[i] = prefix.at[i] }

// added is s with e behind all others.
pred add[s: Seq, e: elem, added: Seq] {
  added.startsWith[s]
  added.seqElems[s.afterLastIdx] = e
  #added.inds = plus[#s.inds, 1]
}

// setted is s with e in the place of what stood at idx.
pred setAt[s: Seq, idx: SeqIdx, e: elem, setted: Seq] {
  setted.seqElems = s.seqElems ++ idx -> e
}

// inserted is s with e at idx, and what stood at idx and behind it moved up by one.
pred insert[s: Seq, idx: SeqIdx, e: elem, inserted: Seq] {
  inserted.at[idx] = e
  all i: ord/prevs[idx] | inserted.at[i] = s.at[i]
  all i: ord/nexts[idx] | inserted.at[i] = s.at[ord/prev[i]]
  #inserted.inds = plus[#s.inds, 1]
}

// dest has the elements of source from destStart on.
pred copy[source, dest: Seq, destStart: SeqIdx] {
  all from: source.inds | some to: SeqIdx {
    ord/gte[to, destStart]
    dest.at[to] = source.at[from]
    #ord/prevs[from] = #(ord/prevs[to] - ord/prevs[destStart])
  }
}

// appended is s1 with s2 behind it.
pred append[s1, s2, appended: Seq] {
  appended.startsWith[s1]
  copy[s2, appended, s1.afterLastIdx]
  #appended.inds = plus[#s1.inds, #s2.inds]
}

// sub is what stands in s from place `from` to place `to`, both included.
pred subseq[s, sub: Seq, from, to: SeqIdx] {
  ord/lte[from, to]
  copy[sub, s, from]
  #sub.inds = #(to + ord/prevs[to] - ord/prevs[from])
}

fun firstIdx: SeqIdx { ord/first }
fun finalIdx: SeqIdx { ord/last }
