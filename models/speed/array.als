// Zero-one arrays of n x n x n up to permutations of each side independently.
// classes: 46 638536
sig A { r: B -> C }
sig B, C {}
run {} for exactly 2 A, exactly 2 B, exactly 2 C
run {} for exactly 3 A, exactly 3 B, exactly 3 C
