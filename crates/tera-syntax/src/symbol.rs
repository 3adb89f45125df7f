//! Interned names, so that the tree and every later pass compare and copy names as numbers.

use rustc_hash::FxHashMap;

/// An interned string; its number is its rank of first appearance, so it is deterministic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

/// The table behind [`Symbol`]. One per run, shared by all files.
#[derive(Clone, Default, Debug)]
pub struct Interner {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, Symbol>,
}

impl Interner {
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.ids.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), symbol);
        symbol
    }

    /// The symbol of `text` if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.ids.get(text).copied()
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }
}
