// Steiner triple systems on 3, 7 and 9 points: every two points in exactly one block of three.
// classes: 1 1 1
sig Point {}
sig Block { on: set Point }
fact {
  all b: Block | #b.on = 3
  all disj p, q: Point | one b: Block | p + q in b.on
}
run {} for exactly 3 Point, exactly 1 Block, 5 Int
run {} for exactly 7 Point, exactly 7 Block, 5 Int
run {} for exactly 9 Point, exactly 12 Block, 5 Int
