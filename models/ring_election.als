// Processes in a ring elect the one with the greatest identifier: each passes on the identifiers it
// receives unless they are smaller than its own; whoever receives its own is elected.
//
// Source: Chang and Roberts (1979); modelled as in Alloy's textbook, with a signature for time.

open util/ordering[Time] as time
open util/ordering[Process] as ids

sig Time {}

sig Process {
  succ: one Process,
  toSend: Process -> Time,
  elected: set Time
}

fact ring { all p: Process | Process in p.^succ }

pred start[t: Time] {
  all p: Process | p.toSend.t = p
  no elected.t
}

// p sends one identifier to its successor, which drops it if it is smaller than its own.
pred send[t, u: Time, p: Process] {
  some id: p.toSend.t {
    p.toSend.u = p.toSend.t - id
    p.succ.toSend.u = p.succ.toSend.t + (id - ids/prevs[p.succ])
    all q: Process - p - p.succ | q.toSend.u = q.toSend.t
  }
}

fact traces {
  start[time/first]
  all t: Time - time/last, u: time/next[t] | some p: Process | send[t, u, p] or toSend.u = toSend.t
  all t: Time - time/first | elected.t =
    { p: Process | p in p.toSend.t and p not in p.toSend.(time/prev[t]) }
}

// Somebody can be elected; with three processes that takes three steps.
run { some elected } for exactly 3 Process, 4 Time expect 1
run { some elected } for exactly 3 Process, 3 Time expect 0

// It is always the greatest, and never two.
check { elected.Time in ids/last } for 3 Process, 7 Time expect 0
check { lone elected.Time } for 3 Process, 7 Time expect 0
