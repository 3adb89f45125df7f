// A farmer crosses a river with a fox, a goose and a bag of grain. The boat holds him and one more. Left
// alone, the fox eats the goose, and the goose eats the grain.
//
// Counts: there are two ways with seven crossings, and none with fewer.

open util/ordering[State] as order

abstract sig Item {}
one sig Farmer, Fox, Goose, Grain extends Item {}

// Who is on the near side; the others are on the far side.
sig State { near: set Item }

fun far[s: State]: set Item { Item - s.near }

fun eats: Item -> Item { Fox -> Goose + Goose -> Grain }

pred safe[side: set Item] { Farmer in side or no side.eats & side }

// From the side `here` to the other, the farmer with one more at most.
pred cross[here, there: set Item] {
  Farmer in here
  some load: here | there = here - Farmer - load and #(here - there) <= 2
}

fact journey {
  order/first.near = Item
  all s: State | safe[s.near] and safe[far[s]]
  all s: State, t: order/next[s] | cross[s.near, t.near] or cross[far[s], far[t]]
}

pred solved { no order/last.near }

run solved for exactly 8 State expect 2 upto iso
run solved for 7 State expect 0

// The goose crosses first.
check { solved implies Goose not in (order/next[order/first]).near } for 8 State expect 0
