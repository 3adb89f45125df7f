//! Which variables always have the same (or the opposite) value: the strongly connected components of
//! the binary clauses (Aspvall, Plass and Tarjan 1979).

use crate::{Lit, Var};

use super::search::Enumerator;

impl Enumerator {
    /// For every visible variable the first visible literal that is always equal to it: often itself.
    pub fn equivalences(&self) -> Vec<Lit> {
        let n_lits = self.binaries.len();
        let n_visible = self.order.n_visible;
        // Only the two literals of a visible variable need a common root.
        let component = components(n_lits, |lit| &self.binaries[lit]);
        let mut first = vec![None; n_lits];
        (0..n_visible as u32)
            .map(|var| {
                let lit = Var(var).lit(true);
                let known = first[component[lit.index()] as usize];
                let representative: Lit = known.unwrap_or(lit);
                if known.is_none() {
                    first[component[lit.index()] as usize] = Some(lit);
                    first[component[(!lit).index()] as usize] = Some(!lit);
                }
                representative
            })
            .collect()
    }

    /// The value that a variable has in every model, as far as the root knows.
    pub fn root_value(&self, var: Var) -> Option<bool> {
        self.state.value(var.lit(true)).filter(|_| self.state.level(var) == 0)
    }
}

/// Tarjan's algorithm (1972) without recursion: a component number for every node.
fn components<'a>(n: usize, successors: impl Fn(usize) -> &'a Vec<Lit>) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; n];
    let mut low = vec![0u32; n];
    let mut component = vec![UNSEEN; n];
    let mut stack: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let (mut next_index, mut next_component) = (0, 0);
    for start in 0..n {
        if index[start] != UNSEEN {
            continue;
        }
        calls.push((start as u32, 0));
        while let Some((node, edge)) = calls.pop() {
            let v = node as usize;
            if edge == 0 {
                index[v] = next_index;
                low[v] = next_index;
                next_index += 1;
                stack.push(node);
            }
            if let Some(next) = successors(v).get(edge as usize) {
                let w = next.index();
                calls.push((node, edge + 1));
                if index[w] == UNSEEN {
                    calls.push((w as u32, 0));
                } else if component[w] == UNSEEN {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            if low[v] == index[v] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
        }
    }
    component
}
