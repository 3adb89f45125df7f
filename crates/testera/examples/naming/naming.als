// Purpose: the intentional naming system: what a service is called, what is asked, and which services conform.
// Source: Adjie-Winoto et al. (1999); Khurshid and Marinov, TestEra (2004), section 6.2.
// Counts: 360 names and 1,156 queries of two attributes, two values and two levels; so 416,160 pairs of one service
// and a query, and 360 · 361 / 2 · 1,156 = 75,116,880 of two services and a query.
module naming

enum Value { V0, V1, Any }

sig Services { names: set Name }

// Attributes and values in turn: siblings have distinct attributes, each attribute has one value.
sig Name { a0, a1: lone Part }
sig Part { value: Value, a0, a1: lone Part }

// The same, but a value may be a wildcard.
sig Query { a0, a1: lone Wanted }
sig Wanted { value: Value, a0, a1: lone Wanted }

// Two levels at most. A name is not empty and has no wildcard.
pred name[n: Name] {
  let first = n.a0 + n.a1, second = first.a0 + first.a1 {
    some first and no second.(a0 + a1)
    Any not in (first + second).value
  }
}

pred names[s: Services] { all n: s.names | name[n] }

// A query may be empty, and has nothing below a wildcard.
pred query[q: Query] {
  let first = q.a0 + q.a1, second = first.a0 + first.a1 {
    no second.(a0 + a1)
    all w: first | w.value = Any implies no w.(a0 + a1)
  }
}

// The query is a subtree of the name, a wildcard matching any value.
pred conforms[n: Name, q: Query] {
  matches[n.a0, q.a0] and matches[n.a0.a0, q.a0.a0] and matches[n.a0.a1, q.a0.a1]
  matches[n.a1, q.a1] and matches[n.a1.a0, q.a1.a0] and matches[n.a1.a1, q.a1.a1]
}

pred matches[p: set Part, w: set Wanted] { some w implies some p and w.value in p.value + Any }

// The services that were found: exactly those that conform.
sig Answer { found: set Name }

pred sound[answer: Answer, s: Services, q: Query] { all n: answer.found | n in s.names and conforms[n, q] }

pred complete[answer: Answer, s: Services, q: Query] { all n: s.names | conforms[n, q] implies n in answer.found }

// Two answers to be compared.
sig Answers { first, second: set Name }

// To a query and to the same without its wildcards: "omitted attributes correspond to wildcards".
pred omission[answers: Answers] { answers.first = answers.second }

// Of one service alone and of two: who conforms keeps conforming.
pred monotonic[answers: Answers] { answers.first in answers.second }
