//! `tera init`: writes the signatures of a specification from Rust declarations, and tells later
//! what has changed since.

mod difference;
mod read;

use std::path::{Path, PathBuf};

use clap::Args;

use crate::console::{Out, plural, say};
use crate::exit::{Exit, Stop};

#[derive(Args, Debug)]
pub struct InitArgs {
    /// Rust files with the types; `-` reads standard input and writes to standard output
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The specification [default: the first file's name with .als, beside it]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write to standard output, whatever is there
    #[arg(long, conflicts_with = "output")]
    pub stdout: bool,
}

pub fn run(args: InitArgs) -> Result<Exit, Stop> {
    let mut sources = Vec::new();
    for path in &args.files {
        sources.push((path.display().to_string(), text_of(path)?));
    }
    let text = specification(&sources).map_err(Stop::Message)?;
    let from_stdin = args.files.iter().any(|path| path == Path::new("-"));
    let output = match args.output {
        Some(output) => output,
        None if args.stdout || from_stdin => {
            let mut out = Out::new();
            out.text(&text)?;
            out.flush()?;
            return Ok(Exit::Expected);
        }
        None => args.files[0].with_extension("als"),
    };
    let shown = output.display();
    let names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    // Nothing that is there is ever overwritten, not even by a second `tera init` at the same time.
    match std::fs::File::create_new(&output) {
        Ok(mut file) => {
            std::io::Write::write_all(&mut file, text.as_bytes())
                .map_err(|error| Stop::message(format!("cannot write {shown}: {error}")))?;
            let n = difference::signatures(&text).len() as u64;
            say(&format!("{shown}: {} from {names}", plural(n, "signature", "signatures")));
            say("next: add a predicate or two, and `#[testera::check(…)]` to a function");
            Ok(Exit::Expected)
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let known = text_of(&output)?;
            let differences = difference::differences(&known, &text);
            if differences.is_empty() {
                say(&format!("{shown} agrees with {names}"));
                return Ok(Exit::Expected);
            }
            let mut out = Out::new();
            out.line(&format!("{shown} is kept as it is; {names} would have it otherwise:"))?;
            for line in &differences {
                out.line(&format!("  {line}"))?;
            }
            out.flush()?;
            Ok(Exit::Unexpected)
        }
        Err(error) => Err(Stop::message(format!("cannot write {shown}: {error}"))),
    }
}

fn text_of(path: &Path) -> Result<String, Stop> {
    let text = match path == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(path),
    };
    text.map_err(|error| Stop::message(format!("cannot read {}: {error}", path.display())))
}

/// The specification of the types in some Rust files, each with its name. An error is one message.
pub fn specification(sources: &[(String, String)]) -> Result<String, String> {
    let graph = read::types(sources)?;
    let names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
    Ok(format!(
        "// The types of {}, as `tera init` saw them. This file is yours: it is never overwritten.\n\n{}\n",
        names.join(", "),
        tera_heap::specification(&graph).trim_end()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn init(text: &str) -> String {
        let text = specification(&[("src/list.rs".into(), text.into())]).unwrap();
        let (_, body) = text.split_once("\n\n").unwrap();
        let (body, _) = body.split_once("// Ownership").unwrap_or((body, ""));
        body.trim().to_string()
    }

    fn check(text: &str, expected: &str) {
        let squash = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squash(&init(text)), squash(expected));
    }

    #[test]
    fn a_list_has_two_signatures() {
        check(
            "pub struct List { header: Option<Box<Node>> } struct Node { elem: i32, next: Option<Box<Node>> }",
            "sig List { header: lone Node } sig Node { elem: one Int, next: lone Node }",
        );
    }

    #[test]
    fn aliases_newtypes_parameters_and_words_of_the_language() {
        check(
            "type Link<T> = Option<std::rc::Rc<std::cell::RefCell<Node<T>>>>;
             struct Id(u32);
             struct Node<T> { id: Id, set: Vec<T>, next: Link<T>, back: std::rc::Weak<Node<T>> }",
            "sig Node { id: one Int, set_: seq T, next: lone Node, back: lone Node } sig T {}",
        );
    }

    #[test]
    fn enums_are_abstract_and_what_is_unknown_is_said() {
        check(
            "enum Expr { Zero, Sum(Box<Expr>, Box<Expr>) } struct Top { e: Expr, f: f32 }",
            "abstract sig Expr {} one sig Zero extends Expr {} sig Sum extends Expr { f0: one Expr, f1: one Expr }
             sig Top { e: one Expr
               // f is left out: a specification has no floating point numbers; `#[heap(skip)]` the field
             }",
        );
    }

    #[test]
    fn types_of_the_standard_library_are_what_the_derive_makes_of_them() {
        check(
            "struct Top { once: OnceCell<Rc<Top>>, up: Option<Weak<Top>>, raw: AtomicPtr<Top>, pinned: Pin<Box<Top>>,
                          id: NonZeroU32, bits: AtomicUsize, on: AtomicBool, name: Cow<'static, str>,
                          heap: BinaryHeap<Reverse<u8>>, range: Range<u8>, last: Result<(), u8>, slice: Arc<[u8]> }",
            "open util/boolean
             sig Top { once_: lone Top, up: lone Top, raw: lone Top, pinned: one Top, id: one Int, bits: one Int,
               on: one Bool, name: one String, heap: seq Int, range: one Range, last: one Result, slice: seq Int }
             sig Range { start: one Int, end: one Int }
             abstract sig Result {} sig Ok extends Result { } sig Err extends Result { f0: one Int }",
        );
    }

    #[test]
    fn attributes_count_and_types_without_the_derive_do_not() {
        check(
            "#[cfg_attr(test, derive(Clone, testera::Heap), heap(sig = \"Trie\"))]
             struct Tree { #[heap(arena)] nodes: Vec<Entry>, #[cfg_attr(test, heap(index = Entry, null = 0))] root: u32,
                           #[heap(skip)] cache: u8 }
             #[derive(Heap)] struct Entry { #[heap(name = \"key\")] k: u8 }
             struct Other { x: u8 }",
            "sig Trie { nodes: seq Entry, root: lone Entry
               // cache is left out: it is marked `#[heap(skip)]`
             } sig Entry { key: one Int }",
        );
    }

    #[test]
    fn a_mistake_in_the_source_has_its_place() {
        let error = specification(&[("a.rs".into(), "struct A {\n  x: ,\n}".into())]).unwrap_err();
        assert!(error.starts_with("a.rs:2:6: "), "{error}");
        let error = specification(&[("a.rs".into(), "fn f() {}".into())]).unwrap_err();
        assert_eq!(error, "no struct or enum in a.rs");
    }

    #[test]
    fn differences_name_both_sides_and_keep_what_the_specification_adds() {
        let known = "one sig List { header: Node, extra: set Node } enum Color { Red, Black } sig Node { next: set Node }
                     pred p { some List }";
        let wanted = init(
            "struct List { header: Box<Node>, size: u8 } enum Color { Red, Black } enum Kind { A }
             struct Node { next: Option<Box<Node>>, color: Color }",
        );
        let mut found = difference::differences(known, &wanted);
        found.sort();
        assert_eq!(
            found,
            [
                "+ List.size: Int",
                "+ Node.color: Color",
                "+ abstract sig Kind {}",
                "+ one sig A extends Kind {}",
                "- List.extra: set Node   (no such field in Rust)",
                "~ Node.next: lone Node   (the specification has `set Node`)",
            ]
        );
        assert!(difference::differences(&wanted, &wanted).is_empty());
    }
}
