//! What variables stand for at the moment, and what is remembered of nodes.
//!
//! The keys of the values of a node's free variables, as digits of mixed radix, make the key of its
//! memo. Where they do not fit 64 bits nothing is remembered.

use std::rc::Rc;

use tera_circuit::Matrix;
use tera_rel::{NodeId, VarId};

use super::{Binding, Translator, Value};

impl Translator<'_> {
    /// Where the value of `node` under the present environment is remembered: `None` if not at all.
    fn memo_key(&self, node: NodeId) -> Option<u64> {
        let mut key = 0u64;
        for &var in self.facts.free[node.0 as usize].iter() {
            let binding = self.env[var.0 as usize].as_ref().expect("a bound variable");
            key = key.checked_mul(self.radix[var.0 as usize])?.checked_add(binding.key)?;
        }
        Some(key)
    }

    pub(super) fn recall(&self, node: NodeId) -> Option<Value> {
        if self.facts.free[node.0 as usize].is_empty() {
            return self.closed[node.0 as usize].clone();
        }
        self.open.get(&(node.0, self.memo_key(node)?)).cloned()
    }

    pub(super) fn remember(&mut self, node: NodeId, value: Value) {
        if self.facts.free[node.0 as usize].is_empty() {
            self.closed[node.0 as usize] = Some(value);
        } else if let Some(key) = self.memo_key(node) {
            self.open.insert((node.0, key), value);
        }
    }

    pub(crate) fn bind(&mut self, var: VarId, binding: Binding) {
        self.env[var.0 as usize] = Some(binding);
        self.scope.push(var);
    }

    pub(crate) fn bind_matrix(&mut self, var: VarId, matrix: Rc<Matrix>, key: u64) {
        self.bind(var, Binding { matrix, key });
    }

    pub(crate) fn unbind(&mut self, var: VarId) {
        self.env[var.0 as usize] = None;
        self.scope.pop();
    }

    pub(crate) fn binding_key(&self, var: VarId) -> u64 {
        self.env[var.0 as usize].as_ref().expect("a bound variable").key
    }
}
