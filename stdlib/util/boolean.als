// Truth values as atoms, for fields and parameters that hold one.
module util/boolean

abstract sig Bool {}
one sig True, False extends Bool {}

pred isTrue[b: Bool] { b in True }

pred isFalse[b: Bool] { b in False }

// The other value.
fun Not[b: Bool]: Bool { Bool - b }

fun And[b1, b2: Bool]: Bool { truth[b1 + b2, True] }

fun Or[b1, b2: Bool]: Bool { truth[True, b1 + b2] }

// True when the values differ, so that together they are all of Bool.
fun Xor[b1, b2: Bool]: Bool { truth[Bool, b1 + b2] }

fun Nand[b1, b2: Bool]: Bool { truth[False, b1 + b2] }

fun Nor[b1, b2: Bool]: Bool { truth[b1 + b2, False] }

// Whether `some_` lies in `whole`, as a value.
private fun truth[some_, whole: set Bool]: Bool { some_ in whole => True else False }
