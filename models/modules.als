// A print shop: one generic module, opened twice. Jobs wait in a queue; finished sheets lie on a pile,
// which is a queue of another kind of thing.
//
// A module with parameters is a text to be filled in: `modules/queue[Job]` has signatures of its own,
// different from those of `modules/queue[Sheet]`.

open modules/queue[Job] as jobs
open modules/queue[Sheet] as pile

sig Job { sheets: some Sheet }
sig Sheet {}

one sig Shop { waiting: one jobs/Queue, done: one pile/Queue }

fact {
  jobs/Queue = Shop.waiting
  pile/Queue = Shop.done
  // A sheet belongs to one job, and is on the pile when its job waits no longer.
  all s: Sheet | one sheets.s
  pile/items[Shop.done] = (Job - jobs/items[Shop.waiting]).sheets
}

run {} for 3 expect 1
run { #Job = 2 and jobs/isEmpty[Shop.waiting] } for 3 expect 1

// Nothing on the pile belongs to a job that waits.
check { no pile/items[Shop.done] & (jobs/items[Shop.waiting]).sheets } for 3 expect 0

// When all is printed, every sheet is on the pile.
check { jobs/isEmpty[Shop.waiting] implies Sheet in pile/items[Shop.done] } for 3 expect 0
