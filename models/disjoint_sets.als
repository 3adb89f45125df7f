// Disjoint sets as a forest: every element points towards the representative of its set, which points to
// itself. Ranks bound the heights: they rise strictly on the way to the representative.
//
// Source: DisjSet of the Korat evaluation (there in an array, so that places are told apart).
// Counts: by explicit enumeration.
//
// gen --scope 1: 3
// gen --scope 2: 13
// gen --scope 3: 79

sig Element { parent: one Element, rank: one Int }

fun roots: set Element { { e: Element | e.parent = e } }

fact ranks {
  all e: Element {
    e.rank >= 0
    e not in roots implies e.rank < e.parent.rank
  }
}

// Ranks are heights: union by rank without path compression.
pred tight {
  all e: Element | e.rank > 0 implies some c: Element - e | c.parent = e and c.rank = minus[e.rank, 1]
}

run {} for 3 but 0..3 Int expect 79 upto iso
run tight for 3 but 0..3 Int expect 8 upto iso

// Everybody finds one representative.
check { all e: Element | one e.*parent & roots } for 5 but 0..4 Int expect 0

// Sets are the classes of an equivalence.
check { let same = *parent.~(*parent) & Element -> Element | same.same in same } for 4 but 0..3 Int expect 0
