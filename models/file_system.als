// A file system: directories hold objects under names, and everything hangs below one root.
//
// Counts: by explicit enumeration, for up to n objects and up to n names.
//
// gen --scope 1: 2
// gen --scope 2: 7
// gen --scope 3: 26
// gen --scope 4: 124

abstract sig Object {}
sig Directory extends Object { content: Name -> lone Object }
sig File extends Object {}
one sig Root extends Directory {}
sig Name {}

// Which directory holds what, names left aside.
fun holds: Directory -> Object { { d: Directory, o: Object | some d.content.o } }

fact tree {
  Object = Root.*holds
  no holds.Root
  all o: Object - Root | one holds.o
  all o: Object - Root | one (holds.o).content.o       // one name for each object
}

pred move[d, e: Directory, n: Name] {
  some d.content[n]
  e not in d.content[n].*holds
  no e.content[n]
}

run {} for 3 Object, 2 Name expect 16 upto iso
run move for 4 expect 1

// Nothing holds itself.
check { no o: Object | o in o.^holds } for 5 expect 0

// Two ways down lead to two things.
check { all o: Object - Root, disj d, e: Directory | o in d.holds implies o not in e.holds } for 5 expect 0

// Moving makes no cycle.
check {
  all d, e: Directory, n: Name | move[d, e, n] implies
    let after_ = holds - d -> d.content[n] + e -> d.content[n] | no o: Object | o in o.^after_
} for 4 expect 0
