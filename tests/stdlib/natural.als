// The numbers of util/natural are those that their places say.
open util/natural

fun value[n: Natural]: Int { #{ m: Natural | lt[m, n] } }

check { value[Zero] = 0 and value[One] = 1 } for 6 expect 0
check { all n: Natural | some inc[n] implies value[inc[n]] = plus[value[n], 1] } for 6 expect 0
check { all n: Natural | (no inc[n] iff value[n] = 5) and (no dec[n] iff n = Zero) } for 6 expect 0
check { all n: Natural - Zero | inc[dec[n]] = n } for 6 expect 0
check { all a, b: Natural | natural/add[a, b] = { n: Natural | value[n] = plus[value[a], value[b]] } } for 6 expect 0
check { all a, b: Natural | natural/sub[a, b] = { n: Natural | value[n] = minus[value[a], value[b]] } } for 6 expect 0
check { all a, b: Natural | natural/mul[a, b] = { n: Natural | value[n] = mul[value[a], value[b]] } } for 6 expect 0
check { all a: Natural, b: Natural - Zero | natural/div[a, b] = { n: Natural | mul[value[n], value[b]] = value[a] } } for 6 expect 0
check {
  all a, b: Natural {
    lt[a, b] iff value[a] < value[b]
    gt[a, b] iff value[a] > value[b]
    lte[a, b] iff value[a] <= value[b]
    gte[a, b] iff value[a] >= value[b]
    max[a + b] = (gt[a, b] => a else b)
    min[a + b] = (gt[a, b] => b else a)
  }
} for 6 expect 0
run {} for exactly 4 Natural expect 1 upto iso
run {} for exactly 1 Natural expect 1 upto iso
