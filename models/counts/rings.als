// Rings with and without a one: OEIS A027623, A037291; fields: one of each order that is a power of a prime.
// classes: 2 11 2 1 4 1 1 1
sig R { add: R -> one R, mul: R -> one R }
fun plus_[a, b: R]: R { b.(a.add) }
fun times[a, b: R]: R { b.(a.mul) }
fact {
  all a, b: R | plus_[a, b] = plus_[b, a]
  all a, b, c: R {
    plus_[a, plus_[b, c]] = plus_[plus_[a, b], c]
    times[a, times[b, c]] = times[times[a, b], c]
    times[a, plus_[b, c]] = plus_[times[a, b], times[a, c]]
    times[plus_[b, c], a] = plus_[times[b, a], times[c, a]]
  }
  some z: R { all a: R | plus_[a, z] = a all a: R | some b: R | plus_[a, b] = z }
}
pred with_one { some u: R | all a: R | times[a, u] = a and times[u, a] = a }
pred field {
  all a, b: R | times[a, b] = times[b, a]
  some z: R, u: R - z {
    all a: R | plus_[a, z] = a
    all a: R - z { times[a, u] = a some b: R | times[a, b] = u }
  }
}
run ring {} for exactly 3 R
run ring {} for exactly 4 R
run ring {} for exactly 5 R
run with_one for exactly 3 R
run with_one for exactly 4 R
run field for exactly 3 R
run field for exactly 4 R
run field for exactly 5 R
