// Queues of things of any kind, each thing at most once in a queue.
module modules/queue[item]

sig Queue { front: lone Link }

sig Link { thing: one item, behind: lone Link }

fact links {
  // Every link is in one queue, and no queue bites its tail.
  all l: Link | one q: Queue | l in q.front.*behind
  no l: Link | l in l.^behind
  all l: Link | lone (behind + front).l
  all q: Queue, disj l, m: q.front.*behind | l.thing != m.thing
}

fun items[q: Queue]: set item { q.front.*behind.thing }

pred isEmpty[q: Queue] { no q.front }
