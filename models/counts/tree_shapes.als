// Trees of other shapes with n nodes: ternary (OEIS A001764), balanced by height (AVL, A006265), binary without
// order in which each node has two children or none (Wedderburn and Etherington, A001190), rooted in two
// colours (A038055).
// classes: 55 273 4 17 2 3 52 214
sig Node { left: lone Node, middle: lone Node, right: lone Node, height: lone Int, child: set Node }
sig Red in Node {}
one sig Root { root: lone Node }
pred ordered {
  no Red no child
  let down = left + middle + right {
    Node in Root.root.*down
    all n: Node {
      n not in n.^down
      lone down.n
      no n.left & n.middle and no n.left & n.right and no n.middle & n.right
    }
  }
}
fun high[n: set Node]: Int { no n implies 0 else n.height }
pred avl {
  ordered
  no middle
  all n: Node {
    high[n.left] > high[n.right] implies n.height = plus[high[n.left], 1] else n.height = plus[high[n.right], 1]
    minus[high[n.left], high[n.right]] <= 1 and minus[high[n.right], high[n.left]] <= 1
  }
}
pred unordered {
  no left + middle + right no height no root
  no iden & ^child
  all n: Node | lone child.n
  one n: Node | no child.n
}
run ternary { ordered no height } for exactly 4 Node
run ternary { ordered no height } for exactly 5 Node
run avl for exactly 6 Node, 0..4 Int
run avl for exactly 7 Node, 0..4 Int
run wedderburn { unordered no Red all n: Node | no n.child or some disj a, b: Node | n.child = a + b } for exactly 7 Node
run wedderburn { unordered no Red all n: Node | no n.child or some disj a, b: Node | n.child = a + b } for exactly 9 Node
run coloured { unordered } for exactly 4 Node
run coloured { unordered } for exactly 5 Node
