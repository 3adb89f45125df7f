//! The inputs of a contract in the order of their size, as words.
//!
//! The finder's order is its own; a reader wants the smallest counterexample. So the instances are
//! enumerated once per *size*, the number of objects: the problem gets the conjunct "there are `k`
//! objects" for `k = 0, 1, …`. A small size class is sorted the way a reader would list it (by a
//! walk from the arguments); a large one comes as found.
//!
//! Invariant: the stream depends on the problem alone, so an input is known by its number.

use std::ops::ControlFlow;
use std::time::Instant;

use tera_finder::{EnumerateOptions, FinderError, Found, Symmetry, Verdict, enumerate};
use tera_model::Lowered;
use tera_rel::{AtomId, Instance, IntCmp, IntOp, Node, NodeId, Problem, RelId, Role, SigKind, TupleSet};

/// Which bit of an input is which tuple: the open cells of the visible relations, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// `(relation, row-major index of the tuple)`
    pub cells: Vec<(RelId, u64)>,
}

impl Layout {
    /// The cells of the relations that `is_visible` accepts.
    pub fn new(problem: &Problem, is_visible: impl Fn(RelId) -> bool) -> Layout {
        let mut cells = Vec::new();
        for (i, relation) in problem.relations.iter().enumerate() {
            let rel = RelId(i as u32);
            if is_visible(rel) {
                let open = relation.upper.indices().filter(|&t| !relation.lower.contains_index(t));
                cells.extend(open.map(|t| (rel, t as u64)));
            }
        }
        Layout { cells }
    }

    /// The instance of an input; `start` holds what is in every input.
    pub fn decode(&self, start: &Instance, words: &[u64]) -> Instance {
        let mut instance = start.clone();
        for (i, &(rel, tuple)) in self.cells.iter().enumerate() {
            if words[i / 64] >> (i % 64) & 1 != 0 {
                instance.values[rel.0 as usize].insert_index(tuple as usize);
            }
        }
        instance
    }

    /// Words of one input, at least 1.
    pub fn words(&self) -> usize {
        self.cells.len().div_ceil(64).max(1)
    }
}

/// How large the inputs of one class are, and how many of them are sorted.
const SORTED: usize = 4096;

/// What to generate.
pub struct Request<'a> {
    pub lowered: &'a Lowered,
    pub layout: &'a Layout,
    pub shard: Option<(u32, u32)>,
    pub deadline: Option<Instant>,
}

/// One input on its way.
pub struct Input<'a> {
    /// Counted from 0 over the whole stream.
    pub number: u64,
    /// How many objects it has.
    pub size: usize,
    /// Whether later inputs of the same size may be simpler.
    pub unsorted: bool,
    pub words: &'a [u64],
}

/// Gives every input to `sink`, smallest first, until that breaks.
pub fn generate(
    request: &Request<'_>,
    sink: &mut dyn FnMut(&Input<'_>) -> ControlFlow<()>,
) -> Result<Verdict, FinderError> {
    let (mut problem, visible) = projected(request);
    let Some((count, sizes)) = object_count(&mut problem, request.lowered, &visible) else {
        return Stream::new(request, 0).run(&problem, sink).map(|end| end.0);
    };
    let mut number = 0;
    for size in sizes {
        let mut of_size = problem.clone();
        let wanted = of_size.arena.add(Node::Int(size as i64));
        let conjunct = of_size.arena.add(Node::Compare(IntCmp::Eq, count, wanted));
        of_size.conjuncts.push(conjunct);
        let stream = Stream { size, ..Stream::new(request, number) };
        let (verdict, next) = stream.run(&of_size, sink)?;
        number = next;
        if verdict != Verdict::Exhausted {
            return Ok(verdict);
        }
    }
    Ok(Verdict::Exhausted)
}

/// How many inputs there are, if not more than `most`.
pub fn count(request: &Request<'_>, most: u64) -> Option<u64> {
    let options = EnumerateOptions {
        shard: request.shard,
        deadline: request.deadline,
        limit: Some(most),
        ..EnumerateOptions::default()
    };
    let summary = tera_finder::count(&projected(request).0, &options).ok()?;
    (summary.verdict == Verdict::Exhausted).then_some(summary.count)
}

/// Whether the precondition allows an input, perhaps one of an earlier run: with what the Rust types
/// have fixed to it, the rest of the specification finds values. When the time is up, it does.
pub fn admits(request: &Request<'_>, words: &[u64]) -> Result<bool, FinderError> {
    let (mut problem, visible) = projected(request);
    let start = Instance { values: problem.relations.iter().map(|r| r.lower.clone()).collect() };
    let input = request.layout.decode(&start, words);
    let relations = problem.relations.iter_mut().zip(input.values).zip(visible);
    for ((relation, value), _) in relations.filter(|(_, visible)| *visible) {
        relation.lower = value.clone();
        relation.upper = value;
    }
    // The input need not be the representative of its class.
    let options = EnumerateOptions {
        symmetry: Symmetry::None,
        limit: Some(1),
        deadline: request.deadline,
        ..EnumerateOptions::default()
    };
    let summary = tera_finder::count(&problem, &options)?;
    Ok(summary.count > 0 || summary.verdict != Verdict::Exhausted)
}

/// The problem in which only what the Rust types have makes an instance, and which relations
/// these are.
fn projected(request: &Request<'_>) -> (Problem, Vec<bool>) {
    let mut problem = request.lowered.problem.clone();
    let mut visible = vec![false; problem.relations.len()];
    request.layout.cells.iter().for_each(|(rel, _)| visible[rel.0 as usize] = true);
    for (relation, &visible) in problem.relations.iter_mut().zip(&visible) {
        if !visible && !relation.is_constant() {
            relation.role = Role::Auxiliary;
        }
    }
    (problem, visible)
}

/// The number of objects as an integer node, and its possible values; `None` when it is constant.
fn object_count(
    problem: &mut Problem,
    lowered: &Lowered,
    visible: &[bool],
) -> Option<(NodeId, std::ops::RangeInclusive<usize>)> {
    let tops: Vec<RelId> = (lowered.schema.sigs.iter())
        .filter(|sig| matches!(sig.kind, SigKind::Top) && visible[sig.rel.0 as usize])
        .map(|sig| sig.rel)
        .collect();
    let least = tops.iter().map(|&rel| problem.relation(rel).lower.len()).sum();
    let most = tops.iter().map(|&rel| problem.relation(rel).upper.len()).sum();
    if least == most {
        return None;
    }
    let arena = &mut problem.arena;
    let mut sum = None;
    for rel in tops {
        let relation = arena.add(Node::Relation(rel));
        let card = arena.add(Node::Card(relation));
        sum = Some(match sum {
            None => card,
            Some(sum) => arena.add(Node::IntBinary(IntOp::Add, sum, card)),
        });
    }
    sum.map(|sum| (sum, least..=most))
}

/// The inputs of one size.
struct Stream<'a> {
    request: &'a Request<'a>,
    size: usize,
    number: u64,
    /// Whether the finder's cells are the layout's, bit for bit; known from the first instance.
    same_cells: Option<bool>,
    held: Vec<u64>,
    flushed: bool,
    words: Vec<u64>,
}

impl<'a> Stream<'a> {
    fn new(request: &'a Request<'a>, number: u64) -> Stream<'a> {
        Stream {
            request,
            size: 0,
            number,
            same_cells: None,
            held: Vec::new(),
            flushed: false,
            words: vec![0; request.layout.words()],
        }
    }

    fn run(
        mut self,
        problem: &Problem,
        sink: &mut dyn FnMut(&Input<'_>) -> ControlFlow<()>,
    ) -> Result<(Verdict, u64), FinderError> {
        let options = EnumerateOptions {
            shard: self.request.shard,
            deadline: self.request.deadline,
            ..EnumerateOptions::default()
        };
        let words = self.words.len();
        let mut place = Places::new(self.request.layout);
        let summary = enumerate(problem, &options, &mut |found| {
            self.encode(found, &mut place);
            if self.flushed {
                return self.deliver(None, sink);
            }
            self.held.extend_from_slice(&self.words);
            if self.held.len() < SORTED * words {
                return ControlFlow::Continue(());
            }
            self.flushed = true;
            self.deliver_held(sink)
        })?;
        if !self.flushed {
            self.sort();
            if self.deliver_held(sink).is_break() {
                return Ok((Verdict::Limit, self.number));
            }
        }
        Ok((summary.verdict, self.number))
    }

    /// Writes the bits of `found` in the order of the layout to `self.words`.
    fn encode(&mut self, found: &Found<'_>, places: &mut Places) {
        let layout = self.request.layout;
        let same = *self.same_cells.get_or_insert_with(|| {
            found.cells.len() >= layout.cells.len()
                && found.cells.iter().zip(&layout.cells).all(|(a, b)| (a.rel, a.tuple) == *b)
        });
        let n = layout.cells.len();
        if same {
            self.words.fill(0);
            let len = n.div_ceil(64).min(found.bits.len());
            self.words[..len].copy_from_slice(&found.bits[..len]);
            // What follows the visible cells is none of the input.
            if !n.is_multiple_of(64) {
                self.words[n / 64] &= (1 << (n % 64)) - 1;
            }
            return;
        }
        self.words.copy_from_slice(places.fixed(found));
        for (i, &place) in places.of(found).iter().enumerate() {
            if place != u32::MAX && found.bit(i) {
                self.words[place as usize / 64] |= 1 << (place % 64);
            }
        }
    }

    fn deliver_held(&mut self, sink: &mut dyn FnMut(&Input<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let held = std::mem::take(&mut self.held);
        for words in held.chunks_exact(self.words.len()) {
            self.deliver(Some(words), sink)?;
        }
        ControlFlow::Continue(())
    }

    fn deliver(
        &mut self,
        words: Option<&[u64]>,
        sink: &mut dyn FnMut(&Input<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let number = self.number;
        self.number += 1;
        sink(&Input { number, size: self.size, unsorted: self.flushed, words: words.unwrap_or(&self.words) })
    }

    fn sort(&mut self) {
        let reading = Reading::new(self.request.lowered, self.request.layout);
        let words = self.words.len();
        let mut keyed: Vec<(Vec<u32>, &[u64])> =
            self.held.chunks_exact(words).map(|input| (reading.key(input), input)).collect();
        keyed.sort();
        self.held = keyed.into_iter().flat_map(|(_, input)| input.iter().copied()).collect();
    }
}

/// Where each cell of the finder stands in the layout, when the two differ.
struct Places<'a> {
    layout: &'a Layout,
    places: Vec<u32>,
    /// The cells that the finder knows to be true.
    fixed: Vec<u64>,
}

impl<'a> Places<'a> {
    fn new(layout: &'a Layout) -> Places<'a> {
        Places { layout, places: Vec::new(), fixed: Vec::new() }
    }

    fn fill(&mut self, found: &Found<'_>) {
        if !self.fixed.is_empty() {
            return;
        }
        let index: std::collections::BTreeMap<(RelId, u64), u32> =
            self.layout.cells.iter().enumerate().map(|(i, &cell)| (cell, i as u32)).collect();
        self.places = (found.cells.iter())
            .map(|cell| index.get(&(cell.rel, cell.tuple)).copied().unwrap_or(u32::MAX))
            .collect();
        self.fixed = vec![0; self.layout.words()];
        for (i, &(rel, tuple)) in self.layout.cells.iter().enumerate() {
            if found.lowers[rel.0 as usize].contains_index(tuple as usize) {
                self.fixed[i / 64] |= 1 << (i % 64);
            }
        }
    }

    fn fixed(&mut self, found: &Found<'_>) -> &[u64] {
        self.fill(found);
        &self.fixed
    }

    fn of(&mut self, found: &Found<'_>) -> &[u32] {
        self.fill(found);
        &self.places
    }
}

/// The order in which a reader would list inputs: by what a walk from the arguments meets.
pub struct Reading {
    /// Parameters first, then fields, in order of declaration.
    params: Vec<RelId>,
    fields: Vec<RelId>,
    n_atoms: usize,
    /// `Some(value)` for integers.
    ints: Vec<Option<i64>>,
    constants: Vec<bool>,
    start: Instance,
    layout: Layout,
}

impl Reading {
    pub fn new(lowered: &Lowered, layout: &Layout) -> Reading {
        let problem = &lowered.problem;
        let n_atoms = problem.universe.len();
        let mut constants = vec![false; n_atoms];
        for sig in lowered.schema.sigs.iter().filter(|sig| sig.is_one || sig.is_enum) {
            for atom in problem.relation(sig.rel).upper.indices() {
                constants[atom] = true;
            }
        }
        Reading {
            params: lowered.schema.params.iter().map(|param| param.rel).collect(),
            fields: lowered.schema.fields.iter().map(|field| field.rel).collect(),
            n_atoms,
            ints: (0..n_atoms).map(|a| problem.universe.int_value(AtomId(a as u32))).collect(),
            constants,
            start: Instance { values: problem.relations.iter().map(|r| r.lower.clone()).collect() },
            layout: layout.clone(),
        }
    }

    /// Objects in the order in which they are met are numbered; a key is what is written down on
    /// the way. Missing values come before others.
    pub fn key(&self, words: &[u64]) -> Vec<u32> {
        let instance = self.layout.decode(&self.start, words);
        let mut walk =
            Walk { reading: self, number: vec![0; self.n_atoms], queue: Vec::new(), key: Vec::new() };
        for &param in &self.params {
            walk.write(&instance.values[param.0 as usize], None);
        }
        let mut next = 0;
        while next < walk.queue.len() {
            let atom = walk.queue[next];
            next += 1;
            for &field in &self.fields {
                walk.write(&instance.values[field.0 as usize], Some(atom));
            }
        }
        walk.key
    }
}

struct Walk<'a> {
    reading: &'a Reading,
    /// 1 + the place in the queue, or 0.
    number: Vec<u32>,
    queue: Vec<usize>,
    key: Vec<u32>,
}

impl Walk<'_> {
    /// Writes down the tuples of `set` that start with `owner`.
    fn write(&mut self, set: &TupleSet, owner: Option<usize>) {
        let n = self.reading.n_atoms;
        let arity = set.arity();
        let span = n.pow((arity - usize::from(owner.is_some())) as u32);
        let first = owner.unwrap_or(0) * span;
        for tuple in set.indices().skip_while(|&t| t < first).take_while(|&t| t < first + span) {
            let mut rest = tuple - first;
            let mut width = span / n.max(1);
            while width > 0 {
                let atom = rest / width;
                rest %= width;
                width /= n;
                let code = self.code(atom);
                self.key.push(code);
            }
        }
        self.key.push(0);
    }

    fn code(&mut self, atom: usize) -> u32 {
        if let Some(value) = self.reading.ints[atom] {
            // Small in absolute value first, positive before negative.
            return 2 + (value.unsigned_abs().min(1 << 29) as u32) * 2 + u32::from(value < 0);
        }
        if self.reading.constants[atom] {
            return 2 + atom as u32;
        }
        if self.number[atom] == 0 {
            self.queue.push(atom);
            self.number[atom] = self.queue.len() as u32;
        }
        1 + self.number[atom]
    }
}
