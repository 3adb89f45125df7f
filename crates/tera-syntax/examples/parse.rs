//! Parses the files named on the command line and shows what is wrong with them:
//! `cargo run -p tera-syntax --example parse -- models/*.als`.

use tera_syntax::{Interner, Sources, parse, report};

fn main() {
    let mut faulty = 0;
    for path in std::env::args().skip(1) {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let mut sources = Sources::default();
        let file = sources.add(path.as_str(), text);
        let mut interner = Interner::default();
        let (_, diagnostics) = parse(file, &sources.get(file).text, path.ends_with(".md"), &mut interner);
        faulty += usize::from(!diagnostics.is_empty());
        print!("{}", report::render(&diagnostics, &sources, false));
    }
    println!("{faulty} files with errors");
}
