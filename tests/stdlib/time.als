// The macros of util/time: a lamp that is switched, a counter that counts down.
open util/time
one sig Lamp { on: dynamicSet[Lamp], level: dynamic[Int] }

pred press[t, u: Time] { Lamp in Lamp.on.t iff Lamp not in Lamp.on.u }
pred lower[t, u: Time] { Lamp.level.u = minus[Lamp.level.t, 1] }
pred above[t: Time] { Lamp.level.t > 0 }

check { all t: Time | one Lamp.level.t } for 4 Time, 3 Int expect 0
check { all t, u: Time | then[press, press, t, u] implies Lamp.on.t = Lamp.on.u } for 4 Time, 3 Int expect 0
check { all t, u: Time | while[above, lower, t, u] implies Lamp.level.u <= 0 } for 4 Time, 3 Int expect 0
check { all t, u: Time | while0[above, lower, t, u] iff (t = u and not above[t]) } for 4 Time, 3 Int expect 0
check { all t, u: Time | while1[above, lower, t, u] and above[t] implies Lamp.level.t = 1 } for 4 Time, 3 Int expect 0
check { all t, u: Time | while2[above, lower, t, u] and above[t] implies Lamp.level.t in 1 + 2 } for 4 Time, 3 Int expect 0
check { all t, u: Time | while9[above, lower, t, u] implies Lamp.level.t = 0 or Lamp.level.u = 0 or Lamp.level.t < 0 } for 3 Time, 3 Int expect 0
run { some t, u: Time | Lamp.level.t = 3 and while3[above, lower, t, u] } for 4 Time, 3 Int expect 1
run { some t, u: Time | Lamp.level.t = 3 and while2[above, lower, t, u] } for 4 Time, 3 Int expect 0
run { some t, u: Time | Lamp.level.t = 2 and while4[above, lower, t, u] and while5[above, lower, t, u] and
  while6[above, lower, t, u] and while7[above, lower, t, u] and while8[above, lower, t, u] } for 3 Time, 3 Int expect 1
check { first.^(time/next) + first = Time and no next[last] } for 4 Time, 3 Int expect 0
