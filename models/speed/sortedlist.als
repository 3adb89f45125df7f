// Circular doubly linked lists with a sentinel, values nondecreasing, length and values up to n.
// classes: 20 252 3432 48620 705432
open util/ordering[Value] as vo
sig Value {}
abstract sig Link { later, earlier: one Link }
one sig Sentinel extends Link {}
sig Entry extends Link { value: one Value }
fact {
  earlier = ~later
  Link = Sentinel.*later
  all e: Entry | e.later in Entry implies vo/lte[e.value, e.later.value]
}
run {} for exactly 3 Value, 3 Entry, 4 Link
run {} for exactly 5 Value, 5 Entry, 6 Link
run {} for exactly 7 Value, 7 Entry, 8 Link
run {} for exactly 9 Value, 9 Entry, 10 Link
run {} for exactly 11 Value, 11 Entry, 12 Link
