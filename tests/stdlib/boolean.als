// What the functions of util/boolean mean, in terms of the truth values' names.
open util/boolean

check { all b: Bool | (isTrue[b] iff b = True) and (isFalse[b] iff b = False) } expect 0
check { #Bool = 2 and Bool = True + False } expect 0
check { all b: Bool | isTrue[Not[b]] iff not isTrue[b] } expect 0
check {
  all a, b: Bool {
    isTrue[And[a, b]] iff (isTrue[a] and isTrue[b])
    isTrue[Or[a, b]] iff (isTrue[a] or isTrue[b])
    isTrue[Xor[a, b]] iff not (isTrue[a] iff isTrue[b])
    isTrue[Nand[a, b]] iff not (isTrue[a] and isTrue[b])
    isTrue[Nor[a, b]] iff not (isTrue[a] or isTrue[b])
  }
} expect 0
check { all a, b: Bool | one And[a, b] and one Or[a, b] and one Xor[a, b] and one Nand[a, b] and one Nor[a, b] } expect 0
// The one instance there is.
run {} expect 1 upto iso
