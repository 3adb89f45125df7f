// Purpose: red-black trees with parent pointers, and what removal owes its caller.
// Source: Khurshid and Marinov, TestEra (2004), section 6.1 (java.util.TreeMap), root of either colour.
// Counts: 14 trees of exactly 5 nodes with keys 0..4, so 70 inputs of `remove` with a key of 0..4.
module tree

enum Color { Red, Black }
sig Tree { root: lone Node }
sig Node { key: Int, color: Color, left, right, parent: lone Node }

fun nodes[tree: Tree]: set Node { tree.root.*(left + right) }

pred redBlack[tree: Tree] {
  parents[tree]
  searchTree[tree]
  noRedRed[tree]
  equalBlackCounts[tree]
}

pred parents[tree: Tree] {
  no tree.root.parent
  all e, f: nodes[tree] | e in f.(left + right) iff f = e.parent
}

pred searchTree[tree: Tree] {
  all disj e, f: nodes[tree] | e.key != f.key
  all e: nodes[tree] {
    no e.left & e.right
    e not in e.^(left + right)
    all l: e.left.*(left + right) | l.key < e.key
    all r: e.right.*(left + right) | r.key > e.key
  }
}

// Property 3 of the paper: a red node has black children.
pred noRedRed[tree: Tree] {
  all e: nodes[tree] | e.color = Red implies (e.left + e.right).color in Black
}

// Property 4: all paths from the root to a missing child have the same number of black nodes.
pred equalBlackCounts[tree: Tree] {
  all e, f: nodes[tree] |
    (no e.left or no e.right) and (no f.left or no f.right) implies
      #{p: nodes[tree] | e in p.*(left + right) and p.color = Black} =
      #{p: nodes[tree] | f in p.*(left + right) and p.color = Black}
}

// The stronger postcondition: exactly this key is gone.
pred removed[tree: Tree, gone: Int] {
  nodes[tree].key = tree.root`.*(left` + right`).key` - gone
}
