// Zero-one matrices up to permutations of rows and of columns. OEIS A002724.
// classes: 2 7 36 317 5624
sig Row { ones: set Column }
sig Column {}
run {} for exactly 1 Row, exactly 1 Column
run {} for exactly 2 Row, exactly 2 Column
run {} for exactly 3 Row, exactly 3 Column
run {} for exactly 4 Row, exactly 4 Column
run {} for exactly 5 Row, exactly 5 Column
