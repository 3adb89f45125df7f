// Latin squares up to isotopy: rows, columns and symbols are renamed each by itself. OEIS A040082.
// classes: 1 1 1 2 2 22
sig Row { cell: Column -> one Symbol }
sig Column, Symbol {}
fact {
  all r: Row, s: Symbol | one c: Column | c.(r.cell) = s
  all c: Column, s: Symbol | one r: Row | c.(r.cell) = s
}
run {} for exactly 1 Row, exactly 1 Column, exactly 1 Symbol
run {} for exactly 2 Row, exactly 2 Column, exactly 2 Symbol
run {} for exactly 3 Row, exactly 3 Column, exactly 3 Symbol
run {} for exactly 4 Row, exactly 4 Column, exactly 4 Symbol
run {} for exactly 5 Row, exactly 5 Column, exactly 5 Symbol
run {} for exactly 6 Row, exactly 6 Column, exactly 6 Symbol
