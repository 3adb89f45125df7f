//! Any text is loaded, and each of its first commands lowered at a small scope, without a panic;
//! what is wrong can be shown.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use tera_model::{Loader, LowerOptions, STACK_SIZE, Target, load};
use tera_syntax::report;

struct One<'a>(&'a str);

impl Loader for One<'_> {
    fn read(&self, path: &Path) -> Result<Option<String>, String> {
        Ok((path == Path::new("fuzz.als")).then(|| self.0.to_string()))
    }
}

fn work(text: &str) {
    let spec = match load(Path::new("fuzz.als"), &[], &One(text)) {
        Ok(spec) => spec,
        Err(failure) => {
            assert!(!failure.diagnostics.is_empty(), "a failure says why");
            report::render(&failure.diagnostics, &failure.sources, false);
            return;
        }
    };
    let options = LowerOptions { scope: Some("2, 3 Int".into()), ..LowerOptions::default() };
    for command in 0..spec.commands.len().min(2) {
        for options in [&options, &LowerOptions::default()] {
            if let Err(failure) = spec.lower(&Target::Command(command), options) {
                assert!(failure.diagnostics.iter().any(|d| d.is_error()), "a failure says why");
                report::render(&failure.diagnostics, &failure.sources, false);
            }
        }
    }
}

fuzz_target!(|text: &str| {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, || work(text));
        if thread.expect("a thread starts").join().is_err() {
            std::process::abort();
        }
    });
});
