use crate::ast::*;
use crate::{FileId, Interner, parse};

#[test]
fn nothing_yet() {
    let mut interner = Interner::default();
    let (file, diagnostics) = parse(FileId(0), "sig A { next: lone A }", false, &mut interner);
    assert!(diagnostics.is_empty());
    assert!(matches!(file.paragraphs[..], [Paragraph::Sig(_)]));
}
