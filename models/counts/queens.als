// Placements of n queens on a board of n rows and columns, none attacking another.
// classes: 1 0 0 2 10 4 40 92
one sig Board { row: Int -> lone Int }
pred queens[n: Int] {
  all c: Int | some Board.row[c] iff (0 <= c and c < n)
  all c: Int | some Board.row[c] implies (0 <= Board.row[c] and Board.row[c] < n)
  all c, d: Int | 0 <= c and c < d and d < n implies {
    Board.row[c] != Board.row[d]
    minus[Board.row[d], Board.row[c]] != minus[d, c]
    minus[Board.row[c], Board.row[d]] != minus[d, c]
  }
}
run { queens[1] } for 5 Int
run { queens[2] } for 5 Int
run { queens[3] } for 5 Int
run { queens[4] } for 5 Int
run { queens[5] } for 5 Int
run { queens[6] } for 5 Int
run { queens[7] } for 5 Int
run { queens[8] } for 5 Int
