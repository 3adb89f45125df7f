sig List { header: lone Node }
sig Node { elem: Int, next: lone Node }

pred acyclic[list: List] { all n: list.header.*next | n not in n.^next }

pred sorted[list: List] {
  all n: list.header.*next | some n.next implies n.elem <= n.next.elem
}

pred permutation[list: List] {
  all i: Int | #{n: list.header.*next | n.elem = i} = #{n: list.header`.*next` | n.elem` = i}
}
