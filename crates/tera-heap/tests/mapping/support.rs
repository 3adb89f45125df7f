use tera_heap::*;
use tera_rel::{Instance, Problem, Schema};

/// A type bound to the specification that it implies.
pub struct Natural {
    pub problem: Problem,
    pub schema: Schema,
    pub binding: Binding,
}

impl Natural {
    /// With so many objects of each type; integers -2..=9.
    pub fn of<T: Mapped>(objects: usize) -> Natural {
        let mut describer = Describer::new();
        describer.root::<T>("root");
        Natural::new(describer.finish(), objects)
    }

    pub fn new(graph: TypeGraph, objects: usize) -> Natural {
        let texts = ["", "a", "b", "ab"].map(String::from).to_vec();
        let extent = Extent { objects: vec![objects], ints: (-2, 9), texts };
        let (problem, schema) = natural(&graph, &extent);
        let binding = match Binding::new(graph, &problem, &schema) {
            Ok(binding) => binding,
            Err(errors) => panic!("{}", errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n")),
        };
        Natural { problem, schema, binding }
    }

    pub fn read<T: Abstraction>(&self, value: &T) -> (Instance, Outcome) {
        let mut instance = self.binding.start.clone();
        let mut seen = Seen::new();
        let mut a = Abstractor::new(&self.binding, Before::Nothing, &mut instance, &mut seen);
        a.root(0, value);
        let outcome = a.finish();
        (instance, outcome)
    }

    /// `next = Node$0->Node$1 …`, one line per field, empty ones left out.
    pub fn show(&self, instance: &Instance) -> Vec<String> {
        let fields = self.schema.fields.iter().map(|f| (&f.label, f.rel));
        let params = self.schema.params.iter().map(|p| (&p.label, p.rel));
        params
            .chain(fields)
            .filter(|(_, rel)| !instance.value(*rel).is_empty())
            .map(|(label, rel)| {
                let tuples = instance.value(rel).tuples().map(|tuple| {
                    tuple
                        .iter()
                        .map(|&a| self.problem.universe.atom(a).name.replace('$', ""))
                        .collect::<Vec<_>>()
                        .join("->")
                });
                format!("{label} = {}", tuples.collect::<Vec<_>>().join(" "))
            })
            .collect()
    }
}

/// Reads `value`, makes it again from the instance, and reads that: the instance must be the same,
/// atom by atom. Returns the instance as text and the second value.
pub fn there_and_back<T: Concretize + Abstraction>(objects: usize, value: &T) -> (Vec<String>, Box<T>, Made) {
    let natural = Natural::of::<T>(objects);
    let (instance, outcome) = natural.read(value);
    assert!(outcome.is_clean(), "{outcome:?}");
    let mut made = Made::new();
    let mut c = Concretizer::new(&natural.binding, &instance, &mut made);
    let again: Box<T> = c.root(0).unwrap_or_else(|fault| panic!("{fault}\n{:#?}", natural.show(&instance)));
    c.finish().unwrap();
    let mut second = natural.binding.start.clone();
    let mut seen = Seen::new();
    let mut a = Abstractor::new(&natural.binding, Before::Instance(&instance), &mut second, &mut seen)
        .with_objects(&made, None);
    a.root(0, &*again);
    let outcome = a.finish();
    assert!(outcome.is_clean(), "{outcome:?}");
    assert_eq!(natural.show(&instance), natural.show(&second));
    assert_eq!(instance, second);
    (natural.show(&instance), again, made)
}

/// As [`there_and_back`], for values that can be compared.
pub fn same<T: Concretize + Abstraction + PartialEq + std::fmt::Debug>(
    objects: usize,
    value: &T,
) -> Vec<String> {
    let (text, again, _) = there_and_back(objects, value);
    assert_eq!(*value, *again);
    text
}
