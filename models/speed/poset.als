// Partial orders on exactly n atoms.
// classes: 5 16 63 318 2045 16999 183231
sig N { le: set N }
pred po { N<:iden in le  le.le in le  (le & ~le) in iden }
run po for exactly 3 N
run po for exactly 4 N
run po for exactly 5 N
run po for exactly 6 N
run po for exactly 7 N
run po for exactly 8 N
run po for exactly 9 N
