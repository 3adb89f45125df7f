// Complete automata with two letters, an initial state that leads to all others, and no final states: OEIS
// A006690. The letters are an enum, which nothing renames.
// classes: 1 12 216 5248
enum Letter { a, b }
sig State { next: Letter -> one State }
one sig Initial in State {}
fun step: State -> State { { p, q: State | some x: Letter | p -> x -> q in next } }
fact { State = Initial.*step }
run {} for exactly 1 State
run {} for exactly 2 State
run {} for exactly 3 State
run {} for exactly 4 State
