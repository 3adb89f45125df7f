// Purpose: a binary trie without dead branches: a node without children ends a word.
module trie
open util/boolean

sig Trie { root: Node }
sig Node { children: Int -> lone Node, ends: Bool }

pred wellFormed[trie: Trie] {
  let below = { p, c: Node | c in Int.(p.children) }, nodes = trie.root.*below {
    all n: nodes | n not in n.^below and lone below.n
    all n: nodes | n.children.univ in 0 + 1
    all n: nodes | all c: n.below | one n.children.c
    all n: nodes - trie.root | no n.below implies n.ends = True
  }
}

// At most one word is gone, and none is new.
pred atMostOneLess[trie: Trie] {
  let old = { n: trie.root`.*{ p, c: Node` | c in Int.(p.children`) } | n.ends` = True },
      new = { n: trie.root.*{ p, c: Node | c in Int.(p.children) } | n.ends = True } {
    new in old
    lone old - new
  }
}
