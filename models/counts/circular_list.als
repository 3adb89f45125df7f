// LinkedList of the Korat evaluation: circular doubly linked lists with a sentinel, elements null or objects
// that are told apart only by where they occur: Bell(k + 1) of length k, lengths up to n.
// classes: 3 8 23 75 278 1155
abstract sig Link { later, earlier: one Link }
one sig Sentinel extends Link {}
sig Entry extends Link { element: lone Object }
sig Object {}
fact {
  earlier = ~later
  Link = Sentinel.*later
  Object = Entry.element
}
run {} for 1 Entry, 2 Link, 1 Object
run {} for 2 Entry, 3 Link, 2 Object
run {} for 3 Entry, 4 Link, 3 Object
run {} for 4 Entry, 5 Link, 4 Object
run {} for 5 Entry, 6 Link, 5 Object
run {} for 6 Entry, 7 Link, 6 Object
