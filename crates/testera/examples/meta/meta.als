// Purpose: specifications as instances; what tera is tested on with itself.
// Source: Khurshid and Marinov, TestEra (2004), section 6.3.
// Counts: exactly 2 Sig and 2 Atom: 54, of which 12 when each Sig owns exactly one Atom.
module meta

enum Name { Signature, Test }
enum Prefix { S, T }
enum Suffix { Zero, One }

sig Atom { prefix: Prefix, suffix: Suffix }
sig Sig { name: Name, atoms: set Atom }

fact AtomsHaveUniqueNames {
  all disj a, b: Atom | a.prefix != b.prefix or a.suffix != b.suffix
}

fact SignaturesHaveUniqueNamesAndAtoms {
  all disj a, b: Sig | a.name != b.name and no a.atoms & b.atoms
}

pred each_owns_one { all s: Sig | one s.atoms }
