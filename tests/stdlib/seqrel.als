// Laws of util/seqrel.
open util/seqrel[E]
sig E {}
one sig Q { first_, second: SeqIdx -> lone E }
fact { isSeq[Q.first_] and isSeq[Q.second] }
fun s: SeqIdx -> E { Q.first_ }
fun t: SeqIdx -> E { Q.second }
fun at[q: SeqIdx -> E, i: SeqIdx]: set E { i.q }

check { all i: inds[s] | seqrel/ord/prevs[i] in inds[s] } for 2 but 3 SeqIdx expect 0
check { elems[s] = { e: E | some i: SeqIdx | i -> e in s } } for 2 but 3 SeqIdx expect 0
check { first[s] = at[s, firstIdx] and (some s implies last[s] = at[s, lastIdx[s]]) } for 2 but 3 SeqIdx expect 0
check { firstIdx = seqrel/ord/first and finalIdx = seqrel/ord/last } for 2 but 3 SeqIdx expect 0
check { isEmpty[s] iff no elems[s] } for 2 but 3 SeqIdx expect 0
check { some s implies #rest[s] = minus[#s, 1] and #butlast[s] = minus[#s, 1] and butlast[s] in s } for 2 but 3 SeqIdx expect 0
check { all i: inds[s] - seqrel/ord/first | at[rest[s], seqrel/ord/prev[i]] = at[s, i] } for 2 but 3 SeqIdx expect 0
check { hasDups[s] iff some disj i, j: inds[s] | at[s, i] = at[s, j] } for 2 but 3 SeqIdx expect 0
check { some s implies #seqrel/ord/prevs[lastIdx[s]] = minus[#s, 1] } for 2 but 3 SeqIdx expect 0
check { #s < 3 implies #seqrel/ord/prevs[afterLastIdx[s]] = #s } for 2 but 3 SeqIdx expect 0
check { all e: E | indsOf[s, e] = { i: SeqIdx | at[s, i] = e } } for 2 but 3 SeqIdx expect 0
check { all e: E | idxOf[s, e] = seqrel/ord/min[indsOf[s, e]] and lastIdxOf[s, e] = seqrel/ord/max[indsOf[s, e]] } for 2 but 3 SeqIdx expect 0
check { all e: E | #s < 3 implies last[seqrel/add[s, e]] = e and butlast[seqrel/add[s, e]] = s } for 2 but 3 SeqIdx expect 0
check { all e: E | #s = 3 implies seqrel/add[s, e] = s } for 2 but 3 SeqIdx expect 0
check { all e: E, i: inds[s] | at[setAt[s, i, e], i] = e and all j: inds[s] - i | at[setAt[s, i, e], j] = at[s, j] } for 2 but 3 SeqIdx expect 0
check { all e: E, i: inds[s] + afterLastIdx[s] | #s < 3 implies at[insert[s, i, e], i] = e and delete[insert[s, i, e], i] = s } for 2 but 3 SeqIdx expect 0
check { all i: inds[s] | isSeq[delete[s, i]] and #delete[s, i] = minus[#s, 1] } for 2 but 3 SeqIdx expect 0
check { plus[#s, #t] <= 3 implies #append[s, t] = plus[#s, #t] and s in append[s, t] } for 2 but 3 SeqIdx expect 0
check { all i, j: inds[t] | plus[#s, #t] <= 3 and seqrel/ord/next[i] = j implies
  some k: SeqIdx | at[append[s, t], k] = at[t, i] and at[append[s, t], seqrel/ord/next[k]] = at[t, j] } for 2 but 3 SeqIdx expect 0
check { no s implies append[s, t] = t } for 2 but 3 SeqIdx expect 0
check { all i, j: inds[s] | seqrel/ord/lte[i, j] implies first[subseq[s, i, j]] = at[s, i] and last[subseq[s, i, j]] = at[s, j] } for 2 but 3 SeqIdx expect 0
check { some s implies append[subseq[s, seqrel/ord/first, seqrel/ord/first], rest[s]] = s } for 2 but 3 SeqIdx expect 0
run { no t } for exactly 2 E, 3 SeqIdx expect 8 upto iso
