// Directed graphs without cycles, as in schedules and build files.
//
// Counts: 1, 2, 6, 31, 302, 5984 on exactly 1, 2, 3, … nodes (OEIS A003087); `gen --scope n` gives the sums,
// the empty graph included.
//
// gen --scope 1: 2
// gen --scope 2: 4
// gen --scope 3: 10
// gen --scope 4: 41

sig Node { edges: set Node }

fact acyclic { no n: Node | n in n.^edges }

run {} for exactly 4 Node expect 31 upto iso

// The transitive ones are the strict partial orders.
run { edges.edges in edges } for exactly 5 Node expect 63 upto iso

// The reduced ones say no edge twice; each stands for one order.
run { no edges & edges.^edges } for exactly 5 Node expect 63 upto iso

// Something can be done first.
check { some Node implies some n: Node | no edges.n } for 6 expect 0
