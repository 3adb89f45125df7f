//! The judge of one call: both states in one instance, the postcondition conjunct by conjunct.
//!
//! The universe of the postcondition is as wide as that of the inputs until a subject makes new
//! objects or new numbers. Room for objects stays (atoms that are in no signature change no
//! verdict); an integer outside the scope is given an atom only for the input that needs it, so
//! that a verdict never depends on the inputs before.

use tera_heap::{Made, Meaning, Needs, States, TypeGraph};
use tera_model::contract::{Post, Widen};
use tera_rel::{Evaluator, Instance, RelId, SigKind};
use tera_syntax::Span;

use crate::outcome::Failure;
use crate::prepare::{Mistake, Prepared};

/// The postcondition in one universe.
pub struct Oracle {
    pub widen: Widen,
    pub post: Post,
    pub states: States,
    evaluator: Evaluator,
    /// Both states.
    pub state: Instance,
    /// The words of the input that is in `state`.
    entered: Option<Vec<u64>>,
    /// Whether `state` is that input and what its call left.
    is_entered: bool,
    /// By cell of an input its place in `state`, where the call does not write.
    kept: Vec<Option<(RelId, usize)>>,
    /// What may differ from the state that was judged last; `None` if there is none.
    changed: Option<Vec<RelId>>,
}

/// New objects of a signature that there is room for once an input has needed one.
const ROOM: usize = 2;
/// Integers that an input may add.
const MOST_INTS: i128 = 4096;
/// Objects that an input may add.
const MOST_OBJECTS: usize = 4096;

impl Oracle {
    pub fn new(prepared: &Prepared, widen: Widen) -> Result<Oracle, Mistake> {
        let post =
            prepared.spec.lower_postcondition(&prepared.params, &prepared.text, &prepared.options, &widen)?;
        let states = States::new(
            &prepared.graph,
            Meaning { problem: &prepared.lowered.problem, schema: &prepared.lowered.schema },
            Meaning { problem: &post.problem, schema: &post.before },
            &post.after,
        )
        .map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(|error| format!("error: {error}")).collect();
            Mistake(lines.join("\n"))
        })?;
        let evaluator = Evaluator::new(&post.problem);
        let cells = prepared.layout.cells.iter();
        let kept = cells.map(|&(rel, tuple)| states.kept(rel, tuple as usize)).collect();
        let state = Instance { values: Vec::new() };
        Ok(Oracle {
            widen,
            post,
            states,
            evaluator,
            state,
            entered: None,
            is_entered: false,
            kept,
            changed: None,
        })
    }

    /// Makes `input`, whose words are `words`, the pre-state. Of what the call does not write, only
    /// what differs from the input before is touched.
    pub fn enter(&mut self, input: &Instance, words: &[u64]) {
        self.is_entered = true;
        let Some(entered) = &mut self.entered else {
            self.states.enter(input, &mut self.state);
            self.entered = Some(words.to_vec());
            return;
        };
        self.states.enter_again(input, &mut self.state);
        for (w, (&word, entered)) in words.iter().zip(entered).enumerate() {
            let mut differ = word ^ std::mem::replace(entered, word);
            while differ != 0 {
                let bit = differ.trailing_zeros() as usize;
                differ &= differ - 1;
                let Some((rel, tuple)) = self.kept[w * 64 + bit] else { continue };
                let value = &mut self.state.values[rel.0 as usize];
                match word >> bit & 1 {
                    1 => value.insert_index(tuple),
                    _ => value.remove_index(tuple),
                }
                if let Some(changed) = &mut self.changed
                    && changed.last() != Some(&rel)
                {
                    changed.push(rel);
                }
            }
        }
    }

    /// The numbers of the conjuncts that the present state violates.
    #[inline]
    pub fn violated(&mut self) -> Result<Vec<usize>, String> {
        let is_entered = std::mem::take(&mut self.is_entered);
        match &mut self.changed {
            Some(changed) if is_entered => {
                self.evaluator.load_changed(&self.state, changed);
                changed.truncate(self.states.written().len());
            }
            _ => {
                self.evaluator.load(&self.state);
                self.changed = Some(self.states.written().to_vec());
                // A state of other origin is no start for the next input.
                self.entered = self.entered.take().filter(|_| is_entered);
            }
        }
        let violated = self.evaluator.violations();
        violated.map_err(|error| format!("the postcondition cannot be evaluated: {error:?}"))
    }
}

impl Oracle {
    /// Judges the state.
    pub fn verdict(&mut self) -> Result<(), Failure> {
        let changed = self.states.changed_constants(&self.state);
        if !changed.is_empty() {
            return Err(Failure::NoInstance(format!(
                "the call changed {}, which the specification does not declare `var`",
                changed.join(" and ")
            )));
        }
        let violated = self.violated().map_err(Failure::NoInstance)?;
        if violated.is_empty() { Ok(()) } else { Err(Failure::Violated(violated)) }
    }

    /// For a violated conjunct of the loaded state: its innermost part to blame, and the values
    /// there.
    pub fn explain(&mut self, conjunct: usize) -> Option<(Span, String)> {
        crate::explain::explain(&mut self.evaluator, &self.post, conjunct)
    }
}

/// Room for a few new objects of each type: what a call may make.
pub fn first_widening(prepared: &Prepared) -> Widen {
    let objects = (prepared.lowered.schema.sigs.iter())
        .filter(|sig| {
            matches!(sig.kind, SigKind::Top)
                && !sig.is_one
                && !sig.is_enum
                && prepared.mapped.contains(&sig.rel)
        })
        .map(|sig| (sig.label.clone(), ROOM))
        .collect();
    Widen { objects, ..Widen::default() }
}

/// `widen` with what abstraction found missing, or why there cannot be that much.
pub fn wider(widen: &Widen, needs: &Needs, graph: &TypeGraph) -> Result<Widen, String> {
    let mut wider = widen.clone();
    for &(ty, more) in &needs.objects {
        if more > MOST_OBJECTS {
            return Err(format!("the call made more than {MOST_OBJECTS} objects of {}", graph.ty(ty).rust));
        }
        let sig = graph.ty(ty).sig;
        match wider.objects.iter_mut().find(|(label, _)| label.rsplit('/').next() == Some(sig)) {
            Some((_, n)) => *n += more + ROOM,
            None => wider.objects.push((sig.to_owned(), more + ROOM)),
        }
    }
    if let Some((low, high)) = needs.ints {
        let (before_low, before_high) = wider.ints.unwrap_or((0, 0));
        let (low, high) = (low.min(before_low.into()), high.max(before_high.into()));
        if high - low > MOST_INTS {
            let far = if high > -low { high } else { low };
            return Err(format!(
                "a field holds {far} after the call, too far outside the scope of Int to have an atom"
            ));
        }
        wider.ints = Some((low as i64, high as i64));
    }
    for text in &needs.texts {
        if !wider.strings.contains(text) {
            wider.strings.push(text.clone());
        }
    }
    Ok(wider)
}

/// The oracles of one run: the first, and wider ones as they are needed.
pub struct Oracles {
    all: Vec<Oracle>,
}

/// How many wider oracles are kept.
const KEPT: usize = 32;

impl Oracles {
    pub fn new(prepared: &Prepared) -> Result<Oracles, Mistake> {
        Ok(Oracles { all: vec![Oracle::new(prepared, Widen::default())?] })
    }

    pub fn first(&mut self) -> &mut Oracle {
        &mut self.all[0]
    }

    pub fn get(&mut self, index: usize) -> &mut Oracle {
        &mut self.all[index]
    }

    /// The place of the oracle for `widen`. More objects than before make a new first oracle (they
    /// change no verdict); integers and texts are for this input alone.
    pub fn place(&mut self, prepared: &Prepared, widen: Widen) -> Result<usize, Mistake> {
        if let Some(i) = self.all.iter().position(|oracle| oracle.widen == widen) {
            return Ok(i);
        }
        let oracle = Oracle::new(prepared, widen)?;
        if oracle.widen.ints.is_none() && oracle.widen.strings.is_empty() {
            self.all[0] = oracle;
            return Ok(0);
        }
        if self.all.len() > KEPT {
            self.all.truncate(1);
        }
        self.all.push(oracle);
        Ok(self.all.len() - 1)
    }
}

/// So that a worker's memory of the last input can be passed around as one.
#[derive(Default)]
pub struct Scratch {
    pub made: Made,
    pub seen: tera_heap::Seen,
}
