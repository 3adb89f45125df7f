// Block designs: v points and b blocks of k points each, every two points in l blocks; blocks may be equal.
// 2-(7,3,1), 2-(6,3,2), 2-(9,3,1), 2-(7,3,2), 2-(8,4,3), 2-(9,3,2), 2-(10,4,2), 2-(11,5,2), 2-(13,4,1), and
// 2-(13,3,1), the Steiner triple systems on 13 points. Mathon and Rosa, Handbook of Combinatorial Designs.
// classes: 1 1 1 4 4 36 3 1 1 2
sig Point {}
sig Block { on: set Point }
pred design[k, l: Int] {
  all b: Block | #b.on = k
  all disj p, q: Point | #(on.p & on.q) = l
}
run { design[3, 1] } for exactly 7 Point, exactly 7 Block, 5 Int
run { design[3, 2] } for exactly 6 Point, exactly 10 Block, 5 Int
run { design[3, 1] } for exactly 9 Point, exactly 12 Block, 5 Int
run { design[3, 2] } for exactly 7 Point, exactly 14 Block, 5 Int
run { design[4, 3] } for exactly 8 Point, exactly 14 Block, 5 Int
run { design[3, 2] } for exactly 9 Point, exactly 24 Block, 5 Int
run { design[4, 2] } for exactly 10 Point, exactly 15 Block, 5 Int
run { design[5, 2] } for exactly 11 Point, exactly 11 Block, 5 Int
run { design[4, 1] } for exactly 13 Point, exactly 13 Block, 5 Int
run { design[3, 1] } for exactly 13 Point, exactly 26 Block, 5 Int
