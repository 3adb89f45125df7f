// DisjSet of the Korat evaluation: an array of k records, k up to n, places told apart; each record has a
// parent in the array and a rank below n; the rank of a record that is no root is below its parent's; there
// are not more roots than records of rank 0.
// classes: 2 5 38 914 41546
open util/ordering[Place] as place
open util/ordering[Rank] as rank
sig Place {}
sig Rank {}
one sig Array { used: set Place, parent: used -> one used, rank: used -> one Rank }
fun roots: set Place { { p: Array.used | Array.parent[p] = p } }
fact {
  place/prevs[Array.used] in Array.used
  all p: Array.used - roots | rank/lt[Array.rank[p], Array.rank[Array.parent[p]]]
  #roots <= #(Array.rank).(rank/first)
}
run {} for exactly 1 Place, exactly 1 Rank, 5 Int
run {} for exactly 2 Place, exactly 2 Rank, 5 Int
run {} for exactly 3 Place, exactly 3 Rank, 5 Int
run {} for exactly 4 Place, exactly 4 Rank, 5 Int
run {} for exactly 5 Place, exactly 5 Rank, 5 Int
