//! Call sequences: how a structure comes about by calls of its own methods, shortest first.
//!
//! A breadth-first walk over the states that calls lead to, each state once; so the first sequence that
//! reaches a state is a shortest one, and among these the first in the order of the calls.

use std::collections::HashSet;
use std::hash::Hash;

/// The calls that can be made on values of a type.
///
/// ```
/// use tera_explore::Sequences;
///
/// #[derive(Clone, PartialEq, Debug)]
/// enum Call { Push(u8), Pop }
///
/// let stack = Sequences::new(
///     Vec::new(),
///     [Call::Push(1), Call::Push(2), Call::Pop],
///     |stack: &mut Vec<u8>, call| match call {
///         Call::Push(value) => stack.push(*value),
///         Call::Pop => drop(stack.pop()),
///     },
/// );
/// let calls = stack.shortest(4, |stack| stack == &[2, 1]).unwrap();
/// assert_eq!(calls, [Call::Push(2), Call::Push(1)]);
/// assert_eq!(stack.shortest(2, |stack| stack.len() == 3), None);
/// ```
#[derive(Clone, Debug)]
pub struct Sequences<S, C, A> {
    start: S,
    calls: Vec<C>,
    apply: A,
}

impl<S, C, A> Sequences<S, C, A>
where
    S: Clone + Eq + Hash,
    C: Clone,
    A: Fn(&mut S, &C),
{
    /// Sequences of these calls on copies of `start`.
    pub fn new(start: S, calls: impl Into<Vec<C>>, apply: A) -> Self {
        Sequences { start, calls: calls.into(), apply }
    }

    /// A shortest sequence of at most `longest` calls to a state for which `goal` holds.
    pub fn shortest(&self, longest: usize, mut goal: impl FnMut(&S) -> bool) -> Option<Vec<C>> {
        let mut found = None;
        self.walk(longest, |state, calls| {
            let reached = goal(state);
            if reached {
                found = Some(calls());
            }
            !reached
        });
        found
    }

    /// Every state that at most `longest` calls reach, with a shortest sequence, shorter ones first.
    pub fn states(&self, longest: usize) -> Vec<(S, Vec<C>)> {
        let mut states = Vec::new();
        self.walk(longest, |state, calls| {
            states.push((state.clone(), calls()));
            true
        });
        states
    }

    /// Visits states until the visitor says to stop.
    fn walk(&self, longest: usize, mut visit: impl FnMut(&S, &dyn Fn() -> Vec<C>) -> bool) {
        // For each state found, the one before it and the call that led from there.
        let mut states: Vec<(S, Option<(usize, usize)>)> = vec![(self.start.clone(), None)];
        let mut known = HashSet::from([self.start.clone()]);
        let path = |states: &[(S, Option<(usize, usize)>)], mut at: usize| {
            let mut calls = Vec::new();
            while let Some((before, call)) = states[at].1 {
                calls.push(self.calls[call].clone());
                at = before;
            }
            calls.reverse();
            calls
        };
        if !visit(&self.start, &Vec::new) {
            return;
        }
        let mut layer = 0..1;
        for _ in 0..longest {
            let end = states.len();
            for at in layer.clone() {
                for call in 0..self.calls.len() {
                    let mut state = states[at].0.clone();
                    (self.apply)(&mut state, &self.calls[call]);
                    if !known.insert(state.clone()) {
                        continue;
                    }
                    states.push((state, Some((at, call))));
                    let last = states.len() - 1;
                    if !visit(&states[last].0, &|| path(&states, last)) {
                        return;
                    }
                }
            }
            layer = end..states.len();
        }
    }
}
