// Inverse semigroups: each element has exactly one inverse. OEIS A001428.
// classes: 1 2 5 16 52
sig G { mul: G -> one G }
fun of[a, b: G]: G { b.(a.mul) }
fact {
  all a, b, c: G | of[of[a, b], c] = of[a, of[b, c]]
  all a: G | one b: G | of[of[a, b], a] = a and of[of[b, a], b] = b
}
run {} for exactly 1 G
run {} for exactly 2 G
run {} for exactly 3 G
run {} for exactly 4 G
run {} for exactly 5 G
