//! Predicate-driven search (Boyapati, Khurshid, Marinov 2002; Marinov et al. 2003).
//!
//! Run the predicate on a candidate; the fields that it reads are on the trail. If it says no, every
//! candidate with the same values in these fields is refused with it: move the last of them on. If it says
//! yes, all fields that it did not read are free: every choice of them is a structure, and the predicate
//! need not be asked again.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use crate::build::build;
use crate::candidate::{Candidate, FieldId};
use crate::choices::Cut;
use crate::describe::{Names, describe};
use crate::explore::Verdict;
use crate::field::Field;
use crate::finitization::{Finitization, FinitizationError};
use crate::parallel::ordered;

/// What a search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchSummary {
    pub structures: u64,
    /// How many times the predicate was run.
    pub candidates: u64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Start,
    /// The predicate has refused the candidate.
    Refused,
    /// The predicate has accepted the candidate when the trail had this depth.
    Accepted(usize),
    Done,
}

/// A search in progress: a cursor over the structures that satisfy a predicate.
///
/// Most uses go through [`Finitization::for_each`] and [`Finitization::inputs`].
#[derive(Debug)]
pub struct Search<T> {
    candidate: Candidate,
    names: Vec<(FieldId, String)>,
    texts: Names,
    state: State,
    queue: std::collections::VecDeque<Vec<u32>>,
    max_candidates: u64,
    deadline: Option<Instant>,
    summary: SearchSummary,
    explain: Option<Vec<u64>>,
    of: PhantomData<fn() -> T>,
}

impl<T: Field> Search<T> {
    pub(crate) fn new(candidate: Candidate, names: Vec<(FieldId, String)>, texts: Names) -> Self {
        Search {
            candidate,
            names,
            texts,
            state: State::Start,
            queue: [Vec::new()].into(),
            max_candidates: u64::MAX,
            deadline: None,
            summary: SearchSummary { structures: 0, candidates: 0, verdict: Verdict::Limit },
            explain: None,
            of: PhantomData,
        }
    }

    /// Ends after so many candidates.
    pub fn max_candidates(mut self, candidates: u64) -> Self {
        self.max_candidates = candidates;
        self
    }

    /// Ends at a candidate that would begin later than this from now.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.deadline = Some(Instant::now() + timeout);
        self
    }

    /// Counts, per field, the candidates that were refused when that field was the last one read.
    pub fn explained(mut self) -> Self {
        self.explain = Some(vec![0; self.names.len()]);
        self
    }

    /// The fields that decided refused candidates, most first; see [`Search::explained`].
    pub fn explanation(&self) -> Vec<(&str, u64)> {
        let counts = self.explain.iter().flatten();
        let mut fields: Vec<_> = self
            .names
            .iter()
            .map(|(_, name)| name.as_str())
            .zip(counts.copied())
            .filter(|(_, n)| *n > 0)
            .collect();
        fields.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        fields
    }

    pub fn summary(&self) -> SearchSummary {
        self.summary
    }

    /// The alternatives of the fields of the structure that was found last, in the order of the search:
    /// what [`Search::at`] makes it from.
    pub fn path(&self) -> Vec<u64> {
        self.candidate.prefix(self.candidate.depth()).into_iter().map(u64::from).collect()
    }

    /// Moves to the structure that has this path; false if there is none that satisfies the predicate.
    pub fn at<P>(&mut self, path: &[u64], predicate: &mut P) -> bool
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        self.within([path.iter().map(|&alternative| alternative as u32).collect()]);
        self.next(predicate)
    }

    /// Restricts the search to the candidates whose first fields have these alternatives.
    pub(crate) fn within(&mut self, prefixes: impl IntoIterator<Item = Vec<u32>>) {
        self.queue = prefixes.into_iter().collect();
        self.state = State::Start;
    }

    /// The structure that was found last.
    pub fn structure(&self) -> T::View<'_> {
        T::read(&self.candidate, self.candidate.root())
    }

    /// The structure that was found last as a value; none if the type cannot hold it, as when two boxes
    /// have one target.
    pub fn value(&self) -> Option<T> {
        build(&self.candidate, self.candidate.root())
    }

    /// The structure that was found last as text: the root, then a line for each object.
    pub fn description(&self) -> String {
        describe(&self.candidate, &self.texts)
    }

    /// Moves to the next structure; false if there is none, or a limit was reached.
    pub fn next<P>(&mut self, predicate: &mut P) -> bool
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        loop {
            match catch_unwind(AssertUnwindSafe(|| self.advance(predicate))) {
                Ok(found) => return found,
                // A field for which there was no value left: no such candidate.
                Err(payload) if payload.is::<Cut>() => self.candidate.undo(),
                Err(payload) => {
                    self.candidate.undo();
                    resume_unwind(payload)
                }
            }
        }
    }

    #[inline]
    fn advance<P>(&mut self, predicate: &mut P) -> bool
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        loop {
            match self.state {
                State::Start => match self.queue.pop_front() {
                    Some(prefix) => self.candidate.restart(prefix),
                    None => {
                        self.state = State::Done;
                        self.summary.verdict = Verdict::Exhausted;
                        return false;
                    }
                },
                State::Refused => {
                    if !self.candidate.advance(0) {
                        self.state = State::Start;
                        continue;
                    }
                }
                State::Accepted(depth) => {
                    if self.candidate.advance_free(depth) {
                        self.candidate.complete();
                        self.summary.structures += 1;
                        return true;
                    }
                    self.state = State::Refused;
                    continue;
                }
                State::Done => return false,
            }
            if self.limit_reached() {
                return false;
            }
            self.state = State::Refused;
            self.summary.candidates += 1;
            self.candidate.begin();
            let accepted = predicate(T::read(&self.candidate, self.candidate.root()));
            self.candidate.undo();
            if accepted {
                self.state = State::Accepted(self.candidate.depth());
                self.candidate.complete();
                self.summary.structures += 1;
                return true;
            }
            if let Some(counts) = &mut self.explain
                && let Some(field) = self.candidate.last_field()
                && let Some(at) = self.names.iter().position(|(id, _)| *id == field)
            {
                counts[at] += 1;
            }
        }
    }

    /// A limit ends the search before the candidate that is next; the search can go on from there.
    fn limit_reached(&mut self) -> bool {
        let n = self.summary.candidates;
        let verdict = if n >= self.max_candidates {
            Verdict::Limit
        } else if n.is_multiple_of(1024) && self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Verdict::Timeout
        } else {
            return false;
        };
        self.state = State::Done;
        self.summary.verdict = verdict;
        true
    }

    /// Prefixes of the trail, in order, that between them lead to all structures; at least `target` if
    /// there are so many candidates.
    pub(crate) fn prefixes<P>(&mut self, predicate: &mut P, target: usize) -> Vec<Vec<u32>>
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        let mut depth = 1;
        loop {
            let mut prefixes = Vec::new();
            let mut open = false;
            self.candidate.restart(Vec::new());
            loop {
                self.candidate.begin();
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    if predicate(T::read(&self.candidate, self.candidate.root())) {
                        self.candidate.undo();
                        self.candidate.complete();
                    }
                }));
                // A predicate that panics will do so again in its turn.
                drop(outcome);
                self.candidate.undo();
                open |= self.candidate.depth() > depth;
                prefixes.push(self.candidate.prefix(depth));
                self.candidate.truncate(depth);
                if !self.candidate.advance(0) {
                    break;
                }
            }
            if prefixes.len() >= target || !open {
                return prefixes;
            }
            depth += 1;
        }
    }
}

impl<T: Field> Finitization<T> {
    /// Visits every structure that satisfies the predicate, one of each isomorphism class.
    pub fn for_each<P, V>(&self, mut predicate: P, mut visit: V) -> Result<SearchSummary, FinitizationError>
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
        V: for<'a> FnMut(T::View<'a>),
    {
        let mut search = self.search()?;
        while search.next(&mut predicate) {
            visit(search.structure());
        }
        Ok(search.summary())
    }

    /// How many structures satisfy the predicate, and how many candidates it took.
    pub fn count<P>(&self, predicate: P) -> Result<SearchSummary, FinitizationError>
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        self.for_each(predicate, |_| ())
    }

    /// The structures that satisfy the predicate as real values. Candidates that the type cannot hold are
    /// left out.
    pub fn inputs<P>(&self, predicate: P) -> Result<Inputs<T, P>, FinitizationError>
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        Ok(Inputs { search: self.search()?, predicate })
    }

    /// The search of [`Finitization::shard`].
    pub fn search_shard<P>(
        &self,
        predicate: P,
        index: usize,
        of: usize,
    ) -> Result<Search<T>, FinitizationError>
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        Ok(self.shard(predicate, index, of)?.search)
    }

    /// Part `index` of `of` of [`Finitization::inputs`]: the parts are disjoint, together everything, and
    /// each in order.
    ///
    /// Panics unless `1 <= index <= of`.
    pub fn shard<P>(
        &self,
        mut predicate: P,
        index: usize,
        of: usize,
    ) -> Result<Inputs<T, P>, FinitizationError>
    where
        P: for<'a> FnMut(T::View<'a>) -> bool,
    {
        assert!(
            1 <= index && index <= of,
            "shard {index}/{of}: the index runs from 1 to the number of shards"
        );
        let mut search = self.search()?;
        let prefixes = search.prefixes(&mut predicate, of * crate::explore::PREFIXES_PER_SHARD);
        search.within(prefixes.into_iter().skip(index - 1).step_by(of));
        Ok(Inputs { search, predicate })
    }

    /// [`Finitization::for_each`] on several threads: `map` runs on the structures there, its results are
    /// delivered here in the order of the search.
    pub fn for_each_parallel<P, R>(
        &self,
        threads: usize,
        predicate: P,
        map: impl for<'a> Fn(T::View<'a>) -> R + Sync,
        mut deliver: impl FnMut(R),
    ) -> Result<SearchSummary, FinitizationError>
    where
        P: for<'a> Fn(T::View<'a>) -> bool + Sync,
        R: Send,
    {
        let threads = threads.max(1);
        let prefixes = self.search()?.prefixes(&mut |view: T::View<'_>| predicate(view), threads * 64);
        let mut total = SearchSummary { structures: 0, candidates: 0, verdict: Verdict::Exhausted };
        let work = |at: usize| {
            let mut search = self.search().expect("it was right a moment ago");
            search.within([prefixes[at].clone()]);
            let mut results = Vec::new();
            while search.next(&mut |view: T::View<'_>| predicate(view)) {
                results.push(map(search.structure()));
            }
            (results, search.summary())
        };
        ordered(prefixes.len(), threads, work, |(results, summary)| {
            total.structures += summary.structures;
            total.candidates += summary.candidates;
            results.into_iter().for_each(&mut deliver);
        });
        Ok(total)
    }
}

/// The structures of a search as real values, one by one.
pub struct Inputs<T, P> {
    search: Search<T>,
    predicate: P,
}

impl<T: Field, P> Inputs<T, P> {
    pub fn search(&self) -> &Search<T> {
        &self.search
    }

    /// The same with limits; see [`Search`].
    pub fn with(mut self, limit: impl FnOnce(Search<T>) -> Search<T>) -> Self {
        self.search = limit(self.search);
        self
    }
}

impl<T: Field, P> Iterator for Inputs<T, P>
where
    P: for<'a> FnMut(T::View<'a>) -> bool,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.search.next(&mut self.predicate) {
            if let Some(value) = self.search.value() {
                return Some(value);
            }
        }
        None
    }
}
