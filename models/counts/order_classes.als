// Classes of partial orders: interval orders (OEIS A022493), semiorders (Catalan numbers, A000108),
// series-parallel orders (A003430), connected orders (A000608).
// classes: 53 217 42 132 48 167 44 238
sig V { less: set V }
fact { no iden & less less.less in less }
pred crossed[a, b, c, d: V] { a -> b + c -> d in less and a -> d not in less and c -> b not in less }
pred interval { no a, b, c, d: V | crossed[a, b, c, d] }
pred semiorder {
  interval
  all a, b, c, d: V | a -> b + b -> c in less implies a -> d in less or d -> c in less
}
fun either: V -> V { less + ~less }
pred series_parallel {
  no disj a, b, c, d: V | a -> b + c -> b + c -> d in less and no (a -> c + b -> d + a -> d) & either
}
pred connected { all v: V | V in v.*either }
run interval for exactly 5 V
run interval for exactly 6 V
run semiorder for exactly 5 V
run semiorder for exactly 6 V
run series_parallel for exactly 5 V
run series_parallel for exactly 6 V
run connected for exactly 5 V
run connected for exactly 6 V
