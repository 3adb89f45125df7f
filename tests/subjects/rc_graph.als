// Purpose: a tree whose nodes know their parents; moving a node keeps it a tree of the same nodes.
module rc_graph

sig Tree { root: Node }
sig Node { value: Int, children: set Node, parent: lone Node }

pred wellFormed[tree: Tree] {
  let nodes = tree.root.*children {
    no tree.root.parent
    all n: nodes | n not in n.^children and lone n.~children
    all n: nodes | n.parent = n.~children
    all disj a, b: nodes | a.value != b.value
  }
}

// Nothing is lost, and a node that could move is where it was sent.
pred moved[tree: Tree, child, target: Int] {
  tree.root.*children = tree.root`.*children`
  let c = { n: tree.root`.*children` | n.value` = child }, t = { n: tree.root`.*children` | n.value` = target } |
    (some c and some t and c != tree.root` and t not in c.*children`) implies c.parent = t else children = children`
}
