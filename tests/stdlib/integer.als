// Laws of util/integer. That its operations are those of arithmetic is held against Rust's in stdlib.rs.
open util/ordering[S] as s
sig S {}

check { all a, b: Int | plus[a, b] = plus[b, a] and minus[plus[a, b], b] = a } for 2 but 4 Int expect 0
check { all a, b: Int | add[a, b] = plus[a, b] and sub[a, b] = minus[a, b] } for 2 but 4 Int expect 0
check { all a: Int | negate[a] = minus[0, a] and plus[a, negate[a]] = 0 } for 2 but 4 Int expect 0
check { all a, b: Int | mul[plus[a, 1], b] = plus[mul[a, b], b] and mul[0, b] = 0 } for 2 but 4 Int expect 0
check { all a, b: Int | b != 0 implies a = plus[mul[b, div[a, b]], rem[a, b]] } for 2 but 4 Int expect 0
check { all a, b: Int | b > 0 implies rem[a, b] < b and rem[a, b] > negate[b] } for 2 but 4 Int expect 0
check { all a: Int | signum[a] = (pos[a] => 1 else (neg[a] => -1 else 0)) } for 2 but 4 Int expect 0
check {
  all a, b: Int {
    eq[a, b] iff a = b
    lt[a, b] iff b in nexts[a]
    gt[a, b] iff b in prevs[a]
    lte[a, b] iff not gt[a, b]
    gte[a, b] iff not lt[a, b]
  }
} for 2 but 4 Int expect 0
check {
  all a: Int {
    zero[a] iff a = 0
    pos[a] iff gt[a, 0]
    neg[a] iff lt[a, 0]
    nonpos[a] iff not pos[a]
    nonneg[a] iff not neg[a]
  }
} for 2 but 4 Int expect 0
check { all a: Int - max | integer/next[a] = plus[a, 1] } for 2 but 4 Int expect 0
check { all a: Int - min | integer/prev[a] = minus[a, 1] } for 2 but 4 Int expect 0
check { no integer/next[integer/max] and no integer/prev[integer/min] } for 2 but 4 Int expect 0
check { all a, b: Int | larger[a, b] = max[a + b] and smaller[a, b] = min[a + b] } for 2 but 4 Int expect 0
check { all t: set Int | some t implies max[t] in t and no a: t | a > max[t] } for 2 but 4 Int expect 0
check { all t: set Int | some t implies min[t] in t and no a: t | a < min[t] } for 2 but 4 Int expect 0
check { all a: S | elem2int[a, s/next] = #s/prevs[a] } for 5 S expect 0
check { all a: S | int2elem[elem2int[a, s/next], s/next, S] = a } for 5 S expect 0
check { int2elem[0, s/next, S] = s/first and no int2elem[5, s/next, S] } for 5 S expect 0
