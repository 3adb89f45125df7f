//! Types: unions of products of primitive signatures, as the Analyzer computes them.
//!
//! A type over-approximates the tuples an expression can have. Subset signatures do not occur in
//! types; they are expanded to the primitive signatures that bound them. Types are interned, so a
//! [`TypeId`] is a number and equal types with equal order of entries are one.
//!
//! Invariant: no entry of a type is subsumed by another of its entries, and an entry that contains
//! `none` in one column contains it in all.

use rustc_hash::FxHashMap;

/// Index of a signature in [`crate::world::World::sigs`]. The builtin ones come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SigIx(pub u32);

pub(crate) const UNIV: SigIx = SigIx(0);
pub(crate) const INT: SigIx = SigIx(1);
pub(crate) const SEQ_INT: SigIx = SigIx(2);
pub(crate) const STRING: SigIx = SigIx(3);
pub(crate) const NONE: SigIx = SigIx(4);
pub(crate) const N_BUILTIN: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct TypeId(u32);

impl TypeId {
    /// No value at all: the type of what cannot be typed.
    pub const EMPTY: TypeId = TypeId(0);
    pub const FORMULA: TypeId = TypeId(1);
    /// A number (as opposed to a set of integer atoms).
    pub const NUMBER: TypeId = TypeId(2);
}

type Product = Box<[SigIx]>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Type {
    is_bool: bool,
    /// A number, not merely a set of integers.
    is_number: bool,
    entries: Vec<Product>,
}

/// A type with more entries than this is widened to the product of `univ`: what is lost is only
/// precision, what is gained is an end in bounded time.
const MAX_SETS: usize = 1024;
const MAX_PRODUCTS: usize = 128;

/// The interned types and the hierarchy of primitive signatures they are made of.
#[derive(Clone, Debug)]
pub(crate) struct TypeTable {
    types: Vec<Type>,
    /// Bit `n` is set when there is an entry of arity `n` (63 stands for all above).
    arities: Vec<u64>,
    ids: FxHashMap<Type, TypeId>,
    /// The parent of each primitive signature; itself for `univ`, `none` and unresolved ones.
    parent: Vec<SigIx>,
}

fn bit(arity: usize) -> u64 {
    1 << arity.min(63)
}

impl TypeTable {
    pub fn new() -> TypeTable {
        let mut table = TypeTable {
            types: Vec::new(),
            arities: Vec::new(),
            ids: FxHashMap::default(),
            parent: vec![UNIV, UNIV, INT, UNIV, NONE],
        };
        table.intern(Type { is_bool: false, is_number: false, entries: vec![] });
        table.intern(Type { is_bool: true, is_number: false, entries: vec![] });
        table.intern(Type { is_bool: false, is_number: true, entries: vec![Box::new([INT])] });
        table
    }

    pub fn set_parent(&mut self, sig: SigIx, parent: SigIx) {
        while self.parent.len() <= sig.0 as usize {
            self.parent.push(UNIV);
        }
        self.parent[sig.0 as usize] = parent;
    }

    fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.arities.push(ty.entries.iter().fold(0, |mask, e| mask | bit(e.len())));
        self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    fn make(&mut self, is_bool: bool, entries: Vec<Product>) -> TypeId {
        self.intern(Type { is_bool, is_number: false, entries })
    }

    fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// The products of the type.
    pub fn entries(&self, id: TypeId) -> &[Product] {
        &self.get(id).entries
    }

    fn mask(&self, id: TypeId) -> u64 {
        self.arities[id.0 as usize]
    }

    // Signatures.

    /// Is `a` equal to or below `b`?
    pub fn sig_within(&self, a: SigIx, b: SigIx) -> bool {
        if a == NONE || a == b || b == UNIV {
            return true;
        }
        if a == UNIV || b == NONE {
            return false;
        }
        let mut me = a;
        loop {
            let up = self.parent[me.0 as usize];
            if up == me || up == UNIV {
                return false;
            }
            if up == b {
                return true;
            }
            me = up;
        }
    }

    pub fn sig_intersect(&self, a: SigIx, b: SigIx) -> SigIx {
        if self.sig_within(a, b) {
            a
        } else if self.sig_within(b, a) {
            b
        } else {
            NONE
        }
    }

    pub fn sigs_intersect(&self, a: SigIx, b: SigIx) -> bool {
        self.sig_intersect(a, b) != NONE
    }

    // Products.

    fn product_within(&self, a: &[SigIx], b: &[SigIx]) -> bool {
        a.iter().zip(b).all(|(&x, &y)| self.sig_within(x, y))
    }

    fn product_intersect(&self, a: &[SigIx], b: &[SigIx]) -> Product {
        let columns: Product = a.iter().zip(b).map(|(&x, &y)| self.sig_intersect(x, y)).collect();
        if columns.contains(&NONE) { vec![NONE; a.len()].into() } else { columns }
    }

    fn join_products(&self, a: &[SigIx], b: &[SigIx]) -> Product {
        let n = a.len() + b.len() - 2;
        if !self.sigs_intersect(a[a.len() - 1], b[0]) {
            return vec![NONE; n].into();
        }
        a[..a.len() - 1].iter().chain(&b[1..]).copied().collect()
    }

    fn restrict_column(&self, a: &[SigIx], sig: SigIx, column: usize) -> Product {
        if a[0] == NONE {
            return a.into();
        }
        let met = self.sig_intersect(a[column], sig);
        if met == NONE {
            return vec![NONE; a.len()].into();
        }
        let mut result: Product = a.into();
        result[column] = met;
        result
    }

    /// Adds an entry unless it is subsumed; removes those it subsumes.
    fn insert(&self, entries: &mut Vec<Product>, new: Product) {
        if new.is_empty() {
            return;
        }
        let most = if new.len() == 1 { MAX_SETS } else { MAX_PRODUCTS };
        let mut i = 0;
        while i < entries.len() {
            if entries[i].len() == new.len() {
                if self.product_within(&new, &entries[i]) {
                    return;
                }
                if self.product_within(&entries[i], &new) {
                    entries.remove(i);
                    continue;
                }
            }
            i += 1;
        }
        entries.push(new);
        if entries.len() > most {
            let mut lengths: Vec<usize> = entries.iter().map(|e| e.len()).collect();
            lengths.sort_unstable();
            lengths.dedup();
            *entries = lengths.into_iter().map(|n| vec![UNIV; n].into()).collect();
        }
    }

    // Types.

    pub fn of_sig(&mut self, sig: SigIx) -> TypeId {
        self.make(false, vec![Box::new([sig])])
    }

    pub fn of_product(&mut self, sigs: &[SigIx]) -> TypeId {
        let sigs: Product = if sigs.contains(&NONE) { vec![NONE; sigs.len()].into() } else { sigs.into() };
        self.make(false, if sigs.is_empty() { vec![] } else { vec![sigs] })
    }

    pub fn is_formula(&self, id: TypeId) -> bool {
        self.get(id).is_bool
    }

    /// Does it hold integer atoms? (`seq/Int` counts: its atoms are integers.)
    pub fn is_int(&self, id: TypeId) -> bool {
        self.entries(id).iter().any(|e| e.len() == 1 && e[0] != NONE && self.sig_within(e[0], INT))
    }

    pub fn is_number(&self, id: TypeId) -> bool {
        self.get(id).is_number
    }

    pub fn n_entries(&self, id: TypeId) -> usize {
        self.entries(id).len()
    }

    pub fn has_tuple(&self, id: TypeId) -> bool {
        self.entries(id).iter().any(|e| e[0] != NONE)
    }

    pub fn has_no_tuple(&self, id: TypeId) -> bool {
        !self.has_tuple(id)
    }

    pub fn has_arity(&self, id: TypeId, arity: usize) -> bool {
        arity > 0 && self.mask(id) & bit(arity) != 0
    }

    /// The one arity of all entries; 0 when there are none, `None` when they differ.
    pub fn arity(&self, id: TypeId) -> Option<usize> {
        let entries = self.entries(id);
        let Some(first) = entries.first() else { return Some(0) };
        entries.iter().all(|e| e.len() == first.len()).then_some(first.len())
    }

    pub fn has_common_arity(&self, a: TypeId, b: TypeId) -> bool {
        self.mask(a) & self.mask(b) != 0
    }

    pub fn first_column_overlaps(&self, a: TypeId, b: TypeId) -> bool {
        let b = self.entries(b);
        self.entries(a).iter().any(|x| b.iter().any(|y| self.sigs_intersect(x[0], y[0])))
    }

    pub fn can_override(&self, a: TypeId, b: TypeId) -> bool {
        let b = self.entries(b);
        self.entries(a)
            .iter()
            .any(|x| b.iter().any(|y| x.len() == y.len() && self.sigs_intersect(x[0], y[0])))
    }

    pub fn intersects(&self, a: TypeId, b: TypeId) -> bool {
        if self.mask(a) & self.mask(b) == 0 {
            return false;
        }
        let b = self.entries(b);
        self.entries(a).iter().any(|x| {
            b.iter().any(|y| x.len() == y.len() && x.iter().zip(y).all(|(&p, &q)| self.sigs_intersect(p, q)))
        })
    }

    pub fn is_within(&self, a: TypeId, b: TypeId) -> bool {
        if self.is_formula(a) && !self.is_formula(b) {
            return false;
        }
        let b = self.entries(b);
        self.entries(a).iter().all(|x| b.iter().any(|y| x.len() == y.len() && self.product_within(x, y)))
    }

    /// Collects products into a type that is neither formula nor number.
    fn collect(&mut self, products: impl IntoIterator<Item = Product>) -> TypeId {
        let mut entries = Vec::new();
        for product in products {
            self.insert(&mut entries, product);
        }
        self.make(false, entries)
    }

    fn pairs(
        &mut self,
        a: TypeId,
        b: TypeId,
        f: impl Fn(&TypeTable, &Product, &Product) -> Option<Product>,
    ) -> TypeId {
        let mut entries = Vec::new();
        for x in self.entries(a) {
            for y in self.entries(b) {
                if let Some(product) = f(self, x, y) {
                    self.insert(&mut entries, product);
                }
            }
        }
        self.make(false, entries)
    }

    pub fn product(&mut self, a: TypeId, b: TypeId) -> TypeId {
        self.pairs(a, b, |_, x, y| {
            let dead = x[0] == NONE || y[0] == NONE;
            let columns = x.iter().chain(y.iter()).copied();
            Some(if dead { columns.map(|_| NONE).collect() } else { columns.collect() })
        })
    }

    pub fn intersect(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b && !self.get(a).is_bool {
            return self.relational(a);
        }
        let mut entries = Vec::new();
        let mut dead = Vec::new();
        for x in self.entries(a) {
            for y in self.entries(b) {
                if x.len() != y.len() {
                    continue;
                }
                if x.iter().zip(y).all(|(&p, &q)| self.sigs_intersect(p, q)) {
                    self.insert(&mut entries, self.product_intersect(x, y));
                } else if !dead.contains(&x.len()) {
                    dead.push(x.len());
                }
            }
        }
        self.with_dead(entries, dead)
    }

    pub fn join(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let mut entries = Vec::new();
        let mut dead = Vec::new();
        for x in self.entries(a) {
            for y in self.entries(b) {
                let n = x.len() + y.len() - 2;
                if n > 0 && self.sigs_intersect(x[x.len() - 1], y[0]) {
                    self.insert(&mut entries, self.join_products(x, y));
                } else if n > 0 && !dead.contains(&n) {
                    dead.push(n);
                }
            }
        }
        self.with_dead(entries, dead)
    }

    /// Entries, and the empty relation for those arities where there is nothing else.
    fn with_dead(&mut self, mut entries: Vec<Product>, dead: Vec<usize>) -> TypeId {
        for n in dead {
            self.insert(&mut entries, vec![NONE; n].into());
        }
        self.make(false, entries)
    }

    /// `s <: r` for the type `r` restricted by the unary entries of `s`.
    pub fn domain_restrict(&mut self, r: TypeId, s: TypeId) -> TypeId {
        self.pairs(r, s, |t, x, y| (y.len() == 1).then(|| t.restrict_column(x, y[0], 0)))
    }

    pub fn range_restrict(&mut self, r: TypeId, s: TypeId) -> TypeId {
        self.pairs(r, s, |t, x, y| (y.len() == 1).then(|| t.restrict_column(x, y[0], x.len() - 1)))
    }

    /// Both together, whatever the arities; a formula if one of them is.
    pub fn merge(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let is_bool = self.is_formula(a) || self.is_formula(b);
        if self.is_formula(a) == self.is_formula(b) {
            if self.n_entries(a) == 0 {
                return b;
            }
            if self.n_entries(b) == 0 {
                return a;
            }
        }
        let mut entries = self.entries(a).to_vec();
        for y in self.entries(b) {
            self.insert(&mut entries, y.clone());
        }
        self.make(is_bool, entries)
    }

    /// The entries of both whose arity occurs in the other too.
    pub fn union_common(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let (mask_a, mask_b) = (self.mask(a), self.mask(b));
        if mask_a & mask_b == 0 {
            return TypeId::EMPTY;
        }
        let mut entries: Vec<Product> =
            self.entries(a).iter().filter(|x| mask_b & bit(x.len()) != 0).cloned().collect();
        for y in self.entries(b) {
            if mask_a & bit(y.len()) != 0 {
                self.insert(&mut entries, y.clone());
            }
        }
        self.make(false, entries)
    }

    /// The entries of `a` whose arity occurs in `b`.
    pub fn pick_common(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let mask = self.mask(b);
        let entries = self.entries(a).iter().filter(|x| mask & bit(x.len()) != 0).cloned().collect();
        self.make(false, entries)
    }

    pub fn extract(&mut self, a: TypeId, arity: usize) -> TypeId {
        let entries = self.entries(a).iter().filter(|x| x.len() == arity).cloned().collect();
        self.make(false, entries)
    }

    pub fn transpose(&mut self, a: TypeId) -> TypeId {
        let flipped: Vec<Product> =
            self.entries(a).iter().filter(|x| x.len() == 2).map(|x| [x[1], x[0]].into()).collect();
        self.collect(flipped)
    }

    pub fn closure(&mut self, a: TypeId) -> TypeId {
        let step = self.extract(a, 2);
        let (mut result, mut path) = (step, step);
        loop {
            path = self.join(path, step);
            let next = self.union_common(result, path);
            if next == result {
                return result;
            }
            result = next;
        }
    }

    /// The relevant part of the operand of a closure whose relevant result is `parent`: the steps
    /// that lie on a path from the first to the second column of an entry of `parent`.
    ///
    /// The Analyzer lets such a path also run through the ends themselves, so that a `univ` there
    /// connects everything (`all n: l.header.*next` would be ambiguous beside the `next` of the
    /// integers); here it runs through the steps alone.
    pub fn closure_operand(&mut self, parent: TypeId, child: TypeId) -> TypeId {
        let pairs = |table: &TypeTable, ty| -> Vec<(SigIx, SigIx)> {
            table.entries(ty).iter().filter(|e| e.len() == 2).map(|e| (e[0], e[1])).collect()
        };
        let (steps, ends) = (pairs(self, child), pairs(self, parent));
        let n = steps.len();
        // Whether the second step may come somewhere behind the first.
        let mut follows = vec![false; n * n];
        for (i, a) in steps.iter().enumerate() {
            for (j, b) in steps.iter().enumerate() {
                follows[i * n + j] = i == j || self.sigs_intersect(a.1, b.0);
            }
        }
        for k in 0..n {
            for i in 0..n {
                if follows[i * n + k] {
                    for j in 0..n {
                        follows[i * n + j] |= follows[k * n + j];
                    }
                }
            }
        }
        let relevant: Vec<Product> = (0..n)
            .filter(|&i| {
                ends.iter().any(|&(from, to)| {
                    let starts = |j: usize| self.sigs_intersect(from, steps[j].0) && follows[j * n + i];
                    let stops = |j: usize| self.sigs_intersect(steps[j].1, to) && follows[i * n + j];
                    (0..n).any(starts) && (0..n).any(stops)
                })
            })
            .map(|i| [steps[i].0, steps[i].1].into())
            .collect();
        self.collect(relevant)
    }

    pub fn as_formula(&mut self, a: TypeId) -> TypeId {
        let entries = self.entries(a).to_vec();
        self.make(true, entries)
    }

    /// The relational part of a type.
    pub fn relational(&mut self, a: TypeId) -> TypeId {
        if !self.get(a).is_bool && !self.get(a).is_number {
            return a;
        }
        let entries = self.entries(a).to_vec();
        self.make(false, entries)
    }

    /// The relevant types of the operands of a join whose relevant result is `parent`.
    pub fn join_operands(&mut self, left: TypeId, right: TypeId, parent: TypeId) -> (TypeId, TypeId) {
        let mut operands = (Vec::new(), Vec::new());
        let fits = |x: &Product, y: &Product| x.len() + y.len() > 2;
        for x in self.entries(left) {
            for y in self.entries(right) {
                if !fits(x, y) || !self.has_arity(parent, x.len() + y.len() - 2) {
                    continue;
                }
                let middle = self.sig_intersect(x[x.len() - 1], y[0]);
                if middle == NONE {
                    continue;
                }
                let joined = self.join_products(x, y);
                for p in self.entries(parent) {
                    if p.len() != joined.len() {
                        continue;
                    }
                    let met = self.product_intersect(p, &joined);
                    if met[0] == NONE {
                        continue;
                    }
                    let cut = x.len() - 1;
                    let a: Product = met[..cut].iter().copied().chain([middle]).collect();
                    let b: Product = [middle].into_iter().chain(met[cut..].iter().copied()).collect();
                    self.insert(&mut operands.0, a);
                    self.insert(&mut operands.1, b);
                }
            }
        }
        // Nothing contributes: a warning says so elsewhere, here we go on as well as we can, first
        // with all that meets, then with all that has the right arity.
        for meeting in [true, false] {
            if !operands.0.is_empty() && !operands.1.is_empty() {
                break;
            }
            operands = (Vec::new(), Vec::new());
            for x in self.entries(left) {
                for y in self.entries(right) {
                    if fits(x, y)
                        && self.has_arity(parent, x.len() + y.len() - 2)
                        && (!meeting || self.sigs_intersect(x[x.len() - 1], y[0]))
                    {
                        self.insert(&mut operands.0, x.clone());
                        self.insert(&mut operands.1, y.clone());
                    }
                }
            }
        }
        (self.make(false, operands.0), self.make(false, operands.1))
    }

    /// The relevant types of `a` and `b` for `a <: b` (or `b :> a`, with `last`) whose relevant
    /// result is `parent`.
    pub fn restrict_operands(
        &mut self,
        set: TypeId,
        relation: TypeId,
        parent: TypeId,
        last: bool,
    ) -> (TypeId, TypeId) {
        let mut operands = (Vec::new(), Vec::new());
        for s in self.entries(set).iter().filter(|s| s.len() == 1) {
            for r in self.entries(relation) {
                let column = if last { r.len() - 1 } else { 0 };
                let restricted = self.restrict_column(r, s[0], column);
                for p in self.entries(parent).iter().filter(|p| p.len() == r.len()) {
                    let met = self.product_intersect(p, &restricted);
                    if met[0] != NONE {
                        self.insert(&mut operands.0, [met[column]].into());
                        self.insert(&mut operands.1, met);
                    }
                }
            }
        }
        if operands.0.is_empty() || operands.1.is_empty() {
            return (self.extract(set, 1), self.pick_common(relation, parent));
        }
        (self.make(false, operands.0), self.make(false, operands.1))
    }

    /// The relevant types of the operands of a product whose relevant result is `parent`.
    pub fn product_operands(&mut self, left: TypeId, right: TypeId, parent: TypeId) -> (TypeId, TypeId) {
        let mut operands = (Vec::new(), Vec::new());
        for x in self.entries(left).iter().filter(|x| x[0] != NONE) {
            for y in self.entries(right).iter().filter(|y| y[0] != NONE) {
                let whole: Product = x.iter().chain(y.iter()).copied().collect();
                for p in self.entries(parent).iter().filter(|p| p.len() == whole.len()) {
                    let met = self.product_intersect(p, &whole);
                    if met[0] != NONE {
                        self.insert(&mut operands.0, met[..x.len()].into());
                        self.insert(&mut operands.1, met[x.len()..].into());
                    }
                }
            }
        }
        if operands.0.is_empty() || operands.1.is_empty() {
            return (left, right);
        }
        (self.make(false, operands.0), self.make(false, operands.1))
    }
}
