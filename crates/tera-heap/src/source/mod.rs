//! Instance → Rust source that builds the value: a counterexample as a test of its own.
//!
//! What is owned once is one nested expression. Everything else gets a name: objects behind `Rc`
//! or `Arc` that are shared, objects that raw pointers own, and the targets of raw and weak
//! pointers. Names are made children first; an edge to what is not finished yet (a cycle), and
//! every pointer that owns nothing, is written afterwards by an assignment.
//!
//! First the owners are counted ([`count`]), then expressions are printed ([`value`], with
//! [`object`] and [`literal`]), then what had to wait is written ([`link`]).
//!
//! Invariant: the text builds what [`crate::Concretizer`] builds.

mod count;
mod link;
mod literal;
mod object;
mod place;
mod read;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use tera_rel::Instance;

use crate::concretize::Fault;
use crate::plan::Binding;

use count::Count;
use link::{Link, Named};
use object::Positions;
use place::Place;

/// Rust statements that build some roots.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Source {
    /// Paths to import: `std::rc::Rc`.
    pub uses: Vec<String>,
    /// Statements before the roots are there, the roots themselves, and statements after.
    pub statements: Vec<String>,
    /// For each root, its expression where that is all there is to say.
    pub expressions: Vec<Option<String>>,
}

impl Source {
    /// All of it, one statement per line.
    pub fn text(&self) -> String {
        let uses = self.uses.iter().map(|path| format!("use {path};\n"));
        let statements = self.statements.iter().map(|statement| format!("{statement}\n"));
        uses.chain(statements).collect()
    }
}

/// The source of some roots, each bound to a variable of its name.
pub fn source(binding: &Binding, instance: &Instance, roots: &[(usize, &str)]) -> Result<Source, Fault> {
    let mut printer = Printer {
        binding,
        instance,
        uses: BTreeSet::new(),
        counts: BTreeMap::new(),
        links: Vec::new(),
        names: BTreeMap::new(),
        open: BTreeSet::new(),
        places: BTreeMap::new(),
        before: Vec::new(),
        after: Vec::new(),
        numbers: BTreeMap::new(),
        arenas: Vec::new(),
        taken: roots.iter().map(|(_, name)| name.to_string()).collect(),
    };
    for &(root, _) in roots {
        printer.count(&binding.graph.roots[root].shape, &binding.roots[root], 0);
    }
    printer.count_orphans();
    let mut lets = Vec::new();
    let mut expressions = Vec::new();
    for &(root, name) in roots {
        let place = Place { text: name.into(), ..Place::default() };
        let value = printer.value(&binding.graph.roots[root].shape, &binding.roots[root], 0, &place)?;
        lets.push(format!("let mut {name} = {value};"));
        expressions.push(value);
    }
    printer.orphans()?;
    let simple = printer.before.is_empty() && printer.after.is_empty() && printer.links.is_empty();
    printer.write_links()?;
    let Printer { uses, before, after, .. } = printer;
    Ok(Source {
        uses: uses.into_iter().map(String::from).collect(),
        statements: before.into_iter().chain(lets).chain(after).collect(),
        expressions: expressions.into_iter().map(|e| simple.then_some(e)).collect(),
    })
}

struct Printer<'a> {
    binding: &'a Binding,
    instance: &'a Instance,
    uses: BTreeSet<&'static str>,
    counts: BTreeMap<usize, Count>,
    links: Vec<Link>,
    names: BTreeMap<usize, Named>,
    /// Objects whose expression is being printed.
    open: BTreeSet<usize>,
    /// Where the object of each atom is, seen from a root or a name.
    places: BTreeMap<usize, Place>,
    before: Vec<String>,
    after: Vec<String>,
    numbers: BTreeMap<&'static str, usize>,
    arenas: Vec<Positions>,
    taken: BTreeSet<String>,
}

type Text = Result<String, Fault>;

fn fault(message: String) -> Fault {
    Fault { message }
}
