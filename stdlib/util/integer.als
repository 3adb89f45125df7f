// Functions and comparisons on integers. Every file opens this module by itself.
//
// Infix `+` and `-` are set operations in Alloy; arithmetic is `plus[a, b]` or `a.plus[b]`.
// A set of integers as an argument of arithmetic counts as its sum.
module util/integer

fun plus[n1, n2: Int]: Int { n1 fun/add n2 }
fun add[n1, n2: Int]: Int { n1 fun/add n2 }

fun minus[n1, n2: Int]: Int { n1 fun/sub n2 }
fun sub[n1, n2: Int]: Int { n1 fun/sub n2 }

fun mul[n1, n2: Int]: Int { n1 fun/mul n2 }

// The quotient, rounded towards zero.
fun div[n1, n2: Int]: Int { n1 fun/div n2 }

// What the quotient leaves over: n1 = n2 * div[n1, n2] + rem[n1, n2].
fun rem[n1, n2: Int]: Int { n1 fun/rem n2 }

fun negate[n: Int]: Int { 0 fun/sub n }

pred eq[n1, n2: Int] { int[n1] = int[n2] }
pred gt[n1, n2: Int] { n1 > n2 }
pred lt[n1, n2: Int] { n1 < n2 }
pred gte[n1, n2: Int] { n1 >= n2 }
pred lte[n1, n2: Int] { n1 <= n2 }

pred zero[n: Int] { n = 0 }
pred pos[n: Int] { n > 0 }
pred neg[n: Int] { n < 0 }
pred nonpos[n: Int] { n <= 0 }
pred nonneg[n: Int] { n >= 0 }

// -1, 0 or 1.
fun signum[n: Int]: Int { n < 0 => -1 else (n > 0 => 1 else 0) }

// The element of `s` with exactly `i` others before it in the linear order `next`.
fun int2elem[i: Int, next: univ -> univ, s: set univ]: lone s {
  { e: s | #^next.e = int[i] }
}

// How many elements the linear order `next` has before `e`.
fun elem2int[e: univ, next: univ -> univ]: lone Int { #^next.e }

// The largest and the smallest integer there are.
fun max: one Int { fun/max }
fun min: one Int { fun/min }

// From each integer to the one above it, and below it.
fun next: Int -> Int { fun/next }
fun prev: Int -> Int { ~(fun/next) }

// The largest and the smallest member of a set; nothing for the empty set.
fun max[es: set Int]: lone Int { es - es.^prev }
fun min[es: set Int]: lone Int { es - es.^next }

// All smaller, and all larger integers.
fun prevs[e: Int]: set Int { e.^prev }
fun nexts[e: Int]: set Int { e.^next }

fun larger[e1, e2: Int]: Int { let a = int[e1], b = int[e2] | (a < b => b else a) }
fun smaller[e1, e2: Int]: Int { let a = int[e1], b = int[e2] | (a < b => a else b) }
