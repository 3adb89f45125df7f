//! tera on itself: for each instance of a specification of specifications, the text it stands for
//! goes through tera's own parser, model and finder.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use tera_finder::{EnumerateOptions, enumerate};
use tera_model::{Loader, LowerOptions, Lowered, Target, load};
use tera_rel::{AtomId, Instance};

struct Text<'a>(&'a str);

impl Loader for Text<'_> {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        Ok((path == Path::new("text.als")).then(|| self.0.to_owned()))
    }
}

fn lower(text: &str, target: &Target, scope: &str) -> Lowered {
    let spec = load(Path::new("text.als"), &[], &Text(text)).unwrap_or_else(|failure| {
        panic!("{}", tera_syntax::report::render(&failure.diagnostics, &failure.sources, false))
    });
    let options = LowerOptions { scope: Some(scope.to_owned()), ..LowerOptions::default() };
    spec.lower(target, &options).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn each(lowered: &Lowered, mut f: impl FnMut(&Instance)) -> u64 {
    let summary = enumerate(&lowered.problem, &EnumerateOptions::default(), &mut |found| {
        f(&found.instance());
        ControlFlow::Continue(())
    });
    summary.expect("small").count
}

/// The Alloy text that an instance of the meta-specification stands for.
fn text_of(lowered: &Lowered, instance: &Instance) -> String {
    let field = |label: &str| {
        let field = lowered.schema.fields.iter().find(|f| f.label == label).expect("declared");
        instance.value(field.rel)
    };
    let name = |atom: AtomId| {
        let name = &lowered.problem.universe.atom(atom).name;
        name.split('$').next().unwrap_or(name).to_owned()
    };
    let value = |label: &str, atom: AtomId| {
        field(label).tuples().find(|t| t[0] == atom).map(|t| name(t[1])).expect("one")
    };
    let digit = |suffix: String| if suffix == "Zero" { "0" } else { "1" };
    let mut text = String::new();
    for tuple in field("name").tuples() {
        let sig = name(tuple[1]);
        text += &format!("abstract sig {sig} {{}}\n");
        for owned in field("atoms").tuples().filter(|t| t[0] == tuple[0]) {
            let atom = value("prefix", owned[1]) + digit(value("suffix", owned[1]));
            text += &format!("one sig {atom} extends {sig} {{}}\n");
        }
    }
    text
}

/// What the paper demands of every instance of every such specification.
fn check_instance(lowered: &Lowered, instance: &Instance) {
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for sig in lowered.schema.sigs.iter().filter(|s| s.is_abstract) {
        for atom in instance.value(sig.rel).indices() {
            assert!(taken.insert(atom), "distinct signatures share an atom");
            let name = &lowered.problem.universe.atom(AtomId(atom as u32)).name;
            assert!(names.insert(name), "{name} stands for two atoms");
        }
    }
    for sig in lowered.schema.sigs.iter().filter(|s| s.is_one) {
        assert_eq!(instance.value(sig.rel).len(), 1, "{} is one atom", sig.label);
    }
}

/// Specifications in this scope, and all their instances together.
pub fn check_all(each_owns_one: bool, scope: &str) -> (u64, u64) {
    let target = match each_owns_one {
        true => Target::Predicate("each_owns_one".into()),
        false => Target::Facts,
    };
    let meta = lower(include_str!("meta.als"), &target, scope);
    let mut n_instances = 0;
    let n_specs = each(&meta, |instance| {
        let text = text_of(&meta, instance);
        let lowered = lower(&text, &Target::Facts, "3");
        n_instances += each(&lowered, |instance| check_instance(&lowered, instance));
    });
    (n_specs, n_instances)
}
