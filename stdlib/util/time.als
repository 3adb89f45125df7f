// An ordered signature of instants, and macros for models that speak of steps.
module util/time

open util/ordering[Time]

sig Time {}

// For fields: a value that changes, one or any number at each instant.
let dynamic[x] = x one -> Time
let dynamicSet[x] = x -> Time

// From t to u: first a, then b. Actions are predicates over the instant before and the one behind.
let then[a, b, t, u] { some mid: Time | a[t, mid] and b[mid, u] }

// From t to u: body again and again while cond holds; `whileN` for at most N rounds.
let while = while3

let while9[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while8[cond, body, mid, u] }
let while8[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while7[cond, body, mid, u] }
let while7[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while6[cond, body, mid, u] }
let while6[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while5[cond, body, mid, u] }
let while5[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while4[cond, body, mid, u] }
let while4[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while3[cond, body, mid, u] }
let while3[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while2[cond, body, mid, u] }
let while2[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while1[cond, body, mid, u] }
let while1[cond, body, t, u] { some mid: Time | (cond[t] => body[t, mid] else t = mid) and while0[cond, body, mid, u] }
let while0[cond, body, t, u] { not cond[t] and t = u }
