//! Scopes: how many atoms each signature has, by the Analyzer's rules.
//!
//! A scope bounds top-level signatures. What is not given is derived: a `one` signature has one
//! atom; an abstract signature whose children all have scopes has their sum (and the last child
//! without one has the rest); any other top-level signature has the overall scope; a child that is
//! still open has that of its parent.

use tera_syntax::ast::{self, ScopeBound, ScopeTarget};
use tera_syntax::{Diagnostic, Span};

use crate::types::*;
use crate::world::*;

/// The numbers that become bounds.
#[derive(Clone, Debug)]
pub(crate) struct Scopes {
    /// By signature; `None` for subset and builtin ones.
    pub size: Vec<Option<u64>>,
    pub exact: Vec<bool>,
    /// The integer atoms, `low..=high`; none when `low > high`.
    pub ints: (i64, i64),
    pub bit_width: u32,
    pub max_seq: u64,
    /// How many String atoms at least.
    pub strings: Option<u64>,
}

/// What the scope of a command says beside the sizes of signatures.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct ScopeDefaults {
    /// Int is `0..=n` for an overall scope `n`, unless said otherwise.
    pub korat_ints: bool,
    /// How many increments scopes that grow (`1..5 A`) have had.
    pub growth: u64,
}

const MAX_BIT_WIDTH: i64 = 30;

/// As the Analyzer: numbers of atoms are 32-bit.
const MAX_SIZE: i64 = i32::MAX as i64;

pub(crate) fn compute(
    world: &World,
    scope: &ast::Scope,
    place: Span,
    defaults: ScopeDefaults,
) -> Result<Scopes, Vec<Diagnostic>> {
    let place = scope.span.unwrap_or(place);
    let n = world.sigs.len();
    let mut deriving = Deriving {
        world,
        growth: defaults.growth,
        place,
        scopes: Scopes {
            size: vec![None; n],
            exact: vec![false; n],
            ints: (0, -1),
            bit_width: 4,
            max_seq: 4,
            strings: None,
        },
        errors: Vec::new(),
    };
    deriving.run(scope, defaults);
    if deriving.errors.is_empty() { Ok(deriving.scopes) } else { Err(deriving.errors) }
}

struct Deriving<'a> {
    world: &'a World,
    growth: u64,
    place: Span,
    scopes: Scopes,
    errors: Vec<Diagnostic>,
}

impl Deriving<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(span, message));
    }

    fn size(&self, sig: SigIx) -> Option<u64> {
        self.scopes.size[sig.0 as usize]
    }

    /// The signatures in the order of modules and declarations.
    fn sigs(&self) -> Vec<SigIx> {
        self.world.sigs_in_order()
    }

    fn set(&mut self, span: Span, sig: SigIx, size: u64) {
        let label = &self.world.sig(sig).label;
        if self.world.sig(sig).is_subset() {
            let message =
                format!("`{label}` is a subset signature: it has no atoms of its own and takes no scope");
            return self.error(span, message);
        }
        match self.size(sig) {
            Some(old) if old != size => {
                let message = format!("`{label}` has the scope {old} already, so it cannot have {size}");
                self.error(span, message);
            }
            _ => self.scopes.size[sig.0 as usize] = Some(size),
        }
    }

    fn run(&mut self, scope: &ast::Scope, defaults: ScopeDefaults) {
        if let Some(overall) = scope.overall
            && !(0..=MAX_SIZE).contains(&overall)
        {
            return self.error(self.place, format!("a scope of {overall} is out of range"));
        }
        let mut bits: Option<(i64, Span)> = None;
        let mut range: Option<(i64, i64)> = None;
        let mut seq: Option<(i64, Span)> = None;
        for entry in &scope.entries {
            self.entry(entry, &mut bits, &mut range, &mut seq);
        }
        if !self.errors.is_empty() {
            return;
        }
        for sig in self.sigs() {
            let s = self.world.sig(sig);
            if s.is_subset() || s.is_var {
                continue;
            }
            if s.is_one {
                self.scopes.exact[sig.0 as usize] = true;
                self.set(self.place, sig, 1);
            } else if s.is_lone && self.size(sig) != Some(0) {
                self.set(self.place, sig, 1);
            }
        }
        if self.errors.is_empty() {
            self.derive(scope);
        }
        self.integers(scope, defaults, bits, range, seq);
        if !self.errors.is_empty() {
            return;
        }
        for sig in self.sigs() {
            if self.world.sig(sig).is_top() {
                self.raise(sig);
            }
        }
    }

    fn entry(
        &mut self,
        entry: &ast::ScopeEntry,
        bits: &mut Option<(i64, Span)>,
        range: &mut Option<(i64, i64)>,
        seq: &mut Option<(i64, Span)>,
    ) {
        let number = match entry.high {
            ScopeBound::Number(n) => n,
            ScopeBound::Open => entry.low.unwrap_or(0),
        };
        let growing = entry.increment.is_some() || entry.high == ScopeBound::Open;
        match entry.target {
            ScopeTarget::Univ => self.error(entry.span, "`univ` takes no scope"),
            ScopeTarget::Steps => self.error(
                entry.span,
                "`steps` bounds traces, but nothing here changes (and temporal commands are not supported yet)",
            ),
            ScopeTarget::Int => {
                if growing || entry.exactly {
                    return self.error(entry.span, "the scope of Int is a number of bits, or a range as in `-2..5 Int`");
                }
                if bits.is_some() || range.is_some() {
                    return self.error(entry.span, "Int has two scopes");
                }
                match entry.low {
                    Some(low) => *range = Some((low, number)),
                    None => *bits = Some((number, entry.span)),
                }
            }
            ScopeTarget::Seq => {
                if growing || entry.exactly || entry.low.is_some_and(|low| low != number) {
                    return self.error(entry.span, "the scope of seq is the length of the longest sequence, one number");
                }
                if seq.is_some() {
                    return self.error(entry.span, "seq has two scopes");
                }
                *seq = Some((number, entry.span));
            }
            ScopeTarget::String => {
                if !entry.exactly {
                    return self.error(entry.span, "the scope of String must be exact");
                }
                if self.scopes.strings.is_some() {
                    return self.error(entry.span, "String has two scopes");
                }
                self.scopes.strings = Some(number.clamp(0, MAX_SIZE) as u64);
            }
            ScopeTarget::Sig(name) => {
                let Ok(Some(sig)) = self.world.lookup_sig(0, name.symbol) else {
                    let text = self.world.text(name.symbol);
                    let message = format!("there is no signature called `{text}`");
                    let help = self.world.suggest(0, text, &[], true);
                    let error = Diagnostic::error(name.span, message);
                    self.errors.push(match help {
                        Some(help) => error.help(help),
                        None => error,
                    });
                    return;
                };
                self.sig_entry(entry, sig, number);
            }
        }
    }

    fn sig_entry(&mut self, entry: &ast::ScopeEntry, sig: SigIx, number: i64) {
        let s = self.world.sig(sig);
        let label = s.label.clone();
        if s.is_builtin {
            return self.error(entry.span, format!("the builtin signature `{label}` takes no scope"));
        }
        if s.is_enum {
            return self
                .error(entry.span, format!("the enum `{label}` has its constants and takes no scope"));
        }
        let start = entry.size_after(self.growth);
        if !(0..=MAX_SIZE).contains(&start) {
            return self.error(entry.span, format!("a scope of {start} is out of range"));
        }
        let wrong = if s.is_one && !s.is_var && start != 1 {
            Some("`one`, so its scope is 1")
        } else if s.is_lone && !s.is_var && start > 1 {
            Some("`lone`, so its scope is 0 or 1")
        } else if s.is_some && start < 1 {
            Some("`some`, so its scope is at least 1")
        } else {
            None
        };
        if let Some(why) = wrong {
            let span = s.span;
            self.errors.push(
                Diagnostic::error(entry.span, format!("the signature `{label}` is {why}, not {start}"))
                    .related(span, "declared here"),
            );
            return;
        }
        self.set(entry.span, sig, start as u64);
        if entry.exactly || (entry.low.is_some() && entry.low == Some(number)) {
            self.scopes.exact[sig.0 as usize] = true;
        }
    }

    /// Applies the three rules, the first that changes something first, until none does.
    fn derive(&mut self, scope: &ast::Scope) {
        let overall = match scope.overall {
            None if scope.entries.is_empty() => Some(3),
            other => other.map(|n| n as u64),
        };
        let mut missing: Vec<SigIx> = Vec::new();
        loop {
            if self.derive_abstract() {
                continue;
            }
            if self.derive_overall(overall, &mut missing) {
                continue;
            }
            if self.derive_from_parent() {
                continue;
            }
            break;
        }
        for sig in missing {
            let s = self.world.sig(sig);
            let (label, span) = (s.label.clone(), s.span);
            self.errors.push(
                Diagnostic::error(
                    self.place,
                    format!("the command gives no scope for the signature `{label}`"),
                )
                .related(span, "declared here")
                .help(format!("name one, as in `3 {label}`, or an overall scope, as in `for 3 but …`")),
            );
        }
    }

    fn derive_abstract(&mut self) -> bool {
        let mut changed = false;
        for sig in self.sigs() {
            let s = self.world.sig(sig);
            if s.is_subset() || !s.is_abstract || s.children.is_empty() {
                continue;
            }
            let open: Vec<SigIx> = s.children.iter().copied().filter(|&c| self.size(c).is_none()).collect();
            let sum: u64 = s.children.iter().filter_map(|&c| self.size(c)).sum();
            match (self.size(sig), open.as_slice()) {
                (None, []) => self.set(self.place, sig, sum),
                (Some(size), [only]) => self.set(self.place, *only, size.saturating_sub(sum)),
                _ => continue,
            }
            changed = true;
        }
        changed
    }

    fn derive_overall(&mut self, overall: Option<u64>, missing: &mut Vec<SigIx>) -> bool {
        let mut changed = false;
        for sig in self.sigs() {
            let s = self.world.sig(sig);
            if !s.is_top() || self.size(sig).is_some() {
                continue;
            }
            let size = match overall {
                _ if s.is_enum => 0,
                Some(overall) => overall,
                None => {
                    missing.push(sig);
                    0
                }
            };
            self.set(self.place, sig, size);
            changed = true;
        }
        changed
    }

    fn derive_from_parent(&mut self) -> bool {
        let mut changed = false;
        for sig in self.sigs() {
            let s = self.world.sig(sig);
            if s.is_top() || s.is_subset() || self.size(sig).is_some() {
                continue;
            }
            if let Some(size) = s.parent().and_then(|p| self.size(p)) {
                self.set(self.place, sig, size);
                changed = true;
            }
        }
        changed
    }

    fn integers(
        &mut self,
        scope: &ast::Scope,
        defaults: ScopeDefaults,
        bits: Option<(i64, Span)>,
        range: Option<(i64, i64)>,
        seq: Option<(i64, Span)>,
    ) {
        let korat = defaults.korat_ints && bits.is_none() && range.is_none();
        let range = if korat { scope.overall.map(|n| (0, n)).or(range) } else { range };
        match range {
            Some((low, high)) => {
                if high.checked_sub(low).is_none_or(|n| n >= 1 << MAX_BIT_WIDTH) {
                    return self.error(self.place, format!("the range {low}..{high} has too many integers"));
                }
                self.scopes.ints = (low, high);
                let magnitude = |v: i64| 65 - if v < 0 { (!v).leading_zeros() } else { v.leading_zeros() };
                let needed = magnitude(low).max(magnitude(high)).max(1);
                self.scopes.bit_width = needed;
            }
            None => {
                let (width, span) = bits.unwrap_or((4, self.place));
                if !(0..=MAX_BIT_WIDTH).contains(&width) {
                    let message = format!("Int has from 0 to {MAX_BIT_WIDTH} bits, not {width}");
                    return self.error(span, message);
                }
                self.scopes.bit_width = width as u32;
                self.scopes.ints =
                    if width == 0 { (0, -1) } else { (-(1 << (width - 1)), (1 << (width - 1)) - 1) };
            }
        }
        let (_, high) = self.scopes.ints;
        let longest = if range.is_some() { high.saturating_add(1).max(0) } else { high.max(0) };
        self.scopes.max_seq = match seq {
            Some((length, span)) if length > longest => {
                let message =
                    format!("a sequence of {length} has indices beyond the greatest integer, {high}");
                self.errors.push(Diagnostic::error(span, message).help(format!(
                    "at most {longest} fit; widen Int, as in `{} Int`",
                    self.scopes.bit_width + 1
                )));
                0
            }
            Some((length, _)) => length.max(0) as u64,
            None => scope.overall.unwrap_or(4).min(longest).max(0) as u64,
        };
    }

    /// Raises a scope to the number of atoms that must exist below it; gives that number.
    fn raise(&mut self, sig: SigIx) -> u64 {
        let at = sig.0 as usize;
        let lower: u64 = self.world.sig(sig).children.clone().into_iter().map(|c| self.raise(c)).sum();
        let size = self.scopes.size[at].unwrap_or(0).max(lower);
        self.scopes.size[at] = Some(size);
        if self.world.exact_sigs.contains(&sig) {
            self.scopes.exact[at] = true;
        }
        if self.scopes.exact[at] { size } else { lower }
    }
}

impl World {
    /// All signatures but the builtin ones, modules in order, each in the order of declaration.
    pub fn sigs_in_order(&self) -> Vec<SigIx> {
        self.order.iter().flat_map(|&m| self.modules[m].sigs.list.iter().map(|&(_, sig)| sig)).collect()
    }
}
