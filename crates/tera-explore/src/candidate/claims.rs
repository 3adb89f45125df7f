//! Who owns what, and who must: a link that owns its target has an object to itself, and one that is never
//! null needs such an object as soon as it exists. It has a *claim* then, and a choice that leaves fewer
//! objects without an owner than there are claims is not made: no structure comes of it.

use super::{Candidate, Kind, PoolState, SHIFT};
use crate::shape::Shape;

/// How many objects of which pools.
pub(super) type Claims = Box<[(u32, u32)]>;

impl PoolState {
    /// Are there objects for all claims and for so many more? `given` objects are given away meanwhile, and
    /// `met` claims are met.
    fn has_for(&self, more: usize, given: usize, met: usize) -> bool {
        self.owned.get() + given + self.claimed.get() + more <= self.words.len() + met
    }
}

impl Candidate {
    /// The claims of a fresh value of this shape.
    pub(super) fn claims_of(&self, shape: &Shape) -> Claims {
        fn add(candidate: &Candidate, shape: &Shape, claims: &mut Vec<(u32, u32)>) {
            match shape {
                Shape::Link { field, nullable: false, owned: true } if !candidate.sharing => {
                    let pool = candidate.links[*field] as u32;
                    match claims.iter_mut().find(|claim| claim.0 == pool) {
                        Some(claim) => claim.1 += 1,
                        None => claims.push((pool, 1)),
                    }
                }
                Shape::Product(parts) => parts.iter().for_each(|part| add(candidate, &part.shape, claims)),
                Shape::Link { .. } | Shape::Data { .. } | Shape::Sequence { .. } | Shape::Sum { .. } => {}
            }
        }
        let mut claims = Vec::new();
        add(self, shape, &mut claims);
        claims.into()
    }

    /// Would there be objects for the claims of so many values more?
    fn fits(&self, claims: &Claims, n: usize) -> bool {
        claims.iter().all(|(pool, each)| self.pools[*pool as usize].has_for(*each as usize * n, 0, 0))
    }

    /// Is the alternative possible for the kind, before any test?
    pub(super) fn admits(&self, kind: Kind, ordinal: usize) -> bool {
        match kind {
            Kind::Link { nullable, .. } if ordinal == 0 => nullable,
            Kind::Link { owned, pool: own, nullable, .. } => {
                let pool = &self.pools[own as usize];
                let (given, met) = (usize::from(owned), usize::from(owned && !nullable));
                let is_fresh = ordinal > pool.used.get();
                let free = !owned || {
                    let word = pool.words[ordinal - 1] as usize;
                    !self.has_owner[word >> SHIFT].get() && pool.has_for(0, given, met)
                };
                free && (!is_fresh
                    || pool.claims.iter().all(|(other, n)| {
                        let (given, met) = if *other == own { (given, met) } else { (0, 0) };
                        self.pools[*other as usize].has_for(*n as usize, given, met)
                    }))
            }
            Kind::Length { claims, .. } if claims != 0 => {
                self.fits(&self.claims[claims as usize], self.decode(kind, ordinal).max(0) as usize)
            }
            Kind::Variant { first, .. } => {
                let variant = self.decode(kind, ordinal) as usize;
                self.fits(&self.claims[self.variants[first as usize + variant].claims as usize], 1)
            }
            _ => true,
        }
    }

    /// The possible ones of at most 64 alternatives, as bits.
    #[inline]
    pub(super) fn admitted(&self, kind: Kind, n: usize) -> u64 {
        let all = if n == 64 { u64::MAX } else { (1 << n) - 1 };
        match kind {
            Kind::Data { .. } | Kind::Length { claims: 0, .. } => all,
            Kind::Link { owned: false, nullable, pool, .. }
                if self.pools[pool as usize].claims.is_empty() =>
            {
                if nullable {
                    all
                } else {
                    all & !1
                }
            }
            _ => (0..n)
                .filter(|ordinal| self.admits(kind, *ordinal))
                .fold(0, |bits, ordinal| bits | 1 << ordinal),
        }
    }

    /// Notes the claims that came into being, or are gone.
    pub(super) fn claim(&self, claims: &Claims, n: usize, came: bool) {
        for (pool, each) in claims {
            let claimed = &self.pools[*pool as usize].claimed;
            let change = *each as usize * n;
            claimed.set(if came { claimed.get() + change } else { claimed.get() - change });
        }
    }

    /// A link that owns takes its target, or gives it back.
    #[inline]
    pub(super) fn own(&self, pool: &PoolState, word: i64, nullable: bool, takes: bool) {
        self.has_owner[word as usize >> SHIFT].set(takes);
        let met = usize::from(!nullable);
        if takes {
            pool.owned.set(pool.owned.get() + 1);
            pool.claimed.set(pool.claimed.get() - met);
        } else {
            pool.owned.set(pool.owned.get() - 1);
            pool.claimed.set(pool.claimed.get() + met);
        }
    }
}
