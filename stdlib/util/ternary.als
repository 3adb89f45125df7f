// Columns of ternary relations: taking some of them, and swapping two.
module util/ternary

// The first, the last and the middle column.
fun dom[r: univ -> univ -> univ]: set ((r.univ).univ) { (r.univ).univ }
fun ran[r: univ -> univ -> univ]: set (univ.(univ.r)) { univ.(univ.r) }
fun mid[r: univ -> univ -> univ]: set (univ.(r.univ)) { univ.(r.univ) }

// Two of the three columns.
fun select12[r: univ -> univ -> univ]: r.univ { r.univ }
fun select13[r: univ -> univ -> univ]: ((r.univ).univ) -> (univ.(univ.r)) {
  { x: dom[r], z: ran[r] | some x.r.z }
}
fun select23[r: univ -> univ -> univ]: univ.r { univ.r }

// Two columns change places.
fun flip12[r: univ -> univ -> univ]: (univ.(r.univ)) -> ((r.univ).univ) -> (univ.(univ.r)) {
  { y: mid[r], x: dom[r], z: ran[r] | x -> y -> z in r }
}
fun flip13[r: univ -> univ -> univ]: (univ.(univ.r)) -> (univ.(r.univ)) -> ((r.univ).univ) {
  { z: ran[r], y: mid[r], x: dom[r] | x -> y -> z in r }
}
fun flip23[r: univ -> univ -> univ]: ((r.univ).univ) -> (univ.(univ.r)) -> (univ.(r.univ)) {
  { x: dom[r], z: ran[r], y: mid[r] | x -> y -> z in r }
}
