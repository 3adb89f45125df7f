//! What the roots assert, taken for granted everywhere else: if a root says that a field is a
//! function, a number read off that field need not provide for two values.
//!
//! A node asserted by a root becomes a constant wherever another gate uses it. The asserted facts
//! stay as roots of their own, each with only earlier nodes replaced; so, by induction over the order
//! of nodes, the new roots hold under the same inputs as the old ones.

use crate::circuit::{Bit, Circuit};

/// Rounds of replacing; each may uncover more facts.
const ROUNDS: usize = 3;

/// A circuit over the same inputs whose roots hold exactly when all of `roots` do.
pub fn assume_roots(circuit: &Circuit, roots: &[Bit]) -> (Circuit, Vec<Bit>) {
    let mut result = round(circuit, roots);
    for _ in 1..ROUNDS {
        let next = round(&result.0, &result.1);
        if next.0.n_gates() == result.0.n_gates() {
            break;
        }
        result = next;
    }
    result
}

fn round(circuit: &Circuit, roots: &[Bit]) -> (Circuit, Vec<Bit>) {
    let n = circuit.n_nodes();
    let Some((known, facts)) = facts_of(circuit, roots) else {
        return (inputs_only(circuit), vec![Bit::FALSE]);
    };
    // Gates that the facts still need.
    let mut needed = vec![false; n];
    for fact in &facts {
        needed[fact.node()] = true;
    }
    for node in (0..n).rev() {
        if needed[node] {
            for fanin in circuit.fanins(node) {
                if known[fanin.node()].is_none() {
                    needed[fanin.node()] = true;
                }
            }
        }
    }
    let mut new = Circuit::new();
    // By node: what it is in the new circuit, asserted or not, and what others see of it.
    let mut definition = vec![Bit::FALSE; n];
    let mut seen = vec![Bit::FALSE; n];
    let mut inputs = circuit.inputs().iter().peekable();
    let mut fanins: Vec<Bit> = Vec::new();
    for node in 0..n {
        if inputs.next_if(|&&input| input as usize == node).is_some() {
            definition[node] = new.input();
        } else if circuit.is_gate(node) && needed[node] {
            fanins.clear();
            fanins.extend(circuit.fanins(node).iter().map(|b| translated(*b, &seen)));
            definition[node] = new.and_many(&fanins);
        }
        seen[node] = known[node].map_or(definition[node], Bit::constant);
    }
    let roots = facts.iter().map(|&fact| translated(fact, &definition)).filter(|&r| r != Bit::TRUE).collect();
    (new, roots)
}

fn translated(bit: Bit, map: &[Bit]) -> Bit {
    let to = map[bit.node()];
    if bit.node() == Bit::FALSE.node() {
        bit
    } else if bit.is_complemented() {
        !to
    } else {
        to
    }
}

/// The nodes whose value the roots fix, and the facts that say so: inputs, and gates that are false.
/// `None` if they contradict each other.
fn facts_of(circuit: &Circuit, roots: &[Bit]) -> Option<(Vec<Option<bool>>, Vec<Bit>)> {
    let mut known: Vec<Option<bool>> = vec![None; circuit.n_nodes()];
    let mut facts = Vec::new();
    let mut stack: Vec<Bit> = roots.iter().rev().copied().collect();
    while let Some(bit) = stack.pop() {
        if bit.is_constant() {
            if bit == Bit::FALSE {
                return None;
            }
            continue;
        }
        match known[bit.node()] {
            Some(value) if value == bit.is_complemented() => return None,
            Some(_) => continue,
            None => known[bit.node()] = Some(!bit.is_complemented()),
        }
        if circuit.is_gate(bit.node()) && !bit.is_complemented() {
            stack.extend(circuit.fanins(bit.node()).iter().rev());
        } else {
            facts.push(bit);
        }
    }
    Some((known, facts))
}

fn inputs_only(circuit: &Circuit) -> Circuit {
    let mut new = Circuit::new();
    for _ in circuit.inputs() {
        new.input();
    }
    new
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::circuit::value_of;

    proptest! {
        #[test]
        fn the_new_roots_hold_exactly_when_the_old_ones_do(
            gates in prop::collection::vec((any::<u16>(), any::<u16>(), any::<u16>(), any::<u8>()), 1..30),
            n_roots in 1usize..5,
        ) {
            let mut circuit = Circuit::new();
            let mut bits: Vec<Bit> = (0..5).map(|_| circuit.input()).collect();
            for (a, b, c, signs) in gates {
                let pick = |i: u16, sign: u8| {
                    let bit = bits[i as usize % bits.len()];
                    if signs >> sign & 1 == 1 { !bit } else { bit }
                };
                let bit = circuit.and_many(&[pick(a, 0), pick(b, 1), pick(c, 2)]);
                bits.push(if signs & 8 == 8 { !bit } else { bit });
            }
            let roots: Vec<Bit> = bits.iter().rev().take(n_roots).copied().collect();
            let (new, new_roots) = assume_roots(&circuit, &roots);
            prop_assert_eq!(new.n_inputs(), circuit.n_inputs());
            for assignment in 0..1u32 << 5 {
                let inputs: Vec<bool> = (0..5).map(|i| assignment >> i & 1 == 1).collect();
                let (old_values, new_values) = (circuit.evaluate(&inputs), new.evaluate(&inputs));
                let old = roots.iter().all(|&r| value_of(r, &old_values));
                let new = new_roots.iter().all(|&r| value_of(r, &new_values));
                prop_assert_eq!(old, new);
            }
        }
    }

    #[test]
    fn what_a_root_asserts_is_constant_elsewhere() {
        let mut circuit = Circuit::new();
        let [a, b, c, d] = [0; 4].map(|_| circuit.input());
        let condition = circuit.or(a, b);
        let choice = circuit.ite(condition, c, d);
        let (new, roots) = assume_roots(&circuit, &[condition, choice]);
        // Only the condition itself is a gate; the choice is its first branch.
        assert_eq!((roots.len(), new.n_gates()), (2, 1));
    }
}
