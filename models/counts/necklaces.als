// Necklaces (OEIS A000031) and bracelets (A000029) of beads in two colours: a cycle, directed or not, with
// a subset of its points.
// classes: 14 20 36 13 18 30
sig Bead { beside: set Bead }
sig Red in Bead {}
fact { all b: Bead | Bead in b.^beside }
pred necklace { all b: Bead | one b.beside }
pred bracelet { beside = ~beside no iden & beside all b: Bead | some disj c, d: Bead | b.beside = c + d }
run necklace for exactly 6 Bead
run necklace for exactly 7 Bead
run necklace for exactly 8 Bead
run bracelet for exactly 6 Bead
run bracelet for exactly 7 Bead
run bracelet for exactly 8 Bead
