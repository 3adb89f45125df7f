//! Shows diagnostics to people.

use std::fmt::Write;
use std::ops::Range;

use ariadne::{Cache, Config, IndexType, Label, Report, ReportKind};

use crate::diagnostic::{Diagnostic, Severity};
use crate::sources::Sources;
use crate::span::FileId;

/// The diagnostics as blocks of text with the source lines they speak of, one after the other.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, colour: bool) -> String {
    let mut cache = Texts { sources, loaded: Vec::new() };
    let mut out = Vec::new();
    for diagnostic in diagnostics {
        if !has_short_lines(diagnostic, sources) {
            out.extend_from_slice(line(diagnostic, sources).as_bytes());
            out.push(b'\n');
            continue;
        }
        let (kind, paint) = match diagnostic.severity {
            Severity::Error => (ReportKind::Error, ariadne::Color::Red),
            Severity::Warning => (ReportKind::Warning, ariadne::Color::Yellow),
        };
        let place = |span: crate::Span| (span.file, range(sources, span));
        // Only labels with a text are underlined.
        let label = if diagnostic.label.is_empty() { "here" } else { &diagnostic.label };
        let main = Label::new(place(diagnostic.span)).with_color(paint).with_message(label);
        let mut report = Report::build(kind, place(diagnostic.span))
            .with_config(Config::default().with_color(colour).with_index_type(IndexType::Byte))
            .with_message(&diagnostic.message)
            .with_label(main);
        for (span, text) in &diagnostic.related {
            let label = Label::new(place(*span)).with_message(text).with_color(ariadne::Color::Blue);
            report = report.with_label(label);
        }
        if let Some(help) = &diagnostic.help {
            report = report.with_help(help);
        }
        let mut block = Vec::new();
        if report.finish().write(&mut cache, &mut block).is_err() {
            // Writing to a vector does not fail; should it, the short form still tells.
            block = format!("{}\n", line(diagnostic, sources)).into_bytes();
        }
        // ariadne begins with a capital letter; compilers do not.
        if let Some(first) = block.iter_mut().find(|b| matches!(b, b'E' | b'W')) {
            first.make_ascii_lowercase();
        }
        out.extend_from_slice(&block);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// `file:line:column: error: message; help`
pub fn line(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let (line, column) = sources.line_column(diagnostic.span.file, diagnostic.span.start);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let path = &sources.get(diagnostic.span.file).path;
    let mut out = format!("{path}:{line}:{column}: {severity}: {}", diagnostic.message);
    if let Some(help) = &diagnostic.help {
        let _ = write!(out, "; {help}");
    }
    out
}

/// Are all the lines short that the diagnostic points into? A page of one line helps nobody.
fn has_short_lines(diagnostic: &Diagnostic, sources: &Sources) -> bool {
    const LONG: usize = 1_000;
    let is_short = |file: FileId, at: usize| {
        let text = sources.get(file).text.as_bytes();
        let before = text[..at].iter().rev().take(LONG).position(|&b| b == b'\n').unwrap_or(at);
        let behind = text[at..].iter().take(LONG).position(|&b| b == b'\n').unwrap_or(text.len() - at);
        before + behind < LONG
    };
    std::iter::once(diagnostic.span).chain(diagnostic.related.iter().map(|&(span, _)| span)).all(|span| {
        let range = range(sources, span);
        is_short(span.file, range.start) && is_short(span.file, range.end)
    })
}

/// The bytes of a span, cut to the text and to whole characters.
fn range(sources: &Sources, span: crate::Span) -> Range<usize> {
    let text = &sources.get(span.file).text;
    let cut = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = cut(span.start);
    start..cut(span.end).max(start)
}

/// The texts as ariadne wants them, each indexed when it is first needed.
struct Texts<'a> {
    sources: &'a Sources,
    loaded: Vec<Option<ariadne::Source<&'a str>>>,
}

impl<'a> Cache<FileId> for Texts<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, id: &FileId) -> Result<&ariadne::Source<&'a str>, impl std::fmt::Debug> {
        let index = id.0 as usize;
        if self.loaded.len() <= index {
            self.loaded.resize_with(index + 1, || None);
        }
        let sources = self.sources;
        Ok::<_, std::convert::Infallible>(
            self.loaded[index].get_or_insert_with(|| ariadne::Source::from(sources.get(*id).text.as_str())),
        )
    }

    fn display<'b>(&self, id: &'b FileId) -> Option<impl std::fmt::Display + 'b> {
        Some(self.sources.get(*id).path.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    fn report_of(text: &str, start: usize, end: usize) -> String {
        let mut sources = Sources::default();
        let file = sources.add("a/list.als", text);
        let error = Diagnostic::error(Span::new(file, start, end), "no field is called `nxt`")
            .label("not known")
            .help("did you mean `next`?");
        render(&[error], &sources, false)
    }

    #[test]
    fn the_header_names_file_line_and_column() {
        let text = report_of("sig A {}\nfact { no nxt }\n", 19, 22);
        assert!(text.starts_with("error: no field is called `nxt`\n"), "{text}");
        assert!(text.contains("a/list.als:2:11"), "{text}");
        assert!(text.contains("did you mean"), "{text}");
    }

    #[test]
    fn carets_stand_below_the_right_letters_behind_umlauts() {
        let source = "fact { Größe in nxt }";
        let start = source.find("nxt").unwrap();
        let text = report_of(source, start, start + 3);
        assert!(text.contains(":1:17"), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|l| l.contains("Größe")).unwrap();
        let column = |line: &str, c: char| line.chars().position(|x| x == c).unwrap();
        let below = lines[at + 1..].iter().find(|l| l.contains('─')).unwrap();
        let wanted =
            lines[at].chars().collect::<Vec<_>>().windows(3).position(|w| w == ['n', 'x', 't']).unwrap();
        assert!(column(below, '─') == wanted || column(below, '┬') == wanted + 1, "{text}");
    }

    #[test]
    fn spans_beyond_the_text_do_not_panic() {
        report_of("ä", 1, 900);
        report_of("", 0, 0);
    }

    #[test]
    fn a_line_of_a_whole_page_is_not_shown() {
        let text = report_of(&"a ".repeat(5_000), 5_000, 5_001);
        assert_eq!(text, "a/list.als:1:5001: error: no field is called `nxt`; did you mean `next`?\n");
    }

    #[test]
    fn the_short_form_is_one_line() {
        let mut sources = Sources::default();
        let file = sources.add("x.als", "ä b");
        let warning = Diagnostic::warning(Span::new(file, 3, 4), "unused");
        assert_eq!(line(&warning, &sources), "x.als:1:3: warning: unused");
    }
}
