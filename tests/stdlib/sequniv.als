// Laws of the functions behind the word `seq`.
sig E {}
one sig Q { first_, second: seq E }
fun s: seq E { Q.first_ }
fun t: seq E { Q.second }

check { isSeq[s] and inds[s] = { i: seq/Int | i < #s } } for 2 but 3 seq expect 0
check { elems[s] = { e: E | some i: seq/Int | i -> e in s } } for 2 but 3 seq expect 0
check { some s implies s.first = s[0] and s.last = s[minus[#s, 1]] } for 2 but 3 seq expect 0
check { isEmpty[s] iff #s = 0 } for 2 but 3 seq expect 0
check { isEmpty[s] implies no s.first + s.last and no s.lastIdx and s.afterLastIdx = 0 } for 2 but 3 seq expect 0
check { all i: s.inds - 0 | s.rest[minus[i, 1]] = s[i] } for 2 but 3 seq expect 0
check { some s implies #s.rest = minus[#s, 1] and #s.butlast = minus[#s, 1] and s.butlast in s } for 2 but 3 seq expect 0
check { hasDups[s] iff some disj i, j: s.inds | s[i] = s[j] } for 2 but 3 seq expect 0
check { some s implies s.lastIdx = minus[#s, 1] } for 2 but 3 seq expect 0
check { #s < 3 implies s.afterLastIdx = #s } for 2 but 3 seq expect 0
check { #s = 3 implies no s.afterLastIdx } for 2 but 3 seq expect 0
check { all e: E | s.indsOf[e] = { i: seq/Int | s[i] = e } } for 2 but 3 seq expect 0
check { all e: E | some s.indsOf[e] implies s.idxOf[e] in s.indsOf[e] and no i: s.indsOf[e] | i < s.idxOf[e] } for 2 but 3 seq expect 0
check { all e: E | some s.indsOf[e] implies s.lastIdxOf[e] in s.indsOf[e] and no i: s.indsOf[e] | i > s.lastIdxOf[e] } for 2 but 3 seq expect 0
check { all e: E | #s < 3 implies s.add[e].last = e and s.add[e].butlast = s } for 2 but 3 seq expect 0
check { all e: E | #s = 3 implies s.add[e] = s } for 2 but 3 seq expect 0
check { all e: E, i: s.inds | s.setAt[i, e][i] = e and all j: s.inds - i | s.setAt[i, e][j] = s[j] } for 2 but 3 seq expect 0
check { all e: E, i: s.inds + #s | #s < 3 implies s.insert[i, e][i] = e and s.insert[i, e].delete[i] = s } for 2 but 3 seq expect 0
check { all i: s.inds | isSeq[s.delete[i]] and #s.delete[i] = minus[#s, 1] } for 2 but 3 seq expect 0
check { all i: s.inds | s.delete[i].insert[i, s[i]] = s } for 2 but 3 seq expect 0
check { plus[#s, #t] <= 3 implies #append[s, t] = plus[#s, #t] and s in append[s, t] } for 2 but 3 seq expect 0
check { all j: t.inds | plus[#s, #t] <= 3 implies append[s, t][plus[#s, j]] = t[j] } for 2 but 3 seq expect 0
check { isSeq[append[s, t]] and s in append[s, t] } for 2 but 3 seq expect 0
check { some s implies append[s.subseq[0, 0], s.rest] = s } for 2 but 3 seq expect 0
check { all i, j: s.inds | i <= j implies #s.subseq[i, j] = plus[minus[j, i], 1] and s.subseq[i, j].first = s[i] and s.subseq[i, j].last = s[j] } for 2 but 3 seq expect 0
// Sequences of up to 3 over exactly 2 elements that are not told apart: 15 and their images, halved.
run { no t } for exactly 2 E, 3 seq expect 8 upto iso
