// Purpose: specifications as instances; what tera is tested on with itself.
// Source: Khurshid and Marinov, TestEra (2004), section 6.3.
// Counts: 54 of two signatures and two atoms, of which 12 when each signature owns exactly one.
module meta

enum Name { Signature, Test }
enum Prefix { S, T }
enum Suffix { Zero, One }

sig Spec { sigs: set Sig, atoms: set Atom }
sig Sig { name: Name, owned: set Atom }
sig Atom { prefix: Prefix, suffix: Suffix }

// No two atoms are the same; an atom may belong to no signature.
fact AtomsHaveUniqueNames {
  all disj a, b: Atom | a.prefix != b.prefix or a.suffix != b.suffix
}

fact SignaturesHaveUniqueNamesAndAtoms {
  all disj a, b: Sig | a.name != b.name and no a.owned & b.owned
}

pred wellFormed[s: Spec] { s.sigs.owned in s.atoms }

pred eachOwnsOne[s: Spec] { all g: s.sigs | one g.owned }

// What the finder says of the text that a specification stands for: in each instance the atoms of each signature, by
// number, and how each is shown.
sig Answer { instances: set Found }
sig Found { value: Name -> Int, shown: Int -> lone String }

pred signaturesAreDisjoint[answer: Answer] {
  all f: answer.instances | no f.value[Signature] & f.value[Test]
}

pred namesAreUnique[answer: Answer] {
  all f: answer.instances, disj a, b: f.value[Name] | some f.shown[a] and f.shown[a] != f.shown[b]
}

// A signature with named atoms has no others, and is the same in every instance.
pred namedAtomsAreAll[s: Spec, answer: Answer] {
  all g: s.sigs, f: answer.instances | some g.owned implies #f.value[g.name] = #g.owned
}

// A signature without named atoms has each number of atoms up to the scope; one instance for each choice of these.
pred nothingIsLeftOut[s: Spec, answer: Answer] {
  let free = { g: s.sigs | no g.owned }.name {
    all i, j: 0 + 1 + 2 + 3 | one f: answer.instances {
      Signature in free implies #f.value[Signature] = i
      Test in free implies #f.value[Test] = j
    }
  }
}
