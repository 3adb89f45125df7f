//! The and-inverter graph: inputs, n-ary conjunctions, and complement bits on every edge.
//!
//! A [`Bit`] is a node and a sign. Node 0 is the constant, then inputs and gates mixed, each after
//! all its fan-ins, so a pass over the graph is a loop over ids. Gates are hash-consed through an
//! open-addressing table of ids: equal conjunctions are one node, and the same sequence of calls
//! builds the same graph, byte for byte.
//!
//! Invariant: the fan-ins of a gate are at least two, ascending, without constants, repetitions or
//! complementary pairs.

/// A node of a [`Circuit`], possibly complemented: `2 * node + (1 if complemented)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bit(u32);

impl Bit {
    pub const FALSE: Bit = Bit(0);
    pub const TRUE: Bit = Bit(1);

    pub fn constant(value: bool) -> Bit {
        Bit(value as u32)
    }

    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    fn of_node(node: usize) -> Bit {
        Bit((node as u32) << 1)
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;
    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

/// The graph. Inputs are created in order and are what assignments speak of.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// `starts[i]..starts[i + 1]` are the fan-ins of node `i`; empty for the constant and inputs.
    starts: Vec<u32>,
    fanins: Vec<Bit>,
    inputs: Vec<u32>,
    /// Ids of gates by hash of their fan-ins; 0 is a free slot.
    table: Vec<u32>,
    n_gates: usize,
    scratch: Vec<Bit>,
    max_nodes: usize,
    exhausted: bool,
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit::new()
    }
}

/// Gates with more fan-ins than this are not searched by the rewriting rules.
const REWRITE_WIDTH: usize = 8;

impl Circuit {
    pub fn new() -> Circuit {
        Circuit {
            starts: vec![0, 0],
            fanins: Vec::new(),
            inputs: Vec::new(),
            table: vec![0; 1 << 10],
            n_gates: 0,
            scratch: Vec::new(),
            max_nodes: 1 << 30,
            exhausted: false,
        }
    }

    /// No more nodes than this: see [`Circuit::is_exhausted`].
    pub fn set_max_nodes(&mut self, max_nodes: usize) {
        self.max_nodes = max_nodes.min(1 << 30);
    }

    /// Whether a gate or a matrix was refused because it was too much. What was built since is wrong.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Refuses to go on, as when there are too many nodes.
    pub(crate) fn exhaust(&mut self) {
        self.exhausted = true;
    }

    pub fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn n_gates(&self) -> usize {
        self.n_gates
    }

    pub fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The nodes that are inputs, in the order of creation.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    pub fn input(&mut self) -> Bit {
        let node = self.n_nodes();
        self.starts.push(self.fanins.len() as u32);
        self.inputs.push(node as u32);
        Bit::of_node(node)
    }

    /// The fan-ins of a node; none if it is an input or the constant.
    pub fn fanins(&self, node: usize) -> &[Bit] {
        &self.fanins[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    pub fn is_gate(&self, node: usize) -> bool {
        self.starts[node] != self.starts[node + 1]
    }

    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Bit::FALSE || a == !b {
            return Bit::FALSE;
        }
        if a == Bit::TRUE || a == b {
            return b;
        }
        if let Some(bit) = self.rewrite(a, b).or_else(|| self.rewrite(b, a)) {
            return bit;
        }
        self.gate(&[a, b])
    }

    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub fn implies(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(a, !b)
    }

    pub fn iff(&mut self, a: Bit, b: Bit) -> Bit {
        if a.is_constant() || b.is_constant() || a.node() == b.node() {
            return match (a, b) {
                (Bit::TRUE, x) | (x, Bit::TRUE) => x,
                (Bit::FALSE, x) | (x, Bit::FALSE) => !x,
                _ => Bit::constant(a == b),
            };
        }
        let forth = self.implies(a, b);
        let back = self.implies(b, a);
        self.and(forth, back)
    }

    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        !self.iff(a, b)
    }

    /// `if cond then a else b`, as two implications: one-sided clauses of it are the short ones.
    pub fn ite(&mut self, cond: Bit, a: Bit, b: Bit) -> Bit {
        if a == b {
            return a;
        }
        if a == !b {
            return self.iff(cond, a);
        }
        let then = self.implies(cond, a);
        let otherwise = self.or(cond, b);
        self.and(then, otherwise)
    }

    /// Whether at least two of the three hold.
    pub fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let ab = self.or(a, b);
        let bc = self.or(b, c);
        let ac = self.or(a, c);
        self.and_many(&[ab, bc, ac])
    }

    pub fn and_many(&mut self, bits: &[Bit]) -> Bit {
        match *bits {
            [] => return Bit::TRUE,
            [a] => return a,
            [a, b] => return self.and(a, b),
            _ => {}
        }
        let mut set = std::mem::take(&mut self.scratch);
        set.clear();
        set.extend_from_slice(bits);
        let result = self.and_set(&mut set);
        self.scratch = set;
        result
    }

    pub fn or_many(&mut self, bits: &[Bit]) -> Bit {
        match *bits {
            [] => return Bit::FALSE,
            [a] => return a,
            [a, b] => return self.or(a, b),
            _ => {}
        }
        let mut set = std::mem::take(&mut self.scratch);
        set.clear();
        set.extend(bits.iter().map(|&b| !b));
        let result = self.and_set(&mut set);
        self.scratch = set;
        !result
    }

    fn and_set(&mut self, set: &mut Vec<Bit>) -> Bit {
        set.sort_unstable();
        set.dedup();
        if set.first() == Some(&Bit::FALSE) || set.windows(2).any(|w| w[0] == !w[1]) {
            return Bit::FALSE;
        }
        if set.first() == Some(&Bit::TRUE) {
            set.remove(0);
        }
        match set[..] {
            [] => Bit::TRUE,
            [a] => a,
            [a, b] => self.and(a, b),
            _ => self.gate(set),
        }
    }

    /// Simplifies `a ∧ b` by looking one level into `b`.
    fn rewrite(&mut self, a: Bit, b: Bit) -> Option<Bit> {
        let fanins = self.fanins(b.node());
        if fanins.is_empty() || fanins.len() > REWRITE_WIDTH {
            return None;
        }
        if !b.is_complemented() {
            if fanins.contains(&a) {
                return Some(b);
            }
            if fanins.contains(&!a) {
                return Some(Bit::FALSE);
            }
        } else {
            // a ∧ ¬(… ∧ ¬a ∧ …) = a, and a ∧ ¬(a ∧ c) = a ∧ ¬c.
            if fanins.contains(&!a) {
                return Some(a);
            }
            if let [x, y] = *fanins {
                if x == a {
                    return Some(self.and(a, !y));
                }
                if y == a {
                    return Some(self.and(a, !x));
                }
            }
        }
        None
    }

    /// The gate with these fan-ins, which satisfy the invariant.
    fn gate(&mut self, fanins: &[Bit]) -> Bit {
        if self.n_gates * 2 >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(fanins) as usize & mask;
        loop {
            let node = self.table[slot] as usize;
            if node == 0 {
                break;
            }
            if self.fanins(node) == fanins {
                return Bit::of_node(node);
            }
            slot = (slot + 1) & mask;
        }
        let node = self.n_nodes();
        if node >= self.max_nodes || self.fanins.len() + fanins.len() > u32::MAX as usize {
            self.exhausted = true;
            return Bit::FALSE;
        }
        self.fanins.extend_from_slice(fanins);
        self.starts.push(self.fanins.len() as u32);
        self.table[slot] = node as u32;
        self.n_gates += 1;
        Bit::of_node(node)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mask = size - 1;
        let mut table = vec![0u32; size];
        for &node in self.table.iter().filter(|&&n| n != 0) {
            let mut slot = hash(self.fanins(node as usize)) as usize & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = node;
        }
        self.table = table;
    }

    /// The value of every node under an assignment of the inputs: the circuit's own semantics,
    /// for tests and for reading instances.
    pub fn evaluate(&self, inputs: &[bool]) -> Vec<bool> {
        let mut values = vec![false; self.n_nodes()];
        for (&node, &value) in self.inputs.iter().zip(inputs) {
            values[node as usize] = value;
        }
        for node in 0..self.n_nodes() {
            if self.is_gate(node) {
                values[node] = self.fanins(node).iter().all(|b| values[b.node()] != b.is_complemented());
            }
        }
        values
    }
}

/// The value of `bit` among the node values of [`Circuit::evaluate`].
pub fn value_of(bit: Bit, values: &[bool]) -> bool {
    values[bit.node()] != bit.is_complemented()
}

fn hash(fanins: &[Bit]) -> u64 {
    let mut h = 0u64;
    for bit in fanins {
        h = (h.rotate_left(5) ^ bit.0 as u64).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    h ^ h >> 32
}
