// An address book with aliases and groups: which rules make every name end at an address?
//
// Source: the running example of Alloy's textbook (Jackson, Software Abstractions), told anew with the book
// before and after an operation as parameters.

abstract sig Target {}
sig Address extends Target {}
abstract sig Name extends Target {}
sig Alias, Group extends Name {}

sig Book {
  names: set Name,
  entry: names -> Target
} {
  all a: Alias | lone a.entry            // an alias stands for one thing
  no n: Name | n in n.^entry             // nobody is found by looking for himself
}

// The addresses that a name leads to.
fun lookup[b: Book, n: Name]: set Address { n.^(b.entry) & Address }

pred add[b, after_: Book, n: Name, t: Target] {
  t in Address or some lookup[b, t & Name]
  after_.entry = b.entry + n -> t
}

pred delete[b, after_: Book, n: Name, t: Target] {
  no b.entry.n or some n.(b.entry) - t
  after_.entry = b.entry - n -> t
}

run add for 3 but 2 Book expect 1
run delete for 3 but 2 Book expect 1

// A name can lead nowhere when nothing asks it not to …
run { some b: Book, n: b.names | no lookup[b, n] } for 3 but 1 Book expect 1

// … but not if every name in use has an entry, and every name that an entry leads to is in use.
pred closed[b: Book] {
  all n: b.names | some n.(b.entry)
  b.names.(b.entry) & Name in b.names
}
check { all b: Book | closed[b] implies all n: b.names | some lookup[b, n] } for 4 but 1 Book expect 0

// What is added can be taken away again.
check {
  all b, c, d: Book, n: Name, t: Target |
    add[b, c, n, t] and t not in n.(b.entry) and delete[c, d, n, t] implies d.entry = b.entry
} for 3 expect 0

// Adding twice is adding once.
check {
  all b, c, d: Book, n: Name, t: Target | add[b, c, n, t] and add[c, d, n, t] implies c.entry = d.entry
} for 3 expect 0

// Looking up a name that was not touched and leads to none that was gives the same.
check {
  all b, c: Book, n, m: Name, t: Target |
    add[b, c, n, t] and n not in m.*(b.entry) implies lookup[b, m] = lookup[c, m]
} for 3 but 2 Book expect 0
