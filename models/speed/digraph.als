// Binary relations on n atoms (loops allowed).
// classes: 10 104 3044 291968
sig N { r: set N }
run {} for exactly 2 N
run {} for exactly 3 N
run {} for exactly 4 N
run {} for exactly 5 N
