//! Any text is parsed without a panic, its errors lie within it, what parses reads the same when
//! printed, and every diagnostic can be shown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tera_syntax::{Interner, Sources, parse, print, report};

fuzz_target!(|text: &str| {
    let mut sources = Sources::default();
    let id = sources.add("fuzz.als", text);
    let mut interner = Interner::default();
    for markdown in [false, true] {
        let (file, diagnostics) = parse(id, text, markdown, &mut interner);
        for diagnostic in &diagnostics {
            let range = diagnostic.span.start as usize..diagnostic.span.end as usize;
            assert!(text.get(range).is_some(), "{diagnostic:?}");
        }
        report::render(&diagnostics, &sources, false);
        let printed = print::file(&file, &interner);
        let (again, errors) = parse(id, &printed, false, &mut interner);
        assert!(errors.is_empty(), "{printed}: {errors:?}");
        assert_eq!(print::file(&again, &interner), printed);
    }
});
