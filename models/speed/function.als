// Functions from n atoms to themselves.
// classes: 951 7318 57903
sig N { f: one N }
run {} for exactly 8 N
run {} for exactly 10 N
run {} for exactly 12 N
