// Mappings of unlabelled points to themselves: pairs of permutations (OEIS A110143), mappings without a fixed
// point (A001373), in one piece (A002861), partial injections (A000712), involutions, idempotent ones
// (partitions, A000041).
// classes: 43 161 40 100 51 125 36 65 4 4 11 15
sig V { f: lone V, g: lone V }
pred total { all v: V | one v.f }
pred injective { all v: V | lone f.v }
pred alone { no g }
run pairs { total injective all v: V | one v.g and one g.v } for exactly 4 V
run pairs { total injective all v: V | one v.g and one g.v } for exactly 5 V
run without_fixed_point { alone total no iden & f } for exactly 6 V
run without_fixed_point { alone total no iden & f } for exactly 7 V
run connected { alone total all v: V | V in v.*(f + ~f) } for exactly 6 V
run connected { alone total all v: V | V in v.*(f + ~f) } for exactly 7 V
run partial_injection { alone injective } for exactly 5 V
run partial_injection { alone injective } for exactly 6 V
run involution { alone total f.f in iden } for exactly 6 V
run involution { alone total f.f in iden } for exactly 7 V
run idempotent { alone total f.f = f } for exactly 6 V
run idempotent { alone total f.f = f } for exactly 7 V
