//! tera on itself: for each instance of a specification of specifications, the text it stands for goes through tera's
//! own parser, model and finder; what comes out is judged by relations again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use tera_finder::{EnumerateOptions, enumerate};
use tera_model::{Loader, LowerOptions, Lowered, Target, load};
use tera_rel::{AtomId, Instance};
use testera::{Contract, Heap, Report};

#[derive(Heap, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Name {
    Signature,
    Test,
}

#[derive(Heap, Clone, Copy, Debug)]
pub enum Prefix {
    S,
    T,
}

#[derive(Heap, Clone, Copy, Debug)]
pub enum Suffix {
    Zero,
    One,
}

#[derive(Heap)]
pub struct Spec {
    sigs: Vec<Sig>,
    atoms: Vec<Rc<Atom>>,
}

#[derive(Heap)]
pub struct Sig {
    name: Name,
    owned: Vec<Rc<Atom>>,
}

#[derive(Heap)]
pub struct Atom {
    prefix: Prefix,
    suffix: Suffix,
}

/// All instances that the finder gives.
#[derive(Heap)]
pub struct Answer {
    instances: Vec<Found>,
}

/// One of them: the atoms of each signature, and how each atom is shown.
#[derive(Heap, Default)]
pub struct Found {
    value: BTreeSet<(Name, u32)>,
    shown: BTreeMap<u32, String>,
}

impl Spec {
    /// The Alloy text that it stands for.
    fn text(&self) -> String {
        let mut text = String::new();
        for sig in &self.sigs {
            text += &format!("abstract sig {:?} {{}}\n", sig.name);
            for atom in &sig.owned {
                let digit = atom.suffix as u8;
                text += &format!("one sig {:?}{digit} extends {:?} {{}}\n", atom.prefix, sig.name);
            }
        }
        text
    }

    /// What tera's own finder says of it.
    pub fn find(&self) -> Answer {
        let text = self.text();
        let lowered = lower(&text);
        let mut instances = Vec::new();
        let summary = enumerate(&lowered.problem, &EnumerateOptions::default(), &mut |found| {
            instances.push(read(&lowered, &found.instance()));
            ControlFlow::Continue(())
        });
        summary.expect("small");
        Answer { instances }
    }
}

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        Ok((path == Path::new("text.als")).then(|| self.0.to_owned()))
    }
}

fn lower(text: &str) -> Lowered {
    let spec = load(Path::new("text.als"), &[], &Text(text)).unwrap_or_else(|failure| {
        panic!("{}", tera_syntax::report::render(&failure.diagnostics, &failure.sources, false))
    });
    let options = LowerOptions { scope: Some("3".into()), ..LowerOptions::default() };
    spec.lower(&Target::Facts, &options).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn read(lowered: &Lowered, instance: &Instance) -> Found {
    let names = tera_view::Names::new(&lowered.problem.universe, &lowered.schema);
    let mut found = Found::default();
    for sig in lowered.schema.sigs.iter().filter(|sig| sig.is_abstract) {
        let name = if sig.label == "Test" { Name::Test } else { Name::Signature };
        for atom in instance.value(sig.rel).indices() {
            found.value.insert((name, atom as u32));
            found.shown.insert(atom as u32, names.of(AtomId(atom as u32)).to_owned());
        }
    }
    found
}

/// Checks the finder on the specifications of this many signatures and atoms, at most or exactly.
pub fn check(name: &str, requires: &str, scope: &str) -> Report {
    Contract::new(format!("meta::{name}"))
        .beside(file!(), env!("CARGO_MANIFEST_DIR"))
        .spec("meta.als")
        .requires(requires)
        .ensures(
            "signaturesAreDisjoint[result] and namesAreUnique[result] and namedAtomsAreAll[spec, result] \
             and nothingIsLeftOut[spec, result]",
        )
        .scope(scope)
        .arguments(&["spec"])
        .check(|(spec,): &mut (Spec,)| spec.find())
}
