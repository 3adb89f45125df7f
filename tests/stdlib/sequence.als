// Laws of util/sequence.
open util/sequence[E]
sig E {}

check { all s: Seq, i: s.inds | sequence/ord/prevs[i] in s.inds } for 3 expect 0
check { all disj s, t: Seq | some i: SeqIdx | s.at[i] != t.at[i] } for 3 expect 0
check { all s: Seq | s.elems = { e: E | some i: SeqIdx | s.at[i] = e } } for 3 expect 0
check { all s: Seq | s.first = s.at[firstIdx] and (some s.elems implies s.last = s.at[s.lastIdx]) } for 3 expect 0
check { firstIdx = sequence/ord/first and finalIdx = sequence/ord/last } for 3 expect 0
check { all s: Seq | s.isEmpty iff no s.inds } for 3 expect 0
check { all s, r: Seq | rest[s, r] implies #r.inds = minus[#s.inds, 1] and (some r.elems implies r.last = s.last) } for 3 expect 0
check { all s: Seq | s.hasDups iff some disj i, j: s.inds | s.at[i] = s.at[j] } for 3 expect 0
check { noDuplicates iff all s: Seq | not s.hasDups } for 3 expect 0
check { all s: Seq | s.afterLastIdx = { i: SeqIdx | #sequence/ord/prevs[i] = #s.inds } } for 3 expect 0
check { all s: Seq, e: E | s.indsOf[e] = { i: SeqIdx | s.at[i] = e } } for 3 expect 0
check { all s: Seq, e: E | s.idxOf[e] = sequence/ord/min[s.indsOf[e]] and s.lastIdxOf[e] = sequence/ord/max[s.indsOf[e]] } for 3 expect 0
check { all s, p: Seq | s.startsWith[p] iff p.seqElems in s.seqElems } for 3 expect 0
check { all s, a: Seq, e: E | s.add[e, a] implies a.last = e and a.startsWith[s] and #a.inds = plus[#s.inds, 1] } for 3 expect 0
check { all s, a: Seq, e: E, i: s.inds | s.setAt[i, e, a] implies a.at[i] = e and all j: s.inds - i | a.at[j] = s.at[j] } for 3 expect 0
check { all s, a: Seq, e: E, i: s.inds + s.afterLastIdx | s.insert[i, e, a] implies a.at[i] = e and
  all j: s.inds | (sequence/ord/lt[j, i] => a.at[j] else a.at[sequence/ord/next[j]]) = s.at[j] } for 3 expect 0
check { all s, t: Seq | copy[s, t, firstIdx] iff t.startsWith[s] } for 3 expect 0
check { all s, t, a: Seq | append[s, t, a] implies a.startsWith[s] and #a.inds = plus[#s.inds, #t.inds] and
  (some t.elems implies a.last = t.last) } for 3 expect 0
check { all s, b: Seq, i, j: s.inds | subseq[s, b, i, j] implies b.first = s.at[i] and b.last = s.at[j] } for 3 expect 0

// All sequences of up to 2 over 1 element; over 2; without repetition.
run allExist for exactly 1 E, 2 SeqIdx, 3 Seq expect 1 upto iso
run allExist for exactly 2 E, 2 SeqIdx, 7 Seq expect 1 upto iso
run allExist for exactly 2 E, 2 SeqIdx, 6 Seq expect 0
run allExistNoDuplicates for exactly 2 E, 2 SeqIdx, 5 Seq expect 1 upto iso
