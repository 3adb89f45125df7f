//! Circuit to clauses, one-sided (Plaisted and Greenbaum 1986).
//!
//! A gate gets a variable only where a clause needs one: conjunctions at the top become separate
//! clauses, disjunctions flatten into the clause they stand in, and a gate that is used once (in
//! one polarity) is written out in place when that costs no more clauses than defining it.
//!
//! Invariant: once all inputs are assigned, unit propagation alone finds every false root. A
//! literal of a gate can be forced false by its clauses as soon as its fan-ins are false, and the
//! clause that uses it then shrinks; nothing needs a decision on a gate variable.

use tera_sat::{Cnf, Lit, Var};

use crate::circuit::{Bit, Circuit};

/// Clauses of a circuit: variable `i` is input `i`, gate variables follow.
pub struct Encoder<'c> {
    circuit: &'c Circuit,
    pub cnf: Cnf,
    /// Variable of a node, or `NONE`.
    vars: Vec<u32>,
    /// How many places use the node in positive and in negative polarity.
    uses: Vec<[u32; 2]>,
    /// Polarities already defined by clauses.
    defined: Vec<[bool; 2]>,
    /// Gate literals whose clauses are still to be written.
    pending: Vec<Bit>,
}

const NONE: u32 = u32::MAX;

/// The clauses that make all of `roots` true.
pub fn encode(circuit: &Circuit, roots: &[Bit]) -> Cnf {
    let mut encoder = Encoder::new(circuit, roots);
    for &root in roots {
        encoder.assert(&[], root);
    }
    encoder.cnf
}

impl<'c> Encoder<'c> {
    /// `roots` are the bits that will be asserted, each once.
    pub fn new(circuit: &'c Circuit, roots: &[Bit]) -> Encoder<'c> {
        let n = circuit.n_nodes();
        let mut vars = vec![NONE; n];
        for (var, &node) in circuit.inputs().iter().enumerate() {
            vars[node as usize] = var as u32;
        }
        let mut uses = vec![[0u32; 2]; n];
        for root in roots {
            uses[root.node()][root.is_complemented() as usize] += 1;
        }
        for node in (0..n).rev() {
            for sign in 0..2 {
                if uses[node][sign] > 0 {
                    for bit in circuit.fanins(node) {
                        uses[bit.node()][bit.is_complemented() as usize ^ sign] += 1;
                    }
                }
            }
        }
        Encoder {
            circuit,
            cnf: Cnf::new(circuit.n_inputs()),
            vars,
            uses,
            defined: vec![[false; 2]; n],
            pending: Vec::new(),
        }
    }

    /// Adds clauses for `prefix[0] ∨ prefix[1] ∨ … ∨ root`.
    pub fn assert(&mut self, prefix: &[Lit], root: Bit) {
        self.expand(prefix.to_vec(), root);
        while let Some(bit) = self.pending.pop() {
            let lit = self.lit_of(bit);
            self.expand(vec![!lit], bit);
        }
    }

    /// Adds a clause unless it is always true. Literals may repeat.
    fn emit(&mut self, clause: &mut Vec<Lit>) {
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).all(|w| w[0] != !w[1]) {
            self.cnf.add(clause);
        }
    }

    /// Writes `prefix ∨ bit` for a gate out in terms of its fan-ins.
    fn expand(&mut self, prefix: Vec<Lit>, bit: Bit) {
        let mut work = vec![(prefix, bit)];
        while let Some((prefix, bit)) = work.pop() {
            if bit == Bit::TRUE {
                continue;
            }
            if !self.circuit.is_gate(bit.node()) {
                let mut clause = prefix;
                if bit != Bit::FALSE {
                    clause.push(self.reference(bit));
                }
                self.emit(&mut clause);
                continue;
            }
            if !bit.is_complemented() {
                let circuit = self.circuit;
                for &part in circuit.fanins(bit.node()).iter().rev() {
                    if self.is_inline(part) {
                        work.push((prefix.clone(), part));
                    } else {
                        let mut clause = prefix.clone();
                        clause.push(self.reference(part));
                        self.emit(&mut clause);
                    }
                }
                continue;
            }
            // A disjunction: flatten the inline disjunctions in it, and distribute over at most
            // one inline conjunction.
            let mut clause = prefix;
            let mut distribute = None;
            let mut stack = vec![bit];
            while let Some(bit) = stack.pop() {
                let circuit = self.circuit;
                for &part in circuit.fanins(bit.node()) {
                    let part = !part;
                    if !self.is_inline(part) {
                        let lit = self.reference(part);
                        clause.push(lit);
                    } else if part.is_complemented() {
                        stack.push(part);
                    } else if distribute.is_none() {
                        distribute = Some(part);
                    } else {
                        let lit = self.reference(part);
                        clause.push(lit);
                    }
                }
            }
            match distribute {
                None => self.emit(&mut clause),
                Some(part) => work.push((clause, part)),
            }
        }
    }

    /// Whether a gate literal is written out where it stands.
    fn is_inline(&self, bit: Bit) -> bool {
        let node = bit.node();
        self.circuit.is_gate(node) && self.uses[node][bit.is_complemented() as usize] == 1
    }

    /// A literal for `bit`, whose clauses will be written.
    fn reference(&mut self, bit: Bit) -> Lit {
        let sign = bit.is_complemented() as usize;
        let lit = self.lit_of(bit);
        if self.circuit.is_gate(bit.node()) && !self.defined[bit.node()][sign] {
            self.defined[bit.node()][sign] = true;
            self.pending.push(bit);
        }
        lit
    }

    fn lit_of(&mut self, bit: Bit) -> Lit {
        let slot = &mut self.vars[bit.node()];
        if *slot == NONE {
            *slot = self.cnf.fresh_var().0;
        }
        Var(*slot).lit(!bit.is_complemented())
    }
}
